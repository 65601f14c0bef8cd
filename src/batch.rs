//! Batch calls: the same operations on many items, with the memory of the next ones already on its way.
//!
//! Each item is looked up, inserted or removed by the call for one item, so all guarantees are the same, item
//! by item. Only the order of the memory accesses differs: the two words of an item are prefetched while the
//! items before it are served.

use core::hash::{BuildHasher, Hash};
use core::ops::ControlFlow;

use crate::error::InsertManyError;
use crate::filter::CuckooFilter;
use crate::tokens::Tokens;

/// Items between the prefetch of an item and its turn. Enough to cover the way to memory, and few enough
/// that their lines are still in the first-level cache: found by measurement, and 8 to 32 are as good.
const DISTANCE: usize = 16;

impl Tokens {
    /// Visits the hashes in order, each some time after its words were asked for.
    #[inline]
    fn visit_ahead<B>(
        &self,
        hashes: impl Iterator<Item = u64>,
        mut visit: impl FnMut(u64) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut waiting = [0; DISTANCE];
        let mut seen = 0;
        for hash in hashes {
            let class = self.geometry.candidates(hash);
            self.table.prefetch(class.first);
            self.table.prefetch(class.second);
            let place = &mut waiting[seen % DISTANCE];
            let due = core::mem::replace(place, hash);
            seen += 1;
            if seen > DISTANCE {
                visit(due)?;
            }
        }
        let first = seen.saturating_sub(DISTANCE);
        (first..seen).try_for_each(|turn| visit(waiting[turn % DISTANCE]))
    }
}

/// Calls for many items at once, for slices that lie ready: about twice as fast where the table is larger than
/// the caches. What is promised for one item holds for each, and no more: other threads see the items come and
/// go one by one.
impl<S: BuildHasher> CuckooFilter<S> {
    /// Looks up many items: `found[i]` becomes whether `items[i]` is in, as [`contains`](Self::contains) says.
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
    pub fn contains_many<T: Hash>(&self, items: &[T], found: &mut [bool]) {
        check_lengths(items, found);
        self.contains_each(items.iter().map(|item| self.hash_one(item)), found);
    }

    /// Inserts many items in order, as [`insert`](Self::insert) does, until one is refused.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert), with the number of items that went in. Those before the refused one are in,
    /// those behind it were not tried.
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
    pub fn insert_many<T: Hash>(&self, items: &[T]) -> Result<(), InsertManyError> {
        self.insert_each(items.iter().map(|item| self.hash_one(item)))
    }

    /// Removes one copy of each item, as [`remove`](Self::remove) does. The number of items that were there.
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
    pub fn remove_many<T: Hash>(&self, items: &[T]) -> usize {
        self.remove_each(items.iter().map(|item| self.hash_one(item)))
    }
}

/// The same for hashes that the caller has computed.
impl<S> CuckooFilter<S> {
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
        self.contains_each(hashes.iter().copied(), found);
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
        self.insert_each(hashes.iter().copied())
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
        self.remove_each(hashes.iter().copied())
    }

    #[inline]
    fn contains_each(&self, hashes: impl Iterator<Item = u64>, found: &mut [bool]) {
        let mut answers = found.iter_mut();
        let _ = self.tokens.visit_ahead(hashes, |hash| {
            match answers.next() {
                Some(answer) => *answer = self.contains_hash(hash),
                None => return ControlFlow::Break(()),
            }
            ControlFlow::Continue(())
        });
    }

    #[inline]
    fn insert_each(&self, hashes: impl Iterator<Item = u64>) -> Result<(), InsertManyError> {
        let mut inserted = 0;
        let end = self
            .tokens
            .visit_ahead(hashes, |hash| match self.insert_hash(hash) {
                Ok(()) => {
                    inserted += 1;
                    ControlFlow::Continue(())
                }
                Err(error) => ControlFlow::Break(error),
            });
        match end {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(error) => Err(InsertManyError { inserted, error }),
        }
    }

    #[inline]
    fn remove_each(&self, hashes: impl Iterator<Item = u64>) -> usize {
        let mut removed = 0;
        let _ = self.tokens.visit_ahead(hashes, |hash| {
            removed += usize::from(self.remove_hash(hash));
            ControlFlow::<()>::Continue(())
        });
        removed
    }
}

#[track_caller]
fn check_lengths<T>(items: &[T], found: &[bool]) {
    assert!(
        items.len() == found.len(),
        "{} items to look up, but room for {} answers",
        items.len(),
        found.len()
    );
}
