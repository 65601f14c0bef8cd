//! What only filters that grow have.

use super::Filter;
use crate::engine::{Growing, Operations};
use crate::layout::Layout;

/// Filters that grow.
impl<L: Layout, S, I> Filter<Growing<L>, S, I> {
    /// The number of segments. A lookup of an item that is absent, or in the oldest, looks at all of them.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.engine.segments()
    }

    /// Sets the number of bytes that the filter refuses to grow beyond, as
    /// [`max_memory_usage`](super::FilterBuilder::max_memory_usage) of the builder does. A filter that
    /// was read has the limit of the one that was stored. One that is larger already keeps what it has.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let mut filter = GrowingCuckooFilter::with_capacity(100);
    /// filter.set_max_memory_usage(1 << 20);
    /// let refused = (0..).find_map(|item: u64| filter.insert(&item).err());
    /// assert!(refused.is_some() && filter.memory_usage() <= 1 << 20);
    /// ```
    pub fn set_max_memory_usage(&mut self, bytes: usize) {
        self.engine.set_max_memory_usage(bytes);
    }

    /// Frees empty segments, while other threads use the filter: unlinks the segments that removal has emptied. If
    /// the whole filter is empty, it starts again with a segment of the first size.
    ///
    /// A segment is freed when every thread has been seen outside of an operation of any filter that grows (or of
    /// anything else that uses the same [epochs](https://docs.rs/crossbeam-epoch)). So while other threads work,
    /// some segments may be freed later, by the next growth, removal or call of `shrink_to_fit`. A segment that
    /// holds a single item keeps its memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let filter = GrowingCuckooFilter::with_capacity(100);
    /// let start = filter.memory_usage();
    /// for item in 0..10_000 {
    ///     filter.insert(&item)?;
    /// }
    /// assert!(filter.memory_usage() > 4 * start);
    /// for item in 0..10_000 {
    ///     assert!(filter.remove(&item));
    /// }
    /// filter.shrink_to_fit();
    /// assert_eq!(filter.memory_usage(), start);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn shrink_to_fit(&self) {
        self.engine.shrink_to_fit();
    }
}
