//! Tiny filters, with hashes that put an item where a model wants it.

use lockfree_cuckoo::testing::Descriptors;
use lockfree_cuckoo::{CuckooFilter, Engine, Filter, Fixed, Lanes, Layout};
use loom::sync::Arc;
use loom::thread::{self, JoinHandle};
use model::Fingerprint;
use model::geometry::Geometry;

/// The layout of a filter unless another is asked for.
pub type Default = Lanes<4, 16>;

/// A filter of two buckets: every token has the candidates 0 and 1.
#[must_use]
pub fn pair(descriptors: usize) -> Arc<CuckooFilter> {
    of::<Default>(2, descriptors, BUDGET)
}

/// A [`pair`] of buckets of another layout.
#[must_use]
pub fn pair_of<L: Layout>(descriptors: usize) -> Arc<Filter<Fixed<L>>> {
    of(2, descriptors, BUDGET)
}

/// A [`square`] of buckets of another layout.
#[must_use]
pub fn square_of<L: Layout>(descriptors: usize) -> Arc<Filter<Fixed<L>>> {
    of(4, descriptors, BUDGET)
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
    of::<Default>(4, descriptors, budget)
}

/// Goes beyond the short search, so that both kinds are explored.
const BUDGET: usize = 16;

fn of<L: Layout>(buckets: usize, descriptors: usize, budget: usize) -> Arc<Filter<Fixed<L>>> {
    let filter = CuckooFilter::builder()
        .layout::<L>()
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
    in_pair_of::<Default>(bucket, fingerprint)
}

/// The same in a [`pair_of`] another layout.
#[must_use]
pub fn in_pair_of<L: Layout>(bucket: usize, fingerprint: Fingerprint) -> u64 {
    geometry::<L>(2).hash(bucket, fingerprint, 0)
}

fn geometry<L: Layout>(buckets: usize) -> Geometry {
    Geometry::with_buckets(model::Layout::of(L::SLOTS, L::FINGERPRINT_BITS), buckets)
}

/// The `n`-th item of a [`square`] with the candidates `bucket` and `bucket ^ 2`.
#[must_use]
pub fn near(bucket: usize, n: usize) -> u64 {
    apart::<Default>(2, bucket, n)
}

/// The `n`-th item of a [`square`] with the candidates `bucket` and `bucket ^ 3`.
#[must_use]
pub fn far(bucket: usize, n: usize) -> u64 {
    apart::<Default>(3, bucket, n)
}

/// The `n`-th item of a [`square_of`] a layout with the candidates `bucket` and `bucket ^ distance`, which is 2 or 3.
#[must_use]
pub fn apart<L: Layout>(distance: usize, bucket: usize, n: usize) -> u64 {
    let square = geometry::<L>(4);
    let suitable = square.fingerprints(0, 1, n + 1, |other| other == distance);
    square.hash(bucket, suitable[n], 0)
}

/// Inserts items, one copy of each.
pub fn fill<E: Engine>(filter: &Filter<E>, items: impl IntoIterator<Item = u64>) {
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
