//! What is measured.

use lockfree_cuckoo::{CuckooFilter, Filter, Fixed, Layout};
use lockfree_cuckoo_benches::bare::Bare;

/// A table of hashes.
pub(crate) trait Table {
    fn with_words(words: usize) -> Self;
    fn insert(&self, hash: u64) -> bool;
    fn contains(&self, hash: u64) -> bool;
    fn remove(&self, hash: u64) -> bool;
}

/// A filter of a layout.
pub(crate) struct Subject<L: Layout>(Filter<Fixed<L>>);

impl<L: Layout> Subject<L> {
    /// The words of a filter for so many items.
    pub(crate) fn words_for(items: usize) -> usize {
        let filter = CuckooFilter::builder()
            .layout::<L>()
            .capacity(items)
            .seed(0);
        filter.build().expect("memory").slots() / L::SLOTS
    }
}

impl<L: Layout> Table for Subject<L> {
    fn with_words(words: usize) -> Self {
        let filter = CuckooFilter::builder().layout::<L>().buckets(words).seed(0);
        Self(filter.build().expect("memory"))
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.0.insert_hash(hash).is_ok()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.contains_hash(hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.0.remove_hash(hash)
    }
}

/// The limit of lanes of this shape.
impl<const SLOTS: usize, const BITS: u32> Table for Bare<SLOTS, BITS> {
    fn with_words(words: usize) -> Self {
        Self::with_words(words)
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.insert(hash)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains(hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.remove(hash)
    }
}
