//! Filters that rotate: nothing is missed before its time or found after it, and nothing is admitted twice, however
//! late a thread is.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::testing::Relocate;
use lockfree_cuckoo::testing::hooks::{dying_after, in_one_order};
use lockfree_cuckoo::{RandomState, RotatingCuckooFilter};
use loom::sync::Arc;
use loom::thread::JoinHandle;
use loom_tests::check::{check, check_large};
use loom_tests::tiny::{in_pair, spawn};
use model::Fingerprint;

type Filter = RotatingCuckooFilter<RandomState>;

const F: Fingerprint = 0x1111;
const G: Fingerprint = 0x2222;

/// Two generations and a spare, of two buckets each, after so many rotations behind the inserts.
fn after(items: impl IntoIterator<Item = u64>, rotations: usize) -> Arc<Filter> {
    let filter = RotatingCuckooFilter::builder().capacity(8).seed(0).build();
    let filter = filter.expect("a valid size");
    for item in items {
        filter.insert_hash(item).expect("room");
    }
    for _ in 0..rotations {
        rotate(&filter);
    }
    Arc::new(filter)
}

fn x() -> u64 {
    in_pair(0, F)
}

fn rotate(filter: &Filter) {
    filter.rotate().expect("nobody is in the way for long");
}

/// Adds a copy, and removes the oldest.
fn renew(filter: &Filter) {
    filter.insert_hash(x()).expect("room");
    assert!(filter.remove_hash(x()), "a stored item was not removed");
}

/// Whatever happened: after as many rotations as there are tables nothing is left.
fn assert_all_is_forgotten(filter: &Filter) {
    for _ in 0..2 {
        rotate(filter);
    }
    assert!(!filter.contains_hash(x()), "a forgotten item was found");
    rotate(filter);
    assert!(!filter.contains_hash(x()), "a forgotten item came back");
    assert_eq!(filter.len(), 0, "not conserved");
}

#[test]
fn an_item_is_found_in_its_time_and_not_after_it() {
    check("a rotation and a lookup", 10, || {
        let filter = after([x()], 0);
        let rotator = spawn(&filter, rotate);
        assert!(filter.contains_hash(x()), "a stored item was missed");
        rotator.join().expect("the rotator");
        assert!(filter.contains_hash(x()), "a stored item was missed");
        assert_all_is_forgotten(&filter);
    });
}

#[test]
fn an_insert_is_not_lost_at_a_rotation() {
    check("a rotation and an insert", 10, || {
        let filter = after([], 0);
        let rotator = spawn(&filter, rotate);
        filter.insert_hash(x()).expect("room");
        assert!(filter.contains_hash(x()), "an own item was missed");
        rotator.join().expect("the rotator");
        assert_eq!(filter.count_hash(x()), 1, "an item was lost or made");
        assert_all_is_forgotten(&filter);
    });
}

#[test]
fn a_rotation_that_two_ask_for_is_made_once() {
    check("two rotations of one number", 10, || {
        let filter = after([x()], 1);
        let ask = |filter: &Filter| filter.rotate_if(1).expect("nobody is in the way for long");
        let other = spawn(&filter, ask);
        let mine = ask(&filter);
        let theirs = other.join().expect("the other");
        assert!(mine != theirs, "not exactly one rotated");
        assert_eq!(filter.rotations(), 2, "not one rotation");
        assert!(!filter.contains_hash(x()), "a forgotten item was found");
        assert_eq!(filter.len(), 0, "not conserved");
    });
}

#[test]
fn two_rotators_rotate_twice() {
    check("two rotations at will", 10, || {
        let filter = after([x(), in_pair(1, G)], 0);
        let other = spawn(&filter, rotate);
        rotate(&filter);
        other.join().expect("the other");
        assert_eq!(filter.rotations(), 2, "not two rotations");
        assert!(!filter.contains_hash(x()), "a forgotten item was found");
        filter.insert_hash(x()).expect("room");
        rotate(&filter);
        assert!(filter.contains_hash(x()), "a stored item was missed");
    });
}

/// The other thread may be about to empty the word when the table is in use again and holds the same.
#[test]
fn a_late_emptying_does_no_harm() {
    check(
        "an emptying, and a rotation and an insert behind it",
        10,
        || {
            let filter = after([x()], 1);
            let other = spawn(&filter, |filter| filter.rotate_if(1).is_ok());
            for rotations in [1, 2] {
                let rotated = filter.rotate_if(rotations);
                rotated.expect("nobody is in the way for long");
            }
            // The table that held the item, empty, and the same item.
            filter.insert_hash(x()).expect("room");
            assert!(filter.contains_hash(x()), "a stored item was missed");
            assert!(other.join().expect("the other"), "it was refused");
            assert!(filter.contains_hash(x()), "a stored item was wiped");
            assert_eq!(filter.len(), 1, "not conserved");
        },
    );
}

/// A thread that rotates reads what it empties after the state, a late insert reads the state after what it writes.
#[test]
fn what_a_late_insert_brings_does_not_come_back() {
    check("two rotations and an insert", 10, || {
        in_one_order(|| {
            let filter = after([], 0);
            let rotator = spawn(&filter, |filter| {
                rotate(filter);
                rotate(filter);
            });
            filter.insert_hash(x()).expect("room");
            rotator.join().expect("the rotator");
            let found = filter.contains_hash(x());
            rotate(&filter);
            let again = filter.contains_hash(x());
            assert!(found || !again, "a forgotten item came back");
            assert_all_is_forgotten(&filter);
        });
    });
}

/// A token that a late relocation moves to a word that has been emptied.
#[test]
fn what_a_late_relocation_moves_does_not_come_back() {
    for bucket in [0, 1] {
        check("two rotations and a relocation", 10, move || {
            let filter = after([in_pair(bucket, F)], 1);
            let rotator = spawn(&filter, |filter| {
                rotate(filter);
                rotate(filter);
                assert!(!filter.contains_hash(x()), "a forgotten item came back");
            });
            filter.relocate_hash(in_pair(bucket, F));
            rotator.join().expect("the rotator");
            assert_all_is_forgotten(&filter);
        });
    }
}

#[test]
fn an_item_that_is_refreshed_is_not_missed() {
    check(
        "an insert and a remove of an older copy, and a lookup",
        10,
        || {
            let filter = after([x()], 1);
            let other = spawn(&filter, renew);
            assert!(filter.contains_hash(x()), "a refreshed item was missed");
            other.join().expect("the other");
            rotate(&filter);
            assert!(filter.contains_hash(x()), "the younger copy was removed");
        },
    );
}

fn refresh_in_the_next_generation(filter: &Arc<Filter>) -> JoinHandle<()> {
    spawn(filter, |filter| {
        rotate(filter);
        renew(filter);
    })
}

#[test]
fn an_item_that_is_refreshed_behind_a_rotation_is_not_missed() {
    check(
        "a rotation, an insert and a remove, and a lookup",
        10,
        || {
            let filter = after([x()], 0);
            let other = refresh_in_the_next_generation(&filter);
            assert!(filter.contains_hash(x()), "a refreshed item was missed");
            other.join().expect("the other");
        },
    );
}

#[test]
fn an_item_that_is_refreshed_behind_a_rotation_is_removed() {
    check(
        "a rotation, an insert and a remove, and a remove",
        10,
        || {
            let filter = after([x()], 0);
            let other = refresh_in_the_next_generation(&filter);
            assert!(filter.remove_hash(x()), "a stored item was not removed");
            other.join().expect("the other");
            assert_eq!(filter.count_hash(x()), 0, "not conserved");
            assert_eq!(filter.len(), 0, "not conserved");
        },
    );
}

#[test]
fn an_item_that_is_refreshed_behind_a_rotation_is_counted() {
    check(
        "a rotation, an insert and a remove, and a count",
        10,
        || {
            let filter = after([x()], 0);
            let other = refresh_in_the_next_generation(&filter);
            assert!(filter.count_hash(x()) > 0, "a refreshed item was missed");
            other.join().expect("the other");
        },
    );
}

#[test]
fn an_item_that_is_refreshed_is_not_admitted() {
    check(
        "an insert and a remove of an older copy, and an insert_unique",
        10,
        || {
            let filter = after([x()], 1);
            let other = spawn(&filter, renew);
            let admitted = filter.insert_unique_hash(in_pair(1, F)).expect("room");
            assert!(!admitted, "a stored item was added again");
            other.join().expect("the other");
        },
    );
}

#[test]
fn one_of_two_admissions_wins_at_a_rotation() {
    for bucket in [0, 1] {
        check_large("a rotation and two racing insert_unique", 10, move || {
            let filter = after([], 0);
            let other = spawn(&filter, move |filter| {
                rotate(filter);
                filter.insert_unique_hash(in_pair(bucket, F)).expect("room")
            });
            let mine = filter.insert_unique_hash(x()).expect("room");
            let theirs = other.join().expect("a racer");
            assert!(mine != theirs, "not exactly one was told true");
            assert_eq!(filter.count_hash(x()), 1, "not exactly one token is stored");
        });
    }
}

/// It may be told true in any of the generations, and that generation is forgotten in its time. An admission freezes a
/// word and then reads the state, and who empties its table has read the state and then reads the words.
#[test]
fn an_item_is_new_to_one_of_two_that_refresh_it_at_a_rotation() {
    check_large("a rotation and two racing refreshes", 10, || {
        let filter = after([], 0);
        let other = spawn(&filter, |filter| {
            rotate(filter);
            filter.refresh_hash(in_pair(1, F)).expect("room")
        });
        let mine = filter.refresh_hash(x()).expect("room");
        let theirs = other.join().expect("a racer");
        assert!(mine != theirs, "not exactly one was told true");
        rotate(&filter);
        assert!(filter.contains_hash(x()), "a refreshed item was forgotten");
    });
}

#[test]
fn a_late_admission_is_forgotten() {
    check_large("three rotations and an insert_unique", 10, || {
        in_one_order(|| {
            let filter = after([], 0);
            let rotator = spawn(&filter, |filter| (0..3).for_each(|_| rotate(filter)));
            assert_eq!(filter.insert_unique_hash(x()), Ok(true), "it was absent");
            rotator.join().expect("the rotator");
            assert_all_is_forgotten(&filter);
        });
    });
}

#[test]
fn a_table_that_is_used_again_is_seen_empty() {
    check("two rotations and a lookup", 10, || {
        let filter = after([x()], 1);
        let rotator = spawn(&filter, |filter| {
            rotate(filter);
            rotate(filter);
        });
        if filter.rotations() > 1 {
            assert!(!filter.contains_hash(x()), "a forgotten item was found");
        }
        rotator.join().expect("the rotator");
    });
}

/// A thread that dies in a rotation, at any access, keeps nobody from rotating.
#[test]
fn a_dead_rotator_is_overtaken() {
    for accesses in 0.. {
        let survived = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let seen = survived.clone();
        check(
            &format!("a rotator that dies at access {accesses}"),
            1,
            move || {
                let filter = after([x()], 1);
                let rotator = spawn(&filter, move |filter| {
                    dying_after(accesses, || filter.rotate_if(1)).is_some()
                });
                let died = !rotator.join().expect("the rotator's thread");
                let _ = filter.rotate_if(1).expect("nobody is in the way");
                assert!(!filter.contains_hash(x()), "a forgotten item was found");
                filter.insert_hash(x()).expect("room");
                rotate(&filter);
                assert_eq!(filter.count_hash(x()), 1, "an item was lost or made");
                rotate(&filter);
                rotate(&filter);
                assert!(!filter.contains_hash(x()), "a forgotten item came back");
                if !died {
                    seen.store(true, std::sync::atomic::Ordering::Relaxed);
                }
            },
        );
        if survived.load(std::sync::atomic::Ordering::Relaxed) {
            assert!(accesses > 20, "it makes only {accesses} accesses");
            return;
        }
    }
}
