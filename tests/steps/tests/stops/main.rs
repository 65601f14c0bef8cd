//! Races with stopped threads, by what the stopped call is.
#![cfg(lockfree_cuckoo_steps)]

mod admissions;
mod references;
mod refusals;
mod relocations;
mod sealing;
mod snapshots;
mod versions;
mod walks;

use lockfree_cuckoo::testing::{AddSegment, Descriptors};
use lockfree_cuckoo::{CuckooFilter, CuckooFilterBuilder, GrowingCuckooFilter, RandomState};

/// A filter that grows, with a segment of so many buckets as the target in front of the first one, of two buckets.
/// Both are empty.
fn growing(buckets: usize) -> GrowingCuckooFilter {
    let filter = first_segment();
    assert!(filter.add_segment(buckets));
    filter
}

/// A filter that grows, with a segment of two buckets.
fn first_segment() -> GrowingCuckooFilter {
    let builder = GrowingCuckooFilter::builder().capacity(8).seed(1);
    builder.build().expect("memory")
}

/// A filter of so many buckets, which must be a power of two.
fn table(buckets: usize, search_budget: usize) -> CuckooFilter {
    CuckooFilterBuilder::with_hasher(RandomState::with_seed(1))
        .buckets(buckets)
        .search_budget(search_budget)
        .descriptors(2)
        .build()
        .expect("memory")
}

/// The hash of an item with a fingerprint and, in a table of 2 to the power of `log` buckets, a first candidate.
fn hash(log: u32, first: u64, fingerprint: u64) -> u64 {
    first << (u64::BITS - log) | fingerprint
}

/// The other candidate, in such a table: the documented geometry.
fn alternate(log: u32, bucket: u64, fingerprint: u64) -> u64 {
    let mixed = fingerprint.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63;
    bucket ^ mixed >> (u64::BITS - log)
}
