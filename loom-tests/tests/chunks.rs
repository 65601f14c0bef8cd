//! The stored form in chunks against everything that moves a token: if it comes to its end, it has what was in all the
//! while.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::testing::{Relocate, hooks};
use lockfree_cuckoo::{CuckooFilter, SnapshotError};
use loom_tests::check::check;
use loom_tests::tiny::{fill, in_pair, pair, spawn};
use model::Fingerprint;

const F: Fingerprint = 0x1111;
const G: Fingerprint = 0x2222;

/// What is read of the stored form of a pair; nothing if it changed meanwhile.
fn stored(filter: &CuckooFilter) -> Option<CuckooFilter> {
    let mut chunks = filter.chunks();
    let mut stored = [0; 84];
    // Of one word each, behind the header.
    let (header, words) = stored.split_at_mut(64);
    for chunk in std::iter::once(header).chain(words.chunks_mut(8)) {
        match chunks.next_chunk(chunk) {
            Ok(bytes) => assert_eq!(bytes, chunk.len()),
            Err(SnapshotError::Changed) => return None,
            Err(error) => panic!("{error}"),
        }
    }
    Some(CuckooFilter::from_bytes(&stored).expect("what comes to its end can be read"))
}

/// The token of `F`, which begins in either bucket, is stored once, whatever `mover` does from there.
fn hold_one_beside(name: &str, mover: fn(&CuckooFilter, usize)) {
    for source in [0, 1] {
        check(name, 10, move || {
            let filter = pair(1);
            fill(&filter, [in_pair(source, F)]);
            let mover = spawn(&filter, move |filter| mover(filter, source));
            if let Some(copy) = stored(&filter) {
                assert_eq!(
                    copy.count_hash(in_pair(0, F)),
                    1,
                    "a hopping token was not stored once"
                );
            }
            mover.join().expect("the mover");
        });
    }
}

#[test]
fn hold_a_token_that_hops() {
    hold_one_beside("a mover and chunks", |filter, source| {
        filter.relocate_hash(in_pair(source, F));
    });
}

/// Somebody else makes up for the number of tokens.
#[test]
fn hold_a_token_that_hops_beside_one_that_comes() {
    hold_one_beside("a mover that inserts, and chunks", |filter, source| {
        filter.relocate_hash(in_pair(source, F));
        // To where the token was.
        fill(filter, [in_pair(source, G)]);
    });
}

#[test]
fn hold_one_of_two_equal_tokens_that_come_and_go() {
    for (there, first) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        check("an insert and a remove, and chunks", 10, move || {
            let filter = pair(1);
            fill(&filter, [in_pair(there, F)]);
            let other = spawn(&filter, move |filter| {
                fill(filter, [in_pair(first, F)]);
                assert!(filter.remove_hash(in_pair(first, F)), "there are two");
            });
            if let Some(copy) = stored(&filter) {
                let copies = copy.count_hash(in_pair(0, F));
                assert!((1..=2).contains(&copies), "a token was not stored");
            }
            other.join().expect("the other");
        });
    }
}

#[test]
fn hold_a_token_whose_mover_dies() {
    for accesses in 0..24 {
        for source in [0, 1] {
            check("a mover that dies, and chunks", 1, move || {
                let filter = pair(1);
                fill(&filter, [in_pair(source, F)]);
                let mover = spawn(&filter, move |filter| {
                    hooks::dying_after(accesses, || filter.relocate_hash(in_pair(source, F)));
                });
                let during = stored(&filter);
                mover.join().expect("the mover");
                // Nobody is left who changes something.
                let after = stored(&filter).expect("at rest");
                for copy in during.iter().chain([&after]) {
                    assert_eq!(
                        copy.count_hash(in_pair(0, F)),
                        1,
                        "a token was not stored once"
                    );
                }
            });
        }
    }
}
