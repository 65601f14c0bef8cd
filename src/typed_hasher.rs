//! Hashers that take items of one type, and what a filter asks of any hasher.

use core::borrow::Borrow;
use core::fmt;
use core::hash::{BuildHasher, Hash};
use core::marker::PhantomData;

use crate::random_state::RandomState;

/// What a filter hashes its items with: any [`BuildHasher`], or a [`TypedHasher`].
///
/// Sealed: implement `BuildHasher`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no hasher",
    label = "the parameter of a filter is its hasher, not the type of its items",
    note = "for a filter of items of one type: `CuckooFilter<TypedHasher<u64>>`, which `CuckooFilter::with_capacity(100).typed()` makes"
)]
pub trait FilterHasher: Sealed {
    /// The hasher itself.
    type Inner: BuildHasher;

    /// The hasher itself.
    fn inner(&self) -> &Self::Inner;

    /// This one, of the hasher itself.
    fn from_inner(inner: Self::Inner) -> Self;
}

/// A hasher that takes items of this type. Any [`BuildHasher`] takes all that implement [`Hash`]; a
/// [`TypedHasher`] takes its own, and their borrowed forms.
#[diagnostic::on_unimplemented(
    message = "a filter with the hasher `{Self}` does not take items of the type `{T}`",
    label = "items of another type",
    note = "a `TypedHasher` takes items of its own type, and their borrowed forms; the parameter of a filter is its hasher"
)]
pub trait HashesItem<T: ?Sized>: FilterHasher {}

/// Of this crate alone.
pub trait Sealed {}

impl<S: BuildHasher> Sealed for S {}

impl<S: BuildHasher> FilterHasher for S {
    type Inner = S;

    #[inline(always)]
    fn inner(&self) -> &S {
        self
    }

    fn from_inner(inner: S) -> S {
        inner
    }
}

impl<S: BuildHasher, T: Hash + ?Sized> HashesItem<T> for S {}

/// A filter's hasher for items of one type: with it, the calls refuse items of another type when
/// they are compiled.
///
/// Items of different types have different hashes, so an insert of one and a lookup of the other
/// cannot meet: `5u32` and `5u64`, a `str` and its bytes. A filter with this hasher takes a `T`,
/// and what a `T` [borrows](Borrow) as: a `TypedHasher<String>` takes a `str` too.
///
/// [`Filter::typed`](crate::Filter::typed) makes such a filter of any other: build or read a filter
/// first, and then call `typed`. The hashes are those of `S`, so a stored filter is the same with
/// it and without it. Calls for many items and `extend` take items of the type `T` itself: a slice
/// of `u64`, an iterator with `copied`.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{CuckooFilter, TypedHasher};
///
/// struct Seen {
///     flows: CuckooFilter<TypedHasher<u64>>,
///     names: CuckooFilter<TypedHasher<String>>,
/// }
///
/// let seen = Seen {
///     flows: CuckooFilter::with_capacity(1_000).typed(),
///     names: CuckooFilter::with_capacity(1_000).typed(),
/// };
/// seen.flows.insert(&5)?; // the literal is a u64 here
/// assert!(seen.flows.contains(&5) && seen.flows.remove(&5));
/// seen.names.insert("flow")?;
/// assert!(seen.names.contains(&String::from("flow")));
/// # Ok::<(), lockfree_cuckoo::InsertError>(())
/// ```
///
/// An item of another type does not compile:
///
/// ```compile_fail,E0308
/// # use lockfree_cuckoo::{CuckooFilter, TypedHasher};
/// let flows: CuckooFilter<TypedHasher<u64>> = CuckooFilter::with_capacity(1_000).typed();
/// let found = flows.contains(&5u32);
/// ```
pub struct TypedHasher<T: ?Sized, S = RandomState> {
    hasher: S,
    items: PhantomData<fn(&T)>,
}

impl<T: ?Sized, S> TypedHasher<T, S> {
    /// This hasher, for items of one type.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilterBuilder, RandomState, TypedHasher};
    ///
    /// let hasher = TypedHasher::<u64>::new(RandomState::with_seed(7));
    /// let flows = CuckooFilterBuilder::with_hasher(hasher).capacity(100).build()?;
    /// assert!(!flows.contains(&5));
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    #[must_use]
    pub const fn new(hasher: S) -> Self {
        Self {
            hasher,
            items: PhantomData,
        }
    }

    /// The hasher for items of any type.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let flows = CuckooFilter::builder().seed(7).build()?.typed::<u64>();
    /// assert_eq!(flows.hasher().untyped().seed(), 7);
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    #[must_use]
    pub const fn untyped(&self) -> &S {
        &self.hasher
    }
}

impl<T: ?Sized, S: BuildHasher> Sealed for TypedHasher<T, S> {}

impl<T: ?Sized, S: BuildHasher> FilterHasher for TypedHasher<T, S> {
    type Inner = S;

    #[inline(always)]
    fn inner(&self) -> &S {
        &self.hasher
    }

    fn from_inner(inner: S) -> Self {
        Self::new(inner)
    }
}

/// A borrowed form hashes as the item does: [`Borrow`] requires it.
impl<T, Q, S> HashesItem<Q> for TypedHasher<T, S>
where
    T: Borrow<Q> + ?Sized,
    Q: Hash + ?Sized,
    S: BuildHasher,
{
}

impl<T: ?Sized, S: Clone> Clone for TypedHasher<T, S> {
    fn clone(&self) -> Self {
        Self::new(self.hasher.clone())
    }
}

impl<T: ?Sized, S: Default> Default for TypedHasher<T, S> {
    fn default() -> Self {
        Self::new(S::default())
    }
}

impl<T: ?Sized, S: fmt::Debug> fmt::Debug for TypedHasher<T, S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("TypedHasher").field(&self.hasher).finish()
    }
}
