//! The token: what a slot holds.

use core::marker::PhantomData;

use super::{Fingerprint, Layout};

/// One stored copy of an item: its fingerprint and, where the layout has them, the bits of its value.
///
/// The fingerprint names the class; the token is what moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<L> {
    bits: u32,
    layout: PhantomData<L>,
}

impl<L: Layout> Token<L> {
    /// The token of this fingerprint, with value 0.
    #[inline]
    pub(crate) fn of(fingerprint: Fingerprint) -> Self {
        Self {
            bits: fingerprint.bits(),
            layout: PhantomData,
        }
    }

    /// The token with these bits, or `None` for a vacant slot.
    #[inline]
    pub(crate) fn from_bits(bits: u32) -> Option<Self> {
        (bits != 0).then_some(Self {
            bits,
            layout: PhantomData,
        })
    }

    #[inline]
    pub(crate) fn bits(self) -> u32 {
        self.bits
    }

    /// The fingerprint: the low bits.
    #[inline]
    pub(crate) fn fingerprint(self) -> Fingerprint {
        Fingerprint::of_token_bits::<L>(self.bits)
    }
}
