//! What only filters that grow have.

use super::Filter;
use crate::engine::{Ladder, Operations};

/// Filters that grow.
impl<S, I> Filter<Ladder, S, I> {
    /// The number of tables: one until it has doubled ten times. A lookup of an item that is absent, or in the oldest,
    /// looks at all of them.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.engine.segments()
    }

    /// Sets the number of bytes that the filter refuses to grow beyond, as
    /// [`max_memory_usage`](super::FilterBuilder::max_memory_usage) of the builder does. A filter that
    /// was read has the limit of the one that was stored. One that is larger already keeps its size. What it has kept
    /// beside its tables is freed, as by any call that takes `&mut self`.
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

    /// Sets a limit for now, while other threads use the filter, and frees nothing. The lower of both limits counts. This
    /// one is not stored, and copies of the filter do not have it. A growth that another thread has begun may still end by
    /// the limit of before.
    ///
    /// So filters can share their memory: before an insert, whoever knows what is left for all of them gives this one
    /// what it takes now and what is left. It is refused only when it must grow by what does not fit, and before anything is
    /// allocated.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{GrowingCuckooFilter, InsertError};
    ///
    /// let filter = GrowingCuckooFilter::with_capacity(100);
    /// filter.limit_memory_usage(filter.memory_usage());
    /// let (added, refused) = (0..).find_map(|item: u64| Some((item, filter.insert(&item).err()?))).unwrap();
    /// assert!(added >= 100 && filter.segments() == 1);
    /// let InsertError::CannotGrow { error, .. } = refused else { unreachable!() };
    ///
    /// // As much as it asks for, and not more.
    /// filter.limit_memory_usage(error.memory_needed().unwrap());
    /// assert!(filter.insert(&added).is_ok());
    /// assert!(Some(filter.memory_usage()) <= error.memory_needed());
    /// ```
    pub fn limit_memory_usage(&self, bytes: usize) {
        self.engine.limit_memory_usage(bytes);
    }

    /// Gives back memory that holds no item, while other threads use the filter. If the whole filter is empty, it starts
    /// again with a table of the first size. A doubling that is under way is brought to its end first. Takes time linear in
    /// the size of the filter.
    ///
    /// What it frees: on Linux the pages of the tables go back to the system, which is nearly all of a large table. A rest
    /// stays, and so do the addresses. Elsewhere all memory stays. Other threads may still look something up there, so it is
    /// freed only when the filter is dropped, or by any call that takes `&mut self`.
    /// [`memory_usage`](Self::memory_usage) and the limit on memory count what stays. To start again takes the memory of a
    /// table of the first size, if need be beyond the limit.
    ///
    /// Memory goes back when every thread has been seen outside of what is pinned to the same
    /// [epochs](https://docs.rs/crossbeam-epoch). So while other threads write, some of it may go later.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let mut filter = GrowingCuckooFilter::with_capacity(100);
    /// let start = filter.slots();
    /// for item in 0..10_000 {
    ///     filter.insert(&item)?;
    /// }
    /// assert!(filter.slots() >= 32 * start);
    /// for item in 0..10_000 {
    ///     assert!(filter.remove(&item));
    /// }
    /// filter.shrink_to_fit();
    /// assert_eq!(filter.slots(), start);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn shrink_to_fit(&self) {
        self.engine.shrink_to_fit();
    }
}
