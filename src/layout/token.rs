//! The token: what a slot holds.

use core::marker::PhantomData;

use super::{Fingerprint, Layout};

/// What a token carries beside its fingerprint.
pub(crate) type Value = u16;

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

    /// The token of this fingerprint with a value. Bits of it that the layout has no room for are ignored.
    #[inline]
    pub(crate) fn with_value(fingerprint: Fingerprint, value: Value) -> Self {
        let value = u32::from(value) & ((1 << L::VALUE_BITS) - 1);
        Self {
            bits: fingerprint.bits() | value << L::FINGERPRINT_BITS,
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

    /// The value: the bits above it.
    #[inline]
    pub(crate) fn value(self) -> Value {
        (self.bits >> L::FINGERPRINT_BITS) as Value
    }
}
