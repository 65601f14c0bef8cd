//! Plain lanes: the slots side by side, each with a token as it is.
//!
//! ```text
//! bit        63            48 47            32 31            16 15             0
//! bucket    |  slot 0, not 0 |     slot 1     |     slot 2     |     slot 3     |   or 0: empty
//! reference |       0        |                 48 bits, not 0                   |
//! ```
//!
//! Slots fill from the top lane downward and stay packed: clearing one moves the lower lanes up. So an empty bucket is
//! 0, a bucket has room exactly if its lowest lane is 0, and a word with a zero top lane and a non-zero rest is never
//! a bucket. Those `2^48 - 1` words are the references.

use core::fmt::Debug;

use super::arena::{LONG_BUDGET, SHORT_BUDGET, nodes};
use super::{Fit, Layout, Words};

/// `SLOTS` lanes of `BITS` bits side by side: plain fingerprints.
///
/// `Lanes<4, 16>` is the layout of Fan et al. 2014, section 5: four 16-bit fingerprints fill the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes<const SLOTS: usize, const BITS: u32>;

impl Layout for Lanes<4, 16> {
    const SLOTS: usize = SLOTS;
    const FINGERPRINT_BITS: u32 = LANE_BITS;
}

const SLOTS: usize = 4;
const LANE_BITS: u32 = 16;
const LOWEST_LANE: u64 = (1 << LANE_BITS) - 1;
const ONE_IN_EACH_LANE: u64 = 0x0001_0001_0001_0001;
const TOP_OF_EACH_LANE: u64 = ONE_IN_EACH_LANE << (LANE_BITS - 1);
const BELOW_THE_TOP_LANE: u32 = LANE_BITS * (SLOTS as u32 - 1);

/// A flag in the top bit of lanes that hold `f`. The lowest flag is exact; above it a borrow may raise a false one.
/// (Mycroft's zero-byte test, for 16-bit lanes.)
#[inline]
fn flags(bucket: u64, f: u32) -> u64 {
    let difference = bucket ^ (u64::from(f) * ONE_IN_EACH_LANE);
    difference.wrapping_sub(ONE_IN_EACH_LANE) & !difference & TOP_OF_EACH_LANE
}

impl Words for Lanes<4, 16> {
    type PerSlot<T: Copy + Debug> = [T; SLOTS];
    type ShortArena<T: Copy + Debug> = [T; nodes(SLOTS, SHORT_BUDGET)];
    type LongArena<T: Copy + Debug> = [T; nodes(SLOTS, LONG_BUDGET)];

    /// Fitted to thousands of seeded tables of 2 to 500,000 buckets in 1 to 31 ranges. A (2,4) table can reach
    /// 0.9803 at most. Large tables with the default search budget reach 0.96 to 0.975, and inserts become slow
    /// near that load. The margin of a single range keeps nine items out of one pair of buckets in tables of 8 and
    /// 16.
    const FIT: Fit = Fit {
        highest_load: 0.955,
        large_table_load: 0.97,
        share_margin: 5.0,
        range_margin: 3.0,
    };

    #[inline]
    fn vacancies(bucket: u64) -> u32 {
        // The lanes below the lowest set bit; 64 / 16 for the empty bucket.
        bucket.trailing_zeros() / LANE_BITS
    }

    #[inline]
    fn has_room(bucket: u64) -> bool {
        bucket & LOWEST_LANE == 0
    }

    #[inline]
    fn contains(bucket: u64, fingerprint: u32) -> bool {
        flags(bucket, fingerprint) != 0
    }

    #[inline]
    fn lane_of(bucket: u64, fingerprint: u32) -> Option<u32> {
        match flags(bucket, fingerprint) {
            0 => None,
            flags => Some(flags.trailing_zeros() / LANE_BITS),
        }
    }

    #[inline]
    fn occupant(bucket: u64, slot: usize) -> u32 {
        let lane = (SLOTS - 1 - slot) as u32;
        u32::from((bucket >> (lane * LANE_BITS)) as u16)
    }

    #[inline]
    fn with(bucket: u64, token: u32) -> Option<u64> {
        let lane = Self::vacancies(bucket).checked_sub(1)?;
        Some(bucket | u64::from(token) << (lane * LANE_BITS))
    }

    #[inline]
    fn cleared(bucket: u64, lane: u32) -> u64 {
        let start = lane * LANE_BITS;
        let below = bucket & ((1 << start) - 1);
        let above = bucket & (!LOWEST_LANE << start);
        above | below << LANE_BITS
    }

    #[inline]
    fn replaced(bucket: u64, lane: u32, old: u32, new: u32) -> u64 {
        bucket ^ u64::from(old ^ new) << (lane * LANE_BITS)
    }

    const BITS_PER_MATCH: u32 = 2;

    #[inline]
    fn matches(fingerprint: u32, first: u64, second: u64) -> u32 {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        return by_vector(fingerprint, first, second);
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        return by_words(fingerprint, first, second);
    }

    const REFERENCE_BITS: u32 = BELOW_THE_TOP_LANE;

    #[inline]
    fn reference(bits: u64) -> u64 {
        bits
    }

    #[inline]
    fn referenced(word: u64) -> Option<u64> {
        // One subtraction and one compare: 0 wraps to the largest value.
        (word.wrapping_sub(1) < (1 << BELOW_THE_TOP_LANE) - 1).then_some(word)
    }

    /// False for one bucket, that with a 1 in its top lane and nothing else.
    #[inline]
    fn are_plain(a: u64, b: u64) -> bool {
        // References are 1 to 2^48 - 1; 0 wraps to the largest value.
        a.wrapping_sub(1).min(b.wrapping_sub(1)) >> BELOW_THE_TOP_LANE != 0
    }
}

/// Ten instructions, and no constants in registers, where arithmetic on words takes twenty: the lookups that a
/// processor keeps under way while memory answers are as many as fit its window.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[allow(unsafe_code, reason = "the intrinsics are unsafe to call")]
#[inline]
fn by_vector(f: u32, first: u64, second: u64) -> u32 {
    use core::arch::x86_64 as x86;
    // SAFETY: the instructions are SSE2, which the code is compiled for, and touch no memory.
    let mask = unsafe {
        let slots = x86::_mm_set_epi64x(second as i64, first as i64);
        let wanted = x86::_mm_set1_epi16(f as i16);
        x86::_mm_movemask_epi8(x86::_mm_cmpeq_epi16(slots, wanted))
    };
    mask as u32
}

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
#[inline]
fn by_words(f: u32, first: u64, second: u64) -> u32 {
    // Brings the bits 0, 16, 32 and 48 together at 48, 50, 52 and 54; no other two bits meet there.
    const GATHER: u64 = 1 << 48 | 1 << 34 | 1 << 20 | 1 << 6;
    const ONE_MATCH: u32 = 0b11;
    let mask = |bucket| (ones_where(bucket, f).wrapping_mul(GATHER) >> 48) as u32 * ONE_MATCH;
    mask(first) | mask(second) << (2 * SLOTS)
}

/// A 1 in each lane that holds `f`, exactly.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
#[inline]
fn ones_where(bucket: u64, f: u32) -> u64 {
    let difference = bucket ^ (u64::from(f) * ONE_IN_EACH_LANE);
    // The sum carries into the top bit of a lane unless the bits below it are 0, and never beyond.
    let zero_but_for_the_top = !((difference & !TOP_OF_EACH_LANE) + !TOP_OF_EACH_LANE);
    (zero_but_for_the_top & !difference & TOP_OF_EACH_LANE) >> (LANE_BITS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Few values, so that equal lanes and neighbours that differ by a borrow are common.
    fn lane() -> impl Strategy<Value = u16> {
        prop_oneof![0u16..4, 0x7ffeu16..0x8003, Just(0xffff), Just(0xfffe)]
    }

    fn word() -> impl Strategy<Value = u64> {
        prop::array::uniform4(lane()).prop_map(|lanes| {
            lanes
                .iter()
                .fold(0, |word, &lane| word << 16 | u64::from(lane))
        })
    }

    proptest! {
        #[test]
        fn vectors_and_words_find_the_same(f in 1u32..=0xffff, near in lane(), a in word(), b in word()) {
            for f in [f, u32::from(near.max(1))] {
                prop_assert_eq!(Lanes::<4, 16>::matches(f, a, b), by_words(f, a, b));
            }
        }
    }

    #[test]
    fn buckets_are_no_references() {
        for word in [0, 1 << 48, u64::MAX, 0xffff << 48] {
            assert_eq!(Lanes::<4, 16>::referenced(word), None, "{word:#x}");
        }
        for word in [1, (1 << 48) - 1] {
            assert_eq!(Lanes::<4, 16>::referenced(word), Some(word));
            assert!(!Lanes::<4, 16>::are_plain(word, 0) && !Lanes::<4, 16>::are_plain(0, word));
        }
    }
}
