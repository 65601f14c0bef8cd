//! Subjects of the evaluation: sets of 64-bit hashes, used by one thread.

use lockfree_cuckoo::{Filter, filter::Fixed, layout::Layout};
use lockfree_cuckoo_benches::{Contender, Limit};

/// A set under evaluation. As in the paper, threads do not share it, so a subject that cannot be
/// shared pays for no lock.
pub(crate) trait Subject {
    /// Whether it is a cuckoo filter of this library.
    const IS_CUCKOO: bool = false;

    /// Whether single items can be removed.
    const REMOVES: bool;

    /// Returns the bytes of all its memory.
    fn bytes(&self) -> usize;

    /// Returns the number of items that counts as an occupancy of 1.
    fn room(&self) -> usize;

    /// Returns the theoretical rate of false positives with this many items, if it is known here.
    fn expected_rate(&self, _items: usize) -> Option<f64> {
        None
    }

    /// Removes all items, and touches all memory, so that the next filling meets no page faults.
    fn clear(&mut self);

    /// Adds a key. Returns false if it was refused.
    fn insert(&mut self, key: u64) -> bool;

    /// Returns whether a key is stored.
    fn contains(&self, key: u64) -> bool;

    /// Removes a key. Returns false if it was absent.
    fn remove(&mut self, _key: u64) -> bool {
        false
    }
}

impl<L: Layout> Subject for Filter<Fixed<L>> {
    const IS_CUCKOO: bool = true;
    const REMOVES: bool = true;

    fn bytes(&self) -> usize {
        self.memory_usage()
    }

    fn room(&self) -> usize {
        self.slots()
    }

    fn clear(&mut self) {
        self.clear();
    }

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.insert_hash(key).is_ok()
    }

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.contains_hash(key)
    }

    #[inline]
    fn remove(&mut self, key: u64) -> bool {
        self.remove_hash(key)
    }
}

impl Subject for Limit {
    const REMOVES: bool = true;

    fn bytes(&self) -> usize {
        self.room() * size_of::<u16>()
    }

    fn room(&self) -> usize {
        self.size().0.unwrap_or(0)
    }

    fn clear(&mut self) {
        let items = self.room();
        Contender::clear(self, items);
    }

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        Contender::insert(self, key)
    }

    #[inline]
    fn contains(&self, key: u64) -> bool {
        Contender::contains(self, key)
    }

    #[inline]
    fn remove(&mut self, key: u64) -> bool {
        Contender::remove(self, key)
    }
}
