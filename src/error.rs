//! Errors. Each says what was requested, what is possible, and what to do.

/// Makes an error of a type: its text, variant by variant.
macro_rules! texts {
    ($error:ident: $($(#[$attribute:meta])? $variant:pat => $text:literal $(, $argument:expr)?;)*) => {
        impl core::fmt::Display for $error {
            fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self {
                    $($(#[$attribute])? $variant => write!(out, $text $(, $argument)?)),*
                }
            }
        }

        impl core::error::Error for $error {}
    };
}

/// Converts a cause into errors that have a variant for it.
macro_rules! causes {
    ($($cause:ident as $variant:ident => $($error:ident),*;)*) => {$($(
        impl From<$cause> for $error {
            fn from(error: $cause) -> Self {
                Self::$variant(error)
            }
        }
    )*)*};
}

mod build;
mod insert;
mod read;
#[cfg(feature = "shared")]
mod shared;

pub use build::BuildError;
pub use insert::{GrowthError, InsertError, InsertManyError, ValueError};
pub use read::{ReadError, RotateError, SnapshotError};
#[cfg(feature = "shared")]
pub use shared::SharedError;

/// The memory for a filter, or for its stored form, could not be allocated.
///
/// Every error with this cause contains this value: [`BuildError`], [`SnapshotError`],
/// [`ReadError`], [`GrowthError`].
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    bytes: usize,
}

texts! { OutOfMemory:
    Self { bytes } => "{bytes} bytes of memory for a filter could not be allocated";
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

causes! {
    OutOfMemory as OutOfMemory => BuildError, GrowthError, ReadError, SnapshotError;
    ValueError as Value => InsertError;
}
