//! The builder of a growing filter, and the constructors that make most choices.

use core::hash::BuildHasher;
use std::sync::Arc;

use super::GrowingCuckooFilter;
use super::chain::Chain;
use super::growth::{Limits, rate_of_full};
use super::segment::Segment;
use crate::allocate::OutOfMemory;
use crate::error::{BuildError, Cause};
use crate::published::Published;
use crate::random_state::RandomState;
use crate::sizing;

/// Builds a [`GrowingCuckooFilter`].
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::GrowingCuckooFilter;
///
/// let filter = GrowingCuckooFilter::builder()
///     .capacity(10_000)
///     .max_false_positive_rate(0.001)
///     .max_memory_usage(64 << 20)
///     .build()?;
/// assert_eq!(filter.segments(), 1);
/// # Ok::<(), lockfree_cuckoo::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GrowingCuckooFilterBuilder<S = RandomState> {
    capacity: usize,
    limits: Limits,
    hasher: S,
}

const DEFAULT_ITEMS: usize = 1024;

const DEFAULT_FACTOR: usize = 2;

/// Past this a segment grows so fast that there is no point in starting small.
pub(super) const LARGEST_FACTOR: usize = 1 << 16;

/// The bound of a search in each segment. A longer one, as in a filter that cannot grow, fills a segment by 2 % of
/// its slots more, at twice the time of all its inserts.
pub(super) const SEARCH_BUDGET: usize = 256;

impl GrowingCuckooFilterBuilder {
    /// Fixes the seed of the default hasher, which is random otherwise.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.hasher = RandomState::with_seed(seed);
        self
    }
}

impl<S> GrowingCuckooFilterBuilder<S> {
    /// Begins with this hasher, with room for 1,024 items, a growth factor of 2, and no limits.
    #[must_use]
    pub fn with_hasher(hasher: S) -> Self {
        Self {
            capacity: DEFAULT_ITEMS,
            limits: Limits {
                factor: DEFAULT_FACTOR,
                false_positive_rate: 1.0,
                memory: usize::MAX,
            },
            hasher,
        }
    }

    /// Sizes the first segment for so many items; 1,024 unless told. The nearer it is to what comes, the fewer
    /// segments there will be for a lookup to look at.
    #[must_use]
    pub fn capacity(mut self, items: usize) -> Self {
        self.capacity = items;
        self
    }

    /// Makes each segment larger than the last one by this factor, a power of two from 2 to 65,536; 2 unless
    /// told. A larger one leaves more memory unused after each growth, and has fewer segments.
    #[must_use]
    pub fn growth_factor(mut self, factor: usize) -> Self {
        self.limits.factor = factor;
        self
    }

    /// Refuses to grow where more than this rate of false positives could follow, with all segments full. Each
    /// segment adds 0.000_122 at most, so 0.001 allows eight.
    #[must_use]
    pub fn max_false_positive_rate(mut self, rate: f64) -> Self {
        self.limits.false_positive_rate = rate;
        self
    }

    /// Refuses to grow where the segments would take more than this number of bytes.
    #[must_use]
    pub fn max_memory_usage(mut self, bytes: usize) -> Self {
        self.limits.memory = bytes;
        self
    }

    /// Uses another hasher, as [`CuckooFilterBuilder::hasher`](crate::CuckooFilterBuilder::hasher) describes it.
    #[must_use]
    pub fn hasher<T>(self, hasher: T) -> GrowingCuckooFilterBuilder<T> {
        GrowingCuckooFilterBuilder {
            capacity: self.capacity,
            limits: self.limits,
            hasher,
        }
    }
}

impl<S: BuildHasher> GrowingCuckooFilterBuilder<S> {
    /// Builds the filter, with its first segment.
    ///
    /// # Errors
    ///
    /// [`BuildError`], if a number asked for is out of range, the limits are too low even for the first segment,
    /// or the memory cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let error = GrowingCuckooFilter::builder().growth_factor(3).build().unwrap_err();
    /// assert_eq!(error.possible(), Some(4));
    /// ```
    pub fn build(self) -> Result<GrowingCuckooFilter<S>, BuildError> {
        let Limits {
            factor,
            false_positive_rate,
            memory,
        } = self.limits;
        let nearest = factor.clamp(2, LARGEST_FACTOR).next_power_of_two();
        if factor != nearest {
            return Err(BuildError(Cause::GrowthFactor { factor, nearest }));
        }
        let least = rate_of_full(1);
        if false_positive_rate.is_nan() || false_positive_rate < least {
            return Err(BuildError(Cause::FalsePositiveRate {
                rate: false_positive_rate.to_bits(),
                least: least.to_bits(),
            }));
        }
        let items = self.capacity;
        let most = sizing::MAX_ITEMS;
        if items > most {
            return Err(BuildError(Cause::Capacity { items, most }));
        }
        let start = sizing::geometry_for(items);
        let out_of_memory = |OutOfMemory { bytes }| BuildError(Cause::OutOfMemory { bytes });
        let least = size_of::<GrowingCuckooFilter<S>>()
            + Segment::bytes_for(start).map_err(out_of_memory)?;
        if least > memory {
            let most = memory;
            return Err(BuildError(Cause::Memory { most, least }));
        }
        let first = Segment::new(start, SEARCH_BUDGET).map_err(out_of_memory)?;
        Ok(GrowingCuckooFilter {
            chain: Published::new(Chain::new([Arc::new(first)], 0)),
            limits: self.limits,
            start,
            search_budget: SEARCH_BUDGET,
            hasher: self.hasher,
        })
    }
}

impl GrowingCuckooFilter {
    /// Creates a filter whose first segment takes `items` items, with a hasher seeded at random and no limits.
    ///
    /// # Panics
    ///
    /// If `items` is out of range or the memory cannot be had; the [builder](Self::builder) reports that instead.
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::GrowingCuckooFilter::with_capacity(1_000);
    /// assert!(filter.insert("a").is_ok());
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_capacity(items: usize) -> Self {
        match Self::builder().capacity(items).build() {
            Ok(filter) => filter,
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns a builder, for every choice there is.
    #[must_use]
    pub fn builder() -> GrowingCuckooFilterBuilder {
        GrowingCuckooFilterBuilder::with_hasher(RandomState::new())
    }
}
