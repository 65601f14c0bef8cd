//! Tiny filters, with hashes that put an item where a model wants it.

use lockfree_cuckoo::testing::Descriptors;
use lockfree_cuckoo::{CuckooFilter, Filter, Fixed, Lanes, Layout};
use model::Fingerprint;
use model::geometry::Geometry;

/// The layout of a filter unless another is asked for.
pub type Default = Lanes<4, 16>;

/// Three fingerprints, each with a stripe of its own.
pub const F: Fingerprint = 0x1111;
/// Another one.
pub const G: Fingerprint = 0x2222;
/// And another one.
pub const H: Fingerprint = 0x3333;

/// The bucket that a token is in, or comes from, and the bucket that another thread reads first.
pub const ORDERS: [(usize, usize); 4] = [(0, 0), (0, 1), (1, 0), (1, 1)];

/// An item: its hash, and what stands for all items that a filter cannot tell from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// What the filter is asked with.
    pub hash: u64,
    /// Equal for items of one class.
    pub class: u64,
}

impl Item {
    /// One that is told from all others.
    pub const fn alone(hash: u64) -> Self {
        Self { hash, class: hash }
    }
}

/// Goes beyond the short search, so that both kinds are explored.
const BUDGET: usize = 16;

/// A filter of two buckets, which every token has for candidates.
pub fn pair<L: Layout>(descriptors: usize) -> Filter<Fixed<L>> {
    filter(2, descriptors, BUDGET)
}

/// A filter of four buckets: the candidates of a token are two or three buckets apart, as its fingerprint
/// says ([`near`], [`far`]).
pub fn square<L: Layout>(descriptors: usize) -> Filter<Fixed<L>> {
    filter(4, descriptors, BUDGET)
}

/// A filter of so many buckets, whose searches examine so many at most.
pub fn filter<L: Layout>(buckets: usize, descriptors: usize, budget: usize) -> Filter<Fixed<L>> {
    let builder = CuckooFilter::builder().layout::<L>().buckets(buckets);
    let builder = builder.descriptors(descriptors).search_budget(budget);
    builder.seed(0).build().expect("a valid size")
}

/// The item of a [`pair`] with this fingerprint that looks at `bucket` first.
pub fn at(bucket: usize, fingerprint: Fingerprint) -> Item {
    at_of::<Default>(bucket, fingerprint)
}

/// The same in another layout.
pub fn at_of<L: Layout>(bucket: usize, fingerprint: Fingerprint) -> Item {
    item::<L>(2, bucket, fingerprint)
}

/// The `n`-th item of a [`square`] with the candidates `bucket` and `bucket ^ 2`.
pub fn near(bucket: usize, n: usize) -> Item {
    apart::<Default>(2, bucket, n)
}

/// The `n`-th item of a [`square`] with the candidates `bucket` and `bucket ^ 3`.
pub fn far(bucket: usize, n: usize) -> Item {
    apart::<Default>(3, bucket, n)
}

/// The `n`-th item of a [`square`] in another layout with the candidates `bucket` and `bucket ^ distance`: 2 or 3.
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
