//! A counting Bloom filter: counters of four bits in place of the bits of a Bloom filter (Fan, Cao,
//! Almeida and Broder, "Summary Cache", SIGCOMM 1998). Written for this evaluation, for one thread.

use std::f64::consts::LN_2;

/// A counting Bloom filter of 64-bit hashes.
#[derive(Debug)]
pub(crate) struct CountingBloom {
    /// Two counters a byte, the even one in the low half.
    pairs: Box<[u8]>,
    hashes: u64,
}

const MAX_COUNT: u8 = 15;

/// 2^64 over the golden ratio, odd.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl CountingBloom {
    /// Makes a filter of this many bytes, with the number of hash functions that is best for this
    /// many items.
    pub(crate) fn new(bytes: usize, items: usize) -> Self {
        let counters = 2 * bytes;
        let best = LN_2 * counters as f64 / items as f64;
        Self {
            pairs: vec![0; bytes].into_boxed_slice(),
            hashes: best.round().clamp(1.0, 64.0) as u64,
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.pairs.len()
    }

    /// Returns the rate of false positives with this many items.
    pub(crate) fn expected_false_positives(&self, items: usize) -> f64 {
        let counters = 2 * self.pairs.len();
        let touched = items as f64 * self.hashes as f64 / counters as f64;
        (1.0 - (-touched).exp()).powi(self.hashes as i32)
    }

    /// Adds a hash. Returns false, and changes nothing, if one of its counters is at its highest
    /// value.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u64) -> bool {
        self.change(hash, true)
    }

    /// Returns whether all counters of a hash are above 0.
    #[inline]
    pub(crate) fn contains(&self, hash: u64) -> bool {
        (0..self.hashes).all(|nth| {
            let (pair, shift) = self.counter(hash, nth);
            self.pairs[pair] >> shift & MAX_COUNT > 0
        })
    }

    /// Removes a hash once. Returns false, and changes nothing, if it is absent.
    #[inline]
    pub(crate) fn remove(&mut self, hash: u64) -> bool {
        self.change(hash, false)
    }

    pub(crate) fn clear(&mut self) {
        self.pairs.fill(0);
    }

    /// Moves each counter of a hash up or down by one, or none of them if one cannot go further.
    #[inline]
    fn change(&mut self, hash: u64, up: bool) -> bool {
        let limit = if up { MAX_COUNT } else { 0 };
        for nth in 0..self.hashes {
            let (pair, shift) = self.counter(hash, nth);
            if self.pairs[pair] >> shift & MAX_COUNT == limit {
                (0..nth).for_each(|nth| self.step(hash, nth, !up));
                return false;
            }
            self.step(hash, nth, up);
        }
        true
    }

    #[inline]
    fn step(&mut self, hash: u64, nth: u64, up: bool) {
        let (pair, shift) = self.counter(hash, nth);
        if up {
            self.pairs[pair] += 1 << shift;
        } else {
            self.pairs[pair] -= 1 << shift;
        }
    }

    /// Returns the byte and the shift of a counter of a hash, by double hashing. Two counters of a
    /// hash can be the same.
    #[inline]
    fn counter(&self, hash: u64, nth: u64) -> (usize, u32) {
        let product = u128::from(hash) * u128::from(STEP);
        let step = (product >> 64) as u64 ^ product as u64 | 1;
        let number = hash.wrapping_add(nth.wrapping_mul(step));
        let counters = 2 * self.pairs.len() as u128;
        let counter = ((u128::from(number) * counters) >> 64) as usize;
        (counter / 2, counter as u32 % 2 * 4)
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{Rng, RngExt, SeedableRng};

    use super::*;

    #[test]
    fn refused_and_absent_hashes_change_nothing() {
        let mut random = SmallRng::seed_from_u64(3);
        // With few counters, most hashes share some, and are refused at any of theirs.
        let mut filter = CountingBloom::new(8, 3);
        let (mut stored, mut refused, mut absent) = (Vec::new(), 0, 0);
        for _ in 0..5_000 {
            let hash = random.next_u64();
            let before = filter.pairs.clone();
            if random.random_bool(0.6) {
                let inserted = filter.insert(hash);
                refused += usize::from(!inserted);
                stored.extend(inserted.then_some(hash));
                assert_eq!(filter.pairs != before, inserted);
            } else if !filter.contains(hash) {
                absent += usize::from(!filter.remove(hash));
                assert_eq!(filter.pairs, before);
            } else if let Some(hash) = stored.pop() {
                assert!(filter.remove(hash));
            }
            assert!(stored.iter().all(|&hash| filter.contains(hash)));
        }
        assert!(refused > 500 && absent > 0, "{refused} {absent}");
        assert!(stored.into_iter().all(|hash| filter.remove(hash)));
        assert!(filter.pairs.iter().all(|&pair| pair == 0));
    }

    #[test]
    fn has_the_rate_of_the_formula() {
        const PROBES: usize = 200_000;
        let mut random = SmallRng::seed_from_u64(2);
        let items = 20_000;
        let mut filter = CountingBloom::new(items * 13 / 2, items);
        assert_eq!(filter.hashes, 9);
        assert!((0..items).all(|_| filter.insert(random.next_u64())));
        let expected = filter.expected_false_positives(items);
        assert!((0.0018..0.0021).contains(&expected), "{expected}");
        let wrong = (0..PROBES).filter(|_| filter.contains(random.next_u64()));
        let rate = wrong.count() as f64 / PROBES as f64;
        assert!((rate / expected - 1.0).abs() < 0.2, "{rate} {expected}");
    }
}
