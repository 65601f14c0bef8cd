//! Tiny filters, with hashes that put an item where a model wants it.

use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo::testing::Descriptors;
use loom::sync::Arc;
use loom::thread::{self, JoinHandle};

/// A filter of two buckets: every token has the candidates 0 and 1.
#[must_use]
pub fn pair(descriptors: usize) -> Arc<CuckooFilter> {
    of(2, descriptors, BUDGET)
}

/// A filter of four buckets: the candidates of a token are two or three buckets apart, as its fingerprint
/// says ([`near`], [`far`]).
#[must_use]
pub fn square(descriptors: usize) -> Arc<CuckooFilter> {
    square_with_budget(descriptors, BUDGET)
}

/// A [`square`] whose searches examine this many buckets at most.
#[must_use]
pub fn square_with_budget(descriptors: usize, budget: usize) -> Arc<CuckooFilter> {
    of(4, descriptors, budget)
}

/// Goes beyond the short search, so that both kinds are explored.
const BUDGET: usize = 16;

fn of(buckets: usize, descriptors: usize, budget: usize) -> Arc<CuckooFilter> {
    let filter = CuckooFilter::builder()
        .buckets(buckets)
        .descriptors(descriptors)
        .search_budget(budget)
        .seed(0)
        .build()
        .expect("a valid size");
    Arc::new(filter)
}

/// An item of a [`pair`] whose first candidate is `bucket`.
#[must_use]
pub fn in_pair(bucket: u64, fingerprint: u16) -> u64 {
    bucket << 63 | u64::from(fingerprint)
}

/// The `n`-th item of a [`square`] with the candidates `bucket` and `bucket ^ 2`.
#[must_use]
pub fn near(bucket: u64, n: usize) -> u64 {
    apart(2, bucket, n)
}

/// The `n`-th item of a [`square`] with the candidates `bucket` and `bucket ^ 3`.
#[must_use]
pub fn far(bucket: u64, n: usize) -> u64 {
    apart(3, bucket, n)
}

/// The geometry's own rule, for four buckets, searched for fingerprints that suit.
fn apart(distance: u64, bucket: u64, n: usize) -> u64 {
    let suits = |f: &u64| (f.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63) >> 62 == distance;
    let fingerprint = (1..=u64::from(u16::MAX))
        .filter(suits)
        .nth(n)
        .expect("half of all suit");
    bucket << 62 | fingerprint
}

/// Inserts items, one copy of each.
pub fn fill(filter: &CuckooFilter, items: impl IntoIterator<Item = u64>) {
    for item in items {
        filter.insert_hash(item).expect("room");
    }
}

/// Starts a thread that works on the same filter.
pub fn spawn<R: 'static>(
    filter: &Arc<CuckooFilter>,
    work: impl FnOnce(&CuckooFilter) -> R + 'static,
) -> JoinHandle<R> {
    let filter = filter.clone();
    thread::spawn(move || work(&filter))
}
