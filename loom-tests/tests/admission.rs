//! Test-and-insert: of the threads that race for an absent item, exactly one is told that it added it.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo::testing::Relocate;
use loom::sync::Arc;
use loom::thread;
use loom_tests::check::{check, check_large};
use loom_tests::tiny::{far, fill, in_pair, near, pair, spawn, square};
use model::Fingerprint;

const F: Fingerprint = 0x1111;
const G: Fingerprint = 0x2222;
const H: Fingerprint = 0x3333;

fn admit(filter: &CuckooFilter, bucket: usize) -> bool {
    filter.insert_unique_hash(in_pair(bucket, F)).expect("room")
}

fn admit_in(filter: &Arc<CuckooFilter>, bucket: usize) -> thread::JoinHandle<bool> {
    spawn(filter, move |filter| admit(filter, bucket))
}

#[test]
fn two_race_for_an_absent_item() {
    // The same target, and each other's witness for a target.
    for (mine, theirs) in [(0, 0), (0, 1), (1, 0)] {
        check("two racing insert_unique", 50, move || {
            let filter = pair(2);
            let other = admit_in(&filter, theirs);
            let mine = admit(&filter, mine);
            let theirs = other.join().expect("a racer");
            assert_eq!(
                u8::from(mine) + u8::from(theirs),
                1,
                "not exactly one was told true"
            );
            assert_eq!(
                filter.count_hash(in_pair(0, F)),
                1,
                "not exactly one token is stored"
            );
        });
    }
}

#[test]
fn three_race_for_an_absent_item() {
    check_large("three racing insert_unique", 1_000, || {
        let filter = pair(3);
        let others = [0, 1].map(|bucket| admit_in(&filter, bucket));
        let mut winners = u8::from(admit(&filter, 1));
        for other in others {
            winners += u8::from(other.join().expect("a racer"));
        }
        assert_eq!(winners, 1, "not exactly one was told true");
        assert_eq!(
            filter.count_hash(in_pair(0, F)),
            1,
            "not exactly one token is stored"
        );
    });
}

#[test]
fn a_hopping_token_is_present() {
    for (source, first) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        check("insert_unique of an item that hops", 50, move || {
            let filter = pair(2);
            fill(&filter, [in_pair(source, F)]);
            let mover = spawn(&filter, move |filter| {
                filter.relocate_hash(in_pair(source, F))
            });
            assert!(!admit(&filter, first), "a present item was added again");
            mover.join().expect("the mover");
            assert_eq!(
                filter.count_hash(in_pair(0, F)),
                1,
                "a token was lost or made"
            );
        });
    }
}

#[test]
fn two_race_while_another_token_hops() {
    check_large(
        "two racing insert_unique with a mover in the same buckets",
        50,
        || {
            let filter = pair(3);
            fill(&filter, [in_pair(0, G)]);
            let mover = spawn(&filter, move |filter| filter.relocate_hash(in_pair(0, G)));
            let other = admit_in(&filter, 0);
            let mine = admit(&filter, 1);
            let theirs = other.join().expect("a racer");
            mover.join().expect("the mover");
            assert_eq!(
                u8::from(mine) + u8::from(theirs),
                1,
                "not exactly one was told true"
            );
            assert_eq!(
                filter.count_hash(in_pair(0, F)),
                1,
                "not exactly one token is stored"
            );
            assert_eq!(
                filter.count_hash(in_pair(0, G)),
                1,
                "the unrelated token was lost or made"
            );
        },
    );
}

#[test]
fn races_with_a_remove() {
    for (stored, first) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        check("insert_unique and a remove", 10, move || {
            let filter = pair(2);
            fill(&filter, [in_pair(stored, F)]);
            let remover = spawn(&filter, move |filter| {
                assert!(filter.remove_hash(in_pair(0, F)))
            });
            let added = admit(&filter, first);
            remover.join().expect("the remover");
            assert_eq!(
                filter.count_hash(in_pair(0, F)),
                usize::from(added),
                "the tokens are not inserts minus removes"
            );
        });
    }
}

#[test]
fn two_race_with_a_remove() {
    check_large("two racing insert_unique and a remove", 1_000, || {
        let filter = pair(3);
        let other = admit_in(&filter, 0);
        let remover = spawn(&filter, move |filter| filter.remove_hash(in_pair(0, F)));
        let mine = admit(&filter, 1);
        let theirs = other.join().expect("a racer");
        let removed = remover.join().expect("the remover");
        let (added, removed) = (
            usize::from(mine) + usize::from(theirs),
            usize::from(removed),
        );
        assert!(
            added == 1 || (added == 2 && removed == 1),
            "{added} added, {removed} removed"
        );
        assert_eq!(
            filter.count_hash(in_pair(0, F)),
            added - removed,
            "not conserved"
        );
    });
}

/// After a plain insert has returned, the item is present for everybody.
#[test]
fn races_with_a_plain_insert() {
    for (plain, first) in [(0, 0), (0, 1), (1, 0)] {
        check("insert_unique and a plain insert", 50, move || {
            let filter = pair(2);
            let other = spawn(&filter, move |filter| {
                filter.insert_hash(in_pair(plain, F)).expect("room");
                assert!(!admit(filter, plain), "an inserted item was added again");
            });
            let added = admit(&filter, first);
            other.join().expect("the inserter");
            assert_eq!(
                filter.count_hash(in_pair(0, F)),
                1 + usize::from(added),
                "not conserved"
            );
        });
    }
}

/// A lookup never sees an item that goes away again without a remove.
#[test]
fn what_was_seen_stays() {
    for (first, read_first) in [(0, 0), (0, 1), (1, 0)] {
        check_large("two racing insert_unique and two lookups", 50, move || {
            let filter = pair(2);
            let racers = [first, 1 - first].map(|bucket| admit_in(&filter, bucket));
            let seen = filter.contains_hash(in_pair(read_first, F));
            let again = filter.contains_hash(in_pair(1 - read_first, F));
            assert!(again || !seen, "a token was seen and then missed");
            for racer in racers {
                racer.join().expect("a racer");
            }
        });
    }
}

/// What a thread wrote before it inserted is visible to whoever is told that the item is present.
#[test]
fn a_refused_admission_acquires_what_came_before_the_insert() {
    for first in [0, 1] {
        check(
            "an insert and an insert_unique that guard plain data",
            10,
            move || {
                let filter = pair(1);
                let data = Arc::new(loom::cell::UnsafeCell::new(0));
                let writer = {
                    let (filter, data) = (filter.clone(), data.clone());
                    thread::spawn(move || {
                        data.with_mut(|_| {});
                        filter.insert_hash(in_pair(0, F)).expect("room");
                    })
                };
                if !admit(&filter, first) {
                    data.with(|_| {});
                }
                writer.join().expect("the writer");
            },
        );
    }
}

#[test]
fn two_race_over_a_full_pair() {
    check_large("two insert_unique of one item into a full pair", 50, || {
        let filter = square(2);
        fill(&filter, [far(0, 0), far(2, 1)]);
        fill(&filter, (0..6).map(|n| near(0, n)));
        let other = spawn(&filter, move |filter| {
            filter.insert_unique_hash(near(2, 10)).unwrap_or(false)
        });
        let mine = filter.insert_unique_hash(near(0, 10)).unwrap_or(false);
        let theirs = other.join().expect("a racer");
        assert!(!(mine && theirs), "two were told true");
        assert_eq!(
            filter.count_hash(near(0, 10)),
            usize::from(mine || theirs),
            "the tokens are not inserts minus removes"
        );
        assert!(
            filter.contains_hash(far(3, 0)),
            "the victim of a kick is gone"
        );
        assert!(
            filter.contains_hash(far(1, 1)),
            "the victim of a kick is gone"
        );
    });
}

/// The witness is frozen by a relocation while it holds an equal token at rest.
#[test]
fn an_equal_token_in_a_frozen_witness_counts() {
    check(
        "two insert_unique, one of which then moves a neighbour out of the witness",
        50,
        || {
            let filter = pair(3);
            fill(&filter, [in_pair(0, G), in_pair(1, H)]);
            let other = spawn(&filter, move |filter| {
                let added = admit(filter, 0);
                filter.relocate_hash(in_pair(0, G));
                added
            });
            let mine = admit(&filter, 1);
            let theirs = other.join().expect("a racer");
            assert_eq!(
                u8::from(mine) + u8::from(theirs),
                1,
                "not exactly one was told true"
            );
        },
    );
}

#[test]
fn races_with_a_kick_that_places_an_equal_token() {
    for bucket in [0, 2] {
        check_large(
            "insert_unique and a kicking insert of an equal token",
            50,
            move || {
                let filter = square(2);
                fill(&filter, [far(0, 0)]);
                fill(&filter, (0..7).map(|n| near(0, n)));
                let other = spawn(&filter, move |filter| {
                    filter.insert_hash(near(0, 10)).expect("there is an exit");
                    assert!(
                        filter.contains_hash(near(2, 10)),
                        "an inserted item was missed"
                    );
                });
                // Opens a slot for the admission to freeze.
                assert!(filter.remove_hash(near(bucket, 6)));
                let mine = filter.insert_unique_hash(near(bucket, 10));
                other.join().expect("the inserter");
                assert_eq!(
                    filter.count_hash(near(0, 10)),
                    1 + usize::from(mine == Ok(true)),
                    "the tokens are not inserts minus removes"
                );
                assert!(
                    filter.contains_hash(far(3, 0)),
                    "the victim of a kick is gone"
                );
            },
        );
    }
}

#[test]
fn two_race_with_an_equal_token_that_hops_and_goes() {
    check_large(
        "two insert_unique, a mover and a remover of an equal token",
        50,
        || {
            let filter = pair(3);
            fill(&filter, [in_pair(0, F)]);
            let mover = spawn(&filter, move |filter| filter.relocate_hash(in_pair(0, F)));
            let other = spawn(&filter, move |filter| {
                assert!(
                    filter.remove_hash(in_pair(1, F)),
                    "a stored token was not found"
                );
                admit(filter, 0)
            });
            let mine = admit(&filter, 1);
            let theirs = other.join().expect("a racer");
            mover.join().expect("the mover");
            assert_eq!(
                u8::from(mine) + u8::from(theirs),
                1,
                "not exactly one was told true"
            );
            assert_eq!(
                filter.count_hash(in_pair(0, F)),
                1,
                "not exactly one token is stored"
            );
        },
    );
}
