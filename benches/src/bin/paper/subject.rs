//! What goes through the evaluation: sets of 64-bit hashes, used by one thread.

use lockfree_cuckoo::{Filter, Fixed, Layout};
use lockfree_cuckoo_benches::contender::Contender;
use lockfree_cuckoo_benches::limit::Limit;

/// A set under evaluation. As in the paper nobody shares it, so that those need not pay for it that cannot
/// be shared.
pub(crate) trait Subject: Send {
    /// Whether it is a cuckoo filter of this library.
    const IS_CUCKOO: bool = false;

    /// Whether single items can be removed.
    const REMOVES: bool;

    /// All the memory that it occupies.
    fn bytes(&self) -> usize;

    /// The number of items that counts as an occupancy of 1.
    fn room(&self) -> usize;

    /// The rate of false positives that its theory has for so many items, where it is known here.
    fn expected_rate(&self, items: usize) -> Option<f64> {
        let _ = items;
        None
    }

    /// Empties it. Touches all its memory, so that the filling after it meets no page faults.
    fn clear(&mut self);

    /// Adds a key, always. False: it was refused.
    fn insert(&mut self, key: u64) -> bool;

    fn contains(&self, key: u64) -> bool;

    /// Removes a key. False: there was none.
    fn remove(&mut self, key: u64) -> bool;
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
        self.slots() * size_of::<u16>()
    }

    fn room(&self) -> usize {
        self.slots()
    }

    fn clear(&mut self) {
        Contender::clear(self);
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
