//! Shrinking: a filter from which items have gone becomes as small as the rest allows, and not smaller than it began.
//!
//! What it takes and gives back of memory, and what happens without, is in `memory`.

use lockfree_cuckoo::InsertError;
use lockfree_cuckoo::testing::Double;

use super::{Growing, builder, distinct, filter};
use crate::door::random;

fn fill(filter: &Growing, hashes: &[u64]) {
    for &hash in hashes {
        filter.insert_hash(hash).expect("memory");
    }
}

fn take_out(filter: &Growing, hashes: &[u64]) {
    for &hash in hashes {
        assert!(filter.remove_hash(hash), "a stored item was not removed");
    }
}

fn assert_all_in(filter: &Growing, hashes: &[u64]) {
    assert_eq!(filter.len(), hashes.len());
    let missed = hashes.iter().filter(|&&hash| !filter.contains_hash(hash));
    assert_eq!(missed.count(), 0, "stored items are missed");
}

/// Absent items are found no more often than the filter tells, but for five standard deviations.
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

/// Shrinks it. Nothing may change but the size; the second time not even that.
fn shrink(filter: &mut Growing) {
    let before = (filter.len(), filter.slots(), filter.memory_usage());
    filter.shrink_to_fit();
    assert_eq!(filter.len(), before.0, "not conserved");
    assert!(filter.slots() <= before.1 && filter.memory_usage() <= before.2);
    assert!(filter.doubled().is_none());
    let (bytes, memory) = (filter.to_bytes(), filter.memory_usage());
    filter.shrink_to_fit();
    assert!(
        filter.to_bytes() == bytes && filter.memory_usage() <= memory,
        "once more"
    );
}

/// Grows it to a million items, removes 99 of a hundred, shrinks it, and does the same once more.
fn shrinks_and_grows_again(capacity: usize, tables: usize) {
    const ITEMS: usize = 1_000_000;
    let mut filter = filter(capacity);
    let hashes: Vec<u64> = random(1).take(ITEMS).collect();
    let (stay, go) = hashes.split_at(ITEMS / 100);
    fill(&filter, stay);
    for _ in 0..2 {
        fill(&filter, go);
        assert_eq!(filter.tables(), tables, "{filter:?}");
        assert_all_in(&filter, &hashes);
        take_out(&filter, go);
        shrink(&mut filter);
        assert_eq!(filter.tables(), 1);
        assert_all_in(&filter, stay);
        let bits = 8.0 * filter.memory_usage() as f64 / stay.len() as f64;
        assert!(bits <= 40.0, "{bits} bits an item");
        assert_rate(&filter);
    }
    let go = &go[..ITEMS / 10];
    fill(&filter, go);
    assert_rate(&filter);
    take_out(&filter, go);
    take_out(&filter, stay);
    assert!(filter.is_empty());
    assert!(
        hashes.iter().all(|&hash| !filter.contains_hash(hash)),
        "a token is left"
    );
}

#[test]
fn what_has_grown_a_thousandfold_shrinks_and_grows_again() {
    shrinks_and_grows_again(1_000, 1);
}

#[test]
fn two_tables_become_one_that_grows_again() {
    shrinks_and_grows_again(100, 2);
}

/// From none to as many as there were: each time to the smallest level at which they are not too many.
#[test]
fn any_number_of_items_may_stay() {
    for (capacity, items) in [(8, 40), (8, 5_000), (8, 30_000), (1_000, 30_000)] {
        for stay in [
            0,
            1,
            2,
            9,
            items / 10,
            items / 3,
            items / 2,
            items - 1,
            items,
        ] {
            let mut filter = filter(capacity);
            let first = filter.slots();
            let hashes: Vec<u64> = random(stay as u64).take(items).collect();
            fill(&filter, &hashes);
            let (stay, go) = hashes.split_at(stay);
            take_out(&filter, go);
            shrink(&mut filter);
            assert_all_in(&filter, stay);
            let fits = |slots: usize| slots == first || stay.len() > slots / 4;
            assert!(fits(filter.slots()), "{filter:?} began with {first} slots");
            if go.is_empty() {
                continue;
            }
            // It goes on as one that was never larger.
            fill(&filter, go);
            assert_all_in(&filter, &hashes);
            take_out(&filter, &hashes);
            assert!(filter.is_empty());
            assert!(
                hashes.iter().all(|&hash| filter.count_hash(hash) == 0),
                "a token is left"
            );
        }
    }
}

#[test]
fn an_emptied_filter_is_as_small_as_it_began() {
    let sizes = [(8, 40, 16), (8, 30_000, 4_096), (1_000, 100_000, 256)];
    for (capacity, items, budget) in sizes {
        let filter = builder(capacity).search_budget(budget).build();
        let mut filter = filter.expect("a possible budget");
        let measures = |filter: &Growing| {
            let sizes = (filter.slots(), filter.capacity(), filter.tables());
            (sizes, filter.memory_usage())
        };
        let (start, bytes) = (measures(&filter), filter.to_bytes());
        for seed in 0..5 {
            let hashes: Vec<u64> = random(seed).take(items).collect();
            fill(&filter, &hashes);
            take_out(&filter, &hashes);
            shrink(&mut filter);
            assert_eq!(measures(&filter), start);
            assert!(filter.to_bytes() == bytes, "as if nothing had been");
        }
    }
}

/// Not the next larger one.
#[test]
fn as_many_as_a_size_is_for_have_that_size() {
    // The capacities of some sizes. The last is that of the last doubling, into which two tables go.
    for items in [8, 14, 38, 90, 200, 428, 1_850, 7_674] {
        let built = filter(items);
        assert_eq!(built.capacity(), items);
        let mut filter = filter(8);
        let hashes: Vec<u64> = random(4).take(3 * items).collect();
        fill(&filter, &hashes);
        let (stay, go) = hashes.split_at(items);
        take_out(&filter, go);
        shrink(&mut filter);
        assert_eq!(filter.slots(), built.slots(), "{items} items");
        assert_all_in(&filter, stay);
    }
}

#[test]
fn one_that_has_not_grown_stays_as_it_is() {
    for capacity in [8, 100, 20_000] {
        let mut filter = filter(capacity);
        for items in [0, capacity / 2, capacity] {
            let more: Vec<u64> = random(3).take(items).skip(filter.len()).collect();
            fill(&filter, &more);
            let (bytes, memory) = (filter.to_bytes(), filter.memory_usage());
            shrink(&mut filter);
            assert!(filter.to_bytes() == bytes && filter.memory_usage() == memory);
        }
    }
}

#[test]
fn a_doubling_that_is_under_way_is_in_nobody_s_way() {
    for (capacity, items) in [(8, 300), (8, 9_000), (1_000, 20_000)] {
        // No splits, and nearly all of them.
        for split in [0.0, 0.4, 0.8] {
            let mut filter = filter(capacity);
            let mut hashes: Vec<u64> = random(5).take(items).collect();
            fill(&filter, &hashes);
            filter.finish_doubling();
            assert!(filter.begin_to_double());
            let mut more = random(6);
            while filter.doubled().is_some_and(|share| share < split) {
                let hash = more.next().expect("endless");
                filter.insert_hash(hash).expect("memory");
                hashes.push(hash);
            }
            assert!(filter.doubled().is_some(), "it doubles");
            let stay = hashes.split_off(hashes.len() * 4 / 5);
            let slots = filter.slots();
            let mut other = filter.try_clone().expect("memory");
            shrink(&mut other);
            assert_eq!(other.len(), hashes.len() + stay.len());
            take_out(&other, &hashes);
            assert_all_in(&other, &stay);

            // Removes take part in the doubling, so it may end on the way.
            take_out(&filter, &hashes);
            shrink(&mut filter);
            assert!(filter.slots() < slots);
            assert_all_in(&filter, &stay);
            take_out(&filter, &stay);
            assert!(filter.is_empty());
        }
    }
}

/// Of a doubling that the items need: it ends forwards.
#[test]
fn a_doubling_that_is_needed_ends() {
    for capacity in [8, 1_000] {
        let mut filter = filter(capacity);
        let mut hashes = Vec::new();
        let mut more = random(9);
        while filter.doubled().is_none() || filter.slots() < 8_192 {
            let hash = more.next().expect("endless");
            filter.insert_hash(hash).expect("memory");
            hashes.push(hash);
        }
        // The size before is for fewer.
        hashes.extend(more.take(10));
        fill(&filter, &hashes[hashes.len() - 10..]);
        assert!(filter.doubled().is_some(), "it doubles");
        let slots = filter.slots();
        shrink(&mut filter);
        assert_eq!(filter.slots(), slots);
        assert_all_in(&filter, &hashes);
    }
}

/// Of one item, two tables hold more copies than one can.
#[test]
fn copies_that_one_table_cannot_hold_are_not_lost() {
    let mut filter = filter(1);
    let mut items = distinct(3);
    let item = items.next().expect("endless");
    let eight = |filter: &Growing| (0..8).for_each(|_| filter.insert_hash(item).expect("a copy"));
    eight(&filter);
    let others: Vec<u64> = items.take(20_000).collect();
    fill(&filter, &others);
    assert_eq!(filter.tables(), 2);
    eight(&filter);
    take_out(&filter, &others);
    let slots = filter.slots();
    shrink(&mut filter);
    assert_eq!((filter.count_hash(item), filter.len()), (16, 16));
    assert!(filter.slots() < slots, "one of both tables is smaller");
    // They go, and then there is room in what is left.
    for left in (0..16).rev() {
        assert!(filter.remove_hash(item), "a copy is lost");
        assert_eq!(filter.count_hash(item), left);
    }
    shrink(&mut filter);
    assert_eq!((filter.slots(), filter.tables()), (8, 1));
}

/// One that is at its limit has no memory for another table besides, and wants it back all the more.
#[test]
fn one_at_its_limit_becomes_small_and_the_limit_stays() {
    for (capacity, most) in [(1_000, 1 << 20), (8, 200 << 10)] {
        let mut filter = filter(capacity);
        filter.set_max_memory_usage(most);
        let mut hashes: Vec<u64> = Vec::new();
        for round in 0..3 {
            let refused = random(round).find_map(|hash| match filter.insert_hash(hash) {
                Ok(()) => {
                    hashes.push(hash);
                    None
                }
                Err(error) => Some(error),
            });
            let is_limit = matches!(refused, Some(InsertError::CannotGrow { .. }));
            assert!(is_limit, "{refused:?}");
            let (slots, memory) = (filter.slots(), filter.memory_usage());
            assert!(memory <= most);
            assert_all_in(&filter, &hashes);
            take_out(&filter, &hashes.split_off(hashes.len() / 100));
            shrink(&mut filter);
            assert!(
                filter.slots() <= slots / 16,
                "{filter:?}, and {slots} slots before"
            );
            assert!(
                filter.memory_usage() < memory / 2,
                "{filter:?}, and {memory} bytes before"
            );
            assert_all_in(&filter, &hashes);
        }
    }
}

/// What has been given back can be had again.
#[test]
fn the_limit_on_the_rate_is_for_what_there_is_at_present() {
    let builder = builder(8).max_false_positive_rate(0.000_64);
    let mut filter = builder.build().expect("a possible rate");
    for round in 0..10 {
        let fits = |hash: &u64| filter.insert_hash(*hash).is_ok();
        let stored: Vec<u64> = random(round).take_while(fits).collect();
        assert_eq!(filter.slots(), 8 << 4, "round {round}");
        take_out(&filter, &stored);
        shrink(&mut filter);
        assert_eq!(filter.slots(), 8, "round {round}");
    }
}

/// Of two tables, neither of which holds all that is left, the first keeps nothing of the sizes that it has left.
#[test]
fn two_tables_that_stay_take_little() {
    let mut filter = filter(8);
    let hashes: Vec<u64> = random(2).take(400_000).collect();
    hashes
        .iter()
        .for_each(|&hash| filter.insert_hash(hash).expect("memory"));
    let (left, others) = hashes.split_at(10_000);
    assert!(others.iter().all(|&hash| filter.remove_hash(hash)));
    filter.shrink_to_fit();
    assert_eq!(filter.tables(), 2);
    let bits = 8 * filter.memory_usage() / left.len();
    assert!(bits < 32, "{bits} bits an item");
    assert!(left.iter().all(|&hash| filter.contains_hash(hash)));
}
