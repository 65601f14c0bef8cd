//! One object-safe trait of the calls that take a hash, for all filters.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt::Debug;
use core::hash::BuildHasher;
use core::panic::{RefUnwindSafe, UnwindSafe};
#[cfg(feature = "std")]
use std::io::{self, Write};

use super::{Engine, Filter, Rotates};
use crate::error::{InsertError, InsertManyError, SnapshotError};
use crate::layout::Shape;
use crate::stored::Chunks;

mod sealed {
    pub trait Sealed {}
}

/// A filter of any kind and of any layout, for programs that choose at run time: `Box<dyn Hashed>`.
///
/// It has the calls that take a hash, the measures, and storing. Each is the method of the same name of the filter, with
/// the same guarantees. The caller hashes: with [`Filter::hash_one`], or with a hasher of his own whose 64 bits are all
/// well mixed. The filter keeps the hasher that it was built with, because its stored form names it. A call through the
/// trait costs one additional indirect call.
///
/// [`build_smallest`](crate::FilterBuilder::build_smallest) and [`build_shape`](crate::FilterBuilder::build_shape) make
/// one, and [`from_bytes_any_layout`](Filter::from_bytes_any_layout) reads one.
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

    /// As [`Filter::contains_burst_hash`].
    ///
    /// # Panics
    ///
    /// If there are more than 64 hashes.
    fn contains_burst_hash(&self, hashes: &[u64]) -> u64;

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

    /// As [`Filter::shape`].
    fn shape(&self) -> Shape;

    /// The number of tables: of a growing filter 1 until it has doubled ten times; of one that rotates its generations; else 1.
    fn tables(&self) -> usize;

    /// As [`Filter::memory_usage`].
    fn memory_usage(&self) -> usize;

    /// As [`Filter::false_positive_rate`].
    fn false_positive_rate(&self) -> f64;

    /// The hasher that the filter was built with, or read with, as [`Filter::hasher`]: a
    /// [`RandomState`](crate::RandomState) unless another one was given.
    fn hasher(&self) -> &dyn Any;

    /// As [`Filter::clear`].
    fn clear(&mut self);

    /// As the method of filters that grow. Others keep their size.
    fn shrink_to_fit(&mut self);

    /// As the method of filters that grow. Others do not grow.
    fn finish_doubling(&self) -> bool;

    /// As the method of filters that grow. Others do not grow.
    fn limit_memory_usage(&self, bytes: usize);

    /// As the method of filters that grow. Others do not grow.
    fn set_max_memory_usage(&mut self, bytes: usize);

    /// What only filters that rotate have; `None` of others.
    fn rotating(&self) -> Option<&dyn Rotates>;

    /// As [`Filter::snapshot`].
    ///
    /// # Errors
    ///
    /// As [`Filter::snapshot`].
    fn snapshot(&self) -> Result<Box<dyn Hashed>, SnapshotError>;

    /// As [`Filter::to_bytes`].
    ///
    /// # Panics
    ///
    /// As [`Filter::to_bytes`].
    fn to_bytes(&mut self) -> Vec<u8>;

    /// As [`Filter::snapshot_to_bytes`].
    ///
    /// # Errors
    ///
    /// As [`Filter::snapshot_to_bytes`].
    fn snapshot_to_bytes(&self) -> Result<Vec<u8>, SnapshotError>;

    /// As [`Filter::chunks`].
    fn chunks(&self) -> Chunks<'_>;

    /// As [`Filter::write_to`].
    ///
    /// # Errors
    ///
    /// As [`Filter::write_to`].
    #[cfg(feature = "std")]
    fn write_to(&mut self, writer: &mut dyn Write) -> io::Result<()>;

    /// As [`Filter::snapshot_to_writer`].
    ///
    /// # Errors
    ///
    /// As [`Filter::snapshot_to_writer`].
    #[cfg(feature = "std")]
    fn snapshot_to_writer(&self, writer: &mut dyn Write) -> io::Result<()>;
}

impl<E: Engine, S> sealed::Sealed for Filter<E, S> {}

impl<E, S> Hashed for Filter<E, S>
where
    E: Engine,
    S: BuildHasher + Clone + Send + Sync + UnwindSafe + RefUnwindSafe + 'static,
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

    fn contains_burst_hash(&self, hashes: &[u64]) -> u64 {
        self.contains_burst_hash(hashes)
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

    fn shape(&self) -> Shape {
        self.shape()
    }

    fn tables(&self) -> usize {
        self.engine.tables()
    }

    fn hasher(&self) -> &dyn Any {
        &self.hasher
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn shrink_to_fit(&mut self) {
        self.engine.shrink_to_fit();
    }

    fn finish_doubling(&self) -> bool {
        self.engine.finish_doubling()
    }

    fn limit_memory_usage(&self, bytes: usize) {
        self.engine.limit_memory_usage(bytes);
    }

    fn set_max_memory_usage(&mut self, bytes: usize) {
        self.engine.set_max_memory_usage(bytes);
    }

    fn rotating(&self) -> Option<&dyn Rotates> {
        self.engine.rotating()
    }

    fn snapshot(&self) -> Result<Box<dyn Hashed>, SnapshotError> {
        Ok(Box::new(self.snapshot()?))
    }

    fn to_bytes(&mut self) -> Vec<u8> {
        self.to_bytes()
    }

    fn snapshot_to_bytes(&self) -> Result<Vec<u8>, SnapshotError> {
        self.snapshot_to_bytes()
    }

    fn chunks(&self) -> Chunks<'_> {
        self.chunks()
    }

    #[cfg(feature = "std")]
    fn write_to(&mut self, writer: &mut dyn Write) -> io::Result<()> {
        self.write_to(writer)
    }

    #[cfg(feature = "std")]
    fn snapshot_to_writer(&self, writer: &mut dyn Write) -> io::Result<()> {
        self.snapshot_to_writer(writer)
    }
}
