//! The segment that takes inserts is never one that is sealed, or will be.
//!
//! A sealed segment that is empty is taken out of the list, since no insert can come to it. If it were the target,
//! the next growth would make it such a segment at once, while an insert that has loaded the old list is on its way
//! to it: that insert would be answered `Ok`, and its item lost.

#![allow(
    clippy::disallowed_types,
    reason = "the tests look at the crate from outside; the model checker is not involved"
)]

#[path = "common/allocations.rs"]
#[allow(dead_code, reason = "costs are measured elsewhere")]
mod allocations;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use allocations::with_failing;
use lockfree_cuckoo::testing::AddSegment;
use lockfree_cuckoo::{Filter, Growing};

/// A filter that grows by segments.
type Chain<S = lockfree_cuckoo::RandomState> = Filter<Growing, S>;

/// The least that fails. Nobody asks whether the few bytes of a list can be had.
const FALLIBLE: usize = 512;

/// One test at a time: what one holds up is held up for the whole process.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn filter() -> Chain {
    let builder = Chain::builder().capacity(8).seed(1);
    builder.build().expect("memory")
}

/// Gives what is deferred, as far as no thread is in its way, the time to run.
fn run_what_is_deferred() {
    for _ in 0..1_000 {
        crossbeam_epoch::pin().flush();
        thread::yield_now();
    }
}

/// Demands that the target of a filter that is empty stays when it is replaced.
#[track_caller]
fn assert_stays(filter: &Chain) {
    assert_eq!((filter.segments(), filter.len()), (1, 0));
    // Stands for an insert that has loaded the list and is stopped.
    let insert_under_way = crossbeam_epoch::pin();
    assert!(filter.add_segment(8));
    // So that the new segment is not replaced as well.
    filter.insert("resident").expect("room");
    filter.shrink_to_fit();
    assert_eq!(
        filter.segments(),
        2,
        "taken out while an insert may be under way"
    );
    drop(insert_under_way);
}

/// A filter of two segments that is cleared without the memory for a new one. `number`: the allocation that fails.
/// `held`: what was deferred when the first target was replaced can run only afterwards.
fn cleared_without_memory(number: usize, held: bool) -> Option<Chain> {
    let mut filter = filter();
    let hold = held.then(crossbeam_epoch::pin);
    for item in 0..4 {
        filter.insert(&item).expect("room");
    }
    assert!(filter.add_segment(4));
    for item in 4..8 {
        filter.insert(&item).expect("room");
    }
    run_what_is_deferred();
    let failed = with_failing(number, FALLIBLE, || filter.clear()).is_some();
    drop(hold);
    run_what_is_deferred();
    failed.then_some(filter)
}

/// Clears without memory, at each allocation that can fail.
fn each_cleared_without_memory(check: impl Fn(Chain)) {
    for held in [false, true] {
        let cleared = (0..).map_while(|number| cleared_without_memory(number, held));
        // The versions, the descriptors and the cells of the count, at least.
        assert!(cleared.map(&check).count() >= 2);
    }
}

#[test]
fn clear_without_memory_goes_on_with_one_that_is_not_sealed() {
    let _turn = alone();
    each_cleared_without_memory(|filter| assert_stays(&filter));
}

#[test]
fn clear_without_memory_removes_all_items_and_keeps_one_segment() {
    let _turn = alone();
    let start = filter().memory_usage();
    each_cleared_without_memory(|mut filter| {
        assert_eq!((filter.segments(), filter.len()), (1, 0));
        assert!((0..8).all(|item| filter.count(&item) == 0));
        filter.insert("a").expect("room");
        assert!(filter.contains("a") && filter.remove("a"));
        filter.shrink_to_fit();
        run_what_is_deferred();
        filter.shrink_to_fit();
        // Frees what is parked.
        filter.set_max_memory_usage(usize::MAX);
        assert_eq!(filter.memory_usage(), start, "the first size");
    });
}

#[test]
fn a_copy_has_a_target_that_is_not_sealed() {
    let _turn = alone();
    let mut filter = filter();
    assert_stays(&filter.try_clone().expect("memory"));
    assert_stays(&filter.snapshot().expect("nobody writes"));
    assert_stays(&Chain::from_bytes(&filter.to_bytes()).expect("as written"));
    filter.clear();
    assert_stays(&filter);
}
