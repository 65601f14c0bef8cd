//! Batch calls: many items under one pin, with the memory of the next ones on its way.

use core::hash::{BuildHasher, Hash};

use super::GrowingCuckooFilter;
use super::operations::pinned;
use crate::batch::{CHUNK, check_lengths, hash_each};
use crate::error::InsertManyError;

impl<S: BuildHasher> GrowingCuckooFilter<S> {
    /// As [`contains`](Self::contains) for each item; `found` gets the answers.
    ///
    /// # Panics
    ///
    /// If there are not as many answers as items.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let filter = GrowingCuckooFilter::with_capacity(100);
    /// filter.insert_many(&["a", "b"])?;
    /// let mut found = [false; 3];
    /// filter.contains_many(&["a", "b", "c"], &mut found);
    /// assert_eq!(found, [true, true, false]);
    /// # Ok::<(), lockfree_cuckoo::InsertManyError>(())
    /// ```
    #[track_caller]
    pub fn contains_many<T: Hash>(&self, items: &[T], found: &mut [bool]) {
        check_lengths(items, found);
        for (items, found) in items.chunks(CHUNK).zip(found.chunks_mut(CHUNK)) {
            self.contains_many_hash(hash_each(&self.hasher, items, &mut [0; CHUNK]), found);
        }
    }

    /// As [`insert`](Self::insert) for each item, in their order, up to the first that is refused.
    ///
    /// # Errors
    ///
    /// [`InsertManyError`], which says how many went in, and why the next one did not.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let filter = GrowingCuckooFilter::with_capacity(8);
    /// filter.insert_many(&[1, 2, 3])?;
    /// assert_eq!(filter.len(), 3);
    /// # Ok::<(), lockfree_cuckoo::InsertManyError>(())
    /// ```
    pub fn insert_many<T: Hash>(&self, items: &[T]) -> Result<(), InsertManyError> {
        for (chunk, items) in items.chunks(CHUNK).enumerate() {
            self.insert_many_hash(hash_each(&self.hasher, items, &mut [0; CHUNK]))
                .map_err(|stopped| stopped.behind(chunk * CHUNK))?;
        }
        Ok(())
    }

    /// As [`insert_unique`](Self::insert_unique) for each item, in their order, up to the first that is refused;
    /// `added` gets the answers.
    ///
    /// # Errors
    ///
    /// [`InsertManyError`], which says which one was refused, and why. `added` is false for it and those behind it.
    ///
    /// # Panics
    ///
    /// If there are not as many answers as items.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let filter = GrowingCuckooFilter::with_capacity(8);
    /// filter.insert_many(&["a"])?;
    /// let mut added = [false; 3];
    /// filter.insert_unique_many(&["a", "b", "b"], &mut added)?;
    /// assert_eq!(added, [false, true, false]);
    /// # Ok::<(), lockfree_cuckoo::InsertManyError>(())
    /// ```
    #[track_caller]
    pub fn insert_unique_many<T: Hash>(
        &self,
        items: &[T],
        added: &mut [bool],
    ) -> Result<(), InsertManyError> {
        check_lengths(items, added);
        added.fill(false);
        let chunks = items.chunks(CHUNK).zip(added.chunks_mut(CHUNK));
        for (chunk, (items, added)) in chunks.enumerate() {
            let hashes = &mut [0; CHUNK];
            self.insert_unique_many_hash(hash_each(&self.hasher, items, hashes), added)
                .map_err(|stopped| stopped.behind(chunk * CHUNK))?;
        }
        Ok(())
    }

    /// As [`remove`](Self::remove) for each item; returns how many were removed.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let filter = GrowingCuckooFilter::with_capacity(8);
    /// filter.insert_many(&[1, 2, 3])?;
    /// assert_eq!(filter.remove_many(&[1, 2, 3, 3]), 3);
    /// # Ok::<(), lockfree_cuckoo::InsertManyError>(())
    /// ```
    pub fn remove_many<T: Hash>(&self, items: &[T]) -> usize {
        items
            .chunks(CHUNK)
            .map(|items| self.remove_many_hash(hash_each(&self.hasher, items, &mut [0; CHUNK])))
            .sum()
    }
}

impl<S> GrowingCuckooFilter<S> {
    /// As [`contains_many`](Self::contains_many), for hashes.
    ///
    /// # Panics
    ///
    /// If there are not as many answers as hashes.
    #[track_caller]
    pub fn contains_many_hash(&self, hashes: &[u64], found: &mut [bool]) {
        check_lengths(hashes, found);
        // A chunk at a time, so that no pin lasts long.
        for (hashes, found) in hashes.chunks(CHUNK).zip(found.chunks_mut(CHUNK)) {
            pinned(|guard| {
                let finest = &self.chain.load(guard).segments()[0];
                for (found, hash) in found.iter_mut().zip(finest.tokens.ahead(hashes)) {
                    *found = self.contains_under(hash, guard);
                }
            });
        }
    }

    /// As [`insert_many`](Self::insert_many), for hashes.
    ///
    /// # Errors
    ///
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_many_hash(&self, hashes: &[u64]) -> Result<(), InsertManyError> {
        for (chunk, hashes) in hashes.chunks(CHUNK).enumerate() {
            pinned(|guard| {
                let target = self.chain.load(guard).target();
                for (turn, hash) in target.tokens.ahead(hashes).enumerate() {
                    let inserted = chunk * CHUNK + turn;
                    self.insert_under(hash, guard)
                        .map_err(|error| InsertManyError { inserted, error })?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// As [`insert_unique_many`](Self::insert_unique_many), for hashes.
    ///
    /// # Errors
    ///
    /// As [`insert_unique_many`](Self::insert_unique_many).
    ///
    /// # Panics
    ///
    /// As [`insert_unique_many`](Self::insert_unique_many).
    #[track_caller]
    pub fn insert_unique_many_hash(
        &self,
        hashes: &[u64],
        added: &mut [bool],
    ) -> Result<(), InsertManyError> {
        check_lengths(hashes, added);
        added.fill(false);
        let chunks = hashes.chunks(CHUNK).zip(added.chunks_mut(CHUNK));
        for (chunk, (hashes, added)) in chunks.enumerate() {
            pinned(|guard| {
                let target = self.chain.load(guard).target();
                let turns = added.iter_mut().zip(target.tokens.ahead(hashes));
                for (turn, (added, hash)) in turns.enumerate() {
                    let inserted = chunk * CHUNK + turn;
                    *added = self
                        .insert_unique_under(hash, guard)
                        .map_err(|error| InsertManyError { inserted, error })?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// As [`remove_many`](Self::remove_many), for hashes.
    pub fn remove_many_hash(&self, hashes: &[u64]) -> usize {
        let remove_chunk = |hashes| {
            pinned(|guard| {
                let finest = &self.chain.load(guard).segments()[0];
                let hashes = finest.tokens.ahead(hashes);
                hashes
                    .filter(|&hash| self.remove_under(hash, guard))
                    .count()
            })
        };
        hashes.chunks(CHUNK).map(remove_chunk).sum()
    }
}
