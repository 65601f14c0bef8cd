//! Tiny filters, with hashes that select the buckets and fingerprint of an item.

use lockfree_cuckoo::testing::Descriptors;
use lockfree_cuckoo::{
    CuckooFilter, Filter,
    filter::Fixed,
    layout::{Lanes, Layout},
};
use model::Fingerprint;
use model::geometry::Geometry;

/// The layout of a filter unless a model selects another.
pub type Default = Lanes<4, 16>;

/// Three fingerprints, each with a stripe of its own.
pub const F: Fingerprint = 0x1111;
/// The second fingerprint.
pub const G: Fingerprint = 0x2222;
/// The third fingerprint.
pub const H: Fingerprint = 0x3333;

/// Pairs of the bucket that a token is in, or comes from, and the bucket that another thread reads
/// first.
pub const ORDERS: [(usize, usize); 4] = [(0, 0), (0, 1), (1, 0), (1, 1)];

/// An item, by its hash and its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// The hash that calls use.
    pub hash: u64,
    /// Equal for items that a filter cannot distinguish.
    pub class: u64,
}

impl Item {
    /// Returns an item that is alone in its class.
    pub const fn alone(hash: u64) -> Self {
        Self { hash, class: hash }
    }
}

/// The search budget. It is more than a short search, so that both kinds are explored.
const BUDGET: usize = 16;

/// Returns a filter of two buckets, which are the candidates of every token.
pub fn pair<L: Layout>(descriptors: usize) -> Filter<Fixed<L>> {
    filter(2, descriptors, BUDGET)
}

/// Returns a filter of four buckets: the candidates of a token are two or three buckets apart,
/// depending on its fingerprint ([`near`], [`far`]).
pub fn square<L: Layout>(descriptors: usize) -> Filter<Fixed<L>> {
    filter(4, descriptors, BUDGET)
}

/// Returns a filter with this number of buckets, whose searches examine at most `budget` of them.
pub fn filter<L: Layout>(buckets: usize, descriptors: usize, budget: usize) -> Filter<Fixed<L>> {
    let builder = CuckooFilter::builder().layout::<L>().buckets(buckets);
    let builder = builder.descriptors(descriptors).search_budget(budget);
    builder.seed(0).build().expect("a valid size")
}

/// Returns a [`square`] with one descriptor, which adds more when that is taken.
pub fn square_that_adds_descriptors<L: Layout>() -> Filter<Fixed<L>> {
    let builder = CuckooFilter::builder().layout::<L>().buckets(4);
    let builder = builder.descriptors_from(1, 4).search_budget(BUDGET);
    builder.seed(0).build().expect("a valid size")
}

/// Returns the item of a [`pair`] with this fingerprint whose first candidate is `bucket`.
pub fn at(bucket: usize, fingerprint: Fingerprint) -> Item {
    at_of::<Default>(bucket, fingerprint)
}

/// Does the same in another layout.
pub fn at_of<L: Layout>(bucket: usize, fingerprint: Fingerprint) -> Item {
    item::<L>(2, bucket, fingerprint)
}

/// Returns the `n`-th item of a [`square`] with the candidates `bucket` and `bucket ^ 2`.
pub fn near(bucket: usize, n: usize) -> Item {
    apart::<Default>(2, bucket, n)
}

/// Returns the `n`-th item of a [`square`] with the candidates `bucket` and `bucket ^ 3`.
pub fn far(bucket: usize, n: usize) -> Item {
    apart::<Default>(3, bucket, n)
}

/// Returns the `n`-th item of a [`square`] in another layout with the candidates `bucket` and
/// `bucket ^ distance`, which is 2 or 3.
pub fn apart<L: Layout>(distance: usize, bucket: usize, n: usize) -> Item {
    let suitable = geometry::<L>(4).fingerprints(0, 1, n + 1, |other| other == distance);
    item::<L>(4, bucket, suitable[n])
}

fn geometry<L: Layout>(buckets: usize) -> Geometry {
    Geometry::with_buckets(model::Layout::of(L::SLOTS, L::FINGERPRINT_BITS), buckets)
}

fn item<L: Layout>(buckets: usize, bucket: usize, fingerprint: Fingerprint) -> Item {
    let geometry = geometry::<L>(buckets);
    let low = bucket.min(geometry.alternate(bucket, fingerprint));
    Item {
        hash: geometry.hash(bucket, fingerprint, 0),
        class: u64::from(fingerprint) << 2 | low as u64,
    }
}
