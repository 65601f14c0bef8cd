//! Which slots of two buckets hold a fingerprint: all comparisons at once.

use core::marker::PhantomData;

use super::{Bucket, Fingerprint, Layout, Slot};

/// Some bits for each slot that holds the fingerprint, from the lowest lane up; those of the first bucket come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Matches<L> {
    mask: u32,
    layout: PhantomData<L>,
}

impl<L: Layout> Matches<L> {
    const ONE_SLOT: u32 = (1 << L::BITS_PER_MATCH) - 1;
    const FIRST_BUCKET: u32 = (1 << (L::BITS_PER_MATCH * L::SLOTS as u32)) - 1;

    #[inline]
    pub(crate) fn of(f: Fingerprint, first: Bucket<L>, second: Bucket<L>) -> Self {
        Self {
            mask: L::matches(f.bits(), first.bits(), second.bits()),
            layout: PhantomData,
        }
    }

    #[inline]
    pub(crate) fn any(self) -> bool {
        self.mask != 0
    }

    /// Whether exactly one slot matches.
    #[inline]
    pub(crate) fn is_single(self) -> bool {
        // Shifted by 0 if there is none.
        self.mask >> (self.mask.trailing_zeros() % u32::BITS) == Self::ONE_SLOT
    }

    #[inline]
    pub(crate) fn in_first(self) -> bool {
        self.mask & Self::FIRST_BUCKET != 0
    }

    /// A slot that matches, in the first bucket if there is one; any if there is none.
    #[inline]
    pub(crate) fn slot(self) -> Slot {
        Slot::of_lane(self.mask.trailing_zeros() / L::BITS_PER_MATCH % L::SLOTS as u32)
    }
}
