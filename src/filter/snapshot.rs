//! Snapshots: a copy of a filter that others are using.

use super::{Engine, Filter};
use crate::error::SnapshotError;

impl<E: Engine, S: Clone, I> Filter<E, S, I> {
    /// Copies the filter while others read and write it.
    ///
    /// Every item that is in from before the call until after it is in the copy, with all its copies, however
    /// the inserts of other items move it about. Of what is inserted or removed during the call any part may be
    /// in the copy. So it is no single instant of the whole filter, but one for each class of items.
    ///
    /// Reads the whole table once, and allocates the copy. (The first call also allocates, for good, a log of a
    /// sixteenth of the table.) Writers are not held up: one that relocates an item notes it in the log while
    /// the copy is made, and the noted items are counted again at the end. If the log runs full, the table is
    /// read again, several times, for some of the items each.
    ///
    /// Of a filter that grows one segment after the other is copied, and all again if a segment came or went meanwhile.
    /// Memory that other threads give up is not freed before that is done. The copy has the limits of the filter.
    ///
    /// # Errors
    ///
    /// [`SnapshotError`]: [`Busy`](SnapshotError::Busy) if another snapshot of this filter is under way,
    /// [`Disturbed`](SnapshotError::Disturbed) if too much changed meanwhile, or the memory cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    /// use std::thread;
    ///
    /// let filter = CuckooFilter::with_capacity(1_000);
    /// filter.insert("a")?;
    /// let copy = thread::scope(|scope| {
    ///     scope.spawn(|| (0..900).all(|n| filter.insert(&n).is_ok()));
    ///     filter.snapshot()
    /// })?;
    /// assert!(copy.contains("a"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot(&self) -> Result<Self, SnapshotError> {
        Ok(Self::of(self.engine.snapshot()?, self.hasher.clone()))
    }
}
