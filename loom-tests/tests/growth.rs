//! Filters that grow and shrink: nothing is missed, lost or admitted twice while the list of segments changes.
//!
//! The epochs are modelled too: the list is published, read and retired by the shipping code of crossbeam-epoch on
//! loom's atomics.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::Growing;
use lockfree_cuckoo::testing::AddSegment;
use lockfree_cuckoo::testing::hooks::in_one_order;
use loom::sync::Arc;
use loom_tests::check::{check, check_large};
use loom_tests::tiny::spawn;

type Filter = lockfree_cuckoo::Filter<Growing>;

const F: u64 = 0x1111;

/// Three items with one fingerprint. In two buckets they are of one class, in four `Z` is not of the others'.
const X: u64 = F;
const Y: u64 = F;
const Z: u64 = 1 << 62 | F;

/// One with another fingerprint.
const OTHER: u64 = 1 << 63 | 0x2222;

/// A filter whose first segment has two buckets.
fn filter() -> Arc<Filter> {
    let filter = Filter::builder().capacity(8).seed(0).build();
    Arc::new(filter.expect("a valid size"))
}

fn with(items: impl IntoIterator<Item = u64>) -> Arc<Filter> {
    let filter = filter();
    for item in items {
        filter.insert_hash(item).expect("room");
    }
    filter
}

/// Takes out all but one, and gives what is deferred then the time to be done.
fn shrink(filter: &Filter) {
    for _ in 0..3 {
        filter.shrink_to_fit();
    }
    assert_eq!(filter.segments(), 1, "drained segments stay");
}

#[test]
fn a_stored_item_is_found_while_the_filter_grows() {
    check("growth and a lookup", 10, || {
        let filter = with([X]);
        let grower = spawn(&filter, |filter| assert!(filter.add_segment(4)));
        assert!(filter.contains_hash(X), "a stored item was missed");
        grower.join().expect("the grower");
        assert!(filter.contains_hash(X), "a stored item was lost");
    });
}

#[test]
fn an_insert_is_not_lost_while_the_filter_grows() {
    check("growth and an insert", 10, || {
        let filter = filter();
        let grower = spawn(&filter, |filter| assert!(filter.add_segment(4)));
        filter.insert_hash(X).expect("room");
        assert!(filter.contains_hash(X), "an own item was missed");
        grower.join().expect("the grower");
        assert_eq!(filter.count_hash(X), 1, "an item was lost or made");
        assert!(filter.remove_hash(X), "a stored item was not removed");
    });
}

#[test]
fn a_remove_takes_nothing_that_another_item_needs() {
    check("growth, inserts, and removes from the finest", 10, || {
        let filter = with([Z]);
        let other = spawn(&filter, |filter| {
            filter.add_segment(4);
            filter.insert_hash(X).expect("room");
            assert!(filter.remove_hash(X), "an own item was not removed");
        });
        assert!(filter.contains_hash(Z), "a stored item was missed");
        other.join().expect("the other");
        assert!(
            filter.contains_hash(Z),
            "the token of another item was taken"
        );
        assert_eq!(filter.len(), 1, "not conserved");
    });
}

#[test]
fn two_removes_during_growth_take_one_token_each() {
    check("growth, an insert, and two removes", 10, || {
        let filter = with([X, Z]);
        let other = spawn(&filter, |filter| {
            filter.add_segment(4);
            filter.insert_hash(Y).expect("room");
            assert!(filter.remove_hash(Y), "a stored item was not removed");
        });
        assert!(filter.remove_hash(X), "a stored item was not removed");
        assert!(
            filter.contains_hash(Z),
            "the token of another item was taken"
        );
        other.join().expect("the other");
        assert!(
            filter.contains_hash(Z),
            "the token of another item was taken"
        );
        assert_eq!(filter.len(), 1, "not conserved");
    });
}

#[test]
fn growers_that_race_add_one_segment() {
    check("two inserts into a full filter", 10, || {
        let filter = with((0..8).map(|turn| (turn % 2) << 63 | (turn + 1)));
        let other = spawn(&filter, |filter| filter.insert_hash(X).expect("memory"));
        filter.insert_hash(Z).expect("memory");
        other.join().expect("the other");
        assert_eq!(filter.segments(), 2, "not one segment was added");
        assert!(
            filter.contains_hash(X) && filter.contains_hash(Z),
            "an item was lost"
        );
        assert_eq!(filter.len(), 10, "not conserved");
    });
}

#[test]
fn one_of_two_admissions_wins_while_the_filter_grows() {
    check_large("growth and two racing insert_unique", 10, || {
        let filter = filter();
        let other = spawn(&filter, |filter| {
            filter.insert_unique_hash(X).expect("room")
        });
        assert!(filter.add_segment(4), "nobody else grows");
        let mine = filter.insert_unique_hash(X).expect("room");
        let theirs = other.join().expect("a racer");
        assert_eq!(
            u8::from(mine) + u8::from(theirs),
            1,
            "not exactly one was told true"
        );
        assert_eq!(filter.count_hash(X), 1, "not exactly one token is stored");
    });
}

/// One admission in the old segment, the other in the new one, in front of a list that the first has not seen.
#[test]
fn an_admission_that_was_late_for_growth_has_no_second_winner() {
    check_large("an insert_unique, and growth with another one", 10, || {
        let filter = filter();
        let other = spawn(&filter, |filter| {
            assert!(filter.add_segment(4), "nobody else grows");
            filter.insert_unique_hash(X).expect("room")
        });
        let mine = filter.insert_unique_hash(X).expect("room");
        let theirs = other.join().expect("a racer");
        assert_eq!(
            u8::from(mine) + u8::from(theirs),
            1,
            "not exactly one was told true"
        );
        assert_eq!(filter.count_hash(X), 1, "not exactly one token is stored");
    });
}

#[test]
fn an_admission_sees_what_an_older_segment_holds() {
    check("growth and an insert_unique of a stored item", 10, || {
        let filter = with([X]);
        let grower = spawn(&filter, |filter| filter.add_segment(4));
        let admitted = filter.insert_unique_hash(X).expect("room");
        assert!(!admitted, "a stored item was added again");
        grower.join().expect("the grower");
    });
}

/// An admission that is in the way of an insert is aborted by it, and tried again by its owner.
#[test]
fn an_admission_in_the_way_is_not_decided_by_another() {
    check(
        "insert_unique over two segments, and an insert in its way",
        10,
        || {
            let filter = with([X]);
            assert!(filter.add_segment(4), "nobody else grows");
            let other = spawn(&filter, |filter| {
                // The same buckets, another class.
                filter.insert_hash(X ^ 1).expect("room");
            });
            let admitted = filter.insert_unique_hash(X).expect("room");
            assert!(!admitted, "a stored item was added again");
            other.join().expect("the other");
            assert_eq!(filter.count_hash(X), 1, "a stored item was added again");
        },
    );
}

/// When an empty filter begins anew, a coarser segment is added. An item that goes there while an equal one is
/// removed from a finer segment is never missed.
#[test]
fn a_walk_over_a_list_that_has_changed_is_not_trusted() {
    check(
        "a coarser segment, an insert and a remove there, and a lookup",
        10,
        || {
            let filter = filter();
            assert!(filter.add_segment(4), "nobody else grows");
            filter.insert_hash(X).expect("room");
            let other = spawn(&filter, |filter| {
                filter.add_segment(2);
                filter.insert_hash(X).expect("room");
                assert!(filter.remove_hash(X), "a stored item was not removed");
            });
            assert!(
                filter.contains_hash(X),
                "a class that is never empty was missed"
            );
            other.join().expect("the other");
        },
    );
}

#[test]
fn a_remove_over_a_list_that_has_changed_begins_again() {
    check(
        "a segment in between, an insert and a remove there, and a remove",
        10,
        || {
            let filter = with([Z]);
            assert!(filter.add_segment(8), "nobody else grows");
            filter.insert_hash(X).expect("room");
            let other = spawn(&filter, |filter| {
                filter.add_segment(4);
                filter.insert_hash(X).expect("room");
                assert!(filter.remove_hash(X), "a stored item was not removed");
            });
            assert!(filter.remove_hash(X), "a stored item was not removed");
            other.join().expect("the other");
            assert!(
                filter.contains_hash(Z),
                "the token of another item was taken"
            );
            assert_eq!(filter.len(), 1, "not conserved");
        },
    );
}

/// A segment that is empty may still get an item from a thread that has loaded an older list.
#[test]
fn a_segment_that_may_get_an_item_is_not_taken_out() {
    check("growth and shrinking, and a late insert", 10, || {
        let filter = filter();
        let late = spawn(&filter, |filter| filter.insert_hash(X).expect("room"));
        filter.add_segment(4);
        filter.shrink_to_fit();
        late.join().expect("the late one");
        assert!(filter.contains_hash(X), "an item was lost with its segment");
    });
}

/// The reader is not pinned. It may stop in the segment that goes, or in the list that had it, for as long as it likes.
#[test]
fn a_drained_segment_is_taken_out_under_a_reader() {
    check("shrinking and a lookup", 10, || {
        let filter = filter();
        filter.add_segment(4);
        filter.add_segment(2);
        filter.insert_hash(Z).expect("room");
        let reader = spawn(&filter, |filter| {
            assert!(filter.contains_hash(Z), "a stored item was missed");
        });
        shrink(&filter);
        reader.join().expect("the reader");
        assert!(filter.contains_hash(Z), "a stored item was lost");
    });
}

/// What is parked comes back as another segment, under a reader that is late.
#[test]
fn a_segment_is_used_again_under_a_reader() {
    check_large("shrinking, growth and a lookup", 10, || {
        let filter = filter();
        filter.add_segment(4);
        filter.insert_hash(X).expect("room");
        // The first one goes.
        shrink(&filter);
        let reader = spawn(&filter, |filter| {
            assert!(filter.contains_hash(X), "a stored item was missed");
        });
        filter.add_segment(2);
        filter.insert_hash(X).expect("room");
        assert!(filter.remove_hash(X), "a stored item was not removed");
        reader.join().expect("the reader");
        assert!(filter.contains_hash(X), "a stored item was lost");
        assert_eq!(filter.len(), 1, "not conserved");
    });
}

/// One into a segment that it has added, the other by whichever list it finds. Each then looks for the other's item.
#[test]
fn inserts_into_two_segments_are_not_missed_crosswise() {
    check_large("growth and an insert, an insert, lookups", 10, || {
        in_one_order(|| {
            let filter = filter();
            let other = spawn(&filter, |filter| {
                filter.insert_hash(OTHER).expect("room");
                filter.contains_hash(X)
            });
            assert!(filter.add_segment(4), "nobody else grows");
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
