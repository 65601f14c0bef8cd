//! `scalable_cuckoo_filter`: for one thread, and grows.

use rand_09::SeedableRng;
use rand_09::rngs::SmallRng;
use scalable_cuckoo_filter::{ScalableCuckooFilter, ScalableCuckooFilterBuilder};

use super::FALSE_POSITIVES;
use super::hasher::Ready;
use super::locked::{Names, Single};

/// Sized for all items at once, with a small generator for its kicks: the default one is bound to a thread,
/// and slower.
#[derive(Debug)]
pub struct Scalable {
    filter: ScalableCuckooFilter<u64, Ready, SmallRng>,
    items: usize,
}

impl Single for Scalable {
    const NAMES: Names = Names {
        alone: "scalable-alone",
        read_write: "scalable-rwlock",
        exclusive: "scalable-mutex",
        sharded: "scalable-64",
    };
    const EXACT: bool = false;
    const IS_SET: bool = false;

    fn with_capacity(items: usize) -> Self {
        let filter = ScalableCuckooFilterBuilder::new()
            .initial_capacity(items)
            .false_positive_probability(FALSE_POSITIVES)
            .hasher(Ready::default())
            .rng(SmallRng::seed_from_u64(0))
            .finish();
        Self { filter, items }
    }

    fn slots(&self) -> usize {
        self.filter.capacity()
    }

    fn bytes(&self) -> Option<usize> {
        Some(self.filter.bits() as usize / 8)
    }

    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        self.filter.insert(&hash);
        true
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.filter.contains(&hash)
    }

    #[inline]
    fn remove(&mut self, hash: u64) -> bool {
        self.filter.remove(&hash)
    }

    /// A new one, because it cannot be emptied.
    fn clear(&mut self) {
        *self = Self::with_capacity(self.items);
    }
}
