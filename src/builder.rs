//! The builder: every choice there is about a filter, and the constructors that make most of them.

use core::hash::BuildHasher;

use crate::allocate::OutOfMemory;
use crate::counter::Counter;
use crate::descriptor::Pool;
use crate::error::{BuildError, Cause};
use crate::filter::CuckooFilter;
use crate::geometry::Geometry;
use crate::path::{MAX_BUDGET, MIN_BUDGET};
use crate::random_state::RandomState;
use crate::sizing;
use crate::tokens::Tokens;
use crate::word::MAX_DESCRIPTORS;

/// Builds a [`CuckooFilter`].
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::CuckooFilter;
///
/// let filter = CuckooFilter::builder().capacity(10_000).seed(42).build()?;
/// assert!(filter.slots() >= 10_000);
/// # Ok::<(), lockfree_cuckoo::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CuckooFilterBuilder<S = RandomState> {
    size: Size,
    hasher: S,
    search_budget: usize,
    memory: usize,
    descriptors: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Size {
    Items(usize),
    Buckets(usize),
}

/// Lets large filters reach a load of 0.96 to 0.975. Searches of this length are rare below 0.95.
const DEFAULT_BUDGET: usize = MAX_BUDGET;

const DEFAULT_ITEMS: usize = 1024;

impl CuckooFilterBuilder {
    /// Fixes the seed of the default hasher, which is random otherwise. Filters with one seed and one
    /// geometry treat every item alike, on every machine. Not for a builder with another
    /// [`hasher`](CuckooFilterBuilder::hasher): that has its own seed, or none.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let builder = CuckooFilter::builder().seed(42);
    /// let (one, other) = (builder.clone().build()?, builder.build()?);
    /// assert_eq!(one.hash_one("a"), other.hash_one("a"));
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.hasher = RandomState::with_seed(seed);
        self
    }
}

impl<S> CuckooFilterBuilder<S> {
    /// Begins with this hasher. [`CuckooFilter::builder`] begins with one that is seeded at random.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilterBuilder, RandomState};
    ///
    /// let filter = CuckooFilterBuilder::with_hasher(RandomState::with_seed(42)).build()?;
    /// assert!(filter.slots() >= 1_024);
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    #[must_use]
    pub fn with_hasher(hasher: S) -> Self {
        Self {
            size: Size::Items(DEFAULT_ITEMS),
            hasher,
            search_budget: DEFAULT_BUDGET,
            memory: usize::MAX,
            descriptors: None,
        }
    }

    /// Sizes the filter for this many items; 1,024 unless told. Replaces an earlier `buckets`.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::builder().capacity(10_000).build()?;
    /// assert_eq!(filter.capacity(), 10_000);
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    #[must_use]
    pub fn capacity(mut self, items: usize) -> Self {
        self.size = Size::Items(items);
        self
    }

    /// Sets the exact number of buckets, of four slots each. It must be a power of two from 2, times at most
    /// 31; [`build`](Self::build) names the nearest such number if it is not. Replaces an earlier `capacity`.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// assert_eq!(CuckooFilter::builder().buckets(3 << 10).build()?.slots(), 12 << 10);
    /// let error = CuckooFilter::builder().buckets(127).build().unwrap_err();
    /// assert_eq!(error.possible(), Some(128));
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    #[must_use]
    pub fn buckets(mut self, buckets: usize) -> Self {
        self.size = Size::Buckets(buckets);
        self
    }

    /// Uses another hasher. Its 64-bit output must be well mixed in the high and in the low bits: the bucket
    /// comes from the high ones, the fingerprint is the lowest 16. An identity or a plain multiplicative hash
    /// is not enough: sequential numbers would all go to the same few buckets. Replaces the default hasher, and
    /// with it its seed.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let sip_hash = std::hash::RandomState::new();
    /// let filter = CuckooFilter::builder().hasher(sip_hash).build()?;
    /// assert!(!filter.contains("a"));
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    #[must_use]
    pub fn hasher<T>(self, hasher: T) -> CuckooFilterBuilder<T> {
        CuckooFilterBuilder {
            size: self.size,
            hasher,
            search_budget: self.search_budget,
            memory: self.memory,
            descriptors: self.descriptors,
        }
    }

    /// Sets how many buckets one search for a path to a vacant slot examines at most, from 2, the candidates
    /// alone, to 4,096; 4,096 unless told. Less lowers the load at which the first insert is refused, by about
    /// 0.006 at 1,024 and 0.02 to 0.03 at 256 for large filters, and makes refused inserts cheaper: they cost about as
    /// much as that many lookups. The capacity is sized for the default: with less than 1,024 a filter can refuse
    /// before it is reached.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// assert!(CuckooFilter::builder().search_budget(256).build().is_ok());
    /// assert!(CuckooFilter::builder().search_budget(1).build().is_err());
    /// ```
    #[must_use]
    pub fn search_budget(mut self, buckets: usize) -> Self {
        self.search_budget = buckets;
        self
    }

    /// Refuses to build a filter that would take more than this number of bytes, before they are allocated. The log
    /// of a first [`snapshot`](CuckooFilter::snapshot) comes on top.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let builder = CuckooFilter::builder().max_memory_usage(1 << 20);
    /// assert!(builder.clone().capacity(400_000).build()?.memory_usage() <= 1 << 20);
    /// let error = builder.capacity(1_000_000_000).build().unwrap_err();
    /// assert_eq!(error.requested(), 1 << 20);
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    #[must_use]
    pub fn max_memory_usage(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Sets the number of descriptors, which bounds how many inserts can relocate at once. For checks that
    /// want them scarce.
    #[doc(hidden)]
    #[must_use]
    pub fn descriptors(mut self, descriptors: usize) -> Self {
        self.descriptors = Some(descriptors.clamp(1, MAX_DESCRIPTORS));
        self
    }
}

impl<S: BuildHasher> CuckooFilterBuilder<S> {
    /// Builds the filter. Allocates all that it will ever use, but for the log of a first
    /// [`snapshot`](CuckooFilter::snapshot), in time linear in its size.
    ///
    /// # Errors
    ///
    /// [`BuildError`], if a number asked for is out of range or the memory cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let error = CuckooFilter::builder().capacity(usize::MAX).build().unwrap_err();
    /// assert_eq!(error.requested(), usize::MAX);
    /// ```
    pub fn build(self) -> Result<CuckooFilter<S>, BuildError> {
        let (geometry, items) = match self.size {
            Size::Items(items) if items <= sizing::MAX_ITEMS => {
                (sizing::geometry_for(items), items)
            }
            Size::Items(items) => {
                return Err(BuildError(Cause::Capacity {
                    items,
                    most: sizing::MAX_ITEMS,
                }));
            }
            Size::Buckets(buckets) => {
                let geometry = Geometry::with_buckets(buckets).ok_or_else(|| {
                    let nearest = sizing::nearest_buckets(buckets);
                    BuildError(Cause::Buckets { buckets, nearest })
                })?;
                (geometry, sizing::items_for(geometry))
            }
        };
        let budget = self.search_budget;
        let nearest = budget.clamp(MIN_BUDGET, MAX_BUDGET);
        if budget != nearest {
            return Err(BuildError(Cause::SearchBudget { budget, nearest }));
        }
        let descriptors = self
            .descriptors
            .unwrap_or_else(|| Pool::size_for(geometry.buckets()));
        let out_of_memory = |OutOfMemory { bytes }| BuildError(Cause::OutOfMemory { bytes });
        if self.memory < usize::MAX {
            let (most, least) = (self.memory, Self::bytes_for(geometry, descriptors));
            let least = least.map_err(out_of_memory)?;
            if least > most {
                return Err(BuildError(Cause::Memory { most, least }));
            }
        }
        Tokens::new(geometry, budget, descriptors)
            .and_then(|tokens| CuckooFilter::from_parts(tokens, 0, items, self.hasher))
            .map_err(out_of_memory)
    }

    fn bytes_for(geometry: Geometry, descriptors: usize) -> Result<usize, OutOfMemory> {
        let counter = Counter::new(geometry.buckets())?;
        let tokens = Tokens::bytes_for(geometry, descriptors)?;
        Ok(size_of::<CuckooFilter<S>>() + tokens + counter.bytes())
    }
}

/// Filters whose hasher is seeded at random. That needs the feature `std`; without it, give the seed.
#[cfg(feature = "std")]
impl CuckooFilter {
    /// Creates a filter that takes `items` items, with a hasher seeded at random.
    ///
    /// It occupies 16.8 to 18.2 bits an item from half a million items up; a small one is roomier. Takes time
    /// linear in `items`.
    ///
    /// # Panics
    ///
    /// If `items` is out of range or the memory cannot be had; [`try_with_capacity`](Self::try_with_capacity)
    /// reports that instead.
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::CuckooFilter::with_capacity(1_000);
    /// assert!(filter.insert("a").is_ok());
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_capacity(items: usize) -> Self {
        Self::with_capacity_and_hasher(items, RandomState::new())
    }

    /// The same as [`with_capacity`](Self::with_capacity), but fallible.
    ///
    /// # Errors
    ///
    /// [`BuildError`], if `items` is out of range or the memory cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// assert!(CuckooFilter::try_with_capacity(0).is_ok());
    /// assert!(CuckooFilter::try_with_capacity(usize::MAX).is_err());
    /// ```
    pub fn try_with_capacity(items: usize) -> Result<Self, BuildError> {
        Self::builder().capacity(items).build()
    }

    /// Returns a builder, for every choice there is: exact buckets, seed, hasher, search budget.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::builder().buckets(1 << 10).seed(1).build()?;
    /// assert_eq!(filter.slots(), 4 << 10);
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    #[must_use]
    pub fn builder() -> CuckooFilterBuilder {
        CuckooFilterBuilder::with_hasher(RandomState::new())
    }
}

impl<S: BuildHasher> CuckooFilter<S> {
    /// Creates a filter that takes `items` items, with the given hasher.
    ///
    /// The hasher's output must be well mixed in the high and the low bits
    /// ([`CuckooFilterBuilder::hasher`]).
    ///
    /// # Panics
    ///
    /// If `items` is out of range or the memory cannot be had;
    /// [`try_with_capacity_and_hasher`](Self::try_with_capacity_and_hasher) reports that instead.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity_and_hasher(100, std::hash::RandomState::new());
    /// filter.insert(&4711)?;
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_capacity_and_hasher(items: usize, hasher: S) -> Self {
        match Self::try_with_capacity_and_hasher(items, hasher) {
            Ok(filter) => filter,
            Err(error) => panic!("{error}"),
        }
    }

    /// The same as [`with_capacity_and_hasher`](Self::with_capacity_and_hasher), but fallible.
    ///
    /// # Errors
    ///
    /// [`BuildError`], if `items` is out of range or the memory cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, RandomState};
    ///
    /// let state = RandomState::with_seed(7);
    /// assert!(CuckooFilter::try_with_capacity_and_hasher(100, state.clone()).is_ok());
    /// assert!(CuckooFilter::try_with_capacity_and_hasher(usize::MAX, state).is_err());
    /// ```
    pub fn try_with_capacity_and_hasher(items: usize, hasher: S) -> Result<Self, BuildError> {
        CuckooFilterBuilder::with_hasher(hasher)
            .capacity(items)
            .build()
    }
}
