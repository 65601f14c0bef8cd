//! What construction takes, and what happens if that, or what a copy needs, cannot be had.

use std::fmt::Debug;

use lockfree_cuckoo::{
    Buildable, DynFilter, Filter, FilterBuilder, Fixed, ReadError, Rotating, SnapshotError,
};

use crate::allocations::{cost_of, with_failing};
use crate::alone;
use crate::engines::Kind;

of_every_engine! {
    memory_that_cannot_be_had_is_an_error
    without_memory_the_right_to_scan_is_given_back
}

#[test]
fn construction_allocates_all_that_is_used() {
    let _turn = alone();
    allocates_all_that_is_used(Filter::<Fixed>::builder());
    for generations in [2, 3, 15] {
        allocates_all_that_is_used(Filter::<Rotating>::builder().generations(generations));
    }
}

fn allocates_all_that_is_used<E: Buildable>(builder: FilterBuilder<E>) {
    let (built, cost) = cost_of(|| builder.capacity(10_000).seed(1).build());
    let filter = built.expect("memory");
    assert_eq!(cost.kept + size_of_val(&filter), filter.memory_usage());
    // The first write of a thread takes a number for it.
    filter.insert(&0u64).expect("room");
    let filter = DynFilter::from(filter);
    let rotating = filter.rotating();
    let (_, cost) = cost_of(|| {
        for item in 0..30_000u64 {
            if filter.is_full() {
                let Some(rotating) = rotating else { break };
                rotating.rotate().expect("alone");
            }
            filter.insert_unique(&item).expect("room");
            filter.insert(&item).expect("room");
            assert!(filter.contains(&item) && filter.count(&item) > 0);
            assert!(item % 3 > 0 || filter.remove(&item));
        }
    });
    assert!(rotating.is_none_or(|rotating| rotating.rotations() > 2));
    assert_eq!((cost.peak, cost.kept), (0, 0));
}

fn memory_that_cannot_be_had_is_an_error<E: Kind>() {
    let build = || Filter::<E>::builder().capacity(50_000).build();
    let new = DynFilter::from(build().expect("memory")).tables();
    // More than a reader may be trusted with: its table moves.
    let (tables, bytes) = E::sound().pop().expect("some");
    let filter = Filter::<E>::from_bytes(&bytes).expect("sound");
    // Its logs stay.
    filter.snapshot().expect("memory");
    whichever_allocation_fails(new, build);
    whichever_allocation_fails(tables, || Filter::<E>::from_bytes(&bytes));
    whichever_allocation_fails(tables, || Filter::<E>::read_from(bytes.as_slice()));
    whichever_allocation_fails(tables, || filter.snapshot());
    whichever_allocation_fails(new, || filter.empty_like().map_err(ReadError::from));
}

/// The error says how much could not be had, and nothing is kept.
fn whichever_allocation_fails<E: Kind, X: Debug>(
    tables: usize,
    call: impl Fn() -> Result<Filter<E>, X>,
) {
    let kind = "OutOfMemory(OutOfMemory { bytes: ";
    let mut failures = 0;
    let fails = |number| cost_of(|| with_failing(number, E::FALLIBLE, &call));
    while let (Some(result), cost) = fails(failures) {
        let error = format!("{:?}", result.err());
        let (_, bytes) = error.split_once(kind).expect(&error);
        assert!(!bytes.starts_with('0'), "{error}");
        assert_eq!(cost.kept, 0, "allocation {failures}");
        failures += 1;
    }
    assert!(failures >= E::PARTS * tables, "{failures}, {tables} tables");
    assert!(call().is_ok(), "not with memory either");
}

fn without_memory_the_right_to_scan_is_given_back<E: Kind>() {
    for items in [4_000, 20_000] {
        let mut failures = 0;
        loop {
            let filter = E::filled(items);
            // Nobody asks whether the few bytes of a list can be had.
            let failed = with_failing(failures, 128, || filter.snapshot());
            let copy = filter.snapshot().map(|copy| copy.len());
            assert_eq!(copy, Ok(filter.len()), "after allocation {failures}");
            match failed {
                None => break,
                Some(Err(SnapshotError::OutOfMemory(error))) => assert!(error.bytes() > 0),
                Some(other) => panic!("allocation {failures}: {other:?}"),
            }
            failures += 1;
        }
        // The log, the table, the versions and the descriptors, at least.
        assert!(failures >= 4, "{failures} allocations");
    }
}
