//! The measures of a filter.

use super::{Engine, Filter};
use crate::engine::operations::RawFilter;
use crate::error::OutOfMemory;

/// Measures. While other threads write they are approximate, but stay within their bounds.
impl<E: Engine, S> Filter<E, S> {
    /// The number of stored copies, at most [`slots`](Self::slots). Exact while no thread writes.
    /// Reads at most 64 counters for each table or generation. While a filter rotates, any part of
    /// the forgotten generation may be counted.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// assert_eq!(filter.len(), 1);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.engine().len()
    }

    /// Whether [`len`](Self::len) is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(lockfree_cuckoo::CuckooFilter::with_capacity(100).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of items that the filter is sized for: the argument of `with_capacity`, or the
    /// number that fits the buckets. The filter usually holds some more. It may hold fewer items if
    /// each has several copies.
    ///
    /// For a growing filter: the number that its newest table holds, and those in older tables. For
    /// a rotating filter: the number that each generation holds.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(lockfree_cuckoo::CuckooFilter::with_capacity(100).capacity(), 100);
    /// ```
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.engine().capacity()
    }

    /// Whether the filter holds as many items as it is sized for. An insert may still succeed. A
    /// growing filter grows soon. For a rotating filter: whether the young generation is full;
    /// after a rotation it is not.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(8);
    /// assert!(!filter.is_full());
    /// filter.insert_many(&[1, 2, 3, 4, 5, 6, 7, 8])?;
    /// assert!(filter.is_full());
    /// # Ok::<(), lockfree_cuckoo::InsertManyError>(())
    /// ```
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.engine().is_full()
    }

    /// The number of slots in all tables or generations. With 4 x 16 a bucket has four.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(lockfree_cuckoo::CuckooFilter::with_capacity(8).slots(), 8);
    /// ```
    #[must_use]
    pub fn slots(&self) -> usize {
        self.engine().slots()
    }

    /// The fraction of the slots in use, 0 to 1; as exact as [`len`](Self::len).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(8);
    /// filter.insert("a")?;
    /// assert_eq!(filter.load_factor(), 0.125);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[must_use]
    pub fn load_factor(&self) -> f64 {
        self.len() as f64 / self.slots() as f64
    }

    /// All bytes in use: the value itself and its heap memory. They are fixed at construction, with
    /// two exceptions. The first [`snapshot`](Self::snapshot) adds a sixteenth of the table.
    /// Threads that hold all descriptors, because there are many of them or because some have
    /// stopped for good within a call, add up to 64 KiB for more. For a growing filter: the bytes
    /// of its tables, and of their old words that have not yet gone back to the system.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(lockfree_cuckoo::CuckooFilter::with_capacity(100).memory_usage() <= 4096);
    /// ```
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        // Count a boxed engine as one that is not boxed, and its pointer as nothing: so a memory
        // limit counts the same bytes.
        let engine = self.engine();
        Self::BYTES - size_of::<E>() + size_of_val(engine) + engine.heap_bytes()
    }

    /// The probability that `contains` is true for an absent item at the present load; as exact as
    /// [`len`](Self::len). It assumes a hasher that mixes well.
    ///
    /// A lookup compares the item's fingerprint of `b` bits with the stored ones in two buckets of
    /// `s` slots: about `2 * s * load_factor / (2^b - 1)` (Fan et al. 2014, section 5.1), with 4 x
    /// 16 at most 0.000_122. A growing filter has 0.000_126 before it doubles, because its 63 kinds
    /// of tokens are not equally frequent. The rates of its tables add up, and so do those of the
    /// generations of a rotating filter. A table that doubles does not know the age of its tokens,
    /// and older tokens cause more false positives. It reports the maximum, which is exact if
    /// nothing was removed.
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::CuckooFilter::with_capacity(100);
    /// assert_eq!(filter.false_positive_rate(), 0.0);
    /// ```
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        self.engine().false_positive_rate()
    }

    /// Removes all items. It takes `&mut self`, because it could not be exact while other threads
    /// write. Takes time linear in the size.
    ///
    /// It also takes back the descriptors of threads that have stopped for good within a call, and
    /// frees those that were added for want of them. A growing filter restarts with a table of the
    /// first size. A rotating filter keeps its number of rotations.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let mut filter = CuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// filter.clear();
    /// assert!(!filter.contains("a"));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn clear(&mut self) {
        self.engine.inner_mut().clear();
    }
}

impl<E: Engine, S: Clone> Filter<E, S> {
    /// An empty filter like this one: with its size, limits, search budget and hasher, and so with
    /// the same answers for the same content. A growing filter starts with a table of the first
    /// size. A rotating filter counts its rotations from 0.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let today = CuckooFilter::with_capacity(100);
    /// today.insert("a")?;
    /// let tomorrow = today.empty_like()?;
    /// assert!(tomorrow.is_empty());
    /// assert_eq!(tomorrow.hash_one("a"), today.hash_one("a"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn empty_like(&self) -> Result<Self, OutOfMemory> {
        let engine = Engine::empty_like(&self.engine)?;
        Ok(Self::of(engine, self.hasher.clone()))
    }
}
