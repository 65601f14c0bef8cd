//! The facade: the public type, once for all engines, hashers and types of items.

mod batch;
mod builder;
mod collect;
mod engine;
#[cfg(feature = "std")]
mod growing;
mod hashed;
mod items;
mod measures;
mod persistence;
#[cfg(feature = "serde")]
mod serde;
mod snapshot;
mod traits;
mod typed;

#[cfg(feature = "std")]
pub use builder::GrowingCuckooFilterBuilder;
pub use builder::{CuckooFilterBuilder, FilterBuilder};
pub use engine::{Engine, Standard};
pub use hashed::Hashed;
pub use items::{Any, Items, Only, Takes, TakesEach};

use core::hash::{BuildHasher, Hash};
use core::marker::PhantomData;

use crate::engine::Fixed;
#[cfg(feature = "std")]
use crate::engine::Growing;
use crate::error::InsertError;
use crate::layout::Lanes;
use crate::random_state::RandomState;

/// A set that many threads share without a lock and that answers membership approximately.
///
/// An item is stored as a 16-bit fingerprint in one of two buckets of four. [`contains`](Filter::contains) may be
/// true for an item that was never inserted, with a probability of at most about 0.012 %
/// ([`false_positive_rate`](Filter::false_positive_rate)); it is never false for an item that is in. Everything
/// else is exact, whatever other threads do: no item is lost, and no copy is removed twice.
///
/// Precisely, the filter is a multiset of *tokens*. Two items have the same token, and are of one class, if
/// they agree in fingerprint and candidate buckets; that is what a false positive is. Every operation is
/// linearizable with respect to the multiset of tokens, except [`count`](Filter::count) and the measures
/// ([`len`](Filter::len), [`load_factor`](Filter::load_factor) and those that follow from them).
///
/// All operations take `&self` and are lock-free: a thread that is stopped at any point, for ever, keeps no
/// other from finishing. The exception is `clone`, which waits while another thread takes a
/// [`snapshot`](Filter::snapshot). None allocates after construction but `snapshot` and `clone`. (With the feature
/// `std`, the first write of a thread, to any filter, takes a number for the thread, and registers with the C
/// runtime that it be given back at the thread's end; that may allocate, and take a lock of the runtime.)
///
/// # Removing
///
/// Remove only what you inserted. Removing an item that was not inserted removes, in the rare case of a
/// false positive, the token of another item. If [`insert_unique`](Filter::insert_unique) answered false, that
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
pub type CuckooFilter<S = RandomState, L = Lanes<4, 16>> = Filter<Fixed<L>, S>;

/// A [`CuckooFilter`] that makes itself room: approximate membership with exact removal,
/// shared by many threads without a lock, of as many items as there is memory for.
///
/// It starts with one segment. A thread that finds it full adds another one, twice as large
/// ([`growth_factor`](FilterBuilder::growth_factor)), and all threads go on with it. Stored items do not move, so
/// no call takes longer than building the new segment. No thread waits for it. A thread that stops while it builds
/// a segment does not prevent others from growing the filter.
///
/// What that costs: a lookup of an item that is absent, or in an old segment, looks at several segments, two loads
/// each, and the [false-positive rates](Filter::false_positive_rate) of the segments add up. So start with about
/// what you expect ([`capacity`](FilterBuilder::capacity)), and take the fixed filter where you know.
///
/// The rest is as for the fixed filter. Every operation takes `&self` and is lock-free. No item is lost, and no
/// copy is removed twice. Remove only what you inserted; removal is exact in a filter that grows, too. Each segment
/// holds at most eight copies of an item, and one copy too many never makes the filter grow.
///
/// Every operation is pinned to an [epoch](https://docs.rs/crossbeam-epoch) while it runs. Unlinked memory is freed
/// when no thread can read it any more. A thread that stops in the middle of an operation delays only that.
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
#[cfg(feature = "std")]
pub type GrowingCuckooFilter<S = RandomState, L = Lanes<4, 16>> = Filter<Growing<L>, S>;

/// A [`CuckooFilter`] for items of one type.
///
/// A `CuckooFilter` takes any type that can be hashed. That is convenient, but error-prone: `4711` inserted as an
/// `i64` is not found as an `i32`, and a literal `4711` without a suffix is an `i32`. This filter takes items of
/// type `T` alone, and a bare `4711` is a `T` too. The compiler rejects every other type:
///
/// ```compile_fail,E0277
/// use lockfree_cuckoo::TypedCuckooFilter;
///
/// let filter = TypedCuckooFilter::<i64>::with_capacity(100);
/// filter.contains(&4711u64); // the trait `Borrow<u64>` is not implemented for `i64`
/// ```
///
/// It is a `CuckooFilter`, with all its calls, guarantees and costs, and nothing more: no item is stored, so the filter
/// can be shared between threads even if `T` cannot. [`from_untyped`](Filter::from_untyped) and
/// [`as_untyped`](Filter::as_untyped) lead from one to the other.
///
/// # Which items it takes
///
/// The calls for one item take what `T` can be borrowed as, as the maps of the standard library do: a
/// `TypedCuckooFilter<String>` takes `&str`. The calls for many take what can be borrowed as `T`: a
/// `TypedCuckooFilter<str>` takes a slice of `&str` or of `String`, and can be collected from either. Since the
/// filter keeps no items, `str` and `[u8]` are the better choice for text and bytes.
///
/// An item and what it is borrowed as must hash alike, which [`Borrow`](core::borrow::Borrow) demands anyway.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::TypedCuckooFilter;
/// use std::thread;
///
/// let orders = TypedCuckooFilter::<i64>::with_capacity(100_000);
/// thread::scope(|scope| {
///     scope.spawn(|| orders.insert(&4711).expect("sized for more"));
///     scope.spawn(|| orders.insert(&4712).expect("sized for more"));
/// });
/// assert!(orders.contains(&4711));
/// assert!(orders.remove(&4711));
/// assert_eq!(orders.len(), 1);
/// ```
pub type TypedCuckooFilter<T, S = RandomState, L = Lanes<4, 16>> = Filter<Fixed<L>, S, Only<T>>;

/// A [`TypedCuckooFilter`] that grows, as the [`GrowingCuckooFilter`] does.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::TypedGrowingCuckooFilter;
///
/// let orders = TypedGrowingCuckooFilter::<i64>::with_capacity(100);
/// orders.insert(&4711)?;
/// assert!(orders.contains(&4711));
/// # Ok::<(), lockfree_cuckoo::InsertError>(())
/// ```
#[cfg(feature = "std")]
pub type TypedGrowingCuckooFilter<T, S = RandomState, L = Lanes<4, 16>> =
    Filter<Growing<L>, S, Only<T>>;

/// All filters of this crate: [`CuckooFilter`], [`GrowingCuckooFilter`],
/// [`TypedCuckooFilter`] and [`TypedGrowingCuckooFilter`] are names for it.
///
/// `E` is the engine, which says what happens when there is no room: [`Fixed`] or [`Growing`].
/// `S` makes the hasher. `I` says which items it takes: [`Any`], or [`Only`] those of one type.
// The same fields in the same order whatever the items are: see `typed`.
#[repr(C)]
pub struct Filter<E = Fixed, S = RandomState, I = Any> {
    engine: E,
    hasher: S,
    /// The filter takes items but stores none, so it is `Send` and `Sync` for every `T`.
    items: PhantomData<fn() -> I>,
}

impl<E, S, I> Filter<E, S, I> {
    /// The bytes that are no engine's heap.
    const BYTES: usize = size_of::<Self>();

    fn of(engine: E, hasher: S) -> Self {
        Self {
            engine,
            hasher,
            items: PhantomData,
        }
    }

    pub(crate) fn engine(&self) -> &E {
        &self.engine
    }
}

impl<E: Engine, S: BuildHasher, I> Filter<E, S, I> {
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
    pub fn hash_one<Q: Hash + ?Sized>(&self, item: &Q) -> u64
    where
        I: Takes<Q>,
    {
        self.hasher.hash_one(item)
    }

    /// Adds one copy of `item`, always, whether or not it is in.
    ///
    /// One exchange if one of the two buckets has room. Otherwise a bounded search finds a chain of relocations,
    /// which this call executes hop by hop, while all other threads go on. A refused insert has searched for
    /// nothing, at the cost of up to [`search_budget`](FilterBuilder::search_budget) lookups. Where there is no
    /// room, a [`GrowingCuckooFilter`] adds a segment.
    ///
    /// # Errors
    ///
    /// [`Full`](InsertError::Full) if no room can be made, [`TooManyCopies`](InsertError::TooManyCopies) if
    /// there are eight copies. [`Disturbed`](InsertError::Disturbed) and [`NoDescriptor`](InsertError::NoDescriptor) if
    /// other threads were in the way: try again. Every stored item stays where lookups find it.
    ///
    /// Of a [`GrowingCuckooFilter`]: [`CannotGrow`](InsertError::CannotGrow) if there is no room, and a limit or the
    /// lack of memory keeps it from adding a segment. `TooManyCopies` if the segment that takes inserts holds eight
    /// copies. `Full` if there is no room in a segment that is less than an eighth full: then the hasher does not mix
    /// its bits, or few items have very many copies, and another segment would not help.
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
    pub fn insert<Q: Hash + ?Sized>(&self, item: &Q) -> Result<(), InsertError>
    where
        I: Takes<Q>,
    {
        self.insert_hash(self.hash_one(item))
    }

    /// Adds `item` if it is not in. Returns true if it was absent and this call added it.
    ///
    /// If any number of threads race for an absent item, the call returns true for exactly one of them, unless all
    /// are refused or the item is a false positive. False can be a false positive: another item with the same token
    /// is in, or another thread inserted an equal item with [`insert`](Self::insert). A concurrent remove takes
    /// effect either before or after the call.
    ///
    /// A filter that grows asks all its segments, and all of this holds whatever it grows meanwhile.
    ///
    /// If the item is in, the call costs a lookup. Otherwise it costs two exchanges on its word, three on a
    /// descriptor, and relocations if both buckets are full, as for `insert`.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert), but for copies.
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
    pub fn insert_unique<Q: Hash + ?Sized>(&self, item: &Q) -> Result<bool, InsertError>
    where
        I: Takes<Q>,
    {
        self.insert_unique_hash(self.hash_one(item))
    }

    /// Returns whether `item` is in. Never false for an item that is in. True for an absent item with the
    /// probability [`false_positive_rate`](Self::false_positive_rate).
    ///
    /// Two loads from the table between two of a version counter: if the item was not found and a stored
    /// fingerprint that shares the counter was moved meanwhile, it looks again. Writes nothing. Lock-free, not
    /// wait-free. A filter that grows does this for each segment until the item is found.
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
    pub fn contains<Q: Hash + ?Sized>(&self, item: &Q) -> bool
    where
        I: Takes<Q>,
    {
        self.contains_hash(self.hash_one(item))
    }

    /// Removes one copy of `item`. Returns false if there was none.
    ///
    /// If any number of threads race for one copy, the call returns true for exactly one of them. It costs one
    /// exchange, or two if there are copies in both buckets. See [Removing](#removing).
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
    pub fn remove<Q: Hash + ?Sized>(&self, item: &Q) -> bool
    where
        I: Takes<Q>,
    {
        self.remove_hash(self.hash_one(item))
    }

    /// The number of copies of `item`, 0 to 8 in each segment.
    ///
    /// Counts the tokens equal to the item's, including those of other items with the same token. Exact while no
    /// other thread writes them. Under concurrent writes it may over-report: a copy that is removed while an equal
    /// one is inserted can be counted twice. Copies that were in throughout the call are all counted.
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
    pub fn count<Q: Hash + ?Sized>(&self, item: &Q) -> usize
    where
        I: Takes<Q>,
    {
        self.count_hash(self.hash_one(item))
    }
}

/// The same operations on a hash that the caller has computed: 64 bits, well mixed in the high bits, which
/// select the buckets, and in the low 16, which are the fingerprint.
impl<E: Engine, S, I> Filter<E, S, I> {
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
        self.engine.insert(hash, &self.engine.pin())
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
        self.engine.insert_unique(hash, &self.engine.pin())
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
        self.engine.contains(hash, &self.engine.pin())
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
        self.engine.remove(hash, &self.engine.pin())
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
        self.engine.count(hash, &self.engine.pin())
    }
}
