//! Keys: random 64-bit hashes, made before anything is timed.

use std::iter;

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

/// Lookups in a block of mixed work, besides one insert and one remove: 90 %.
pub(crate) const PROBES_PER_BLOCK: usize = 18;

/// The keys of one size, the same for every contender.
#[derive(Debug)]
pub struct Keys {
    /// The items. Inserted into an empty contender, they make the load that it was sized for.
    pub stored: Vec<u64>,
    /// Keys that are never inserted.
    pub absent: Vec<u64>,
    /// A ring of keys for the mixed work. One half of it is stored, at first the first half, which
    /// ends `stored`. That half turns: keys are removed at its tail and inserted at its head.
    pub ring: Vec<u64>,
    /// The lookups of the mixed work, in groups of [`PROBES_PER_BLOCK`]: at random, one half from
    /// the stored keys that are not in the ring, and one half absent.
    probes: Vec<u64>,
    /// A bit for each probe of each group: whether it is stored.
    stored_probes: Vec<u32>,
}

/// The most absent keys: enough that their lookups touch every part of the table.
const MOST_ABSENT: usize = 1 << 22;

impl Keys {
    /// Makes the keys for `items` items, the same at every call.
    #[must_use]
    pub fn generate(items: usize) -> Self {
        let mut random = SmallRng::seed_from_u64(items as u64);
        let mut fresh = |count| -> Vec<u64> {
            iter::repeat_with(|| random.next_u64())
                .take(count)
                .collect()
        };
        // Use powers of two, so that positions on the ring wrap with a mask.
        let half = 1 << (items / 8).max(1).ilog2();
        let stored = fresh(items);
        let absent = fresh(items.min(MOST_ABSENT));
        let (residents, turning) = stored.split_at(items - half);
        let ring = [turning, &fresh(half)].concat();
        let groups = ring.len().min(1 << 17);
        let which = |_| random.next_u64() as u32 & ((1 << PROBES_PER_BLOCK) - 1);
        let stored_probes: Vec<u32> = (0..groups).map(which).collect();
        let probe = |at: usize| {
            let stored = stored_probes[at / PROBES_PER_BLOCK] >> (at % PROBES_PER_BLOCK) & 1 == 1;
            let side = if stored { residents } else { &absent };
            *side.choose(&mut random).expect("a key of either kind")
        };
        Self {
            probes: (0..groups * PROBES_PER_BLOCK).map(probe).collect(),
            stored_probes,
            stored,
            absent,
            ring,
        }
    }

    /// Returns the probes of a block of mixed work, and a bit for each that is stored.
    #[inline]
    #[must_use]
    pub fn probe_group(&self, block: usize) -> (&[u64], u32) {
        let group = block & (self.stored_probes.len() - 1);
        let probes = &self.probes[group * PROBES_PER_BLOCK..][..PROBES_PER_BLOCK];
        (probes, self.stored_probes[group])
    }

    /// Returns the stored keys that the mixed work does not remove.
    #[must_use]
    pub fn residents(&self) -> &[u64] {
        &self.stored[..self.stored.len() - self.ring.len() / 2]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::tally::count;

    #[test]
    fn are_distinct_and_as_described() {
        let keys = Keys::generate(10_000);
        let stored: HashSet<u64> = keys.stored.iter().copied().collect();
        assert_eq!(stored.len(), 10_000);
        assert!(keys.absent.iter().all(|key| !stored.contains(key)));
        let (inside, outside) = keys.ring.split_at(keys.ring.len() / 2);
        assert!(inside.iter().all(|key| stored.contains(key)));
        assert!(outside.iter().all(|key| !stored.contains(key)));
        let hits = count(&keys.probes, |key| stored.contains(key));
        let share = hits as f64 / keys.probes.len() as f64;
        assert!((0.48..0.52).contains(&share), "{share}");
        let (probes, which) = keys.probe_group(keys.ring.len() + 3);
        for (at, probe) in probes.iter().enumerate() {
            assert_eq!(stored.contains(probe), which >> at & 1 == 1);
        }
    }
}
