//! A counting Bloom filter: Fan, Cao, Almeida and Broder, "Summary Cache" (SIGCOMM 1998). Counters of four bits in place
//! of the bits of a Bloom filter. Written for these measurements. For one thread.

use std::error::Error;
use std::f64::consts::LN_2;
use std::fmt;

/// A counting Bloom filter of 64-bit hashes.
#[derive(Debug)]
pub struct CountingBloom {
    /// Two counters a byte, the even one in the low half.
    pairs: Box<[u8]>,
    counters: u64,
    hashes: u64,
}

/// A counter of the item is at 15, its highest value. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterOverflow;

impl fmt::Display for CounterOverflow {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(
            "a counter of the item is at 15, which is as far as it goes: use a larger table",
        )
    }
}

impl Error for CounterOverflow {}

const MOST: u8 = 15;

/// Odd, without a pattern: the fraction of the golden ratio.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl CountingBloom {
    /// One of so many bytes, with the number of hash functions that is best for so many items.
    #[must_use]
    pub fn new(bytes: usize, items: usize) -> Self {
        let pairs = vec![0; bytes.max(1)].into_boxed_slice();
        let counters = 2 * pairs.len() as u64;
        let best = LN_2 * counters as f64 / items.max(1) as f64;
        Self {
            pairs,
            counters,
            hashes: best.round().clamp(1.0, 64.0) as u64,
        }
    }

    /// The bytes of the counters.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.pairs.len()
    }

    /// The rate of false positives with so many items in.
    #[must_use]
    pub fn expected_false_positives(&self, items: usize) -> f64 {
        let touched = items as f64 * self.hashes as f64 / self.counters as f64;
        (1.0 - (-touched).exp()).powi(self.hashes as i32)
    }

    /// Adds a hash.
    ///
    /// # Errors
    ///
    /// [`CounterOverflow`], and the counters are as before.
    #[inline]
    pub fn insert(&mut self, hash: u64) -> Result<(), CounterOverflow> {
        let places = Places::of(hash, self.counters);
        for nth in 0..self.hashes {
            let place = places.nth(nth);
            if place.counter(&self.pairs) == MOST {
                (0..nth).for_each(|nth| places.nth(nth).decrement(&mut self.pairs));
                return Err(CounterOverflow);
            }
            place.increment(&mut self.pairs);
        }
        Ok(())
    }

    /// Whether all counters of a hash are above 0.
    #[inline]
    #[must_use]
    pub fn contains(&self, hash: u64) -> bool {
        let places = Places::of(hash, self.counters);
        (0..self.hashes).all(|nth| places.nth(nth).counter(&self.pairs) > 0)
    }

    /// Removes a hash once. False: it is not in, and the counters are as before.
    #[inline]
    pub fn remove(&mut self, hash: u64) -> bool {
        let places = Places::of(hash, self.counters);
        for nth in 0..self.hashes {
            let place = places.nth(nth);
            if place.counter(&self.pairs) == 0 {
                (0..nth).for_each(|nth| places.nth(nth).increment(&mut self.pairs));
                return false;
            }
            place.decrement(&mut self.pairs);
        }
        true
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.pairs.fill(0);
    }
}

/// The counters of an item, by double hashing. An item can have one of them twice, and counts there twice.
struct Places {
    first: u64,
    step: u64,
    counters: u64,
}

impl Places {
    #[inline]
    fn of(hash: u64, counters: u64) -> Self {
        let product = u128::from(hash) * u128::from(STEP);
        Self {
            first: hash,
            step: (product >> 64) as u64 ^ product as u64 | 1,
            counters,
        }
    }

    #[inline]
    fn nth(&self, nth: u64) -> Place {
        let number = self.first.wrapping_add(nth.wrapping_mul(self.step));
        let counter = ((u128::from(number) * u128::from(self.counters)) >> 64) as u64;
        Place {
            pair: (counter / 2) as usize,
            shift: counter as u32 % 2 * 4,
        }
    }
}

/// One counter.
struct Place {
    pair: usize,
    shift: u32,
}

impl Place {
    #[inline]
    fn counter(&self, pairs: &[u8]) -> u8 {
        pairs[self.pair] >> self.shift & MOST
    }

    /// The counter is below [`MOST`].
    #[inline]
    fn increment(&self, pairs: &mut [u8]) {
        pairs[self.pair] += 1 << self.shift;
    }

    /// The counter is above 0.
    #[inline]
    fn decrement(&self, pairs: &mut [u8]) {
        pairs[self.pair] -= 1 << self.shift;
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{Rng, RngExt, SeedableRng};

    use super::*;

    #[test]
    fn misses_nothing_and_is_empty_again_when_all_is_removed() {
        let mut random = SmallRng::seed_from_u64(1);
        let mut filter = CountingBloom::new(1 << 12, 500);
        assert_eq!(filter.hashes, 11);
        let pool: Vec<u64> = (0..500).map(|_| random.next_u64()).collect();
        let mut stored: Vec<u64> = Vec::new();
        for _ in 0..20_000 {
            if random.random_bool(0.5) {
                let hash = pool[random.random_range(0..pool.len())];
                let before = filter.pairs.clone();
                match filter.insert(hash) {
                    Ok(()) => stored.push(hash),
                    Err(CounterOverflow) => assert_eq!(filter.pairs, before),
                }
            } else if !stored.is_empty() {
                let hash = stored.swap_remove(random.random_range(0..stored.len()));
                assert!(filter.remove(hash));
            }
            assert!(
                stored
                    .iter()
                    .rev()
                    .take(5)
                    .all(|&hash| filter.contains(hash))
            );
        }
        assert!(stored.iter().all(|&hash| filter.contains(hash)));
        assert!(stored.iter().all(|&hash| filter.remove(hash)));
        assert!(filter.pairs.iter().all(|&pair| pair == 0));
        assert!(!filter.remove(pool[0]));
    }

    #[test]
    fn what_is_refused_or_absent_changes_nothing() {
        let mut random = SmallRng::seed_from_u64(3);
        // So few counters that most items share some, and are turned away at any of theirs.
        let mut filter = CountingBloom::new(8, 3);
        assert_eq!(filter.hashes, 4);
        let (mut refused, mut absent) = (0, 0);
        for _ in 0..5_000 {
            let hash = random.next_u64();
            let before = filter.pairs.clone();
            let changed = if random.random_bool(0.6) {
                let inserted = filter.insert(hash).is_ok();
                refused += usize::from(!inserted);
                inserted
            } else {
                let removed = filter.remove(hash);
                absent += usize::from(!removed);
                removed
            };
            assert_eq!(filter.pairs != before, changed);
            if refused > 500 {
                filter.clear();
                assert!(!filter.contains(hash));
            }
        }
        assert!(refused > 500 && absent > 500, "{refused} {absent}");
    }

    #[test]
    fn has_the_rate_of_the_formula() {
        const PROBES: usize = 200_000;
        let mut random = SmallRng::seed_from_u64(2);
        // As many counters an item as Bloom filters of Fan et al. 2014 have bits.
        let items = 20_000;
        let mut filter = CountingBloom::new(items * 13 / 2, items);
        assert_eq!(filter.hashes, 9);
        for _ in 0..items {
            assert_eq!(filter.insert(random.next_u64()), Ok(()));
        }
        let expected = filter.expected_false_positives(items);
        assert!((0.0018..0.0021).contains(&expected), "{expected}");
        let wrong = (0..PROBES).filter(|_| filter.contains(random.next_u64()));
        let rate = wrong.count() as f64 / PROBES as f64;
        assert!((rate / expected - 1.0).abs() < 0.2, "{rate} {expected}");
    }
}
