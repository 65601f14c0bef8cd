//! One order for all threads: what two threads do crosswise, in different words, cannot be missed by both.
//!
//! With Acquire and Release alone each of two threads may write one word and then read the other as it was
//! (store buffering). x86 does not do it behind a locked instruction; the memory model allows it, and other
//! machines do it.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::testing::hooks::in_one_order;
use loom_tests::check::check;
use loom_tests::tiny::{far, fill, in_pair, near, pair, spawn, square};
use model::Fingerprint;

const F: Fingerprint = 0x1111;

#[test]
fn two_items_inserted_and_looked_for_crosswise() {
    check("insert mine, look for yours", 10, || {
        in_one_order(|| {
            let filter = square(1);
            let other = spawn(&filter, move |filter| {
                filter.insert_hash(near(1, 0)).expect("room");
                filter.contains_hash(near(0, 0))
            });
            filter.insert_hash(near(0, 0)).expect("room");
            let mine = filter.contains_hash(near(1, 0));
            let theirs = other.join().expect("the other");
            assert!(
                mine || theirs,
                "each of two inserts was missed by the other thread"
            );
        });
    });
}

#[test]
fn two_items_admitted_and_looked_for_crosswise() {
    check("insert_unique mine, look for yours", 10, || {
        in_one_order(|| {
            let filter = square(2);
            let other = spawn(&filter, move |filter| {
                assert_eq!(filter.insert_unique_hash(near(1, 0)), Ok(true));
                filter.contains_hash(near(0, 0))
            });
            assert_eq!(filter.insert_unique_hash(near(0, 0)), Ok(true));
            let mine = filter.contains_hash(near(1, 0));
            let theirs = other.join().expect("the other");
            assert!(
                mine || theirs,
                "each of two inserts was missed by the other thread"
            );
        });
    });
}

/// Two removes take the two tokens of one class; of two `insert_unique` that follow, one finds it empty.
#[test]
fn two_removes_and_two_admissions_of_one_class() {
    check("remove, then insert_unique, twice", 50, || {
        in_one_order(|| {
            let filter = pair(2);
            fill(&filter, [in_pair(0, F), in_pair(1, F)]);
            let other = spawn(&filter, move |filter| {
                assert!(filter.remove_hash(in_pair(1, F)));
                filter.insert_unique_hash(in_pair(1, F)).expect("room")
            });
            assert!(filter.remove_hash(in_pair(0, F)));
            let mine = filter.insert_unique_hash(in_pair(0, F)).expect("room");
            let theirs = other.join().expect("the other");
            assert!(
                mine || theirs,
                "both were told that a removed item is present"
            );
        });
    });
}

/// One of the inserts is the last hop of a path, whose effect is a commit.
#[test]
fn a_kick_and_an_insert_looked_for_crosswise() {
    check(
        "a kicking insert, a plain one, and lookups of each other",
        50,
        || {
            in_one_order(|| {
                let filter = square(1);
                fill(&filter, [far(0, 0)]);
                fill(&filter, (0..7).map(|n| near(0, n)));
                let other = spawn(&filter, move |filter| {
                    filter.insert_hash(near(0, 10)).expect("there is an exit");
                    filter.contains_hash(near(1, 11))
                });
                filter.insert_hash(near(1, 11)).expect("room");
                let mine = filter.contains_hash(near(0, 10));
                let theirs = other.join().expect("the other");
                assert!(
                    mine || theirs,
                    "each of two inserts was missed by the other thread"
                );
            });
        },
    );
}
