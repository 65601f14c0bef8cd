//! Filters that add a table: nothing is missed, lost or admitted twice, by whichever tables a call goes.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::Growing;
use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::testing::hooks::in_one_order;
use loom::sync::Arc;
use loom_tests::check::{check, check_large};
use loom_tests::tiny::spawn;

type Filter = lockfree_cuckoo::Filter<Growing>;

const X: u64 = 1 << 10;
/// Has the token of `X` in the first table, and a longer one of its own in the second.
const COVERED: u64 = 1 << 52 | X;
/// Of another head.
const OTHER: u64 = 2 << 10;

/// One table, which cannot double any more and holds these.
fn with(items: impl IntoIterator<Item = u64>) -> Arc<Filter> {
    let filter = Filter::builder().buckets(2).seed(0).build();
    let filter = filter.expect("a valid size");
    while filter.begin_to_double() {
        filter.finish_doubling();
    }
    for item in items {
        filter.insert_hash(item).expect("room");
    }
    Arc::new(filter)
}

fn add_table(filter: &Filter) {
    assert!(filter.add_table(), "it cannot double any more");
}

#[test]
fn a_stored_item_is_found_while_a_table_is_added() {
    check("a new table and a lookup", 2, || {
        let filter = with([X]);
        let reader = spawn(&filter, |filter| {
            assert!(filter.contains_hash(X), "a stored item was missed");
        });
        add_table(&filter);
        reader.join().expect("the reader");
        assert!(filter.contains_hash(X), "a stored item was lost");
    });
}

#[test]
fn an_insert_is_not_lost_while_a_table_is_added() {
    check("a new table and an insert", 2, || {
        let filter = with([]);
        let owner = spawn(&filter, |filter| {
            filter.insert_hash(X).expect("room");
            assert!(filter.contains_hash(X), "an own item was missed");
        });
        add_table(&filter);
        owner.join().expect("the owner");
        assert_eq!(filter.count_hash(X), 1, "an item was lost or made");
        assert!(filter.remove_hash(X), "a stored item was not removed");
    });
}

/// Who has not seen the new table looks into the words of the first one.
#[test]
fn what_is_added_to_a_new_table_is_found() {
    check_large("a lookup, and an insert into a new table", 10, || {
        let filter = with([]);
        let reader = spawn(&filter, |filter| {
            let before = filter.contains_hash(X);
            let after = filter.contains_hash(X);
            assert!(after || !before, "an item was missed");
        });
        add_table(&filter);
        filter.insert_hash(X).expect("room");
        reader.join().expect("the reader");
        assert!(filter.contains_hash(X), "an item was lost");
    });
}

#[test]
fn a_remove_takes_nothing_that_another_item_needs() {
    check_large("a new table, an insert and a remove there", 10, || {
        let filter = with([X]);
        let reader = spawn(&filter, |filter| {
            assert!(filter.contains_hash(X), "a stored item was missed");
        });
        add_table(&filter);
        filter.insert_hash(COVERED).expect("room");
        assert!(filter.remove_hash(COVERED), "an own item was not removed");
        reader.join().expect("the reader");
        assert!(
            filter.contains_hash(X),
            "the token of another item was taken"
        );
        assert_eq!(filter.len(), 1, "not conserved");
    });
}

#[test]
fn two_removes_take_one_token_each_while_a_table_is_added() {
    check_large("a new table, an insert, and two removes", 10, || {
        let filter = with([X, COVERED]);
        let other = spawn(&filter, |filter| {
            assert!(filter.remove_hash(COVERED), "a stored item was not removed");
            assert!(
                filter.contains_hash(X),
                "the token of another item was taken"
            );
        });
        add_table(&filter);
        filter.insert_hash(COVERED).expect("room");
        assert!(filter.remove_hash(COVERED), "a stored item was not removed");
        other.join().expect("the other");
        assert!(
            filter.contains_hash(X),
            "the token of another item was taken"
        );
        assert_eq!(filter.len(), 1, "not conserved");
    });
}

/// One admission in the first table, the other in the second, or both in one of them.
#[test]
fn one_of_two_admissions_wins_while_a_table_is_added() {
    check_large("a new table and two racing insert_unique", 100, || {
        let filter = with([]);
        let unique = |filter: &Filter| filter.insert_unique_hash(X).expect("room");
        let other = spawn(&filter, move |filter| {
            add_table(filter);
            unique(filter)
        });
        let mine = unique(&filter);
        let theirs = other.join().expect("a racer");
        assert!(mine != theirs, "not exactly one was told true");
        assert_eq!(filter.count_hash(X), 1, "not exactly one token is stored");
    });
}

#[test]
fn an_admission_sees_what_the_coarser_table_holds() {
    check(
        "a new table and an insert_unique of a stored item",
        2,
        || {
            let filter = with([X]);
            let owner = spawn(&filter, |filter| {
                let admitted = filter.insert_unique_hash(X).expect("room");
                assert!(!admitted, "a stored item was added again");
            });
            add_table(&filter);
            owner.join().expect("the owner");
            assert_eq!(filter.count_hash(X), 1, "a stored item was added again");
        },
    );
}

/// One into a table that it has added, the other into whichever it finds. Each then looks for the other's item.
#[test]
fn inserts_into_two_tables_are_not_missed_crosswise() {
    check_large("a new table and an insert, an insert, lookups", 10, || {
        in_one_order(|| {
            let filter = with([]);
            let other = spawn(&filter, |filter| {
                filter.insert_hash(OTHER).expect("room");
                filter.contains_hash(X)
            });
            add_table(&filter);
            filter.insert_hash(X).expect("room");
            let mine = filter.contains_hash(OTHER);
            let theirs = other.join().expect("the other");
            assert!(
                mine || theirs,
                "each of two inserts was missed by the other thread"
            );
        });
    });
}
