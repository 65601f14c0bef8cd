//! The token: the content of a slot. Its fingerprint: the bits of an item's hash that are compared.

use core::marker::PhantomData;

use crate::kernel::layout::Layout;

/// The value that a token carries beside its fingerprint.
pub(crate) type Value = u16;

/// One stored copy of an item: its fingerprint and, where the layout has them, the bits of its
/// value.
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
    #[cfg(any(test, feature = "_testing"))]
    pub(crate) fn of(fingerprint: Fingerprint) -> Self {
        Self {
            bits: fingerprint.bits(),
            layout: PhantomData,
        }
    }

    /// The token of this fingerprint with a value. Bits of it that the layout has no room for are
    /// ignored.
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

/// Some low bits of an item's hash, never 0: 0 is a vacant slot. Names the class together with the
/// buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint(u32);

impl Fingerprint {
    /// Number of values that a fingerprint of this layout takes.
    pub(crate) const fn values<L: Layout>() -> u32 {
        mask::<L>()
    }

    /// The fingerprint of an item: the low bits of its hash, with 1 standing in for 0.
    ///
    /// The bucket index comes from the high bits of the same hash, so the two are independent.
    #[inline]
    pub(crate) fn of_hash<L: Layout>(hash: u64) -> Self {
        let mask = mask::<L>();
        let low = hash as u32 & mask;
        // An add with carry, where the maximum of the two would need a constant and a move.
        Self::of_bits_that_are_not_0(low + u32::from(low == 0))
    }

    /// The fingerprint with these bits, or `None` if they are 0.
    #[inline]
    pub(crate) fn from_bits(bits: u32) -> Option<Self> {
        (bits != 0).then_some(Self(bits))
    }

    /// The fingerprint of a token: its low bits, which are not all 0.
    #[inline]
    fn of_token_bits<L: Layout>(bits: u32) -> Self {
        Self(bits & mask::<L>())
    }

    /// The fingerprint with these bits, for a caller who knows that they are not 0.
    #[inline]
    pub(crate) const fn of_bits_that_are_not_0(bits: u32) -> Self {
        debug_assert!(bits != 0);
        Self(bits)
    }

    #[inline]
    pub(crate) fn bits(self) -> u32 {
        self.0
    }
}

/// A 1 in each bit of a fingerprint.
const fn mask<L: Layout>() -> u32 {
    u32::MAX >> (u32::BITS - L::FINGERPRINT_BITS)
}
