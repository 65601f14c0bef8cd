//! Methods that only growing filters have.

use super::dynamic::Dyn;
use super::{Engine, Filter};
use crate::engine::operations::RawFilter;
use crate::growing::Growing;

/// An engine that may grow: [`Growing`], or [`Dyn`], which keeps its size if its engine does not
/// grow. Sealed.
pub trait Grows: Engine {}

impl Grows for Growing {}
impl Grows for Dyn {}

/// Filters that grow.
impl<E: Grows, S> Filter<E, S> {
    /// The number of tables: one until it has doubled ten times. A lookup of an item that is
    /// absent, or in the oldest table, reads all of them. The number of generations if a
    /// [`DynFilter`](crate::DynFilter) rotates.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(lockfree_cuckoo::GrowingCuckooFilter::with_capacity(100).tables(), 1);
    /// ```
    #[must_use]
    pub fn tables(&self) -> usize {
        self.engine().tables()
    }

    /// Sets the number of bytes beyond which the filter refuses to grow, as the builder's
    /// [`max_memory_usage`](super::FilterBuilder::max_memory_usage) does. A filter that was read
    /// has the limit of the stored one. It often takes fewer bytes than the stored filter took, so
    /// near the limit it may grow when the stored filter could not. A filter that is already larger
    /// keeps its size.
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
        self.engine.inner_mut().set_max_memory_usage(bytes);
    }

    /// Sets the number of bytes that the filter may take for now, while other threads use it. Frees
    /// nothing. It cannot raise the [limit](Self::set_max_memory_usage) of the filter: the lower of
    /// the two applies. It is not stored, and copies of the filter do not have it. A growth that
    /// another thread has begun may still end by the previous allowance.
    ///
    /// Filters can thus share memory: before an insert, a caller that knows how much is left for
    /// all of them sets the allowance to the filter's present usage plus the rest. The insert is
    /// refused only if it must grow beyond that, and before anything is allocated.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{GrowingCuckooFilter, GrowthError, InsertError};
    ///
    /// let filter = GrowingCuckooFilter::with_capacity(100);
    /// filter.set_memory_allowance(filter.memory_usage());
    /// let (added, refused) = (0..).find_map(|item: u64| Some((item, filter.insert(&item).err()?))).expect("a limit");
    /// assert!(added >= 100 && filter.tables() == 1);
    /// let InsertError::CannotGrow(error) = refused else { unreachable!() };
    /// let GrowthError::MemoryLimit { needed, .. } = error else { unreachable!() };
    ///
    /// // As much as it asks for, and not more.
    /// filter.set_memory_allowance(needed);
    /// assert!(filter.insert(&added).is_ok());
    /// assert!(filter.memory_usage() <= needed);
    /// ```
    pub fn set_memory_allowance(&self, bytes: usize) {
        self.engine().set_memory_allowance(bytes);
    }

    /// Makes the filter as small as its items allow, but not smaller than it was built. Nothing is
    /// lost, and it can grow again as often as before.
    ///
    /// The filter undoes its doublings, and the fingerprints regain the bits that these took. A
    /// fingerprint that was inserted after several doublings may have no room for all of these
    /// bits, and loses its last ones. So afterwards false positives are at most as frequent as if
    /// the filter had never been larger. [`false_positive_rate`](Filter::false_positive_rate)
    /// returns their rate.
    ///
    /// Several tables become one if one can hold all items. No table can hold more than eight
    /// copies of an item: of an item with more copies, older tables stay, and they keep their size
    /// even if they hold nothing else.
    ///
    /// It searches for room as an insert below the [`capacity`](Filter::capacity) does. So as many
    /// items as a size has capacity for get that size, unless the search budget is below the
    /// default, or the items have copies. A second call changes nothing.
    ///
    /// Takes time linear in the size of the filter, and temporarily the memory of the smaller table
    /// as well. If that cannot be allocated, the filter keeps its size. A doubling in progress is
    /// completed or undone.
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
        self.engine.inner_mut().shrink_to_fit();
    }

    /// Completes a doubling in progress, while other threads use the filter. Returns false if it
    /// cannot, because other threads hold all descriptors.
    ///
    /// A full filter doubles while inserts and removes continue, each of which moves a few buckets.
    /// Until the doubling ends, lookups take about twice as long, and the filter takes three times
    /// its previous memory. Inserts and removes eventually complete it: it takes one of them for
    /// every 16 buckets. Call this method if they may stop, or before a phase of lookups only.
    /// Takes time linear in the size of the filter.
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
        self.engine().finish_doubling()
    }
}
