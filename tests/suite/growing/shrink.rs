//! Shrinking: gives a filter the smallest size that its items allow, but not less than its first
//! size.
//!
//! `memory` tests the memory that shrinking takes and gives back, and failed allocations.

use lockfree_cuckoo::InsertError;
use lockfree_cuckoo::testing::Internals;
use model::mix;

use super::{
    Growing, assert_all_in, builder, distinct, filter, in_buckets, insert_all, remove_all,
};
use crate::door::random;

/// Checks that the filter holds these and nothing else.
fn holds_exactly(filter: &Growing, hashes: &[u64]) {
    assert_eq!(filter.len(), hashes.len());
    assert_all_in(filter, hashes);
}

/// Checks that no token of these is left.
fn holds_nothing_of(filter: &Growing, hashes: &[u64]) {
    assert!(filter.is_empty());
    let left = hashes.iter().filter(|&&hash| filter.count_hash(hash) > 0);
    assert_eq!(left.count(), 0, "a token is left");
}

/// Checks that absent items are found no more often than the filter reports, within five standard
/// deviations.
fn assert_rate(filter: &Growing) {
    const TRIES: usize = 1_000_000;
    let found = random(1 << 20).take(TRIES);
    let found = found.filter(|&hash| filter.contains_hash(hash)).count() as f64;
    let expected = filter.false_positive_rate() * TRIES as f64;
    assert!(
        found <= expected + 5.0 * expected.sqrt() + 5.0,
        "{found} of {TRIES}, and not {expected}: {filter:?}"
    );
}

/// Shrinks a filter. Nothing may change but the size; the second time not even that.
fn shrink(filter: &mut Growing) {
    let before = (filter.len(), filter.slots(), filter.memory_usage());
    filter.shrink_to_fit();
    assert_eq!(filter.len(), before.0, "not conserved");
    assert!(filter.slots() <= before.1 && filter.memory_usage() <= before.2);
    assert!(filter.doubled().is_none());
    let (bytes, memory) = (filter.to_bytes().expect("quiet"), filter.memory_usage());
    filter.shrink_to_fit();
    let is_as_before =
        filter.to_bytes().expect("quiet") == bytes && filter.memory_usage() <= memory;
    assert!(is_as_before, "once more");
}

/// A filter shrinks a thousandfold and grows again. From a million items to a hundred, and the same
/// again. The second time there are two tables.
#[test]
fn shrinks_a_thousandfold() {
    const ITEMS: usize = 1_000_000;
    for (capacity, tables) in [(1_000, 1), (100, 2)] {
        let mut filter = filter(capacity);
        let hashes: Vec<u64> = random(1).take(ITEMS).collect();
        let (stay, go) = hashes.split_at(ITEMS / 100);
        insert_all(&filter, stay);
        for _ in 0..2 {
            insert_all(&filter, go);
            assert_eq!(filter.tables(), tables, "{filter:?}");
            holds_exactly(&filter, &hashes);
            remove_all(&filter, go);
            shrink(&mut filter);
            assert_eq!(filter.tables(), 1);
            holds_exactly(&filter, stay);
            let bits = 8.0 * filter.memory_usage() as f64 / stay.len() as f64;
            assert!(bits <= 40.0, "{bits} bits an item");
            assert_rate(&filter);
        }
        let go = &go[..ITEMS / 10];
        insert_all(&filter, go);
        assert_rate(&filter);
        remove_all(&filter, go);
        remove_all(&filter, stay);
        holds_nothing_of(&filter, &hashes);
    }
}

/// Returns the measures of a filter's memory, and its stored bytes.
fn state(filter: &mut Growing) -> ([usize; 4], Vec<u8>) {
    let sizes = [filter.slots(), filter.capacity(), filter.tables()];
    let [slots, capacity, tables] = sizes;
    let measures = [slots, capacity, tables, filter.memory_usage()];
    (measures, filter.to_bytes().expect("quiet"))
}

/// From none to all items: each time the smallest level that has room for them. Emptied or cleared,
/// a filter is as new.
#[test]
fn any_number_of_items_may_stay() {
    for (capacity, items, budget) in [
        (8, 40, 16),
        (8, 5_000, 256),
        (8, 30_000, 4_096),
        (1_000, 100_000, 256),
    ] {
        let (third, half) = (items / 3, items / 2);
        for stay in [0, 1, 2, 9, items / 10, third, half, items - 1, items] {
            let filter = builder(capacity).search_budget(budget).build();
            let mut filter = filter.expect("a possible budget");
            let start = state(&mut filter);
            let hashes: Vec<u64> = random(stay as u64).take(items).collect();
            insert_all(&filter, &hashes);
            let (stay, go) = hashes.split_at(stay);
            remove_all(&filter, go);
            shrink(&mut filter);
            holds_exactly(&filter, stay);
            let is_small = filter.slots() == start.0[0] || stay.len() > filter.slots() / 4;
            assert!(is_small, "{filter:?} began with {start:?}");
            // It behaves as a filter that was never larger.
            insert_all(&filter, go);
            holds_exactly(&filter, &hashes);
            remove_all(&filter, &hashes);
            holds_nothing_of(&filter, &hashes);
            shrink(&mut filter);
            assert!(state(&mut filter) == start, "as if nothing had been");
            insert_all(&filter, &hashes);
            filter.clear();
            assert!(state(&mut filter) == start, "as if nothing had been");
        }
    }
}

/// The size with exactly this capacity, not the next larger one.
#[test]
fn as_many_as_a_size_is_for_have_that_size() {
    // The capacities of some sizes. The last is that of the last doubling, into which two tables
    // fit.
    for items in [8, 14, 38, 90, 200, 428, 1_850, 7_674] {
        let built = filter(items);
        assert_eq!(built.capacity(), items);
        let mut filter = filter(8);
        let hashes: Vec<u64> = random(4).take(3 * items).collect();
        insert_all(&filter, &hashes);
        let (stay, go) = hashes.split_at(items);
        remove_all(&filter, go);
        shrink(&mut filter);
        assert_eq!(filter.slots(), built.slots(), "{items} items");
        holds_exactly(&filter, stay);
    }
}

/// As many as a large size is for have that size. A search of the usual length finds no place for
/// some of the last items. `verification/stress` tests larger sizes.
#[test]
fn fit_the_large_size() {
    let filter = in_buckets(1 << 16).build().expect("memory");
    let (slots, capacity) = (filter.slots(), filter.capacity());
    let hashes: Vec<u64> = random(mix(1)).take(2 * capacity).collect();
    insert_all(&filter, &hashes);
    assert_eq!(filter.slots(), 2 * slots);
    let mut left = hashes.len();
    for (items, expected) in [
        (capacity + 1, 2 * slots),
        (capacity, slots),
        (capacity - 1, slots),
    ] {
        remove_all(&filter, &hashes[items..left]);
        left = items;
        let mut filter = filter.snapshot().expect("memory");
        shrink(&mut filter);
        assert_eq!(filter.slots(), expected, "{items} of {capacity} items");
        holds_exactly(&filter, &hashes[..items]);
    }
}

/// With short searches, or copies, chance decides whether tokens fit: in another order they might.
#[test]
fn a_second_shrink_changes_nothing() {
    for seed in 0..100 {
        let filter = builder(427).search_budget(3).build();
        let mut filter = filter.expect("a possible budget");
        let hashes: Vec<u64> = random(seed).take(4_000).collect();
        insert_all(&filter, &hashes);
        let stay = 1 + mix(seed) as usize % 2_000;
        remove_all(&filter, &hashes[stay..]);
        shrink(&mut filter);
        holds_exactly(&filter, &hashes[..stay]);
    }
    for seed in 5..10 {
        let mut filter = filter(8);
        let hashes: Vec<u64> = random(seed).take(3_712).collect();
        let twice = |hashes: &[u64]| {
            hashes
                .iter()
                .flat_map(|&hash| [hash; 2])
                .collect::<Vec<_>>()
        };
        let (stay, go) = hashes.split_at(1_856);
        let copies = twice(&hashes);
        insert_all(&filter, &copies);
        remove_all(&filter, twice(go));
        shrink(&mut filter);
        holds_exactly(&filter, &twice(stay));
    }
}

#[test]
fn one_that_has_not_grown_stays_as_it_is() {
    for capacity in [8, 100, 20_000] {
        let mut filter = filter(capacity);
        for items in [0, capacity / 2, capacity] {
            insert_all(&filter, random(3).take(items).skip(filter.len()));
            let before = state(&mut filter);
            shrink(&mut filter);
            assert!(state(&mut filter) == before);
        }
    }
}

/// A doubling under way does not prevent shrinking.
#[test]
fn shrinks_during_a_doubling() {
    for (capacity, items) in [(8, 300), (8, 9_000), (1_000, 20_000)] {
        // No splits, and nearly all of them.
        for split in [0.0, 0.4, 0.8] {
            let mut filter = filter(capacity);
            let mut hashes: Vec<u64> = random(5).take(items).collect();
            insert_all(&filter, &hashes);
            filter.finish_doubling();
            assert!(filter.begin_to_double());
            let mut more = random(6);
            while filter.doubled().is_some_and(|share| share < split) {
                hashes.extend(more.next());
                insert_all(&filter, hashes.last());
            }
            assert!(filter.doubled().is_some(), "it doubles");
            let stay = hashes.split_off(hashes.len() * 4 / 5);
            let slots = filter.slots();
            let mut other = filter.snapshot().expect("memory");
            shrink(&mut other);
            assert_eq!(other.len(), hashes.len() + stay.len());
            remove_all(&other, &hashes);
            holds_exactly(&other, &stay);

            // Removes take part in the doubling, so it may end meanwhile.
            remove_all(&filter, &hashes);
            shrink(&mut filter);
            assert!(filter.slots() < slots);
            holds_exactly(&filter, &stay);
            remove_all(&filter, &stay);
            assert!(filter.is_empty());
        }
    }
}

/// The items need this doubling, so it is completed.
#[test]
fn a_doubling_that_is_needed_ends() {
    for capacity in [8, 1_000] {
        let mut filter = filter(capacity);
        let (mut hashes, mut more) = (Vec::new(), random(9));
        while filter.doubled().is_none() || filter.slots() < 8_192 {
            hashes.extend(more.next());
            insert_all(&filter, hashes.last());
        }
        // The size before has room for fewer.
        hashes.extend(more.take(10));
        insert_all(&filter, &hashes[hashes.len() - 10..]);
        assert!(filter.doubled().is_some(), "it doubles");
        let slots = filter.slots();
        shrink(&mut filter);
        assert_eq!(filter.slots(), slots);
        holds_exactly(&filter, &hashes);
    }
}

/// Copies that one table cannot hold are not lost: two tables hold more copies of one item than one
/// table can.
#[test]
fn copies_of_two_tables() {
    let mut filter = filter(1);
    let mut items = distinct(3);
    let item = items.next().expect("endless");
    insert_all(&filter, [item; 8]);
    let others: Vec<u64> = items.take(20_000).collect();
    insert_all(&filter, &others);
    assert_eq!(filter.tables(), 2);
    insert_all(&filter, [item; 8]);
    remove_all(&filter, &others);
    let slots = filter.slots();
    shrink(&mut filter);
    assert_eq!((filter.count_hash(item), filter.len()), (16, 16));
    assert!(filter.slots() < slots, "one of both tables is smaller");
    // The copies are removed, and then there is room in the rest.
    for left in (0..16).rev() {
        assert!(filter.remove_hash(item), "a copy is lost");
        assert_eq!(filter.count_hash(item), left);
    }
    shrink(&mut filter);
    assert_eq!((filter.slots(), filter.tables()), (8, 1));
}

/// A filter at its limit becomes small, and the limit stays. Such a filter has no memory for
/// another table, and needs shrinking most.
#[test]
fn shrinks_at_its_limit() {
    for (capacity, most) in [(1_000, 1 << 20), (8, 200 << 10)] {
        let mut filter = filter(capacity);
        filter.set_max_memory_usage(most);
        let mut hashes: Vec<u64> = Vec::new();
        for round in 0..3 {
            let refused = random(round).find_map(|hash| {
                let inserted = filter.insert_hash(hash);
                hashes.extend(inserted.is_ok().then_some(hash));
                inserted.err()
            });
            let is_limit = matches!(refused, Some(InsertError::CannotGrow(_)));
            assert!(is_limit, "{refused:?}");
            let (slots, memory) = (filter.slots(), filter.memory_usage());
            assert!(memory <= most);
            holds_exactly(&filter, &hashes);
            remove_all(&filter, hashes.split_off(hashes.len() / 100));
            shrink(&mut filter);
            let is_small = filter.slots() <= slots / 16 && filter.memory_usage() < memory / 2;
            assert!(is_small, "{filter:?}: {slots} slots, {memory} bytes before");
            holds_exactly(&filter, &hashes);
        }
    }
}

/// The limit on the rate is for the present size. Memory that was given back can be allocated
/// again.
#[test]
fn rate_limit_after_shrinking() {
    let builder = builder(8).max_false_positive_rate(0.000_64);
    let mut filter = builder.build().expect("a possible rate");
    for round in 0..10 {
        let fits = |hash: &u64| filter.insert_hash(*hash).is_ok();
        let stored: Vec<u64> = random(round).take_while(fits).collect();
        assert_eq!(filter.slots(), 8 << 4, "round {round}");
        remove_all(&filter, &stored);
        shrink(&mut filter);
        assert_eq!(filter.slots(), 8, "round {round}");
    }
}

/// With two tables, neither of which holds all remaining items, the first keeps no memory of its
/// earlier sizes.
#[test]
fn two_tables_that_stay_take_little() {
    let mut filter = filter(8);
    let hashes: Vec<u64> = random(2).take(400_000).collect();
    insert_all(&filter, &hashes);
    let (left, others) = hashes.split_at(10_000);
    remove_all(&filter, others);
    filter.shrink_to_fit();
    assert_eq!(filter.tables(), 2);
    let bits = 8 * filter.memory_usage() / left.len();
    assert!(bits < 35, "{bits} bits an item");
    assert_all_in(&filter, left);
}
