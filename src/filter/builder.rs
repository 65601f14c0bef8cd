//! The builder with all settings of a filter, and the constructors that use the defaults.

use core::marker::PhantomData;

use super::{AnyLayout, Buildable, Filter};
use crate::engine::measures::Measures;
use crate::engine::plan::Plan;
use crate::error::BuildError;
use crate::fixed::Fixed;
#[cfg(feature = "growing")]
use crate::growing::Growing;
use crate::kernel::layout::Layout;
use crate::kernel::pool::PoolSize;
use crate::random_state::RandomState;
use crate::rotating::Rotating;

/// Builds a [`CuckooFilter`](crate::CuckooFilter).
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
pub type CuckooFilterBuilder<S = RandomState> = FilterBuilder<Fixed, S>;

/// Builds a [`GrowingCuckooFilter`](crate::GrowingCuckooFilter).
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
/// assert_eq!(filter.tables(), 1);
/// # Ok::<(), lockfree_cuckoo::BuildError>(())
/// ```
#[cfg(feature = "growing")]
pub type GrowingCuckooFilterBuilder<S = RandomState> = FilterBuilder<Growing, S>;

/// Builds a [`RotatingCuckooFilter`](crate::RotatingCuckooFilter).
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::RotatingCuckooFilter;
///
/// let filter = RotatingCuckooFilter::builder().capacity(10_000).generations(4).build()?;
/// assert_eq!(filter.generations(), 4);
/// # Ok::<(), lockfree_cuckoo::BuildError>(())
/// ```
pub type RotatingCuckooFilterBuilder<S = RandomState> = FilterBuilder<Rotating, S>;

/// Builds a [`Filter`] of any kind.
///
/// Create one with [`builder`](Filter::builder) or [`with_hasher`](Self::with_hasher).
#[derive(Debug)]
pub struct FilterBuilder<E: Buildable = Fixed, S = RandomState> {
    pub(super) plan: Plan,
    pub(super) hasher: S,
    engine: PhantomData<fn() -> E>,
}

impl<E: Buildable> FilterBuilder<E, RandomState> {
    /// Fixes the seed of the default hasher, which is otherwise random. Filters with the same seed
    /// and the same geometry treat every item alike, on every machine. Not available with another
    /// [`hasher`](FilterBuilder::hasher), which has its own seed, or none.
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

impl<E: Buildable, S> FilterBuilder<E, S> {
    /// Starts a builder with this hasher. [`builder`](Filter::builder) starts with a randomly
    /// seeded one.
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
            plan: Plan::new(),
            hasher,
            engine: PhantomData,
        }
    }

    /// Sizes the filter for this many items. The default is 1,024, as for [`Default`]; 0 gives the
    /// smallest table. A builder takes a capacity or a number of [`buckets`](Self::buckets), not
    /// both.
    ///
    /// For a growing filter it sizes the first table, whose number of buckets is a power of two:
    /// the closer `items` is to the final number of items, the fewer false positives. For a
    /// rotating filter it sizes each generation: for the items of one period.
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
        self.plan.items = Some(items);
        self
    }

    /// Sets the exact number of buckets, each with four slots unless another layout is chosen.
    /// A builder takes a [`capacity`](Self::capacity) or a number of buckets, not both.
    ///
    /// The number must be a power of two from 2 up, times a factor of at most 31; otherwise
    /// [`build`](Self::build) names the nearest such number. For a rotating filter it is the size
    /// of each generation. For a growing filter it is the size of the first table, and must be a
    /// power of two.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{BuildError, CuckooFilter};
    ///
    /// assert_eq!(CuckooFilter::builder().buckets(3 << 10).build()?.slots(), 12 << 10);
    /// let error = CuckooFilter::builder().buckets(127).build().unwrap_err();
    /// assert!(matches!(error, BuildError::Buckets { nearest: 128, .. }));
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    #[must_use]
    pub fn buckets(mut self, buckets: usize) -> Self {
        self.plan.buckets = Some(buckets);
        self
    }

    /// Uses another hasher. Its 64-bit output must be well mixed in the high and in the low bits:
    /// the high bits select the bucket, and the lowest bits are the fingerprint, 16 with 4 x 16. An
    /// identity or a plain multiplicative hash is not enough: sequential numbers would all go to
    /// the same few buckets. Replaces the default hasher and its seed.
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
    pub fn hasher<T>(self, hasher: T) -> FilterBuilder<E, T> {
        FilterBuilder {
            plan: self.plan,
            hasher,
            engine: PhantomData,
        }
    }

    /// Uses another layout of the buckets, with other numbers of slots and fingerprint bits.
    /// [`Layout`] lists them, and the [guide](crate::guide::layouts) says which one to choose.
    ///
    /// A growing filter always has buckets of 4 slots of 16 bits, so this does not compile:
    ///
    /// ```compile_fail,E0277
    /// use lockfree_cuckoo::{GrowingCuckooFilter, layout::Lanes};
    ///
    /// let builder = GrowingCuckooFilter::builder().layout::<Lanes<8, 8>>();
    /// ```
    ///
    /// Omit the call, or use a [`CuckooFilter`](crate::CuckooFilter) or a
    /// [`RotatingCuckooFilter`](crate::RotatingCuckooFilter) for another layout.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, layout::Lanes};
    ///
    /// let filter = CuckooFilter::builder().layout::<Lanes<8, 8>>().capacity(100_000).build()?;
    /// assert!(filter.memory_usage() < 130_000);
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    #[must_use]
    pub fn layout<M: Layout>(self) -> FilterBuilder<E::With<M>, S>
    where
        E: AnyLayout,
    {
        FilterBuilder {
            plan: self.plan,
            hasher: self.hasher,
            engine: PhantomData,
        }
    }

    /// Sets the maximum number of buckets that one search for a path to a vacant slot examines:
    /// from 2, which are the candidates alone, to 4,096. The default is 4,096, and 256 in a growing
    /// filter. A smaller budget lowers the load at which the first insert is refused, by about
    /// 0.006 at 1,024 and 0.02 to 0.03 at 256 for large filters. It makes refused inserts cheaper:
    /// they cost about as much as that many lookups. The capacity is sized for the default: with a
    /// budget below 1,024 a filter can refuse inserts before it reaches the capacity.
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
        self.plan.search_budget = Some(buckets);
        self
    }

    /// Refuses to build a filter that would take more than this number of bytes, before they are
    /// allocated. The log of a first [`snapshot`](Filter::snapshot) is not included.
    ///
    /// A growing filter also refuses to grow beyond the limit, and counts the log. If items come
    /// and go at the limit, begin with a thousandth of the largest number of items
    /// ([why](crate::guide::growing#what-is-different)).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{BuildError, CuckooFilter};
    ///
    /// let builder = CuckooFilter::builder().max_memory_usage(1 << 20);
    /// assert!(builder.clone().capacity(400_000).build()?.memory_usage() <= 1 << 20);
    /// let error = builder.capacity(1_000_000_000).build().unwrap_err();
    /// assert!(matches!(error, BuildError::MemoryLimit { needed, .. } if needed > 1 << 31));
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    #[must_use]
    pub fn max_memory_usage(mut self, bytes: usize) -> Self {
        self.plan.memory = Some(bytes);
        self
    }

    /// Refuses to build a filter whose [rate of false positives](Filter::false_positive_rate) can
    /// exceed this when it holds the number of items that it is sized for.
    /// [`build_smallest`](Self::build_smallest) chooses a layout within the rate.
    ///
    /// For a rotating filter, this is the rate with all generations full. A growing filter also
    /// refuses to grow beyond the rate, which it computes for tables without a vacant slot: the
    /// first table has 0.000_126, and each doubling adds as much. So 0.001 allows six doublings,
    /// and less than 0.000_126 is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{BuildError, CuckooFilter, layout::Lanes};
    ///
    /// let builder = CuckooFilter::builder().capacity(100_000).max_false_positive_rate(0.000_01);
    /// let error = builder.clone().build().unwrap_err();
    /// assert!(matches!(error, BuildError::FalsePositiveRate { rate, .. } if rate > 0.000_1));
    /// let filter = builder.layout::<Lanes<3, 21>>().build()?;
    /// filter.insert("a")?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn max_false_positive_rate(mut self, rate: f64) -> Self {
        self.plan.rate = Some(rate);
        self
    }

    /// For tests that need scarce descriptors.
    pub(crate) fn with_descriptors(mut self, descriptors: PoolSize) -> Self {
        self.plan.descriptors = Some(descriptors);
        self
    }
}

/// Settings for rotation.
impl<L: Layout, S> FilterBuilder<Rotating<L>, S> {
    /// Sets the number of generations, 2 to 15; 2 unless set. With `n` generations, an item is
    /// forgotten by the `n`-th rotation after its insert. So the item stays for `n - 1` to `n`
    /// periods.
    ///
    /// Each generation is a table, and there is one additional table. A lookup of an absent item
    /// reads all generations.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{BuildError, RotatingCuckooFilter};
    ///
    /// // Items stay for 50 to 60 seconds, if there is a rotation every ten seconds.
    /// let filter = RotatingCuckooFilter::builder().generations(6).build()?;
    /// assert_eq!(filter.generations(), 6);
    /// let error = RotatingCuckooFilter::builder().generations(1).build().unwrap_err();
    /// assert!(matches!(error, BuildError::Generations { nearest: 2, .. }));
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    #[must_use]
    pub fn generations(mut self, generations: usize) -> Self {
        self.plan.generations = Some(generations);
        self
    }
}

/// What the filter will take, before it is built.
impl<E: Buildable, S> FilterBuilder<E, S> {
    /// The measures of the filter that [`build`](Self::build) would return: bytes, layout, buckets,
    /// slots, capacity and rate of false positives. Allocates nothing.
    ///
    /// [`measure_smallest`](Self::measure_smallest) is the same for
    /// [`build_smallest`](Self::build_smallest), and
    /// [`measure_shape`](Self::measure_shape) for [`build_shape`](Self::build_shape).
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build), if the filter would be refused for another reason than memory
    /// that could not be allocated.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let builder = CuckooFilter::builder().capacity(1_000_000);
    /// let measures = builder.measure()?;
    /// assert!(measures.memory_usage < 2_200_000);
    /// assert!(measures.false_positive_rate < 0.000_13);
    ///
    /// let filter = builder.build()?;
    /// assert_eq!(filter.memory_usage(), measures.memory_usage);
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    pub fn measure(&self) -> Result<Measures, BuildError> {
        E::measures(&self.plan, Filter::<E, S>::BYTES)
    }
}

impl<E: Buildable, S> FilterBuilder<E, S> {
    /// Builds the filter. Allocates everything that it will ever use, except the log of a first
    /// [`snapshot`](Filter::snapshot), in time linear in its size. For a growing filter, this
    /// covers the first table.
    ///
    /// # Errors
    ///
    /// [`BuildError`], if a requested number is out of range, or too low even for an empty filter,
    /// or the layout has a higher rate of false positives than requested, or the memory could not
    /// be allocated.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{BuildError, CuckooFilter};
    ///
    /// let error = CuckooFilter::builder().capacity(usize::MAX).build().unwrap_err();
    /// assert!(matches!(error, BuildError::Capacity { requested: usize::MAX, .. }));
    /// ```
    pub fn build(self) -> Result<Filter<E, S>, BuildError> {
        let engine = E::build(&self.plan, Filter::<E, S>::BYTES)?;
        Ok(Filter::of(engine, self.hasher))
    }
}

impl<E: Buildable, S: Clone> Clone for FilterBuilder<E, S> {
    fn clone(&self) -> Self {
        Self {
            plan: self.plan.clone(),
            hasher: self.hasher.clone(),
            engine: PhantomData,
        }
    }
}

/// An engine of filters that are made without a hasher: they get the default one.
///
/// Sealed, as [`Engine`](super::Engine) is. It has the hasher as its parameter, so that the
/// compiler can say what the parameter of a filter is:
///
/// ```compile_fail,E0277
/// let flows = lockfree_cuckoo::CuckooFilter::<u64>::with_capacity(100);
/// ```
#[cfg(feature = "std")]
#[diagnostic::on_unimplemented(
    message = "`{S}` is not the default hasher",
    label = "the parameter of a filter is its hasher, not the type of its items",
    note = "without a parameter, a filter takes items of any type",
    note = "for items of one type: `CuckooFilter::with_capacity(100).typed::<u64>()`",
    note = "for another hasher: `CuckooFilter::with_capacity_and_hasher(100, hasher)`"
)]
pub trait DefaultsTo<S>: Buildable {
    #[doc(hidden)]
    fn default_hasher() -> S;
}

#[cfg(feature = "std")]
impl<E: Buildable> DefaultsTo<RandomState> for E {
    fn default_hasher() -> RandomState {
        RandomState::new()
    }
}

/// Filters whose hasher has a random seed. They need the feature `std`; without it, pass a seed.
#[cfg(feature = "std")]
impl<E: Buildable, S> Filter<E, S> {
    /// Creates a filter for `items` items, with a randomly seeded hasher. 0 items give the smallest
    /// filter. Its [`capacity`](Filter::capacity) is 0 if it does not grow, but some items fit.
    ///
    /// For a growing filter this sizes the first table, which does not double before it holds
    /// `items` items. The filter has no limits.
    ///
    /// With 4 x 16 it takes 16.8 to 18.2 bits per item from half a million items up, and more per
    /// item if it is smaller. Takes time linear in `items`.
    ///
    /// # Panics
    ///
    /// If `items` is out of range or the memory could not be allocated. [`FilterBuilder::build`]
    /// returns an error instead.
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::CuckooFilter::with_capacity(1_000);
    /// assert!(filter.insert("a").is_ok());
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_capacity(items: usize) -> Self
    where
        E: DefaultsTo<S>,
    {
        Self::with_capacity_and_hasher(items, E::default_hasher())
    }

    /// Returns a builder, which has all settings of a filter.
    ///
    /// Without the feature `std` there is no random seed, and no such call: begin with
    /// [`with_hasher`](FilterBuilder::with_hasher), as in
    /// `CuckooFilterBuilder::with_hasher(RandomState::with_seed(seed))`.
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
    pub fn builder() -> FilterBuilder<E, S>
    where
        E: DefaultsTo<S>,
    {
        FilterBuilder::with_hasher(E::default_hasher())
    }
}

impl<E: Buildable, S> Filter<E, S> {
    /// Creates a filter for `items` items, with the given hasher.
    ///
    /// The hasher's output must be well mixed in the high and the low bits
    /// ([`FilterBuilder::hasher`]).
    ///
    /// # Panics
    ///
    /// If `items` is out of range or the memory could not be allocated. [`FilterBuilder::build`]
    /// returns an error instead.
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
        match FilterBuilder::with_hasher(hasher).capacity(items).build() {
            Ok(filter) => filter,
            Err(error) => panic!("{error}"),
        }
    }
}
