//! Why stored bytes could not be read as a filter.

use core::fmt;

use super::OutOfMemory;
use crate::layout::Shape;

/// Bytes of a header, without which nothing is known of what follows.
const HEADER: u64 = 64;

/// Why a stored filter could not be read. The attempt leaves nothing behind.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{CuckooFilter, ReadError};
///
/// let bytes = CuckooFilter::with_capacity(100).to_bytes();
/// let cut = CuckooFilter::from_bytes(&bytes[..100]).unwrap_err();
/// assert!(matches!(cut, ReadError::Truncated { found: 100, .. }));
///
/// let foreign = CuckooFilter::from_bytes(b"PK\x03\x04").unwrap_err();
/// assert_eq!(foreign.to_string(), "this is not a stored filter: its first bytes are wrong");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The reader failed.
    #[cfg(feature = "std")]
    Io(std::io::Error),
    /// The bytes end early.
    #[non_exhaustive]
    Truncated {
        /// The bytes that there should be: those of the whole stored form, or of its header if not even that
        /// is complete. (Of a filter that grows, those of its header and its list of tables.)
        expected: u64,
        /// The bytes that there are.
        found: u64,
    },
    /// There are bytes after the end of the stored form. This does not happen with a reader, which stops where the
    /// filter ends.
    #[non_exhaustive]
    TrailingBytes {
        /// The bytes of the stored form.
        expected: u64,
        /// The bytes that there are.
        found: u64,
    },
    /// The first bytes are not those of a stored filter.
    NotAFilter,
    /// It was written by a later version of this crate, in a form that this one does not know.
    #[non_exhaustive]
    NewerVersion {
        /// The version of the stored form.
        found: u16,
        /// The latest version that can be read.
        supported: u16,
    },
    /// A filter of one kind was read as one of another kind. The stored one has a fixed size if it neither grows nor
    /// rotates.
    #[non_exhaustive]
    OtherKind {
        /// Whether the stored one grows.
        grows: bool,
        /// Whether the stored one rotates.
        rotates: bool,
    },
    /// A filter of one [`Layout`](crate::Layout) was read as one of another layout.
    #[non_exhaustive]
    OtherLayout {
        /// The layout of the stored one.
        shape: Shape,
    },
    /// It was stored with a hasher other than [`RandomState`](crate::RandomState), which cannot be stored with the
    /// filter: pass the same hasher to [`from_bytes_with_hasher`] or [`read_from_with_hasher`].
    ///
    /// [`from_bytes_with_hasher`]: crate::CuckooFilter::from_bytes_with_hasher
    /// [`read_from_with_hasher`]: crate::CuckooFilter::read_from_with_hasher
    HasherNeeded,
    /// The hasher is not the one that it was stored with, or has other keys. With it, the filter would miss
    /// what it holds.
    OtherHasher,
    /// A checksum does not match: the bytes have changed since they were written.
    Checksum,
    /// The checksums match, but this crate never writes this content.
    #[non_exhaustive]
    Malformed {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Its table is larger than is possible on this machine.
    #[non_exhaustive]
    TooLarge {
        /// The buckets of a table, eight bytes each.
        buckets: u64,
    },
    /// The memory for it could not be allocated.
    OutOfMemory(OutOfMemory),
}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(feature = "std")]
            Self::Io(error) => error.fmt(out),
            Self::Truncated { expected, found } => write!(
                out,
                "the stored filter ends early: {found} bytes of {}{expected}",
                // Not even the header is complete, which says how many there are.
                if *found < HEADER { "at least " } else { "" }
            ),
            Self::TrailingBytes { expected, found } => write!(
                out,
                "the stored filter has {expected} bytes, but {found} were given"
            ),
            Self::NotAFilter => {
                out.write_str("this is not a stored filter: its first bytes are wrong")
            }
            Self::NewerVersion { found, supported } => write!(
                out,
                "the stored filter is of version {found}, written by a later release of lockfree-cuckoo; \
                 this release reads versions up to {supported}"
            ),
            Self::OtherKind { grows: true, .. } => out.write_str(
                "the stored filter is one that grows: read it as a GrowingCuckooFilter",
            ),
            Self::OtherKind { rotates: true, .. } => out.write_str(
                "the stored filter is one that rotates: read it as a RotatingCuckooFilter",
            ),
            Self::OtherKind { .. } => out.write_str(
                "the stored filter is one that does not grow: read it as a CuckooFilter",
            ),
            Self::OtherLayout { shape } => write!(
                out,
                "the stored filter has the layout `{shape}`: read it as a filter of this layout, or with a call for any \
                 layout"
            ),
            Self::HasherNeeded => out.write_str(
                "the filter was stored with a custom hasher: pass the same hasher \
                 to from_bytes_with_hasher or read_from_with_hasher",
            ),
            Self::OtherHasher => out.write_str(
                "the hasher differs from the one that the filter was stored with, or has other keys",
            ),
            Self::Checksum => {
                out.write_str("the stored filter is damaged: a checksum does not match")
            }
            Self::Malformed { reason } => {
                write!(out, "the stored filter is malformed: {reason}")
            }
            Self::TooLarge { buckets } => write!(
                out,
                "the stored filter has {buckets} buckets, more than are possible on this machine"
            ),
            Self::OutOfMemory(error) => error.fmt(out),
        }
    }
}

impl core::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            #[cfg(feature = "std")]
            // The text of this error is the text of `error`, so the source is the source of `error`.
            Self::Io(error) => error.source(),
            _ => None,
        }
    }
}

impl From<OutOfMemory> for ReadError {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory(error)
    }
}

/// So that `?` takes the failures of opening a file and of reading it alike.
#[cfg(feature = "std")]
impl From<std::io::Error> for ReadError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

/// Converts the other way, for callers that return an [`std::io::Error`], with the kind that fits best.
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
