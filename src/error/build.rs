//! The errors of building a filter.

use super::OutOfMemory;
use crate::kernel::layout::Shape;

/// Why a filter could not be built. Says what was requested and what is possible.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{BuildError, CuckooFilter};
///
/// let error = CuckooFilter::builder().capacity(usize::MAX).build().unwrap_err();
/// let BuildError::Capacity { max, .. } = error else { unreachable!() };
/// assert!(max < usize::MAX);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// The capacity is too large.
    Capacity {
        /// The items that were requested.
        requested: usize,
        /// The maximum. There may not be enough memory for it.
        max: usize,
    },
    /// Both the capacity and the number of buckets were set.
    CapacityAndBuckets {
        /// The items that were requested.
        capacity: usize,
        /// The buckets that were requested.
        buckets: usize,
    },
    /// The number of buckets is not possible.
    Buckets {
        /// The buckets that were requested.
        requested: usize,
        /// The nearest possible number.
        nearest: usize,
        /// The largest factor by which a power of two may be multiplied.
        factor: usize,
    },
    /// The search budget is out of range.
    SearchBudget {
        /// The buckets that were requested.
        requested: usize,
        /// The nearest possible number.
        nearest: usize,
    },
    /// The number of generations is out of range.
    Generations {
        /// The generations that were requested.
        requested: usize,
        /// The nearest possible number.
        nearest: usize,
    },
    /// The rate of false positives is not a rate, or lower than any table supports.
    RateOutOfRange {
        /// The rate that was requested.
        requested: f64,
        /// The lowest possible rate; 0 if every rate above 0 is possible.
        min: f64,
    },
    /// The rate of false positives is too low for the layout, or for every layout if the builder
    /// was to choose one.
    FalsePositiveRate {
        /// The rate that was requested.
        requested: f64,
        /// The rate of the layout when the filter holds the number of items that it is sized for;
        /// for a growing filter, with the first table full.
        rate: f64,
        /// The layout that was chosen, or the one with the lowest rate.
        shape: Shape,
    },
    /// The memory limit is too low for an empty filter.
    MemoryLimit {
        /// The limit in bytes.
        limit: usize,
        /// The initial size of the filter in bytes.
        needed: usize,
    },
    /// The memory could not be allocated.
    OutOfMemory(OutOfMemory),
}

texts! { BuildError:
    Self::Capacity { requested, max } => "a capacity of {requested} items is too large: at most {max} are possible";
    Self::CapacityAndBuckets { capacity, buckets } =>
        "a capacity of {capacity} items and a number of {buckets} buckets are set: set one of them";
    Self::Buckets { requested, nearest, factor: 1 } =>
        "{requested} buckets are not possible: the number must be a power of two from 2; use {nearest}, the nearest \
        possible number";
    Self::Buckets { requested, nearest, factor } =>
        "{requested} buckets are not possible: the number must be a power of two from 2, times a factor of at most \
        {factor}; use {nearest}, the nearest possible number";
    Self::SearchBudget { requested, nearest } =>
        "a search budget of {requested} buckets is out of range: use {nearest}, the nearest possible number";
    Self::Generations { requested, nearest } =>
        "a number of {requested} generations is not possible: use {nearest}, the nearest possible number";
    Self::RateOutOfRange { requested, min } =>
        "a false-positive rate of {requested:?} is not possible: use a rate of at least {min:?} and below 1";
    Self::FalsePositiveRate { requested, rate, shape } =>
        "a false-positive rate of {requested:?} is too low for a full filter of the layout `{shape}`, which has \
        {rate:.2e}: set a higher rate, or, unless the filter grows, let `build_smallest` choose a layout and a size";
    Self::MemoryLimit { limit, needed } =>
        "a memory limit of {limit} bytes is too low: the filter needs {needed} bytes at the start";
    Self::OutOfMemory(error) => "{error}";
}
