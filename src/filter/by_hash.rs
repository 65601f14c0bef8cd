//! The operations on one hash.

use core::hash::{BuildHasher, Hash};

use super::{Engine, Filter};
use crate::error::InsertError;

impl<E: Engine, S: BuildHasher> Filter<E, S> {
    /// Returns the hash that the filter uses for `item`, for the calls that take a hash.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(100);
    /// let hash = filter.hash_one("a");
    /// filter.insert_hash(hash)?;
    /// assert!(filter.contains("a"));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn hash_one<T: Hash + ?Sized>(&self, item: &T) -> u64 {
        self.hasher.hash_one(item)
    }
}

/// The same operations on a hash that the caller has computed: 64 bits, well mixed in the high bits, which
/// select the buckets, and in the low ones, which are the fingerprint: 16 with 4 x 16.
impl<E: Engine, S> Filter<E, S> {
    /// Returns the hasher.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::builder().seed(7).build()?;
    /// assert_eq!(filter.hasher().seed(), 7);
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    #[must_use]
    pub fn hasher(&self) -> &S {
        &self.hasher
    }

    /// As [`insert`](Self::insert).
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(100);
    /// filter.insert_hash(0x9e37_79b9_7f4a_7c15)?;
    /// assert!(filter.contains_hash(0x9e37_79b9_7f4a_7c15));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[inline]
    pub fn insert_hash(&self, hash: u64) -> Result<(), InsertError> {
        self.engine.insert(hash)
    }

    /// As [`insert_unique`](Self::insert_unique).
    ///
    /// # Errors
    ///
    /// As [`insert_unique`](Self::insert_unique).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(100);
    /// assert!(filter.insert_unique_hash(0x9e37_79b9_7f4a_7c15)?);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[inline]
    pub fn insert_unique_hash(&self, hash: u64) -> Result<bool, InsertError> {
        self.engine.insert_unique(hash)
    }

    /// As [`contains`](Self::contains).
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::CuckooFilter::with_capacity(100);
    /// assert!(!filter.contains_hash(0x9e37_79b9_7f4a_7c15));
    /// ```
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: u64) -> bool {
        self.engine.contains(hash)
    }

    /// As [`remove`](Self::remove).
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::CuckooFilter::with_capacity(100);
    /// assert!(!filter.remove_hash(0x9e37_79b9_7f4a_7c15));
    /// ```
    // A little too large for the compiler to inline it unasked; a call would cost a twentieth.
    #[inline(always)]
    pub fn remove_hash(&self, hash: u64) -> bool {
        self.engine.remove(hash)
    }

    /// As [`count`](Self::count).
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::CuckooFilter::with_capacity(100);
    /// assert_eq!(filter.count_hash(0x9e37_79b9_7f4a_7c15), 0);
    /// ```
    #[must_use]
    pub fn count_hash(&self, hash: u64) -> usize {
        self.engine.count(hash)
    }
}
