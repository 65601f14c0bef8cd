//! Several threads: each knows what it has put in, whatever the others do to the table.

use crew::Crew;
use lockfree_cuckoo::InsertError;
use lockfree_cuckoo::testing::{Double, Relocate};
use model::mix;

use crate::{ALL, filter, narrow};

/// Each has items of its own, whose prefixes are nested with those of all others.
fn own(thread: usize, items: u64, bits: u32) -> impl Iterator<Item = u64> + Clone {
    let start = (thread as u64) << 32;
    (start..start + items).map(move |item| narrow(item, bits))
}

/// Workers fill the filter and empty it by turns. Helpers move tokens, begin to double the table, and take copies, which
/// must have what is in all the while.
fn fill_and_empty(threads: usize, bits: u32, rounds: usize, items: u64) {
    let filter = filter(1);
    let residents: Vec<u64> = (0..40).map(|item| narrow(u64::MAX - item, bits)).collect();
    for &hash in &residents {
        filter.insert_hash(hash).expect("memory");
    }
    let (stored, copies) = Crew::run(
        threads,
        |crew, thread| {
            let mut stored: Vec<u64> = Vec::new();
            for round in 0..rounds {
                crew.meet();
                for hash in own(thread, items, bits) {
                    match filter.insert_hash(hash) {
                        Ok(()) => stored.push(hash),
                        // Of few heads, items have few other buckets.
                        Err(InsertError::Full { .. }) if bits < ALL => continue,
                        Err(InsertError::TooManyCopies { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                    assert!(filter.contains_hash(hash), "an own item is missed");
                }
                if round + 1 == rounds {
                    break;
                }
                // Some go, in another order.
                stored.sort_by_key(|&hash| mix(hash ^ round as u64));
                for hash in stored.drain(stored.len() / 3..) {
                    assert!(filter.remove_hash(hash), "an own item was not removed");
                }
                let missed = stored.iter().filter(|&&hash| !filter.contains_hash(hash));
                assert_eq!(missed.count(), 0, "own items are missed");
            }
            stored
        },
        2,
        |crew, helper| {
            let mut copied = 0;
            while crew.at_work() {
                if helper == 0 {
                    for &hash in &residents {
                        filter.relocate_hash(hash);
                    }
                    for hash in own(0, 50, bits) {
                        filter.relocate_hash(hash);
                    }
                    if filter.len() * 3 > filter.slots() {
                        filter.begin_to_double();
                    }
                } else if let Ok(copy) = filter.snapshot() {
                    let missed = residents.iter().filter(|&&hash| !copy.contains_hash(hash));
                    assert_eq!(missed.count(), 0, "a copy misses what is in all the while");
                    copied += 1;
                }
                let missed = residents
                    .iter()
                    .filter(|&&hash| !filter.contains_hash(hash));
                assert_eq!(missed.count(), 0, "a resident is missed");
            }
            copied
        },
    );
    let all: Vec<u64> = stored
        .into_iter()
        .flatten()
        .chain(residents.iter().copied())
        .collect();
    assert!(copies[1] > 0, "no copy was taken");
    assert_eq!(filter.len(), all.len(), "not conserved");
    assert!(all.iter().all(|&hash| filter.contains_hash(hash)));
    for hash in all {
        assert!(filter.remove_hash(hash), "a stored item was not removed");
    }
    assert!(filter.is_empty());
}

#[test]
fn what_threads_own_stays_through_ten_doublings_and_behind_them() {
    // 24,000 items: more than the 8,192 slots of the first table when it is full.
    fill_and_empty(4, ALL, 3, 6_000);
    fill_and_empty(2, ALL, 2, 12_000);
}

#[test]
fn prefixes_that_are_nested_across_threads_are_not_mixed_up() {
    fill_and_empty(4, 14, 4, 1_200);
    fill_and_empty(3, 16, 4, 3_000);
}

#[test]
fn of_those_who_add_an_item_exactly_one_is_told_so() {
    for (threads, bits) in [(2, ALL), (4, ALL), (4, 16)] {
        for round in 0..10u64 {
            let filter = filter(1);
            let items: Vec<u64> = (0..1_500)
                .map(|item| narrow(item ^ round << 40, bits))
                .collect();
            let admitted = Crew::workers(threads, |_, thread| {
                let start = thread * (round as usize % 4);
                let order = items[start..].iter().chain(&items[..start]);
                let mut admitted = Vec::new();
                for &item in order {
                    match filter.insert_unique_hash(item) {
                        Ok(true) => admitted.push(item),
                        Ok(false) => {}
                        Err(InsertError::Full { .. }) if bits < ALL => continue,
                        Err(error) => panic!("{error}"),
                    }
                    assert!(filter.contains_hash(item), "an added item is missed");
                }
                admitted
            });
            let mut admitted: Vec<u64> = admitted.into_iter().flatten().collect();
            assert_eq!(filter.len(), admitted.len(), "not conserved");
            let all = admitted.len();
            admitted.sort_unstable();
            admitted.dedup();
            assert_eq!(admitted.len(), all, "an item was added twice");
            if bits == ALL {
                assert!(all > items.len() * 99 / 100, "{all}");
            }
            for item in admitted {
                assert!(filter.remove_hash(item), "a stored item was not removed");
            }
            assert!(filter.is_empty());
        }
    }
}

#[test]
fn of_those_who_remove_a_copy_exactly_one_is_told_so() {
    for threads in [2, 4] {
        let filter = filter(1);
        let items: Vec<u64> = (0..6_000).map(|item| narrow(item, ALL)).collect();
        for &item in &items {
            filter.insert_hash(item).expect("memory");
        }
        // Items that share a token remove each other's; so each is removed as often as it was added, in all.
        let removed = Crew::workers(threads, |_, _| {
            items
                .iter()
                .filter(|&&item| filter.remove_hash(item))
                .count()
        });
        assert_eq!(removed.iter().sum::<usize>(), items.len());
        assert!(filter.is_empty());
    }
}
