//! Why an item was not inserted.

use core::fmt;

use super::GrowthError;

/// Why an item was not inserted. The filter holds what it held before.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{CuckooFilter, InsertError};
///
/// let filter = CuckooFilter::with_capacity(1_000);
/// for _ in 0..8 {
///     filter.insert("flow")?;
/// }
/// // The two buckets of an item have eight slots, so there is no room for a ninth copy.
/// assert!(matches!(filter.insert("flow"), Err(InsertError::TooManyCopies { .. })));
/// assert_eq!(filter.count("flow"), 8);
/// # Ok::<(), InsertError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InsertError {
    /// No path to a vacant slot was found within the search budget.
    ///
    /// Without other writers this means that there is none within the budget. From 100,000 items up it seldom comes
    /// before the load factor reaches 0.96; smaller filters can refuse earlier, but not below the capacity that
    /// they were built for, if the items differ. Copies of one item share two buckets and are harder to place: with
    /// two copies of each, room ends near a load of 0.87. With other writers it can also mean that every one of 64
    /// attempts was disturbed, or that every descriptor was in use; then `len` is well below `slots`, and the
    /// caller should try again. If that does not help, the hasher does not mix all of its 64 bits
    /// ([`mixing`](crate::guide::mixing)).
    #[non_exhaustive]
    Full {
        /// Items in the filter at the time.
        len: usize,
        /// Slots of the filter.
        slots: usize,
    },
    /// Both buckets of the item are filled with copies of its own fingerprint. They are read one after the
    /// other, so while other threads remove and insert copies there may never have been eight at once.
    #[non_exhaustive]
    TooManyCopies {
        /// Copies that are stored.
        copies: usize,
    },

    /// A [`GrowingCuckooFilter`](https://docs.rs/lockfree-cuckoo) has no room, and a limit or the lack of memory
    /// keeps it from making more.
    #[non_exhaustive]
    CannotGrow {
        /// The limit, and the number of segments.
        error: GrowthError,
    },
}

impl fmt::Display for InsertError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { len, slots } => write!(
                out,
                "no room was found for the item within the search budget, \
                 with {len} of {slots} slots in use"
            ),
            Self::TooManyCopies { copies } => {
                write!(
                    out,
                    "{copies} copies of the item are stored, and there is no room for another copy"
                )
            }
            Self::CannotGrow { error } => error.fmt(out),
        }
    }
}

impl core::error::Error for InsertError {}

/// Why a batch of inserts stopped, and how many items went in. The items before the refused one are in the filter.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{CuckooFilter, InsertError};
///
/// let filter = CuckooFilter::with_capacity(1_000);
/// let items: Vec<u32> = (0..2_000).collect();
/// let stopped = filter.insert_many(&items).unwrap_err();
/// assert!(matches!(stopped.error(), InsertError::Full { .. }));
/// // The item at this index was refused, and the items after it were not tried.
/// assert_eq!(filter.len(), stopped.inserted());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InsertManyError {
    inserted: usize,
    error: InsertError,
}

impl InsertManyError {
    pub(crate) fn new(inserted: usize, error: InsertError) -> Self {
        Self { inserted, error }
    }

    /// How many items went in or, of those that were to be added only if absent, were in after it; the index of the
    /// one that was refused.
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::CuckooFilter::with_capacity(100);
    /// assert_eq!(filter.insert_many(&["a"; 10]).unwrap_err().inserted(), 8);
    /// ```
    #[must_use]
    pub fn inserted(&self) -> usize {
        self.inserted
    }

    /// The reason alone.
    pub(crate) fn into_error(self) -> InsertError {
        self.error
    }

    /// The same, for a batch that came behind so many items.
    pub(crate) fn behind(self, items: usize) -> Self {
        Self {
            inserted: items + self.inserted,
            ..self
        }
    }

    /// Why it was refused.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, InsertError};
    ///
    /// let stopped = CuckooFilter::with_capacity(100).insert_many(&["a"; 10]).unwrap_err();
    /// assert!(matches!(stopped.error(), InsertError::TooManyCopies { .. }));
    /// ```
    #[must_use]
    pub fn error(&self) -> &InsertError {
        &self.error
    }
}

impl fmt::Display for InsertManyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "stopped after {} items: {}", self.inserted, self.error)
    }
}

/// It has no source, because the text contains the cause.
impl core::error::Error for InsertManyError {}
