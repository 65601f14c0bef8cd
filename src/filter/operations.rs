//! The operations on one item, and on its hash.

use core::hash::{BuildHasher, Hash};

use super::{Engine, Filter};
use crate::engine::operations::RawFilter;
use crate::error::InsertError;
use crate::typed_hasher::HashesItem;

/// The operations on one item.
impl<E: Engine, S> Filter<E, S> {
    /// Adds one copy of `item`, whether or not it is already stored.
    ///
    /// If one of the two buckets has room, this is one exchange. Otherwise a bounded search finds a
    /// path of relocations, which this call executes hop by hop, while all other threads continue.
    /// A refused insert costs up to [`search_budget`](crate::FilterBuilder::search_budget) lookups.
    /// If there is no room, a [`GrowingCuckooFilter`](crate::GrowingCuckooFilter) doubles. A
    /// [`RotatingCuckooFilter`](crate::RotatingCuckooFilter) adds to its young generation, and
    /// refuses if that is full.
    ///
    /// # Errors
    ///
    /// [`Full`](InsertError::Full) if no room can be made.
    /// [`TooManyCopies`](InsertError::TooManyCopies) if both buckets are full of its copies (eight
    /// with 4 x 16). [`Disturbed`](InsertError::Disturbed) and
    /// [`NoDescriptor`](InsertError::NoDescriptor) if other threads interfered: retry. Every stored
    /// item stays where lookups find it, and [each
    /// byte](crate::design#the-same-calls-the-same-bytes) as it was unless others write meanwhile.
    ///
    /// For a [`GrowingCuckooFilter`](crate::GrowingCuckooFilter):
    /// [`CannotGrow`](InsertError::CannotGrow) if there is no room, and a limit or the lack of
    /// memory prevents growth. `TooManyCopies` if the table that takes inserts holds that many
    /// copies. `Full` if there would be no room in a table that is less than an eighth full, of the
    /// `slots` in the error: then the hasher does not mix its bits, or few items have very many
    /// copies, and a larger table would not help. `Disturbed` or `NoDescriptor` only after many
    /// more attempts, during which a doubling did not progress either.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// filter.insert("a")?;
    /// assert!(filter.remove("a") && filter.remove("a") && !filter.remove("a"));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[inline]
    pub fn insert<T: Hash + ?Sized>(&self, item: &T) -> Result<(), InsertError>
    where
        S: HashesItem<T>,
    {
        self.insert_hash(self.hash_one(item))
    }

    /// Adds `item` if it is absent. Returns true if it was absent and this call added it.
    ///
    /// If any number of threads race for an absent item, the call returns true for exactly one of
    /// them, unless all are refused or the item is a false positive. It returns false if another
    /// item with the same token is stored (a false positive): then `item` has no token of its own,
    /// and lookups miss it once the other item is removed. To store all of many distinct items, use
    /// [`insert`](Self::insert). A concurrent remove, or insert of an equal item, takes effect
    /// either before or after the call.
    ///
    /// A growing filter checks all its tables, and all of this holds however it grows meanwhile. A
    /// rotating filter checks all its generations, and returns true at most once in the life of an
    /// item, even if it rotates meanwhile.
    ///
    /// If the item is stored, the call costs a lookup. Otherwise it takes two locked instructions,
    /// the exchanges of its word, and relocations if both buckets are full, as for `insert`.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert), except `TooManyCopies`. An item that is stored all the time is
    /// not refused.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(100);
    /// assert!(filter.insert_unique("a")?);
    /// assert!(!filter.insert_unique("a")?);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[doc(alias = "test_and_add")]
    #[inline]
    pub fn insert_unique<T: Hash + ?Sized>(&self, item: &T) -> Result<bool, InsertError>
    where
        S: HashesItem<T>,
    {
        self.insert_unique_hash(self.hash_one(item))
    }

    /// Returns whether `item` is stored. Never false for a stored item. True for an absent item
    /// with the probability [`false_positive_rate`](Self::false_positive_rate).
    ///
    /// Makes two loads from the table between two loads of a version counter. If the item was not
    /// found, and a stored fingerprint that shares the counter was moved meanwhile, it looks again.
    /// Writes nothing. Lock-free, not wait-free. A growing filter does this for each of its tables
    /// until the item is found.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// assert!(filter.contains("a"));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn contains<T: Hash + ?Sized>(&self, item: &T) -> bool
    where
        S: HashesItem<T>,
    {
        self.contains_hash(self.hash_one(item))
    }

    /// Removes one copy of `item`. Returns false if there was none. Call it only for an item that
    /// you inserted: otherwise it can remove the token of [another item](crate::guide::removing),
    /// which lookups then miss.
    ///
    /// If any number of threads race for one copy, the call returns true for exactly one of them.
    /// It costs one exchange, or two if there are copies in both buckets. A rotating filter removes
    /// the oldest copy.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// assert!(filter.remove("a"));
    /// assert!(!filter.contains("a"));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[doc(alias = "delete")]
    #[inline]
    pub fn remove<T: Hash + ?Sized>(&self, item: &T) -> bool
    where
        S: HashesItem<T>,
    {
        self.remove_hash(self.hash_one(item))
    }

    /// The number of copies of `item`: 0 to 8 with four slots in a bucket, per table in a growing
    /// filter and per generation in a rotating one.
    ///
    /// Counts the tokens equal to the item's, including those of other items with the same token.
    /// Exact while no other thread writes them. Under concurrent writes it may over-report: a copy
    /// that is removed while an equal one is inserted can be counted twice. Copies that are stored
    /// throughout the call are all counted.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// filter.insert("a")?;
    /// assert_eq!(filter.count("a"), 2);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn count<T: Hash + ?Sized>(&self, item: &T) -> usize
    where
        S: HashesItem<T>,
    {
        self.count_hash(self.hash_one(item))
    }
}

impl<E: Engine, S> Filter<E, S> {
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
    pub fn hash_one<T: Hash + ?Sized>(&self, item: &T) -> u64
    where
        S: HashesItem<T>,
    {
        self.hasher.inner().hash_one(item)
    }
}

/// The same operations on a hash that the caller has computed. Its 64 bits must be well mixed in
/// the high bits, which select the buckets, and in the low bits, which are the fingerprint: 16 with
/// 4 x 16.
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
        self.engine().insert(hash)
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
        self.engine().insert_unique(hash)
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
        self.engine().contains(hash)
    }

    /// As [`remove`](Self::remove).
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::CuckooFilter::with_capacity(100);
    /// assert!(!filter.remove_hash(0x9e37_79b9_7f4a_7c15));
    /// ```
    // `always`: a little too large to be inlined by default; a call would cost a twentieth.
    #[inline(always)]
    pub fn remove_hash(&self, hash: u64) -> bool {
        self.engine().remove(hash)
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
        self.engine().count(hash)
    }
}
