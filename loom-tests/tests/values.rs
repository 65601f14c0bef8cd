//! Values: a token keeps its value when it hops, and a value is replaced once.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{Filter, filter::Fixed, layout::Lanes};
use loom::sync::Arc;
use loom::thread::{self, JoinHandle};
use loom_tests::check::{Bound, check};
use loom_tests::tiny::{ORDERS, at_of, pair};

use Bound::{Large, Usual};

/// Values of four bits.
type Valued = Filter<Fixed<Lanes<4, 12, 4>>>;

/// Returns the hash of the class with this first candidate: lookups and changes read that one
/// first.
fn item(first: usize) -> u64 {
    at_of::<Lanes<4, 12, 4>>(first, 0x111).hash
}

/// Returns the values of the class, sorted.
fn values(filter: &Valued, first: usize) -> Vec<u16> {
    let mut values: Vec<u16> = filter.values_hash(item(first)).collect();
    values.sort_unstable();
    values
}

/// Checks a model of a filter that has these values of the class, the first in the bucket `source`,
/// and this number of descriptors.
fn check_with<const N: usize>(
    (bound, least): (Bound, usize),
    (source, stored, descriptors): (usize, [u16; N], usize),
    model: impl Fn(&Arc<Valued>) -> Vec<u16> + Send + Sync + 'static,
) {
    check(bound, least, move || {
        let filter = Arc::new(pair(descriptors));
        for value in stored {
            filter.insert_value_hash(item(source), value).expect("room");
        }
        let left = model(&filter);
        assert_eq!(values(&filter, 0), left, "the values that are left");
    });
}

fn spawn<R: 'static>(
    filter: &Arc<Valued>,
    act: impl FnOnce(&Valued) -> R + 'static,
) -> JoinHandle<R> {
    let filter = filter.clone();
    thread::spawn(move || act(&filter))
}

fn hop(filter: &Arc<Valued>, source: usize) -> JoinHandle<bool> {
    spawn(filter, move |filter| filter.relocate_hash(item(source)))
}

fn join<R>(thread: JoinHandle<R>) -> R {
    thread.join().expect("the other thread")
}

#[test]
fn a_hop_takes_the_value_along() {
    for (source, first) in ORDERS {
        check_with((Usual, 50), (source, [9], 1), move |filter| {
            let mover = hop(filter, source);
            assert_eq!(
                filter.value_hash(item(first)),
                Some(9),
                "a stored value was missed"
            );
            join(mover);
            vec![9]
        });
    }
}

#[test]
fn all_values_are_seen_while_one_hops() {
    for first in [0, 1] {
        check_with((Usual, 50), (0, [9, 4], 1), move |filter| {
            let mover = hop(filter, 0);
            assert_eq!(values(filter, first), [4, 9]);
            join(mover);
            vec![4, 9]
        });
    }
}

#[test]
fn a_value_is_replaced_while_its_token_hops() {
    for (source, first) in ORDERS {
        check_with((Usual, 50), (source, [9], 1), move |filter| {
            let mover = hop(filter, source);
            assert_eq!(filter.replace_value_hash(item(first), 9, 4), Ok(true));
            assert_eq!(
                filter.value_hash(item(1 - first)),
                Some(4),
                "the old value came back"
            );
            join(mover);
            vec![4]
        });
    }
}

#[test]
fn a_value_is_replaced_or_removed() {
    for first in [0, 1] {
        check_with((Large, 500), (0, [9], 1), move |filter| {
            let mover = hop(filter, 0);
            let remover = spawn(filter, |filter| filter.remove_value_hash(item(0), 9));
            let replaced = filter.replace_value_hash(item(first), 9, 5).expect("small");
            let removed = join(remover);
            join(mover);
            assert!(replaced != removed);
            if replaced { vec![5] } else { vec![] }
        });
    }
}

/// A class is never missed while one of its values goes. A reader that has read the target bucket
/// of the second token must not miss both.
#[test]
fn one_of_two_values_goes() {
    for first in [0, 1] {
        check_with((Usual, 40), (0, [9], 1), move |filter| {
            let writer = spawn(filter, |filter| {
                filter.insert_value_hash(item(0), 4).expect("room");
                assert!(filter.remove_value_hash(item(0), 9));
            });
            assert!(
                filter.value_hash(item(first)).is_some(),
                "the class was missed"
            );
            join(writer);
            vec![4]
        });
    }
}

#[test]
fn one_of_two_unique_inserts_sets_the_value() {
    for (mine, theirs) in [(0, 0), (0, 1), (1, 1)] {
        check_with((Usual, 50), (0, [], 2), move |filter| {
            let other = spawn(filter, move |filter| {
                filter.insert_unique_value_hash(item(theirs), 4)
            });
            let mine = filter
                .insert_unique_value_hash(item(mine), 9)
                .expect("room");
            match (mine, join(other).expect("room")) {
                (None, Some(9)) => vec![9],
                (Some(4), None) => vec![4],
                told => panic!("{told:?}"),
            }
        });
    }
}

/// A snapshot has the value of a token that hops.
#[test]
fn snapshot_has_hopping_value() {
    for source in [0, 1] {
        check_with((Large, 500), (source, [9], 1), move |filter| {
            let mover = hop(filter, source);
            let writer = spawn(filter, |filter| filter.replace_value_hash(item(0), 9, 4));
            let copy = filter.snapshot().expect("few moves");
            join(mover);
            assert_eq!(join(writer), Ok(true));
            let copied = values(&copy, 0);
            assert!(copied == [9] || copied == [4], "{copied:?}");
            vec![4]
        });
    }
}
