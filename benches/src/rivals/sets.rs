//! Exact sets, each with room for all items, so that it never grows.

use dashmap::DashMap;
use papaya::ResizeMode;
use scc::HashIndex;

use super::BuildReady;
use super::locks::Single;
use crate::contender::{Calls, Contender};

/// `dashmap`: shards, each in a lock.
pub type Dashmap = DashMap<u64, (), BuildReady>;

impl Contender for Dashmap {
    const CALLS: Calls = Calls {
        insert: "changes nothing",
        insert_unique: "`insert`",
    };

    /// Makes a map with 64 shards instead of four per processor, so that threads meet less often.
    fn with_capacity(items: usize) -> Self {
        let hasher = BuildReady::default();
        Self::with_capacity_and_hasher_and_shard_amount(items, hasher, 64)
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        (Some(self.capacity()), None)
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.insert(hash, ()).is_none()
    }

    #[inline]
    fn insert_unique(&self, hash: u64) -> bool {
        self.insert(hash, ()).is_none()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains_key(&hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.remove(&hash).is_some()
    }

    fn clear(&mut self, _items: usize) {
        Self::clear(self);
    }
}

/// `papaya`: lock-free lookups, made for many readers. Each operation pins the set, as short-lived
/// threads must.
pub type Papaya = papaya::HashSet<u64, BuildReady>;

impl Contender for Papaya {
    const CALLS: Calls = Calls {
        insert: "changes nothing",
        insert_unique: "a lookup, then `insert`, which checks again",
    };

    fn with_capacity(items: usize) -> Self {
        let builder = papaya::HashSet::builder().capacity(items);
        let builder = builder.hasher(BuildReady::default());
        builder.resize_mode(ResizeMode::Blocking).build()
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.pin().insert(hash)
    }

    #[inline]
    fn insert_unique(&self, hash: u64) -> bool {
        // An insert allocates before it looks.
        let set = self.pin();
        !set.contains(&hash) && set.insert(hash)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.pin().contains(&hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.pin().remove(&hash)
    }

    fn clear(&mut self, _items: usize) {
        self.pin().clear();
    }
}

/// `scc`: made for reading. Lookups take no lock.
pub type SccIndex = HashIndex<u64, (), BuildReady>;

impl Contender for SccIndex {
    const CALLS: Calls = Calls {
        insert: "changes nothing",
        insert_unique: "`insert`",
    };

    fn with_capacity(items: usize) -> Self {
        Self::with_capacity_and_hasher(items, BuildReady::default())
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        (Some(self.capacity()), None)
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.insert_sync(hash, ()).is_ok()
    }

    #[inline]
    fn insert_unique(&self, hash: u64) -> bool {
        self.insert_sync(hash, ()).is_ok()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains(&hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.remove_sync(&hash)
    }

    fn clear(&mut self, _items: usize) {
        self.clear_sync();
    }
}

/// `hashbrown`: for one thread.
pub type Hashbrown = hashbrown::HashSet<u64, BuildReady>;

impl Single for Hashbrown {
    const CALLS: Calls = Calls {
        insert: "changes nothing",
        insert_unique: "`insert`",
    };

    fn with_capacity(items: usize) -> Self {
        Self::with_capacity_and_hasher(items, BuildReady::default())
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        (Some(self.capacity()), Some(self.allocation_size()))
    }

    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        self.insert(hash)
    }

    #[inline]
    fn insert_unique(&mut self, hash: u64) -> bool {
        self.insert(hash)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains(&hash)
    }

    #[inline]
    fn remove(&mut self, hash: u64) -> bool {
        self.remove(&hash)
    }

    fn clear(&mut self, _items: usize) {
        self.clear();
    }
}
