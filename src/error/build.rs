//! Why a filter could not be built.

use core::fmt;

use super::OutOfMemory;
use crate::layout::Shape;

/// Why a filter could not be built. Says what was asked for and what is possible.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{BuildError, CuckooFilter};
///
/// let error = CuckooFilter::builder().capacity(usize::MAX).build().unwrap_err();
/// let BuildError::Capacity { most, .. } = error else { unreachable!() };
/// assert!(most < usize::MAX);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// The capacity is too large.
    Capacity {
        /// The items that were asked for.
        requested: usize,
        /// The most that are possible. There may not be the memory for them.
        most: usize,
    },
    /// The number of buckets is not possible.
    Buckets {
        /// The buckets that were asked for.
        requested: usize,
        /// The nearest possible number.
        nearest: usize,
        /// The largest factor by which a power of two may be multiplied.
        factor: usize,
    },
    /// The search budget is out of range.
    SearchBudget {
        /// The buckets that were asked for.
        requested: usize,
        /// The nearest possible number.
        nearest: usize,
    },
    /// The number of generations is out of range.
    Generations {
        /// The generations that were asked for.
        requested: usize,
        /// The nearest possible number.
        nearest: usize,
    },
    /// The rate of false positives is no rate, or lower than any table is made for.
    RateOutOfRange {
        /// The rate that was asked for.
        requested: f64,
        /// The lowest that is possible; 0 if all above that are.
        least: f64,
    },
    /// The rate of false positives is too low for the layout, or for every layout if the builder was to choose one.
    FalsePositiveRate {
        /// The rate that was asked for.
        requested: f64,
        /// The rate of the layout, with as many items in as the filter is sized for; if it grows, with the first table
        /// full.
        rate: f64,
        /// The layout that was chosen, or the one with the lowest rate.
        layout: Shape,
    },
    /// The limit on the memory is too low for an empty filter.
    MemoryLimit {
        /// The limit in bytes.
        limit: usize,
        /// The bytes that the filter takes at the start.
        needed: usize,
    },
    /// The memory could not be allocated.
    OutOfMemory(OutOfMemory),
}

impl fmt::Display for BuildError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Capacity { requested, most } => write!(
                out,
                "a capacity of {requested} items is too large: at most {most} are possible"
            ),
            Self::Buckets {
                requested,
                nearest,
                factor,
            } => write!(
                out,
                "{requested} buckets are not possible: the number must be a power of two from 2, times a factor of at \
                 most {factor}; use {nearest}, the nearest possible number"
            ),
            Self::SearchBudget { requested, nearest } => write!(
                out,
                "a search budget of {requested} buckets is out of range: use {nearest}, the nearest possible number"
            ),
            Self::Generations { requested, nearest } => write!(
                out,
                "{requested} generations are not possible: use {nearest}, the nearest possible number"
            ),
            Self::RateOutOfRange { requested, least } => write!(
                out,
                "a false-positive rate of {requested:?} is not possible: use a rate of at least {least:?} and below 1"
            ),
            Self::FalsePositiveRate {
                requested,
                rate,
                layout,
            } => write!(
                out,
                "a false-positive rate of {requested:?} is too low for a full filter of the layout `{layout}`, which has \
                 {rate:.2e}: set a higher rate, or let `build_smallest` choose a layout and a size"
            ),
            Self::MemoryLimit { limit, needed } => write!(
                out,
                "a memory limit of {limit} bytes is too low: the filter needs {needed} bytes at the start"
            ),
            Self::OutOfMemory(error) => error.fmt(out),
        }
    }
}

impl core::error::Error for BuildError {}
