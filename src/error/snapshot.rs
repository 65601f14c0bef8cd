//! Why no snapshot was taken.

use core::fmt;

use super::OutOfMemory;

/// Why no snapshot was taken, or a filter was not stored a chunk at a time. The filter is as it was, and it can be tried
/// again.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{CuckooFilter, SnapshotError};
///
/// let filter = CuckooFilter::with_capacity(100);
/// match filter.snapshot() {
///     Ok(copy) => assert!(copy.is_empty()),
///     Err(SnapshotError::Busy) => println!("another thread takes a snapshot"),
///     Err(error) => println!("{error}"),
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Another thread is taking a snapshot of this filter. (If it died in the middle,
    /// [`clear`](crate::CuckooFilter::clear) or [`to_bytes`](crate::CuckooFilter::to_bytes) on `&mut` makes room again.)
    Busy,
    /// Other threads changed too much in each of several attempts: more tokens were moved than there was room
    /// to note, or more were replaced than the filter has slots to spare.
    Disturbed,
    /// Other threads changed the filter between two of its [chunks](crate::Filter::chunks), so that they do not go
    /// together.
    Changed,
    /// The memory for the copy could not be had.
    OutOfMemory(OutOfMemory),
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
            Self::Changed => write!(
                out,
                "other threads changed the filter while it was stored: begin again with the first chunk"
            ),
            Self::OutOfMemory(error) => error.fmt(out),
        }
    }
}

impl core::error::Error for SnapshotError {}

impl From<OutOfMemory> for SnapshotError {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory(error)
    }
}

/// Converts for callers that return an [`std::io::Error`], with the kind that fits best.
#[cfg(feature = "std")]
impl From<SnapshotError> for std::io::Error {
    fn from(error: SnapshotError) -> Self {
        use std::io::ErrorKind;
        let kind = match error {
            SnapshotError::Busy | SnapshotError::Disturbed | SnapshotError::Changed => {
                ErrorKind::ResourceBusy
            }
            SnapshotError::OutOfMemory(_) => ErrorKind::OutOfMemory,
        };
        Self::new(kind, error)
    }
}
