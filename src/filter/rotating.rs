//! Methods that only rotating filters have: rotations, the age of an item, and refreshing it.

use core::hash::Hash;
use core::time::Duration;

use super::Filter;
use super::batch::{CHUNK, hash_each};
use crate::engine::clock::RotationClock;
use crate::engine::operations::{Rotates, check_lengths};
use crate::error::{InsertError, InsertManyError, RotateError};
use crate::kernel::layout::Layout;
use crate::rotating::Rotating;
use crate::typed_hasher::HashesItem;

/// Filters that rotate.
impl<L: Layout, S> Filter<Rotating<L>, S> {
    /// Forgets the oldest generation, and directs inserts to a new one.
    ///
    /// It takes effect at one moment, for all threads. Lock-free, like all operations: a thread
    /// that stops in the middle of a rotation does not prevent others from rotating.
    ///
    /// Then it empties the table of the forgotten generation, for the next rotation, in time linear
    /// in the size of one generation. Another rotation that begins meanwhile does not wait for
    /// that: it first does the same work.
    ///
    /// If several threads call this at the same time, each rotates once. If they mean the same
    /// rotation, use [`rotate_if`](Self::rotate_if).
    ///
    /// To rotate by the time, use [`rotate_if_due`](Self::rotate_if_due). Do not call this from a
    /// timer that makes up for the ticks that it missed, as `tokio::time::interval` does by
    /// default: after a stall it rotates twice at once, and items leave too early.
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

    /// Rotates if there have been `rotations` rotations so far. Does nothing if there have been
    /// more. Returns whether this call rotated.
    ///
    /// So if several threads request the same rotation, only one of them rotates: for example
    /// several threads that find the young generation full, or a clock and a thread that finds it
    /// full.
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

    /// Rotates as [`rotate_if`](Self::rotate_if) does, but leaves the table of the forgotten
    /// generation as it is. For a thread that must not stop for long: let another thread call
    /// [`clean_spare`](Self::clean_spare) after it.
    ///
    /// It takes constant time if the spare table is empty, which it is after `clean_spare`.
    /// Otherwise it empties that table first.
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
    /// filter.insert("a")?;
    /// assert!(filter.turn_if(0)? && filter.turn_if(1)?);
    /// assert!(!filter.contains("a"));
    /// filter.clean_spare()?; // in another thread
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn turn_if(&self, rotations: u64) -> Result<bool, RotateError> {
        self.engine.turn_if(rotations)
    }

    /// Empties the table of the generation that was forgotten last, unless it is empty or another
    /// rotation begins meanwhile. It takes time linear in the size of one generation. Other threads
    /// may use the filter.
    ///
    /// # Errors
    ///
    /// [`RotateError`], if other threads interfered: the next rotation does the same work.
    ///
    /// # Examples
    ///
    /// See [`turn_if`](Self::turn_if).
    ///
    /// ```
    /// let filter = lockfree_cuckoo::RotatingCuckooFilter::with_capacity(100);
    /// assert_eq!(filter.clean_spare(), Ok(())); // nothing to do
    /// ```
    pub fn clean_spare(&self) -> Result<(), RotateError> {
        self.engine.clean_spare()
    }

    /// Rotates if a period has passed since the last rotation, by a clock that knows the period.
    /// Returns whether this call rotated. Call it as often as you like; between two calls,
    /// [`until_due`](RotationClock::until_due) is the time to wait.
    ///
    /// However late it is called, an item stays for at least `n - 1` periods: see
    /// [`RotationClock`]. `now` returns the time. It is read twice if this call rotates, so it must
    /// go on: a thread that stands still in between makes the next rotation later.
    ///
    /// If other threads rotate too, by clocks of their own or because the young generation is full,
    /// the period begins with their rotation.
    ///
    /// # Errors
    ///
    /// As [`rotate`](Self::rotate). The rotation stays due.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use lockfree_cuckoo::{RotatingCuckooFilter, RotationClock};
    ///
    /// let second = Duration::from_secs(1);
    /// let filter = RotatingCuckooFilter::with_capacity(100);
    /// let mut clock = RotationClock::new(60 * second, Duration::ZERO);
    /// filter.insert("a")?;
    /// assert!(!filter.rotate_if_due(&mut clock, || 59 * second)?);
    /// assert!(filter.rotate_if_due(&mut clock, || 110 * second)?); // late
    /// assert!(!filter.rotate_if_due(&mut clock, || 120 * second)?);
    /// assert_eq!(clock.until_due(120 * second), 50 * second);
    /// assert!(filter.contains("a"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rotate_if_due(
        &self,
        clock: &mut RotationClock,
        mut now: impl FnMut() -> Duration,
    ) -> Result<bool, RotateError> {
        self.engine.rotate_if_due(clock, &mut now)
    }

    /// Makes all rotations that have come due, for a filter into which nothing was inserted
    /// meanwhile, as one that was stored: so that it forgets what it would have forgotten. Returns
    /// the number of rotations that were made, at most as many as there are generations: then
    /// nothing is left. The age of the young generation is then what it would have been.
    ///
    /// Call it before other threads use the filter. For a filter in use,
    /// [`rotate_if_due`](Self::rotate_if_due) is right: items may have come until now. What the
    /// last of the rotations forgot is emptied by the next one, or by
    /// [`clean_spare`](Self::clean_spare).
    ///
    /// # Errors
    ///
    /// As [`rotate`](Self::rotate). A further call makes the rest of the rotations.
    ///
    /// # Examples
    ///
    /// A filter is stored with the age of its young generation, and read 100 seconds later:
    ///
    /// ```
    /// use core::time::Duration;
    /// use lockfree_cuckoo::{RotatingCuckooFilter, RotationClock};
    ///
    /// let second = Duration::from_secs(1);
    /// let filter = RotatingCuckooFilter::with_capacity(100);
    /// let mut clock = RotationClock::new(60 * second, Duration::ZERO);
    /// filter.insert("a")?;
    /// let (stored, age) = (filter.to_bytes()?, clock.age(30 * second));
    ///
    /// let filter = RotatingCuckooFilter::from_bytes(&stored)?;
    /// let mut clock = RotationClock::new(60 * second, Duration::ZERO);
    /// clock.elapse(age + 100 * second);
    /// assert_eq!(filter.catch_up(&mut clock, Duration::ZERO)?, 2); // after 60 and 120 seconds
    /// assert!(!filter.contains("a"));
    /// assert_eq!(clock.until_due(Duration::ZERO), 50 * second);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn catch_up(&self, clock: &mut RotationClock, now: Duration) -> Result<usize, RotateError> {
        self.engine.catch_up(clock, now)
    }

    /// The number of rotations so far. A copy continues with the number of the original, and so
    /// does a filter that was stored and read. After 2<sup>43</sup> rotations the count restarts at
    /// 0.
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

    /// The number of generations, `n`: an item is forgotten by the `n`-th rotation after its
    /// insert.
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

impl<L: Layout, S> Filter<Rotating<L>, S> {
    /// The age of an item: the number of rotations since its insert or its last refresh, 0 if it is
    /// in the young generation. `None` if it is in no generation.
    ///
    /// An item of age `a` is forgotten by the `(n - a)`-th rotation from now, where `n` is the
    /// number of generations. As [`contains`](Self::contains), it may give an age to an item that
    /// was never inserted, and too low an age to one that was. It costs more than `contains`: it
    /// always reads all generations.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::RotatingCuckooFilter;
    ///
    /// let filter = RotatingCuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// filter.rotate()?;
    /// assert_eq!(filter.age("a"), Some(1));
    /// filter.refresh("a")?;
    /// assert_eq!((filter.age("a"), filter.age("b")), (Some(0), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn age<T: Hash + ?Sized>(&self, item: &T) -> Option<usize>
    where
        S: HashesItem<T>,
    {
        self.age_hash(self.hash_one(item))
    }

    /// Restarts the life of an item now: adds a copy to the young generation if there is none in
    /// it. Returns whether the item is new, that is, in no generation.
    ///
    /// As [`insert_unique`](Self::insert_unique), but the life of the item counts from the last
    /// call, not from the first. If several threads race for an item that is in no generation, it
    /// is new to one of them, even if there are rotations meanwhile. (If another thread removes the
    /// last copy during the call, the item may not be reported as new.)
    ///
    /// Cheap while a copy is in the young generation: it then writes nothing.
    ///
    /// An item that is refreshed in several generations has a copy in each of them. So do not
    /// remove it; let it be forgotten.
    ///
    /// # Errors
    ///
    /// [`InsertError`], as [`insert`](Self::insert): the young generation is full, or has no room
    /// for the item. The older copies stay until they are forgotten.
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
    pub fn refresh<T: Hash + ?Sized>(&self, item: &T) -> Result<bool, InsertError>
    where
        S: HashesItem<T>,
    {
        self.refresh_hash(self.hash_one(item))
    }

    /// Refreshes many items in order, as [`refresh`](Self::refresh) does, until one is refused.
    /// Sets `new[i]` to whether `items[i]` is new. An item that occurs twice is new once.
    ///
    /// It prefetches the words of the next items in all generations. In tables larger than the
    /// second-level cache it takes about half to two thirds of the time of a loop of single calls.
    /// In smaller ones it takes a few nanoseconds more per item.
    ///
    /// # Errors
    ///
    /// As [`refresh`](Self::refresh), with the index of the refused item. The items before it are
    /// in; those after it were not tried. `new` is false for it and for them.
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
    ) -> Result<(), InsertManyError>
    where
        S: HashesItem<T>,
    {
        check_lengths(items, new);
        new.fill(false);
        let chunks = items.chunks(CHUNK).zip(new.chunks_mut(CHUNK));
        for (chunk, (items, new)) in chunks.enumerate() {
            let hashes = &mut [0; CHUNK];
            self.refresh_many_hash(hash_each(self.hasher.inner(), items, hashes), new)
                .map_err(|stopped| stopped.behind(chunk * CHUNK))?;
        }
        Ok(())
    }
}

/// The same for hashes that the caller has computed.
impl<L: Layout, S> Filter<Rotating<L>, S> {
    /// As [`age`](Self::age), by hash.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::RotatingCuckooFilter;
    ///
    /// let filter = RotatingCuckooFilter::with_capacity(100);
    /// filter.insert_hash(0x9e37_79b9_7f4a_7c15)?;
    /// assert_eq!(filter.age_hash(0x9e37_79b9_7f4a_7c15), Some(0));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[must_use]
    pub fn age_hash(&self, hash: u64) -> Option<usize> {
        self.engine.age_hash(hash)
    }

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
