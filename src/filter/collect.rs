//! Filling a filter from iterators.
//!
//! `extend` and `collect` add one copy of every item; `collect` builds a filter of exactly the
//! needed size. `collect_distinct` does so with one copy of each different item. All hash each item
//! once, and drop it before they take the next.

use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash};
use core::mem;

use super::{Buildable, Engine, Filter, FilterBuilder};
use crate::engine::operations::RawFilter;
use crate::error::{InsertError, InsertManyError};
use crate::kernel::search::sizes::LONG_BUDGET;
use crate::kernel::sizing;
use crate::typed_hasher::{FilterHasher, HashesItem};

/// Inserts one copy of every item, whether or not it is already stored. The items can be
/// references.
///
/// If the iterator or an item's `Hash` panics, the items taken before are in. A large filter is
/// filled in batches, so when an item is refused, the iterator may have given up to 255 items more
/// than went in. To add items while others use the filter, extend a shared reference to it.
///
/// # Panics
///
/// If an insert is refused. The items before it are in; those after it were not tried. Use
/// [`insert_many`](Filter::insert_many) or [`insert`](Filter::insert) where that can happen.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::CuckooFilter;
///
/// let mut filter = CuckooFilter::with_capacity(1_000);
/// filter.extend(0..500u64);
/// filter.extend(&vec![500u64, 501]);
/// assert_eq!(filter.len(), 502);
/// assert!(filter.contains(&499u64) && filter.contains(&501u64));
/// ```
impl<T: Hash, E: Engine, S: HashesItem<T>> Extend<T> for Filter<E, S> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        let items = items.into_iter();
        // Insert in batches, if the filter is large. They cannot be observed: nothing else can read
        // the filter meanwhile, not even the iterator.
        let extended = if items.size_hint().0 >= BATCH && self.memory_usage() >= LARGE {
            insert_in_batches(self, items)
        } else {
            insert_each(self, items)
        };
        expect_room(extended);
    }
}

/// Inserts one copy of every item, whether or not it is already stored, while other threads use the
/// filter. Several threads may extend it at once.
///
/// Each item is in before the next one is taken. If the iterator or an item's `Hash` panics, the
/// items taken before are in.
///
/// # Panics
///
/// If an insert is refused. The items before it are in; those after it were not taken. Use
/// [`insert`](Filter::insert) where that can happen.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::CuckooFilter;
/// use std::thread;
///
/// let filter = CuckooFilter::with_capacity(1_000);
/// thread::scope(|scope| {
///     scope.spawn(|| (&filter).extend(0..500u64));
///     scope.spawn(|| (&filter).extend(500..1_000u64));
/// });
/// assert_eq!(filter.len(), 1_000);
/// ```
impl<T: Hash, E: Engine, S: HashesItem<T>> Extend<T> for &Filter<E, S> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        expect_room(insert_each(self, items.into_iter()));
    }
}

/// Collects one copy of every item, as `extend` does, in a filter sized for their number.
///
/// It leaves little room for more items. For more room, create a filter
/// [`with_capacity`](Filter::with_capacity) and extend that. For one copy of each different item,
/// use [`collect_distinct`](Filter::collect_distinct).
///
/// It takes the time to hash and sort the items, and meanwhile 8 bytes for each of them.
///
/// # Panics
///
/// If the memory could not be allocated. If there are more copies of one item than its buckets
/// hold, eight with 4 x 16. Or if the hasher mixes so badly that the items do not fit even into a
/// table of about twice the size. Different items always fit, with a hasher that meets the
/// requirements of [`FilterBuilder::hasher`](crate::FilterBuilder::hasher).
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::CuckooFilter;
///
/// let words: CuckooFilter = "to be or not to be".split(' ').collect();
/// assert_eq!((words.len(), words.count("to")), (6, 2));
/// assert!(words.remove("to") && words.contains("to"));
/// ```
impl<T, E, S> FromIterator<T> for Filter<E, S>
where
    T: Hash,
    E: Buildable,
    S: HashesItem<T, Inner: Default>,
{
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let hasher = S::Inner::default();
        let hashes = items.into_iter().map(|item| hasher.hash_one(item));
        let mut hashes: Vec<u64> = hashes.collect();
        hashes.sort_unstable();
        build(
            S::from_inner(hasher),
            &hashes,
            Filter::insert_many_hash,
            COPIES,
        )
    }
}

impl<E: Buildable, S: FilterHasher<Inner: Default>> Filter<E, S> {
    /// Collects a set: one copy of each different item, however often it occurs, in a filter sized
    /// for their number.
    ///
    /// It leaves little room for more items. For more room, create a filter
    /// [`with_capacity`](Filter::with_capacity), and [`insert_unique`](Filter::insert_unique).
    /// Items with equal 64-bit hashes count as one: among six billion different items, one such
    /// pair is expected. Items that only collide in the filter are all in.
    ///
    /// It takes the time to hash and sort the items. Meanwhile it keeps their hashes, of 8 bytes
    /// each: all of them for up to a million items, and for more items at most four times the
    /// number of different ones.
    ///
    /// # Panics
    ///
    /// If the memory could not be allocated, or if the hasher mixes so badly that the items do not
    /// fit even into a table of about twice the size. With a hasher that meets the requirements of
    /// [`FilterBuilder::hasher`](crate::FilterBuilder::hasher) they always fit.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let words: CuckooFilter = CuckooFilter::collect_distinct("to be or not to be".split(' '));
    /// assert_eq!(words.len(), 4);
    /// assert!(words.remove("to") && !words.contains("to"));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn collect_distinct<T: Hash>(items: impl IntoIterator<Item = T>) -> Self
    where
        S: HashesItem<T>,
    {
        let hasher = S::Inner::default();
        let hashes = distinct(items.into_iter().map(|item| hasher.hash_one(item)));
        build(
            S::from_inner(hasher),
            &hashes,
            Filter::insert_many_hash,
            HASHER,
        )
    }
}

/// Number of items hashed before the first of them is inserted.
const BATCH: usize = 256;

/// Size of a filter, in bytes, from which batches pay: more than a second-level cache. Below, they
/// cost a tenth.
const LARGE: usize = 2 << 20;

fn insert_each<E: Engine, S: FilterHasher>(
    filter: &Filter<E, S>,
    mut items: impl Iterator<Item = impl Hash>,
) -> Result<(), InsertError> {
    items.try_for_each(|item| filter.insert_hash(filter.hasher.inner().hash_one(&item)))
}

fn insert_in_batches<E: Engine, S: FilterHasher>(
    filter: &Filter<E, S>,
    items: impl Iterator<Item = impl Hash>,
) -> Result<(), InsertError> {
    let mut batch = Batch {
        engine: filter.engine(),
        hashes: [0; BATCH],
        len: 0,
    };
    for item in items {
        batch.hashes[batch.len] = filter.hasher.inner().hash_one(&item);
        batch.len += 1;
        if batch.len == BATCH {
            batch.insert()?;
        }
    }
    batch.insert()
}

/// Items taken but not yet inserted.
struct Batch<'a, E: RawFilter + ?Sized> {
    engine: &'a E,
    hashes: [u64; BATCH],
    len: usize,
}

impl<E: RawFilter + ?Sized> Batch<'_, E> {
    fn insert(&mut self) -> Result<(), InsertError> {
        // Empty it first: the drop of the batch must not retry refused items.
        let hashes = &self.hashes[..mem::take(&mut self.len)];
        self.engine.insert_many(hashes).map_err(InsertError::from)
    }
}

/// If the iterator or a `Hash` panicked: inserts the items taken before, as far as there is room.
impl<E: RawFilter + ?Sized> Drop for Batch<'_, E> {
    fn drop(&mut self) {
        let _ = self.insert();
    }
}

#[track_caller]
fn expect_room(extended: Result<(), InsertError>) {
    if let Err(error) = extended {
        panic!("the filter could not be extended: {error}");
    }
}

/// Number of hashes kept before the first search for duplicates.
const KEPT: usize = 1 << 20;

/// The distinct hashes in ascending order.
fn distinct(hashes: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut kept = Vec::with_capacity(hashes.size_hint().0.min(KEPT));
    let mut most = KEPT;
    for hash in hashes {
        if kept.len() == most {
            sort_distinct(&mut kept);
            // Sort next at a multiple of the distinct hashes: a long stream of few items needs
            // little memory, and sorting costs at most a third more than one sort.
            most = (4 * kept.len()).max(KEPT);
        }
        kept.push(hash);
    }
    sort_distinct(&mut kept);
    kept
}

fn sort_distinct(hashes: &mut Vec<u64>) {
    hashes.sort_unstable();
    hashes.dedup();
}

/// Why all items, or the distinct ones, fit into no table.
const COPIES: &str =
    "an item occurs too often, or the hasher mixes too badly, to collect these items";
const HASHER: &str = "the hasher mixes too badly to collect these items";

/// Number of larger tables to try if the hashes do not fit into the first one. That happens less
/// than once in a million builds, and then one larger table is enough, unless the hasher is poor.
/// The last one is about twice as large.
const LARGER_TABLES: usize = 8;

/// Builds a filter of exactly these hashes. They ascend, so their buckets ascend too. Copies of one
/// item are harder to place, and may take a larger table. `cause` is why even that may not suffice.
#[track_caller]
fn build<E: Buildable, S: FilterHasher>(
    mut hasher: S,
    hashes: &[u64],
    fill: impl Fn(&Filter<E, S>, &[u64]) -> Result<(), InsertManyError>,
    cause: &str,
) -> Filter<E, S> {
    // Ask for no less than the smallest filter, which takes any items up to its number of slots.
    let mut capacity = hashes.len().max(sizing::pair_slots::<E::Layout>());
    let mut larger = 0;
    loop {
        let builder = FilterBuilder::with_hasher(hasher).capacity(capacity);
        let filter = match builder.search_budget(LONG_BUDGET).build() {
            Ok(filter) => filter,
            Err(error) => panic!("{error}"),
        };
        match fill(&filter, hashes).map_err(InsertError::from) {
            Ok(()) => return filter,
            Err(
                InsertError::Full { .. }
                | InsertError::Disturbed { .. }
                | InsertError::NoDescriptor,
            ) if larger < LARGER_TABLES => {
                larger += 1;
                let geometry = sizing::geometry_for::<E::Layout>(capacity);
                capacity = sizing::items_for(geometry) + 1;
                hasher = filter.hasher;
            }
            Err(error) => panic!("{cause}: {error}"),
        }
    }
}

#[cfg(feature = "rayon")]
mod parallel {
    //! Filling a filter from rayon's parallel iterators.

    use alloc::vec::Vec;
    use core::hash::{BuildHasher, Hash};

    use rayon::prelude::*;

    use super::{COPIES, HASHER, build, expect_room};
    use crate::error::InsertManyError;
    use crate::filter::{Buildable, Engine, Filter};
    use crate::typed_hasher::{FilterHasher, HashesItem};

    /// Inserts one copy of every item, whether or not it is already stored, in no particular order.
    ///
    /// # Panics
    ///
    /// If an insert is refused. The other threads stop soon afterwards, and the calling thread
    /// panics with the text of the error. It is then unspecified which items are in.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    /// use rayon::prelude::*;
    ///
    /// let mut filter = CuckooFilter::with_capacity(10_000);
    /// filter.par_extend((0..10_000u64).into_par_iter());
    /// assert_eq!(filter.len(), 10_000);
    /// ```
    impl<T, E, S> ParallelExtend<T> for Filter<E, S>
    where
        T: Hash + Send,
        E: Engine,
        S: HashesItem<T> + Sync,
    {
        #[track_caller]
        fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, items: I) {
            (&*self).par_extend(items);
        }
    }

    /// The same, while other threads use the filter.
    ///
    /// # Panics
    ///
    /// If an insert is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    /// use rayon::prelude::*;
    ///
    /// let filter = CuckooFilter::with_capacity(10_000);
    /// rayon::join(
    ///     || (&filter).par_extend((0..5_000u64).into_par_iter()),
    ///     || (&filter).par_extend((5_000..10_000u64).into_par_iter()),
    /// );
    /// assert_eq!(filter.len(), 10_000);
    /// ```
    impl<T, E, S> ParallelExtend<T> for &Filter<E, S>
    where
        T: Hash + Send,
        E: Engine,
        S: HashesItem<T> + Sync,
    {
        #[track_caller]
        fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, items: I) {
            let filter = *self;
            let items = items.into_par_iter();
            let insert = |item| filter.insert_hash(filter.hasher.inner().hash_one(&item));
            expect_room(items.try_for_each(insert));
        }
    }

    /// Collects one copy of every item, as [`FromIterator`] does, with all threads of the pool.
    ///
    /// # Panics
    ///
    /// As [`FromIterator`].
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    /// use rayon::prelude::*;
    ///
    /// let words: CuckooFilter = "to be or not to be".par_split(' ').collect();
    /// assert_eq!(words.len(), 6);
    /// ```
    impl<T, E, S> FromParallelIterator<T> for Filter<E, S>
    where
        T: Hash + Send,
        E: Buildable,
        S: HashesItem<T, Inner: Default + Sync> + Sync,
    {
        #[track_caller]
        fn from_par_iter<I: IntoParallelIterator<Item = T>>(items: I) -> Self {
            let hasher = S::Inner::default();
            let hashes = sorted(&hasher, items);
            build(S::from_inner(hasher), &hashes, insert_all, COPIES)
        }
    }

    impl<E: Buildable, S: FilterHasher<Inner: Default + Sync> + Sync> Filter<E, S> {
        /// Collects a set, as [`collect_distinct`](Filter::collect_distinct) does, with all threads
        /// of the pool. Meanwhile it takes 8 bytes of memory for each item, duplicates included, in
        /// addition to the filter.
        ///
        /// # Panics
        ///
        /// As [`collect_distinct`](Filter::collect_distinct).
        ///
        /// # Examples
        ///
        /// ```
        /// use lockfree_cuckoo::CuckooFilter;
        /// use rayon::prelude::*;
        ///
        /// let words = "to be or not to be".par_split(' ');
        /// let words: CuckooFilter = CuckooFilter::par_collect_distinct(words);
        /// assert_eq!(words.len(), 4);
        /// ```
        #[must_use]
        #[track_caller]
        pub fn par_collect_distinct<T: Hash + Send>(
            items: impl IntoParallelIterator<Item = T>,
        ) -> Self
        where
            S: HashesItem<T>,
        {
            let hasher = S::Inner::default();
            let mut hashes = sorted(&hasher, items);
            hashes.dedup();
            build(S::from_inner(hasher), &hashes, insert_all, HASHER)
        }
    }

    /// The hashes of all items in ascending order.
    fn sorted<T: Hash + Send>(
        hasher: &(impl BuildHasher + Sync),
        items: impl IntoParallelIterator<Item = T>,
    ) -> Vec<u64> {
        let hashes = items.into_par_iter().map(|item| hasher.hash_one(item));
        let mut hashes: Vec<u64> = hashes.collect();
        hashes.par_sort_unstable();
        hashes
    }

    /// Number of hashes that one thread inserts at a time.
    const PART: usize = 4096;

    /// Inserts these hashes with all threads. They ascend, so the threads work in different places.
    fn insert_all<E: Engine, S: Sync>(
        filter: &Filter<E, S>,
        hashes: &[u64],
    ) -> Result<(), InsertManyError> {
        let parts = hashes.par_chunks(PART);
        parts.try_for_each(|part| filter.insert_many_hash(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_stream_of_few_items_is_kept_short() {
        let kept = distinct((0..5 * KEPT as u64).map(|item| item % 7));
        assert_eq!(kept, [0, 1, 2, 3, 4, 5, 6]);
        assert!(kept.capacity() <= KEPT, "{}", kept.capacity());
    }

    /// What is different is kept, however much it is.
    #[test]
    fn distinct_items_are_kept() {
        // Take every item twice, the second time long after the first.
        let items = 3 * KEPT as u64;
        let hashes = (0..2 * items).map(|item| (item % items).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let kept = distinct(hashes);
        assert_eq!(kept.len() as u64, items);
        assert!(kept.is_sorted());
    }
}
