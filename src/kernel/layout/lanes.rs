//! Plain lanes: the slots side by side, each with a token as it is.
//!
//! ```text
//! 4 x 16, which fills the word:
//! bit        63            48 47            32 31            16 15             0
//! bucket    |  slot 0, not 0 |     slot 1     |     slot 2     |     slot 3     |   or 0: empty
//! reference |       0        |                 48 bits, not 0                   |
//!
//! 3 x 21, which has a bit to spare:
//! bit        63  62           42 41           21 20            0
//! bucket    | 0 |    slot 0     |     slot 1    |     slot 2    |
//! reference | 1 |                   63 bits                     |
//! ```
//!
//! Slots fill from the top lane downward and stay packed: clearing one moves the lower lanes up. So
//! an empty bucket is 0, and a bucket has room exactly if its lowest lane is 0. If the lanes fill
//! the word, a word with a zero top lane and a non-zero rest is never a bucket, and those words are
//! the references. If there are bits to spare, a reference has the top one set.

use core::fmt::Debug;

use crate::kernel::layout::Layout;
use crate::kernel::layout::compare::{Swar, ones};
use crate::kernel::layout::words::{Calibrated, Probe, Words, one_after_the_other};

/// `SLOTS` lanes side by side, each with a fingerprint of `BITS` bits and, above it, a value of
/// `VALUE_BITS`.
///
/// `Lanes<4, 16>` is the layout of Fan et al. 2014, section 5: four 16-bit fingerprints fill the
/// word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes<const SLOTS: usize, const BITS: u32, const VALUE_BITS: u32 = 0>;

impl<const SLOTS: usize, const BITS: u32, const VALUE_BITS: u32> Layout
    for Lanes<SLOTS, BITS, VALUE_BITS>
where
    Self: Calibrated,
{
    const SLOTS: usize = SLOTS;
    const FINGERPRINT_BITS: u32 = BITS;
    const VALUE_BITS: u32 = VALUE_BITS;
}

impl<const SLOTS: usize, const BITS: u32, const VALUE_BITS: u32> Lanes<SLOTS, BITS, VALUE_BITS> {
    const WIDTH: u32 = BITS + VALUE_BITS;
    const SWAR: Swar = Swar::new(SLOTS, Self::WIDTH, BITS, Self::BITS_PER_LANE);
    const TOKENS: Swar = Swar::new(SLOTS, Self::WIDTH, Self::WIDTH, Self::BITS_PER_LANE);
    /// Bits of each lane in a mask: as a comparison of vectors gives them.
    const BITS_PER_LANE: u32 = if Self::WIDTH == 16 { 2 } else { 1 };
    const LOWEST_LANE: u64 = ones(Self::WIDTH);
    const LANES: u32 = SLOTS as u32 * Self::WIDTH;
    const BELOW_THE_TOP_LANE: u32 = Self::LANES - Self::WIDTH;
    const FILLS_THE_WORD: bool = Self::LANES == u64::BITS;
    /// The tag of a reference, if the lanes do not fill the word.
    const TAG: u64 = 1 << 63;

    /// Whether the four lanes of each of two words fill a vector, and the processor has vectors.
    const LOOKS_IN_VECTORS: bool = cfg!(all(target_arch = "x86_64", target_feature = "sse2"))
        && Self::FILLS_THE_WORD
        && Self::WIDTH == 16;

    /// Whether both words are surely buckets, if the lanes fill them, by arithmetic.
    #[inline]
    fn have_top_lanes(a: u64, b: u64) -> bool {
        // References are 1 to 2^BELOW_THE_TOP_LANE - 1; 0 wraps to the largest value.
        a.wrapping_sub(1).min(b.wrapping_sub(1)) >> Self::BELOW_THE_TOP_LANE != 0
    }

    /// The fingerprints, without the values.
    #[inline]
    fn compared(bucket: u64) -> u64 {
        if VALUE_BITS == 0 {
            bucket
        } else {
            bucket & Self::SWAR.compared()
        }
    }
}

impl<const SLOTS: usize, const BITS: u32, const VALUE_BITS: u32> Words
    for Lanes<SLOTS, BITS, VALUE_BITS>
where
    Self: Calibrated,
{
    type PerSlot<T: Copy + Debug> = [T; SLOTS];

    #[inline]
    fn vacancies(bucket: u64) -> u32 {
        // The lanes below the lowest set bit. All of them for the empty bucket: what is left of the
        // word is less than a lane.
        bucket.trailing_zeros() / Self::WIDTH
    }

    #[inline]
    fn has_room(bucket: u64) -> bool {
        bucket & Self::LOWEST_LANE == 0
    }

    #[inline]
    fn contains(bucket: u64, fingerprint: u32) -> bool {
        Self::SWAR.flags(Self::compared(bucket), fingerprint) != 0
    }

    #[inline]
    fn lane_of(bucket: u64, fingerprint: u32) -> Option<u32> {
        Self::SWAR.lowest(Self::compared(bucket), fingerprint)
    }

    #[inline]
    fn lane_of_token(bucket: u64, token: u32) -> Option<u32> {
        Self::TOKENS.lowest(bucket, token)
    }

    #[inline]
    fn occupant(bucket: u64, slot: usize) -> u32 {
        let lane = (SLOTS - 1 - slot) as u32;
        (bucket >> (lane * Self::WIDTH) & Self::LOWEST_LANE) as u32
    }

    #[inline]
    fn with(bucket: u64, token: u32) -> Option<u64> {
        let lane = Self::vacancies(bucket).checked_sub(1)?;
        Some(bucket | u64::from(token) << (lane * Self::WIDTH))
    }

    #[inline]
    fn cleared(bucket: u64, lane: u32) -> u64 {
        let start = lane * Self::WIDTH;
        let below = bucket & ((1 << start) - 1);
        let above = bucket & (!Self::LOWEST_LANE << start);
        above | below << Self::WIDTH
    }

    #[inline]
    fn replaced(bucket: u64, lane: u32, old: u32, new: u32) -> u64 {
        bucket ^ u64::from(old ^ new) << (lane * Self::WIDTH)
    }

    #[inline]
    fn is_bucket(word: u64) -> bool {
        // No vacant slot above an occupied one. Nothing outside of the lanes, and no value without
        // a fingerprint.
        let tokens = (0..SLOTS).map(|slot| Self::occupant(word, slot));
        let taken = tokens.clone().take_while(|&token| token != 0).count();
        let named = tokens
            .take(taken)
            .all(|token| token & ones(BITS) as u32 != 0);
        named
            && word & !(ones(Self::LANES)) == 0
            && taken as u32 == SLOTS as u32 - Self::vacancies(word)
    }

    #[inline]
    fn either_contains(fingerprint: u32, first: u64, second: u64) -> bool {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        if matches!(Self::WIDTH, 8 | 16) {
            return Self::matches(fingerprint, first, second) != 0;
        }
        let flags = |bucket| Self::SWAR.flags(Self::compared(bucket), fingerprint);
        flags(first) | flags(second) != 0
    }

    const BITS_PER_MATCH: u32 = Self::BITS_PER_LANE;

    #[inline]
    fn matches(fingerprint: u32, first: u64, second: u64) -> u32 {
        let (first, second) = (Self::compared(first), Self::compared(second));
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        match Self::WIDTH {
            16 => return vector::equal_16(fingerprint, first, second),
            8 => return vector::equal_8(fingerprint, first, second),
            _ => {}
        }
        let mask = |bucket| Self::SWAR.mask(bucket, fingerprint);
        mask(first) | mask(second) << (SLOTS as u32 * Self::BITS_PER_LANE)
    }

    const REFERENCE_BITS: u32 = if Self::FILLS_THE_WORD {
        Self::BELOW_THE_TOP_LANE
    } else {
        u64::BITS - 1
    };

    #[inline]
    fn reference(bits: u64) -> u64 {
        if Self::FILLS_THE_WORD {
            bits
        } else {
            Self::TAG | bits
        }
    }

    #[inline]
    fn referenced(word: u64) -> Option<u64> {
        if Self::FILLS_THE_WORD {
            // One subtraction and one compare: 0 wraps to the largest value.
            (word.wrapping_sub(1) < (1 << Self::BELOW_THE_TOP_LANE) - 1).then_some(word)
        } else {
            (word & Self::TAG != 0).then_some(word & !Self::TAG)
        }
    }

    /// If the lanes fill the word, false for one bucket: that with a 1 in its top lane and nothing
    /// else.
    #[inline]
    fn surely_buckets(a: u64, b: u64) -> bool {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        match Self::WIDTH {
            16 if Self::FILLS_THE_WORD => return vector::surely_buckets_16(a, b),
            8 if Self::FILLS_THE_WORD => return vector::surely_buckets_8(a, b),
            _ => {}
        }
        if Self::FILLS_THE_WORD {
            Self::have_top_lanes(a, b)
        } else {
            (a | b) & Self::TAG == 0
        }
    }

    const FUSED_PROBE: bool = Self::LOOKS_IN_VECTORS;

    #[inline]
    fn probe(fingerprint: u32, first: u64, second: u64) -> Probe {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        if Self::LOOKS_IN_VECTORS {
            return vector::probe_16(fingerprint, Self::SWAR.compared(), first, second);
        }
        one_after_the_other::<Self>(fingerprint, first, second)
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod vector {
    use core::arch::x86_64 as x86;

    use crate::kernel::layout::compare::simd::{
        Vector, both, equal_lanes_8, equal_lanes_16, mask, packed, pair,
    };
    use crate::kernel::layout::words::Probe;

    /// Each word less 1. Then the highest lane is 0 if the word is a reference, of which that lane
    /// is 0 and another is not; and else only if the word is a bucket with a 1 there and nothing
    /// else.
    #[inline]
    #[allow(unsafe_code, reason = "the intrinsics are unsafe to call")]
    fn less_one(words: Vector) -> Vector {
        // SAFETY: the instructions are SSE2, which the code is compiled for, and touch no memory.
        unsafe { x86::_mm_add_epi64(words, x86::_mm_set1_epi64x(-1)) }
    }

    /// Two ones for each of eight lanes that holds `wanted`.
    #[inline]
    pub(crate) fn equal_16(wanted: u32, first: u64, second: u64) -> u32 {
        mask(equal_lanes_16(pair(first, second), wanted as u16))
    }

    /// A one for each of sixteen lanes that holds `wanted`.
    #[inline]
    pub(crate) fn equal_8(wanted: u32, first: u64, second: u64) -> u32 {
        mask(equal_lanes_8(pair(first, second), wanted as u8))
    }

    /// The highest byte of each word.
    const TOPS: u32 = 0x8080;

    #[inline]
    pub(crate) fn surely_buckets_16(first: u64, second: u64) -> bool {
        mask(equal_lanes_16(less_one(pair(first, second)), 0)) & TOPS == 0
    }

    #[inline]
    pub(crate) fn surely_buckets_8(first: u64, second: u64) -> bool {
        mask(equal_lanes_8(less_one(pair(first, second)), 0)) & TOPS == 0
    }

    /// Looks for lanes that hold `wanted` in the bits of `compared`. A word may be no bucket if its
    /// top lane is 0 in the word less 1.
    #[inline]
    pub(crate) fn probe_16(wanted: u32, compared: u64, first: u64, second: u64) -> Probe {
        let words = pair(first, second);
        let zero = equal_lanes_16(less_one(words), 0);
        let found = equal_lanes_16(both(words, pair(compared, compared)), wanted as u16);
        Probe::of_mask(mask(packed(found, zero)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words around each power of two, and so around each border.
    #[test]
    fn vectors_and_arithmetic_tell_the_same() {
        let words = (0..u64::BITS).flat_map(|bit| {
            let word = 1u64 << bit;
            [word - 1, word, word + 1, word.wrapping_neg()]
        });
        for word in words.chain([0, u64::MAX]) {
            for (a, b) in [(word, 0), (0, word), (word, word), (u64::MAX, word)] {
                let wide = Lanes::<4, 16>::have_top_lanes(a, b);
                assert_eq!(Lanes::<4, 16>::surely_buckets(a, b), wide, "{a:#x} {b:#x}");
                let narrow = Lanes::<8, 8>::have_top_lanes(a, b);
                assert_eq!(Lanes::<8, 8>::surely_buckets(a, b), narrow, "{a:#x} {b:#x}");
            }
        }
    }
}
