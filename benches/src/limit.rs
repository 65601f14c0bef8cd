//! The bare limit: the memory traffic that a filter of this layout cannot avoid, and nothing else.
//!
//! Per lookup two independent 8-byte loads and one compare of four lanes each; per insert or remove one
//! compare-and-swap more. The index arithmetic is the filter's: a multiplication for the first word, an XOR
//! for the second. All else is left out: no relocations, no versions, no count, no retry of an exchange that
//! was lost. So it tells no truth. An insert into a full pair pushes out the oldest fingerprint, and an
//! exchange that fails loses its key.
//!
//! For batches the same, with the words of the next sixteen keys on their way from memory while those of sixteen are
//! used.
//!
//! It is as fast as it can be written ([`bare`](crate::bare)). The filter cannot reach it where its promises cost
//! instructions that wait for memory.

use model::Layout;

use crate::bare::Bare;
use crate::contender::Contender;

/// An array of plain atomic words, four 16-bit lanes each.
#[derive(Debug)]
pub struct Limit(Bare<LANES, LANE_BITS>);

const LANE_BITS: u32 = Layout::DEFAULT.fingerprint_bits;
const LANES: usize = Layout::DEFAULT.slots;

const LOAD: f64 = 0.95;

/// The XOR needs a power of two, times at most this.
const MOST_RANGES: usize = 32;

impl Limit {
    /// The number of words for `items` at 95 % load, rounded to what the XOR can stay inside.
    fn words_for(items: usize) -> usize {
        let words = (items as f64 / LANES as f64 / LOAD) as usize;
        let range = (words.next_power_of_two() / MOST_RANGES).max(2);
        (words + range / 2).max(range) / range * range
    }
}

impl Contender for Limit {
    const NAME: &'static str = "limit";
    const EXACT: bool = false;
    const BATCHED: bool = true;

    fn with_capacity(items: usize) -> Self {
        Self(Bare::with_words(Self::words_for(items)))
    }

    fn slots(&self) -> usize {
        self.0.words() * LANES
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.0.insert(hash)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.contains(hash)
    }

    fn contains_many(&self, hashes: &[u64], found: &mut [bool]) {
        self.0.contains_many(hashes, found);
    }

    fn insert_many(&self, hashes: &[u64]) -> usize {
        self.0.insert_many(hashes)
    }

    fn remove_many(&self, hashes: &[u64]) -> usize {
        self.0.remove_many(hashes)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.0.remove(hash)
    }

    fn clear(&mut self) {
        self.0.clear();
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
        for keys in [&keys.stored, &keys.absent[..31]] {
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
        let mut limit = Limit::with_capacity(1);
        assert_eq!(limit.slots(), 2 * LANES);
        let keys: Vec<u64> = (1..=8).collect();
        for &gone in &keys {
            limit.clear();
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
