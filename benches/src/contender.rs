//! Contenders: adapts all filters and sets to the same workloads.

use std::ops::Range;

use lockfree_cuckoo::{Filter, filter::Buildable};

use crate::keys::Keys;
use crate::mixed::{Operations, mix};
use crate::tally::{Faults, count};

/// A set shared by many threads, addressed by 64-bit hashes.
///
/// All operations take the hash, so that no contender pays for hashing and all see the same keys.
pub trait Contender: Sized + Sync {
    /// Whether it misses no stored item and loses no insert. The harness checks contenders that
    /// claim this.
    const EXACT: bool = true;

    /// Whether it can remove. Otherwise the harness never asks it to.
    const REMOVES: bool = true;

    /// Whether threads other than the one that made it can use it.
    const SHARED: bool = true;

    /// Whether the calls for many keys are more than loops.
    const BATCHED: bool = false;

    /// Whether, of threads that add one absent key by [`insert_unique`](Self::insert_unique) at the
    /// same time, one gets true and the others false. Otherwise the harness never asks it to.
    const UNIQUE: bool = true;

    /// What it does: with an insert of a stored key, and to insert an absent key only.
    const CALLS: Calls;

    /// Makes an empty contender for this many items, all of which will be inserted.
    fn with_capacity(items: usize) -> Self;

    /// Returns the slots for items, so that `items / slots` is the load, and the bytes; `None` if
    /// unknown.
    fn size(&self) -> (Option<usize>, Option<usize>) {
        (None, None)
    }

    /// Adds a key. Returns false if it was refused.
    fn insert(&self, hash: u64) -> bool;

    /// Adds a key that is absent. Returns false if it, or a key that collides with it, was stored,
    /// or if it was refused.
    fn insert_unique(&self, _hash: u64) -> bool {
        false
    }

    /// Returns whether a key is stored.
    fn contains(&self, hash: u64) -> bool;

    /// Removes a key. Returns false if it was absent.
    fn remove(&self, _hash: u64) -> bool {
        false
    }

    /// Adds the keys by single calls, in a loop. Returns the number of accepted keys.
    fn insert_each(&self, hashes: &[u64]) -> usize {
        count(hashes, |&hash| self.insert(hash))
    }

    /// Adds the absent ones of some keys by single calls, in a loop. Returns the number of keys that
    /// were added.
    fn insert_unique_each(&self, hashes: &[u64]) -> usize {
        count(hashes, |&hash| self.insert_unique(hash))
    }

    /// Does the same with keys that are all stored.
    fn insert_known_each(&self, hashes: &[u64]) -> usize {
        self.insert_unique_each(hashes)
    }

    /// Looks the keys up by single calls, in a loop. Returns the number of keys that were found.
    fn contains_each(&self, hashes: &[u64]) -> usize {
        count(hashes, |&hash| self.contains(hash))
    }

    /// Removes the keys by single calls, in a loop. Returns the number of keys that were removed.
    fn remove_each(&self, hashes: &[u64]) -> usize {
        count(hashes, |&hash| self.remove(hash))
    }

    /// Runs blocks of mixed work by single calls. Returns the failures.
    fn mix(&self, keys: &Keys, blocks: Range<usize>) -> Faults {
        mix(&mut Shared(self), keys, blocks)
    }

    /// Adds the keys. Returns the number of accepted keys.
    fn insert_many(&self, hashes: &[u64]) -> usize {
        hashes.iter().filter(|&&hash| self.insert(hash)).count()
    }

    /// Adds the absent ones of some keys, and writes to `added` which were.
    fn insert_unique_many(&self, hashes: &[u64], added: &mut [bool]) {
        for (added, &hash) in added.iter_mut().zip(hashes) {
            *added = self.insert_unique(hash);
        }
    }

    /// Does the same with keys that are all stored.
    fn insert_known_many(&self, hashes: &[u64], added: &mut [bool]) {
        self.insert_unique_many(hashes, added);
    }

    /// Looks up each of the keys, and writes the answers to `found`.
    fn contains_many(&self, hashes: &[u64], found: &mut [bool]) {
        for (found, &hash) in found.iter_mut().zip(hashes) {
            *found = self.contains(hash);
        }
    }

    /// Removes the keys. Returns the number of keys that were removed.
    fn remove_many(&self, hashes: &[u64]) -> usize {
        hashes.iter().filter(|&&hash| self.remove(hash)).count()
    }

    /// Removes all items from a contender that was made for this many. Keeps the memory if
    /// possible, so that the next filling meets no page faults.
    fn clear(&mut self, items: usize) {
        *self = Self::with_capacity(items);
    }
}

/// What the calls of a contender do, in words for a table.
#[derive(Clone, Copy, Debug)]
pub struct Calls {
    /// An insert of a key that is stored.
    pub insert: &'static str,
    /// The insert of an absent key only, or why there is none.
    pub insert_unique: &'static str,
}

/// A contender, used through a shared reference.
pub(crate) struct Shared<'a, C>(pub(crate) &'a C);

impl<C: Contender> Operations for Shared<'_, C> {
    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        self.0.insert(hash)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.contains(hash)
    }

    #[inline]
    fn remove(&mut self, hash: u64) -> bool {
        self.0.remove(hash)
    }
}

/// A visitor of contenders of any type, each with its name in the reports.
pub trait Visitor {
    /// Visits one contender.
    fn visit<C: Contender>(&mut self, name: &'static str);
}

/// The filter: fixed, of any layout, growing or rotating.
impl<E: Buildable> Contender for Filter<E> {
    const BATCHED: bool = true;
    const CALLS: Calls = Calls {
        insert: "adds a copy",
        insert_unique: "`insert_unique`",
    };

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
    fn insert_unique(&self, hash: u64) -> bool {
        self.insert_unique_hash(hash) == Ok(true)
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

    fn insert_unique_many(&self, hashes: &[u64], added: &mut [bool]) {
        // A key that stops it is not added, as the harness will find.
        let _ = self.insert_unique_many_hash(hashes, added);
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
