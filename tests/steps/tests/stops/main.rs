//! Races with stopped threads, by what the stopped call is.
#![cfg(lockfree_cuckoo_steps)]

mod alone;
mod arrivals;
mod copies;
mod doubling;
mod doubling_admissions;
mod exhausted;
mod giving_back;
mod growths;
mod nested;
mod references;
mod refusals;
mod refused_rotations;
mod relocations;
mod rotating_admissions;
mod rotations;
mod snapshots;
mod splits;
mod versions;
mod walks;

use lockfree_cuckoo::testing::Descriptors;
use lockfree_cuckoo::{CuckooFilter, CuckooFilterBuilder, RandomState};
use model::Layout;
use model::geometry::Geometry;

/// Lets what is deferred run, unless somebody is pinned: so that it is no access of a thread that is to stop.
fn run_what_is_deferred() {
    (0..16).for_each(|_| crossbeam_epoch::pin().flush());
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

/// The other candidate, in such a table.
fn alternate(log: u32, bucket: u64, fingerprint: u64) -> u64 {
    let geometry = Geometry::with_buckets(Layout::DEFAULT, 1 << log);
    let fingerprint = u32::try_from(fingerprint).expect("a fingerprint");
    geometry.alternate(bucket as usize, fingerprint) as u64
}
