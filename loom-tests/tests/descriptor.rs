//! The reuse of descriptors: a reader never takes one use for another, and an owner never two at once.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::testing::Relocate;
use loom_tests::check::{check, check_large};
use loom_tests::tiny::{fill, in_pair, near, pair, spawn, square};
use model::Fingerprint;

const F: Fingerprint = 0x1111;
const G: Fingerprint = 0x2222;

#[test]
fn two_owners_share_a_descriptor_over_unrelated_buckets() {
    check(
        "two owners of one descriptor, unrelated buckets, and a lookup",
        50,
        || {
            let filter = square(1);
            fill(&filter, [near(0, 0), near(1, 0)]);
            let movers = [0, 1]
                .map(|bucket| spawn(&filter, move |filter| filter.relocate_hash(near(bucket, 0))));
            assert!(
                filter.contains_hash(near(2, 0)),
                "a hopping token was missed"
            );
            for mover in movers {
                mover.join().expect("a mover");
            }
            assert_eq!(filter.count_hash(near(0, 0)), 1, "a token was lost or made");
            assert_eq!(filter.count_hash(near(1, 0)), 1, "a token was lost or made");
        },
    );
}

#[test]
fn one_owner_uses_a_descriptor_twice_over_unrelated_buckets() {
    for bucket in [0, 2] {
        check_large(
            "one descriptor used twice in a row, and a lookup",
            50,
            move || {
                let filter = square(1);
                fill(&filter, [near(0, 0), near(1, 1)]);
                let mover = spawn(&filter, move |filter| {
                    assert!(filter.relocate_hash(near(0, 0)));
                    assert!(filter.relocate_hash(near(1, 1)));
                });
                assert!(
                    filter.contains_hash(near(bucket, 0)),
                    "a hopping token was missed"
                );
                assert!(
                    filter.contains_hash(near(bucket ^ 1, 1)),
                    "a hopping token was missed"
                );
                mover.join().expect("the mover");
            },
        );
    }
}

#[test]
fn one_owner_uses_a_descriptor_for_two_tokens_of_one_pair() {
    for first in [0, 1] {
        check_large(
            "one descriptor used for two tokens of one pair, and a lookup",
            50,
            move || {
                let filter = pair(1);
                fill(&filter, [in_pair(0, F), in_pair(0, G)]);
                let mover = spawn(&filter, move |filter| {
                    filter.relocate_hash(in_pair(0, F));
                    filter.relocate_hash(in_pair(1, G));
                });
                assert!(
                    filter.contains_hash(in_pair(first, G)),
                    "a hopping token was missed"
                );
                mover.join().expect("the mover");
                assert_eq!(
                    filter.count_hash(in_pair(0, F)),
                    1,
                    "a token was lost or made"
                );
            },
        );
    }
}

#[test]
fn a_helper_does_not_decide_a_later_use() {
    check(
        "a writer that settles one use while the owner begins the next",
        50,
        || {
            let filter = pair(1);
            fill(&filter, [in_pair(0, F)]);
            let mover = spawn(&filter, move |filter| {
                filter.relocate_hash(in_pair(0, F));
                filter.relocate_hash(in_pair(1, F));
            });
            filter.insert_hash(in_pair(0, G)).expect("room");
            mover.join().expect("the mover");
            assert_eq!(
                filter.count_hash(in_pair(0, F)),
                1,
                "a token was lost or made"
            );
            assert_eq!(
                filter.count_hash(in_pair(0, G)),
                1,
                "a token was lost or made"
            );
        },
    );
}

/// The lookup may hold a reference of the first use while it reads the fields of the second, which has the
/// two buckets the other way about. Of one descriptor the mover is one of many owners; of eight it has its own.
#[test]
fn a_token_at_rest_is_seen_behind_two_uses() {
    for (first, descriptors) in [(0, 1), (1, 1), (0, 8), (1, 8)] {
        check(
            "one descriptor used for there and back, and a lookup of a neighbour",
            50,
            move || {
                let filter = pair(descriptors);
                fill(&filter, [in_pair(0, F), in_pair(0, G)]);
                assert!(filter.relocate_hash(in_pair(1, G)));
                let mover = spawn(&filter, move |filter| {
                    assert!(filter.relocate_hash(in_pair(0, G)));
                    assert!(filter.relocate_hash(in_pair(1, G)));
                });
                assert!(
                    filter.contains_hash(in_pair(first, F)),
                    "a token at rest was missed"
                );
                mover.join().expect("the mover");
            },
        );
    }
}

#[test]
fn a_descriptor_admits_twice() {
    check(
        "one descriptor admits in two pairs of buckets, and a lookup",
        10,
        || {
            let filter = square(1);
            let admitter = spawn(&filter, move |filter| {
                assert_eq!(filter.insert_unique_hash(near(0, 0)), Ok(true));
                assert_eq!(filter.insert_unique_hash(near(1, 1)), Ok(true));
            });
            let second = filter.contains_hash(near(1, 1));
            let first = filter.contains_hash(near(0, 0));
            assert!(first || !second, "the first token was missed");
            admitter.join().expect("the admitter");
            assert!(filter.contains_hash(near(0, 0)), "the first token is gone");
            assert!(filter.contains_hash(near(1, 1)), "the second token is gone");
        },
    );
}

#[test]
fn a_descriptor_admits_and_relocates() {
    for first in [0, 1] {
        check_large(
            "one descriptor used for an admission and a relocation, and lookups",
            50,
            move || {
                let filter = pair(1);
                fill(&filter, [in_pair(0, F)]);
                let mover = spawn(&filter, move |filter| {
                    assert_eq!(filter.insert_unique_hash(in_pair(1, G)), Ok(true));
                    filter.relocate_hash(in_pair(0, F));
                });
                assert!(
                    filter.contains_hash(in_pair(first, F)),
                    "a token was missed"
                );
                let seen = filter.contains_hash(in_pair(first, G));
                let again = filter.contains_hash(in_pair(1 - first, G));
                assert!(again || !seen, "a token was seen and then missed");
                mover.join().expect("the mover");
                assert_eq!(
                    filter.count_hash(in_pair(0, F)),
                    1,
                    "a token was lost or made"
                );
                assert_eq!(
                    filter.count_hash(in_pair(0, G)),
                    1,
                    "a token was lost or made"
                );
            },
        );
    }
}
