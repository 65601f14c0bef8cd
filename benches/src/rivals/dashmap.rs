//! `dashmap`: an exact set in shards, each in a lock.

use dashmap::DashMap;

use super::hasher::BuildReady;
use crate::contender::Contender;

/// With 64 shards instead of four a processor, so that threads meet less often, and with room for all items.
#[derive(Debug)]
pub struct DashSet(DashMap<u64, (), BuildReady>);

const SHARDS: usize = 64;

impl Contender for DashSet {
    const NAME: &'static str = "dashmap";
    const EXACT: bool = true;
    const IS_SET: bool = true;

    fn with_capacity(items: usize) -> Self {
        Self(DashMap::with_capacity_and_hasher_and_shard_amount(
            items,
            BuildReady::default(),
            SHARDS,
        ))
    }

    fn slots(&self) -> usize {
        self.0.capacity()
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.0.insert(hash, ()).is_none()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.contains_key(&hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.0.remove(&hash).is_some()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}
