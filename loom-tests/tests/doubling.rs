//! Tables that double: nothing is missed or lost while words are split.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::Growing;
use lockfree_cuckoo::testing::{Double, Relocate};
use loom::sync::Arc;
use loom_tests::check::{check, check_large};
use loom_tests::tiny::spawn;

type Filter = lockfree_cuckoo::Filter<Growing>;

/// A head.
const F: u64 = 1 << 10;

/// Of one class in the first two buckets, and of several in four.
const X: u64 = F;
const Y: u64 = 1 << 63 | F;
/// Of another head.
const OTHER: u64 = 2 << 10;
/// The first token of `X` covers it, and one of its own after two doublings does not cover `X`.
const NESTED: u64 = 1 << 53 | F;

/// A table of two buckets that holds these.
fn with(items: impl IntoIterator<Item = u64>) -> Arc<Filter> {
    let filter = Filter::builder().buckets(2).seed(0).build();
    let filter = filter.expect("a valid size");
    for item in items {
        filter.insert_hash(item).expect("room");
    }
    Arc::new(filter)
}

fn double(filter: &Filter) {
    filter.begin_to_double();
    filter.finish_doubling();
}

/// One whose first item has lost bits, and whose second has a longer token.
fn nested() -> Arc<Filter> {
    let filter = with([X]);
    double(&filter);
    double(&filter);
    filter.insert_hash(NESTED).expect("room");
    filter
}

#[test]
fn a_stored_item_is_found_while_the_table_doubles() {
    check("a doubling and a lookup", 10, || {
        let filter = with([X]);
        let doubler = spawn(&filter, double);
        assert!(filter.contains_hash(X), "a stored item was missed");
        doubler.join().expect("the doubler");
        assert!(filter.contains_hash(X), "a stored item was lost");
    });
}

#[test]
fn of_two_that_begin_to_double_a_table_one_does() {
    check("two that begin to double, and a lookup", 10, || {
        let filter = with([X]);
        let begin = |filter: &Filter| {
            filter.begin_to_double();
        };
        let beginners = [spawn(&filter, begin), spawn(&filter, begin)];
        assert!(filter.contains_hash(X), "a stored item was missed");
        for beginner in beginners {
            beginner.join().expect("a beginner");
        }
        assert_eq!(filter.slots(), 16, "doubled once");
        filter.finish_doubling();
        assert_eq!(filter.slots(), 16, "doubled once");
        assert_eq!(filter.count_hash(X), 1, "an item was lost or made");
    });
}

#[test]
fn an_insert_is_not_lost_while_the_table_doubles() {
    check_large("a doubling and an insert", 10, || {
        let filter = with([Y]);
        let doubler = spawn(&filter, double);
        filter.insert_hash(X).expect("room");
        assert!(filter.contains_hash(X), "an own item was missed");
        doubler.join().expect("the doubler");
        assert_eq!(filter.count_hash(X), 1, "an item was lost or made");
        assert_eq!(filter.count_hash(Y), 1, "another item was lost or made");
    });
}

#[test]
fn two_inserts_split_a_word_each() {
    check_large("two inserts that share a doubling", 10, || {
        let filter = with([X, Y]);
        filter.begin_to_double();
        let insert = |filter: &Filter| filter.insert_hash(OTHER).expect("room");
        let other = spawn(&filter, insert);
        insert(&filter);
        assert!(filter.contains_hash(X), "a stored item was missed");
        other.join().expect("the other insert");
        for (item, copies) in [(X, 1), (Y, 1), (OTHER, 2)] {
            assert_eq!(filter.count_hash(item), copies, "an item was lost or made");
        }
    });
}

#[test]
fn a_remove_takes_a_token_while_the_table_doubles() {
    check_large("a doubling and a remove", 10, || {
        let filter = with([X, Y]);
        let doubler = spawn(&filter, double);
        assert!(filter.remove_hash(X), "a stored item was not removed");
        doubler.join().expect("the doubler");
        assert!(!filter.contains_hash(X), "it was removed");
        assert!(filter.contains_hash(Y), "another item was lost");
        assert!(filter.remove_hash(Y), "a stored item was not removed");
        assert!(filter.is_empty());
    });
}

/// Each splits a word that the other may be about to change.
#[test]
fn a_remove_and_an_insert_split_a_word_each() {
    check_large("a remove and an insert that share a doubling", 10, || {
        let filter = with([X, Y]);
        filter.begin_to_double();
        let other = spawn(&filter, |filter| {
            filter.insert_hash(OTHER).expect("room");
        });
        assert!(filter.remove_hash(X), "a stored item was not removed");
        assert!(filter.contains_hash(Y), "a stored item was missed");
        other.join().expect("the other");
        assert!(!filter.contains_hash(X), "it was removed");
        for (item, copies) in [(Y, 1), (OTHER, 1)] {
            assert_eq!(filter.count_hash(item), copies, "an item was lost or made");
        }
    });
}

#[test]
fn two_removes_split_a_word_each() {
    check_large("two removes that share a doubling", 10, || {
        let filter = with([X, Y, X]);
        filter.begin_to_double();
        let other = spawn(&filter, |filter| filter.remove_hash(X));
        assert!(filter.remove_hash(X), "a stored item was not removed");
        assert!(filter.contains_hash(Y), "a stored item was missed");
        let removed = other.join().expect("the other");
        assert!(removed, "a stored item was not removed");
        assert!(!filter.contains_hash(X), "both were removed");
        assert_eq!(filter.count_hash(Y), 1, "an item was lost or made");
        assert_eq!(filter.len(), 1, "not conserved");
    });
}

#[test]
fn a_lookup_finds_what_a_remove_splits() {
    check("a remove that splits, and a lookup", 10, || {
        let filter = with([X, Y]);
        filter.begin_to_double();
        let other = spawn(&filter, |filter| filter.remove_hash(Y));
        assert!(filter.contains_hash(X), "a stored item was missed");
        let removed = other.join().expect("the other");
        assert!(removed, "a stored item was not removed");
        assert!(filter.contains_hash(X), "a stored item was lost");
    });
}

/// It hops to a number that was computed, whose parent is being split: the parts may be there, and the parent not gone.
#[test]
fn a_token_that_hops_to_a_bucket_that_is_split_is_found() {
    check_large("a split, a hop and a lookup", 10, || {
        let filter = with([X]);
        filter.begin_to_double();
        // Splits the first word.
        filter.insert_hash(OTHER).expect("room");
        let hopper = spawn(&filter, |filter| {
            filter.relocate_hash(X);
            assert!(filter.contains_hash(X), "an own item was missed");
        });
        // Splits the second one.
        filter.insert_hash(OTHER).expect("room");
        hopper.join().expect("the hopper");
        assert_eq!(filter.count_hash(X), 1, "an item was lost or made");
        assert_eq!(filter.count_hash(OTHER), 2, "an insert was lost");
    });
}

#[test]
fn a_lookup_finds_a_token_that_hops_to_a_word_that_is_split() {
    check_large("a split and a hop, and a lookup", 10, || {
        let filter = with([X]);
        filter.begin_to_double();
        let other = spawn(&filter, |filter| {
            filter.insert_hash(OTHER).expect("room");
            filter.relocate_hash(X);
        });
        assert!(filter.contains_hash(X), "a stored item was missed");
        other.join().expect("the other");
        assert!(filter.contains_hash(X), "a stored item was lost");
    });
}

#[test]
fn a_token_that_hops_past_a_lookup_is_found() {
    check("a hop to the first bucket, and a lookup", 10, || {
        let filter = with([X]);
        double(&filter);
        filter.relocate_hash(X);
        let hopper = spawn(&filter, |filter| {
            filter.relocate_hash(X);
        });
        assert!(filter.contains_hash(X), "a stored item was missed");
        hopper.join().expect("the hopper");
    });
}

/// The same below the level of the hint.
#[test]
fn a_token_that_hops_past_a_lookup_is_found_while_the_table_doubles() {
    check("a hop in a table that doubles, and a lookup", 10, || {
        let filter = with([X]);
        filter.begin_to_double();
        // Splits the first word, and the hop splits the second one. No insert has seen yet that both are gone.
        filter.insert_hash(OTHER).expect("room");
        filter.relocate_hash(X);
        let hopper = spawn(&filter, |filter| {
            filter.relocate_hash(X);
        });
        assert!(filter.contains_hash(X), "a stored item was missed");
        hopper.join().expect("the hopper");
    });
}

/// The same where the sweep has not come to yet.
#[test]
fn a_token_that_hops_in_front_of_the_sweep_is_found() {
    check("a hop in front of the sweep, and a lookup", 10, || {
        let filter = with([X]);
        filter.relocate_hash(X);
        filter.begin_to_double();
        let hopper = spawn(&filter, |filter| {
            filter.relocate_hash(X);
        });
        assert!(filter.contains_hash(X), "a stored item was missed");
        hopper.join().expect("the hopper");
    });
}

/// A hop to a bucket that the sweep then splits, which a lookup sees in either order.
#[test]
fn a_token_is_found_while_the_sweep_passes_it() {
    check_large("a hop and the sweep, and a lookup", 10, || {
        let filter = with([X]);
        double(&filter);
        filter.relocate_hash(X);
        filter.begin_to_double();
        let other = spawn(&filter, |filter| {
            filter.relocate_hash(X);
            filter.insert_hash(OTHER).expect("room");
        });
        assert!(filter.contains_hash(X), "a stored item was missed");
        other.join().expect("the other");
        assert!(filter.contains_hash(X), "a stored item was lost");
    });
}

#[test]
fn a_remove_takes_the_longest_token_though_it_hops() {
    check("a hop and a remove of the longer of two", 10, || {
        // Both in the second bucket. The longer one hops to the first.
        let filter = nested();
        filter.relocate_hash(X);
        let hopper = spawn(&filter, |filter| {
            filter.relocate_hash(NESTED);
        });
        assert!(filter.remove_hash(NESTED), "a stored item was not removed");
        hopper.join().expect("the hopper");
        assert!(
            filter.contains_hash(X),
            "the token of another item was taken"
        );
        assert!(filter.remove_hash(X), "the token of another item was taken");
    });
}

#[test]
fn tokens_that_take_turns_are_found() {
    check_large(
        "a lookup beside an insert and a remove of nested items",
        10,
        || {
            let filter = nested();
            let other = spawn(&filter, |filter| {
                filter.insert_hash(X).expect("room");
                assert!(filter.remove_hash(NESTED), "a stored item was not removed");
            });
            assert!(filter.contains_hash(X), "a stored item was missed");
            other.join().expect("the other");
            assert!(filter.contains_hash(X), "a stored item was lost");
        },
    );
}

/// What a snapshot holds, and the stored form in chunks, if others let them come to their end: `X`, once.
fn copies(filter: &Filter, chunks: bool) -> Option<Filter> {
    if !chunks {
        return filter.snapshot().ok();
    }
    let mut chunks = filter.chunks();
    let mut stored = vec![0; chunks.bytes() as usize];
    // The header and the list, and then two words each.
    let (head, words) = stored.split_at_mut(64 + 24);
    for chunk in std::iter::once(head).chain(words.chunks_mut(16)) {
        chunks.next_chunk(chunk).ok()?;
    }
    Some(Filter::from_bytes(&stored).expect("what comes to its end can be read"))
}

fn hold(name: &'static str, filter: fn() -> Arc<Filter>, act: fn(&Filter), extra: usize) {
    for chunks in [false, true] {
        check_large(name, 10, move || {
            let filter = filter();
            let other = spawn(&filter, act);
            if let Some(copy) = copies(&filter, chunks) {
                assert_eq!(copy.count_hash(X), 1, "a copy misses what is in");
                assert!((1..=1 + extra).contains(&copy.len()), "{copy:?}");
            }
            other.join().expect("the other");
        });
    }
}

#[test]
fn a_copy_has_what_hops_while_a_doubling_begins() {
    let act = |filter: &Filter| {
        filter.relocate_hash(X);
        filter.begin_to_double();
    };
    hold(
        "a hop, the begin of a doubling and a copy",
        || with([X]),
        act,
        0,
    );
}

/// In front of the sweep; from a word that it has split to one that the hop splits; and from one that it splits next.
#[test]
fn a_copy_has_what_hops_while_words_are_split() {
    let begun = || {
        let filter = with([X]);
        filter.begin_to_double();
        filter
    };
    hold(
        "a hop in a doubling that has begun, and a copy",
        begun,
        |filter: &Filter| {
            filter.relocate_hash(X);
        },
        0,
    );
    hold(
        "a split, a hop and a copy",
        begun,
        |filter: &Filter| {
            filter.insert_hash(OTHER).expect("room");
            filter.relocate_hash(X);
        },
        1,
    );
    // From the second side, which is read last.
    let on_the_second_side = || {
        let filter = with([X]);
        filter.relocate_hash(X);
        filter.begin_to_double();
        filter
    };
    hold(
        "a hop, a split and a copy",
        on_the_second_side,
        |filter: &Filter| {
            filter.relocate_hash(X);
            filter.insert_hash(OTHER).expect("room");
        },
        1,
    );
}
