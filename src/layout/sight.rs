//! What one look at two words tells: whether a fingerprint is there, and whether that can be relied on.

use core::marker::PhantomData;

use super::{Fingerprint, Layout};

/// The bits are the layout's: for some, one comparison of vectors gives the two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sight<L> {
    bits: u32,
    layout: PhantomData<L>,
}

impl<L: Layout> Sight<L> {
    /// Of any two words.
    #[inline]
    pub(crate) fn of(f: Fingerprint, first: u64, second: u64) -> Self {
        Self::from_bits(L::look(f.bits(), first, second))
    }

    /// An answer that was found in another way.
    #[inline]
    pub(crate) fn certain(found: bool) -> Self {
        Self::from_bits(if found { L::FOUND } else { 0 })
    }

    #[inline]
    fn from_bits(bits: u32) -> Self {
        Self {
            bits,
            layout: PhantomData,
        }
    }

    /// Whether both are surely buckets. False if one is a reference, and for a few buckets.
    #[inline]
    pub(crate) fn is_sure(self) -> bool {
        self.bits & L::UNSURE == 0
    }

    /// Whether a token of either has the fingerprint, if it is sure.
    #[inline]
    pub(crate) fn found(self) -> bool {
        self.bits & L::FOUND != 0
    }
}
