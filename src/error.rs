//! What can go wrong. Each error says what was asked for, what is possible, and what to do.

mod build;
mod insert;
mod read;

pub use build::BuildError;
pub(crate) use build::{Cause, Content, Shapes, TooManyFalsePositives};
#[cfg(feature = "std")]
pub(crate) use insert::Limit;
pub use insert::{GrowthError, InsertError, InsertManyError, ValueError};
pub use read::{ReadError, RotateError, SnapshotError};

use core::fmt;

/// The memory for a filter, or for its stored form, could not be allocated.
///
/// Every error that has this reason has this value: [`BuildError`],
/// [`SnapshotError`], [`ReadError`], [`GrowthError`].
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{CuckooFilter, OutOfMemory};
///
/// let filter = CuckooFilter::with_capacity(100);
/// let next: Result<CuckooFilter, OutOfMemory> = filter.fresh();
/// assert!(next.is_ok_and(|next| next.is_empty()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    bytes: usize,
}

impl OutOfMemory {
    /// So many bytes could not be allocated; for tests of programs that handle it.
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

    /// The bytes that were asked for at once.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{} bytes of memory for a filter could not be allocated",
            self.bytes
        )
    }
}

impl core::error::Error for OutOfMemory {}

/// A rate, as its bits, because those can be compared for equality.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rate(u64);

impl Rate {
    pub(crate) fn new(rate: f64) -> Self {
        Self(rate.to_bits())
    }

    pub(crate) fn get(self) -> f64 {
        f64::from_bits(self.0)
    }

    /// The number itself, with no more digits than it takes.
    pub(crate) fn exact(self) -> Exact {
        Exact(self.get())
    }
}

/// See [`Rate::exact`].
pub(crate) struct Exact(f64);

impl fmt::Display for Exact {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(rate) = self;
        if *rate == 0.0 || (1e-5..1e5).contains(&rate.abs()) {
            rate.fmt(out)
        } else {
            write!(out, "{rate:e}")
        }
    }
}

/// A few digits. Small rates with a power of ten.
impl fmt::Display for Rate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = self.get();
        if rate < 1e-5 {
            write!(out, "{rate:.2e}")
        } else {
            write!(out, "{rate:.6}")
        }
    }
}

/// The number.
impl fmt::Debug for Rate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(out)
    }
}
