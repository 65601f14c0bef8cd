//! What filters that rotate have, for those that are chosen at run time.

use crate::error::{InsertError, InsertManyError, RotateError};

pub(super) mod sealed {
    pub trait Sealed {}
}

/// What only filters that rotate have, of a filter whose layout is chosen at run time:
/// [`Hashed::rotating`](super::Hashed::rotating) returns it.
///
/// Each is the method of the same name of the [`RotatingCuckooFilter`](crate::RotatingCuckooFilter).
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{Hashed, RotatingCuckooFilter};
///
/// let filter = RotatingCuckooFilter::builder().capacity(1_000).build_smallest(0.01)?;
/// let rotating = filter.rotating().expect("it rotates");
/// let flow = 0x9e37_79b9_7f4a_7c15;
/// assert!(rotating.refresh_hash(flow)?);
/// rotating.rotate()?;
/// assert!(filter.contains_hash(flow));
/// rotating.rotate()?;
/// assert!(!filter.contains_hash(flow)); // forgotten
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Rotates: sealed::Sealed + Send + Sync {
    /// As [`rotate`](crate::RotatingCuckooFilter::rotate).
    ///
    /// # Errors
    ///
    /// As [`rotate`](crate::RotatingCuckooFilter::rotate).
    fn rotate(&self) -> Result<(), RotateError>;

    /// As [`rotate_if`](crate::RotatingCuckooFilter::rotate_if).
    ///
    /// # Errors
    ///
    /// As [`rotate_if`](crate::RotatingCuckooFilter::rotate_if).
    fn rotate_if(&self, rotations: u64) -> Result<bool, RotateError>;

    /// As [`rotations`](crate::RotatingCuckooFilter::rotations).
    fn rotations(&self) -> u64;

    /// As [`generations`](crate::RotatingCuckooFilter::generations).
    fn generations(&self) -> usize;

    /// As [`refresh_hash`](crate::RotatingCuckooFilter::refresh_hash).
    ///
    /// # Errors
    ///
    /// As [`refresh_hash`](crate::RotatingCuckooFilter::refresh_hash).
    fn refresh_hash(&self, hash: u64) -> Result<bool, InsertError>;

    /// As [`refresh_many_hash`](crate::RotatingCuckooFilter::refresh_many_hash).
    ///
    /// # Errors
    ///
    /// As [`refresh_many_hash`](crate::RotatingCuckooFilter::refresh_many_hash).
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    fn refresh_many_hash(&self, hashes: &[u64], new: &mut [bool]) -> Result<(), InsertManyError>;
}
