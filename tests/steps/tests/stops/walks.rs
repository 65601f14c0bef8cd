//! Walks over the segments, from the finest to the coarsest: a copy comes to a coarse segment and one goes out of a
//! fine one, so a walk the other way round misses both.

use std::sync::Arc;

use lockfree_cuckoo::GrowingCuckooFilter;
use lockfree_cuckoo::testing::AddSegment;
use step_tests::{at_each_step, overtaken};

use crate::growing;

const ITEM: u64 = 0x1234_5678_9abc_def1;

/// The class of the item is never empty while a call walks. The list stays as it is: residents keep its segments.
fn walked_at_each_step(name: &str, sees: impl Fn(&GrowingCuckooFilter) -> bool) {
    let steps = at_each_step(|step| {
        let filter = growing(4);
        filter.insert_hash(ITEM ^ 2).expect("room");
        filter.insert_hash(ITEM).expect("room");
        assert!(filter.add_segment(2));
        let filter = Arc::new(filter);
        let others = Arc::clone(&filter);
        let passes_on = move || {
            others.insert_hash(ITEM).expect("room");
            assert!(others.remove_hash(ITEM), "a stored item");
        };
        let (seen, reached) = overtaken(step, passes_on, || sees(&filter));
        assert!(
            seen,
            "{name}, access {step}: a class that is never empty was missed"
        );
        reached
    });
    println!("{steps} scenes: {name} walks over segments");
    assert!(steps > 2, "{name} makes {steps} accesses");
}

#[test]
fn a_lookup_misses_no_class_that_is_never_empty() {
    walked_at_each_step("contains", |filter| filter.contains_hash(ITEM));
}

#[test]
fn an_admission_misses_no_class_that_is_never_empty() {
    let is_told = |filter: &GrowingCuckooFilter| filter.insert_unique_hash(ITEM) == Ok(false);
    walked_at_each_step("insert_unique", is_told);
}

#[test]
fn a_count_misses_no_class_that_is_never_empty() {
    walked_at_each_step("count", |filter| filter.count_hash(ITEM) > 0);
}

#[test]
fn a_snapshot_misses_no_class_that_is_never_empty() {
    let is_copied = |filter: &GrowingCuckooFilter| {
        let copy = filter.snapshot().expect("one change");
        copy.contains_hash(ITEM)
    };
    walked_at_each_step("snapshot", is_copied);
}
