//! Batch calls: the same operations on many items, with prefetching of the next items.
//!
//! Each item is looked up, inserted or removed by the call for one item, so all guarantees hold
//! item by item. Only the order of the memory accesses differs: the two words of an item are
//! prefetched while earlier items are processed.

use core::hash::{BuildHasher, Hash};

use super::{Engine, Filter};
use crate::engine::operations::{RawFilter, check_lengths};
use crate::error::InsertManyError;
use crate::typed_hasher::HashesItem;

/// Number of items hashed at a time.
pub(super) const CHUNK: usize = 256;

/// Calls for many items at once, on slices. Each item has the guarantees of its own call. The batch
/// as a whole is not atomic: other threads see the items come and go one by one.
///
/// They are faster if the table is larger than the second-level cache. At 10 million items, in
/// batches of 1,000, lookups are a tenth faster than in a loop of single calls, which the processor
/// overlaps too. Inserts are a half faster, and removes three quarters
/// (`cargo bench -p lockfree-cuckoo-benches`, on a shared Intel Xeon). In a smaller table batches
/// cost as much as the loop, or at most a tenth more in batches of 32.
impl<E: Engine, S> Filter<E, S> {
    /// Looks up many items: sets `found[i]` to whether `items[i]` is stored, as
    /// [`contains`](Self::contains) does.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(100);
    /// filter.insert_many(&["a", "b"])?;
    /// let mut found = [false; 3];
    /// filter.contains_many(&["b", "c", "a"], &mut found);
    /// assert_eq!(found, [true, false, true]);
    /// # Ok::<(), lockfree_cuckoo::InsertManyError>(())
    /// ```
    #[track_caller]
    pub fn contains_many<T: Hash>(&self, items: &[T], found: &mut [bool])
    where
        S: HashesItem<T>,
    {
        check_lengths(items, found);
        for (items, found) in items.chunks(CHUNK).zip(found.chunks_mut(CHUNK)) {
            self.contains_many_hash(
                hash_each(self.hasher.inner(), items, &mut [0; CHUNK]),
                found,
            );
        }
    }

    /// Inserts many items in order, as [`insert`](Self::insert) does, until one is refused.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert), with the number of items that went in. The items before the
    /// refused one are in; those after it were not tried.
    ///
    /// # Panics
    ///
    /// If an item's `Hash` panics. Items are hashed 256 at a time, before the first of them is
    /// inserted: the items before these 256 are in, and no others.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(100);
    /// let error = filter.insert_many(&["a"; 10]).unwrap_err();
    /// assert_eq!(error.inserted(), 8);
    /// assert_eq!(filter.count("a"), 8);
    /// ```
    pub fn insert_many<T: Hash>(&self, items: &[T]) -> Result<(), InsertManyError>
    where
        S: HashesItem<T>,
    {
        for (chunk, items) in items.chunks(CHUNK).enumerate() {
            self.insert_many_hash(hash_each(self.hasher.inner(), items, &mut [0; CHUNK]))
                .map_err(|stopped| stopped.behind(chunk * CHUNK))?;
        }
        Ok(())
    }

    /// Adds the absent items in order, as [`insert_unique`](Self::insert_unique) does, until one is
    /// refused. Sets `added[i]` to whether this call added `items[i]`. A duplicate in the slice is
    /// added once.
    ///
    /// # Errors
    ///
    /// As [`insert_unique`](Self::insert_unique), with the index of the refused item. The items
    /// before it are in; those after it were not tried. `added` is false for it and for them.
    ///
    /// # Panics
    ///
    /// If the slices differ in length, or if an item's `Hash` panics. Items are hashed 256 at a
    /// time, before the first of them is added: after a panic of `Hash` the items before these 256
    /// are in, as `added` says, and no others.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// let mut added = [false; 3];
    /// filter.insert_unique_many(&["a", "b", "b"], &mut added)?;
    /// assert_eq!(added, [false, true, false]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn insert_unique_many<T: Hash>(
        &self,
        items: &[T],
        added: &mut [bool],
    ) -> Result<(), InsertManyError>
    where
        S: HashesItem<T>,
    {
        check_lengths(items, added);
        added.fill(false);
        let chunks = items.chunks(CHUNK).zip(added.chunks_mut(CHUNK));
        for (chunk, (items, added)) in chunks.enumerate() {
            let hashes = &mut [0; CHUNK];
            self.insert_unique_many_hash(hash_each(self.hasher.inner(), items, hashes), added)
                .map_err(|stopped| stopped.behind(chunk * CHUNK))?;
        }
        Ok(())
    }

    /// Removes one copy of each item, as [`remove`](Self::remove) does. Returns the number of items
    /// that were removed.
    ///
    /// # Panics
    ///
    /// If an item's `Hash` panics. Items are hashed 256 at a time, before the first of them is
    /// removed: the items before these 256 have been removed, and no others.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(100);
    /// filter.insert_many(&["a", "b"])?;
    /// assert_eq!(filter.remove_many(&["a", "a", "b"]), 2);
    /// # Ok::<(), lockfree_cuckoo::InsertManyError>(())
    /// ```
    pub fn remove_many<T: Hash>(&self, items: &[T]) -> usize
    where
        S: HashesItem<T>,
    {
        items
            .chunks(CHUNK)
            .map(|items| {
                self.remove_many_hash(hash_each(self.hasher.inner(), items, &mut [0; CHUNK]))
            })
            .sum()
    }
}

/// The same for hashes that the caller has computed.
impl<E: Engine, S> Filter<E, S> {
    /// As [`contains_many`](Self::contains_many).
    ///
    /// # Panics
    ///
    /// As [`contains_many`](Self::contains_many).
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::CuckooFilter::with_capacity(100);
    /// let mut found = [true; 2];
    /// filter.contains_many_hash(&[0x9e37_79b9_7f4a_7c15, 0xd134_2543_de82_ef95], &mut found);
    /// assert_eq!(found, [false; 2]);
    /// ```
    #[track_caller]
    pub fn contains_many_hash(&self, hashes: &[u64], found: &mut [bool]) {
        check_lengths(hashes, found);
        self.engine().contains_many(hashes, found);
    }

    /// As [`insert_many`](Self::insert_many).
    ///
    /// # Errors
    ///
    /// As [`insert_many`](Self::insert_many).
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::CuckooFilter::with_capacity(100);
    /// filter.insert_many_hash(&[0x9e37_79b9_7f4a_7c15, 0xd134_2543_de82_ef95])?;
    /// assert_eq!(filter.len(), 2);
    /// # Ok::<(), lockfree_cuckoo::InsertManyError>(())
    /// ```
    pub fn insert_many_hash(&self, hashes: &[u64]) -> Result<(), InsertManyError> {
        self.engine().insert_many(hashes)
    }

    /// As [`insert_unique_many`](Self::insert_unique_many).
    ///
    /// # Errors
    ///
    /// As [`insert_unique_many`](Self::insert_unique_many).
    ///
    /// # Panics
    ///
    /// As [`insert_unique_many`](Self::insert_unique_many).
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::CuckooFilter::with_capacity(100);
    /// let mut added = [false; 2];
    /// filter.insert_unique_many_hash(&[0x9e37_79b9_7f4a_7c15; 2], &mut added)?;
    /// assert_eq!(added, [true, false]);
    /// # Ok::<(), lockfree_cuckoo::InsertManyError>(())
    /// ```
    #[track_caller]
    pub fn insert_unique_many_hash(
        &self,
        hashes: &[u64],
        added: &mut [bool],
    ) -> Result<(), InsertManyError> {
        check_lengths(hashes, added);
        added.fill(false);
        self.engine().insert_unique_many(hashes, added)
    }

    /// As [`remove_many`](Self::remove_many).
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::CuckooFilter::with_capacity(100);
    /// assert_eq!(filter.remove_many_hash(&[0x9e37_79b9_7f4a_7c15]), 0);
    /// ```
    pub fn remove_many_hash(&self, hashes: &[u64]) -> usize {
        self.engine().remove_many(hashes)
    }
}

/// Hashes at most `MAX_ITEMS` items.
#[inline]
pub(super) fn hash_each<'a, T: Hash, const MAX_ITEMS: usize>(
    hasher: &impl BuildHasher,
    items: &[T],
    hashes: &'a mut [u64; MAX_ITEMS],
) -> &'a [u64] {
    for (hash, item) in hashes.iter_mut().zip(items) {
        *hash = hasher.hash_one(item);
    }
    &hashes[..items.len()]
}
