//! Why a filter could not grow.

use core::fmt;

use super::OutOfMemory;
use super::rate::Rate;

/// Why a filter that grows found no room, and did not grow.
///
/// Every stored item stays where lookups find it, and inserts go on to succeed wherever there is room.
///
/// A test of a program gets one from a filter with a low limit:
///
/// # Examples
///
/// ```
/// # #[cfg(feature = "std")] {
/// use lockfree_cuckoo::{GrowingCuckooFilter, InsertError};
///
/// let filter = GrowingCuckooFilter::builder()
///     .capacity(100)
///     .max_false_positive_rate(0.0003) // one doubling: it and the beginning add at most 0.000_122 each
///     .build()
///     .unwrap();
/// let error = (0..).find_map(|item: u32| filter.insert(&item).err()).unwrap();
/// let InsertError::CannotGrow { error, .. } = error else { unreachable!() };
/// assert_eq!(error.tables(), 1);
/// assert!(error.false_positive_rate() > 0.0003); // what another doubling would have made possible
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrowthError {
    pub(crate) tables: usize,
    pub(crate) limit: Limit,
}

/// What prevents growth.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "std"), allow(dead_code, reason = "nothing grows there"))]
pub(crate) enum Limit {
    /// The rate after it, and the limit.
    FalsePositiveRate {
        rate: Rate,
        most: Rate,
    },
    Memory {
        bytes: usize,
        most: usize,
    },
    OutOfMemory(OutOfMemory),
    Buckets,
    Tables,
}

impl GrowthError {
    /// The number of tables there are.
    #[must_use]
    pub fn tables(&self) -> usize {
        self.tables
    }

    /// The false-positive rate that growth could lead to, once the filter is full again; 0 if that is not what stands in
    /// the way.
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        match self.limit {
            Limit::FalsePositiveRate { rate, .. } => rate.get(),
            _ => 0.0,
        }
    }

    /// The most bytes that the filter would take while it grows; `None` unless a limit on its memory is what stands in the
    /// way.
    #[must_use]
    pub fn memory_needed(&self) -> Option<usize> {
        match self.limit {
            Limit::Memory { bytes, .. } => Some(bytes),
            _ => None,
        }
    }

    /// Returns true if no limit prevents growth, but the memory could not be allocated.
    #[must_use]
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self.limit, Limit::OutOfMemory(_))
    }
}

impl fmt::Display for GrowthError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables = self.tables;
        let plural = if tables == 1 { "" } else { "s" };
        write!(
            out,
            "there is no room in {tables} table{plural}, and growth "
        )?;
        match self.limit {
            Limit::FalsePositiveRate { rate, most } => {
                let most = most.exact();
                write!(
                    out,
                    "could raise the false-positive rate to {rate}, above the limit of {most}"
                )
            }
            Limit::Memory { bytes, most } => write!(
                out,
                "would raise the memory to {bytes} bytes, above the limit of {most}"
            ),
            Limit::OutOfMemory(error) => {
                write!(
                    out,
                    "needs {} bytes of memory that could not be allocated",
                    error.bytes()
                )
            }
            Limit::Buckets => write!(
                out,
                "would lead to a table larger than the largest possible one"
            ),
            Limit::Tables => write!(
                out,
                "would lead to more than the largest possible number of them"
            ),
        }
    }
}

impl core::error::Error for GrowthError {}

#[cfg(feature = "std")]
impl From<OutOfMemory> for Limit {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory(error)
    }
}
