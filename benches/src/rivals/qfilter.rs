//! `qfilter`: a quotient filter for one thread.

use qfilter::Filter;

use super::FALSE_POSITIVES;
use super::locked::{Names, Single};

/// With fingerprints that the caller has made, which hashes are, and duplicates allowed, as the filter has
/// it. It rounds the slots up to a power of two that the items fill to at most 95 %: at a million, half.
#[derive(Debug)]
pub struct Quotient(Filter);

impl Single for Quotient {
    const NAMES: Names = Names {
        alone: "qfilter-alone",
        read_write: "qfilter-rwlock",
        exclusive: "qfilter-mutex",
        sharded: "qfilter-64",
    };
    const EXACT: bool = true;
    const IS_SET: bool = false;

    fn with_capacity(items: usize) -> Self {
        Self(Filter::new(items as u64, FALSE_POSITIVES).expect("the size is possible"))
    }

    fn slots(&self) -> usize {
        // It takes at most 95 % of its slots.
        self.0.capacity() as usize * 20 / 19
    }

    fn bytes(&self) -> Option<usize> {
        Some(self.0.memory_usage())
    }

    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        self.0.insert_fingerprint(true, hash).is_ok()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.contains_fingerprint(hash)
    }

    #[inline]
    fn remove(&mut self, hash: u64) -> bool {
        self.0.remove_fingerprint(hash)
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}
