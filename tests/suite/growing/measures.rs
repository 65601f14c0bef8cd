//! The measures, beside what can be counted.

use super::filter;
use crate::door::random;

/// The rate at each load, and not only of a full table: when it has just doubled, most tokens are older than the load tells.
#[test]
fn the_rate_is_the_one_that_is_measured() {
    // The last doubling is the addition of another table.
    for (capacity, doublings) in [(8, 3), (8, 6), (8, 9), (8, 11), (1_000, 5), (1_000, 7)] {
        let filter = filter(capacity);
        let (mut hashes, most) = (random(1), filter.slots() << doublings);
        while filter.slots() < most {
            let hash = hashes.next().expect("endless");
            filter.insert_hash(hash).expect("memory");
        }
        for least in [0.0, 0.7, 0.9] {
            while filter.load_factor() < least {
                let hash = hashes.next().expect("endless");
                filter.insert_hash(hash).expect("memory");
            }
            assert_eq!(filter.slots(), most, "no growth yet");
            let tries = 1_000_000;
            let found = random(2)
                .take(tries)
                .filter(|&hash| filter.contains_hash(hash));
            let measured = found.count() as f64 / tries as f64;
            let expected = filter.false_positive_rate();
            // Small tables are not quite full when they double, so there are fewer old tokens.
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
            // Full, but for what small tables leave.
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

/// What the coarser tables hold, and what the finest is for.
#[test]
fn all_tables_count_for_the_capacity() {
    let filter = filter(8);
    let mut hashes = random(6);
    while filter.tables() < 2 {
        let hash = hashes.next().expect("endless");
        filter.insert_hash(hash).expect("memory");
    }
    let (len, slots) = (filter.len(), filter.slots());
    // The second one is as large as the first, and empty but for one.
    let most = slots / 2;
    assert!((most * 9 / 10..most).contains(&filter.remaining()));
    assert_eq!(filter.capacity(), len + filter.remaining());
    for hash in hashes.take(filter.remaining()) {
        filter.insert_hash(hash).expect("memory");
    }
    assert!(filter.is_full());
    assert_eq!(filter.slots(), slots, "it grew below its capacity");
}

/// With all that it took besides words.
#[test]
fn a_cleared_filter_is_as_large_as_it_began() {
    for (capacity, items) in [(8, 300), (8, 30_000), (1_000, 100_000)] {
        let mut filter = filter(capacity);
        let (slots, memory, bytes) = (filter.slots(), filter.memory_usage(), filter.to_bytes());
        for hash in random(7).take(items) {
            filter.insert_hash(hash).expect("memory");
        }
        filter.clear();
        assert_eq!((filter.slots(), filter.memory_usage()), (slots, memory));
        assert!(filter.to_bytes() == bytes, "as if nothing had been");
    }
}
