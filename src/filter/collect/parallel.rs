//! Filling a filter from the parallel iterators of rayon.

use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash};

use rayon::prelude::*;

use super::{build, expect_room};
use crate::error::InsertManyError;
use crate::filter::{Engine, Filter};

/// Inserts every item, one copy each, whether or not it is in, in no particular order.
///
/// # Panics
///
/// If an insert is refused. The other threads stop soon after, and the panic comes from the calling thread,
/// with the text of the refusal. Which items are in then is not specified.
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
    S: BuildHasher + Sync,
{
    #[track_caller]
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, items: I) {
        (&*self).par_extend(items);
    }
}

/// The same, while other threads do what they like with the filter.
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
    S: BuildHasher + Sync,
{
    #[track_caller]
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, items: I) {
        let filter = *self;
        let items = items.into_par_iter();
        let insert = |item| filter.insert_hash(filter.hasher.hash_one(&item));
        expect_room(items.try_for_each(insert));
    }
}

/// Collects a set, as [`FromIterator`] does, with all threads of the pool. Meanwhile it takes 8 bytes of memory
/// for each item, equal ones included, beside the filter.
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
/// assert_eq!(words.len(), 4);
/// ```
impl<T, E, S> FromParallelIterator<T> for Filter<E, S>
where
    T: Hash + Send,
    E: Engine,
    S: BuildHasher + Default + Sync,
{
    #[track_caller]
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(items: I) -> Self {
        let hasher = S::default();
        let hashes = items.into_par_iter().map(|item| hasher.hash_one(item));
        let mut hashes: Vec<u64> = hashes.collect();
        hashes.par_sort_unstable();
        hashes.dedup();
        build(hasher, &hashes, insert_all)
    }
}

/// Hashes that one thread inserts at a time.
const PART: usize = 4096;

/// Inserts these hashes with all threads. They ascend, so the threads work at different places.
fn insert_all<E: Engine, S: Sync>(
    filter: &Filter<E, S>,
    hashes: &[u64],
) -> Result<(), InsertManyError> {
    let parts = hashes.par_chunks(PART);
    parts.try_for_each(|part| filter.insert_many_hash(part))
}
