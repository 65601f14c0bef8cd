//! What can go wrong: building a filter, and inserting.

mod growth;

pub use growth::GrowthError;
#[cfg(feature = "std")]
pub(crate) use growth::Limit;

use core::fmt;

/// Why a filter could not be built. Says what was asked for and what is possible.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::CuckooFilter;
///
/// let error = CuckooFilter::try_with_capacity(usize::MAX).unwrap_err();
/// assert_eq!(error.requested(), usize::MAX);
/// assert!(error.possible().is_some_and(|most| most < usize::MAX));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError(pub(crate) Cause);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    Capacity {
        items: usize,
        most: usize,
    },
    Buckets {
        buckets: usize,
        nearest: usize,
    },
    SearchBudget {
        budget: usize,
        nearest: usize,
    },
    OutOfMemory {
        bytes: usize,
    },
    #[cfg(feature = "std")]
    GrowthFactor {
        factor: usize,
        nearest: usize,
    },
    /// The bits of the rate, and of the least that a single segment keeps to.
    #[cfg(feature = "std")]
    FalsePositiveRate {
        rate: u64,
        least: u64,
    },
    Memory {
        most: usize,
        least: usize,
    },
}

impl BuildError {
    /// Whether nothing is wrong with what was asked for, but the memory for it cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// let error = lockfree_cuckoo::CuckooFilter::try_with_capacity(usize::MAX).unwrap_err();
    /// assert!(!error.is_out_of_memory());
    /// ```
    #[must_use]
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self.0, Cause::OutOfMemory { .. })
    }

    /// The number that was refused: items, buckets, the search budget, bytes of memory, or the growth factor; 0
    /// for a rate.
    #[must_use]
    pub fn requested(&self) -> usize {
        match self.0 {
            Cause::Capacity { items, .. } => items,
            Cause::Buckets { buckets, .. } => buckets,
            Cause::SearchBudget { budget, .. } => budget,
            Cause::OutOfMemory { bytes } => bytes,
            #[cfg(feature = "std")]
            Cause::GrowthFactor { factor, .. } => factor,
            #[cfg(feature = "std")]
            Cause::FalsePositiveRate { .. } => 0,
            Cause::Memory { most, .. } => most,
        }
    }

    /// The nearest number of the same kind that is in range, though the memory for it may lack; `None` for
    /// bytes of memory, of which nobody knows how many there are.
    #[must_use]
    pub fn possible(&self) -> Option<usize> {
        match self.0 {
            Cause::Capacity { most, .. } => Some(most),
            Cause::Buckets { nearest, .. } | Cause::SearchBudget { nearest, .. } => Some(nearest),
            Cause::OutOfMemory { .. } => None,
            #[cfg(feature = "std")]
            Cause::GrowthFactor { nearest, .. } => Some(nearest),
            #[cfg(feature = "std")]
            Cause::FalsePositiveRate { .. } => None,
            Cause::Memory { least, .. } => Some(least),
        }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Cause::Capacity { items, most } => {
                write!(
                    out,
                    "a capacity of {items} items is too large: at most {most} are possible"
                )
            }
            Cause::Buckets { buckets, nearest } => write!(
                out,
                "{buckets} buckets are not possible: the number must be a power of two from 2, times a factor of at most {}; \
                 use {nearest}, the nearest possible number",
                crate::geometry::Geometry::MAX_RANGES,
            ),
            Cause::SearchBudget { budget, nearest } => write!(
                out,
                "a search budget of {budget} buckets is out of range: use {nearest}, the nearest possible number"
            ),
            Cause::OutOfMemory { bytes } => {
                write!(
                    out,
                    "{bytes} bytes of memory for a filter could not be allocated"
                )
            }
            #[cfg(feature = "std")]
            Cause::GrowthFactor { factor, nearest } => write!(
                out,
                "a growth factor of {factor} is not possible: use {nearest}, the nearest possible power of two"
            ),
            #[cfg(feature = "std")]
            Cause::FalsePositiveRate { rate, least } => write!(
                out,
                "a limit of {} on the false-positive rate is not possible: one full segment has {:.6}; \
                 set a higher limit",
                f64::from_bits(rate),
                f64::from_bits(least)
            ),
            Cause::Memory { most, least } => write!(
                out,
                "a memory limit of {most} bytes is too low: the filter needs {least} bytes at the start"
            ),
        }
    }
}

impl core::error::Error for BuildError {}

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
/// // The two buckets of an item have eight slots, and the ninth copy has nowhere else to go.
/// assert!(matches!(filter.insert("flow"), Err(InsertError::TooManyCopies { .. })));
/// assert_eq!(filter.count("flow"), 8);
/// # Ok::<(), InsertError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InsertError {
    /// No path to a vacant slot was found within the search budget.
    ///
    /// Without other writers this means that there is none within the budget. From 100,000 items up it seldom
    /// comes before the load factor reaches 0.96; smaller filters can refuse earlier, but not below the
    /// capacity that they were built for, if the items differ. Copies of one item share two buckets and are
    /// harder to place: with two copies of each, room ends near a load of 0.87. With other writers it can also
    /// mean that every one of 64 attempts was disturbed, or that every descriptor was in use; then `len` is
    /// well below `slots`, and to try again is worth it. If that does not help, the hasher does not mix all of
    /// its 64 bits ([`mixing`](crate::guide::mixing)).
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
        /// Which limit, and how far the filter has come.
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

/// Why a batch of inserts stopped, and how far it came. The items before the refused one are in.
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
/// // The one at this index was refused, and those behind it were not tried.
/// assert_eq!(filter.len(), stopped.inserted());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InsertManyError {
    pub(crate) inserted: usize,
    pub(crate) error: InsertError,
}

impl InsertManyError {
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

/// Without a source: the text has it.
impl core::error::Error for InsertManyError {}
