//! `hashbrown`: the exact set for one thread.

use hashbrown::HashSet;

use super::hasher::BuildReady;
use super::locked::{Names, Single};

/// With room for all items, so that it never grows.
#[derive(Debug)]
pub struct HashbrownSet(HashSet<u64, BuildReady>);

impl Single for HashbrownSet {
    const NAMES: Names = Names {
        alone: "hashbrown-alone",
        read_write: "hashbrown-rwlock",
        exclusive: "hashbrown-mutex",
        sharded: "hashbrown-64",
    };
    const EXACT: bool = true;
    const IS_SET: bool = true;

    fn with_capacity(items: usize) -> Self {
        Self(HashSet::with_capacity_and_hasher(
            items,
            BuildReady::default(),
        ))
    }

    fn slots(&self) -> usize {
        self.0.capacity()
    }

    fn bytes(&self) -> Option<usize> {
        Some(self.0.allocation_size())
    }

    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        self.0.insert(hash)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.contains(&hash)
    }

    #[inline]
    fn remove(&mut self, hash: u64) -> bool {
        self.0.remove(&hash)
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}
