//! Growth: when a doubling begins, which calls take part, when it ends, and what the measures
//! report.

use std::ops::Range;

use crew::Crew;
use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{BuildError, GrowingCuckooFilter};
use model::mix;

use super::{Growing, assert_all_in, builder, filter, in_buckets, insert_all, remove_all};
use crate::door::random;

/// Fills the filter to its capacity. It keeps its size.
fn fill_to_capacity(filter: &Growing, hashes: &mut impl Iterator<Item = u64>) {
    let (slots, capacity) = (filter.slots(), filter.capacity());
    while filter.len() < capacity {
        insert_all(filter, hashes.next());
        assert_eq!(filter.slots(), slots, "it grew too early: {filter:?}");
    }
}

/// Checks this for a new filter, and for one that has grown once.
fn does_not_grow_below_its_capacity(capacity: usize, seeds: Range<u64>, budget: usize) {
    for seed in seeds {
        let filter = builder(capacity).search_budget(budget).build();
        let filter = filter.expect("a possible budget");
        assert!(filter.capacity() >= capacity);
        let mut hashes = random(mix(seed) >> 32);
        fill_to_capacity(&filter, &mut hashes);
        let slots = filter.slots();
        while filter.slots() == slots {
            insert_all(&filter, hashes.next());
        }
        assert!(filter.capacity() > filter.len() || capacity < 1_000);
        fill_to_capacity(&filter, &mut hashes);
    }
}

/// With a short search budget, searches stay short below the capacity, and the filter doubles
/// instead.
#[test]
fn shorter_searches_are_not_made_longer() {
    let filter = builder(1_000).search_budget(2).build();
    let filter = filter.expect("a possible budget");
    let (capacity, slots) = (filter.capacity(), filter.slots());
    insert_all(&filter, random(8).take(capacity));
    assert!(filter.slots() > slots, "no search was too short");
}

#[test]
fn no_doubling_begins_below_the_capacity() {
    for (capacity, seeds) in [
        (8, 0..200),
        (100, 0..200),
        (1_000, 0..100),
        (10_000, 0..8),
        (100_000, 0..2),
    ] {
        does_not_grow_below_its_capacity(capacity, seeds, 256);
    }
    // A search of this number of buckets would not be enough for this filter.
    does_not_grow_below_its_capacity(32_000, 1..2, 257);
}

/// More than the deepest level holds is an error. The limit on memory prevents the allocation. An
/// error for this limit means that the builder accepted the number.
#[test]
fn beyond_the_deepest_level() {
    let limited = |items| builder(items).max_memory_usage(1 << 30).build();
    for items in [1 << 42, 1 << 45, usize::MAX] {
        let error = GrowingCuckooFilter::builder().capacity(items).build();
        let Err(BuildError::Capacity { requested, max }) = error else {
            panic!("{error:?}");
        };
        assert!(requested == items && max < items);
        let memory = limited(max).expect_err("no memory");
        assert!(matches!(memory, BuildError::MemoryLimit { .. }));
        let requested = max + 1;
        let error = limited(requested).expect_err("one too many");
        assert_eq!(error, BuildError::Capacity { requested, max });
    }
    for (requested, possible) in [(1 << 39, true), (1 << 40, false), (1 << 50, false)] {
        let builder = in_buckets(requested).max_memory_usage(1 << 30);
        let error = builder.build().expect_err("too many, or no memory");
        let (nearest, factor) = (1 << 39, 1);
        let too_many = BuildError::Buckets {
            requested,
            nearest,
            factor,
        };
        assert_eq!(error != too_many, possible);
    }
}

/// It ends by removes alone, or by one call.
#[test]
fn a_doubling_comes_to_its_end() {
    // The last filter has two tables, of which one doubles.
    for (capacity, items) in [(8, 0), (8, 100), (8, 3_000), (10_000, 30_000), (8, 20_000)] {
        for at_once in [false, true] {
            let filter = filter(capacity);
            let hashes: Vec<u64> = random(1).take(items).collect();
            insert_all(&filter, &hashes);
            assert!(filter.finish_doubling());
            assert!(filter.begin_to_double());
            assert_eq!(filter.doubled(), Some(0.0));
            let slots = filter.slots();
            let (mut last, mut removed) = (0.0, 0);
            while let Some(share) = filter.doubled().filter(|_| !at_once && items > 0) {
                assert!(share >= last, "it goes back");
                last = share;
                remove_all(&filter, [hashes[removed]]);
                removed += 1;
            }
            assert!(removed <= items / 2, "{removed} removes of {items}");
            assert!(filter.finish_doubling());
            assert_eq!(filter.doubled(), None);
            assert_eq!((filter.slots(), filter.len()), (slots, items - removed));
            // The doubling is over.
            let bytes = filter.to_bytes().expect("quiet");
            filter.finish_doubling();
            assert!(filter.to_bytes().expect("quiet") == bytes);
            assert_all_in(&filter, &hashes[removed..]);
            remove_all(&filter, &hashes[removed..]);
            assert!(filter.is_empty());
        }
    }
}

/// A doubling is finished while others use the filter. Other threads split its buckets too, and
/// fill it so that the next doubling begins.
#[test]
fn finish_doubling_among_others() {
    let filter = filter(1);
    Crew::run(
        2,
        |_, thread| {
            let own: Vec<u64> = random(thread as u64).take(20_000).collect();
            for &hash in &own {
                filter.insert_hash(hash).expect("memory");
                assert!(filter.contains_hash(hash), "an own item is missed");
            }
            assert_all_in(&filter, &own);
            remove_all(&filter, &own);
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

/// The rate must be right at each load, not only for a full table: just after a doubling, most
/// tokens are older than the load suggests.
#[test]
fn the_rate_is_the_one_that_is_measured() {
    // The last doubling adds another table.
    for (capacity, doublings) in [(8, 3), (8, 6), (8, 9), (8, 11), (1_000, 5), (1_000, 7)] {
        let filter = filter(capacity);
        let (mut hashes, most) = (random(1), filter.slots() << doublings);
        while filter.slots() < most {
            insert_all(&filter, hashes.next());
        }
        for least in [0.0, 0.7, 0.9] {
            while filter.load_factor() < least {
                insert_all(&filter, hashes.next());
            }
            assert_eq!(filter.slots(), most, "no growth yet");
            let tries = 1_000_000;
            let found = random(2)
                .take(tries)
                .filter(|&hash| filter.contains_hash(hash));
            let measured = found.count() as f64 / tries as f64;
            let expected = filter.false_positive_rate();
            // Small tables are not quite full when they double, so they have fewer old tokens.
            assert!(
                (0.8..1.1).contains(&(measured / expected)),
                "{measured} and not {expected}, {doublings} doublings, load {}",
                filter.load_factor()
            );
        }
    }
}

#[test]
fn it_is_as_large_as_it_says() {
    let filter = filter(8);
    let (mut slots, mut doublings, mut tables) = (filter.slots(), 0, 1);
    assert_eq!((slots, filter.tables()), (8, 1));
    for (len, hash) in random(3).take(18_000).enumerate() {
        filter.insert_hash(hash).expect("memory");
        assert_eq!(filter.len(), len + 1);
        if filter.tables() == 1 && filter.slots() != slots {
            assert_eq!(filter.slots(), 2 * slots, "it doubles");
            // Full, except for the slack of small tables.
            assert!(len >= slots / 2, "{len} in {slots}");
            slots = filter.slots();
            doublings += 1;
        }
        if filter.tables() > tables {
            assert_eq!(filter.slots(), 2 * slots, "another table is as large");
            tables = filter.tables();
        }
    }
    assert_eq!(doublings, 10);
    assert_eq!(tables, 2, "and then there is another table");
    assert_eq!(filter.slots(), (8 << 10) + (8 << 11), "which doubles too");
    assert!(filter.capacity() <= filter.slots());
}

/// The capacity counts the tokens of the coarser tables and the capacity of the finest.
#[test]
fn all_tables_count_for_the_capacity() {
    let filter = filter(8);
    let mut hashes = random(6);
    while filter.tables() < 2 {
        insert_all(&filter, hashes.next());
    }
    let (len, slots) = (filter.len(), filter.slots());
    // The second table is as large as the first, and holds one token.
    let most = slots / 2;
    let remaining = filter.capacity() - len;
    assert!((most * 9 / 10..most).contains(&remaining));
    insert_all(&filter, hashes.take(remaining));
    assert!(filter.is_full());
    assert_eq!(filter.slots(), slots, "it grew below its capacity");
}
