//! A contender: whatever can be put through the workloads.

use lockfree_cuckoo::CuckooFilter;

/// A set shared by many threads, addressed by 64-bit hashes.
///
/// Everything takes the hash, so that no contender pays for hashing and all see the same keys.
pub trait Contender: Sized + Sync {
    /// What the reports call it.
    const NAME: &'static str;

    /// Whether its answers can be relied on: nothing that was inserted is missed, no insert is lost. The
    /// harness checks it of those that say so.
    const EXACT: bool;

    /// An empty one for this many items, all of which will be inserted.
    fn with_capacity(items: usize) -> Self;

    /// The slots for items, so that `items / slots` is the load.
    fn slots(&self) -> usize;

    /// Adds a key. False: it was refused.
    fn insert(&self, hash: u64) -> bool;

    /// Whether a key is in.
    fn contains(&self, hash: u64) -> bool;

    /// Removes a key. False: there was none.
    fn remove(&self, hash: u64) -> bool;

    /// Empties it and keeps its memory, so that the next filling meets no page faults.
    fn clear(&mut self);
}

impl Contender for CuckooFilter {
    const NAME: &'static str = "filter";
    const EXACT: bool = true;

    fn with_capacity(items: usize) -> Self {
        Self::with_capacity(items)
    }

    fn slots(&self) -> usize {
        self.slots()
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.insert_hash(hash).is_ok()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains_hash(hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.remove_hash(hash)
    }

    fn clear(&mut self) {
        self.clear();
    }
}
