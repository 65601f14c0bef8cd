//! Removes against everything that moves a token: each takes one token or truly finds none.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::testing::Relocate;
use loom_tests::check::{check, check_large};
use loom_tests::tiny::{fill, in_pair, pair, spawn};
use model::Fingerprint;

const F: Fingerprint = 0x1111;
const G: Fingerprint = 0x2222;

#[test]
fn takes_a_token_that_hops() {
    for (source, first) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        check("a mover and a remove", 50, move || {
            let filter = pair(1);
            fill(&filter, [in_pair(source, F)]);
            let mover = spawn(&filter, move |filter| {
                filter.relocate_hash(in_pair(source, F))
            });
            assert!(
                filter.remove_hash(in_pair(first, F)),
                "a stored token was not found"
            );
            // Read your remove: the class is empty now, wherever the mover is.
            assert!(
                !filter.contains_hash(in_pair(first, F)),
                "a removed token was seen"
            );
            assert!(
                !filter.contains_hash(in_pair(1 - first, F)),
                "a removed token was seen"
            );
            mover.join().expect("the mover");
            assert_eq!(
                filter.count_hash(in_pair(0, F)),
                0,
                "a removed token came back"
            );
        });
    }
}

#[test]
fn two_take_two_tokens() {
    for first in [0, 1] {
        check_large("two removes of two tokens with a mover", 50, move || {
            let filter = pair(1);
            fill(&filter, [in_pair(0, F), in_pair(0, F)]);
            let mover = spawn(&filter, move |filter| filter.relocate_hash(in_pair(0, F)));
            let other = spawn(&filter, move |filter| filter.remove_hash(in_pair(0, F)));
            assert!(
                filter.remove_hash(in_pair(first, F)),
                "one of two tokens was not found"
            );
            assert!(
                other.join().expect("a remover"),
                "the other of two tokens was not found"
            );
            mover.join().expect("the mover");
            assert_eq!(
                filter.count_hash(in_pair(0, F)),
                0,
                "a removed token came back"
            );
        });
    }
}

#[test]
fn two_share_one_token() {
    for first in [0, 1] {
        check_large("two removes of one token with a mover", 1_000, move || {
            let filter = pair(1);
            fill(&filter, [in_pair(0, F)]);
            let mover = spawn(&filter, move |filter| filter.relocate_hash(in_pair(0, F)));
            let other = spawn(&filter, move |filter| filter.remove_hash(in_pair(0, F)));
            let mine = filter.remove_hash(in_pair(first, F));
            let theirs = other.join().expect("a remover");
            mover.join().expect("the mover");
            assert!(
                mine != theirs,
                "one token was removed {} times",
                u8::from(mine) * 2
            );
            assert_eq!(
                filter.count_hash(in_pair(0, F)),
                0,
                "a removed token came back"
            );
        });
    }
}

/// A lookup that starts after a remove returned true sees what the remove left, though the mover had frozen
/// both words when the remove came.
#[test]
fn a_later_lookup_of_another_thread_agrees() {
    for first in [0, 1] {
        check(
            "a remove, then a lookup elsewhere, with a mover",
            50,
            move || {
                let filter = pair(1);
                fill(&filter, [in_pair(0, F), in_pair(0, G)]);
                let mover = spawn(&filter, move |filter| filter.relocate_hash(in_pair(0, F)));
                let remover = spawn(&filter, move |filter| {
                    assert!(filter.remove_hash(in_pair(1 - first, F)))
                });
                remover.join().expect("the remover");
                assert!(
                    !filter.contains_hash(in_pair(first, F)),
                    "a removed token was seen"
                );
                assert!(
                    filter.contains_hash(in_pair(first, G)),
                    "a resting token was missed"
                );
                mover.join().expect("the mover");
            },
        );
    }
}
