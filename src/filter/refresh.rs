//! What only filters that rotate have: items that live from the last time they were seen.

use core::hash::{BuildHasher, Hash};

use super::Filter;
use super::batch::{CHUNK, check_lengths, hash_each};
use crate::engine::Rotating;
use crate::error::{InsertError, InsertManyError};
use crate::layout::Layout;

impl<L: Layout, S: BuildHasher> Filter<Rotating<L>, S> {
    /// Lets the life of an item begin now: adds a copy to the young generation if there is none in it. Returns whether
    /// the item is new, that is, in no generation.
    ///
    /// As [`insert_unique`](Self::insert_unique), but the item lives from the last call, not from the first. If several
    /// threads race for an item that is in no generation, it is new to one of them, even if there are rotations
    /// meanwhile. (If another thread removes the last copy during the call, the item may not be called new.)
    ///
    /// Cheap while a copy is in the young generation: then it writes nothing.
    ///
    /// An item that is refreshed in several generations has a copy in each of them. So do not remove it: let it be
    /// forgotten.
    ///
    /// # Errors
    ///
    /// [`InsertError`], as [`insert`](Self::insert): the young generation is full, or has no room for the item. The
    /// older copies stay for their time.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::RotatingCuckooFilter;
    ///
    /// let filter = RotatingCuckooFilter::with_capacity(100);
    /// assert!(filter.refresh("flow")?);
    /// for _ in 0..10 {
    ///     filter.rotate()?;
    ///     assert!(!filter.refresh("flow")?);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn refresh<T: Hash + ?Sized>(&self, item: &T) -> Result<bool, InsertError> {
        self.refresh_hash(self.hash_one(item))
    }

    /// Refreshes many items in order, as [`refresh`](Self::refresh) does, until one is refused: `new[i]` becomes
    /// whether `items[i]` is new. An item that comes twice is new once.
    ///
    /// It prefetches the words of the next items in all generations. In tables larger than the second-level cache it
    /// takes about half to two thirds of the time of a loop of single calls. In smaller ones it takes some nanoseconds
    /// per item more.
    ///
    /// # Errors
    ///
    /// As [`refresh`](Self::refresh), with the index of the item that was refused. Those before it are in, those behind
    /// it were not tried, and `new` is false for it and for them.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::RotatingCuckooFilter;
    ///
    /// let filter = RotatingCuckooFilter::with_capacity(100);
    /// filter.refresh("a")?;
    /// filter.rotate()?;
    /// let mut new = [false; 3];
    /// filter.refresh_many(&["a", "b", "b"], &mut new)?;
    /// assert_eq!(new, [false, true, false]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn refresh_many<T: Hash>(
        &self,
        items: &[T],
        new: &mut [bool],
    ) -> Result<(), InsertManyError> {
        check_lengths(items, new);
        new.fill(false);
        let chunks = items.chunks(CHUNK).zip(new.chunks_mut(CHUNK));
        for (chunk, (items, new)) in chunks.enumerate() {
            let hashes = &mut [0; CHUNK];
            self.refresh_many_hash(hash_each(&self.hasher, items, hashes), new)
                .map_err(|stopped| stopped.behind(chunk * CHUNK))?;
        }
        Ok(())
    }
}

/// The same for hashes that the caller has computed.
impl<L: Layout, S> Filter<Rotating<L>, S> {
    /// As [`refresh`](Self::refresh), by hash.
    ///
    /// # Errors
    ///
    /// As [`refresh`](Self::refresh).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::RotatingCuckooFilter;
    ///
    /// let filter = RotatingCuckooFilter::with_capacity(100);
    /// assert!(filter.refresh_hash(0x9e37_79b9_7f4a_7c15)?);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn refresh_hash(&self, hash: u64) -> Result<bool, InsertError> {
        self.engine.refresh(hash)
    }

    /// As [`refresh_many`](Self::refresh_many), by hash.
    ///
    /// # Errors
    ///
    /// As [`refresh_many`](Self::refresh_many).
    ///
    /// # Panics
    ///
    /// As [`refresh_many`](Self::refresh_many).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::RotatingCuckooFilter;
    ///
    /// let filter = RotatingCuckooFilter::with_capacity(100);
    /// let mut new = [false; 2];
    /// filter.refresh_many_hash(&[0x9e37_79b9_7f4a_7c15; 2], &mut new)?;
    /// assert_eq!(new, [true, false]);
    /// # Ok::<(), lockfree_cuckoo::InsertManyError>(())
    /// ```
    #[track_caller]
    pub fn refresh_many_hash(
        &self,
        hashes: &[u64],
        new: &mut [bool],
    ) -> Result<(), InsertManyError> {
        check_lengths(hashes, new);
        new.fill(false);
        self.engine.refresh_many(hashes, new)
    }
}
