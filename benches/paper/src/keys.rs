//! Keys: random 64-bit hashes, made before anything is timed.

use std::iter;

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};

/// A source of stored keys, picked at random, and of keys that are never stored.
pub(crate) struct Keys {
    random: SmallRng,
    stored: Vec<u64>,
}

impl Keys {
    /// Makes a source with this many keys to store, the same at every call.
    pub(crate) fn new(count: usize) -> Self {
        let mut random = SmallRng::seed_from_u64(count as u64);
        let stored = iter::repeat_with(|| random.next_u64())
            .take(count)
            .collect();
        Self { random, stored }
    }

    /// Returns the keys to store, in their order.
    pub(crate) fn stored(&self) -> &[u64] {
        &self.stored
    }

    /// Returns keys of which this share, at random, is among the first `inside` to store. The
    /// others are never stored.
    pub(crate) fn mixed(&mut self, count: usize, share: f64, inside: usize) -> Vec<u64> {
        let inside = &self.stored[..inside];
        iter::repeat_with(|| {
            let stored = if self.random.random_bool(share) {
                inside.choose(&mut self.random)
            } else {
                None
            };
            stored.copied().unwrap_or_else(|| self.random.next_u64())
        })
        .take(count)
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn mixes_the_requested_share() {
        let mut keys = Keys::new(1_000);
        let inside: HashSet<u64> = keys.stored()[..500].iter().copied().collect();
        for share in [0.0, 0.25, 1.0] {
            let mixed = keys.mixed(10_000, share, 500);
            let hits = mixed.iter().filter(|key| inside.contains(key)).count();
            assert!((hits as f64 / 10_000.0 - share).abs() < 0.02, "{hits}");
        }
        assert_eq!(keys.mixed(3, 1.0, 0).len(), 3);
    }
}
