//! The errors of reading a stored filter, taking a snapshot, and rotating.

use super::OutOfMemory;
use crate::engine::kind::Kind;
use crate::kernel::layout::Shape;

/// Why a stored filter could not be read. The attempt has no effects.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{CuckooFilter, ReadError};
///
/// let bytes = CuckooFilter::with_capacity(100).to_bytes()?;
/// let cut = CuckooFilter::from_bytes(&bytes[..100]).unwrap_err();
/// assert!(matches!(cut, ReadError::Truncated { found: 100, .. }));
///
/// let foreign = CuckooFilter::from_bytes(b"PK\x03\x04").unwrap_err();
/// assert_eq!(foreign.to_string(), "this is not a stored filter: its first bytes are wrong");
/// # Ok::<(), lockfree_cuckoo::SnapshotError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The reader failed. With `?`, an error of opening the file becomes this error too.
    #[cfg(feature = "std")]
    Io(std::io::Error),
    /// The bytes end early.
    Truncated {
        /// The minimum number of bytes: those of the header if it is incomplete, else those up to
        /// the end of the list of tables, else those of the whole stored form.
        expected: u64,
        /// The number of bytes found.
        found: u64,
    },
    /// There are bytes after the end of the stored form. This does not happen with a reader, which
    /// stops at the end of the filter.
    TrailingBytes {
        /// The number of bytes of the stored form.
        expected: u64,
        /// The number of bytes found.
        found: u64,
    },
    /// The first bytes are not those of a stored filter. They are checked before any checksum.
    NotAFilter,
    /// A later version of this crate wrote the filter, in an unknown form; or its version number is
    /// damaged.
    NewerVersion {
        /// The version of the stored form.
        found: u16,
        /// The latest supported version.
        supported: u16,
    },
    /// A filter of one kind was read as one of another kind.
    OtherKind {
        /// The kind of the stored filter.
        kind: Kind,
    },
    /// A filter of one [`Layout`](crate::layout::Layout) was read as one of another layout.
    OtherLayout {
        /// The layout of the stored filter.
        shape: Shape,
    },
    /// The filter was stored with a hasher other than [`RandomState`](crate::RandomState). Such a
    /// hasher is not stored with the filter: pass the same hasher to [`from_bytes_with_hasher`] or
    /// [`read_from_with_hasher`].
    ///
    /// [`from_bytes_with_hasher`]: crate::CuckooFilter::from_bytes_with_hasher
    /// [`read_from_with_hasher`]: crate::CuckooFilter::read_from_with_hasher
    HasherNeeded,
    /// The filter was stored with another hasher, or with other keys. With this hasher, it would
    /// miss its items.
    OtherHasher,
    /// A checksum does not match: the bytes have changed since they were written.
    Checksum,
    /// The checksums match, but this crate never writes this content.
    Malformed {
        /// What is wrong.
        reason: &'static str,
    },
    /// A table is larger than this machine allows.
    TooLarge {
        /// The buckets of a table, eight bytes each.
        buckets: u64,
    },
    /// The memory for the filter could not be allocated.
    OutOfMemory(OutOfMemory),
}

texts! { ReadError:
    #[cfg(feature = "std")] Self::Io(error) => "{error}";
    Self::Truncated { expected, found } => "the stored filter ends early: {found} bytes of at least {expected}";
    Self::TrailingBytes { expected, found } => "the stored filter has {expected} bytes, but {found} were given";
    Self::NotAFilter => "this is not a stored filter: its first bytes are wrong";
    Self::NewerVersion { found, supported } =>
        "the stored filter is of version {found}, written by a later release of lockfree-cuckoo; this release reads \
        versions up to {supported}";
    Self::OtherKind { kind } => "the stored filter is a {kind}: read it as such, or as a DynFilter";
    Self::OtherLayout { shape } =>
        "the stored filter has the layout `{shape}`: read it as a filter of this layout, or as a DynFilter";
    Self::HasherNeeded =>
        "the filter was stored with a custom hasher: pass the same hasher to from_bytes_with_hasher or \
        read_from_with_hasher";
    Self::OtherHasher => "the hasher differs from the one that the filter was stored with, or has other keys";
    Self::Checksum => "the stored filter is damaged: a checksum does not match";
    Self::Malformed { reason } => "the stored filter is malformed: {reason}";
    Self::TooLarge { buckets } => "the stored filter has {buckets} buckets, more than are possible on this machine";
    Self::OutOfMemory(error) => "{error}";
}

#[cfg(feature = "std")]
impl From<std::io::Error> for ReadError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

/// Converts for callers that return an [`std::io::Error`], with the kind that fits best.
#[cfg(feature = "std")]
impl From<ReadError> for std::io::Error {
    fn from(error: ReadError) -> Self {
        use std::io::ErrorKind;
        let kind = match error {
            ReadError::Io(error) => return error,
            ReadError::Truncated { .. } => ErrorKind::UnexpectedEof,
            ReadError::NewerVersion { .. } => ErrorKind::Unsupported,
            ReadError::OtherKind { .. }
            | ReadError::OtherLayout { .. }
            | ReadError::HasherNeeded
            | ReadError::OtherHasher => ErrorKind::InvalidInput,
            ReadError::TooLarge { .. } | ReadError::OutOfMemory(_) => ErrorKind::OutOfMemory,
            _ => ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}

/// Why no snapshot was taken, or a filter was not stored a chunk at a time. The filter is
/// unchanged, and the call can be retried.
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
    /// Another thread is taking a snapshot of this filter. If that thread stopped for good,
    /// [`clear`](crate::Filter::clear) permits snapshots again, as does
    /// [`shrink_to_fit`](crate::Filter::shrink_to_fit) of a growing filter.
    /// [`chunks`](crate::Filter::chunks) stores the filter meanwhile.
    Busy,
    /// Other threads changed too much in each of several attempts: they moved more tokens than the
    /// log had room for, or replaced more than the filter has slots to spare.
    Disturbed,
    /// Other threads changed the filter between two of its [chunks](crate::Filter::chunks), so that
    /// they do not match.
    Changed,
    /// The memory for the copy could not be allocated.
    OutOfMemory(OutOfMemory),
}

texts! { SnapshotError:
    Self::Busy => "another thread is taking a snapshot of the filter: try again later";
    Self::Disturbed => "other threads changed more of the filter than a snapshot can follow: try again";
    Self::Changed => "other threads changed the filter while it was stored: begin again with the first chunk";
    Self::OutOfMemory(error) => "{error}";
}

impl SnapshotError {
    /// Returns true if a retry may succeed: for all but [`OutOfMemory`](Self::OutOfMemory).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{OutOfMemory, SnapshotError};
    ///
    /// assert!(SnapshotError::Busy.is_transient());
    /// assert!(!SnapshotError::OutOfMemory(OutOfMemory::new(4_096)).is_transient());
    /// ```
    #[must_use]
    pub fn is_transient(&self) -> bool {
        !matches!(self, Self::OutOfMemory(_))
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

/// Why a `RotatingCuckooFilter` was not rotated. Every item is where it was.
///
/// A rotation needs the table of the last forgotten generation, which could not be emptied. Each
/// cause is rare: the interfering threads are in calls that began before the last rotation, or are
/// rotating too.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{RotateError, RotatingCuckooFilter};
///
/// /// Tries again where that can help.
/// fn rotate(filter: &RotatingCuckooFilter) -> Result<(), RotateError> {
///     for _ in 0..3 {
///         if filter.rotate().is_ok() {
///             return Ok(());
///         }
///         std::thread::yield_now();
///     }
///     filter.rotate()
/// }
///
/// assert_eq!(rotate(&RotatingCuckooFilter::with_capacity(100)), Ok(()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RotateError {
    /// Other threads changed the table to be emptied during every attempt: retry.
    Disturbed {
        /// Attempts that were made.
        attempts: usize,
    },
    /// Other threads have all descriptors of the table, and no more could be added, as in
    /// [`InsertError::NoDescriptor`](crate::InsertError::NoDescriptor): retry.
    NoDescriptor,
}

texts! { RotateError:
    Self::Disturbed { attempts } =>
        "other threads changed the table that the next generation needs during each of {attempts} attempts to empty \
        it: try again";
    Self::NoDescriptor =>
        "the table that the next generation needs could not be emptied: other threads have all its descriptors in use, \
        and no more could be added: try again; if that does not help, threads have stopped in the middle of inserts or \
        rotations, and clear takes back what they held";
}
