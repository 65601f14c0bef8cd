//! What only filters that grow have.

use super::{Engine, Filter};
use crate::engine::growing::Limits;
use crate::engine::{Growing, Ladder};
use crate::layout::Layout;

/// An engine that grows.
///
/// Sealed, as [`Engine`] is.
pub trait Grows: Engine<Options = Limits> {}

impl<L: Layout> Grows for Growing<L> {}
impl Grows for Ladder {}

/// Filters that grow.
impl<E: Grows, S, I> Filter<E, S, I> {
    /// The number of segments. A lookup of an item that is absent, or in the oldest, looks at all of them.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.engine.segments()
    }

    /// Sets the number of bytes that the filter refuses to grow beyond, as
    /// [`max_memory_usage`](super::FilterBuilder::max_memory_usage) of the builder does. A filter that
    /// was read has the limit of the one that was stored. One that is larger already keeps its segments. What it has kept
    /// beside them is freed, as by any call that takes `&mut self`.
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
    /// what it takes now and what is left. It is refused only when a segment must be made that does not fit, and before
    /// anything is allocated.
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
    /// assert_eq!(Some(filter.memory_usage()), error.memory_needed());
    /// ```
    pub fn limit_memory_usage(&self, bytes: usize) {
        self.engine.limit_memory_usage(bytes);
    }

    /// Gives up empty segments, while other threads use the filter: takes out the segments that removal has emptied. If
    /// the whole filter is empty, it starts again with a segment of the first size.
    ///
    /// What it frees: on Linux the pages of the tables go back to the system, which is nearly all of a large segment. Some
    /// 8 to 24 KiB of each stay, and so do its addresses: the filter uses them when it grows again. Elsewhere all memory
    /// stays for that. Other threads may still look something up there, so it is freed only when the filter is dropped, or
    /// by any call that takes `&mut self`. [`memory_usage`](Self::memory_usage) and the limit on memory count what stays.
    ///
    /// A segment is taken out when every thread has been seen outside of an insert of any filter that grows (or of
    /// anything else that uses the same [epochs](https://docs.rs/crossbeam-epoch)). So while other threads insert,
    /// some segments may go later, by the next growth, removal or call of `shrink_to_fit`. A segment that holds a
    /// single item keeps its memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let mut filter = GrowingCuckooFilter::with_capacity(100);
    /// let start = filter.memory_usage();
    /// for item in 0..10_000 {
    ///     filter.insert(&item)?;
    /// }
    /// assert!(filter.segments() > 4);
    /// for item in 0..10_000 {
    ///     assert!(filter.remove(&item));
    /// }
    /// filter.shrink_to_fit();
    /// assert_eq!(filter.segments(), 1);
    /// // No other thread is about: what the filter kept for its next growth is freed too.
    /// filter.set_max_memory_usage(usize::MAX);
    /// assert_eq!(filter.memory_usage(), start);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn shrink_to_fit(&self) {
        self.engine.shrink_to_fit();
    }
}
