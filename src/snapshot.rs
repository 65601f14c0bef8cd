//! Snapshots: a copy of a filter that others are using.

use core::fmt;

use crate::allocate::OutOfMemory;
use crate::filter::CuckooFilter;
use crate::scan::NoSnapshot;
use crate::typed::TypedCuckooFilter;

/// Why no snapshot was taken. The filter is as it was, and taking one can be tried again.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{CuckooFilter, SnapshotError};
///
/// let filter = CuckooFilter::with_capacity(100);
/// match filter.snapshot() {
///     Ok(copy) => assert!(copy.is_empty()),
///     Err(SnapshotError::Busy) => println!("another thread is at it"),
///     Err(error) => println!("{error}"),
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Another thread is taking a snapshot of this filter. (If it died in the middle,
    /// [`clear`](CuckooFilter::clear) or [`to_bytes`](CuckooFilter::to_bytes) on `&mut` makes room again.)
    Busy,
    /// Other threads changed too much in each of several attempts: more tokens were moved than there was room
    /// to note, or more were replaced than the filter has slots to spare.
    Disturbed,
    /// The memory for the copy could not be had.
    #[non_exhaustive]
    OutOfMemory {
        /// Bytes asked for.
        bytes: usize,
    },
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => write!(
                out,
                "another thread is taking a snapshot of the filter: try again later"
            ),
            Self::Disturbed => write!(
                out,
                "other threads changed more of the filter than a snapshot can follow: try again"
            ),
            Self::OutOfMemory { bytes } => {
                write!(
                    out,
                    "{bytes} bytes of memory for a filter could not be allocated"
                )
            }
        }
    }
}

impl core::error::Error for SnapshotError {}

impl From<NoSnapshot> for SnapshotError {
    fn from(error: NoSnapshot) -> Self {
        match error {
            NoSnapshot::Busy => Self::Busy,
            NoSnapshot::Disturbed => Self::Disturbed,
            NoSnapshot::OutOfMemory(OutOfMemory { bytes }) => Self::OutOfMemory { bytes },
        }
    }
}

impl<S: Clone> CuckooFilter<S> {
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
        let (tokens, len) = self.tokens.snapshot()?;
        Self::from_parts(tokens, len, self.capacity, self.hasher.clone())
            .map_err(|OutOfMemory { bytes }| SnapshotError::OutOfMemory { bytes })
    }
}

impl<T: ?Sized, S: Clone> TypedCuckooFilter<T, S> {
    /// Copies the filter while others read and write it, as [`CuckooFilter::snapshot`] does.
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::snapshot`].
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, TypedCuckooFilter};
    ///
    /// let filter = TypedCuckooFilter::<str>::with_capacity(100);
    /// filter.insert("a")?;
    /// let stored = filter.snapshot()?.as_untyped_mut().to_bytes();
    ///
    /// let again = TypedCuckooFilter::<str>::from_untyped(CuckooFilter::from_bytes(&stored)?);
    /// assert!(again.contains("a"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot(&self) -> Result<Self, SnapshotError> {
        self.as_untyped().snapshot().map(Self::from_untyped)
    }
}
