//! `cuckoofilter`: for one thread, and with 8-bit fingerprints only.

use cuckoofilter::CuckooFilter;

use super::hasher::Ready;
use super::locked::{Names, Single};

/// Its false-positive rate, 3 %, cannot be chosen. An insert that is refused has lost another item.
#[allow(missing_debug_implementations, reason = "the rival has none")]
pub struct Cuckoofilter {
    filter: CuckooFilter<Ready>,
    items: usize,
}

impl Single for Cuckoofilter {
    const NAMES: Names = Names {
        alone: "cuckoofilter-alone",
        read_write: "cuckoofilter-rwlock",
        exclusive: "cuckoofilter-mutex",
        sharded: "cuckoofilter-64",
    };
    const EXACT: bool = false;
    const IS_SET: bool = false;

    fn with_capacity(items: usize) -> Self {
        Self {
            filter: CuckooFilter::with_capacity(items),
            items,
        }
    }

    fn slots(&self) -> usize {
        self.items.next_power_of_two()
    }

    fn bytes(&self) -> Option<usize> {
        Some(self.filter.memory_usage())
    }

    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        self.filter.add(&hash).is_ok()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.filter.contains(&hash)
    }

    #[inline]
    fn remove(&mut self, hash: u64) -> bool {
        self.filter.delete(&hash)
    }

    /// A new one, because it cannot be emptied.
    fn clear(&mut self) {
        *self = Self::with_capacity(self.items);
    }
}
