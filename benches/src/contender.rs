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

    /// Whether it keeps the keys themselves, so that it is never wrong and takes several times the memory.
    const IS_SET: bool = false;

    /// Whether it can remove. One that cannot is never asked to.
    const REMOVES: bool = true;

    /// How many threads can use it at once.
    const MOST_THREADS: usize = usize::MAX;

    /// Whether a thread can have to wait for another that holds a lock on all of it.
    const ONE_LOCK: bool = false;

    /// Whether the calls for many keys are more than loops.
    const BATCHED: bool = false;

    /// An empty one for this many items, all of which will be inserted.
    fn with_capacity(items: usize) -> Self;

    /// The slots for items, so that `items / slots` is the load. 0 if it has none.
    fn slots(&self) -> usize;

    /// The bytes that it takes, where it can tell.
    fn bytes(&self) -> Option<usize> {
        None
    }

    /// Adds a key. False: it was refused.
    fn insert(&self, hash: u64) -> bool;

    /// Whether a key is in.
    fn contains(&self, hash: u64) -> bool;

    /// Whether each of the keys is in.
    fn contains_many(&self, hashes: &[u64], found: &mut [bool]) {
        for (found, &hash) in found.iter_mut().zip(hashes) {
            *found = self.contains(hash);
        }
    }

    /// Adds the keys. The number that was not refused.
    fn insert_many(&self, hashes: &[u64]) -> usize {
        hashes.iter().filter(|&&hash| self.insert(hash)).count()
    }

    /// Removes a key. False: there was none.
    fn remove(&self, hash: u64) -> bool;

    /// Removes the keys. The number that was there.
    fn remove_many(&self, hashes: &[u64]) -> usize {
        hashes.iter().filter(|&&hash| self.remove(hash)).count()
    }

    /// Empties it and keeps its memory, if it can, so that the next filling meets no page faults.
    fn clear(&mut self);
}

impl Contender for CuckooFilter {
    const NAME: &'static str = "filter";
    const EXACT: bool = true;
    const BATCHED: bool = true;

    fn with_capacity(items: usize) -> Self {
        Self::with_capacity(items)
    }

    fn slots(&self) -> usize {
        self.slots()
    }

    fn bytes(&self) -> Option<usize> {
        Some(self.memory_usage())
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.insert_hash(hash).is_ok()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains_hash(hash)
    }

    fn contains_many(&self, hashes: &[u64], found: &mut [bool]) {
        self.contains_many_hash(hashes, found);
    }

    fn insert_many(&self, hashes: &[u64]) -> usize {
        match self.insert_many_hash(hashes) {
            Ok(()) => hashes.len(),
            Err(stopped) => stopped.inserted(),
        }
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.remove_hash(hash)
    }

    fn remove_many(&self, hashes: &[u64]) -> usize {
        self.remove_many_hash(hashes)
    }

    fn clear(&mut self) {
        self.clear();
    }
}
