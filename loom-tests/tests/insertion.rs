//! Inserts that have to make room: what they move stays where lookups and removes find it, and what they
//! open is theirs.
//!
//! The tables have four buckets. `near` items live in buckets 0 and 2 or 1 and 3, `far` ones in 0 and 3 or
//! 1 and 2, so the paths lead round a square: 0 - 2 - 1 - 3 - 0.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::testing::Relocate;
use lockfree_cuckoo::{CuckooFilter, InsertError};
use loom::sync::Arc;
use loom::thread;
use loom_tests::check::{check, check_large};
use loom_tests::tiny::{far, fill, near, spawn, square, square_with_budget};

/// Fills buckets 0 and 2 so that the only way out is the token `far(0, 0)` in bucket 0, which can go to
/// bucket 3.
fn full_pair_with_one_exit(filter: &CuckooFilter) {
    fill(filter, [far(0, 0)]);
    fill(filter, (0..7).map(|n| near(0, n)));
}

/// The same, with the exit's bucket full too, but for the token `near(3, 7)`, which can go to bucket 1.
fn full_pair_with_two_hops(filter: &CuckooFilter) {
    full_pair_with_one_exit(filter);
    fill(filter, [near(3, 7)]);
    // Four copies of one class fill what is left of the buckets 3 and 1 evenly, so that bucket 3 is full.
    for n in [20, 21, 22, 23, 24, 25] {
        fill(filter, [near(3, n)]);
    }
}

fn insert_in(filter: &Arc<CuckooFilter>, hash: u64) -> thread::JoinHandle<Result<(), InsertError>> {
    spawn(filter, move |filter| filter.insert_hash(hash))
}

#[test]
fn the_path_of_a_kick_is_what_the_models_say() {
    check("a kick, alone", 1, || {
        let filter = square(1);
        full_pair_with_one_exit(&filter);
        assert_eq!(filter.len(), 8);
        fill(&filter, [near(0, 10)]);
        assert!(filter.relocate_hash(far(3, 0)) || filter.contains_hash(far(0, 0)));
        assert_eq!(filter.len(), 9);
    });
}

#[test]
fn a_lookup_sees_the_victim_of_a_kick() {
    for bucket in [0, 3] {
        check("a kick and a lookup of its victim", 50, move || {
            let filter = square(1);
            full_pair_with_one_exit(&filter);
            let insert = insert_in(&filter, near(0, 10));
            assert!(
                filter.contains_hash(far(bucket, 0)),
                "the victim of a kick was missed"
            );
            insert
                .join()
                .expect("the inserter")
                .expect("there is an exit");
            assert!(
                filter.contains_hash(near(0, 10)),
                "the inserted item is missing"
            );
            assert!(
                filter.contains_hash(far(bucket, 0)),
                "the victim of a kick is gone"
            );
        });
    }
}

#[test]
fn a_remove_takes_the_victim_of_a_kick() {
    for bucket in [0, 3] {
        check("a kick and the removal of its victim", 50, move || {
            let filter = square(1);
            full_pair_with_one_exit(&filter);
            let insert = insert_in(&filter, near(0, 10));
            assert!(
                filter.remove_hash(far(bucket, 0)),
                "the victim of a kick was not found"
            );
            insert
                .join()
                .expect("the inserter")
                .expect("there is an exit, or a vacant slot");
            assert!(
                !filter.contains_hash(far(bucket, 0)),
                "a removed token came back"
            );
            assert!(
                filter.contains_hash(near(0, 10)),
                "the inserted item is missing"
            );
            assert_eq!(filter.len(), 8);
        });
    }
}

#[test]
fn two_kicks_share_one_vacant_slot() {
    check_large("two kicking inserters for one vacant slot", 50, || {
        let filter = square_with_budget(2, 4);
        full_pair_with_one_exit(&filter);
        // Bucket 3 keeps one vacant slot, and bucket 1 none, so the table has one.
        fill(&filter, (20..27).map(|n| near(1, n)));
        assert_eq!(filter.len(), 15);
        let other = insert_in(&filter, near(0, 11));
        let mine = filter.insert_hash(near(0, 10));
        let theirs = other.join().expect("an inserter");
        assert_eq!(
            u8::from(mine.is_ok()) + u8::from(theirs.is_ok()),
            1,
            "one vacant slot was given away another number of times"
        );
        assert_eq!(filter.contains_hash(near(0, 10)), mine.is_ok());
        assert_eq!(filter.contains_hash(near(0, 11)), theirs.is_ok());
        assert!(
            filter.contains_hash(far(0, 0)),
            "the victim of a kick is gone"
        );
        assert_eq!(filter.len(), 16);
    });
}

#[test]
fn lookups_see_both_victims_of_two_hops() {
    for (near_bucket, far_bucket) in [(1, 0), (3, 3)] {
        check_large(
            "two hops with one descriptor, and lookups of both victims",
            50,
            move || {
                let filter = square(1);
                full_pair_with_two_hops(&filter);
                let insert = insert_in(&filter, near(0, 10));
                assert!(
                    filter.contains_hash(near(near_bucket, 7)),
                    "the first victim was missed"
                );
                assert!(
                    filter.contains_hash(far(far_bucket, 0)),
                    "the second victim was missed"
                );
                insert
                    .join()
                    .expect("the inserter")
                    .expect("there is a path");
                assert!(
                    filter.contains_hash(near(0, 10)),
                    "the inserted item is missing"
                );
            },
        );
    }
}

#[test]
fn removes_take_both_victims_of_two_hops() {
    for (near_bucket, far_bucket) in [(1, 0), (3, 3)] {
        check(
            "two hops with one descriptor, and removals of both victims",
            50,
            move || {
                let filter = square(1);
                full_pair_with_two_hops(&filter);
                let before = filter.len();
                let insert = insert_in(&filter, near(0, 10));
                assert!(
                    filter.remove_hash(near(near_bucket, 7)),
                    "the first victim was not found"
                );
                assert!(
                    filter.remove_hash(far(far_bucket, 0)),
                    "the second victim was not found"
                );
                insert
                    .join()
                    .expect("the inserter")
                    .expect("there is a path");
                assert!(
                    filter.contains_hash(near(0, 10)),
                    "the inserted item is missing"
                );
                assert!(
                    !filter.contains_hash(near(3, 7)),
                    "a removed token came back"
                );
                assert!(
                    !filter.contains_hash(far(0, 0)),
                    "a removed token came back"
                );
                assert_eq!(filter.len(), before - 1);
            },
        );
    }
}

#[test]
fn plain_inserts_share_a_bucket() {
    check("two inserts and a remove in one pair", 50, || {
        let filter = square(1);
        fill(&filter, (0..7).map(|n| near(0, n)));
        let other = insert_in(&filter, near(0, 10));
        let remover = spawn(&filter, move |filter| {
            assert!(filter.remove_hash(near(2, 0)))
        });
        let mine = filter.insert_hash(near(0, 11));
        let theirs = other.join().expect("an inserter");
        remover.join().expect("the remover");
        let found = [10, 11].map(|n| filter.contains_hash(near(0, n)));
        assert_eq!(
            found,
            [theirs.is_ok(), mine.is_ok()],
            "an inserted item is not found"
        );
        assert!(
            (1..7).all(|n| filter.contains_hash(near(0, n))),
            "a resting token was lost"
        );
        assert_eq!(
            filter.len(),
            6 + usize::from(mine.is_ok()) + usize::from(theirs.is_ok()),
            "the count is off"
        );
    });
}

/// The rival finds no path of its own: the one token that its search looks at leads to a full bucket. It is
/// refused whatever the other insert does, unless it can take the slot that the other has opened.
#[test]
fn an_opened_slot_belongs_to_the_insert_that_opened_it() {
    check(
        "an insert that opens a slot, and a rival that cannot",
        50,
        || {
            // Two roots and one neighbour.
            let filter = square_with_budget(2, 3);
            // The first tokens of the buckets 0 and 2 lead to bucket 3, which is empty, and to bucket 1.
            fill(&filter, [far(0, 0), far(2, 1)]);
            fill(&filter, (0..6).map(|n| near(0, n)));
            fill(&filter, (2..6).map(|n| far(1, n)));
            let opener = insert_in(&filter, near(0, 10));
            let rival = filter.insert_hash(near(2, 11));
            let opened = opener.join().expect("the opener");
            assert!(
                rival.is_err(),
                "the slot that an insert opened was taken from it"
            );
            opened.expect("there is an exit");
            assert!(
                filter.contains_hash(near(0, 10)),
                "the inserted item is missing"
            );
        },
    );
}
