//! A cuckoo filter for one thread: the price of sharing is measured against it.
//!
//! Buckets, candidates and path search are those of a `CuckooFilter` with the layout 4 x 16.
//! Everything that only sharing needs is left out: loads and stores are plain, no word is ever
//! frozen, nothing is read twice, and the count is an integer. It is written for speed: vector
//! comparisons, selects in place of unpredictable branches, no bounds checks, and a list of nodes
//! that the next search uses again.

mod search;
mod word;

use std::hint::select_unpredictable;

use crate::search::{Node, Path};
use crate::word::{BITS, SLOTS, Word};

/// A cuckoo filter with buckets of four 16-bit fingerprints.
#[derive(Debug)]
pub struct SerialFilter {
    words: Box<[Word]>,
    offset_shift: u32,
    len: usize,
    /// The nodes of the last path search.
    nodes: Vec<Node>,
}

/// The candidates of an item, and its fingerprint.
#[derive(Clone, Copy, Debug)]
struct Candidates {
    first: usize,
    second: usize,
    fingerprint: u64,
}

/// 2^64 over the golden ratio, odd.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number of paths that an insert tries. A path breaks if it visits one bucket twice.
const ATTEMPTS: usize = 64;

impl SerialFilter {
    /// Makes an empty filter.
    ///
    /// # Panics
    ///
    /// If the number of buckets is odd. It should be a power of two times a small number.
    #[must_use]
    pub fn with_buckets(buckets: usize) -> Self {
        assert!(
            buckets > 0 && buckets.is_multiple_of(2),
            "not a number of buckets"
        );
        Self {
            words: vec![Word::EMPTY; buckets].into_boxed_slice(),
            offset_shift: u64::BITS - buckets.trailing_zeros(),
            len: 0,
            nodes: Vec::new(),
        }
    }

    /// Returns the number of slots.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.words.len() * SLOTS
    }

    /// Returns the number of stored items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether it stores nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Removes all items.
    pub fn clear(&mut self) {
        self.words.fill(Word::EMPTY);
        self.len = 0;
    }

    /// Returns whether an item with this hash may be stored.
    #[inline]
    #[must_use]
    pub fn contains(&self, hash: u64) -> bool {
        let of = self.candidates(hash);
        word::matches(of.fingerprint, self.load(of.first), self.load(of.second)) != 0
    }

    /// Adds an item. Returns false, and changes nothing, if there is no room.
    #[inline]
    pub fn insert(&mut self, hash: u64) -> bool {
        let of = self.candidates(hash);
        let (a, b) = (self.load(of.first), self.load(of.second));
        self.insert_into(hash, of, a, b)
    }

    /// Adds an item to the emptier of its candidates, which have been loaded.
    #[inline]
    fn insert_into(&mut self, hash: u64, of: Candidates, a: Word, b: Word) -> bool {
        let first_is_emptier = a.is_emptier_than(b);
        let bucket = select_unpredictable(first_is_emptier, of.first, of.second);
        let word = select_unpredictable(first_is_emptier, a, b);
        if word.is_full() {
            return self.insert_by_path(hash);
        }
        *self.word_mut(bucket) = word.with(of.fingerprint);
        self.len += 1;
        true
    }

    /// Adds an item if no equal or colliding one is stored. Returns false, and changes nothing, if
    /// one is, or if there is no room.
    #[inline]
    pub fn insert_unique(&mut self, hash: u64) -> bool {
        let of = self.candidates(hash);
        let (a, b) = (self.load(of.first), self.load(of.second));
        word::matches(of.fingerprint, a, b) == 0 && self.insert_into(hash, of, a, b)
    }

    /// Removes an item that was inserted. Returns false if no such item is stored.
    #[inline]
    pub fn remove(&mut self, hash: u64) -> bool {
        let of = self.candidates(hash);
        let (a, b) = (self.load(of.first), self.load(of.second));
        let matches = word::matches(of.fingerprint, a, b);
        if matches == 0 {
            return false;
        }
        let lane = matches.trailing_zeros() / word::BITS_PER_MATCH;
        let in_first = lane < SLOTS as u32;
        let bucket = select_unpredictable(in_first, of.first, of.second);
        let word = select_unpredictable(in_first, a, b);
        *self.word_mut(bucket) = word.without(lane % SLOTS as u32);
        self.len -= 1;
        true
    }

    #[inline]
    fn candidates(&self, hash: u64) -> Candidates {
        let low = hash & ((1 << BITS) - 1);
        let fingerprint = low + u64::from(low == 0);
        let first = ((u128::from(hash) * self.words.len() as u128) >> u64::BITS) as usize;
        Candidates {
            first,
            second: self.alternate(first, fingerprint),
            fingerprint,
        }
    }

    /// Returns the other candidate of a fingerprint that is in `bucket`.
    #[inline]
    fn alternate(&self, bucket: usize, fingerprint: u64) -> usize {
        let spread = fingerprint.wrapping_mul(SPREAD) | 1 << 63;
        bucket ^ (spread >> self.offset_shift) as usize
    }

    #[inline]
    #[allow(unsafe_code, reason = "no bounds checks")]
    fn load(&self, bucket: usize) -> Word {
        debug_assert!(bucket < self.words.len());
        // SAFETY: a first candidate is below the number of words. An alternate differs from such a
        // bucket in bits below the number's lowest one bit only, so it is in the same range of that
        // size.
        unsafe { *self.words.get_unchecked(bucket) }
    }

    #[inline]
    #[allow(unsafe_code, reason = "no bounds checks")]
    fn word_mut(&mut self, bucket: usize) -> &mut Word {
        debug_assert!(bucket < self.words.len());
        // SAFETY: as in `load`.
        unsafe { self.words.get_unchecked_mut(bucket) }
    }

    /// Asks the processor for a bucket, and does not wait for it.
    #[inline]
    #[allow(unsafe_code, reason = "the standard library has no safe prefetch")]
    fn prefetch(&self, bucket: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let word = self.words.as_ptr().wrapping_add(bucket);
            // SAFETY: a prefetch is a hint. It faults on no address, and SSE is part of every
            // x86-64 processor.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(word.cast()) }
        }
        let _ = bucket;
    }

    /// Inserts an item whose candidates are full.
    #[cold]
    #[inline(never)]
    fn insert_by_path(&mut self, hash: u64) -> bool {
        let of = self.candidates(hash);
        for _ in 0..ATTEMPTS {
            let emptied = match self.near_hop(of) {
                Some((bucket, lane)) => self.hop(bucket, lane).then_some(bucket),
                None => match self.search(of) {
                    Some(path) => self.follow(path),
                    None => return false,
                },
            };
            if let Some(bucket) = emptied {
                let word = self.word_mut(bucket);
                *word = word.with(of.fingerprint);
                self.len += 1;
                return true;
            }
        }
        false
    }

    /// Moves the fingerprint in a lane to its alternate. Returns false, and changes nothing, if the
    /// alternate is full.
    #[inline]
    fn hop(&mut self, bucket: usize, lane: u32) -> bool {
        let word = self.load(bucket);
        let moved = word.lane(lane);
        let alternate = self.alternate(bucket, moved);
        let destination = self.load(alternate);
        if destination.is_full() {
            return false;
        }
        *self.word_mut(alternate) = destination.with(moved);
        *self.word_mut(bucket) = word.without(lane);
        true
    }

    /// Executes the hops of a path, the last one first. Returns the candidate that has room now;
    /// `None` if a hop was no longer possible. The hops before it only moved fingerprints between
    /// their own candidates.
    fn follow(&mut self, path: Path) -> Option<usize> {
        let mut node = path.end;
        loop {
            let Node { parent, lane, .. } = self.nodes[node];
            let Node { bucket, word, .. } = self.nodes[parent];
            // A path that visits a bucket twice has changed it.
            if self.load(bucket) != word || !self.hop(bucket, lane) {
                return None;
            }
            if parent < 2 {
                return Some(bucket);
            }
            node = parent;
        }
    }
}

#[cfg(test)]
mod tests {
    use lockfree_cuckoo::CuckooFilter;

    use super::*;

    fn hashes(count: usize, seed: u64) -> Vec<u64> {
        let hash = |at| model::mix(at ^ model::mix(seed));
        (0..count as u64).map(hash).collect()
    }

    #[test]
    fn reaches_the_load_of_the_shared_filter_without_loss() {
        for buckets in [1 << 12, 9 << 9] {
            let mut serial = SerialFilter::with_buckets(buckets);
            let builder = CuckooFilter::builder().buckets(buckets);
            let shared = builder.build().expect("a valid size");
            assert_eq!(shared.slots(), serial.slots());
            let all = hashes(2 * serial.slots(), 1);
            let taken = all.iter().take_while(|&&hash| serial.insert(hash));
            let taken = taken.count();
            let others = all
                .iter()
                .position(|&hash| shared.insert_hash(hash).is_err());
            let loads = [taken, others.expect("full")].map(|items| items as f64);
            let slots = serial.slots() as f64;
            assert!((loads[0] - loads[1]).abs() / slots < 0.01, "{loads:?}");
            assert!(loads[0] / slots > 0.93, "{loads:?}");
            assert_eq!(serial.len(), taken);
            let stored: usize = serial.words.iter().map(|word| word.occupied()).sum();
            assert_eq!(stored, taken);
            assert!(all[..taken].iter().all(|&hash| serial.contains(hash)));
            for (at, &hash) in all[..taken].iter().enumerate() {
                assert!(serial.remove(hash), "{at}");
            }
            assert!(serial.is_empty());
            assert!(serial.words.iter().all(|&word| word == Word::EMPTY));
        }
    }

    #[test]
    fn answers_like_the_shared_filter() {
        // Few buckets and many copies, so that equal fingerprints meet.
        let mut serial = SerialFilter::with_buckets(128);
        let shared = CuckooFilter::builder().buckets(128).build();
        let shared = shared.expect("a valid size");
        let some = hashes(150, 2);
        let mut copies = vec![0usize; some.len()];
        for (step, &choice) in hashes(20_000, 3).iter().enumerate() {
            let at = choice as usize % some.len();
            if choice >> 40 & 1 == 0 && copies[at] < 3 && serial.len() < 400 {
                assert!(serial.insert(some[at]) && shared.insert_hash(some[at]).is_ok());
                copies[at] += 1;
            } else if copies[at] > 0 {
                assert!(serial.remove(some[at]) && shared.remove_hash(some[at]));
                copies[at] -= 1;
            }
            assert_eq!(serial.len(), shared.len(), "{step}");
            let probe = some[step % some.len()];
            assert_eq!(serial.contains(probe), shared.contains_hash(probe));
            assert!(copies[at] == 0 || serial.contains(some[at]));
        }
        serial.clear();
        assert!(!serial.remove(some[0]) && serial.is_empty());
    }

    #[test]
    fn adds_absent_items_only() {
        let mut serial = SerialFilter::with_buckets(1 << 12);
        let shared = CuckooFilter::builder().buckets(1 << 12).build();
        let shared = shared.expect("a valid size");
        let all = hashes(serial.slots() * 9 / 10, 4);
        let mut collide = 0;
        for &hash in &all {
            let was_in = serial.contains(hash);
            collide += usize::from(was_in);
            assert_eq!(serial.insert_unique(hash), !was_in);
            assert_eq!(shared.insert_unique_hash(hash), Ok(!was_in));
            assert!(!serial.insert_unique(hash) && serial.contains(hash));
        }
        assert_eq!(serial.len(), all.len() - collide);
        assert_eq!(shared.len(), serial.len());
    }

    #[test]
    fn refuses_only_copies_of_one_item() {
        let mut serial = SerialFilter::with_buckets(1 << 10);
        let taken = (0..20).take_while(|_| serial.insert(7 << 32 | 7)).count();
        assert_eq!(taken, 2 * SLOTS);
        assert!(serial.insert(9 << 32 | 9));
    }
}
