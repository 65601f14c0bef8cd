//! Construction and copies: the memory they take, and the error if there is none.

use std::fmt::Debug;
use std::io;
use std::sync::Once;

use lockfree_cuckoo::{
    BuildError, DynFilter, Filter, FilterBuilder, RandomState, SnapshotError,
    filter::{Buildable, Fixed, Rotating},
    layout::Shape,
};

use crate::allocations::{FAILING, cost_of, learn_of_epochs, with_some_failing};
use crate::alone;
use crate::engines::Kind;

of_every_engine! {
    memory_that_cannot_be_had_is_an_error
    scan_right_is_given_back
}

/// Builds the first filter of a process, which asks for the number of processors. Without memory
/// for the answer it goes on. (If memory is there for the check but not when the standard library
/// takes it, the process ends. So that is not tested.)
pub(crate) fn first_of_the_process() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        learn_of_epochs();
        let build = || Filter::<Fixed>::builder().capacity(8).build();
        // To read a number that is told takes memory, and nothing asks the system then.
        if std::env::var_os("LOCKFREE_CUCKOO_PROCESSORS").is_some() {
            build().expect("memory");
        }
        let (result, cost) = cost_of(|| with_some_failing(0, usize::MAX, build));
        assert!(matches!(result, Some(Err(BuildError::OutOfMemory(_)))));
        assert_eq!((cost.peak, cost.kept), (0, 0));
        build().expect("memory");
    });
}

#[test]
fn construction_allocates_all_that_is_used() {
    alone(|| {
        allocates_all_that_is_used(Filter::<Fixed>::builder());
        for generations in [2, 3, 15] {
            allocates_all_that_is_used(Filter::<Rotating>::builder().generations(generations));
        }
    });
}

fn allocates_all_that_is_used<E: Buildable>(builder: FilterBuilder<E>) {
    let builder = builder.capacity(10_000).seed(1);
    let (measures, cost) = cost_of(|| builder.measure());
    assert_eq!((cost.peak, cost.kept), (0, 0));
    let (built, cost) = cost_of(|| builder.build());
    let filter = built.expect("memory");
    assert_eq!(cost.kept + size_of_val(&filter), filter.memory_usage());
    let measured = measures.map(|measures| measures.memory_usage);
    assert_eq!(measured, Ok(filter.memory_usage()));
    // The first write of a thread takes a number for the thread.
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
    let build = || Filter::<E>::builder().capacity(5_000).build();
    let new = DynFilter::from(build().expect("memory")).tables();
    whichever_allocation_fails(E::PARTS * new, build);
    // A reader moves a small table seldom, and a large one often.
    let (small, large) = E::sound()
        .into_iter()
        .partition::<Vec<_>, _>(|(_, bytes)| bytes.len() < 512 << 10);
    let size = |(_, bytes): &(usize, Vec<u8>)| bytes.len();
    for stored in [
        small.into_iter().max_by_key(size),
        large.into_iter().min_by_key(size),
    ] {
        let (tables, bytes) = stored.expect("some");
        let all = E::PARTS * tables;
        let filter = Filter::<E>::from_bytes(&bytes).expect("sound");
        // The logs of a snapshot stay.
        filter.snapshot().expect("memory");
        whichever_allocation_fails(all, || Filter::<E>::from_bytes(&bytes));
        whichever_allocation_fails(all, || Filter::<E>::read_from(bytes.as_slice()));
        whichever_allocation_fails(all, || filter.snapshot());
        whichever_allocation_fails(E::PARTS * new, || filter.empty_like());
        whichever_allocation_fails(1, || filter.to_bytes());
    }
    // A filter of a type chosen at run time is in a box too.
    let bytes = build().expect("memory").to_bytes().expect("quiet");
    let boxed = DynFilter::<RandomState>::from_bytes(&bytes).expect("sound");
    boxed.snapshot().expect("memory");
    let all = E::PARTS * new.min(2) + 1;
    whichever_allocation_fails(all, || DynFilter::<RandomState>::from_bytes(&bytes));
    whichever_allocation_fails(all, || DynFilter::<RandomState>::read_from(&*bytes));
    whichever_allocation_fails(all, || boxed.snapshot());
    whichever_allocation_fails(all, || boxed.empty_like());
    whichever_allocation_fails(1, || boxed.to_bytes());
}

/// There is no memory for a filter whose layout is chosen at run time.
#[test]
fn no_memory_for_chosen_layout() {
    alone(|| {
        for &shape in Shape::ALL {
            let fixed = || Filter::<Fixed>::builder().capacity(3_000);
            let rotating = || Filter::<Rotating>::builder().capacity(3_000);
            whichever_allocation_fails(Fixed::PARTS + 1, || fixed().build_shape(shape));
            whichever_allocation_fails(3 * Rotating::PARTS + 1, || rotating().build_shape(shape));
        }
        let smallest = || {
            Filter::<Fixed>::builder()
                .capacity(3_000)
                .build_smallest(0.01)
        };
        whichever_allocation_fails(Fixed::PARTS + 1, smallest);
    });
}

/// The error has the size that could not be allocated, and nothing is kept.
fn whichever_allocation_fails<T, X: Debug>(fewest: usize, call: impl Fn() -> Result<T, X>) {
    let kind = "OutOfMemory { bytes: ";
    for count in FAILING {
        let mut failures = 0;
        let fails = |number| cost_of(|| with_some_failing(number, count, &call));
        while let (Some(result), cost) = fails(failures) {
            let error = format!("{:?}", result.err());
            let (_, bytes) = error.split_once(kind).expect(&error);
            assert!(!bytes.starts_with('0'), "{error}");
            assert_eq!(cost.kept, 0, "allocation {failures}");
            failures += 1;
        }
        assert!(failures >= fewest, "{failures}, not {fewest}");
    }
    assert!(call().is_ok(), "not with memory either");
}

/// Standard I/O has its own kind of error for this. Nothing is written.
#[test]
fn memory_to_write_a_filter_cannot_be_had() {
    alone(|| {
        for count in FAILING {
            let filter = Fixed::filled(1_000);
            let mut written = Vec::new();
            let result = with_some_failing(0, count, || filter.write_to(&mut written));
            let error = result
                .expect("bytes are allocated")
                .expect_err("there are none");
            assert_eq!(
                (error.kind(), written.len()),
                (io::ErrorKind::OutOfMemory, 0)
            );
            filter.write_to(&mut written).expect("memory");
            Filter::<Fixed>::from_bytes(&written).expect("all is there");
        }
    });
}

/// Without memory for a snapshot, the right to scan is given back.
fn scan_right_is_given_back<E: Kind>() {
    for (items, count) in [(4_000, 1), (20_000, 1), (4_000, usize::MAX)] {
        let mut failures = 0;
        loop {
            let filter = E::filled(items);
            let failed = with_some_failing(failures, count, || filter.snapshot());
            let copy = filter.snapshot().map(|copy| copy.len());
            assert_eq!(copy, Ok(filter.len()), "after allocation {failures}");
            match failed {
                None => break,
                Some(Err(SnapshotError::OutOfMemory(error))) => assert!(error.bytes() > 0),
                Some(other) => panic!("allocation {failures}: {other:?}"),
            }
            failures += 1;
        }
        // At least the log, the table, the versions and the descriptors.
        assert!(failures >= 4, "{failures} allocations");
    }
}
