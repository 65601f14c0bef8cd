//! Filling a filter from iterators.
//!
//! To extend a filter adds one copy of every item; to collect one makes a set, of just the size it needs. Both
//! hash every item once, and let go of it before they take the next.

#[cfg(feature = "rayon")]
mod parallel;

use alloc::vec::Vec;
use core::borrow::Borrow;
use core::hash::{BuildHasher, Hash};
use core::mem;

use crate::bucket::Bucket;
use crate::error::{InsertError, InsertManyError};
use crate::filter::CuckooFilter;
use crate::sizing;
use crate::typed::TypedCuckooFilter;

/// Inserts every item, one copy each, whether or not it is in. The items can be references too.
///
/// If the iterator or an item's `Hash` panics, the items taken before are in. A large filter is filled in
/// batches, so the iterator may have given up to 255 items more than went in when one is refused. To add items
/// while others use the filter, extend a shared reference to it.
///
/// # Panics
///
/// If an insert is refused; the items before it are in, those behind it were not tried. Use
/// [`insert_many`](CuckooFilter::insert_many) or [`insert`](CuckooFilter::insert) where that can happen.
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
impl<T: Hash, S: BuildHasher> Extend<T> for CuckooFilter<S> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        let items = items.into_iter();
        // Nobody can look at the filter meanwhile, not even the iterator, so nobody can tell that items go in
        // in batches.
        let extended = if items.size_hint().0 >= BATCH && self.memory_usage() >= LARGE {
            insert_in_batches(self, items)
        } else {
            insert_each(self, items)
        };
        expect_room(extended);
    }
}

/// Inserts every item, one copy each, whether or not it is in, while other threads do what they like with the
/// filter; many may extend it at once.
///
/// Each item is in before the next one is taken. If the iterator or an item's `Hash` panics, the items taken
/// before are in.
///
/// # Panics
///
/// If an insert is refused; the items before it are in, those behind it were not taken. Use
/// [`insert`](CuckooFilter::insert) where that can happen.
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
impl<T: Hash, S: BuildHasher> Extend<T> for &CuckooFilter<S> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        expect_room(insert_each(self, items.into_iter()));
    }
}

/// Collects a set: one copy of every item, however often it comes, in a filter sized for their number.
///
/// There is little room for more items; to have it, make a filter
/// [`with_capacity`](CuckooFilter::with_capacity) and extend that. Items whose 64-bit hashes are equal count as
/// one: of different items, one such pair is expected among six billion.
///
/// It takes the time to hash and sort the items. Meanwhile it keeps their hashes, of 8 bytes each: of up to a
/// million items all of them, of more items no more than four times as many as are different.
///
/// # Panics
///
/// If the memory cannot be had, or if the hasher mixes its output so badly that the items do not fit even into a
/// table of about twice the size. With a hasher as [`CuckooFilterBuilder::hasher`] demands it they always fit.
///
/// [`CuckooFilterBuilder::hasher`]: crate::CuckooFilterBuilder::hasher
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::CuckooFilter;
///
/// let words: CuckooFilter = "to be or not to be".split(' ').collect();
/// assert_eq!(words.len(), 4);
/// assert!(words.remove("to"));
/// assert!(!words.contains("to"));
/// ```
impl<T: Hash, S: BuildHasher + Default> FromIterator<T> for CuckooFilter<S> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let hasher = S::default();
        let hashes = distinct(items.into_iter().map(|item| hasher.hash_one(item)));
        build(hasher, &hashes, CuckooFilter::insert_many_hash)
    }
}

/// As the [`CuckooFilter`], from items that can be borrowed as `T`.
///
/// # Panics
///
/// If an insert is refused.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::TypedCuckooFilter;
///
/// let mut filter = TypedCuckooFilter::<i64>::with_capacity(100);
/// filter.extend([1, 2]);
/// filter.extend(&[3, 4]);
/// assert!(filter.contains(&1) && filter.contains(&4));
/// ```
impl<T: ?Sized, B: Borrow<T> + Hash, S: BuildHasher> Extend<B> for TypedCuckooFilter<T, S> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = B>>(&mut self, items: I) {
        self.as_untyped_mut().extend(items);
    }
}

/// As a shared reference to a [`CuckooFilter`], from items that can be borrowed as `T`.
///
/// # Panics
///
/// If an insert is refused.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::TypedCuckooFilter;
///
/// let filter = TypedCuckooFilter::<str>::with_capacity(100);
/// (&filter).extend(["a", "b"]);
/// assert_eq!(filter.len(), 2);
/// ```
impl<T: ?Sized, B: Borrow<T> + Hash, S: BuildHasher> Extend<B> for &TypedCuckooFilter<T, S> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = B>>(&mut self, items: I) {
        self.as_untyped().extend(items);
    }
}

/// Collects a set, as for the [`CuckooFilter`], from items that can be borrowed as `T`. So `T` must be named.
///
/// # Panics
///
/// As for the [`CuckooFilter`].
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::TypedCuckooFilter;
///
/// let words: TypedCuckooFilter<str> = "to be or not to be".split(' ').collect();
/// assert_eq!(words.len(), 4);
/// ```
impl<T: ?Sized, B: Borrow<T> + Hash, S: BuildHasher + Default> FromIterator<B>
    for TypedCuckooFilter<T, S>
{
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = B>>(items: I) -> Self {
        Self::from_untyped(CuckooFilter::from_iter(items))
    }
}

/// Items that are hashed before the first of them is inserted.
const BATCH: usize = 256;

/// The bytes of a filter from which batches pay: more than a second-level cache has. Below, they cost a tenth.
const LARGE: usize = 2 << 20;

fn insert_each<T: Hash, S: BuildHasher>(
    filter: &CuckooFilter<S>,
    mut items: impl Iterator<Item = T>,
) -> Result<(), InsertError> {
    items.try_for_each(|item| filter.insert(&item))
}

fn insert_in_batches<T: Hash, S: BuildHasher>(
    filter: &CuckooFilter<S>,
    items: impl Iterator<Item = T>,
) -> Result<(), InsertError> {
    let mut batch = Batch {
        filter,
        hashes: [0; BATCH],
        len: 0,
    };
    for item in items {
        batch.hashes[batch.len] = filter.hash_one(&item);
        batch.len += 1;
        if batch.len == BATCH {
            batch.insert()?;
        }
    }
    batch.insert()
}

/// Items that were taken and are not in yet.
struct Batch<'a, S> {
    filter: &'a CuckooFilter<S>,
    hashes: [u64; BATCH],
    len: usize,
}

impl<S> Batch<'_, S> {
    fn insert(&mut self) -> Result<(), InsertError> {
        // Emptied first: what a refusal leaves must not be tried again when the batch is dropped.
        let hashes = &self.hashes[..mem::take(&mut self.len)];
        self.filter
            .insert_many_hash(hashes)
            .map_err(|stopped| stopped.error)
    }
}

/// The iterator or a `Hash` panicked: what was taken before goes in, as far as there is room.
impl<S> Drop for Batch<'_, S> {
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

/// Hashes that are kept before duplicates are first looked for.
const KEPT: usize = 1 << 20;

/// The hashes in ascending order, each once.
fn distinct(hashes: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut kept = Vec::with_capacity(hashes.size_hint().0.min(KEPT));
    let mut most = KEPT;
    for hash in hashes {
        if kept.len() == most {
            sort_distinct(&mut kept);
            // In proportion to what is different, so that a long stream of few items needs little memory,
            // and so rarely that it costs at most a third more than to sort once.
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

/// Tables that are tried if the hashes do not fit into the first. That is rarer than once in a million, and one
/// more does then, unless the hasher is poor. So many more are about twice as large.
const LARGER_TABLES: usize = 8;

/// Builds a filter of exactly these hashes. They ascend, so they go to buckets that ascend too.
#[track_caller]
fn build<S: BuildHasher>(
    mut hasher: S,
    hashes: &[u64],
    fill: impl Fn(&CuckooFilter<S>, &[u64]) -> Result<(), InsertManyError>,
) -> CuckooFilter<S> {
    // The smallest filter takes any eight items.
    let mut capacity = hashes.len().max(2 * Bucket::SLOTS);
    let mut larger = 0;
    loop {
        let filter = CuckooFilter::with_capacity_and_hasher(capacity, hasher);
        match fill(&filter, hashes).map_err(|stopped| stopped.error) {
            Ok(()) => return filter,
            Err(InsertError::Full { .. }) if larger < LARGER_TABLES => {
                larger += 1;
                capacity = sizing::items_for(filter.tokens.geometry) + 1;
                hasher = filter.hasher;
            }
            Err(error) => panic!("the hasher mixes too badly to collect these items: {error}"),
        }
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

    #[test]
    fn what_is_different_is_kept_however_much_it_is() {
        // Every item twice, and the second time long after the first.
        let items = 3 * KEPT as u64;
        let hashes = (0..2 * items).map(|item| (item % items).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let kept = distinct(hashes);
        assert_eq!(kept.len() as u64, items);
        assert!(kept.is_sorted());
    }
}
