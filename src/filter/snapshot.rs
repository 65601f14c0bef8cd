//! Snapshots: a copy of a filter that other threads use.

use super::{Engine, Filter};
use crate::error::SnapshotError;

impl<E: Engine, S: Clone> Filter<E, S> {
    /// Copies the filter while others read and write it.
    ///
    /// The copy contains every item that is in from before the call until after it, with all its copies, even if
    /// inserts of other items move it. Of what is inserted or removed during the call, the copy may contain any
    /// part. So the copy does not show the whole filter at one moment, but each class of items at a moment of its
    /// own.
    ///
    /// Reads the whole table once, and allocates the copy. (The first call also allocates, for good, a log of a
    /// sixteenth of the table.) Writers do not wait: a writer that relocates an item meanwhile records it in the
    /// log, and the snapshot counts the recorded items again at the end. If the log gets full, the snapshot reads
    /// the table again several times, each time for a part of the items.
    ///
    /// Of a growing filter one table after the other is copied. The copy has the limits of the filter. Of a filter that
    /// rotates one generation after the other is copied, and all again if there was a rotation meanwhile.
    ///
    /// # Errors
    ///
    /// [`SnapshotError`]: [`Busy`](SnapshotError::Busy) if another snapshot of this filter is under way,
    /// [`Disturbed`](SnapshotError::Disturbed) if too much changed meanwhile, or the memory could not be allocated.
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
