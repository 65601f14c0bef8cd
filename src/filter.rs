//! The public type, and its operations on items and on hashes.

use core::hash::{BuildHasher, Hash};

use crate::allocate::OutOfMemory;
use crate::bucket::Bucket;
use crate::counter::Counter;
use crate::error::InsertError;
use crate::random_state::RandomState;
use crate::tokens::{Refusal, Tokens};

/// A set that many threads share without a lock and that answers membership approximately.
///
/// An item is stored as a 16-bit fingerprint in one of two buckets of four. [`contains`](Self::contains) may
/// be true for an item that was never inserted, with a probability of at most about 0.012 %
/// ([`false_positive_rate`](Self::false_positive_rate)); it is never false for an item that is in. All else
/// is exact, whatever other threads do: nothing is lost, nothing is removed twice.
///
/// Precisely, the filter is a multiset of *tokens*. Two items have the same token, and are of one class, if
/// they agree in fingerprint and candidate buckets; that is what a false positive is. Every operation is
/// linearizable with respect to the multiset of tokens, except [`count`](Self::count) and the measures
/// ([`len`](Self::len), [`load_factor`](Self::load_factor) and those that follow from them).
///
/// All operations take `&self` and are lock-free: a thread that is stopped at any point, for ever, keeps no
/// other from finishing. None allocates after construction but [`snapshot`](Self::snapshot). (With the feature
/// `std`, the first write of a thread, to any filter, takes a number for the thread, and registers with the C
/// runtime that it be given back at the thread's end; that may allocate, and take a lock of the runtime.)
///
/// # Removing
///
/// Remove only what you inserted. Removing an item that was not inserted removes, in the rare case of a
/// false positive, the token of another item. If [`insert_unique`](Self::insert_unique) answered false, that
/// call inserted nothing: do not remove for it.
///
/// # Memory ordering
///
/// An insert *happens before* a `contains`, `insert_unique` or `remove` that finds the token it added, and a
/// `remove` that returns true happens before an operation that finds the token gone: what a thread wrote
/// before inserting is visible to a thread that finds the item, unless it found another copy or a false
/// positive. All operations have one order that all threads agree on.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::CuckooFilter;
/// use std::thread;
///
/// let seen = CuckooFilter::with_capacity(100_000);
/// thread::scope(|scope| {
///     for worker in 0..4u32 {
///         let seen = &seen;
///         scope.spawn(move || {
///             for packet in 0..1_000u32 {
///                 seen.insert(&(worker, packet)).expect("sized for more");
///             }
///         });
///     }
/// });
/// assert!(seen.contains(&(3u32, 999u32)));
/// assert!(seen.remove(&(3u32, 999u32)));
/// assert_eq!(seen.len(), 3_999);
/// ```
pub struct CuckooFilter<S = RandomState> {
    pub(crate) tokens: Tokens,
    pub(crate) counter: Counter,
    /// The items that it was sized for.
    pub(crate) capacity: usize,
    pub(crate) hasher: S,
}

impl<S: BuildHasher> CuckooFilter<S> {
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

    /// Adds one copy of `item`, always, whether or not it is in.
    ///
    /// One exchange where one of the two buckets has room; else a chain of relocations, found by a search of
    /// bounded length and executed hop by hop, while every other thread goes on. A refused insert has searched
    /// for nothing, at the cost of up to [`search_budget`](crate::CuckooFilterBuilder::search_budget) lookups.
    ///
    /// # Errors
    ///
    /// [`Full`](InsertError::Full) if no room can be made, [`TooManyCopies`](InsertError::TooManyCopies) if
    /// there are eight copies. Every stored item stays where lookups find it.
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
    pub fn insert<T: Hash + ?Sized>(&self, item: &T) -> Result<(), InsertError> {
        self.insert_hash(self.hash_one(item))
    }

    /// Adds `item` if it is not in. True: it was absent, and this call added it.
    ///
    /// Of any number of threads that race for an absent item, exactly one is told true, unless they are all
    /// refused or the item is a false positive. False can be a false positive: another item with the same token
    /// is in, or an equal one was inserted by [`insert`](Self::insert). A remove in the midst of it comes either
    /// before or after.
    ///
    /// If the item is in, it costs a lookup; else two exchanges on its word and three on a descriptor, and
    /// relocations where both buckets are full, as for `insert`.
    ///
    /// # Errors
    ///
    /// [`Full`](InsertError::Full) if no room can be made.
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
    #[inline]
    pub fn insert_unique<T: Hash + ?Sized>(&self, item: &T) -> Result<bool, InsertError> {
        self.insert_unique_hash(self.hash_one(item))
    }

    /// Whether `item` is in. Never false for an item that is in; true by chance for one that is not, with
    /// the probability [`false_positive_rate`](Self::false_positive_rate).
    ///
    /// Two loads from the table between two of a version counter: if the item was not found and a stored
    /// fingerprint that shares the counter was moved meanwhile, it looks again. Writes nothing. Lock-free, not
    /// wait-free.
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
    pub fn contains<T: Hash + ?Sized>(&self, item: &T) -> bool {
        self.contains_hash(self.hash_one(item))
    }

    /// Removes one copy of `item`. False: there was none.
    ///
    /// Of any number of threads that race for one copy, exactly one is told true. One exchange; two, if there
    /// are copies in both buckets. See [Removing](#removing).
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
    #[inline]
    pub fn remove<T: Hash + ?Sized>(&self, item: &T) -> bool {
        self.remove_hash(self.hash_one(item))
    }

    /// The number of copies of `item`, 0 to 8.
    ///
    /// Counts tokens equal to the item's, so those of another item with the same token too. Exact while nobody
    /// writes to them. Under concurrent writes it may over-report: a copy that
    /// is removed while an equal one is inserted can be counted twice. Copies that were in throughout the
    /// call are all counted.
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
    pub fn count<T: Hash + ?Sized>(&self, item: &T) -> usize {
        self.count_hash(self.hash_one(item))
    }
}

/// The same operations on a hash that the caller has computed: 64 bits, well mixed in the high bits, which
/// select the buckets, and in the low 16, which are the fingerprint.
impl<S> CuckooFilter<S> {
    pub(crate) fn from_parts(
        tokens: Tokens,
        len: usize,
        capacity: usize,
        hasher: S,
    ) -> Result<Self, OutOfMemory> {
        let mut counter = Counter::new(tokens.geometry.buckets())?;
        counter.reset(len);
        Ok(Self {
            tokens,
            counter,
            capacity,
            hasher,
        })
    }

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
        match self.tokens.insert(hash) {
            Ok(()) => {
                self.counter.add(1);
                Ok(())
            }
            Err(refusal) => Err(self.refused(refusal)),
        }
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
        match self.tokens.insert_unique(hash) {
            Ok(inserted) => {
                self.counter.add(usize::from(inserted));
                Ok(inserted)
            }
            Err(refusal) => Err(self.refused(refusal)),
        }
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
        self.tokens.contains(hash)
    }

    /// As [`remove`](Self::remove).
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::CuckooFilter::with_capacity(100);
    /// assert!(!filter.remove_hash(0x9e37_79b9_7f4a_7c15));
    /// ```
    #[inline]
    pub fn remove_hash(&self, hash: u64) -> bool {
        let removed = self.tokens.remove(hash);
        if removed {
            self.counter.subtract(1);
        }
        removed
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
        self.tokens
            .count_class(self.tokens.geometry.candidates(hash))
    }

    /// Moves one copy from the bucket that the hash selects to its alternate, if it is there and the other
    /// has room. Inserts do this on their own; checks want it at will.
    #[doc(hidden)]
    pub fn relocate_hash(&self, hash: u64) -> bool {
        self.tokens.relocate_one(hash)
    }

    #[cold]
    fn refused(&self, refusal: Refusal) -> InsertError {
        match refusal {
            Refusal::NoPath | Refusal::Disturbed => InsertError::Full {
                len: self.len(),
                slots: self.slots(),
            },
            Refusal::AllCopies => InsertError::TooManyCopies {
                copies: 2 * Bucket::SLOTS,
            },
        }
    }
}
