//! A bucket: four lanes of 16 bits. They fill from the low end, so the oldest fingerprint is in the
//! highest occupied lane.

/// The slots of a bucket.
pub(crate) const SLOTS: usize = 4;

/// The bits of a fingerprint.
pub(crate) const BITS: u32 = 16;

const LANE: u64 = (1 << BITS) - 1;

/// The bits of a lane in the result of [`matches`].
pub(crate) const BITS_PER_MATCH: u32 = 2;

/// The content of a bucket. A vacant lane is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Word(u64);

impl Word {
    pub(crate) const EMPTY: Self = Self(0);

    /// Returns whether no lane is vacant.
    #[inline]
    pub(crate) fn is_full(self) -> bool {
        self.0 >> (u64::BITS - BITS) != 0
    }

    /// Returns whether it has more vacant lanes than another word. May return true if it has as
    /// many.
    #[inline]
    pub(crate) fn is_emptier_than(self, other: Self) -> bool {
        self.0 <= other.0
    }

    /// Returns the number of vacant lanes.
    #[inline]
    pub(crate) fn vacancies(self) -> u32 {
        self.0.leading_zeros() / BITS
    }

    /// Returns the fingerprint in a lane.
    #[inline]
    pub(crate) fn lane(self, lane: u32) -> u64 {
        self.0 >> (lane * BITS) & LANE
    }

    /// Adds a fingerprint to a word that is not full.
    #[inline]
    pub(crate) fn with(self, fingerprint: u64) -> Self {
        debug_assert!(!self.is_full());
        Self(self.0 << BITS | fingerprint)
    }

    /// Clears a lane, and moves those above it down.
    #[inline]
    pub(crate) fn without(self, lane: u32) -> Self {
        let below = (1u64 << (lane * BITS)) - 1;
        Self((self.0 & below) | (self.0 >> BITS & !below))
    }

    #[cfg(test)]
    pub(crate) fn occupied(self) -> usize {
        SLOTS - self.vacancies() as usize
    }
}

/// Returns ones for each lane of two words that holds a fingerprint: those of the first word in the
/// low bits.
#[inline]
pub(crate) fn matches(fingerprint: u64, first: Word, second: Word) -> u32 {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    return vector::matches(fingerprint, first, second);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    portable(fingerprint, first, second)
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[allow(unsafe_code, reason = "the intrinsics are unsafe to call")]
mod vector {
    use std::arch::x86_64 as x86;

    use super::Word;

    #[inline]
    pub(super) fn matches(fingerprint: u64, first: Word, second: Word) -> u32 {
        // SAFETY: the instructions are SSE2, which the code is compiled for, and touch no memory.
        unsafe {
            let words = x86::_mm_set_epi64x(second.0 as i64, first.0 as i64);
            let equal = x86::_mm_cmpeq_epi16(words, x86::_mm_set1_epi16(fingerprint as i16));
            x86::_mm_movemask_epi8(equal) as u32
        }
    }
}

/// Does what [`matches`] does, by arithmetic.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
fn portable(fingerprint: u64, first: Word, second: Word) -> u32 {
    const ONE_IN_EACH: u64 = u64::MAX / LANE;
    /// All bits of each lane but the top one.
    const LOW: u64 = ONE_IN_EACH * (LANE >> 1);
    let mask = |word: Word| {
        let difference = word.0 ^ (fingerprint * ONE_IN_EACH);
        // The top bit of a lane is set if the lane is 0. No sum carries into the next lane.
        let zero = !(((difference & LOW) + LOW) | difference | LOW);
        let bit = |lane: u32| (zero >> (lane * BITS + BITS - 1) & 1) << (lane * BITS_PER_MATCH);
        (0..SLOTS as u32).map(bit).sum::<u64>() as u32 * 0b11
    };
    mask(first) | mask(second) << (SLOTS as u32 * BITS_PER_MATCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(lanes: &[u64]) -> Word {
        let add = |word: Word, &lane: &u64| word.with(lane);
        lanes.iter().fold(Word::EMPTY, add)
    }

    #[test]
    fn lanes_close_up() {
        let full = word(&[1, 2, 3, 4]);
        assert!(full.is_full() && full.vacancies() == 0 && full.lane(3) == 1);
        let kept = [[1, 2, 3], [1, 2, 4], [1, 3, 4], [2, 3, 4]];
        for (lane, kept) in (0..).zip(kept) {
            let less = full.without(lane);
            assert_eq!(less, word(&kept));
            assert!(!less.is_full() && less.vacancies() == 1);
            assert!(less.is_emptier_than(full) && !full.is_emptier_than(less));
        }
    }

    #[test]
    fn vector_and_portable_matches_agree() {
        let values = [1, 2, 0x7fff, 0x8000, 0x8001, 0xffff];
        for (at, one) in values.into_iter().enumerate() {
            for two in values {
                let (first, second) = (word(&[one, two, one]), word(&[two, 5, 6, values[5 - at]]));
                for wanted in values {
                    let found = matches(wanted, first, second);
                    assert_eq!(found, portable(wanted, first, second));
                    let lanes = [first, second].map(|word| (0..4).map(move |lane| word.lane(lane)));
                    for (lane, value) in lanes.into_iter().flatten().enumerate() {
                        let bits = found >> (lane as u32 * BITS_PER_MATCH) & 0b11;
                        assert_eq!(bits == 0b11, value == wanted);
                        assert!(bits == 0b11 || bits == 0);
                    }
                }
            }
        }
    }
}
