//! What all filters can do with a hash, behind one object-safe trait.

use core::fmt::Debug;

use crate::error::{InsertError, InsertManyError};
use crate::filter::CuckooFilter;
#[cfg(feature = "std")]
use crate::growing::GrowingCuckooFilter;

mod sealed {
    pub trait Sealed {}
}

/// A filter of any kind, for programs that choose the kind at run time: `Box<dyn Hashed>`.
///
/// It has the calls that take a hash, and the measures. Each is the method of the same name of the filter, with the
/// same guarantees. The caller hashes: with [`CuckooFilter::hash_one`], or with a hasher of his own whose 64 bits are
/// all well mixed. A call through the trait costs an indirect call more.
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
pub trait Hashed: sealed::Sealed + Debug + Send + Sync {
    /// As [`CuckooFilter::insert_hash`].
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::insert_hash`].
    fn insert_hash(&self, hash: u64) -> Result<(), InsertError>;

    /// As [`CuckooFilter::insert_unique_hash`].
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::insert_unique_hash`].
    fn insert_unique_hash(&self, hash: u64) -> Result<bool, InsertError>;

    /// As [`CuckooFilter::contains_hash`].
    fn contains_hash(&self, hash: u64) -> bool;

    /// As [`CuckooFilter::remove_hash`].
    fn remove_hash(&self, hash: u64) -> bool;

    /// As [`CuckooFilter::count_hash`].
    fn count_hash(&self, hash: u64) -> usize;

    /// As [`CuckooFilter::insert_many_hash`].
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::insert_many_hash`].
    fn insert_many_hash(&self, hashes: &[u64]) -> Result<(), InsertManyError>;

    /// As [`CuckooFilter::insert_unique_many_hash`].
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::insert_unique_many_hash`].
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    fn insert_unique_many_hash(
        &self,
        hashes: &[u64],
        added: &mut [bool],
    ) -> Result<(), InsertManyError>;

    /// As [`CuckooFilter::contains_many_hash`].
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    fn contains_many_hash(&self, hashes: &[u64], found: &mut [bool]);

    /// As [`CuckooFilter::remove_many_hash`].
    fn remove_many_hash(&self, hashes: &[u64]) -> usize;

    /// As [`CuckooFilter::len`].
    fn len(&self) -> usize;

    /// As [`CuckooFilter::is_empty`].
    fn is_empty(&self) -> bool;

    /// As [`CuckooFilter::capacity`].
    fn capacity(&self) -> usize;

    /// As [`CuckooFilter::slots`].
    fn slots(&self) -> usize;

    /// As [`CuckooFilter::load_factor`].
    fn load_factor(&self) -> f64;

    /// As [`CuckooFilter::memory_usage`].
    fn memory_usage(&self) -> usize;

    /// As [`CuckooFilter::false_positive_rate`].
    fn false_positive_rate(&self) -> f64;
}

macro_rules! hashed {
    ($filter:ident) => {
        impl<S> sealed::Sealed for $filter<S> {}

        impl<S: Send + Sync> Hashed for $filter<S> {
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
    };
}

hashed!(CuckooFilter);
#[cfg(feature = "std")]
hashed!(GrowingCuckooFilter);
