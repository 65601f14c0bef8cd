//! Lookups against everything that moves a token: a lookup never misses one that is in, and never invents
//! one that is not.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::testing::Relocate;
use loom::thread;
use loom_tests::check::check;
use loom_tests::tiny::{fill, in_pair, pair, spawn};
use model::Fingerprint;

const F: Fingerprint = 0x1111;
const G: Fingerprint = 0x2222;

/// Both orders in which a lookup may read the two words, for each direction of a move.
fn orders() -> impl Iterator<Item = (usize, usize)> {
    [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter()
}

/// A filter that holds one `F` in `bucket`: the emptier bucket is chosen, the first of two equal ones.
fn with_token_in(
    bucket: usize,
    descriptors: usize,
) -> loom::sync::Arc<lockfree_cuckoo::CuckooFilter> {
    let filter = pair(descriptors);
    fill(&filter, [in_pair(bucket, F)]);
    filter
}

#[test]
fn sees_a_token_that_hops() {
    for (source, read_first) in orders() {
        check("a mover and a lookup", 50, move || {
            let filter = with_token_in(source, 1);
            let mover = spawn(&filter, move |filter| {
                assert!(filter.relocate_hash(in_pair(source, F)))
            });
            assert!(
                filter.contains_hash(in_pair(read_first, F)),
                "a hopping token was missed"
            );
            mover.join().expect("the mover");
            assert!(
                filter.contains_hash(in_pair(read_first, F)),
                "the token is gone"
            );
        });
    }
}

#[test]
fn sees_a_token_that_hops_there_and_back() {
    for (source, read_first) in orders() {
        check("there and back, and a lookup", 50, move || {
            let filter = with_token_in(source, 1);
            let mover = spawn(&filter, move |filter| {
                assert!(filter.relocate_hash(in_pair(source, F)));
                assert!(filter.relocate_hash(in_pair(1 - source, F)));
            });
            assert!(
                filter.contains_hash(in_pair(read_first, F)),
                "a hopping token was missed"
            );
            mover.join().expect("the mover");
        });
    }
}

/// Two movers, one from each of `sources`, and a lookup of the one token there is.
fn sees_a_token_between_movers(name: &str, sources: [usize; 2]) {
    for read_first in [0, 1] {
        check(name, 50, move || {
            let filter = with_token_in(0, 2);
            let movers = sources.map(|source| {
                spawn(&filter, move |filter| {
                    filter.relocate_hash(in_pair(source, F))
                })
            });
            assert!(
                filter.contains_hash(in_pair(read_first, F)),
                "a hopping token was missed"
            );
            for mover in movers {
                mover.join().expect("a mover");
            }
            assert_eq!(
                filter.count_hash(in_pair(0, F)),
                1,
                "a token was lost or made"
            );
        });
    }
}

#[test]
fn sees_a_token_between_opposite_movers() {
    sees_a_token_between_movers("two opposite movers and a lookup", [0, 1]);
}

#[test]
fn sees_a_token_between_movers_of_one_direction() {
    sees_a_token_between_movers("two movers of one direction and a lookup", [0, 0]);
}

/// The false negative that needs no relocation. The lookup reads the empty bucket; an equal token goes in
/// there; the other one goes out before the lookup reads it.
#[test]
fn sees_one_of_two_equal_tokens_that_come_and_go() {
    for (source, read_first) in orders() {
        check(
            "an insert and a remove of an equal token, and a lookup",
            10,
            move || {
                let filter = with_token_in(source, 1);
                let writer = spawn(&filter, move |filter| {
                    // Goes to the other bucket, which is emptier.
                    filter.insert_hash(in_pair(source, F)).expect("room");
                    // Clears the bucket that the hash names first.
                    assert!(filter.remove_hash(in_pair(source, F)));
                });
                assert!(
                    filter.contains_hash(in_pair(read_first, F)),
                    "a token was missed"
                );
                writer.join().expect("the writer");
            },
        );
    }
}

#[test]
fn sees_one_of_two_equal_tokens_that_come_and_go_and_hop() {
    for (source, read_first) in orders() {
        check("the same with a mover", 50, move || {
            let filter = with_token_in(source, 1);
            let writer = spawn(&filter, move |filter| {
                filter.insert_hash(in_pair(source, F)).expect("room");
                assert!(filter.remove_hash(in_pair(source, F)));
            });
            let mover = spawn(&filter, move |filter| {
                filter.relocate_hash(in_pair(1 - source, F))
            });
            assert!(
                filter.contains_hash(in_pair(read_first, F)),
                "a token was missed"
            );
            writer.join().expect("the writer");
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
fn is_not_led_astray_by_an_unrelated_token_that_hops() {
    for (source, read_first) in orders() {
        check(
            "another fingerprint moves in the same bucket",
            50,
            move || {
                let filter = with_token_in(source, 1);
                fill(&filter, [in_pair(source, G)]);
                // The second went to the emptier bucket.
                let mover = spawn(&filter, move |filter| {
                    assert!(filter.relocate_hash(in_pair(1 - source, G)))
                });
                assert!(
                    filter.contains_hash(in_pair(read_first, F)),
                    "a resting token was missed"
                );
                assert!(
                    !filter.contains_hash(in_pair(read_first, 0x3333)),
                    "a token was invented"
                );
                mover.join().expect("the mover");
            },
        );
    }
}

#[test]
fn counts_a_token_that_hops() {
    for (source, read_first) in orders() {
        check("a mover and a count", 50, move || {
            let filter = with_token_in(source, 1);
            let mover = spawn(&filter, move |filter| {
                filter.relocate_hash(in_pair(source, F))
            });
            assert!(
                filter.count_hash(in_pair(read_first, F)) >= 1,
                "a token was not counted"
            );
            mover.join().expect("the mover");
            assert_eq!(
                filter.count_hash(in_pair(0, F)),
                1,
                "a token was lost or made"
            );
        });
    }
}

/// What a thread wrote before it inserted is visible to whoever finds the item.
#[test]
fn a_hit_publishes_what_came_before_the_insert() {
    check("an insert and a lookup that guard plain data", 2, || {
        let filter = pair(1);
        let data = loom::sync::Arc::new(loom::cell::UnsafeCell::new(0));
        let writer = {
            let (filter, data) = (filter.clone(), data.clone());
            thread::spawn(move || {
                data.with_mut(|_| {});
                filter.insert_hash(in_pair(0, F)).expect("room");
            })
        };
        if filter.contains_hash(in_pair(0, F)) {
            data.with(|_| {});
        }
        writer.join().expect("the writer");
    });
}
