//! A snapshot that gets no memory is an error, whichever allocation fails, and the next one succeeds.

#[path = "common/allocations.rs"]
mod allocations;

use allocations::with_failing;
use lockfree_cuckoo::{CuckooFilter, GrowingCuckooFilter, SnapshotError};

/// The least that fails. Nobody asks whether the few bytes of a list can be had.
const FALLIBLE: usize = 128;

const ITEMS: usize = 4_000;

/// Takes a snapshot of a new filter for each allocation that can fail, then one with memory. `snapshot` returns the
/// number of items in it.
fn fails_and_succeeds<F>(
    filter: impl Fn() -> F,
    snapshot: impl Fn(&F) -> Result<usize, SnapshotError>,
) {
    let failures = (0..)
        .take_while(|&number| {
            let filter = filter();
            let failed = with_failing(number, FALLIBLE, || snapshot(&filter));
            let is_right = |result: &Result<_, _>| {
                matches!(result, Err(SnapshotError::OutOfMemory(error)) if error.bytes() > 0)
            };
            assert!(failed.as_ref().is_none_or(is_right), "allocation {number}: {failed:?}");
            assert_eq!(snapshot(&filter), Ok(ITEMS), "after allocation {number}");
            failed.is_some()
        })
        .count();
    // The log, the table, the versions and the descriptors, at least.
    assert!(failures >= 4, "{failures} allocations");
}

#[test]
fn without_memory_the_right_to_scan_is_given_back() {
    let filter = || (0..ITEMS).collect::<CuckooFilter>();
    fails_and_succeeds(filter, |filter| filter.snapshot().map(|copy| copy.len()));
}

#[test]
fn without_memory_a_filter_that_grows_can_be_copied_again() {
    let filter = || {
        let filter = GrowingCuckooFilter::with_capacity(30);
        (0..ITEMS).for_each(|item| filter.insert(&item).expect("memory"));
        assert!(filter.slots() > 4 * 30);
        // Ends a growth that is under way: what the epochs allocate for that cannot fail without an abort.
        filter.finish_doubling();
        filter
    };
    fails_and_succeeds(filter, |filter| filter.snapshot().map(|copy| copy.len()));
}
