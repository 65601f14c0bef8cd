//! Bare lanes of any shape: two independent loads, one compare of all lanes, for a change one exchange.
//!
//! What the [limit](crate::limit) is made of. It tells no truth: an insert into a full word pushes out a fingerprint, and
//! an exchange that fails loses its key.

use std::sync::atomic::Ordering;

use model::geometry::SPREAD;

use crate::prefetch::prefetch;

/// The words. Not the library's atomics, so that the limit does not depend on what it is a limit for.
#[allow(
    clippy::disallowed_types,
    reason = "the limit is no part of the library, and no model checker looks at it"
)]
type Cell = std::sync::atomic::AtomicU64;

/// An array of plain atomic words, of `SLOTS` lanes of `BITS` bits each.
#[derive(Debug)]
pub struct Bare<const SLOTS: usize, const BITS: u32> {
    words: Box<[Cell]>,
    offset_shift: u32,
}

impl<const SLOTS: usize, const BITS: u32> Bare<SLOTS, BITS> {
    const ONE_IN_EACH: u64 = {
        let (mut ones, mut lane) = (0, 0);
        while lane < SLOTS as u32 {
            ones |= 1 << (lane * BITS);
            lane += 1;
        }
        ones
    };
    const TOP_OF_EACH: u64 = Self::ONE_IN_EACH << (BITS - 1);
    const LANE: u64 = u64::MAX >> (u64::BITS - BITS);
    const LANES: u64 = Self::ONE_IN_EACH * Self::LANE;

    /// All words vacant. Their number is a power of two times that of the ranges inside which the XOR stays.
    #[must_use]
    pub fn with_words(words: usize) -> Self {
        Self {
            words: (0..words).map(|_| Cell::new(0)).collect(),
            offset_shift: u64::BITS - words.trailing_zeros(),
        }
    }

    /// The number of words.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Makes all words vacant.
    pub fn clear(&mut self) {
        for word in &mut self.words {
            *word.get_mut() = 0;
        }
    }

    /// Asks for both words of a key.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        let (first, second, _) = self.candidates(hash);
        prefetch(&self.words[first]);
        prefetch(&self.words[second]);
    }

    #[inline]
    fn candidates(&self, hash: u64) -> (usize, usize, u64) {
        let fingerprint = (hash & Self::LANE).max(1);
        let first = ((u128::from(hash) * self.words.len() as u128) >> 64) as usize;
        let spread = fingerprint.wrapping_mul(SPREAD) | 1 << 63;
        let second = first ^ (spread >> self.offset_shift) as usize;
        (first, second, fingerprint)
    }

    #[inline]
    fn load(&self, index: usize) -> u64 {
        self.words[index].load(Ordering::Relaxed)
    }

    #[inline]
    fn exchange(&self, index: usize, current: u64, new: u64) -> bool {
        self.words[index]
            .compare_exchange(current, new, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    }

    /// The top bit of lanes that hold `fingerprint`; the lowest is exact.
    #[inline]
    fn flags(word: u64, fingerprint: u64) -> u64 {
        let difference = word ^ (fingerprint * Self::ONE_IN_EACH);
        difference.wrapping_sub(Self::ONE_IN_EACH) & !difference & Self::TOP_OF_EACH
    }

    /// Adds a key; into a full word in place of its oldest one. False if the exchange was lost.
    #[inline]
    pub fn insert(&self, hash: u64) -> bool {
        let (first, second, fingerprint) = self.candidates(hash);
        let (a, b) = (self.load(first), self.load(second));
        // Words fill from the low end, so the emptier of the two is the smaller number.
        let (index, word) = if a <= b { (first, a) } else { (second, b) };
        self.exchange(index, word, (word << BITS | fingerprint) & Self::LANES)
    }

    /// Looks a key up, by arithmetic on words.
    #[inline]
    pub fn contains(&self, hash: u64) -> bool {
        let (first, second, fingerprint) = self.candidates(hash);
        let (a, b) = (self.load(first), self.load(second));
        Self::flags(a, fingerprint) | Self::flags(b, fingerprint) != 0
    }

    /// The same in vectors, if the lanes are 8 or 16 bits wide and fill the word, and the processor has vectors.
    #[inline]
    pub fn contains_in_vectors(&self, hash: u64) -> bool {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        if BITS == 8 || BITS == 16 && SLOTS as u32 * BITS == u64::BITS {
            let (first, second, fingerprint) = self.candidates(hash);
            return vector::any_equal::<BITS>(fingerprint, self.load(first), self.load(second));
        }
        self.contains(hash)
    }

    /// Removes a key. False if it was not there, or the exchange was lost.
    #[inline]
    pub fn remove(&self, hash: u64) -> bool {
        let (first, second, fingerprint) = self.candidates(hash);
        let (a, b) = (self.load(first), self.load(second));
        let in_a = Self::flags(a, fingerprint);
        let (index, word, found) = if in_a != 0 {
            (first, a, in_a)
        } else {
            (second, b, Self::flags(b, fingerprint))
        };
        // All bits of the lowest flagged lane; none if the key was pushed out. The exchange is done all
        // the same, because a filter, which loses nothing, would have to do it.
        let top = found & found.wrapping_neg();
        let lane = (top << 1).wrapping_sub(top >> (BITS - 1));
        self.exchange(index, word, word & !lane) && found != 0
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[allow(unsafe_code, reason = "the intrinsics are unsafe to call")]
mod vector {
    use core::arch::x86_64 as x86;

    /// Whether a lane of two words holds `wanted`.
    #[inline]
    pub(super) fn any_equal<const BITS: u32>(wanted: u64, a: u64, b: u64) -> bool {
        // SAFETY: the instructions are SSE2, which the code is compiled for, and touch no memory.
        unsafe {
            let words = x86::_mm_set_epi64x(b as i64, a as i64);
            let equal = if BITS == 8 {
                x86::_mm_cmpeq_epi8(words, x86::_mm_set1_epi8(wanted as i8))
            } else {
                x86::_mm_cmpeq_epi16(words, x86::_mm_set1_epi16(wanted as i16))
            };
            x86::_mm_movemask_epi8(equal) != 0
        }
    }
}
