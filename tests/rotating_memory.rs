//! The memory of filters that rotate.
//!
//! 1. `memory_usage` is what construction allocates. After it no call allocates, rotations least of all.
//! 2. Memory that cannot be had is an error, whichever allocation fails, and nothing is kept.
//! 3. Reading takes no more than three times the input and 1,280 KiB, whatever the input claims.

#[path = "common/allocations.rs"]
mod allocations;

use allocations::{cost_of, with_failing};
use lockfree_cuckoo::{
    BuildError, ReadError, RotatingCuckooFilter, RotatingCuckooFilterBuilder, SnapshotError,
};
use model::stored;

/// What a filter may have besides its tables.
const FIXED: usize = 1_280 << 10;

/// What a reader may be trusted with.
const AHEAD: usize = 1 << 19;

fn builder(capacity: usize, generations: usize) -> RotatingCuckooFilterBuilder {
    let builder = RotatingCuckooFilter::builder().seed(1);
    builder.capacity(capacity).generations(generations)
}

/// A stored filter with items in each generation.
fn written(capacity: usize, generations: usize) -> Vec<u8> {
    let mut filter = builder(capacity, generations).build().expect("memory");
    for generation in 0..generations {
        for item in 0..capacity / 2 {
            filter.insert(&(generation, item)).expect("sized for it");
        }
        filter.rotate().expect("alone");
    }
    filter.to_bytes()
}

#[test]
fn construction_allocates_all_that_is_used() {
    for generations in [2, 3, 15] {
        let (built, cost) = cost_of(|| builder(10_000, generations).build());
        let filter = built.expect("memory");
        assert_eq!(cost.kept + size_of_val(&filter), filter.memory_usage());
        // The first write of a thread takes a number for it.
        filter.insert(&0u64).expect("room");
        let (_, cost) = cost_of(|| {
            for item in 0..30_000u64 {
                if filter.remaining() < 2 {
                    filter.rotate().expect("alone");
                }
                filter.insert_unique(&item).expect("room");
                filter.insert(&item).expect("room");
                assert!(filter.contains(&item) && filter.count(&item) > 0);
                if item % 3 == 0 {
                    assert!(filter.remove(&item));
                }
            }
        });
        assert!(filter.rotations() > 2);
        assert_eq!((cost.peak, cost.kept), (0, 0));
    }
}

#[test]
fn memory_that_cannot_be_had_is_an_error() {
    let bytes = written(50_000, 3);
    let filter = RotatingCuckooFilter::from_bytes(&bytes).expect("sound");
    let build = || match builder(50_000, 3).build() {
        Err(error) => BuildError::is_out_of_memory(&error),
        Ok(_) => false,
    };
    let read = || {
        matches!(
            RotatingCuckooFilter::from_bytes(&bytes),
            Err(ReadError::OutOfMemory(_))
        )
    };
    let copy = || matches!(filter.snapshot(), Err(SnapshotError::OutOfMemory(_)));
    let fresh = || filter.fresh().is_err();
    // The logs of a first snapshot stay.
    filter.snapshot().expect("memory");
    for call in [&build as &dyn Fn() -> bool, &read, &copy, &fresh] {
        let mut failures = 0;
        loop {
            let (failed, cost) = cost_of(|| with_failing(failures, 0, call));
            let Some(failed) = failed else { break };
            assert!(failed, "allocation {failures}");
            assert_eq!(cost.kept, 0, "allocation {failures}");
            failures += 1;
        }
        // Four for each table, and the list of tables, at least.
        assert!(failures > 16, "{failures}");
    }
    assert!(filter.snapshot().is_ok());
}

#[test]
fn reading_costs_no_more_than_the_input() {
    for (capacity, generations) in [(8, 15), (10_000, 2), (300_000, 2), (300_000, 5)] {
        let bytes = written(capacity, generations);
        let (read, cost) = cost_of(|| RotatingCuckooFilter::from_bytes(&bytes));
        let read = read.expect("sound");
        assert_eq!(cost.kept + size_of_val(&read), read.memory_usage());
        // And a table for the spare.
        let most = bytes.len() / generations * (generations + 1) + FIXED;
        assert!(cost.peak <= most, "{}", cost.peak);
        let (read, cost) = cost_of(|| RotatingCuckooFilter::read_from(bytes.as_slice()));
        assert!(read.is_ok());
        assert!(cost.peak <= 3 * bytes.len() + FIXED, "{}", cost.peak);
    }
}

#[test]
fn a_claim_costs_nothing() {
    for log in 4..64 {
        let mut bytes = written(8, 15);
        stored::BUCKETS.set(&mut bytes, 1 << log);
        stored::repair(&mut bytes);
        let (read, cost) = cost_of(|| RotatingCuckooFilter::from_bytes(&bytes));
        let error = read.expect_err("there are two buckets");
        let told = matches!(
            error,
            ReadError::Truncated { .. } | ReadError::TooLarge { .. } | ReadError::Checksum
        );
        assert!(told, "2^{log} buckets: {error}");
        assert!(cost.peak <= AHEAD, "2^{log} buckets: {}", cost.peak);
        let (read, cost) = cost_of(|| RotatingCuckooFilter::read_from(bytes.as_slice()));
        assert!(read.is_err());
        assert!(cost.largest <= AHEAD, "2^{log} buckets: {}", cost.largest);
    }
}

#[test]
fn writing_takes_no_memory() {
    let mut filter = builder(100_000, 3).build().expect("memory");
    filter.insert("a").expect("room");
    let (result, cost) = cost_of(|| filter.write_to(std::io::sink()));
    result.expect("a sink takes all");
    assert_eq!(cost.peak, 0);
    let (bytes, cost) = cost_of(|| filter.to_bytes());
    assert_eq!(cost.peak, bytes.len());
}
