//! The geometry: maps a hash to the class of an item, and back.
//!
//! The table is a row of ranges of `2^k` buckets, with the largest possible `k`.
//!
//! ```text
//! first  = floor(hash * buckets / 2^64)
//! second = first xor (((fingerprint * SPREAD) | 2^63) >> (64 - k))
//! ```

use std::collections::BTreeSet;

use crate::layout::{Fingerprint, Layout};
use crate::mix;

/// The factor for fingerprints: 2^64 divided by the golden ratio.
pub const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The shape of a table, as far as it decides where tokens may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// The layout of a bucket.
    pub layout: Layout,
    /// The number of buckets.
    pub buckets: usize,
}

/// The class of an item: the unordered pair of its buckets, and its fingerprint. A filter cannot
/// distinguish items of one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// The lower bucket of the pair.
    pub low: usize,
    /// The higher bucket of the pair.
    pub high: usize,
    /// The fingerprint.
    pub fingerprint: Fingerprint,
}

impl Class {
    /// Makes the class of a fingerprint with these two buckets.
    #[must_use]
    pub fn new(one: usize, other: usize, fingerprint: Fingerprint) -> Self {
        Self {
            low: one.min(other),
            high: one.max(other),
            fingerprint,
        }
    }
}

/// Returns hashes of which no two are of one class. In a larger table of the same ranges they are
/// not either, because it distinguishes more items.
#[must_use]
pub fn distinct(geometry: Geometry, count: usize, seed: u64) -> Vec<u64> {
    let mut seen = BTreeSet::new();
    (0..)
        .map(|at| mix(seed ^ mix(at)))
        .filter(|&hash| seen.insert(geometry.class(hash)))
        .take(count)
        .collect()
}

impl Geometry {
    /// Makes the geometry of this number of buckets.
    #[must_use]
    pub const fn with_buckets(layout: Layout, buckets: usize) -> Self {
        Self { layout, buckets }
    }

    /// Makes the geometry of this number of slots, which a filter reports.
    #[must_use]
    pub const fn with_slots(layout: Layout, slots: usize) -> Self {
        Self::with_buckets(layout, slots / layout.slots)
    }

    /// Returns the number of slots.
    #[must_use]
    pub const fn slots(self) -> usize {
        self.buckets * self.layout.slots
    }

    /// Returns the length of a range: the largest power of two that divides the number of buckets.
    #[must_use]
    pub const fn range(self) -> usize {
        1 << self.buckets.trailing_zeros()
    }

    /// Returns the first candidate of a hash.
    #[must_use]
    pub fn first(self, hash: u64) -> usize {
        ((u128::from(hash) * self.buckets as u128) >> 64) as usize
    }

    /// Returns the other candidate of a fingerprint. The offset is less than the length of a range,
    /// so the range is the same.
    #[inline]
    #[must_use]
    pub fn alternate(self, bucket: usize, fingerprint: Fingerprint) -> usize {
        let mixed = u64::from(fingerprint).wrapping_mul(SPREAD) | 1 << 63;
        bucket ^ (mixed >> (64 - self.range().ilog2())) as usize
    }

    /// Returns the class of a fingerprint in `bucket`.
    #[must_use]
    pub fn class_in(self, bucket: usize, fingerprint: Fingerprint) -> Class {
        Class::new(bucket, self.alternate(bucket, fingerprint), fingerprint)
    }

    /// Returns the class of an item.
    #[must_use]
    pub fn class(self, hash: u64) -> Class {
        self.class_in(self.first(hash), self.layout.fingerprint(hash))
    }

    /// Returns a hash with this first candidate, and with these low bits, as many as a fingerprint
    /// has. The salt goes into the unused bits.
    ///
    /// # Panics
    ///
    /// If there are too many buckets to leave bits between them and the fingerprint.
    #[must_use]
    pub fn hash(self, bucket: usize, low_bits: u32, salt: u64) -> u64 {
        let bits = self.layout.fingerprint_bits;
        let of_bucket = (1 << 64) / self.buckets as u128;
        let start = ((bucket as u128) << 64).div_ceil(self.buckets as u128);
        let salt = u128::from(salt) % (of_bucket >> (bits + 2));
        let hash =
            (start.next_multiple_of(1 << bits) + (salt << bits)) as u64 | u64::from(low_bits);
        assert_eq!(
            self.first(hash),
            bucket,
            "the model builds the hash it was asked for"
        );
        hash
    }

    /// Returns two hashes of one class, one for each order of its buckets.
    ///
    /// # Panics
    ///
    /// If there is no such class.
    #[must_use]
    pub fn both_orders(self, class: Class) -> [u64; 2] {
        [class.low, class.high].map(|first| {
            let hash = self.hash(first, class.fingerprint, 0);
            assert_eq!(self.class(hash), class, "the class names its own buckets");
            hash
        })
    }

    /// Returns the first `count` fingerprints from `start` on whose alternate of `bucket` is one
    /// that `accept` accepts.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    #[must_use]
    pub fn fingerprints(
        self,
        bucket: usize,
        start: Fingerprint,
        count: usize,
        accept: impl Fn(usize) -> bool,
    ) -> Vec<Fingerprint> {
        let found: Vec<Fingerprint> = (start.max(1)..=*self.layout.fingerprints().end())
            .filter(|&f| accept(self.alternate(bucket, f)))
            .take(count)
            .collect();
        assert_eq!(found.len(), count, "enough fingerprints lead there");
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mix;

    /// Tables of one range and of several, short and long.
    const BUCKETS: [usize; 8] = [2, 4, 6, 24, 62, 48, 1 << 10, 3 << 10];

    fn geometries() -> impl Iterator<Item = Geometry> {
        Layout::EVERY
            .into_iter()
            .flat_map(|layout| BUCKETS.map(|buckets| Geometry::with_buckets(layout, buckets)))
    }

    /// Returns up to 8,000 fingerprints.
    fn fingerprints(layout: Layout) -> impl Iterator<Item = Fingerprint> {
        let all = layout.fingerprints();
        let step = (*all.end() as usize).div_ceil(8_000);
        all.step_by(step)
    }

    /// The alternate is another bucket of the range and leads back.
    #[test]
    fn alternate_leads_back() {
        for geometry in geometries() {
            let range = geometry.range();
            for (at, f) in fingerprints(geometry.layout).enumerate() {
                let bucket = at % geometry.buckets;
                let other = geometry.alternate(bucket, f);
                assert_eq!(geometry.alternate(other, f), bucket, "{geometry:?}");
                assert_ne!(other, bucket, "{geometry:?}");
                assert_eq!(other / range, bucket / range, "{geometry:?}");
            }
        }
    }

    /// A hash made to order is of the class that was asked for.
    #[test]
    fn hash_made_to_order() {
        for geometry in geometries() {
            for salt in 0..500 {
                let bucket = mix(salt) as usize % geometry.buckets;
                let f = geometry.layout.fingerprint(mix(salt << 32));
                let hash = geometry.hash(bucket, f, mix(!salt));
                assert_eq!(geometry.first(hash), bucket, "{geometry:?}");
                let class = geometry.class_in(bucket, f);
                assert_eq!(geometry.class(hash), class, "{geometry:?}");
                let orders = geometry.both_orders(class);
                let firsts = orders.map(|hash| geometry.first(hash));
                assert_eq!(firsts, [class.low, class.high], "{geometry:?}");
            }
        }
    }

    /// A table twice as large refines every class.
    #[test]
    fn doubling_refines_classes() {
        for geometry in geometries() {
            let finer = Geometry::with_buckets(geometry.layout, 2 * geometry.buckets);
            for hash in (0..2_000).map(mix) {
                let (coarse, fine) = (geometry.class(hash), finer.class(hash));
                let halves = Class::new(fine.low / 2, fine.high / 2, fine.fingerprint);
                assert_eq!(coarse, halves, "{geometry:?}");
            }
        }
    }

    /// Computed by hand: 0x9e37... has the top bits 10, three times it (0xdaa6...) has 11.
    #[test]
    fn the_offsets_of_small_fingerprints() {
        let four = Geometry::with_buckets(Layout::DEFAULT, 4);
        assert_eq!((four.alternate(0, 1), four.alternate(0, 3)), (2, 3));
        assert_eq!(four.first(0x4000_0000_0000_0000), 1);
        assert_eq!(four.first(0x3fff_ffff_ffff_ffff), 0);
        assert_eq!(Geometry::with_slots(Layout::DEFAULT, 16), four);
        assert_eq!(four.slots(), 16);
        let large = Geometry::with_buckets(Layout::DEFAULT, 1 << 62);
        assert_eq!(large.alternate(0, 1), 0x9e37_79b9_7f4a_7c15 >> 2);
        assert_eq!(large.alternate(0, 3), 0xdaa6_6d2c_7ddf_743f >> 2);
    }
}
