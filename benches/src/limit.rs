//! The limit: the memory accesses that a filter cannot avoid, and nothing else.
//!
//! A lookup is two independent 8-byte loads and one comparison of all lanes. An insert or a remove
//! is one compare-and-swap more. The index arithmetic is that of the filter: a multiplication for
//! the first word, an XOR for the second. Everything else is left out: relocations, versions, a
//! count, and the retry of a lost exchange. So its answers are not reliable. An insert into a full
//! pair pushes out the oldest fingerprint, and an exchange that fails loses its key.
//!
//! In batches it asks the processor for the words of later keys, unless the table is so small that
//! this would only cost time. Before it writes, it asks for them to write.
//!
//! It is as fast as it can be written: no bounds checks, vector comparisons where the processor has
//! them, and a select in place of each branch that random content would make unpredictable. The
//! words are atomic, as in any table that threads share, so the compiler may not gather several of
//! them at once.

use std::hint::select_unpredictable;
use std::sync::atomic::{AtomicU64, Ordering};

use model::Layout;
use model::geometry::SPREAD;

use crate::contender::{Calls, Contender};

/// The layout of a `CuckooFilter`: four 16-bit lanes, which fill a word.
const SLOTS: usize = Layout::DEFAULT.slots;
const BITS: u32 = Layout::DEFAULT.fingerprint_bits;
const _: () = assert!(
    SLOTS == 4 && BITS == 16,
    "the vectors compare four lanes of 16 bits"
);
const LANE: u64 = u64::MAX >> (u64::BITS - BITS);

const LOAD: f64 = 0.95;

/// The XOR needs a power of two, times at most this.
const MOST_RANGES: usize = 32;

/// The words of a key, and its fingerprint.
#[derive(Clone, Copy, Debug)]
struct Candidates {
    first: usize,
    second: usize,
    fingerprint: u64,
}

/// The keys between the one whose words are asked for and the one that is used.
const AHEAD: usize = 16;

/// The most words, 2 MiB of them, for which an out-of-order processor needs no prefetch.
const MOST_WITHOUT: usize = 1 << 18;

/// What the words of a key are asked for.
#[derive(Clone, Copy, Debug)]
enum To {
    Read,
    Write,
}

/// An array of plain atomic words.
#[derive(Debug)]
pub struct Limit {
    words: Box<[AtomicU64]>,
    offset_shift: u32,
}

impl Limit {
    /// Makes a table of vacant words. Their number is a power of two times that of the ranges
    /// inside which the XOR stays.
    fn with_words(words: usize) -> Self {
        Self {
            words: (0..words).map(|_| AtomicU64::new(0)).collect(),
            offset_shift: u64::BITS - words.trailing_zeros(),
        }
    }

    #[inline]
    fn candidates(&self, hash: u64) -> Candidates {
        let fingerprint = (hash & LANE).max(1);
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
    fn cell(&self, index: usize) -> &AtomicU64 {
        debug_assert!(index < self.words.len());
        // SAFETY: an index comes from `candidates`. The first is below the number of words. The
        // second differs in bits below the number's lowest one bit only, so it is in the same range
        // of that size.
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

    /// Asks the processor for both words of a key, and does not wait for them. Does nothing where
    /// there is no stable interface for it.
    #[inline]
    #[allow(unsafe_code, reason = "the standard library has no safe prefetch")]
    fn expect(&self, hash: u64, to: To) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::asm;
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let of = self.candidates(hash);
            for index in [of.first, of.second] {
                let word = &raw const *self.cell(index);
                // SAFETY: a prefetch is a hint. It reads nothing that the program can see, and
                // faults on no address. Every processor with 64 bits takes the one to write as no
                // instruction, if not as a prefetch; the other is SSE.
                unsafe {
                    match to {
                        To::Read => _mm_prefetch::<_MM_HINT_T0>(word.cast()),
                        To::Write => {
                            asm!("prefetchw [{}]", in(reg) word, options(nostack, preserves_flags));
                        }
                    }
                }
            }
        }
        let _ = (hash, to);
    }

    /// Calls `each` for all keys in order, some time after the processor was asked for their words.
    #[inline]
    fn in_order(&self, hashes: &[u64], to: To, mut each: impl FnMut(usize, Candidates)) {
        let later = match hashes.get(AHEAD..) {
            Some(later) if self.words.len() > MOST_WITHOUT => later,
            _ => &[],
        };
        if !later.is_empty() {
            let first = &hashes[..AHEAD];
            first.iter().for_each(|&hash| self.expect(hash, to));
        }
        for (at, (&hash, &later)) in hashes.iter().zip(later).enumerate() {
            self.expect(later, to);
            each(at, self.candidates(hash));
        }
        for (at, &hash) in hashes.iter().enumerate().skip(later.len()) {
            each(at, self.candidates(hash));
        }
    }

    #[inline]
    fn insert_at(&self, of: Candidates) -> bool {
        let (a, b) = self.pair(of);
        self.insert_into(of, a, b)
    }

    #[inline]
    fn insert_into(&self, of: Candidates, a: u64, b: u64) -> bool {
        // Words fill from the low end, so the emptier of the two is the smaller number.
        let index = select_unpredictable(a <= b, of.first, of.second);
        let word = a.min(b);
        self.exchange(index, word, word << BITS | of.fingerprint)
    }

    #[inline]
    fn contains_at(&self, of: Candidates) -> bool {
        let (a, b) = self.pair(of);
        lanes(of.fingerprint, a, b) != 0
    }

    #[inline]
    fn insert_unique_at(&self, of: Candidates) -> bool {
        let (a, b) = self.pair(of);
        lanes(of.fingerprint, a, b) == 0 && self.insert_into(of, a, b)
    }

    /// Removes the first equal lane; none if the key was pushed out. The exchange is done all the
    /// same, because a filter, which loses nothing, would have to do it.
    #[inline]
    fn remove_at(&self, of: Candidates) -> bool {
        let (a, b) = self.pair(of);
        let found = lanes(of.fingerprint, a, b);
        let lane = found.trailing_zeros();
        let in_first = lane < SLOTS as u32 * BITS_OF_LANE;
        let index = select_unpredictable(in_first, of.first, of.second);
        let word = select_unpredictable(in_first, a, b);
        let shift = lane / BITS_OF_LANE % SLOTS as u32 * BITS;
        let kept = !(LANE << shift);
        self.exchange(
            index,
            word,
            word & select_unpredictable(found == 0, u64::MAX, kept),
        ) && found != 0
    }
}

impl Contender for Limit {
    const EXACT: bool = false;
    const BATCHED: bool = true;
    const CALLS: Calls = Calls {
        insert: "adds a copy",
        insert_unique: "two loads, a compare and one exchange",
    };

    /// Makes a table with the words for `items` at 95 % load, rounded to a number inside which the
    /// XOR can stay.
    fn with_capacity(items: usize) -> Self {
        let words = (items as f64 / SLOTS as f64 / LOAD) as usize;
        let range = (words.next_power_of_two() / MOST_RANGES).max(2);
        Self::with_words((words + range / 2).max(range) / range * range)
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        let words = self.words.len();
        (Some(words * SLOTS), Some(words * size_of::<u64>()))
    }

    /// Adds a key, in place of the oldest if the word is full. Returns false if the exchange was
    /// lost.
    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.insert_at(self.candidates(hash))
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains_at(self.candidates(hash))
    }

    /// Removes a key. Returns false if it was absent, or the exchange was lost.
    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.remove_at(self.candidates(hash))
    }

    /// Adds a key unless one with its fingerprint is in its words.
    #[inline]
    fn insert_unique(&self, hash: u64) -> bool {
        self.insert_unique_at(self.candidates(hash))
    }

    /// Looks the keys up. A key that was pushed out would be stored in a filter, which loses
    /// nothing.
    fn insert_known_each(&self, hashes: &[u64]) -> usize {
        hashes.len() - self.contains_each(hashes)
    }

    fn insert_many(&self, hashes: &[u64]) -> usize {
        let mut inserted = 0;
        self.in_order(hashes, To::Write, |_, of| {
            inserted += usize::from(self.insert_at(of))
        });
        inserted
    }

    fn insert_unique_many(&self, hashes: &[u64], added: &mut [bool]) {
        let added = &mut added[..hashes.len()];
        self.in_order(hashes, To::Write, |at, of| {
            added[at] = self.insert_unique_at(of);
        });
    }

    fn insert_known_many(&self, hashes: &[u64], added: &mut [bool]) {
        let added = &mut added[..hashes.len()];
        self.in_order(hashes, To::Read, |at, of| added[at] = !self.contains_at(of));
    }

    fn contains_many(&self, hashes: &[u64], found: &mut [bool]) {
        let found = &mut found[..hashes.len()];
        self.in_order(hashes, To::Read, |at, of| found[at] = self.contains_at(of));
    }

    fn remove_many(&self, hashes: &[u64]) -> usize {
        let mut removed = 0;
        self.in_order(hashes, To::Write, |_, of| {
            removed += usize::from(self.remove_at(of))
        });
        removed
    }

    fn clear(&mut self, _items: usize) {
        for word in &mut self.words {
            *word.get_mut() = 0;
        }
    }
}

/// The bits of a lane in the result of [`lanes`].
const BITS_OF_LANE: u32 = 2;

/// Returns ones for each lane of two words that holds a fingerprint: those of the first word in the
/// low bits. Compares in vectors, if the processor has them.
#[inline]
fn lanes(fingerprint: u64, first: u64, second: u64) -> u32 {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    return vector::lanes(fingerprint, first, second);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    arithmetic(fingerprint, first, second)
}

/// Does what [`lanes`] does, by arithmetic on words. Of each word it finds the lowest lane only.
#[inline]
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
fn arithmetic(fingerprint: u64, first: u64, second: u64) -> u32 {
    const ONE_IN_EACH: u64 = u64::MAX / LANE;
    const TOP_OF_EACH: u64 = ONE_IN_EACH << (BITS - 1);
    let lowest = |word: u64| {
        let difference = word ^ (fingerprint * ONE_IN_EACH);
        // The top bit of each equal lane, and perhaps of some above the lowest one.
        let tops = difference.wrapping_sub(ONE_IN_EACH) & !difference & TOP_OF_EACH;
        let lane = tops.trailing_zeros() / BITS;
        0b11u32
            .checked_shl(lane * BITS_OF_LANE)
            .filter(|_| tops != 0)
            .unwrap_or(0)
    };
    lowest(first) | lowest(second) << (SLOTS as u32 * BITS_OF_LANE)
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[allow(unsafe_code, reason = "the intrinsics are unsafe to call")]
mod vector {
    use core::arch::x86_64 as x86;

    #[inline]
    pub(super) fn lanes(fingerprint: u64, first: u64, second: u64) -> u32 {
        // SAFETY: the instructions are SSE2, which the code is compiled for, and touch no memory.
        unsafe {
            let words = x86::_mm_set_epi64x(second as i64, first as i64);
            let equal = x86::_mm_cmpeq_epi16(words, x86::_mm_set1_epi16(fingerprint as i16));
            x86::_mm_movemask_epi8(equal) as u32
        }
    }
}

#[cfg(test)]
mod tests {
    use harness::sizes::{BEYOND_CACHE, IN_CACHE, IN_MEMORY};
    use lockfree_cuckoo::CuckooFilter;

    use super::*;

    /// Compares every lane of both words.
    #[test]
    fn vectors_and_arithmetic_agree() {
        let limit = Limit::with_words(2);
        let keys: Vec<u64> = (1..=2 * SLOTS as u64).collect();
        assert!(keys.iter().all(|&key| limit.insert(key)));
        for key in 1..200 {
            let (a, b) = limit.pair(limit.candidates(key));
            let found = arithmetic(key, a, b);
            assert_eq!(lanes(key, a, b), found, "{key}");
            assert_eq!(limit.contains(key), keys.contains(&key), "{key}");
            assert_eq!(found != 0, keys.contains(&key), "{key}");
        }
    }

    #[test]
    fn batches_and_single_calls_agree() {
        let keys: Vec<u64> = (0..1_003)
            .map(|key: u64| key.wrapping_mul(SPREAD))
            .collect();
        for part in [0, 1, AHEAD, AHEAD + 1, keys.len()].map(|end| &keys[..end]) {
            let [one, many] = [(); 2].map(|()| Limit::with_words(1 << 10));
            assert!(part.iter().all(|&key| one.insert(key)));
            assert_eq!(many.insert_many(part), part.len());
            let words =
                |limit: &Limit| -> Vec<u64> { (0..1 << 10).map(|at| limit.load(at)).collect() };
            assert_eq!(words(&one), words(&many));
            let unique = Limit::with_words(1 << 10);
            let mut added = vec![false; part.len()];
            unique.insert_unique_many(part, &mut added);
            assert!(added.iter().all(|&added| added));
            assert_eq!(words(&one), words(&unique));
            unique.insert_known_many(part, &mut added);
            assert!(added.iter().all(|&added| !added));
            assert!(!part.iter().any(|&key| unique.insert_unique(key)));
            assert_eq!(words(&one), words(&unique));
            let mut found = vec![false; keys.len()];
            many.contains_many(&keys, &mut found);
            assert!(
                keys.iter()
                    .zip(&found)
                    .all(|(&key, &found)| one.contains(key) == found)
            );
            assert!(found[..part.len()].iter().all(|&found| found));
            let wrong = found[part.len()..].iter().filter(|&&found| found);
            assert!(wrong.count() < 10);
            assert_eq!(many.remove_many(part), part.len());
            assert!(words(&many).iter().all(|&word| word == 0));
        }
    }

    #[test]
    fn clears_each_lane_and_no_other() {
        // One pair of words, so every key has the same two candidates.
        let mut limit = Limit::with_capacity(1);
        assert_eq!(limit.size(), (Some(2 * 4), Some(16)));
        let keys: Vec<u64> = (1..=8).collect();
        for &gone in &keys {
            limit.clear(1);
            assert!(keys.iter().all(|&key| limit.insert(key)));
            assert!(limit.remove(gone));
            assert!(keys.iter().all(|&key| limit.contains(key) == (key != gone)));
            assert!(!limit.remove(gone));
        }
    }

    #[test]
    fn is_as_full_as_the_filter_at_the_measured_sizes() {
        for items in [IN_CACHE, BEYOND_CACHE, IN_MEMORY] {
            let slots = CuckooFilter::with_capacity(items).slots();
            assert_eq!(Limit::with_capacity(items).size().0, Some(slots));
            let load = items as f64 / slots as f64;
            assert!((load - LOAD).abs() < 0.005, "{load}");
        }
    }
}
