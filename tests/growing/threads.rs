//! Several threads: each knows what it has put in, whatever the others do to the segments.

use crew::Crew;
use model::mix;

use crate::{as_given, assert_empty, free_what_is_parked, scrambled, short, shrink};
use lockfree_cuckoo::testing::AddSegment;

/// Each has items of its own, and shares their classes with all others.
fn own(thread: usize, round: usize, items: u64) -> impl Iterator<Item = u64> + Clone {
    let start = (thread as u64) << 32 | (round as u64) << 16;
    start..start + items
}

/// Workers fill the filter and empty it, again and again; one of them shrinks it. Residents, of whom some are in
/// each of the first segments, are looked up all the while.
fn fill_and_empty(threads: usize, residents: u64, capacity: usize, factor: usize) {
    const ROUNDS: usize = 12;
    let items = 6_000 / threads as u64;
    let mut filter = short(capacity, factor);
    let start = filter.memory_usage();
    let residents: Vec<u64> = (0..residents).map(|item| u64::MAX - item).collect();
    for item in &residents {
        filter.insert(item).expect("memory");
    }
    let segments = filter.segments();
    let (grown, misses) = Crew::run(
        threads,
        |crew, thread| {
            let mut grown = 0;
            for round in 0..ROUNDS {
                crew.meet();
                for item in own(thread, round, items) {
                    filter.insert(&item).expect("memory");
                    assert!(filter.contains(&item), "an own item is missed");
                }
                if thread == 0 {
                    grown = filter.segments().max(grown);
                }
                // Every third round nobody waits, so that some still fill while others empty.
                if round % 3 != 0 {
                    crew.meet();
                }
                let order = scrambled(own(thread, round, items), round as u64);
                for (turn, item) in order.iter().enumerate() {
                    assert!(filter.remove(item), "an own item was not removed");
                    if thread == 0 && turn % 50 == 0 {
                        filter.shrink_to_fit();
                    }
                    if turn % 16 == 0 {
                        let rest = order[turn + 1..].iter().take(64);
                        let missed = rest.filter(|item| !filter.contains(item)).count();
                        assert_eq!(missed, 0, "own items are missed");
                    }
                }
                crew.meet();
                assert_eq!(filter.len(), residents.len(), "not conserved");
                crew.meet();
                if thread == 0 {
                    // Also what the last ones left, and the target, unless somebody is at home.
                    shrink(
                        &filter,
                        if residents.is_empty() {
                            1
                        } else {
                            segments + 1
                        },
                    );
                }
            }
            grown
        },
        1,
        |crew, _| {
            let mut misses = 0;
            while crew.at_work() {
                for item in &residents {
                    misses += usize::from(!filter.contains(item));
                    misses += usize::from(filter.count(item) == 0);
                    misses += usize::from(filter.insert_unique(item) != Ok(false));
                }
                std::thread::yield_now();
            }
            misses
        },
    );
    assert_eq!(misses, [0], "residents were missed");
    assert!(grown[0] > segments, "it was to grow: {grown:?}");
    for item in &residents {
        assert!(filter.remove(item), "a resident is lost");
    }
    shrink(&filter, 1);
    free_what_is_parked(&mut filter);
    assert_eq!(filter.memory_usage(), start);
    let all = (0..threads)
        .flat_map(|thread| own(thread, ROUNDS - 1, items))
        .chain(residents);
    assert_empty(&filter, all.map(|item| filter.hash_one(&item)));
}

#[test]
fn own_items_are_found_and_removed_while_the_filter_grows_and_shrinks() {
    for threads in [2, 4, 8] {
        fill_and_empty(threads, 0, 8, 2);
        fill_and_empty(threads, 0, 100, 4);
    }
}

#[test]
fn residents_of_all_segments_are_never_missed() {
    for threads in [2, 4, 8] {
        fill_and_empty(threads, 200, 8, 2);
        fill_and_empty(threads, 300, 50, 2);
    }
}

/// So few items that the filter is often empty, and begins anew under those who are about to insert.
#[test]
fn own_items_are_found_while_the_filter_begins_anew() {
    const TURNS: u64 = 12_000;
    for threads in [2, 3, 5] {
        let filter = short(8, 2);
        let smaller = Crew::workers(threads, |crew, thread| {
            let (mut smaller, mut slots) = (0, 0);
            let mut held: Vec<u64> = Vec::new();
            for turn in 0..TURNS {
                // Up to 30, and then none for so long that all have none now and then.
                let quota = [30, 0, 0, 0][(turn / 30 % 4) as usize];
                if held.len() < quota {
                    held.push((thread as u64) << 32 | turn);
                    filter.insert(&held[held.len() - 1]).expect("memory");
                } else if !held.is_empty() {
                    let item = held.swap_remove(mix(turn) as usize % held.len());
                    assert!(filter.remove(&item), "an own item was not removed");
                } else if turn % 8 == 0 {
                    filter.shrink_to_fit();
                    smaller += usize::from(filter.slots() < slots);
                }
                let found = held.iter().filter(|item| filter.contains(item)).count();
                assert_eq!(found, held.len(), "own items are missed");
                slots = filter.slots();
                // In the middle of the empty time: whoever is first there shrinks under the others.
                if turn % 120 == 90 {
                    crew.meet();
                }
            }
            assert!(held.is_empty());
            smaller
        });
        let smaller: usize = smaller.into_iter().sum();
        assert!(smaller > 0, "it was to shrink");
        shrink(&filter, 1);
        assert_empty(&filter, (0..1_000u64).map(|item| filter.hash_one(&item)));
    }
}

/// A thread that the system puts aside in the midst of an insert may come back when the segment that it inserts into
/// is no longer the one for inserts, and empty.
#[test]
fn an_insert_that_comes_late_is_not_lost_with_its_segment() {
    const TURNS: u64 = 400_000;
    let filter = as_given(8);
    Crew::run(
        4,
        |_, thread| {
            let item = mix(thread as u64);
            for _ in 0..TURNS {
                filter.insert_hash(item).expect("memory");
                assert!(filter.contains_hash(item), "an own item is missed");
                assert!(filter.remove_hash(item), "an own item was not removed");
            }
        },
        1,
        |crew, _| {
            for turn in 0.. {
                if !crew.at_work() {
                    break;
                }
                if filter.segments() < 4 {
                    filter.add_segment([2, 4][turn % 2]);
                }
                filter.shrink_to_fit();
            }
        },
    );
    shrink(&filter, 1);
    assert_empty(&filter, (0..4).map(mix));
}

/// What one thread inserts, another removes, as soon as it hears of it.
#[test]
fn items_are_removed_by_another_thread() {
    use std::sync::atomic::{AtomicU64, Ordering};
    const ITEMS: u64 = 60_000;
    let filter = short(8, 2);
    let inserted = AtomicU64::new(0);
    Crew::workers(3, |_, thread| {
        if thread == 0 {
            for item in 0..ITEMS {
                filter.insert(&item).expect("memory");
                // Release: pairs with the Acquire of those who remove.
                inserted.store(item + 1, Ordering::Release);
            }
            return;
        }
        // One takes the even ones, the other the odd ones.
        let mut next = thread as u64 - 1;
        while next < ITEMS {
            if next >= inserted.load(Ordering::Acquire) {
                std::thread::yield_now();
                continue;
            }
            assert!(filter.contains(&next), "an inserted item is missed");
            assert!(filter.remove(&next), "an inserted item was not removed");
            next += 2;
        }
    });
    shrink(&filter, 1);
    assert_empty(&filter, (0..1_000u64).map(|item| filter.hash_one(&item)));
}
