//! Walks over the segments, from the finest to the coarsest: a copy comes to a coarse segment and one goes out of a
//! fine one, so a walk the other way round misses both.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use lockfree_cuckoo::testing::AddSegment;
use step_tests::{at_each_step, overtaken};

use crate::{Chain, growing};

const ITEM: u64 = 0x1234_5678_9abc_def1;

/// The class of the item is never empty while a call walks. The list stays as it is: residents keep its segments.
fn walked_at_each_step(name: &str, sees: impl Fn(&Chain) -> bool) {
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

/// Before an access of a lookup the item passes to a coarser segment, its own goes, and the memory that held the list
/// of the lookup holds the new one: the next place in it is behind the segment that has the item.
#[test]
fn a_lookup_is_not_deceived_by_a_list_that_comes_back() {
    let mut taken_out = 0;
    let steps = at_each_step(|step| {
        let filter = growing(4);
        filter.insert_hash(ITEM).expect("room");
        shrink_to(&filter, 1);
        let filter = Arc::new(filter);
        let others = Arc::clone(&filter);
        let passes_on = move || {
            assert!(others.add_segment(2));
            others.insert_hash(ITEM).expect("room");
            assert!(others.remove_hash(ITEM), "a stored item");
            shrink_to(&others, 1);
        };
        let (seen, reached) = overtaken(step, passes_on, || filter.contains_hash(ITEM));
        taken_out += usize::from(reached);
        assert!(
            seen,
            "access {step}: a class that is never empty was missed"
        );
        reached
    });
    println!("{steps} scenes: a lookup and a list that comes back");
    assert!(steps > 2 && taken_out == steps, "{steps} accesses");
}

/// Gives what is retired the time to go.
fn shrink_to(filter: &Chain, segments: usize) {
    // Threads of other tests may be asleep while they are pinned.
    let gone = (0..2_000).any(|turn| {
        crossbeam_epoch::pin().flush();
        filter.shrink_to_fit();
        thread::sleep(Duration::from_millis(u64::from(turn > 100)));
        filter.segments() == segments
    });
    assert!(gone, "drained segments stay: {filter:?}");
    // So that the memory of the list can be used again.
    (0..64).for_each(|_| crossbeam_epoch::pin().flush());
}

#[test]
fn an_admission_misses_no_class_that_is_never_empty() {
    let is_told = |filter: &Chain| filter.insert_unique_hash(ITEM) == Ok(false);
    walked_at_each_step("insert_unique", is_told);
}

#[test]
fn a_count_misses_no_class_that_is_never_empty() {
    walked_at_each_step("count", |filter| filter.count_hash(ITEM) > 0);
}

#[test]
fn a_snapshot_misses_no_class_that_is_never_empty() {
    let is_copied = |filter: &Chain| {
        let copy = filter.snapshot().expect("one change");
        copy.contains_hash(ITEM)
    };
    walked_at_each_step("snapshot", is_copied);
}
