//! A filter that grows: a chain of segments, each a table of its own.

mod batch;
mod builder;
mod chain;
mod growth;
mod measures;
mod operations;
mod persistence;
mod segment;
mod snapshot;
mod stored;
mod traits;
mod witness;

use core::hash::{BuildHasher, Hash};

use chain::Chain;
use growth::Limits;
use operations::pinned;

pub use builder::GrowingCuckooFilterBuilder;
#[cfg(feature = "serde")]
pub(crate) use stored::read;

use crate::error::InsertError;
use crate::geometry::Geometry;
use crate::published::Published;
use crate::random_state::RandomState;

/// A [`CuckooFilter`](crate::CuckooFilter) that makes itself room: approximate membership with exact removal,
/// shared by many threads without a lock, of as many items as there is memory for.
///
/// It begins with one segment. When that is full, the thread that finds it so adds another one, twice as large
/// ([`growth_factor`](GrowingCuckooFilterBuilder::growth_factor)), and all threads go on with it. Nothing is moved,
/// so no call takes longer than making the new segment; nobody waits for it, and a thread that stops in the midst
/// of it keeps nobody from growing the filter.
///
/// What that costs: a lookup of an item that is absent, or in an old segment, looks at several segments, two loads
/// each, and the [false-positive rates](Self::false_positive_rate) of the segments add up. So start with about
/// what you expect ([`capacity`](GrowingCuckooFilterBuilder::capacity)), and take the fixed filter where you know.
///
/// All else is as there: every operation takes `&self` and is lock-free, nothing is lost, nothing is removed
/// twice; remove only what you inserted, and that is exact in a filter that grows, too. Copies: at most eight in
/// each segment, and a copy too many never makes the filter grow.
///
/// Every operation is pinned to an [epoch](https://docs.rs/crossbeam-epoch) while it runs. Memory that is given up
/// is freed when no thread can be looking at it any more; a thread that stops in the midst of an operation delays
/// that, and nothing else.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::GrowingCuckooFilter;
///
/// let seen = GrowingCuckooFilter::with_capacity(1_000);
/// for item in 0..50_000u32 {
///     seen.insert(&item)?;
/// }
/// assert!(seen.segments() > 1);
/// assert!((0..50_000u32).all(|item| seen.contains(&item)));
/// assert!((0..50_000u32).all(|item| seen.remove(&item)));
/// assert!(seen.is_empty());
/// # Ok::<(), lockfree_cuckoo::InsertError>(())
/// ```
pub struct GrowingCuckooFilter<S = RandomState> {
    chain: Published<Chain>,
    limits: Limits,
    /// Of the first segment, and of the one that an empty filter begins anew with.
    start: Geometry,
    search_budget: usize,
    hasher: S,
}

impl<S: BuildHasher> GrowingCuckooFilter<S> {
    /// Returns the hash that the filter uses for `item`, for the calls that take a hash.
    #[inline]
    #[must_use]
    pub fn hash_one<T: Hash + ?Sized>(&self, item: &T) -> u64 {
        self.hasher.hash_one(item)
    }

    /// Adds one copy of `item`, always, whether or not it is in. Grows the filter if there is no room.
    ///
    /// # Errors
    ///
    /// [`CannotGrow`](InsertError::CannotGrow) if there is no room, and a limit or the lack of memory is in the
    /// way of a further segment. [`TooManyCopies`](InsertError::TooManyCopies) if the segment that takes inserts
    /// holds eight copies. [`Full`](InsertError::Full) if there is no room in a segment that is less than an
    /// eighth full: then the hasher does not mix its bits, or few items have very many copies, and another
    /// segment would not help. Every stored item stays where lookups find it.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let filter = GrowingCuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// assert!(filter.contains("a"));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[inline]
    pub fn insert<T: Hash + ?Sized>(&self, item: &T) -> Result<(), InsertError> {
        self.insert_hash(self.hash_one(item))
    }

    /// Adds `item` if it is not in, in no segment. True: it was absent, and this call added it.
    ///
    /// Of any number of threads that race for an absent item, exactly one is told true, unless they are all
    /// refused or the item is a false positive, whatever the filter grows meanwhile.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert), but for copies.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let filter = GrowingCuckooFilter::with_capacity(100);
    /// assert!(filter.insert_unique("a")?);
    /// assert!(!filter.insert_unique("a")?);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[inline]
    pub fn insert_unique<T: Hash + ?Sized>(&self, item: &T) -> Result<bool, InsertError> {
        self.insert_unique_hash(self.hash_one(item))
    }

    /// Whether `item` is in. Never false for an item that is in; true by chance for one that is not, with the
    /// probability [`false_positive_rate`](Self::false_positive_rate).
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::GrowingCuckooFilter::with_capacity(100);
    /// assert!(!filter.contains("a"));
    /// ```
    #[inline]
    #[must_use]
    pub fn contains<T: Hash + ?Sized>(&self, item: &T) -> bool {
        self.contains_hash(self.hash_one(item))
    }

    /// Removes one copy of `item`. False: there was none. As for the fixed filter, remove only what you
    /// inserted.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let filter = GrowingCuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// assert!(filter.remove("a") && !filter.remove("a"));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[inline]
    pub fn remove<T: Hash + ?Sized>(&self, item: &T) -> bool {
        self.remove_hash(self.hash_one(item))
    }

    /// The number of copies of `item`, up to eight in each segment. As for the fixed filter it counts those of
    /// false positives too, never too few, and while others write perhaps too many.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let filter = GrowingCuckooFilter::with_capacity(100);
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

/// The same operations on a hash that the caller has computed, as for the fixed filter.
impl<S> GrowingCuckooFilter<S> {
    /// Returns the hasher.
    #[must_use]
    pub fn hasher(&self) -> &S {
        &self.hasher
    }

    /// As [`insert`](Self::insert).
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    #[inline]
    pub fn insert_hash(&self, hash: u64) -> Result<(), InsertError> {
        pinned(|guard| self.insert_under(hash, guard))
    }

    /// As [`insert_unique`](Self::insert_unique).
    ///
    /// # Errors
    ///
    /// As [`insert_unique`](Self::insert_unique).
    #[inline]
    pub fn insert_unique_hash(&self, hash: u64) -> Result<bool, InsertError> {
        pinned(|guard| self.insert_unique_under(hash, guard))
    }

    /// As [`contains`](Self::contains).
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: u64) -> bool {
        pinned(|guard| self.contains_under(hash, guard))
    }

    /// As [`remove`](Self::remove).
    #[inline]
    pub fn remove_hash(&self, hash: u64) -> bool {
        pinned(|guard| self.remove_under(hash, guard))
    }

    /// As [`count`](Self::count).
    #[must_use]
    pub fn count_hash(&self, hash: u64) -> usize {
        pinned(|guard| self.count_under(hash, guard))
    }
}
