//! Snapshots against everything that moves a token: one that is in all the while is in the copy.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::testing::{Relocate, hooks};
use lockfree_cuckoo::{CuckooFilter, SnapshotError};
use loom_tests::check::{check, check_large};
use loom_tests::tiny::{far, fill, in_pair, near, pair, spawn, square};
use model::Fingerprint;

const F: Fingerprint = 0x1111;
const G: Fingerprint = 0x2222;

/// Few schedules disturb a snapshot so much that it gives up; those that do promise nothing.
fn snapshot(filter: &CuckooFilter) -> Option<CuckooFilter> {
    match filter.snapshot() {
        Ok(copy) => Some(copy),
        Err(SnapshotError::Disturbed) => None,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn holds_a_token_that_hops() {
    for source in [0, 1] {
        check("a mover and a snapshot", 50, move || {
            let filter = pair(1);
            fill(&filter, [in_pair(source, F)]);
            let mover = spawn(&filter, move |filter| {
                filter.relocate_hash(in_pair(source, F))
            });
            let copy = filter.snapshot().expect("one hop fits the log");
            assert_eq!(
                copy.count_hash(in_pair(0, F)),
                1,
                "a hopping token was not copied once"
            );
            assert_eq!(copy.len(), 1);
            mover.join().expect("the mover");
        });
    }
}

#[test]
fn holds_a_token_that_hops_there_and_back() {
    for source in [0, 1] {
        check_large("a token there and back, and a snapshot", 50, move || {
            let filter = pair(1);
            fill(&filter, [in_pair(source, F)]);
            let mover = spawn(&filter, move |filter| {
                filter.relocate_hash(in_pair(source, F));
                filter.relocate_hash(in_pair(1 - source, F));
            });
            if let Some(copy) = snapshot(&filter) {
                assert_eq!(
                    copy.count_hash(in_pair(0, F)),
                    1,
                    "a hopping token was not copied once"
                );
            }
            mover.join().expect("the mover");
        });
    }
}

#[test]
fn holds_one_of_two_equal_tokens_that_come_and_go() {
    for (there, first) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        check("an insert and a remove, and a snapshot", 50, move || {
            let filter = pair(1);
            fill(&filter, [in_pair(there, F)]);
            let other = spawn(&filter, move |filter| {
                fill(filter, [in_pair(first, F)]);
                assert!(filter.remove_hash(in_pair(first, F)), "there are two");
            });
            let copy = filter.snapshot().expect("one hint fits the log");
            let copies = copy.count_hash(in_pair(0, F));
            assert!((1..=2).contains(&copies), "a token was not copied");
            other.join().expect("the other");
        });
    }
}

#[test]
fn holds_more_than_the_log_does() {
    check("two hops and a log of one hint", 50, || {
        let filter = pair(1);
        fill(&filter, [in_pair(1, F), in_pair(0, F), in_pair(1, G)]);
        let mover = spawn(&filter, |filter| {
            filter.relocate_hash(in_pair(1, F));
            filter.relocate_hash(in_pair(1, G));
        });
        if let Some(copy) = snapshot(&filter) {
            for (f, copies) in [(F, 2), (G, 1)] {
                assert_eq!(
                    copy.count_hash(in_pair(0, f)),
                    copies,
                    "a hopping token was not copied once"
                );
            }
        }
        mover.join().expect("the mover");
    });
}

#[test]
fn holds_the_victims_of_an_insert() {
    check_large("an insert that relocates, and a snapshot", 50, || {
        let filter = square(1);
        // Buckets 0 and 2 are full, and one token of bucket 2 can go to bucket 1.
        let stored = [0, 1, 2, 3, 4, 5, 6].map(|n| near(0, n));
        fill(&filter, [far(2, 0)]);
        fill(&filter, stored);
        let inserter = spawn(&filter, |filter| filter.insert_hash(near(0, 7)));
        let copy = filter.snapshot().expect("one hop fits the log");
        for item in stored.into_iter().chain([far(2, 0)]) {
            assert!(copy.contains_hash(item), "a stored token was not copied");
        }
        let inserted = inserter.join().expect("the inserter").is_ok();
        assert_eq!(filter.len(), 8 + usize::from(inserted));
    });
}

#[test]
fn holds_a_token_whose_mover_dies() {
    for accesses in 0..24 {
        for source in [0, 1] {
            check("a mover that dies, and a snapshot", 1, move || {
                let filter = pair(1);
                fill(&filter, [in_pair(source, F)]);
                let mover = spawn(&filter, move |filter| {
                    hooks::dying_after(accesses, || filter.relocate_hash(in_pair(source, F)));
                });
                let copy = filter.snapshot().expect("one hop fits the log");
                assert_eq!(
                    copy.count_hash(in_pair(0, F)),
                    1,
                    "a token was not copied once"
                );
                mover.join().expect("the mover");
            });
        }
    }
}

#[test]
fn is_taken_by_one_thread_at_a_time() {
    check("two snapshots and a mover", 50, || {
        let filter = pair(1);
        fill(&filter, [in_pair(1, F)]);
        let other = spawn(&filter, |filter| match filter.snapshot() {
            Ok(copy) => assert_eq!(copy.count_hash(in_pair(0, F)), 1, "not copied once"),
            Err(error) => assert_eq!(error, SnapshotError::Busy),
        });
        let mover = spawn(&filter, |filter| filter.relocate_hash(in_pair(1, F)));
        match filter.snapshot() {
            Ok(copy) => assert_eq!(copy.count_hash(in_pair(0, F)), 1, "not copied once"),
            Err(error) => assert_eq!(error, SnapshotError::Busy),
        }
        other.join().expect("the other");
        mover.join().expect("the mover");
    });
}
