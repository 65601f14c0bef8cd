//! Races for one and the same item: exactly one wins.

use crew::Crew;
use model::mix;

use crate::{as_given, assert_empty, distinct, geometry, scrambled, shrink};

const THREADS: [usize; 3] = [2, 4, 8];

/// All add the same items, in orders that make them meet, and the filter grows from two buckets meanwhile.
#[test]
fn of_those_who_add_an_item_exactly_one_is_told_so() {
    const ROUNDS: u64 = 30;
    for threads in THREADS {
        for round in 0..ROUNDS {
            let filter = as_given(8);
            let items = distinct(geometry(&filter), 1_500, round);
            let admitted = Crew::workers(threads, |_, thread| {
                // Ahead of each other by a little, so that each overtakes and is overtaken.
                let start = thread * (round as usize % 4);
                let order = items[start..].iter().chain(&items[..start]);
                let mut admitted = Vec::new();
                for &item in order {
                    if filter.insert_unique_hash(item).expect("memory") {
                        admitted.push(item);
                    }
                    assert!(filter.contains_hash(item), "an added item is missed");
                }
                admitted
            });
            let mut admitted: Vec<u64> = admitted.into_iter().flatten().collect();
            admitted.sort_unstable();
            let mut all = items.clone();
            all.sort_unstable();
            assert_eq!(admitted, all, "each item is added by exactly one");
            assert!(filter.segments() > 5, "it was to grow: {filter:?}");
            assert_eq!(filter.len(), items.len(), "not conserved");
            for &item in &items {
                assert_eq!(filter.count_hash(item), 1, "copies of one item");
                assert!(filter.remove_hash(item), "a stored item was not removed");
            }
            assert_empty(&filter, items);
        }
    }
}

/// An item that is in an older segment is not added again, nor one that is in a newer one than takes inserts.
#[test]
fn an_item_in_any_segment_is_not_added_again() {
    let filter = as_given(8);
    let items = distinct(geometry(&filter), 4_000, 1);
    let (old, new) = items.split_at(2_000);
    for &item in old {
        assert_eq!(filter.insert_unique_hash(item), Ok(true));
    }
    for &item in new {
        assert_eq!(filter.insert_unique_hash(item), Ok(true));
        // The last one is in the newest segment.
        assert_eq!(filter.insert_unique_hash(item), Ok(false));
    }
    for &item in old {
        assert_eq!(
            filter.insert_unique_hash(item),
            Ok(false),
            "an older segment has it"
        );
    }
    assert_eq!(filter.len(), items.len());
}

/// Each item is added and removed by all, and whoever succeeds notes it.
#[test]
fn items_are_in_once_or_not_at_all() {
    const TURNS: usize = 40_000;
    for threads in THREADS {
        let filter = as_given(8);
        let items = distinct(geometry(&filter), 600, 7);
        let balances = Crew::workers(threads, |_, thread| {
            let mut balance = vec![0i64; items.len()];
            for turn in 0..TURNS / threads {
                let dice = mix((thread as u64) << 32 | turn as u64);
                // Now mostly in, now mostly out.
                let share = [7, 1][turn / 1_000 % 2];
                let at = (dice >> 8) as usize % items.len();
                if dice % 8 < share {
                    let added = filter.insert_unique_hash(items[at]).expect("memory");
                    balance[at] += i64::from(added);
                } else {
                    balance[at] -= i64::from(filter.remove_hash(items[at]));
                }
                if thread == 0 && turn % 64 == 0 {
                    filter.shrink_to_fit();
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
        shrink(&filter, 1);
        assert_empty(&filter, items);
    }
}

/// The copies of an item are spread over segments. As many removes succeed as there are copies.
#[test]
fn each_copy_is_removed_once() {
    const ROUNDS: u64 = 20;
    for threads in THREADS {
        for round in 0..ROUNDS {
            let filter = as_given(8);
            let items = distinct(geometry(&filter), 500, round);
            // One to four copies, in passes, so that the next copy is in another segment.
            let copies = |at: usize| 1 + at % 4;
            for pass in 0..4 {
                for (at, &item) in items.iter().enumerate() {
                    if pass < copies(at) {
                        filter.insert_hash(item).expect("memory");
                    }
                }
            }
            assert!(filter.segments() > 5, "it was to grow: {filter:?}");
            let removed = Crew::workers(threads, |_, thread| {
                let mut removed = vec![0; items.len()];
                for pass in 0..4 {
                    for at in 0..items.len() {
                        // Half of them meet at each item, half come from the other end.
                        let at = if thread % 2 == 0 {
                            at
                        } else {
                            items.len() - 1 - at
                        };
                        let taken = filter.remove_hash(items[at]);
                        removed[at] += usize::from(taken);
                    }
                    if thread == pass {
                        filter.shrink_to_fit();
                    }
                }
                removed
            });
            for at in 0..items.len() {
                let told = removed.iter().map(|removed| removed[at]).sum::<usize>();
                assert_eq!(told, copies(at), "removes that were told true");
            }
            assert_empty(&filter, items);
        }
    }
}

/// The same while others make the filter grow, and while it shrinks behind them.
#[test]
fn each_copy_is_removed_once_while_the_filter_grows() {
    const ROUNDS: u64 = 20;
    for round in 0..ROUNDS {
        let filter = as_given(8);
        let items = distinct(geometry(&filter), 2_000, round);
        let (wanted, others) = items.split_at(300);
        for &item in wanted {
            filter.insert_hash(item).expect("memory");
        }
        let removed = Crew::workers(4, |_, thread| {
            if thread == 0 {
                for &item in others {
                    filter.insert_hash(item).expect("memory");
                }
                filter.shrink_to_fit();
                return 0;
            }
            let order = scrambled(wanted.iter().copied(), thread as u64 % 2);
            let taken = order.into_iter().filter(|&item| filter.remove_hash(item));
            taken.count()
        });
        let removed: usize = removed.into_iter().sum();
        assert_eq!(removed, wanted.len(), "removes that were told true");
        assert_eq!(filter.len(), others.len(), "not conserved");
        assert!(
            others.iter().all(|&item| filter.contains_hash(item)),
            "a stored item is missed"
        );
    }
}
