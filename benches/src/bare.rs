//! Bare lanes of any shape: two independent loads, one compare of all lanes, for a change one exchange.
//!
//! What the [limit](crate::limit) is made of. It tells no truth: an insert into a full word pushes out a fingerprint, and
//! an exchange that fails loses its key.
//!
//! It is as fast as it can be written: no bounds checks, a compare in vectors where lanes suit them, and a select rather
//! than a branch wherever a branch on random content would be mispredicted half of the time. The words are atomic,
//! because a table that threads share has to be read so: the compiler may not gather several of them at once.

use std::sync::atomic::Ordering;

use model::geometry::SPREAD;

use crate::prefetch::prefetch;

/// The words. Not the library's atomics, so that the limit does not depend on what it is a limit for.
#[allow(
    clippy::disallowed_types,
    reason = "the limit is no part of the library, and no model checker looks at it"
)]
type Cell = std::sync::atomic::AtomicU64;

/// Where a key can be, and what it leaves there.
#[derive(Clone, Copy, Debug)]
struct Candidates {
    first: usize,
    second: usize,
    fingerprint: u64,
}

/// Keys whose words are asked for together.
const GROUP: usize = 16;

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

    #[inline]
    fn candidates(&self, hash: u64) -> Candidates {
        let fingerprint = (hash & Self::LANE).max(1);
        let first = ((u128::from(hash) * self.words.len() as u128) >> 64) as usize;
        let spread = fingerprint.wrapping_mul(SPREAD) | 1 << 63;
        Candidates {
            first,
            second: first ^ (spread >> self.offset_shift) as usize,
            fingerprint,
        }
    }

    #[inline]
    #[allow(
        unsafe_code,
        reason = "a limit that checks its bounds is not the limit"
    )]
    fn cell(&self, index: usize) -> &Cell {
        debug_assert!(index < self.words.len());
        // SAFETY: an index comes from `candidates`. The first is below the number of words. The second differs in bits
        // below the number's lowest one bit only, so it is in the same range of that size.
        unsafe { self.words.get_unchecked(index) }
    }

    #[inline]
    fn load(&self, index: usize) -> u64 {
        self.cell(index).load(Ordering::Relaxed)
    }

    #[inline]
    fn pair(&self, of: Candidates) -> (u64, u64) {
        (self.load(of.first), self.load(of.second))
    }

    #[inline]
    fn exchange(&self, index: usize, current: u64, new: u64) -> bool {
        self.cell(index)
            .compare_exchange(current, new, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    }

    /// Asks for both words of a key.
    #[inline]
    fn expected(&self, hash: u64) -> Candidates {
        let of = self.candidates(hash);
        prefetch(self.cell(of.first));
        prefetch(self.cell(of.second));
        of
    }

    /// Calls `each` for all keys in order, with the words of the next group on their way from memory while those of a
    /// group are used. Candidates are computed once.
    #[inline]
    fn in_groups(&self, hashes: &[u64], mut each: impl FnMut(usize, Candidates)) {
        let (groups, rest) = hashes.as_chunks::<GROUP>();
        let mut next = groups
            .first()
            .map(|group| group.map(|hash| self.expected(hash)));
        for at in 0..groups.len() {
            let Some(group) = next else { break };
            next = groups
                .get(at + 1)
                .map(|group| group.map(|hash| self.expected(hash)));
            for (turn, of) in group.into_iter().enumerate() {
                each(at * GROUP + turn, of);
            }
        }
        for (turn, &hash) in rest.iter().enumerate() {
            each(groups.len() * GROUP + turn, self.candidates(hash));
        }
    }

    /// The top bit of lanes that hold `fingerprint`; the lowest is exact.
    #[inline]
    fn flags(word: u64, fingerprint: u64) -> u64 {
        let difference = word ^ (fingerprint * Self::ONE_IN_EACH);
        difference.wrapping_sub(Self::ONE_IN_EACH) & !difference & Self::TOP_OF_EACH
    }

    #[inline]
    fn insert_at(&self, of: Candidates) -> bool {
        let (a, b) = self.pair(of);
        // Words fill from the low end, so the emptier of the two is the smaller number.
        let (index, word) = if a <= b {
            (of.first, a)
        } else {
            (of.second, b)
        };
        self.exchange(index, word, (word << BITS | of.fingerprint) & Self::LANES)
    }

    /// In vectors, if the lanes are 8 or 16 bits wide and fill the word, and the processor has them.
    #[inline]
    fn contains_at(&self, of: Candidates) -> bool {
        let (a, b) = self.pair(of);
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        if Self::SUITS_VECTORS {
            return vector::any_equal::<BITS>(of.fingerprint, a, b);
        }
        Self::either_contains(a, b, of.fingerprint)
    }

    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    const SUITS_VECTORS: bool = (BITS == 8 || BITS == 16) && SLOTS as u32 * BITS == u64::BITS;

    /// By arithmetic on words.
    #[inline]
    fn either_contains(a: u64, b: u64, fingerprint: u64) -> bool {
        Self::flags(a, fingerprint) | Self::flags(b, fingerprint) != 0
    }

    #[inline]
    fn remove_at(&self, of: Candidates) -> bool {
        let (a, b) = self.pair(of);
        let in_a = Self::flags(a, of.fingerprint);
        let (index, word, found) = if in_a != 0 {
            (of.first, a, in_a)
        } else {
            (of.second, b, Self::flags(b, of.fingerprint))
        };
        // All bits of the lowest flagged lane; none if the key was pushed out. The exchange is done all
        // the same, because a filter, which loses nothing, would have to do it.
        let top = found & found.wrapping_neg();
        let lane = (top << 1).wrapping_sub(top >> (BITS - 1));
        self.exchange(index, word, word & !lane) && found != 0
    }

    /// Adds a key; into a full word in place of its oldest one. False if the exchange was lost.
    #[inline]
    pub fn insert(&self, hash: u64) -> bool {
        self.insert_at(self.candidates(hash))
    }

    /// Looks a key up.
    #[inline]
    pub fn contains(&self, hash: u64) -> bool {
        self.contains_at(self.candidates(hash))
    }

    /// Removes a key. False if it was not there, or the exchange was lost.
    #[inline]
    pub fn remove(&self, hash: u64) -> bool {
        self.remove_at(self.candidates(hash))
    }

    /// Adds the keys. The number of exchanges that were not lost.
    pub fn insert_many(&self, hashes: &[u64]) -> usize {
        let mut inserted = 0;
        self.in_groups(hashes, |_, of| inserted += usize::from(self.insert_at(of)));
        inserted
    }

    /// Looks the keys up.
    pub fn contains_many(&self, hashes: &[u64], found: &mut [bool]) {
        let found = &mut found[..hashes.len()];
        self.in_groups(hashes, |at, of| found[at] = self.contains_at(of));
    }

    /// Removes the keys. The number that was there.
    pub fn remove_many(&self, hashes: &[u64]) -> usize {
        let mut removed = 0;
        self.in_groups(hashes, |_, of| removed += usize::from(self.remove_at(of)));
        removed
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every lane of both words, by vectors and by arithmetic.
    fn compares_in_two_ways<const SLOTS: usize, const BITS: u32>() {
        let bare = Bare::<SLOTS, BITS>::with_words(2);
        let keys: Vec<u64> = (1..=2 * SLOTS as u64).collect();
        assert!(keys.iter().all(|&key| bare.insert(key)));
        for key in 1..200 {
            let (a, b) = bare.pair(bare.candidates(key));
            let found = Bare::<SLOTS, BITS>::either_contains(a, b, key);
            assert_eq!(found, keys.contains(&key), "{key}");
            assert_eq!(bare.contains(key), found, "{key}");
        }
    }

    #[test]
    fn vectors_and_arithmetic_find_the_same() {
        compares_in_two_ways::<8, 8>();
        compares_in_two_ways::<4, 16>();
        compares_in_two_ways::<3, 21>();
    }

    #[test]
    fn groups_do_what_single_calls_do() {
        let keys: Vec<u64> = (0..1_003)
            .map(|key: u64| key.wrapping_mul(SPREAD))
            .collect();
        for part in [0, 1, GROUP, 2 * GROUP - 1, keys.len()].map(|end| &keys[..end]) {
            let [one, many] = [(); 2].map(|()| Bare::<4, 16>::with_words(1 << 10));
            assert!(part.iter().all(|&key| one.insert(key)));
            assert_eq!(many.insert_many(part), part.len());
            let words =
                |bare: &Bare<4, 16>| -> Vec<u64> { (0..1 << 10).map(|at| bare.load(at)).collect() };
            assert_eq!(words(&one), words(&many));
            let mut found = vec![false; keys.len()];
            many.contains_many(&keys, &mut found);
            assert!(
                keys.iter()
                    .zip(&found)
                    .all(|(&key, &found)| one.contains(key) == found)
            );
            assert_eq!(many.remove_many(part), part.len());
            assert!(words(&many).iter().all(|&word| word == 0));
        }
    }
}
