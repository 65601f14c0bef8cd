//! One object-safe trait of the calls that take a hash, for all filters.

use core::fmt::Debug;
use core::panic::{RefUnwindSafe, UnwindSafe};

use super::{Engine, Filter, Items};
use crate::error::{InsertError, InsertManyError};

mod sealed {
    pub trait Sealed {}
}

/// A filter of any kind, for programs that choose the kind at run time: `Box<dyn Hashed>`.
///
/// It has the calls that take a hash, and the measures. Each is the method of the same name of the filter, with the
/// same guarantees. The caller hashes: with [`Filter::hash_one`], or with a hasher of his own whose 64 bits are all
/// well mixed. A call through the trait costs one additional indirect call.
///
/// The trait is sealed: only filters of this crate implement it.
///
/// # Examples
///
/// ```
/// # #[cfg(feature = "std")] {
/// use lockfree_cuckoo::{CuckooFilter, GrowingCuckooFilter, Hashed, RandomState};
/// use std::hash::BuildHasher;
///
/// fn filter(grows: bool) -> Box<dyn Hashed> {
///     if grows {
///         Box::new(GrowingCuckooFilter::with_capacity(100))
///     } else {
///         Box::new(CuckooFilter::with_capacity(100))
///     }
/// }
///
/// let hasher = RandomState::new();
/// for filter in [filter(false), filter(true)] {
///     assert!(filter.insert_unique_hash(hasher.hash_one("a")).unwrap());
///     assert!(filter.contains_hash(hasher.hash_one("a")));
///     assert_eq!(filter.len(), 1);
/// }
/// # }
/// ```
pub trait Hashed: sealed::Sealed + Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// As [`Filter::insert_hash`].
    ///
    /// # Errors
    ///
    /// As [`Filter::insert_hash`].
    fn insert_hash(&self, hash: u64) -> Result<(), InsertError>;

    /// As [`Filter::insert_unique_hash`].
    ///
    /// # Errors
    ///
    /// As [`Filter::insert_unique_hash`].
    fn insert_unique_hash(&self, hash: u64) -> Result<bool, InsertError>;

    /// As [`Filter::contains_hash`].
    fn contains_hash(&self, hash: u64) -> bool;

    /// As [`Filter::remove_hash`].
    fn remove_hash(&self, hash: u64) -> bool;

    /// As [`Filter::count_hash`].
    fn count_hash(&self, hash: u64) -> usize;

    /// As [`Filter::insert_many_hash`].
    ///
    /// # Errors
    ///
    /// As [`Filter::insert_many_hash`].
    fn insert_many_hash(&self, hashes: &[u64]) -> Result<(), InsertManyError>;

    /// As [`Filter::insert_unique_many_hash`].
    ///
    /// # Errors
    ///
    /// As [`Filter::insert_unique_many_hash`].
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    fn insert_unique_many_hash(
        &self,
        hashes: &[u64],
        added: &mut [bool],
    ) -> Result<(), InsertManyError>;

    /// As [`Filter::contains_many_hash`].
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    fn contains_many_hash(&self, hashes: &[u64], found: &mut [bool]);

    /// As [`Filter::remove_many_hash`].
    fn remove_many_hash(&self, hashes: &[u64]) -> usize;

    /// As [`Filter::len`].
    fn len(&self) -> usize;

    /// As [`Filter::is_empty`].
    fn is_empty(&self) -> bool;

    /// As [`Filter::capacity`].
    fn capacity(&self) -> usize;

    /// As [`Filter::remaining`].
    fn remaining(&self) -> usize;

    /// As [`Filter::is_full`].
    fn is_full(&self) -> bool;

    /// As [`Filter::slots`].
    fn slots(&self) -> usize;

    /// As [`Filter::load_factor`].
    fn load_factor(&self) -> f64;

    /// As [`Filter::memory_usage`].
    fn memory_usage(&self) -> usize;

    /// As [`Filter::false_positive_rate`].
    fn false_positive_rate(&self) -> f64;
}

impl<E: Engine, S, I: Items> sealed::Sealed for Filter<E, S, I> {}

impl<E, S, I> Hashed for Filter<E, S, I>
where
    E: Engine,
    S: Send + Sync + UnwindSafe + RefUnwindSafe,
    I: Items,
{
    fn insert_hash(&self, hash: u64) -> Result<(), InsertError> {
        self.insert_hash(hash)
    }

    fn insert_unique_hash(&self, hash: u64) -> Result<bool, InsertError> {
        self.insert_unique_hash(hash)
    }

    fn contains_hash(&self, hash: u64) -> bool {
        self.contains_hash(hash)
    }

    fn remove_hash(&self, hash: u64) -> bool {
        self.remove_hash(hash)
    }

    fn count_hash(&self, hash: u64) -> usize {
        self.count_hash(hash)
    }

    fn insert_many_hash(&self, hashes: &[u64]) -> Result<(), InsertManyError> {
        self.insert_many_hash(hashes)
    }

    fn insert_unique_many_hash(
        &self,
        hashes: &[u64],
        added: &mut [bool],
    ) -> Result<(), InsertManyError> {
        self.insert_unique_many_hash(hashes, added)
    }

    fn contains_many_hash(&self, hashes: &[u64], found: &mut [bool]) {
        self.contains_many_hash(hashes, found);
    }

    fn remove_many_hash(&self, hashes: &[u64]) -> usize {
        self.remove_many_hash(hashes)
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    fn capacity(&self) -> usize {
        self.capacity()
    }

    fn remaining(&self) -> usize {
        self.remaining()
    }

    fn is_full(&self) -> bool {
        self.is_full()
    }

    fn slots(&self) -> usize {
        self.slots()
    }

    fn load_factor(&self) -> f64 {
        self.load_factor()
    }

    fn memory_usage(&self) -> usize {
        self.memory_usage()
    }

    fn false_positive_rate(&self) -> f64 {
        self.false_positive_rate()
    }
}
