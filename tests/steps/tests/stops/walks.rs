//! Walks over two tables, from the finer to the coarser: a copy comes to the coarser one and one goes out of the finer one,
//! so a walk the other way round misses both.

use std::thread;

use lockfree_cuckoo::testing::Double;
use step_tests::{Led, at_each_step, bounded};

use crate::doubling::{Doubling, filter_at_the_end, head};

const ITEM: u64 = head(5);

/// The exchange of an insert, after it has loaded its two words.
const EXCHANGE: usize = 2;

/// The item is never out while a call walks. The copy that comes to the coarser table does so by an insert that has begun
/// before there was another one.
fn walked_at_each_step(name: &str, sees: impl Fn(&Doubling) -> bool + Sync) {
    walked_at_each(1, name, sees);
}

/// Stops at one access of so many.
fn walked_at_each(stride: usize, name: &str, sees: impl Fn(&Doubling) -> bool + Sync) {
    for grows in [false, true] {
        let steps = at_each_step(|turn| {
            let step = stride * turn;
            let filter = filter_at_the_end();
            let (seen, reached) = thread::scope(|scope| {
                let late = Led::begin(scope, [EXCHANGE], || filter.insert_hash(ITEM));
                assert!(late.has_stopped() && filter.add_table());
                // One in each of its buckets, so that both have been written to.
                filter.insert_hash(ITEM).expect("room");
                filter.insert_hash(ITEM).expect("room");
                assert!(filter.remove_hash(ITEM), "a stored item");
                assert!(!grows || filter.begin_to_double());
                let walk = Led::begin(scope, [step], || sees(&filter));
                let reached = walk.has_stopped();
                late.finish().expect("room");
                assert!(filter.remove_hash(ITEM), "a stored item");
                (walk.finish(), reached)
            });
            assert!(
                seen,
                "{name}, access {step}: an item that is never out was missed"
            );
            reached
        });
        println!("{steps} scenes: {name} walks over two tables");
        assert!(steps > 4, "{name} makes {steps} accesses");
    }
}

#[test]
fn a_lookup_misses_no_item_that_is_never_out() {
    walked_at_each_step("contains", |filter| filter.contains_hash(ITEM));
}

#[test]
fn a_remove_misses_no_item_that_is_never_out() {
    walked_at_each_step("remove", |filter| filter.remove_hash(ITEM));
}

#[test]
fn an_admission_misses_no_item_that_is_never_out() {
    let is_told = |filter: &Doubling| filter.insert_unique_hash(ITEM) == Ok(false);
    walked_at_each_step("insert_unique", is_told);
}

#[test]
fn a_count_misses_no_item_that_is_never_out() {
    walked_at_each_step("count", |filter| filter.count_hash(ITEM) > 0);
}

#[test]
fn a_copy_misses_no_item_that_is_never_out() {
    let is_copied = |filter: &Doubling| {
        let copy = filter.snapshot().expect("one change");
        copy.contains_hash(ITEM)
    };
    // It reads thousands of words.
    walked_at_each(61, "snapshot", is_copied);
}

/// A table is added, and another item with an equal token comes there and goes, while a call stands still that has begun when
/// there was one table.
#[test]
fn calls_that_a_new_table_overtakes_are_as_good_as_others() {
    // All bits but those that only tokens of the second table have.
    const EQUAL: u64 = ITEM | 1 << 44;
    type Call = fn(&Doubling) -> bool;
    let calls: [(&str, usize, Call); 4] = [
        ("a lookup", 1, |filter| filter.contains_hash(ITEM)),
        ("a count", 1, |filter| filter.count_hash(ITEM) > 0),
        ("an admission", 1, |filter| {
            filter.insert_unique_hash(ITEM) == Ok(false)
        }),
        ("a remove", 0, |filter| filter.remove_hash(ITEM)),
    ];
    for (name, copies, call) in calls {
        let steps = at_each_step(|step| {
            let filter = filter_at_the_end();
            filter.insert_hash(ITEM).expect("room");
            let reached = thread::scope(|scope| {
                let late = Led::begin(scope, [step], || call(&filter));
                let reached = late.has_stopped();
                assert!(filter.add_table());
                filter.insert_hash(EQUAL).expect("room");
                assert!(filter.remove_hash(EQUAL), "a stored item");
                assert!(
                    late.finish(),
                    "{name}, access {step}: a stored item was missed"
                );
                reached
            });
            let there = bounded(|| filter.count_hash(ITEM));
            assert_eq!(
                there, copies,
                "{name}, access {step}: an item was lost or made"
            );
            reached
        });
        println!("{steps} scenes: {name}, and a new table");
        assert!(steps > 3, "{name} makes {steps} accesses");
    }
}

/// The token of one item covers another one, which has a longer token in the finer table.
#[test]
fn a_remove_takes_the_token_of_the_finer_table() {
    const COVERED: u64 = ITEM | 1 << 44;
    let filter = filter_at_the_end();
    filter.insert_hash(ITEM).expect("room");
    assert!(filter.contains_hash(COVERED), "its token covers both");
    assert!(filter.add_table());
    filter.insert_hash(COVERED).expect("room");
    assert_eq!(filter.count_hash(ITEM), 1);
    assert!(filter.remove_hash(COVERED), "a stored item");
    assert!(
        filter.contains_hash(ITEM),
        "the token of another item was taken"
    );
    println!("1 scenes: a remove from the finer of two tables");
}
