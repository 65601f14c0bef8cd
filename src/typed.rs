//! A filter for items of one type: the same filter, with the compiler to watch what goes in.

use core::borrow::Borrow;
use core::fmt;
use core::hash::{BuildHasher, Hash};
use core::marker::PhantomData;

use crate::error::{BuildError, InsertError, InsertManyError};
use crate::filter::CuckooFilter;
use crate::random_state::RandomState;

/// A [`CuckooFilter`] for items of one type.
///
/// A `CuckooFilter` takes whatever can be hashed. That is handy, and a trap: `4711` inserted as an `i64` is not
/// found as an `i32`, which is what a bare `4711` is. This filter takes items of type `T` alone, and a bare
/// `4711` is a `T` too. Anything else is refused by the compiler:
///
/// ```compile_fail,E0277
/// use lockfree_cuckoo::TypedCuckooFilter;
///
/// let filter = TypedCuckooFilter::<i64>::with_capacity(100);
/// filter.contains(&4711u64); // the trait `Borrow<u64>` is not implemented for `i64`
/// ```
///
/// Behind it is a `CuckooFilter`, with all its guarantees and costs, and nothing more: no item is stored, so
/// the filter can be shared between threads even if `T` cannot. What is not here, such as the builder, the
/// stored form and the calls that take a hash, is there: [`from_untyped`](Self::from_untyped) and
/// [`as_untyped`](Self::as_untyped) lead from one to the other.
///
/// # Which items it takes
///
/// The calls for one item take what `T` can be borrowed as, as the maps of the standard library do: a
/// `TypedCuckooFilter<String>` takes `&str`. The calls for many take what can be borrowed as `T`: a
/// `TypedCuckooFilter<str>` takes a slice of `&str` or of `String`, and can be collected from either. Since the
/// filter keeps no items, `str` and `[u8]` are the better choice for text and bytes.
///
/// An item and what it is borrowed as must hash alike, which [`Borrow`] demands anyway.
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
pub struct TypedCuckooFilter<T: ?Sized, S = RandomState> {
    filter: CuckooFilter<S>,
    /// Takes items and holds none, so it is `Send` and `Sync` whatever they are.
    items: PhantomData<fn(&T)>,
}

/// Filters whose hasher is seeded at random. That needs the feature `std`; without it, give the seed.
#[cfg(feature = "std")]
impl<T: ?Sized> TypedCuckooFilter<T> {
    /// As [`CuckooFilter::with_capacity`].
    ///
    /// # Panics
    ///
    /// As [`CuckooFilter::with_capacity`].
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// let filter = TypedCuckooFilter::<str>::with_capacity(1_000);
    /// assert!(filter.insert("a").is_ok());
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_capacity(items: usize) -> Self {
        Self::from_untyped(CuckooFilter::with_capacity(items))
    }

    /// As [`CuckooFilter::try_with_capacity`].
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::try_with_capacity`].
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// assert!(TypedCuckooFilter::<u64>::try_with_capacity(1_000).is_ok());
    /// assert!(TypedCuckooFilter::<u64>::try_with_capacity(usize::MAX).is_err());
    /// ```
    pub fn try_with_capacity(items: usize) -> Result<Self, BuildError> {
        CuckooFilter::try_with_capacity(items).map(Self::from_untyped)
    }
}

/// To and from the filter for items of all types.
impl<T: ?Sized, S> TypedCuckooFilter<T, S> {
    /// Makes a filter for items of type `T` of one that takes all. So a builder can be used, or a filter that
    /// was stored.
    ///
    /// What is in it stays in it; only the caller can know of what type that is.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, TypedCuckooFilter};
    ///
    /// let filter = CuckooFilter::builder().capacity(10_000).seed(42).build()?;
    /// let filter = TypedCuckooFilter::<str>::from_untyped(filter);
    /// assert!(!filter.contains("a"));
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    #[must_use]
    pub fn from_untyped(filter: CuckooFilter<S>) -> Self {
        Self {
            filter,
            items: PhantomData,
        }
    }

    /// Gives the filter that takes items of all types, with what is in.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// let typed = TypedCuckooFilter::<i64>::with_capacity(100);
    /// typed.insert(&4711)?;
    /// let untyped = typed.into_untyped();
    /// assert!(untyped.contains(&4711i64));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[must_use]
    pub fn into_untyped(self) -> CuckooFilter<S> {
        self.filter
    }

    /// The same filter, for what it offers beyond the calls here, such as those that take a hash. It takes
    /// items of all types, and they are in this one too.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// let typed = TypedCuckooFilter::<i64>::with_capacity(100);
    /// let untyped = typed.as_untyped();
    /// untyped.insert_hash(untyped.hash_one(&4711i64))?;
    /// assert!(typed.contains(&4711));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[must_use]
    pub fn as_untyped(&self) -> &CuckooFilter<S> {
        &self.filter
    }

    /// As [`as_untyped`](Self::as_untyped), for calls that need the filter exclusively.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// let mut typed = TypedCuckooFilter::<i64>::with_capacity(100);
    /// typed.as_untyped_mut().extend([4711i64]);
    /// assert!(typed.contains(&4711));
    /// ```
    #[must_use]
    pub fn as_untyped_mut(&mut self) -> &mut CuckooFilter<S> {
        &mut self.filter
    }
}

impl<T: ?Sized, S: BuildHasher> TypedCuckooFilter<T, S> {
    /// As [`CuckooFilter::with_capacity_and_hasher`].
    ///
    /// # Panics
    ///
    /// As [`CuckooFilter::with_capacity_and_hasher`].
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    /// use std::hash::RandomState;
    ///
    /// type Words = TypedCuckooFilter<str, RandomState>;
    /// let filter = Words::with_capacity_and_hasher(100, RandomState::new());
    /// filter.insert("a")?;
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_capacity_and_hasher(items: usize, hasher: S) -> Self {
        Self::from_untyped(CuckooFilter::with_capacity_and_hasher(items, hasher))
    }

    /// As [`CuckooFilter::try_with_capacity_and_hasher`].
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::try_with_capacity_and_hasher`].
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{RandomState, TypedCuckooFilter};
    ///
    /// type Words = TypedCuckooFilter<str>;
    /// let hasher = RandomState::with_seed(7);
    /// assert!(Words::try_with_capacity_and_hasher(100, hasher.clone()).is_ok());
    /// assert!(Words::try_with_capacity_and_hasher(usize::MAX, hasher).is_err());
    /// ```
    pub fn try_with_capacity_and_hasher(items: usize, hasher: S) -> Result<Self, BuildError> {
        CuckooFilter::try_with_capacity_and_hasher(items, hasher).map(Self::from_untyped)
    }

    /// Adds one copy of `item`, always, as [`CuckooFilter::insert`] does.
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::insert`].
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// let filter = TypedCuckooFilter::<String>::with_capacity(100);
    /// filter.insert("a")?;
    /// filter.insert(&String::from("a"))?;
    /// assert_eq!(filter.count("a"), 2);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[inline]
    pub fn insert<Q: Hash + ?Sized>(&self, item: &Q) -> Result<(), InsertError>
    where
        T: Borrow<Q>,
    {
        self.filter.insert(item)
    }

    /// Adds `item` if it is not in, as [`CuckooFilter::insert_unique`] does. True: it was absent, and this
    /// call added it.
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::insert_unique`].
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// let filter = TypedCuckooFilter::<i64>::with_capacity(100);
    /// assert!(filter.insert_unique(&4711)?);
    /// assert!(!filter.insert_unique(&4711)?);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[inline]
    pub fn insert_unique<Q: Hash + ?Sized>(&self, item: &Q) -> Result<bool, InsertError>
    where
        T: Borrow<Q>,
    {
        self.filter.insert_unique(item)
    }

    /// Whether `item` is in, as [`CuckooFilter::contains`] says: never false for an item that is in, by chance
    /// true for one that is not.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// let filter = TypedCuckooFilter::<i64>::with_capacity(100);
    /// filter.insert(&4711)?;
    /// assert!(filter.contains(&4711));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn contains<Q: Hash + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.filter.contains(item)
    }

    /// Removes one copy of `item`, as [`CuckooFilter::remove`] does. False: there was none. Remove only what
    /// you inserted.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// let filter = TypedCuckooFilter::<i64>::with_capacity(100);
    /// filter.insert(&4711)?;
    /// assert!(filter.remove(&4711));
    /// assert!(!filter.remove(&4711));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[inline]
    pub fn remove<Q: Hash + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.filter.remove(item)
    }

    /// The number of copies of `item`, 0 to 8, as [`CuckooFilter::count`] says.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// let filter = TypedCuckooFilter::<i64>::with_capacity(100);
    /// filter.insert(&4711)?;
    /// assert_eq!(filter.count(&4711), 1);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn count<Q: Hash + ?Sized>(&self, item: &Q) -> usize
    where
        T: Borrow<Q>,
    {
        self.filter.count(item)
    }

    /// Looks up many items, as [`CuckooFilter::contains_many`] does: `found[i]` becomes whether `items[i]` is
    /// in.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// let filter = TypedCuckooFilter::<i64>::with_capacity(100);
    /// filter.insert_many(&[1, 2])?;
    /// let mut found = [false; 3];
    /// filter.contains_many(&[2, 3, 1], &mut found);
    /// assert_eq!(found, [true, false, true]);
    /// # Ok::<(), lockfree_cuckoo::InsertManyError>(())
    /// ```
    #[track_caller]
    pub fn contains_many<B: Borrow<T> + Hash>(&self, items: &[B], found: &mut [bool]) {
        self.filter.contains_many(items, found);
    }

    /// Inserts many items in order, as [`CuckooFilter::insert_many`] does, until one is refused.
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::insert_many`].
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// let filter = TypedCuckooFilter::<str>::with_capacity(100);
    /// filter.insert_many(&["a", "b"])?;
    /// filter.insert_many(&[String::from("c")])?;
    /// assert_eq!(filter.len(), 3);
    /// # Ok::<(), lockfree_cuckoo::InsertManyError>(())
    /// ```
    pub fn insert_many<B: Borrow<T> + Hash>(&self, items: &[B]) -> Result<(), InsertManyError> {
        self.filter.insert_many(items)
    }

    /// Adds those of the items that are absent, as [`CuckooFilter::insert_unique_many`] does: `added[i]` becomes
    /// whether this call added `items[i]`.
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::insert_unique_many`].
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// let filter = TypedCuckooFilter::<str>::with_capacity(100);
    /// let mut added = [false; 2];
    /// filter.insert_unique_many(&["a", "a"], &mut added)?;
    /// assert_eq!(added, [true, false]);
    /// # Ok::<(), lockfree_cuckoo::InsertManyError>(())
    /// ```
    #[track_caller]
    pub fn insert_unique_many<B: Borrow<T> + Hash>(
        &self,
        items: &[B],
        added: &mut [bool],
    ) -> Result<(), InsertManyError> {
        self.filter.insert_unique_many(items, added)
    }

    /// Removes one copy of each item, as [`CuckooFilter::remove_many`] does. The number of items that were
    /// there.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// let filter = TypedCuckooFilter::<i64>::with_capacity(100);
    /// filter.insert_many(&[1, 2])?;
    /// assert_eq!(filter.remove_many(&[1, 1, 2]), 2);
    /// # Ok::<(), lockfree_cuckoo::InsertManyError>(())
    /// ```
    pub fn remove_many<B: Borrow<T> + Hash>(&self, items: &[B]) -> usize {
        self.filter.remove_many(items)
    }
}

/// Measures, as those of the [`CuckooFilter`]: approximate while other threads write.
impl<T: ?Sized, S> TypedCuckooFilter<T, S> {
    /// The number of stored copies, as [`CuckooFilter::len`] says.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// let filter: TypedCuckooFilter<u32> = (0..1_000u32).collect();
    /// assert_eq!(filter.len(), 1_000);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.filter.len()
    }

    /// Whether [`len`](Self::len) is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(lockfree_cuckoo::TypedCuckooFilter::<str>::with_capacity(100).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.filter.is_empty()
    }

    /// The number of items that the filter is sized for, as [`CuckooFilter::capacity`] says.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(lockfree_cuckoo::TypedCuckooFilter::<str>::with_capacity(100).capacity(), 100);
    /// ```
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.filter.capacity()
    }

    /// The number of slots, four a bucket.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(lockfree_cuckoo::TypedCuckooFilter::<str>::with_capacity(8).slots(), 8);
    /// ```
    #[must_use]
    pub fn slots(&self) -> usize {
        self.filter.slots()
    }

    /// The fraction of the slots in use, 0 to 1.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// let filter = TypedCuckooFilter::<str>::with_capacity(8);
    /// filter.insert("a")?;
    /// assert_eq!(filter.load_factor(), 0.125);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[must_use]
    pub fn load_factor(&self) -> f64 {
        self.filter.load_factor()
    }

    /// The bytes in use, all of them, as [`CuckooFilter::memory_usage`] says.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// let filter = TypedCuckooFilter::<str>::with_capacity(100);
    /// assert_eq!(filter.memory_usage(), filter.as_untyped().memory_usage());
    /// ```
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.filter.memory_usage()
    }

    /// The probability that `contains` is true for an item that is not in, at the present load, as
    /// [`CuckooFilter::false_positive_rate`] says.
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::TypedCuckooFilter::<str>::with_capacity(100);
    /// assert_eq!(filter.false_positive_rate(), 0.0);
    /// ```
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        self.filter.false_positive_rate()
    }

    /// Returns the hasher.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{RandomState, TypedCuckooFilter};
    ///
    /// let hasher = RandomState::with_seed(42);
    /// let filter = TypedCuckooFilter::<str>::with_capacity_and_hasher(100, hasher);
    /// assert_eq!(filter.hasher().seed(), 42);
    /// ```
    #[must_use]
    pub fn hasher(&self) -> &S {
        self.filter.hasher()
    }

    /// Removes everything, as [`CuckooFilter::clear`] does.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::TypedCuckooFilter;
    ///
    /// let mut filter = TypedCuckooFilter::<str>::with_capacity(100);
    /// filter.insert("a")?;
    /// filter.clear();
    /// assert!(!filter.contains("a"));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn clear(&mut self) {
        self.filter.clear();
    }
}

/// As the clone of a [`CuckooFilter`].
///
/// # Panics
///
/// If the memory cannot be had.
impl<T: ?Sized, S: Clone> Clone for TypedCuckooFilter<T, S> {
    fn clone(&self) -> Self {
        Self::from_untyped(self.filter.clone())
    }
}

impl<T: ?Sized, S> fmt::Debug for TypedCuckooFilter<T, S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("TypedCuckooFilter")
            .field(&self.filter)
            .finish()
    }
}
