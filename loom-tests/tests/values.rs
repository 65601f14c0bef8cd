//! Values: a token keeps its value wherever it hops, and a value is replaced once.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::testing::Relocate;
use lockfree_cuckoo::{Filter, Fixed, Lanes};
use loom_tests::check::{check, check_large};
use loom_tests::tiny::{in_pair_of, pair_of, spawn};
use model::Fingerprint;

/// Values of four bits.
type L = Lanes<4, 12, 4>;

const F: Fingerprint = 0x111;

/// The class, by its first candidate: lookups and changes read that one first.
fn item(first: usize) -> u64 {
    in_pair_of::<L>(first, F)
}

/// The values of the class, sorted.
fn values(filter: &Filter<Fixed<L>>) -> Vec<u16> {
    let mut values: Vec<u16> = filter.values_hash(item(0)).collect();
    values.sort_unstable();
    values
}

#[test]
fn a_hop_takes_the_value_along() {
    for (source, first) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        check("a mover and a lookup of the value", 50, move || {
            let filter = pair_of::<L>(1);
            filter.insert_value_hash(item(source), 9).expect("room");
            let mover = spawn(&filter, move |filter| filter.relocate_hash(item(source)));
            assert_eq!(
                filter.value_hash(item(first)),
                Some(9),
                "a stored value was missed"
            );
            mover.join().expect("the mover");
            assert_eq!(values(&filter), [9]);
        });
    }
}

#[test]
fn all_values_are_seen_while_one_hops() {
    for first in [0, 1] {
        check("a mover and a lookup of two values", 50, move || {
            let filter = pair_of::<L>(1);
            filter.insert_value_hash(item(0), 9).expect("room");
            filter.insert_value_hash(item(0), 4).expect("room");
            let mover = spawn(&filter, move |filter| filter.relocate_hash(item(0)));
            let mut found: Vec<u16> = filter.values_hash(item(first)).collect();
            found.sort_unstable();
            assert_eq!(found, [4, 9]);
            mover.join().expect("the mover");
        });
    }
}

#[test]
fn a_value_is_replaced_while_its_token_hops() {
    for (source, first) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        check("a mover and a replacement", 50, move || {
            let filter = pair_of::<L>(1);
            filter.insert_value_hash(item(source), 9).expect("room");
            let mover = spawn(&filter, move |filter| filter.relocate_hash(item(source)));
            assert_eq!(filter.replace_value_hash(item(first), 9, 4), Ok(true));
            assert_eq!(
                filter.value_hash(item(1 - first)),
                Some(4),
                "the old value came back"
            );
            mover.join().expect("the mover");
            assert_eq!(values(&filter), [4]);
        });
    }
}

#[test]
fn of_two_that_replace_one_value_one_succeeds() {
    for first in [0, 1] {
        check_large(
            "two replacements of one value with a mover",
            500,
            move || {
                let filter = pair_of::<L>(1);
                filter.insert_value_hash(item(0), 9).expect("room");
                let mover = spawn(&filter, move |filter| filter.relocate_hash(item(0)));
                let other = spawn(&filter, move |filter| {
                    filter.replace_value_hash(item(0), 9, 4)
                });
                let mine = filter.replace_value_hash(item(first), 9, 5).expect("small");
                let theirs = other.join().expect("the other").expect("small");
                mover.join().expect("the mover");
                assert!(mine != theirs, "one value was replaced twice, or never");
                assert_eq!(values(&filter), [if mine { 5 } else { 4 }]);
            },
        );
    }
}

#[test]
fn a_value_is_replaced_or_removed() {
    for first in [0, 1] {
        check_large("a replacement and a remove with a mover", 500, move || {
            let filter = pair_of::<L>(1);
            filter.insert_value_hash(item(0), 9).expect("room");
            let mover = spawn(&filter, move |filter| filter.relocate_hash(item(0)));
            let remover = spawn(&filter, move |filter| filter.remove_value_hash(item(0), 9));
            let replaced = filter.replace_value_hash(item(first), 9, 5).expect("small");
            let removed = remover.join().expect("the remover");
            mover.join().expect("the mover");
            assert!(replaced != removed);
            assert_eq!(values(&filter), if replaced { vec![5] } else { vec![] });
        });
    }
}

/// A reader that has read the bucket to which the second token comes must not miss both.
#[test]
fn a_class_is_never_missed_while_one_of_its_values_goes() {
    for first in [0, 1] {
        check(
            "an insert and a remove of another value, and a lookup",
            40,
            move || {
                let filter = pair_of::<L>(1);
                filter.insert_value_hash(item(0), 9).expect("room");
                let writer = spawn(&filter, move |filter| {
                    filter.insert_value_hash(item(0), 4).expect("room");
                    assert!(filter.remove_value_hash(item(0), 9));
                });
                assert!(
                    filter.value_hash(item(first)).is_some(),
                    "the class was missed"
                );
                writer.join().expect("the writer");
                assert_eq!(values(&filter), [4]);
            },
        );
    }
}

/// The value 9 is there all the while: first in one bucket, then in the other.
#[test]
fn a_value_is_never_missed_while_its_twin_is_replaced() {
    for first in [0, 1] {
        check(
            "an insert, a replacement of the twin, and a remove",
            50,
            move || {
                let filter = pair_of::<L>(1);
                filter.insert_value_hash(item(0), 9).expect("room");
                let writer = spawn(&filter, move |filter| {
                    filter.insert_value_hash(item(0), 9).expect("room");
                    assert_eq!(filter.replace_value_hash(item(0), 9, 4), Ok(true));
                });
                assert!(
                    filter.remove_value_hash(item(first), 9),
                    "a stored value was missed"
                );
                writer.join().expect("the writer");
            },
        );
    }
}

#[test]
fn of_two_that_add_one_item_one_gives_its_value() {
    for (mine_first, other_first) in [(0, 0), (0, 1), (1, 1)] {
        check("two unique inserts with values", 50, move || {
            let filter = pair_of::<L>(2);
            let other = spawn(&filter, move |filter| {
                filter.insert_unique_value_hash(item(other_first), 4)
            });
            let mine = filter
                .insert_unique_value_hash(item(mine_first), 9)
                .expect("room");
            let theirs = other.join().expect("the other").expect("room");
            match (mine, theirs) {
                (None, Some(9)) => assert_eq!(values(&filter), [9]),
                (Some(4), None) => assert_eq!(values(&filter), [4]),
                _ => panic!("{mine:?} and {theirs:?}"),
            }
        });
    }
}

#[test]
fn a_unique_insert_is_told_the_value_of_a_token_that_hops() {
    for first in [0, 1] {
        check("a mover and a unique insert with a value", 50, move || {
            let filter = pair_of::<L>(2);
            filter.insert_value_hash(item(0), 9).expect("room");
            let mover = spawn(&filter, move |filter| filter.relocate_hash(item(0)));
            let found = filter
                .insert_unique_value_hash(item(first), 4)
                .expect("room");
            assert_eq!(found, Some(9));
            mover.join().expect("the mover");
            assert_eq!(values(&filter), [9]);
        });
    }
}

#[test]
fn a_snapshot_has_the_value_of_a_token_that_hops() {
    for source in [0, 1] {
        check_large("a mover, a replacement and a snapshot", 500, move || {
            let filter = pair_of::<L>(1);
            filter.insert_value_hash(item(source), 9).expect("room");
            let mover = spawn(&filter, move |filter| filter.relocate_hash(item(source)));
            let writer = spawn(&filter, move |filter| {
                filter.replace_value_hash(item(0), 9, 4)
            });
            let copy = filter.snapshot().expect("few moves");
            mover.join().expect("the mover");
            assert_eq!(writer.join().expect("the writer"), Ok(true));
            let copied = values(&copy);
            assert!(copied == [9] || copied == [4], "{copied:?}");
            assert_eq!(values(&filter), [4]);
        });
    }
}
