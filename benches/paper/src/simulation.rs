//! A simulation of the paper's tables, for fingerprints and buckets of any size: the loads of its
//! Figure 2. It is serial, and takes 32 bits a slot.

use lockfree_cuckoo_benches::median;
use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use rayon::prelude::*;

/// The most items that an insert moves before it gives up, as in the authors' code.
pub(crate) const MOST_MOVES: usize = 500;

/// The numbers of slots of a bucket.
pub(crate) const BUCKETS: [usize; 4] = [1, 2, 4, 8];

/// The longest fingerprint, in bits. The shortest has one.
const MOST_BITS: u32 = 20;

/// The loads of simulated tables of one size.
pub(crate) struct Simulated {
    pub(crate) slots: usize,
    pub(crate) runs: u64,
    /// The median load of the runs, for 1 to [`MOST_BITS`] bits, and for each of the [`BUCKETS`].
    pub(crate) loads: Vec<[f64; BUCKETS.len()]>,
}

/// The number of runs, as in the paper.
const MOST_RUNS: u64 = 10;

/// The slots of all tables of one kind together. Large tables differ little from one another, so
/// they have fewer runs.
const SLOTS_OF_ALL_RUNS: u64 = 1 << 21;

impl Simulated {
    /// Fills tables of this many slots until an item finds no room. Nothing is timed, so it uses
    /// all processors.
    pub(crate) fn measure(slots: usize) -> Self {
        let runs = (SLOTS_OF_ALL_RUNS / slots as u64).clamp(1, MOST_RUNS);
        let of_bucket = |in_bucket, bits| {
            let loads = (0..runs).map(|run| Table::new(slots, in_bucket, bits, run).fill());
            median(loads).expect("at least one run")
        };
        let bits: Vec<u32> = (1..=MOST_BITS).collect();
        let row = |&bits: &u32| BUCKETS.map(|in_bucket| of_bucket(in_bucket, bits));
        let loads = bits.par_iter().map(row).collect();
        Self { slots, runs, loads }
    }
}

/// A table of buckets of any size.
struct Table {
    /// The buckets one after the other; a vacant slot is 0.
    slots: Vec<u32>,
    in_bucket: usize,
    /// The number of buckets, a power of two, less one.
    mask: usize,
    fingerprint_bits: u32,
    random: SmallRng,
}

impl Table {
    fn new(slots: usize, in_bucket: usize, fingerprint_bits: u32, seed: u64) -> Self {
        Self {
            slots: vec![0; slots],
            in_bucket,
            mask: slots / in_bucket - 1,
            fingerprint_bits,
            random: SmallRng::seed_from_u64(seed),
        }
    }

    /// Inserts random items until one has no slot after [`MOST_MOVES`] moves. Returns the load.
    fn fill(&mut self) -> f64 {
        let mut items = 0;
        while {
            let key = self.random.next_u64();
            self.insert(key)
        } {
            items += 1;
        }
        items as f64 / self.slots.len() as f64
    }

    /// Adds a key. Returns false if one fingerprint, of this key or of another, is left without a
    /// slot.
    fn insert(&mut self, key: u64) -> bool {
        let (mut fingerprint, first) = self.fingerprint_and_bucket(key);
        let second = self.alternate(first, fingerprint);
        if self.store(first, fingerprint) || self.store(second, fingerprint) {
            return true;
        }
        let either = self.random.random_bool(0.5);
        let mut bucket = if either { first } else { second };
        for _ in 0..MOST_MOVES {
            let slot = bucket * self.in_bucket + self.random.random_range(0..self.in_bucket);
            fingerprint = std::mem::replace(&mut self.slots[slot], fingerprint);
            bucket = self.alternate(bucket, fingerprint);
            if self.store(bucket, fingerprint) {
                return true;
            }
        }
        false
    }

    fn store(&mut self, bucket: usize, fingerprint: u32) -> bool {
        let slots = &mut self.slots[bucket * self.in_bucket..][..self.in_bucket];
        let vacant = slots.iter_mut().find(|slot| **slot == 0);
        vacant.map(|slot| *slot = fingerprint).is_some()
    }

    /// Returns the fingerprint and the bucket of a key. Fingerprint 0 becomes 1, as in the authors'
    /// code.
    fn fingerprint_and_bucket(&self, key: u64) -> (u32, usize) {
        let low = key as u32 >> (u32::BITS - self.fingerprint_bits);
        (low.max(1), (key >> 32) as usize & self.mask)
    }

    /// Returns the other bucket of a fingerprint. It is its own inverse.
    fn alternate(&self, bucket: usize, fingerprint: u32) -> usize {
        (bucket ^ model::mix(fingerprint.into()) as usize) & self.mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Table {
        fn contains(&self, key: u64) -> bool {
            let (fingerprint, first) = self.fingerprint_and_bucket(key);
            let buckets = [first, self.alternate(first, fingerprint)];
            buckets.into_iter().any(|bucket| {
                let slots = &self.slots[bucket * self.in_bucket..][..self.in_bucket];
                slots.contains(&fingerprint)
            })
        }
    }

    #[test]
    fn moves_lose_no_item() {
        let mut table = Table::new(1 << 12, 4, 16, 1);
        let mut random = SmallRng::seed_from_u64(2);
        let mut keys = Vec::new();
        for key in std::iter::repeat_with(|| random.next_u64()) {
            keys.push(key);
            if !table.insert(key) {
                break;
            }
        }
        let found = keys.iter().filter(|&&key| table.contains(key)).count();
        // Only the fingerprint that was left over may be missing, and it may have an equal.
        assert!(found >= keys.len() - 1, "{found} of {}", keys.len());
        let stored = table.slots.iter().filter(|&&slot| slot != 0).count();
        assert!(stored == keys.len() - 1 && stored > 3_800, "{stored}");
    }

    #[test]
    fn buckets_and_fingerprints_decide_the_load() {
        let simulated = Simulated::measure(1 << 12);
        assert_eq!((simulated.loads.len(), simulated.runs), (20, MOST_RUNS));
        let long = simulated.loads[15];
        // Small tables take a little more than the paper has.
        for (load, published) in long.into_iter().zip(crate::published::LOADS) {
            assert!((load - published).abs() < 0.05, "{load} {published}");
        }
        let by_bits = [0, 3, 15].map(|nth: usize| simulated.loads[nth][2]);
        assert!(by_bits.is_sorted() && by_bits[0] < 0.5, "{by_bits:?}");
    }
}
