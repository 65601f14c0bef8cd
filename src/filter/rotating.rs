//! Methods that only rotating filters have: rotations, and refreshing an item's age.

use core::hash::{BuildHasher, Hash};

use super::Filter;
use super::batch::{CHUNK, hash_each};
use crate::engine::{Rotates, Rotating, check_lengths};
use crate::error::{InsertError, InsertManyError, RotateError};
use crate::layout::Layout;

/// Filters that rotate.
impl<L: Layout, S> Filter<Rotating<L>, S> {
    /// Forgets the oldest generation, and directs inserts to a new one.
    ///
    /// It takes effect at one moment, for all threads. Lock-free, like all operations: a thread that stops in the
    /// middle of a rotation does not prevent others from rotating.
    ///
    /// Then it empties the table of the forgotten generation, for the next rotation, in time linear in the size of one
    /// generation. Another rotation that begins meanwhile does not wait for that: it first does the same work.
    ///
    /// If several threads call this at the same time, each rotates once. If they mean the same rotation, use
    /// [`rotate_if`](Self::rotate_if).
    ///
    /// # Errors
    ///
    /// [`RotateError`], if other threads interfered: retry.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::RotatingCuckooFilter;
    ///
    /// let filter = RotatingCuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// filter.rotate()?;
    /// assert!(filter.contains("a"));
    /// filter.rotate()?;
    /// assert!(!filter.contains("a"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rotate(&self) -> Result<(), RotateError> {
        self.engine.rotate()
    }

    /// Rotates if there have been `rotations` rotations so far. Does nothing if there have been more. Returns whether
    /// this call rotated.
    ///
    /// So if several threads request the same rotation, only one of them rotates: for example several threads that find
    /// the young generation full, or a clock and a thread that finds it full.
    ///
    /// # Errors
    ///
    /// As [`rotate`](Self::rotate).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::RotatingCuckooFilter;
    ///
    /// let filter = RotatingCuckooFilter::with_capacity(100);
    /// let rotations = filter.rotations();
    /// assert!(filter.rotate_if(rotations)?);
    /// assert!(!filter.rotate_if(rotations)?);
    /// assert_eq!(filter.rotations(), rotations + 1);
    /// # Ok::<(), lockfree_cuckoo::RotateError>(())
    /// ```
    pub fn rotate_if(&self, rotations: u64) -> Result<bool, RotateError> {
        self.engine.rotate_if(rotations)
    }

    /// The number of rotations so far. A copy continues with the number of the original, and so does a filter that was
    /// stored and read. After 2<sup>43</sup> rotations the count restarts at 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::RotatingCuckooFilter;
    ///
    /// let filter = RotatingCuckooFilter::with_capacity(100);
    /// filter.rotate()?;
    /// assert_eq!(filter.rotations(), 1);
    /// # Ok::<(), lockfree_cuckoo::RotateError>(())
    /// ```
    #[must_use]
    pub fn rotations(&self) -> u64 {
        self.engine.rotations()
    }

    /// The number of generations, `n`: an item is forgotten by the `n`-th rotation after its insert.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(lockfree_cuckoo::RotatingCuckooFilter::with_capacity(100).generations(), 2);
    /// ```
    #[must_use]
    pub fn generations(&self) -> usize {
        self.engine.generations()
    }
}

impl<L: Layout, S: BuildHasher> Filter<Rotating<L>, S> {
    /// Restarts the life of an item now: adds a copy to the young generation if there is none in it. Returns whether
    /// the item is new, that is, in no generation.
    ///
    /// As [`insert_unique`](Self::insert_unique), but the life of the item counts from the last call, not from the
    /// first. If several threads race for an item that is in no generation, it is new to one of them, even if there are
    /// rotations meanwhile. (If another thread removes the last copy during the call, the item may not be reported as
    /// new.)
    ///
    /// Cheap while a copy is in the young generation: it then writes nothing.
    ///
    /// An item that is refreshed in several generations has a copy in each of them. So do not remove it; let it be
    /// forgotten.
    ///
    /// # Errors
    ///
    /// [`InsertError`], as [`insert`](Self::insert): the young generation is full, or has no room for the item. The
    /// older copies stay until they are forgotten.
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

    /// Refreshes many items in order, as [`refresh`](Self::refresh) does, until one is refused. Sets `new[i]` to
    /// whether `items[i]` is new. An item that occurs twice is new once.
    ///
    /// It prefetches the words of the next items in all generations. In tables larger than the second-level cache it
    /// takes about half to two thirds of the time of a loop of single calls. In smaller ones it takes a few nanoseconds
    /// more per item.
    ///
    /// # Errors
    ///
    /// As [`refresh`](Self::refresh), with the index of the refused item. The items before it are in; those after it
    /// were not tried. `new` is false for it and for them.
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
        self.engine.refresh_hash(hash)
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
        self.engine.refresh_many_hash(hashes, new)
    }
}
