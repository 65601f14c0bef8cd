//! Growth: when a doubling begins, who takes part in it, and when it ends.

use crew::Crew;
use lockfree_cuckoo::GrowingCuckooFilter;
use lockfree_cuckoo::testing::Double;
use model::mix;

use super::{Growing, builder, filter};
use crate::door::random;

/// Fills it as far as it says that it can be filled. It keeps its size.
fn fill_to_capacity(filter: &Growing, hashes: &mut impl Iterator<Item = u64>) {
    let (slots, capacity) = (filter.slots(), filter.capacity());
    while filter.len() < capacity {
        let hash = hashes.next().expect("endless");
        filter.insert_hash(hash).expect("memory");
        assert_eq!(
            filter.slots(),
            slots,
            "it grew with {} items: {filter:?}",
            filter.len()
        );
    }
}

/// When it is new, and when it has grown once.
fn does_not_grow_below_its_capacity(capacity: usize, seeds: u64) {
    for seed in 0..seeds {
        let filter = filter(capacity);
        assert!(filter.capacity() >= capacity);
        let mut hashes = random(mix(seed) >> 32);
        fill_to_capacity(&filter, &mut hashes);
        let slots = filter.slots();
        while filter.slots() == slots {
            let hash = hashes.next().expect("endless");
            filter.insert_hash(hash).expect("memory");
        }
        assert!(filter.capacity() > filter.len() || capacity < 1_000);
        fill_to_capacity(&filter, &mut hashes);
    }
}

/// Who has asked for shorter searches gets them below the capacity too, and a doubling instead.
#[test]
fn shorter_searches_are_not_made_longer() {
    let filter = builder(1_000).search_budget(2).build();
    let filter = filter.expect("a possible budget");
    let (capacity, slots) = (filter.capacity(), filter.slots());
    for hash in random(8).take(capacity) {
        filter.insert_hash(hash).expect("memory");
    }
    assert!(filter.slots() > slots, "no search was too short");
}

#[test]
fn no_doubling_begins_below_the_capacity() {
    for (capacity, seeds) in [(8, 200), (100, 200), (1_000, 100), (10_000, 8)] {
        does_not_grow_below_its_capacity(capacity, seeds);
    }
}

#[test]
#[ignore = "it takes minutes, with optimization"]
fn no_doubling_begins_below_the_capacity_of_large_filters() {
    for (capacity, seeds) in [(1_000, 200), (10_000, 200), (100_000, 200)] {
        does_not_grow_below_its_capacity(capacity, seeds);
    }
    for capacity in [980_000, 1_000_000, 4_000_000, 10_000_000] {
        does_not_grow_below_its_capacity(capacity, 20);
    }
}

#[test]
fn a_million_items_take_17_bits_and_a_half_each() {
    let filter = filter(1_000_000);
    for hash in random(1).take(1_000_000) {
        filter.insert_hash(hash).expect("sized for it");
    }
    let bits = 8.0 * filter.memory_usage() as f64 / 1e6;
    assert!(bits <= 17.5, "{bits} bits an item");
}

/// With a limit on the memory, so that none is asked for: who judges that has accepted the number.
#[test]
fn more_than_the_deepest_level_holds_is_an_error() {
    for items in [1 << 42, 1 << 45, usize::MAX] {
        let error = GrowingCuckooFilter::try_with_capacity(items).expect_err("too many");
        assert_eq!(error.requested(), items);
        assert!(!error.is_out_of_memory(), "{error}");
        let most = error.possible().expect("the most");
        assert!(most < items);
        let limited = |items| builder(items).max_memory_usage(1 << 30).build();
        assert_eq!(limited(most).expect_err("no memory").requested(), 1 << 30);
        let error = limited(most + 1).expect_err("one too many");
        assert_eq!(
            (error.requested(), error.possible()),
            (most + 1, Some(most))
        );
    }
    for (buckets, possible) in [(1 << 39, true), (1 << 40, false), (1 << 50, false)] {
        let error = builder(0)
            .buckets(buckets)
            .max_memory_usage(1 << 30)
            .build();
        let error = error.expect_err("too many, or no memory");
        if possible {
            assert_eq!(error.requested(), 1 << 30);
        } else {
            assert_eq!(
                (error.requested(), error.possible()),
                (buckets, Some(1 << 39))
            );
        }
    }
}

/// A filter that has just begun to double, and what is in.
fn begun(capacity: usize, items: usize) -> (Growing, Vec<u64>) {
    let filter = filter(capacity);
    let hashes: Vec<u64> = random(1).take(items).collect();
    for &hash in &hashes {
        filter.insert_hash(hash).expect("memory");
    }
    assert!(filter.finish_doubling());
    assert!(filter.begin_to_double());
    assert_eq!(filter.doubled(), Some(0.0));
    (filter, hashes)
}

#[test]
fn removes_alone_end_a_doubling() {
    // The last has two tables, of which one doubles.
    for (capacity, items) in [(8, 100), (8, 3_000), (10_000, 30_000), (8, 20_000)] {
        let (filter, hashes) = begun(capacity, items);
        let (mut last, mut removed) = (0.0, 0);
        while let Some(share) = filter.doubled() {
            assert!(share >= last, "it goes back");
            last = share;
            assert!(
                filter.remove_hash(hashes[removed]),
                "a stored item was not removed"
            );
            removed += 1;
        }
        assert!(removed <= items / 2, "{removed} removes of {items}");
        for &hash in &hashes[removed..] {
            assert!(filter.contains_hash(hash), "a stored item is missed");
            assert!(filter.remove_hash(hash), "a stored item was not removed");
        }
        assert!(filter.is_empty());
    }
}

#[test]
fn a_doubling_can_be_finished_at_once() {
    for (capacity, items) in [(8, 0), (8, 100), (8, 3_000), (10_000, 30_000), (8, 20_000)] {
        let (mut filter, hashes) = begun(capacity, items);
        let (slots, len) = (filter.slots(), filter.len());
        assert!(filter.finish_doubling());
        assert_eq!(filter.doubled(), None);
        assert_eq!((filter.slots(), filter.len()), (slots, len));
        assert!(hashes.iter().all(|&hash| filter.contains_hash(hash)));
        // There is none any more.
        let bytes = filter.to_bytes();
        filter.finish_doubling();
        assert!(filter.to_bytes() == bytes);
        assert!(hashes.iter().all(|&hash| filter.remove_hash(hash)));
        assert!(filter.is_empty());
    }
}

/// While others split its buckets too, and fill it so that the next one begins.
#[test]
fn a_doubling_is_finished_while_others_use_the_filter() {
    let filter = filter(1);
    Crew::run(
        2,
        |_, thread| {
            let own: Vec<u64> = random(thread as u64).take(20_000).collect();
            for &hash in &own {
                filter.insert_hash(hash).expect("memory");
                assert!(filter.contains_hash(hash), "an own item is missed");
            }
            for &hash in &own {
                assert!(filter.contains_hash(hash), "an own item is missed");
                assert!(filter.remove_hash(hash), "an own item was not removed");
            }
        },
        1,
        |crew, _| {
            while crew.at_work() {
                if filter.slots() < 1 << 17 {
                    filter.begin_to_double();
                }
                filter.finish_doubling();
            }
        },
    );
    assert!(filter.is_empty());
}
