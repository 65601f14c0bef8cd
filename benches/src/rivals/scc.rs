//! `scc`: two exact sets, one with locked buckets and one whose lookups take no lock.

use scc::{HashIndex, HashSet};

use super::hasher::BuildReady;
use crate::contender::Contender;

/// With room for all items.
#[derive(Debug)]
pub struct SccSet(HashSet<u64, BuildReady>);

impl Contender for SccSet {
    const NAME: &'static str = "scc-set";
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

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.0.insert_sync(hash).is_ok()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.contains_sync(&hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.0.remove_sync(&hash).is_some()
    }

    fn clear(&mut self) {
        self.0.clear_sync();
    }
}

/// Made for reading; with room for all items.
#[derive(Debug)]
pub struct SccIndex(HashIndex<u64, (), BuildReady>);

impl Contender for SccIndex {
    const NAME: &'static str = "scc-index";
    const EXACT: bool = true;
    const IS_SET: bool = true;

    fn with_capacity(items: usize) -> Self {
        Self(HashIndex::with_capacity_and_hasher(
            items,
            BuildReady::default(),
        ))
    }

    fn slots(&self) -> usize {
        self.0.capacity()
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.0.insert_sync(hash, ()).is_ok()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.contains(&hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.0.remove_sync(&hash)
    }

    fn clear(&mut self) {
        self.0.clear_sync();
    }
}
