//! Tiny filters, with hashes that put an item where a model wants it.

use lockfree_cuckoo::testing::Descriptors;
use lockfree_cuckoo::{CuckooFilter, Filter, Fixed, Lanes};
use loom::sync::Arc;
use loom::thread::{self, JoinHandle};
use model::geometry::Geometry;
use model::{Fingerprint, Layout};

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

/// A filter with values of four bits.
pub type Valued = Filter<Fixed<Lanes<4, 12, 4>>>;

/// A [`pair`] with values.
#[must_use]
pub fn valued_pair(descriptors: usize) -> Arc<Valued> {
    let filter = CuckooFilter::builder()
        .layout::<Lanes<4, 12, 4>>()
        .buckets(2)
        .descriptors(descriptors)
        .search_budget(BUDGET)
        .seed(0)
        .build()
        .expect("a valid size");
    Arc::new(filter)
}

/// An item of a [`valued_pair`] whose first candidate is `bucket`.
#[must_use]
pub fn in_valued_pair(bucket: usize, fingerprint: Fingerprint) -> u64 {
    Geometry::with_buckets(Layout::of_lanes(4, 12), 2).hash(bucket, fingerprint, 0)
}

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
pub fn in_pair(bucket: usize, fingerprint: Fingerprint) -> u64 {
    Geometry::with_buckets(Layout::DEFAULT, 2).hash(bucket, fingerprint, 0)
}

/// The `n`-th item of a [`square`] with the candidates `bucket` and `bucket ^ 2`.
#[must_use]
pub fn near(bucket: usize, n: usize) -> u64 {
    apart(2, bucket, n)
}

/// The `n`-th item of a [`square`] with the candidates `bucket` and `bucket ^ 3`.
#[must_use]
pub fn far(bucket: usize, n: usize) -> u64 {
    apart(3, bucket, n)
}

fn apart(distance: usize, bucket: usize, n: usize) -> u64 {
    let square = Geometry::with_buckets(Layout::DEFAULT, 4);
    let suitable = square.fingerprints(0, 1, n + 1, |other| other == distance);
    square.hash(bucket, suitable[n], 0)
}

/// Inserts items, one copy of each.
pub fn fill(filter: &CuckooFilter, items: impl IntoIterator<Item = u64>) {
    for item in items {
        filter.insert_hash(item).expect("room");
    }
}

/// Starts a thread that works on the same filter.
pub fn spawn<F: 'static, R: 'static>(
    filter: &Arc<F>,
    work: impl FnOnce(&F) -> R + 'static,
) -> JoinHandle<R> {
    let filter = filter.clone();
    thread::spawn(move || work(&filter))
}
