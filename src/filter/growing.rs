//! What only filters that grow have.

use super::dynamic::Dyn;
use super::{Engine, Filter};
use crate::engine::Growing;

/// An engine that may grow: [`Growing`], or [`Dyn`], which keeps its size if what is in it does not grow. Sealed.
pub trait Grows: Engine {}

impl Grows for Growing {}
impl Grows for Dyn {}

/// Filters that grow.
impl<E: Grows, S> Filter<E, S> {
    /// The number of tables: one until it has doubled ten times. A lookup of an item that is absent, or in the oldest,
    /// looks at all of them.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(lockfree_cuckoo::GrowingCuckooFilter::with_capacity(100).tables(), 1);
    /// ```
    #[must_use]
    pub fn tables(&self) -> usize {
        self.engine.tables()
    }

    /// Sets the number of bytes that the filter refuses to grow beyond, as
    /// [`max_memory_usage`](super::FilterBuilder::max_memory_usage) of the builder does. A filter that
    /// was read has the limit of the one that was stored, and often takes fewer bytes than that one took, so near the limit it
    /// may grow where the other could not. One that is larger already keeps its size.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let mut filter = GrowingCuckooFilter::with_capacity(100);
    /// filter.set_max_memory_usage(1 << 20);
    /// let refused = (0..).find_map(|item: u64| filter.insert(&item).err());
    /// assert!(refused.is_some() && filter.memory_usage() <= 1 << 20);
    /// ```
    pub fn set_max_memory_usage(&mut self, bytes: usize) {
        self.engine.set_max_memory_usage(bytes);
    }

    /// Sets a limit for now, while other threads use the filter, and frees nothing. The lower of both limits counts. This
    /// one is not stored, and copies of the filter do not have it. A growth that another thread has begun may still end by
    /// the limit of before.
    ///
    /// So filters can share their memory: before an insert, whoever knows what is left for all of them gives this one
    /// what it takes now and what is left. It is refused only when it must grow by what does not fit, and before anything is
    /// allocated.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{GrowingCuckooFilter, GrowthError, InsertError};
    ///
    /// let filter = GrowingCuckooFilter::with_capacity(100);
    /// filter.limit_memory_usage(filter.memory_usage());
    /// let (added, refused) = (0..).find_map(|item: u64| Some((item, filter.insert(&item).err()?))).unwrap();
    /// assert!(added >= 100 && filter.tables() == 1);
    /// let InsertError::CannotGrow { error: GrowthError::MemoryLimit { needed, .. } } = refused else { unreachable!() };
    ///
    /// // As much as it asks for, and not more.
    /// filter.limit_memory_usage(needed);
    /// assert!(filter.insert(&added).is_ok());
    /// assert!(filter.memory_usage() <= needed);
    /// ```
    pub fn limit_memory_usage(&self, bytes: usize) {
        self.engine.limit_memory_usage(bytes);
    }

    /// Makes the filter as small as its items let it, but not smaller than it was built. Nothing is lost, and it can grow again
    /// as often as before.
    ///
    /// The filter goes back through its doublings, and the fingerprints get the bits back that these have taken. A fingerprint
    /// that came after a doubling has no room for one more bit, and loses its last one. So afterwards the filter takes an
    /// absent item for one that is in at most as often as if it had never been larger:
    /// [`false_positive_rate`](Filter::false_positive_rate) says how often.
    ///
    /// Takes time linear in the size of the filter, and meanwhile the memory of the smaller table besides. If that cannot be
    /// allocated, the filter keeps its size. A doubling that is under way ends, forwards or backwards.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let mut filter = GrowingCuckooFilter::with_capacity(100);
    /// let start = filter.slots();
    /// for item in 0..10_000 {
    ///     filter.insert(&item)?;
    /// }
    /// assert!(filter.slots() >= 32 * start);
    /// for item in 100..10_000 {
    ///     assert!(filter.remove(&item));
    /// }
    /// filter.shrink_to_fit();
    /// assert_eq!(filter.slots(), start);
    /// assert!((0..100).all(|item| filter.contains(&item)));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn shrink_to_fit(&mut self) {
        self.engine.shrink_to_fit();
    }

    /// Ends a doubling that is under way, while other threads use the filter. Returns false if it cannot, because other threads
    /// hold all descriptors.
    ///
    /// A filter that is full doubles while inserts and removes go on, each of which moves a few buckets. Until it has ended,
    /// lookups take about twice as long, and the filter takes three times the memory of before. Inserts and removes end it
    /// sooner or later: one for every 16 buckets. Call this if they may cease, or before a phase of lookups alone. Takes time
    /// linear in the size of the filter.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let filter = GrowingCuckooFilter::with_capacity(100);
    /// for item in 0..10_000 {
    ///     filter.insert(&item)?;
    /// }
    /// assert!(filter.finish_doubling());
    /// assert!(filter.memory_usage() < 60_000);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn finish_doubling(&self) -> bool {
        self.engine.finish_doubling()
    }
}
