//! The bare limit: the memory traffic that a filter of this layout cannot avoid, and nothing else.
//!
//! Per lookup two independent 8-byte loads and one compare of four lanes each; per insert or remove one
//! compare-and-swap more. The index arithmetic is the filter's: a multiplication for the first word, an XOR
//! for the second. All else is left out: no relocations, no versions, no count, no retry of an exchange that
//! was lost. So it tells no truth. An insert into a full pair pushes out the oldest fingerprint, and an
//! exchange that fails loses its key.
//!
//! For lookups in batches the same, with the words of later keys on their way from memory while those of
//! earlier ones are compared.
//!
//! It is plain code: each access has its bounds check, and the compare is arithmetic on words. (The filter does
//! without the checks of its two loads and compares in vectors, which pays for some of its promises.) Every
//! choice is a select rather than a branch, because a branch on random content would be mispredicted half of
//! the time.

use std::sync::atomic::Ordering;

use model::Layout;
use model::geometry::SPREAD;

use crate::contender::Contender;
use crate::prefetch::prefetch;

/// The words. Not the library's atomics, so that the limit does not depend on what it is a limit for.
#[allow(
    clippy::disallowed_types,
    reason = "the limit is no part of the library, and no model checker looks at it"
)]
type Cell = std::sync::atomic::AtomicU64;

/// An array of plain atomic words, four 16-bit lanes each.
#[derive(Debug)]
pub struct Limit {
    words: Box<[Cell]>,
    offset_shift: u32,
}

const LANE_BITS: u32 = Layout::DEFAULT.fingerprint_bits;
const LANES: usize = Layout::DEFAULT.slots;
const ONE_IN_EACH_LANE: u64 = 0x0001_0001_0001_0001;
const TOP_OF_EACH_LANE: u64 = ONE_IN_EACH_LANE << (LANE_BITS - 1);

const LOAD: f64 = 0.95;

/// How many keys ahead of the comparison the words are asked for.
const AHEAD: usize = 32;

/// The XOR needs a power of two, times at most this.
const MOST_RANGES: usize = 32;

impl Limit {
    /// The number of words for `items` at 95 % load, rounded to what the XOR can stay inside.
    fn words_for(items: usize) -> usize {
        let words = (items as f64 / LANES as f64 / LOAD) as usize;
        let range = (words.next_power_of_two() / MOST_RANGES).max(2);
        (words + range / 2).max(range) / range * range
    }

    #[inline]
    fn candidates(&self, hash: u64) -> (usize, usize, u64) {
        let fingerprint = u64::from((hash as u16).max(1));
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
    fn prefetch(&self, hash: u64) {
        let (first, second, _) = self.candidates(hash);
        prefetch(&self.words[first]);
        prefetch(&self.words[second]);
    }

    #[inline]
    fn exchange(&self, index: usize, current: u64, new: u64) -> bool {
        self.words[index]
            .compare_exchange(current, new, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    }
}

/// The top bit of lanes that hold `fingerprint`; the lowest is exact.
#[inline]
fn flags(word: u64, fingerprint: u64) -> u64 {
    let difference = word ^ (fingerprint * ONE_IN_EACH_LANE);
    difference.wrapping_sub(ONE_IN_EACH_LANE) & !difference & TOP_OF_EACH_LANE
}

impl Contender for Limit {
    const NAME: &'static str = "limit";
    const EXACT: bool = false;
    const BATCHED: bool = true;

    fn with_capacity(items: usize) -> Self {
        let words = Self::words_for(items);
        Self {
            words: (0..words).map(|_| Cell::new(0)).collect(),
            offset_shift: u64::BITS - words.trailing_zeros(),
        }
    }

    fn slots(&self) -> usize {
        self.words.len() * LANES
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        let (first, second, fingerprint) = self.candidates(hash);
        let (a, b) = (self.load(first), self.load(second));
        // Words fill from the low end, so the emptier of the two is the smaller number.
        let (index, word) = if a <= b { (first, a) } else { (second, b) };
        self.exchange(index, word, word << LANE_BITS | fingerprint)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        let (first, second, fingerprint) = self.candidates(hash);
        let (a, b) = (self.load(first), self.load(second));
        flags(a, fingerprint) | flags(b, fingerprint) != 0
    }

    fn contains_many(&self, hashes: &[u64], found: &mut [bool]) {
        for &hash in hashes.iter().take(AHEAD) {
            self.prefetch(hash);
        }
        for (at, (found, &hash)) in found.iter_mut().zip(hashes).enumerate() {
            if let Some(&later) = hashes.get(at + AHEAD) {
                self.prefetch(later);
            }
            *found = self.contains(hash);
        }
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        let (first, second, fingerprint) = self.candidates(hash);
        let (a, b) = (self.load(first), self.load(second));
        let in_a = flags(a, fingerprint);
        let (index, word, found) = if in_a != 0 {
            (first, a, in_a)
        } else {
            (second, b, flags(b, fingerprint))
        };
        // All bits of the lowest flagged lane; none if the key was pushed out. The exchange is done all
        // the same, because a filter, which loses nothing, would have to do it.
        let top = found & found.wrapping_neg();
        let lane = (top << 1).wrapping_sub(top >> (LANE_BITS - 1));
        self.exchange(index, word, word & !lane) && found != 0
    }

    fn clear(&mut self) {
        for word in &mut self.words {
            *word.get_mut() = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use lockfree_cuckoo::CuckooFilter;

    use super::*;
    use crate::keys::Keys;
    use crate::size::{BEYOND_CACHE, IN_CACHE, LARGE, Size};

    #[test]
    fn finds_what_it_stored_at_low_load() {
        let mut limit = Limit::with_capacity(100_000);
        let keys = Keys::generate(10_000);
        assert!(keys.stored.iter().all(|&key| limit.insert(key)));
        assert!(keys.stored.iter().all(|&key| limit.contains(key)));
        let false_positives = keys.absent.iter().filter(|&&key| limit.contains(key));
        assert!(false_positives.count() < 10);
        for keys in [&keys.stored, &keys.absent[..AHEAD - 1]] {
            let mut found = vec![false; keys.len()];
            limit.contains_many(keys, &mut found);
            let alone: Vec<bool> = keys.iter().map(|&key| limit.contains(key)).collect();
            assert_eq!(found, alone);
        }
        assert!(keys.stored.iter().all(|&key| limit.remove(key)));
        assert!(!keys.stored.iter().any(|&key| limit.contains(key)));

        limit.insert(keys.stored[0]);
        limit.clear();
        assert!(!limit.contains(keys.stored[0]));
    }

    #[test]
    fn clears_each_lane_and_no_other() {
        // One pair of words, so every key has the same two candidates.
        let limit = Limit::with_capacity(1);
        assert_eq!(limit.slots(), 2 * LANES);
        let keys: Vec<u64> = (1..=8).collect();
        for &gone in &keys {
            limit
                .words
                .iter()
                .for_each(|w| w.store(0, Ordering::Relaxed));
            assert!(keys.iter().all(|&key| limit.insert(key)));
            assert!(limit.remove(gone));
            assert!(keys.iter().all(|&key| limit.contains(key) == (key != gone)));
            assert!(!limit.remove(gone));
        }
    }

    #[test]
    fn is_as_full_as_the_filter_at_the_measured_sizes() {
        for Size { items, .. } in [IN_CACHE, BEYOND_CACHE, LARGE] {
            let slots = Limit::with_capacity(items).slots();
            assert_eq!(slots, CuckooFilter::with_capacity(items).slots());
            let load = items as f64 / slots as f64;
            assert!((load - LOAD).abs() < 0.005, "{load}");
        }
    }
}
