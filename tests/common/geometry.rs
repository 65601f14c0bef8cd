//! The documented geometry, implemented a second time: from a hash to a class, and back.

use lockfree_cuckoo::CuckooFilter;

/// Slots of a bucket.
pub(crate) const SLOTS: usize = 4;

/// The shape of a table, as far as it decides where tokens may live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub(crate) buckets: usize,
}

/// What two items have in common if the filter cannot tell them apart: the pair of buckets, in no order, and
/// the fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Class {
    pub(crate) low: usize,
    pub(crate) high: usize,
    pub(crate) fingerprint: u16,
}

impl Geometry {
    pub(crate) fn of<S>(filter: &CuckooFilter<S>) -> Self {
        Self {
            buckets: filter.slots() / SLOTS,
        }
    }

    pub(crate) fn slots(self) -> usize {
        self.buckets * SLOTS
    }

    /// The largest power of two that divides the number of buckets.
    pub(crate) fn range(self) -> usize {
        1 << self.buckets.trailing_zeros()
    }

    pub(crate) fn first(self, hash: u64) -> usize {
        ((u128::from(hash) * self.buckets as u128) >> 64) as usize
    }

    /// The other bucket of a fingerprint: its place within the range, changed by an offset that the
    /// fingerprint alone decides.
    pub(crate) fn alternate(self, bucket: usize, fingerprint: u16) -> usize {
        let mixed = u64::from(fingerprint).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63;
        let offset = (mixed >> (64 - self.range().ilog2())) as usize;
        let start = bucket - bucket % self.range();
        start + ((bucket % self.range()) ^ offset)
    }

    pub(crate) fn class(self, hash: u64) -> Class {
        let first = self.first(hash);
        let fingerprint = if hash as u16 == 0 { 1 } else { hash as u16 };
        let second = self.alternate(first, fingerprint);
        Class {
            low: first.min(second),
            high: first.max(second),
            fingerprint,
        }
    }

    /// A hash with this first bucket and these low 16 bits. The salt goes to the bits that mean nothing.
    pub(crate) fn hash(self, bucket: usize, low_bits: u16, salt: u64) -> u64 {
        let of_bucket = 1 << 64;
        let of_bucket: u128 = of_bucket / self.buckets as u128;
        let start = ((bucket as u128) << 64).div_ceil(self.buckets as u128);
        let salt = u128::from(salt) % (of_bucket >> 18);
        let hash = ((start.next_multiple_of(1 << 16)) + (salt << 16)) as u64 | u64::from(low_bits);
        assert_eq!(
            self.first(hash),
            bucket,
            "the model builds the hash it was asked for"
        );
        hash
    }

    /// Two hashes of one class that look at its two buckets in opposite orders.
    pub(crate) fn both_orders(self, class: Class) -> [u64; 2] {
        [class.low, class.high].map(|first| {
            let hash = self.hash(first, class.fingerprint, 0);
            assert_eq!(self.class(hash), class, "the class names its own buckets");
            hash
        })
    }

    /// The first `count` fingerprints from `start` on that lead from `bucket` to a place that `accept`s.
    pub(crate) fn fingerprints(
        self,
        bucket: usize,
        start: u16,
        count: usize,
        accept: impl Fn(usize) -> bool,
    ) -> Vec<u16> {
        let found: Vec<u16> = (start..=u16::MAX)
            .filter(|&f| f != 0 && accept(self.alternate(bucket, f)))
            .take(count)
            .collect();
        assert_eq!(found.len(), count, "enough fingerprints lead there");
        found
    }
}
