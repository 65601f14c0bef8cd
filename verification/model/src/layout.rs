//! The layout: the division of the 64 bits of a word.
//!
//! A bucket is a row of lanes of equal width, one per slot, in the low bits of the word. Bits above
//! the top lane are spare, and 0 in every bucket. A [semi-sorted](crate::semi_sorted) bucket has no
//! lane for the highest four bits of a fingerprint: above the lanes is one number for those of all
//! slots.

use std::ops::RangeInclusive;

/// The stored bits of an item. Never 0, which is a vacant slot.
pub type Fingerprint = u32;

/// The content of a slot: a fingerprint and, in the bits above it, a value. Without values it is
/// the fingerprint.
pub type Token = u32;

/// The value that a token has besides its fingerprint.
pub type Value = u16;

/// The number of slots of a bucket, and their width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The number of slots of a bucket, at most [`MOST_SLOTS`](Self::MOST_SLOTS).
    pub slots: usize,
    /// The bits of a fingerprint.
    pub fingerprint_bits: u32,
    /// The bits of a value, 0 for none.
    pub value_bits: u32,
    /// The encoding of the fingerprints.
    pub encoding: Encoding,
}

/// The encoding of the fingerprints of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// One lane for each.
    Plain,
    /// Sorted, with one number for the highest four bits of all.
    SemiSorted,
}

/// Returns the layouts of a list.
macro_rules! every {
    ($($name:ident: $kind:ident<$slots:literal, $bits:literal>;)*) => {
        [$(Layout::of($slots, $bits)),*]
    };
}

/// Returns the layouts of a list with values.
macro_rules! valued {
    ($($name:ident: $kind:ident<$slots:literal, $bits:literal, $values:literal>;)*) => {
        [$(Layout::with_values($slots, $bits, $values)),*]
    };
}

impl Layout {
    /// The layout of a filter unless a test selects another.
    pub const DEFAULT: Self = Self::of_lanes(4, 16);

    /// The most slots of any layout.
    pub const MOST_SLOTS: usize = 8;

    /// All layouts of the crate without values, the default one first.
    pub const EVERY: [Self; 9] = crate::layouts_without_values!(every);

    /// All layouts of the crate with values.
    pub const VALUED: [Self; 3] = crate::layouts_with_values!(valued);

    /// Returns the layout with these two numbers: semi-sorted if lanes for whole fingerprints would
    /// not fit.
    ///
    /// # Panics
    ///
    /// If there is no such layout.
    #[must_use]
    pub const fn of(slots: usize, fingerprint_bits: u32) -> Self {
        if slots as u32 * fingerprint_bits <= u64::BITS {
            Self::of_lanes(slots, fingerprint_bits)
        } else {
            Self::semi_sorted(slots, fingerprint_bits)
        }
    }

    /// Returns a layout of lanes side by side.
    ///
    /// # Panics
    ///
    /// If they do not fit.
    #[must_use]
    pub const fn of_lanes(slots: usize, fingerprint_bits: u32) -> Self {
        Self::with_values(slots, fingerprint_bits, 0)
    }

    /// Returns a layout of lanes side by side, each with a fingerprint and a value.
    ///
    /// # Panics
    ///
    /// If they do not fit.
    #[must_use]
    pub const fn with_values(slots: usize, fingerprint_bits: u32, value_bits: u32) -> Self {
        assert!(0 < slots && slots <= Self::MOST_SLOTS, "one to eight slots");
        assert!(
            0 < fingerprint_bits && fingerprint_bits + value_bits <= Token::BITS,
            "a token fits its type"
        );
        assert!(
            slots as u32 * (fingerprint_bits + value_bits) <= u64::BITS,
            "the lanes fit a word"
        );
        Self {
            slots,
            fingerprint_bits,
            value_bits,
            encoding: Encoding::Plain,
        }
    }

    /// Whether tokens have values.
    #[inline]
    #[must_use]
    pub const fn has_values(self) -> bool {
        self.value_bits > 0
    }

    /// Returns the bits of a token.
    #[inline]
    #[must_use]
    pub const fn token_bits(self) -> u32 {
        self.fingerprint_bits + self.value_bits
    }

    /// Returns the token of a fingerprint and a value.
    #[inline]
    #[must_use]
    pub const fn token(self, f: Fingerprint, value: Value) -> Token {
        if value == 0 {
            return f;
        }
        f | (value as Token) << self.fingerprint_bits
    }

    /// Returns the fingerprint of a token.
    #[inline]
    #[must_use]
    pub const fn fingerprint_of(self, token: Token) -> Fingerprint {
        token & *self.fingerprints().end()
    }

    /// Returns the value of a token.
    #[inline]
    #[must_use]
    pub const fn value_of(self, token: Token) -> Value {
        if self.has_values() {
            (token >> self.fingerprint_bits) as Value
        } else {
            0
        }
    }

    /// Returns the number of bits of a word that are 0 in every bucket.
    #[must_use]
    pub const fn spare_bits(self) -> u32 {
        match self.encoding {
            Encoding::Plain => u64::BITS - self.slots as u32 * self.token_bits(),
            Encoding::SemiSorted => 0,
        }
    }

    /// Returns all fingerprints.
    #[must_use]
    pub const fn fingerprints(self) -> RangeInclusive<Fingerprint> {
        1..=Fingerprint::MAX >> (Fingerprint::BITS - self.fingerprint_bits)
    }

    /// Returns the fingerprint of an item: the low bits of its hash, with 1 instead of 0.
    #[must_use]
    pub const fn fingerprint(self, hash: u64) -> Fingerprint {
        let bits = hash as Fingerprint & *self.fingerprints().end();
        if bits == 0 { 1 } else { bits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spare_bits_are_those_above_the_lanes() {
        let spare = Layout::EVERY.map(Layout::spare_bits);
        assert_eq!(spare, [0, 0, 4, 4, 1, 2, 0, 0, 0]);
    }

    /// A fingerprint is the low bits, and never 0.
    #[test]
    fn low_bits_and_never_0() {
        let hash = 0xfedc_ba98_7654_3210;
        assert_eq!(Layout::DEFAULT.fingerprint(hash), 0x3210);
        assert_eq!(Layout::of_lanes(8, 8).fingerprint(hash), 0x10);
        assert_eq!(Layout::of(2, 31).fingerprint(hash), 0x7654_3210);
        assert_eq!(Layout::of(4, 17).fingerprint(hash), 0x0_3210);
        for layout in Layout::EVERY {
            assert_eq!(layout.fingerprint(1 << layout.fingerprint_bits), 1);
            let largest = layout.fingerprint(u64::MAX);
            assert_eq!(layout.fingerprints(), 1..=largest);
            assert_eq!(largest.count_ones(), layout.fingerprint_bits);
        }
    }

    #[test]
    #[should_panic(expected = "the lanes fit a word")]
    fn nine_bits_do_not_fit_eight_times() {
        let _ = Layout::of_lanes(8, 9);
    }
}
