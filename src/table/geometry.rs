//! The candidates of an item: from a hash to two buckets ([geometry](crate::design#geometry)).

use core::marker::PhantomData;

use crate::layout::{Fingerprint, Layout};

/// The shape of a table of buckets of the layout `L`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry<L> {
    buckets: usize,
    /// `64 - k`, at most 63.
    offset_shift: u32,
    layout: PhantomData<L>,
}

/// The candidate buckets of an item, and its fingerprint. They name its class, so values of this type are called
/// `class`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidates {
    pub(crate) first: usize,
    pub(crate) second: usize,
    pub(crate) fingerprint: Fingerprint,
}

/// 2^64 over the golden ratio, odd: spreads fingerprints evenly over the top bits (Knuth, TAOCP 3, 6.4).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Makes the offset at least half a range, so that the candidates differ.
const TOP_BIT: u64 = 1 << 63;

impl<L: Layout> Geometry<L> {
    /// Most ranges a table is divided into. Each range fills at its own rate, so a range must be large compared
    /// with the imbalance of a random split.
    pub(crate) const MAX_RANGES: usize = 31;

    /// Most buckets there can be: a power of two whose bytes fit the address space, and so few that a bucket
    /// and a fingerprint fit 64 bits.
    pub(crate) const MAX_BUCKETS: usize = 1
        << if usize::BITS < 64 {
            usize::BITS - 5
        } else {
            u64::BITS - L::FINGERPRINT_BITS
        };

    /// The geometry with this many buckets, in as few ranges as possible. `None` if they are more than
    /// [`MAX_BUCKETS`](Self::MAX_BUCKETS), or cannot be divided into at most
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

    /// The pairs of buckets that items can have as their candidates: as many of each bucket as there are offsets.
    pub(crate) fn pairs(&self) -> f64 {
        let half_a_range = 1 << (self.buckets.trailing_zeros() - 1);
        let offsets = half_a_range.min(Fingerprint::values::<L>() as usize);
        self.buckets as f64 * offsets as f64 / 2.0
    }

    #[inline]
    pub(crate) fn candidates(&self, hash: u64) -> Candidates {
        let first = (u128::from(hash) * self.buckets as u128) >> 64;
        let first = first as usize;
        let fingerprint = Fingerprint::of_hash::<L>(hash);
        Candidates {
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
