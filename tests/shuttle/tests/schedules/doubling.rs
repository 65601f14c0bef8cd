//! Tables that double: two buckets and upwards, with all threads in the same few words.

use lockfree_cuckoo::testing::hooks::Event::{
    Abort, Growth, Help, Hint, Hop, Rejected, Split, Twin,
};
use lockfree_cuckoo::testing::{Double, Relocate};
use lockfree_cuckoo::{Growing, SnapshotError};
use shuttle_tests::{choice, explore, together};

pub(crate) type Filter = lockfree_cuckoo::Filter<Growing>;

/// Two buckets, which all items have in common.
pub(crate) fn filter() -> Filter {
    let filter = Filter::builder().buckets(2).seed(0).build();
    filter.expect("a valid size")
}

/// Items of so many heads, each of which has other buckets of the next levels.
pub(crate) fn item(number: usize, heads: usize) -> u64 {
    let number = number as u64;
    number << 61 | (number % heads as u64 + 1) << 10
}

/// Doubles a filter that is not empty, or helps to. Another thread may double it at the same time.
pub(crate) fn double(filter: &Filter) {
    filter.begin_to_double();
    // Others may have all descriptors for a while.
    while !filter.finish_doubling() {}
}

/// Of one head. The first token covers all three while it has lost bits; the tokens of the other two, which come later,
/// cover each other or themselves.
const NESTED: [u64; 3] = [1 << 10, 1 << 53 | 1 << 10, 1 << 52 | 1 << 10];

#[test]
fn riders_are_never_missed_while_the_table_doubles() {
    let needed = [Growth, Split, Hop, Abort, Help];
    explore(8_000, &needed, || {
        let filter = filter();
        let riders: Vec<u64> = (0..6).map(|number| item(number, 3)).collect();
        for &rider in &riders {
            filter.insert_hash(rider).expect("eight slots");
        }
        together(5, |number| match number {
            0 => (0..3).for_each(|_| double(&filter)),
            1 | 2 => {
                for _ in 0..8 {
                    filter.relocate_hash(riders[choice(6)]);
                }
            }
            _ => {
                for _ in 0..8 {
                    let rider = riders[choice(6)];
                    assert!(filter.contains_hash(rider), "a rider was missed");
                    assert_eq!(filter.count_hash(rider), 1, "a rider was miscounted");
                }
            }
        });
        // Those who hopped may have had all descriptors.
        while filter.slots() < 64 {
            double(&filter);
        }
        for &rider in &riders {
            assert_eq!(filter.count_hash(rider), 1, "a rider was lost");
            assert!(filter.remove_hash(rider), "a rider was lost");
        }
        assert_eq!((filter.len(), filter.slots()), (0, 64), "the count is off");
    });
}

/// Inserts and removes, of items whose tokens cover those of others, while the table doubles under them.
#[test]
fn owners_keep_what_they_have_while_the_table_doubles() {
    let needed = [Growth, Split, Twin, Hop];
    explore(10_000, &needed, || {
        let filter = filter();
        // Not one of them removes the last token of another one.
        together(4, |number| {
            if number == 3 {
                for _ in 0..3 {
                    filter.begin_to_double();
                    filter.relocate_hash(NESTED[choice(3)]);
                }
                return;
            }
            let own = NESTED[number];
            for _ in 0..3 {
                filter.insert_hash(own).expect("room");
                assert!(filter.contains_hash(own), "an own item was missed");
                filter.relocate_hash(own);
                assert!(filter.count_hash(own) > 0, "an own item was missed");
                filter.insert_hash(own).expect("room");
                assert!(filter.remove_hash(own), "an own item was not removed");
                assert!(filter.contains_hash(own), "an own item was taken");
                assert!(filter.remove_hash(own), "an own item was not removed");
            }
        });
        assert_eq!(filter.len(), 0, "not conserved");
        let found = NESTED.map(|item| filter.contains_hash(item));
        assert_eq!(found, [false; 3], "something is left");
    });
}

/// Racers find their two buckets at one level, or at two.
#[test]
fn exactly_one_is_told_true_while_the_table_doubles() {
    let needed = [Growth, Split, Rejected, Abort];
    explore(16_000, &needed, || {
        let filter = filter();
        let (absent, others) = (item(0, 1), [1, 2, 3].map(|number| item(number, 3)));
        for other in others {
            filter.insert_hash(other).expect("room");
        }
        let racers = 2 + choice(3);
        let winners = together(racers + 1, |number| {
            if number == racers {
                for other in others {
                    filter.begin_to_double();
                    filter.relocate_hash(other);
                }
                return 0;
            }
            let won = filter.insert_unique_hash(absent).expect("room");
            assert!(filter.contains_hash(absent), "missed");
            usize::from(won)
        });
        let winners: usize = winners.iter().sum();
        assert_eq!(winners, 1, "not exactly one was told true");
        assert_eq!(filter.count_hash(absent), 1, "not exactly one is in");
        assert_eq!(filter.len(), 4, "not conserved");
    });
}

#[test]
fn a_snapshot_holds_what_hops_while_the_table_doubles() {
    let needed = [Hint, Split, Hop];
    explore(4_000, &needed, || {
        let filter = filter();
        let riders: Vec<u64> = (0..5).map(|number| item(number, 3)).collect();
        for &rider in &riders {
            filter.insert_hash(rider).expect("eight slots");
        }
        together(4, |number| {
            if number < 2 {
                for turn in 0..10 {
                    filter.relocate_hash(riders[choice(5)]);
                    if number == 0 && turn % 4 == 3 {
                        filter.begin_to_double();
                        // Splits words under a snapshot.
                        filter.insert_hash(item(6, 64)).expect("room");
                        assert!(filter.remove_hash(item(6, 64)), "an own item was lost");
                    }
                }
                return;
            }
            let copy = match filter.snapshot() {
                Ok(copy) => copy,
                Err(SnapshotError::Busy) => return,
                Err(error) => panic!("so little cannot disturb it: {error}"),
            };
            for &rider in &riders {
                assert_eq!(copy.count_hash(rider), 1, "a rider was not copied once");
            }
        });
        for &rider in &riders {
            assert_eq!(filter.count_hash(rider), 1, "a rider was lost");
        }
    });
}
