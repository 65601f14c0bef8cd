//! Emptied filters that begin anew: what others add meanwhile is neither lost nor added twice.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::Ladder;
use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::testing::hooks::dying_after;
use loom::sync::Arc;
use loom_tests::check::{check, check_large};
use loom_tests::tiny::spawn;

type Filter = lockfree_cuckoo::Filter<Ladder>;

/// Of one class in the first two buckets, and of others in four.
const X: u64 = 1 << 10;
const Y: u64 = 1 << 63 | 1 << 10;

/// A table of two buckets that has doubled, and holds one item, which must be removed before it is empty.
fn grown() -> Filter {
    let filter = Filter::builder().buckets(2).seed(0).build();
    let filter = filter.expect("a valid size");
    filter.insert_hash(X).expect("room");
    filter.begin_to_double();
    filter.shrink_to_fit();
    assert_eq!(filter.slots(), 16);
    filter
}

/// The same, emptied.
fn emptied() -> Arc<Filter> {
    let filter = grown();
    assert!(filter.remove_hash(X));
    Arc::new(filter)
}

/// Accesses of an attempt after which some words are closed, and others are not.
const AT_WORK: [usize; 3] = [40, 44, 48];

fn shrink(filter: &Filter) {
    filter.shrink_to_fit();
}

#[test]
fn an_insert_is_not_lost_while_the_filter_begins_anew() {
    check("a filter that begins anew, and an insert", 10, || {
        let filter = emptied();
        let other = spawn(&filter, shrink);
        filter.insert_hash(X).expect("room");
        assert!(filter.contains_hash(X), "an own item was missed");
        other.join().expect("the other");
        assert!(filter.contains_hash(X), "an own item was lost");
        assert_eq!(filter.count_hash(X), 1, "an item was lost or made");
        assert!(filter.remove_hash(X), "a stored item was not removed");
        assert!(!filter.contains_hash(X), "it was removed");
    });
}

/// Who has read an open gate may come to its exchange when the next attempt has closed all words.
#[test]
fn an_insert_is_not_lost_in_the_next_attempt() {
    for accesses in AT_WORK {
        check_large(
            "an attempt that stopped, the next one, and an insert",
            10,
            move || {
                let filter = emptied();
                assert!(dying_after(accesses, || filter.shrink_to_fit()).is_none());
                let other = spawn(&filter, shrink);
                filter.insert_hash(X).expect("room");
                other.join().expect("the other");
                assert!(filter.contains_hash(X), "an own item was lost");
            },
        );
    }
}

#[test]
fn what_is_added_to_the_next_generation_is_found() {
    check(
        "a filter that begins anew, and a lookup behind an insert",
        10,
        || {
            let filter = emptied();
            let other = spawn(&filter, |filter| {
                filter.shrink_to_fit();
                filter.insert_hash(X).expect("room");
                filter.contains_hash(X)
            });
            // Whatever it finds, it comes to an end.
            let before = filter.contains_hash(X);
            let after = filter.contains_hash(X);
            assert!(after || !before, "an item was missed");
            assert!(other.join().expect("the other"), "an own item was missed");
            assert!(filter.contains_hash(X), "a stored item was lost");
        },
    );
}

#[test]
fn one_of_two_adds_an_item_while_the_filter_begins_anew() {
    check_large(
        "two admissions, one behind a filter that begins anew",
        10,
        || {
            let filter = emptied();
            let unique = |filter: &Filter| filter.insert_unique_hash(X).expect("room");
            let other = spawn(&filter, move |filter| {
                filter.shrink_to_fit();
                unique(filter)
            });
            let added = [unique(&filter), other.join().expect("the other")];
            assert_eq!(added.iter().filter(|&&added| added).count(), 1, "not one");
            assert_eq!(filter.count_hash(X), 1, "an item was lost or made");
        },
    );
}

#[test]
fn what_is_not_removed_yet_keeps_the_generation() {
    check_large("a filter that begins anew behind a remove", 10, || {
        let filter = Arc::new(grown());
        let other = spawn(&filter, |filter| {
            assert!(filter.remove_hash(X), "a stored item was not removed");
            filter.shrink_to_fit();
            filter.insert_hash(X).expect("room");
        });
        filter.insert_hash(Y).expect("room");
        assert!(filter.contains_hash(Y), "an own item was missed");
        other.join().expect("the other");
        assert!(
            filter.remove_hash(X) && filter.remove_hash(Y),
            "an item was lost"
        );
        assert!(filter.is_empty());
    });
}

#[test]
fn a_copy_has_what_is_in_when_the_filter_begins_anew() {
    check_large("a filter that begins anew, and a snapshot", 10, || {
        let filter = Arc::new(grown());
        let other = spawn(&filter, |filter| {
            filter.insert_hash(Y).expect("room");
            assert!(
                filter.remove_hash(X) && filter.remove_hash(Y),
                "not removed"
            );
            filter.shrink_to_fit();
        });
        if let Ok(copy) = filter.snapshot() {
            assert!(copy.len() <= 2);
        }
        other.join().expect("the other");
        assert!(filter.is_empty());
    });
}
