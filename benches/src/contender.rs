//! A contender: whatever can be put through the workloads.

use lockfree_cuckoo::{Buildable, Filter};

use crate::work::count;

/// A set shared by many threads, addressed by 64-bit hashes.
///
/// Everything takes the hash, so that no contender pays for hashing and all see the same keys.
pub trait Contender: Sized + Sync {
    /// Whether its answers can be relied on: nothing that was inserted is missed, no insert is lost. The
    /// harness checks it of those that say so.
    const EXACT: bool = true;

    /// Whether it can remove. One that cannot is never asked to.
    const REMOVES: bool = true;

    /// Whether more than the thread that made it can use it.
    const SHARED: bool = true;

    /// Whether the calls for many keys are more than loops.
    const BATCHED: bool = false;

    /// An empty one for this many items, all of which will be inserted.
    fn with_capacity(items: usize) -> Self;

    /// The slots for items, so that `items / slots` is the load, and the bytes, where it can tell.
    fn size(&self) -> (Option<usize>, Option<usize>) {
        (None, None)
    }

    /// Adds a key. False: it was refused.
    fn insert(&self, hash: u64) -> bool;

    /// Whether a key is in.
    fn contains(&self, hash: u64) -> bool;

    /// Removes a key. False: there was none.
    fn remove(&self, _hash: u64) -> bool {
        false
    }

    /// Adds the keys by single calls, in a loop. The number that was not refused.
    fn insert_each(&self, hashes: &[u64]) -> usize {
        count(hashes, |&hash| self.insert(hash))
    }

    /// Looks the keys up by single calls, in a loop. The number that is in.
    fn contains_each(&self, hashes: &[u64]) -> usize {
        count(hashes, |&hash| self.contains(hash))
    }

    /// Removes the keys by single calls, in a loop. The number that was there.
    fn remove_each(&self, hashes: &[u64]) -> usize {
        count(hashes, |&hash| self.remove(hash))
    }

    /// Adds the keys. The number that was not refused.
    fn insert_many(&self, hashes: &[u64]) -> usize {
        hashes.iter().filter(|&&hash| self.insert(hash)).count()
    }

    /// Whether each of the keys is in.
    fn contains_many(&self, hashes: &[u64], found: &mut [bool]) {
        for (found, &hash) in found.iter_mut().zip(hashes) {
            *found = self.contains(hash);
        }
    }

    /// Removes the keys. The number that was there.
    fn remove_many(&self, hashes: &[u64]) -> usize {
        hashes.iter().filter(|&&hash| self.remove(hash)).count()
    }

    /// Empties it, which was made for so many items, and keeps its memory, if it can, so that the next filling meets no
    /// page faults.
    fn clear(&mut self, items: usize) {
        *self = Self::with_capacity(items);
    }
}

/// Something to be done with contenders of any type, each under the name that the reports have for it.
pub trait Visitor {
    /// Does it.
    fn visit<C: Contender>(&mut self, name: &'static str);
}

/// The filter: fixed, of any layout, or growing.
impl<E: Buildable> Contender for Filter<E> {
    const BATCHED: bool = true;

    fn with_capacity(items: usize) -> Self {
        Self::with_capacity(items)
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        (Some(self.slots()), Some(self.memory_usage()))
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

    fn insert_many(&self, hashes: &[u64]) -> usize {
        match self.insert_many_hash(hashes) {
            Ok(()) => hashes.len(),
            Err(stopped) => stopped.inserted(),
        }
    }

    fn contains_many(&self, hashes: &[u64], found: &mut [bool]) {
        self.contains_many_hash(hashes, found);
    }

    fn remove_many(&self, hashes: &[u64]) -> usize {
        self.remove_many_hash(hashes)
    }

    fn clear(&mut self, _items: usize) {
        self.clear();
    }
}
