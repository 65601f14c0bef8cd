//! The class of an item: from a hash to two buckets and a fingerprint
//! ([geometry](crate::design#geometry)).

use core::hint::select_unpredictable;
use core::marker::PhantomData;

use crate::kernel::layout::{Bucket, Fingerprint, Layout};

/// The shape of a table of buckets of the layout `L`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry<L> {
    buckets: usize,
    /// `64 - k`, at most 63.
    offset_shift: u32,
    layout: PhantomData<L>,
}

/// The class of an item: its two candidate buckets, and its fingerprint. Tokens of one class are
/// all alike, but for their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    pub(crate) first: usize,
    pub(crate) second: usize,
    pub(crate) fingerprint: Fingerprint,
}

/// 2^64 over the golden ratio, odd: spreads fingerprints or heads evenly over the top bits (Knuth,
/// TAOCP 3, 6.4).
pub(crate) const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Makes the offset at least half a range, so that the candidates differ.
const TOP_BIT: u64 = 1 << 63;

/// The index bits of the largest table on a machine with addresses of this many bits, where one
/// with 64 has `unless`. Its words are an eighth of the addresses: so they fit together with half
/// as many others, and so do numbers of four times as many buckets.
pub(crate) const fn address_bits(pointer: u32, unless: u32) -> u32 {
    if pointer < 64 { pointer - 5 } else { unless }
}

impl<L: Layout> Geometry<L> {
    /// Most ranges a table is divided into. Each range fills at its own rate, so a range must be
    /// large compared with the imbalance of a random split.
    pub(crate) const MAX_RANGES: usize = 31;

    /// Most buckets there can be: a power of two whose bytes fit the address space, and so few that
    /// a bucket and a fingerprint fit 64 bits.
    pub(crate) const MAX_BUCKETS: usize =
        1 << address_bits(usize::BITS, u64::BITS - L::FINGERPRINT_BITS);

    /// The geometry with this many buckets, in as few ranges as possible. `None` if they are more
    /// than [`MAX_BUCKETS`](Self::MAX_BUCKETS), or cannot be divided into at most
    /// [`MAX_RANGES`](Self::MAX_RANGES) ranges of at least two buckets.
    pub(crate) fn with_buckets(buckets: usize) -> Option<Self> {
        let range = 1usize.checked_shl(buckets.trailing_zeros())?;
        let divides = range >= 2 && buckets / range <= Self::MAX_RANGES;
        (divides && buckets <= Self::MAX_BUCKETS).then_some(Self {
            buckets,
            offset_shift: 64 - range.trailing_zeros(),
            layout: PhantomData,
        })
    }

    pub(crate) fn buckets(&self) -> usize {
        self.buckets
    }

    pub(crate) fn slots(&self) -> usize {
        self.buckets * L::SLOTS
    }

    pub(crate) fn ranges(&self) -> usize {
        self.buckets >> self.buckets.trailing_zeros()
    }

    /// The pairs of buckets that items can have as their candidates: as many of each bucket as
    /// there are offsets.
    pub(crate) fn pairs(&self) -> f64 {
        let half_a_range = 1 << (self.buckets.trailing_zeros() - 1);
        let offsets = half_a_range.min(Fingerprint::values::<L>() as usize);
        self.buckets as f64 * offsets as f64 / 2.0
    }

    #[inline]
    pub(crate) fn class(&self, hash: u64) -> Class {
        let first = (u128::from(hash) * self.buckets as u128) >> 64;
        let first = first as usize;
        let fingerprint = Fingerprint::of_hash::<L>(hash);
        Class {
            first,
            second: self.alternate(first, fingerprint),
            fingerprint,
        }
    }

    /// The other candidate of a fingerprint that is in `bucket`.
    #[inline]
    pub(crate) fn alternate(&self, bucket: usize, f: Fingerprint) -> usize {
        let spread = u64::from(f.bits()).wrapping_mul(SPREAD) | TOP_BIT;
        bucket ^ (spread >> self.offset_shift) as usize
    }
}

impl Class {
    /// The candidate with more vacancies, or the first of two that have as many; the other one; and
    /// the content of the former. They held `a` and `b`.
    #[inline]
    pub(crate) fn emptier_first<L: Layout>(
        self,
        a: Bucket<L>,
        b: Bucket<L>,
    ) -> (usize, usize, Bucket<L>) {
        // Select without a branch, because the choice is unpredictable.
        let first_is_emptier = a.vacancies() >= b.vacancies();
        (
            select_unpredictable(first_is_emptier, self.first, self.second),
            select_unpredictable(first_is_emptier, self.second, self.first),
            select_unpredictable(first_is_emptier, a, b),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a machine that is not here: what is computed of the largest table fits its addresses.
    #[test]
    fn the_largest_table_of_32_bits_can_be_addressed() {
        let deepest = address_bits(32, 39);
        let bytes = (size_of::<u64>() as u64) << deepest;
        // No object is larger than half of the addresses.
        assert!(bytes <= 1 << 30 && bytes + bytes / 2 < 1 << 31);
        // Words of the next level but one, as the walks number them.
        assert!(4u64 << deepest <= 1 << 32);
        assert_eq!(address_bits(64, 39), 39);
    }
}
