//! Semi-sorted lanes: each fingerprint has one more bit in the same word.
//!
//! The slots of a bucket have no order, so a bucket that is sorted says the same in fewer bits.
//! Each fingerprint is divided into its highest four bits, the *nibble*, and the low part. The
//! tokens are sorted, and the nibbles are stored together, as one [number](super::multiset) (Fan et
//! al. 2014, section 5.2; the numbering is ours).
//!
//! ```text
//! 4 x 17:
//! bit        63            52 51        39 38        26 25        13 12         0
//! bucket    |  code < 3,876  |   low 3    |   low 2    |   low 1    |   low 0    |
//! reference | code >= 3,876, and the bits below: together 59 bits                |
//! ```
//!
//! A vacant slot is the fingerprint 0, which sorts first, so an empty bucket is 0 and the tokens
//! are in the highest lanes. Equal nibbles are in the order of their low parts, so that a bucket
//! has one spelling: an exchange compares words.

use core::fmt::Debug;

use crate::kernel::layout::compare::{Swar, ones};
use crate::kernel::layout::multiset::NIBBLE;
use crate::kernel::layout::words::{Calibrated, Words};
use crate::kernel::layout::{Layout, multiset};

/// `SLOTS` sorted fingerprints of `BITS` bits, whose highest four bits are stored together.
///
/// `SemiSorted<4, 17>` is the semi-sorted filter of Fan et al. 2014, section 5.2: half the false
/// positives of `Lanes<4, 16>` in the same memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemiSorted<const SLOTS: usize, const BITS: u32>;

impl<const SLOTS: usize, const BITS: u32> Layout for SemiSorted<SLOTS, BITS>
where
    Self: Calibrated,
{
    const SLOTS: usize = SLOTS;
    const FINGERPRINT_BITS: u32 = BITS;
}

impl<const SLOTS: usize, const BITS: u32> SemiSorted<SLOTS, BITS> {
    /// Bits of a low part.
    const LOW: u32 = BITS - NIBBLE;
    const LOWS: Swar = Swar::new(SLOTS, Self::LOW, Self::LOW, 1);
    /// Where the code begins.
    const CODE: u32 = SLOTS as u32 * Self::LOW;
    /// The first word that encodes a reference.
    const FIRST_REFERENCE: u64 = (multiset::count(SLOTS) as u64) << Self::CODE;

    /// The low parts, with nothing else.
    #[inline]
    fn lows(bucket: u64) -> u64 {
        bucket & ones(Self::CODE)
    }

    #[inline]
    fn low_of(fingerprint: u32) -> u32 {
        fingerprint & ones(Self::LOW) as u32
    }

    /// The fingerprints, by their lanes.
    #[inline]
    fn list(bucket: u64) -> [u32; SLOTS] {
        let nibbles = multiset::decode::<SLOTS>((bucket >> Self::CODE) as u32);
        let mut list = [0; SLOTS];
        for (lane, fingerprint) in list.iter_mut().enumerate() {
            let low = bucket >> (lane as u32 * Self::LOW) & ones(Self::LOW);
            let nibble = nibbles >> (lane as u32 * NIBBLE) & ones(NIBBLE) as u32;
            *fingerprint = nibble << Self::LOW | low as u32;
        }
        list
    }

    /// The bucket of a sorted list.
    #[inline]
    fn bucket(list: [u32; SLOTS]) -> u64 {
        let (mut nibbles, mut lows) = (0, 0);
        for (lane, &fingerprint) in list.iter().enumerate() {
            lows |= u64::from(Self::low_of(fingerprint)) << (lane as u32 * Self::LOW);
            nibbles |= (fingerprint >> Self::LOW) << (lane as u32 * NIBBLE);
        }
        u64::from(multiset::encode::<SLOTS>(nibbles)) << Self::CODE | lows
    }

    /// Replaces a token by another. With selects, so that the list stays in registers.
    #[inline]
    fn put(list: &mut [u32; SLOTS], lane: u32, token: u32) {
        for (at, held) in list.iter_mut().enumerate() {
            *held = if at as u32 == lane { token } else { *held };
        }
    }

    #[inline]
    fn sort_two(list: &mut [u32; SLOTS], low: usize) {
        let (a, b) = (list[low], list[low + 1]);
        (list[low], list[low + 1]) = (a.min(b), a.max(b));
    }

    /// Sorts a list that is sorted but for one token that is too low.
    #[inline]
    fn raise(list: &mut [u32; SLOTS]) {
        (0..SLOTS - 1).for_each(|low| Self::sort_two(list, low));
    }

    /// Sorts a list that is sorted but for one token that is too high.
    #[inline]
    fn sink(list: &mut [u32; SLOTS]) {
        (0..SLOTS - 1)
            .rev()
            .for_each(|low| Self::sort_two(list, low));
    }

    /// Whether a token has this fingerprint, where several lanes may have the low part. Out of
    /// line, because that is rare.
    #[cold]
    #[inline(never)]
    fn any_matches(fingerprint: u32, first: u64, second: u64) -> bool
    where
        Self: Calibrated,
    {
        Self::matches(fingerprint, first, second) != 0
    }

    /// The nibble of a lane, by the decoded code.
    #[inline]
    fn has_nibble(bucket: u64, lane: u32, nibble: u32) -> bool {
        let nibbles = multiset::decode::<SLOTS>((bucket >> Self::CODE) as u32);
        nibbles >> (lane * NIBBLE) & ones(NIBBLE) as u32 == nibble
    }
}

impl<const SLOTS: usize, const BITS: u32> Words for SemiSorted<SLOTS, BITS>
where
    Self: Calibrated,
{
    type PerSlot<T: Copy + Debug> = [T; SLOTS];

    #[inline]
    fn vacancies(bucket: u64) -> u32 {
        // The lowest lanes without a low part, as far as they have no nibble either.
        let nibbles = multiset::decode::<SLOTS>((bucket >> Self::CODE) as u32);
        let no_low = (Self::lows(bucket) | 1 << Self::CODE).trailing_zeros() / Self::LOW;
        let no_nibble = (nibbles | 1 << (SLOTS as u32 * NIBBLE)).trailing_zeros() / NIBBLE;
        no_low.min(no_nibble)
    }

    #[inline]
    fn has_room(bucket: u64) -> bool {
        // Its lowest token is 0. Most that are not have another low part.
        bucket & ones(Self::LOW) == 0 && Self::has_nibble(bucket, 0, 0)
    }

    #[inline]
    fn contains(bucket: u64, fingerprint: u32) -> bool {
        Self::matches(fingerprint, bucket, 0) != 0
    }

    #[inline]
    fn lane_of(bucket: u64, fingerprint: u32) -> Option<u32> {
        match Self::matches(fingerprint, bucket, 0) {
            0 => None,
            mask => Some(mask.trailing_zeros()),
        }
    }

    #[inline]
    fn lane_of_token(bucket: u64, token: u32) -> Option<u32> {
        Self::lane_of(bucket, token)
    }

    #[inline]
    fn occupant(bucket: u64, slot: usize) -> u32 {
        Self::list(bucket)[SLOTS - 1 - slot]
    }

    #[inline]
    fn occupants(bucket: u64) -> [u32; SLOTS] {
        let mut list = Self::list(bucket);
        list.reverse();
        list
    }

    #[inline]
    fn with(bucket: u64, token: u32) -> Option<u64> {
        let mut list = Self::list(bucket);
        if list[0] != 0 {
            return None;
        }
        list[0] = token;
        Self::raise(&mut list);
        Some(Self::bucket(list))
    }

    #[inline]
    fn cleared(bucket: u64, lane: u32) -> u64 {
        let mut list = Self::list(bucket);
        Self::put(&mut list, lane, 0);
        Self::sink(&mut list);
        Self::bucket(list)
    }

    #[inline]
    fn replaced(bucket: u64, lane: u32, _: u32, new: u32) -> u64 {
        let mut list = Self::list(bucket);
        Self::put(&mut list, lane, new);
        Self::raise(&mut list);
        Self::sink(&mut list);
        Self::bucket(list)
    }

    #[inline]
    fn is_bucket(word: u64) -> bool {
        word < Self::FIRST_REFERENCE && Self::list(word).is_sorted()
    }

    /// The low parts are compared first, and mostly alone: one of them is that of an absent
    /// fingerprint with a probability of `2 * SLOTS / 2^LOW`.
    #[inline]
    fn either_contains(fingerprint: u32, first: u64, second: u64) -> bool {
        let flags = |bucket| Self::LOWS.flags(bucket, Self::low_of(fingerprint));
        let (in_first, in_second) = (flags(first), flags(second));
        if in_first | in_second == 0 {
            return false;
        }
        let (bucket, flags, others) = if in_first != 0 {
            (first, in_first, in_second)
        } else {
            (second, in_second, 0)
        };
        if flags & (flags - 1) | others != 0 {
            return Self::any_matches(fingerprint, first, second);
        }
        let lane = flags.trailing_zeros() / Self::LOW;
        Self::has_nibble(bucket, lane, fingerprint >> Self::LOW)
    }

    const BITS_PER_MATCH: u32 = 1;

    #[inline]
    fn matches(fingerprint: u32, first: u64, second: u64) -> u32 {
        let low = Self::low_of(fingerprint);
        let lanes = |bucket| Self::LOWS.mask(bucket, low);
        let (mut left, mut matches) = (lanes(first) | lanes(second) << SLOTS, 0);
        // Mostly one round.
        while left != 0 {
            let lane = left.trailing_zeros();
            let (bucket, place) = match lane.checked_sub(SLOTS as u32) {
                None => (first, lane),
                Some(place) => (second, place),
            };
            let same = Self::has_nibble(bucket, place, fingerprint >> Self::LOW);
            matches |= u32::from(same) << lane;
            left &= left - 1;
        }
        matches
    }

    /// The bits that the unused codes leave.
    const REFERENCE_BITS: u32 = Self::FIRST_REFERENCE.wrapping_neg().ilog2();

    #[inline]
    fn reference(bits: u64) -> u64 {
        Self::FIRST_REFERENCE + bits
    }

    #[inline]
    fn referenced(word: u64) -> Option<u64> {
        word.checked_sub(Self::FIRST_REFERENCE)
    }

    #[inline]
    fn surely_buckets(a: u64, b: u64) -> bool {
        a.max(b) < Self::FIRST_REFERENCE
    }
}
