//! Several threads: each finds the items that it inserted, whatever the others do to the table.

use crew::Crew;
use lockfree_cuckoo::InsertError;
use lockfree_cuckoo::testing::Internals;
use model::mix;

use super::{ALL, assert_all_in, distinct, filter, insert_all, narrow, remove_all};

/// Returns items of one thread, whose prefixes are nested with those of all other threads.
fn own(thread: usize, items: u64, bits: u32) -> impl Iterator<Item = u64> + Clone {
    let start = (thread as u64) << 32;
    (start..start + items).map(move |item| narrow(item, bits))
}

/// Workers fill the filter and empty it in turns. Helpers move tokens, begin doublings, and take
/// snapshots, which must hold the items that are stored throughout.
fn fill_and_empty(threads: usize, bits: u32, rounds: usize, items: u64) {
    let filter = filter(1);
    let residents: Vec<u64> = (0..40).map(|item| narrow(u64::MAX - item, bits)).collect();
    insert_all(&filter, &residents);
    let (stored, copies) = Crew::run(
        threads,
        |crew, thread| {
            let mut stored: Vec<u64> = Vec::new();
            for round in 0..rounds {
                crew.meet();
                for hash in own(thread, items, bits) {
                    match filter.insert_hash(hash) {
                        Ok(()) => stored.push(hash),
                        // Items with few heads have few alternates.
                        Err(InsertError::Full { .. }) if bits < ALL => continue,
                        Err(InsertError::TooManyCopies { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                    assert!(filter.contains_hash(hash), "an own item is missed");
                }
                if round + 1 == rounds {
                    break;
                }
                // Some are removed, in another order.
                stored.sort_by_key(|&hash| mix(hash ^ round as u64));
                remove_all(&filter, stored.drain(stored.len() / 3..));
                assert_all_in(&filter, &stored);
            }
            stored
        },
        2,
        |crew, helper| {
            let mut copied = 0;
            // On a loaded machine none may succeed before the others are done.
            while crew.at_work() || helper == 1 && copied == 0 {
                if helper == 0 {
                    for hash in residents.iter().copied().chain(own(0, 50, bits)) {
                        filter.relocate_hash(hash);
                    }
                    if filter.len() * 3 > filter.slots() {
                        filter.begin_to_double();
                    }
                } else if let Ok(copy) = filter.snapshot() {
                    // It holds the items that are stored throughout.
                    assert_all_in(&copy, &residents);
                    copied += 1;
                }
                assert_all_in(&filter, &residents);
            }
            copied
        },
    );
    let all: Vec<u64> = stored.into_iter().flatten().chain(residents).collect();
    assert!(copies[1] > 0, "no copy was taken");
    assert_eq!(filter.len(), all.len(), "not conserved");
    assert_all_in(&filter, &all);
    remove_all(&filter, all);
    assert!(filter.is_empty());
}

/// Items of threads stay through ten doublings and more.
#[test]
fn items_stay_through_doublings() {
    // 24,000 items: more than the 8,192 slots of the first table when it is full.
    fill_and_empty(4, ALL, 3, 6_000);
    fill_and_empty(2, ALL, 2, 12_000);
}

/// Prefixes that are nested across threads are not mixed up.
#[test]
fn nested_prefixes() {
    fill_and_empty(4, 14, 4, 1_200);
    fill_and_empty(3, 16, 4, 3_000);
}

/// Exactly one of racing admissions succeeds.
#[test]
fn racing_admissions() {
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
            remove_all(&filter, admitted);
            assert!(filter.is_empty());
        }
    }
}

/// Each copy is removed once while the filter grows. One to four copies of each item, in one table
/// and in several. One thread adds other items, so that the filter doubles.
#[test]
fn each_copy_is_removed_once() {
    for (threads, number) in [(2, 2_000), (4, 2_000), (4, 7_000)] {
        let filter = filter(1);
        let mut items = distinct(number);
        let wanted: Vec<u64> = items.by_ref().take(number as usize).collect();
        let others: Vec<u64> = items.take(10_000).collect();
        let copies = |at: usize| 1 + at % 4;
        for pass in 0..4 {
            let places = (0..wanted.len()).filter(|&at| pass < copies(at));
            insert_all(&filter, places.map(|at| wanted[at]));
        }
        let removed = Crew::workers(threads + 1, |_, thread| {
            let mut removed = vec![0; wanted.len()];
            if thread == threads {
                insert_all(&filter, &others);
                return removed;
            }
            for _ in 0..4 {
                for at in 0..wanted.len() {
                    // Half of the threads start at each end and meet at every item.
                    let at = [at, wanted.len() - 1 - at][thread % 2];
                    removed[at] += usize::from(filter.remove_hash(wanted[at]));
                }
            }
            removed
        });
        for at in 0..wanted.len() {
            let told = removed.iter().map(|removed| removed[at]).sum::<usize>();
            assert_eq!(told, copies(at), "removes that were told true");
        }
        assert_eq!(filter.len(), others.len(), "not conserved");
        remove_all(&filter, others);
    }
}

/// All threads add and remove each item, and record their successes.
#[test]
fn items_are_in_once_or_not_at_all() {
    const TURNS: usize = 40_000;
    for threads in [2, 4, 8] {
        let filter = filter(1);
        let items: Vec<u64> = distinct(7).take(600).collect();
        let balances = Crew::workers(threads, |_, thread| {
            let mut balance = vec![0i64; items.len()];
            for turn in 0..TURNS / threads {
                let dice = mix((thread as u64) << 32 | turn as u64);
                // Mostly inserts, then mostly removes.
                let share = [7, 1][turn / 1_000 % 2];
                let at = (dice >> 8) as usize % items.len();
                if dice % 8 < share {
                    let added = filter.insert_unique_hash(items[at]).expect("memory");
                    balance[at] += i64::from(added);
                } else {
                    balance[at] -= i64::from(filter.remove_hash(items[at]));
                }
                if thread == 0 && turn % 64 == 0 {
                    // It stays within a few times the size of its content.
                    if filter.slots() < 1 << 14 {
                        filter.begin_to_double();
                    }
                }
            }
            balance
        });
        let mut stored = 0;
        for (at, &item) in items.iter().enumerate() {
            let copies: i64 = balances.iter().map(|balance| balance[at]).sum();
            assert!(
                (0..=1).contains(&copies),
                "added {copies} times more than removed"
            );
            assert_eq!(filter.count_hash(item) as i64, copies, "copies of one item");
            assert_eq!(
                filter.remove_hash(item),
                copies == 1,
                "a copy is lost or made"
            );
            stored += copies;
        }
        assert!(stored > 0, "some were to be in");
        assert!(filter.is_empty());
    }
}
