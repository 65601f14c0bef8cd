//! What is emptied, by whom, and what stands in the way.

use core::cell::Cell;

use super::*;
use crate::layout::Lanes;
use crate::table::{Geometry, Table};
use crate::tokens::settlement::settle;

type Small = Tokens<Lanes<4, 16>>;

const HASHES: u64 = 100;

fn hash(item: u64) -> u64 {
    (item + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// With some tokens, and few descriptors.
fn filled() -> Small {
    let table = Table::new(Geometry::with_buckets(64).expect("possible")).expect("memory");
    let mut tokens = Tokens::with_table(table, 16, Some(2)).expect("memory");
    tokens.leave_admissions_to_their_owners();
    for item in 0..HASHES {
        tokens.insert(hash(item), 0).expect("room");
    }
    tokens
}

fn stored(tokens: &Small) -> usize {
    (0..HASHES)
        .filter(|&item| tokens.contains(hash(item)))
        .count()
}

fn frozen(tokens: &Small) -> usize {
    (0..tokens.table.len())
        .filter(|&bucket| matches!(tokens.table.load(bucket).content(), Content::Reference(_)))
        .count()
}

/// How it ended, and how many were removed.
fn empty(tokens: &Small, permitted: impl Fn() -> bool) -> (Emptied, usize) {
    let mut all = 0;
    let emptied = empty_while(tokens, &permitted, |removed| all += removed);
    (emptied, all)
}

/// Another thread freezes the first word that is not empty. Returns what it holds of it, and how many are in.
fn begin_an_emptying(tokens: &Small) -> (Claim<'_, Lanes<4, 16>>, usize) {
    let bucket = (0..)
        .find(|&bucket| tokens.peek(bucket) != Bucket::EMPTY)
        .expect("some tokens");
    let content = settle(tokens, bucket);
    let mut claim = tokens.pool.claim().expect("a descriptor");
    let (reference, _) = claim.publish(Transfer::emptying(bucket, content));
    assert!(tokens.table.exchange(bucket, content, reference));
    (claim, content.len())
}

/// A thread froze the first word that is not empty, and died before it decided.
fn die_in_an_emptying(tokens: &Small) -> usize {
    let (claim, tokens) = begin_an_emptying(tokens);
    core::mem::forget(claim);
    tokens
}

#[test]
fn removes_all_and_says_how_many() {
    let tokens = filled();
    assert_eq!(empty(&tokens, || true), (Emptied::All, HASHES as usize));
    assert_eq!((stored(&tokens), frozen(&tokens)), (0, 0));
    assert_eq!(empty(&tokens, || true), (Emptied::All, 0));
}

#[test]
fn removes_nothing_that_is_not_permitted() {
    let tokens = filled();
    assert_eq!(empty(&tokens, || false), (Emptied::Revoked, 0));
    assert_eq!((stored(&tokens), frozen(&tokens)), (HASHES as usize, 0));
    let asked = Cell::new(0);
    let thrice = || asked.replace(asked.get() + 1) < 3;
    let (emptied, removed) = empty(&tokens, thrice);
    assert_eq!(emptied, Emptied::Revoked);
    assert!((3..=12).contains(&removed), "{removed} in three words");
    assert_eq!(stored(&tokens), HASHES as usize - removed);
    assert_eq!(frozen(&tokens), 0);
}

/// An empty table needs none.
#[test]
fn without_a_descriptor_it_says_so() {
    let tokens = filled();
    let claims: Vec<_> = (0..2).map(|_| tokens.pool.claim()).collect();
    assert_eq!(empty(&tokens, || true), (Emptied::Starved, 0));
    drop(claims);
    assert_eq!(empty(&tokens, || true).0, Emptied::All);
    let _claims: Vec<_> = (0..2).map(|_| tokens.pool.claim()).collect();
    assert_eq!(empty(&tokens, || true), (Emptied::All, 0));
}

#[test]
fn the_emptying_of_another_thread_is_committed() {
    let tokens = filled();
    let others = die_in_an_emptying(&tokens);
    // Who empties a word counts what was in: here the dead thread would.
    let removed = HASHES as usize - others;
    assert_eq!(empty(&tokens, || true), (Emptied::All, removed));
    assert_eq!((stored(&tokens), frozen(&tokens)), (0, 0));
}

#[test]
fn without_permission_it_is_aborted() {
    let tokens = filled();
    die_in_an_emptying(&tokens);
    assert_eq!(empty(&tokens, || false), (Emptied::Revoked, 0));
    assert_eq!((stored(&tokens), frozen(&tokens)), (HASHES as usize, 0));
}

/// The word can be frozen again, when the table is in use again, after the last moment at which it may be emptied.
#[test]
fn permission_for_the_emptying_of_another_thread_is_asked_after_it_is_met() {
    let tokens = filled();
    let other = Cell::new(Some(begin_an_emptying(&tokens)));
    let permitted = || match other.take() {
        // It was, until now.
        Some(claimed) => {
            drop(claimed);
            die_in_an_emptying(&tokens);
            true
        }
        None => false,
    };
    assert_eq!(empty(&tokens, permitted), (Emptied::Revoked, 0));
    assert_eq!((stored(&tokens), frozen(&tokens)), (HASHES as usize, 0));
}

#[test]
fn a_writer_aborts_it() {
    let tokens = filled();
    die_in_an_emptying(&tokens);
    for item in 0..HASHES {
        assert!(tokens.remove(hash(item)), "it was in");
    }
    assert_eq!((stored(&tokens), frozen(&tokens)), (0, 0));
}

/// A token that hops behind the thread that empties the table does not escape.
#[test]
fn a_token_that_hops_to_a_word_that_is_behind_is_found() {
    let tokens = filled();
    let last = (0..HASHES)
        .map(hash)
        .max_by_key(|&hash| {
            let class = tokens.table.candidates(hash);
            let in_second = tokens
                .peek(class.second)
                .contains(class.fingerprint)
                .then_some(class.second);
            in_second.filter(|&second| second > class.first)
        })
        .expect("some tokens");
    let class = tokens.table.candidates(last);
    assert!(class.first < class.second);
    let hopped = Cell::new(false);
    // Asked once for each word: at the first one behind its lower candidate, the token hops there.
    let permitted = || {
        if !hopped.get() && tokens.peek(class.first) == Bucket::EMPTY {
            let back = super::super::relocation::Hop {
                moved: crate::layout::Token::of(class.fingerprint),
                source: class.second,
                destination: class.first,
                last: true,
            };
            let mut claim = tokens.pool.claim().expect("a descriptor");
            let relocated = super::super::relocation::relocate(&tokens, &mut claim, back, None);
            hopped.set(relocated);
        }
        true
    };
    assert_eq!(empty(&tokens, permitted).0, Emptied::All);
    assert!(hopped.get(), "it was to hop");
    assert_eq!(stored(&tokens), 0, "a token escaped");
}
