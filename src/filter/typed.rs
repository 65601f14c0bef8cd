//! From the filter for items of all types to that for items of one type, and back.

use super::{Filter, Only};

/// To and from the filter for items of all types.
impl<E, S, T: ?Sized> Filter<E, S, Only<T>> {
    /// Converts a filter for all types into a filter for items of type `T`. So you can use a builder, or a stored
    /// filter.
    ///
    /// The items stay in the filter. Only the caller knows their type.
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
    pub fn from_untyped(filter: Filter<E, S>) -> Self {
        Self::of(filter.engine, filter.hasher)
    }

    /// Returns the filter for items of all types, with its items.
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
    pub fn into_untyped(self) -> Filter<E, S> {
        Filter::of(self.engine, self.hasher)
    }

    /// The same filter, for who takes filters of all items. What is inserted there is in this one too.
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
    #[allow(unsafe_code, reason = "a reference cannot change its type otherwise")]
    pub fn as_untyped(&self) -> &Filter<E, S> {
        // SAFETY: see `as_untyped_mut`.
        unsafe { &*core::ptr::from_ref(self).cast() }
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
    #[allow(unsafe_code, reason = "a reference cannot change its type otherwise")]
    pub fn as_untyped_mut(&mut self) -> &mut Filter<E, S> {
        // SAFETY: `Filter` is `repr(C)`, and the two types have the same fields but for the parameter of a `PhantomData`,
        // which has no bytes. So their layouts are equal, and whatever is valid as one is valid as the other.
        unsafe { &mut *core::ptr::from_mut(self).cast() }
    }
}
