//! Why a rotation was not made.

use core::fmt;

/// Why a `RotatingCuckooFilter` was not rotated. Every item is where it was.
///
/// The table of the generation that was forgotten last is needed for the next one, and could not be emptied. Each reason
/// is rare: the threads that are in the way are in calls that began before the last rotation, or they rotate too.
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
    /// Other threads changed what was to be emptied during every attempt: try again.
    Disturbed {
        /// Attempts that were made.
        attempts: usize,
    },
    /// Other threads have all descriptors of the table in use: try again.
    ///
    /// If that does not help, threads that were killed in the middle of inserts or rotations hold them.
    /// [`clear`](crate::RotatingCuckooFilter::clear), [`to_bytes`](crate::RotatingCuckooFilter::to_bytes) and
    /// [`write_to`](crate::RotatingCuckooFilter::write_to) take them back.
    NoDescriptor {
        /// Attempts that were made.
        attempts: usize,
    },
}

impl fmt::Display for RotateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disturbed { attempts } => write!(
                out,
                "other threads changed the table that the next generation needs during each of {attempts} attempts to \
                 empty it: try again"
            ),
            Self::NoDescriptor { attempts } => write!(
                out,
                "the table that the next generation needs could not be emptied: other threads have all its \
                 descriptors in use, after {attempts} attempts: try again; if that does not help, threads died in the \
                 middle of inserts or rotations, and clear or to_bytes takes back what they held"
            ),
        }
    }
}

impl core::error::Error for RotateError {}
