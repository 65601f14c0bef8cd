//! Splits that stand still, and calls that come to the words; calls that stand still while the table doubles.

use std::sync::Arc;
use std::thread;

use lockfree_cuckoo::testing::{Double, Relocate};
use step_tests::{Led, at_each_step, bounded, overtaken};

use crate::doubling::{CHUNK, Doubling, double, filter, filter_at, head, items};

/// Of one pair of buckets in the smallest table.
const X: u64 = head(1);
const Y: u64 = 1 << 62 | X;
/// Of another head.
const OTHER: u64 = head(2);

/// An insert, or a remove, begins to split the words of a table that has `X`, and stops at each access. Others do something
/// meanwhile. Then there must be so many of `X` and `Y`.
fn split_stopped_at_each_step(name: &str, meanwhile: impl Fn(&Doubling), left: [usize; 2]) {
    type Split = fn(&Doubling) -> bool;
    let splits: [(&str, bool, Split); 2] = [
        ("an insert", true, |filter| {
            filter.insert_hash(OTHER).is_ok()
        }),
        ("a remove", false, |filter| filter.remove_hash(OTHER)),
    ];
    for (splitter, adds, split) in splits {
        let steps = at_each_step(|step| {
            let filter = filter();
            filter.insert_hash(X).expect("room");
            if !adds {
                filter.insert_hash(OTHER).expect("room");
            }
            assert!(filter.begin_to_double());
            let reached = thread::scope(|scope| {
                let split = Led::begin(scope, [step], || split(&filter));
                let reached = split.has_stopped();
                bounded(|| meanwhile(&filter));
                assert!(split.finish(), "{splitter} failed");
                reached
            });
            for (item, copies) in [(X, left[0]), (Y, left[1]), (OTHER, usize::from(adds))] {
                let there = bounded(|| filter.count_hash(item));
                assert_eq!(
                    there, copies,
                    "{splitter} and {name}, access {step}: an item was lost or made"
                );
            }
            assert_eq!(filter.len(), left[0] + left[1] + usize::from(adds));
            assert_eq!(filter.doubled(), None, "it has split all words");
            reached
        });
        println!("{steps} scenes: {splitter} that splits, and {name}");
        assert!(steps > 20, "{steps} accesses");
    }
}

#[test]
fn parts_do_not_come_over_what_others_have_written() {
    let remove = |filter: &Doubling| {
        filter.finish_doubling();
        assert!(filter.remove_hash(X), "a stored item was not removed");
    };
    split_stopped_at_each_step("others end it, and remove what it has", remove, [0, 0]);
    let replace = |filter: &Doubling| {
        filter.finish_doubling();
        filter.insert_hash(Y).expect("room");
        assert!(filter.remove_hash(X), "a stored item was not removed");
    };
    split_stopped_at_each_step("others end it, and replace what it has", replace, [0, 1]);
}

#[test]
fn a_word_that_is_being_split_changes_only_for_the_whole_of_it() {
    let remove =
        |filter: &Doubling| assert!(filter.remove_hash(X), "a stored item was not removed");
    split_stopped_at_each_step("a remove", remove, [0, 0]);
    let insert = |filter: &Doubling| filter.insert_hash(Y).expect("room");
    split_stopped_at_each_step("an insert", insert, [1, 1]);
    let admit = |filter: &Doubling| assert_eq!(filter.insert_unique_hash(X), Ok(false));
    split_stopped_at_each_step("an admission of what is in", admit, [1, 0]);
    let look = |filter: &Doubling| assert!(filter.contains_hash(X), "a stored item was missed");
    split_stopped_at_each_step("a lookup", look, [1, 0]);
    let hop = |filter: &Doubling| {
        filter.relocate_hash(X);
    };
    split_stopped_at_each_step("a hop", hop, [1, 0]);
}

/// Between two accesses of a call the table doubles, and doubles again.
fn call_overtaken_by_growth(name: &str, call: impl Fn(&Doubling, u64), copies: usize) {
    const LEVEL: u32 = 5;
    let stored: Vec<u64> = items().take(60).collect();
    for at in [0, 17, 43] {
        let steps = at_each_step(|step| {
            let filter = Arc::new(filter_at(LEVEL));
            for &item in &stored {
                bounded(|| filter.insert_hash(item)).expect("room");
            }
            assert!(filter.begin_to_double());
            let others = Arc::clone(&filter);
            let grow = move || {
                others.finish_doubling();
                double(&others);
            };
            let ((), reached) = overtaken(step, grow, || call(&filter, stored[at]));
            for &item in &stored {
                let there = bounded(|| filter.count_hash(item));
                let expected = if item == stored[at] { copies } else { 1 };
                assert_eq!(
                    there, expected,
                    "{name}, access {step}: an item was lost or made"
                );
            }
            reached
        });
        println!("{steps} scenes: {name}, and two growths");
        assert!(steps > 3, "{steps} accesses");
    }
}

#[test]
fn calls_that_growth_overtakes_are_as_good_as_others() {
    call_overtaken_by_growth("a lookup", |f, x| assert!(f.contains_hash(x), "missed"), 1);
    call_overtaken_by_growth("a remove", |f, x| assert!(f.remove_hash(x), "missed"), 0);
    call_overtaken_by_growth("an insert", |f, x| f.insert_hash(x).expect("room"), 2);
    let admits = |f: &Doubling, x| assert_eq!(f.insert_unique_hash(x), Ok(false));
    call_overtaken_by_growth("an admission", admits, 1);
    call_overtaken_by_growth(
        "a count",
        |f, x| assert_eq!(f.count_hash(x), 1, "missed"),
        1,
    );
}

/// A hop stands still at each access. Meanwhile the bucket that it goes to begins to be split, and that stands still at each
/// access: the number of that bucket was computed, and its word may hold a part already, though the parent is not gone.
#[test]
fn a_hop_to_a_bucket_whose_parent_is_being_split_is_not_undone() {
    // So large that one insert splits all buckets of a side.
    const LEVEL: u32 = 5;
    const { assert!(1 << (LEVEL - 1) == CHUNK) };
    let mut scenes = 0;
    at_each_step(|hop_at| {
        let mut hop_stops = false;
        at_each_step(|step| {
            let filter = filter_at(LEVEL);
            filter.insert_hash(X).expect("room");
            assert!(filter.begin_to_double());
            filter.insert_hash(OTHER).expect("room");
            let reached = thread::scope(|scope| {
                let hop = Led::begin(scope, [hop_at], || filter.relocate_hash(X));
                hop_stops |= hop.has_stopped();
                let split = Led::begin(scope, [step], || filter.insert_hash(OTHER));
                let reached = split.has_stopped();
                hop.finish();
                let seen = bounded(|| filter.contains_hash(X));
                assert!(
                    seen,
                    "accesses {hop_at} and {step}: a hopping item was missed"
                );
                split.finish().expect("room");
                reached
            });
            let there = bounded(|| filter.count_hash(X));
            assert_eq!(
                there, 1,
                "accesses {hop_at} and {step}: a hopping item was missed"
            );
            scenes += 1;
            reached
        });
        hop_stops
    });
    println!("{scenes} scenes: a hop, and a split of the bucket that it goes to");
    assert!(scenes > 1_000, "{scenes} scenes");
}
