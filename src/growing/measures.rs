//! What a growing filter says about itself.

use std::sync::Arc;

use super::GrowingCuckooFilter;
use super::chain::Chain;
use super::operations::pinned;
use super::segment::Segment;
use crate::bucket::Bucket;
use crate::measures::any_of;

impl<S> GrowingCuckooFilter<S> {
    /// The number of stored items, copies included. Exact while nobody writes; else it may be off by the calls
    /// that are under way.
    ///
    /// Takes time linear in the number of segments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sum(Segment::len)
    }

    /// Whether no item is stored, as far as [`len`](Self::len) can tell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The items that the segments there are at present take, all together. Grows with the filter.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.sum(Segment::capacity)
    }

    /// The places for items in all segments.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.sum(Segment::slots)
    }

    /// The share of the slots that is in use, 0 to 1.
    #[must_use]
    pub fn load_factor(&self) -> f64 {
        self.len() as f64 / self.slots() as f64
    }

    /// The number of segments. A lookup of an item that is absent, or in the oldest, looks at all of them.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.sum(|_| 1)
    }

    /// The bytes of all segments. Those that were taken out and wait to be freed are not among them.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        pinned(|guard| self.bytes_of(self.chain.load(guard)))
    }

    /// Sets the number of bytes that the filter refuses to grow beyond, as
    /// [`max_memory_usage`](super::GrowingCuckooFilterBuilder::max_memory_usage) of the builder does. A filter that
    /// was read has the limit of the one that was stored. One that is larger already keeps what it has.
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
        self.limits.memory = bytes;
    }

    /// The expected probability that a lookup of an item that is absent says yes.
    ///
    /// An absent item's fingerprint is compared with those in two buckets of each segment, so the rates of the
    /// segments add up, each at most 0.000_122.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let filter = GrowingCuckooFilter::with_capacity(1_000);
    /// for item in 0..4_000 {
    ///     filter.insert(&item)?;
    /// }
    /// assert!(filter.false_positive_rate() < filter.segments() as f64 * 0.000_122);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        let compared = |segment: &Segment| {
            2.0 * Bucket::SLOTS as f64 * segment.len() as f64 / segment.slots() as f64
        };
        pinned(|guard| {
            let segments = self.chain.load(guard).segments().iter();
            any_of(segments.map(|segment| compared(segment)).sum())
        })
    }

    pub(super) fn bytes_of(&self, chain: &Chain) -> usize {
        size_of::<Self>() + chain.sum(Segment::bytes)
    }

    fn sum(&self, of: impl Fn(&Segment) -> usize) -> usize {
        pinned(|guard| self.chain.load(guard).sum(of))
    }

    /// Removes all items, and begins anew with a segment of the first size. If there is no memory for that, the
    /// filter goes on with the segment that takes inserts.
    ///
    /// `&mut`, because nobody can be promised anything about an item that is inserted meanwhile.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let mut filter = GrowingCuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// filter.clear();
    /// assert!(filter.is_empty() && !filter.contains("a"));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn clear(&mut self) {
        let chain = self.chain.get_mut();
        // Only the target may take inserts again: each other segment is sealed, or a deferred call will seal it.
        // The others go first, so that their memory can serve for the new one.
        let target = Arc::clone(chain.target());
        *chain = Chain::new([Arc::clone(&target)], 0);
        match Segment::new(self.start, self.search_budget) {
            Ok(first) => *chain = Chain::new([Arc::new(first)], 0),
            Err(_) => target.empty(),
        }
    }
}
