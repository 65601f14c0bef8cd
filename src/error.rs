//! Errors. Each says what was requested, what is possible, and what to do.

mod build;
mod insert;
mod read;

pub use build::BuildError;
pub use insert::{GrowthError, InsertError, InsertManyError, ValueError};
pub use read::{ReadError, RotateError, SnapshotError};

use thiserror::Error;

/// The memory for a filter, or for its stored form, could not be allocated.
///
/// Every error with this cause contains this value: [`BuildError`], [`SnapshotError`], [`ReadError`], [`GrowthError`].
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{CuckooFilter, OutOfMemory};
///
/// let filter = CuckooFilter::with_capacity(100);
/// let next: Result<CuckooFilter, OutOfMemory> = filter.empty_like();
/// assert!(next.is_ok_and(|next| next.is_empty()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{bytes} bytes of memory for a filter could not be allocated")]
pub struct OutOfMemory {
    bytes: usize,
}

impl OutOfMemory {
    /// An allocation of this many bytes that failed; for tests of programs that handle it.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{OutOfMemory, SnapshotError};
    ///
    /// let error = SnapshotError::OutOfMemory(OutOfMemory::new(4_096));
    /// assert!(error.to_string().starts_with("4096 bytes"));
    /// ```
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self { bytes }
    }

    /// The bytes of the allocation that failed.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
