//! What memory reading and writing take, whatever the input claims.
//!
//! 1. From bytes, no more than they are and a fixed sum; nothing of note before their length is checked.
//! 2. From a reader, in one piece no more than 512 KiB or twice what has come; in all, no more than three times
//!    that and 640 KiB.
//! 3. Memory that cannot be had is an error, whichever allocation fails, and nothing is kept.
//! 4. Writing takes none. Chunks take the memory of the header, whatever the size.

#[path = "common/allocations.rs"]
mod allocations;
use std::io::{self, Read};

use allocations::{cost_of, with_failing};
use lockfree_cuckoo::{CuckooFilter, ReadError};
use model::stored;

/// What a filter has besides its table: descriptors, version counters, item counters; and what a reader's
/// error may allocate.
const FIXED: usize = 1 << 17;

/// What a reader may be trusted with.
const AHEAD: usize = 1 << 19;

fn written(buckets: usize) -> Vec<u8> {
    let builder = CuckooFilter::builder().buckets(buckets).seed(1);
    let mut filter = builder.build().expect("memory");
    for item in 0..filter.capacity() {
        filter.insert(&item).expect("sized for it");
    }
    filter.to_bytes()
}

/// A stored filter that says it has so many buckets, with checksums that match.
fn claiming(buckets: u64, items: u64) -> Vec<u8> {
    let mut bytes = written(2);
    stored::BUCKETS.set(&mut bytes, buckets);
    stored::ITEMS.set(&mut bytes, items);
    stored::repair(&mut bytes);
    bytes
}

#[test]
fn a_claim_costs_nothing() {
    for log in 2..64 {
        for factor in [1u64, 3, 31] {
            let Some(buckets) = factor.checked_mul(1 << log) else {
                continue;
            };
            let bytes = claiming(buckets, 8);
            let (read, cost) = cost_of(|| CuckooFilter::from_bytes(&bytes));
            let error = read.expect_err("there are two buckets");
            let told = matches!(
                error,
                ReadError::Truncated { .. } | ReadError::TooLarge { .. }
            );
            assert!(told, "{buckets} buckets: {error}");
            assert_eq!(cost.peak, 0, "{buckets} buckets");

            let (read, cost) = cost_of(|| CuckooFilter::read_from(bytes.as_slice()));
            assert!(read.is_err());
            assert!(cost.peak <= AHEAD, "{buckets} buckets: {}", cost.peak);
        }
    }
}

#[test]
fn bytes_cost_no_more_than_they_are() {
    for buckets in [2, 24, 1 << 10, 31 << 10, 1 << 20] {
        let mut bytes = written(buckets);
        let (read, cost) = cost_of(|| CuckooFilter::from_bytes(&bytes));
        assert_eq!(
            cost.kept + size_of_val(&read),
            read.expect("sound").memory_usage()
        );
        assert!(cost.peak <= bytes.len() + FIXED, "{buckets}: {}", cost.peak);

        // If something is wrong that shows only at the end, the table is all that was allocated.
        *bytes.last_mut().expect("not empty") ^= 1;
        let (read, cost) = cost_of(|| CuckooFilter::from_bytes(&bytes));
        assert!(matches!(read, Err(ReadError::Checksum)));
        assert_eq!(cost.peak, 8 * buckets);
        assert_eq!(cost.kept, 0);
    }
}

#[test]
fn a_reader_costs_no_more_than_it_gives() {
    let large = 1 << 20;
    let bytes = written(large);
    let mut claiming = bytes.clone();
    stored::BUCKETS.set(&mut claiming, 1 << 40);
    stored::repair(&mut claiming);
    let ends = (0..24).map(|log| 1 << log).chain([bytes.len() - 1]);
    for end in ends.filter(|&end| end < bytes.len()) {
        for bytes in [&bytes[..end], &claiming[..end]] {
            let (read, cost) = cost_of(|| CuckooFilter::read_from(bytes));
            assert!(matches!(read, Err(ReadError::Truncated { .. })));
            assert!(
                cost.largest <= AHEAD.max(2 * end),
                "{end}: {}",
                cost.largest
            );
            // While the table is moved to where there is more room, it is there twice.
            assert!(cost.peak <= AHEAD.max(3 * end), "{end}: {}", cost.peak);
            assert_eq!(cost.kept, 0);
        }
    }
    let (read, cost) = cost_of(|| CuckooFilter::read_from(bytes.as_slice()));
    assert_eq!(
        cost.kept + size_of_val(&read),
        read.expect("sound").memory_usage()
    );
    assert_eq!(cost.largest, 8 * large);
    assert!(cost.peak <= 3 * bytes.len() + AHEAD + FIXED);
}

#[test]
fn an_endless_reader_is_not_believed_either() {
    // Zeros are empty buckets, as good as any; it ends after 8 MiB.
    let bytes = claiming(1 << 40, 0);
    let given = 8 << 20;
    let endless = bytes[..stored::HEADER].chain(io::repeat(0)).take(given);
    let (read, cost) = cost_of(|| CuckooFilter::read_from(endless));
    assert!(matches!(read, Err(ReadError::Truncated { found, .. }) if found == given));
    assert!(cost.peak <= 3 * given as usize, "{}", cost.peak);
}

#[test]
fn memory_that_cannot_be_had_is_an_error() {
    let bytes = written(1 << 18);
    let from_bytes = || CuckooFilter::from_bytes(&bytes);
    let read_from = || CuckooFilter::read_from(bytes.as_slice());
    for read in [
        &from_bytes as &dyn Fn() -> Result<CuckooFilter, ReadError>,
        &read_from,
    ] {
        let mut failures = 0;
        loop {
            let (read, cost) = cost_of(|| with_failing(failures, 0, read));
            match read {
                None => break,
                Some(Err(ReadError::OutOfMemory(error))) => assert!(error.bytes() > 0),
                Some(other) => panic!("allocation {failures}: {other:?}"),
            }
            assert_eq!(cost.kept, 0, "allocation {failures}");
            failures += 1;
        }
        // The table, the versions, the descriptors and the counters, at least.
        assert!(failures >= 4, "{failures}");
    }
}

#[test]
fn writing_takes_no_memory() {
    let mut filter = CuckooFilter::with_capacity(100_000);
    filter.insert("a").expect("room");
    let (result, cost) = cost_of(|| filter.write_to(io::sink()));
    result.expect("a sink takes all");
    assert_eq!(cost.peak, 0);
    let (bytes, cost) = cost_of(|| filter.to_bytes());
    assert_eq!(cost.peak, bytes.len());
}

#[test]
fn chunks_take_the_memory_of_a_header() {
    for buckets in [2, 1 << 16] {
        let bytes = written(buckets);
        let filter = CuckooFilter::from_bytes(&bytes).expect("sound");
        let (chunks, cost) = cost_of(|| filter.chunks());
        assert!(cost.peak <= 512, "{buckets}: {}", cost.peak);
        let mut chunks = chunks.expect("memory");
        let mut chunk = [0; 1 << 10];
        let (stored, cost) = cost_of(|| {
            let mut stored = 0;
            while stored < bytes.len() {
                stored += chunks.next_chunk(&mut chunk).expect("nobody writes");
            }
            stored
        });
        assert_eq!((stored, cost.peak), (bytes.len(), 0));
    }
}
