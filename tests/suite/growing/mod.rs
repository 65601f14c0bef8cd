//! Growing filters: what stays exact through ten doublings and in several tables. The other modules
//! test what all engines promise, and `memory` tests their memory.
//!
//! 1. No item is lost, and every remove of a stored item succeeds, also where many prefixes are
//!    nested; on one thread and on several, with snapshots and doublings at random times.
//! 2. Exactly one of racing `insert_unique` calls of one item succeeds, and exactly one of racing
//!    removes of one copy.
//! 3. Copies of few items do not make a filter grow without limit.
//! 4. Limits are kept. A refusal names its limit, loses nothing, and ends when there is room again.
//! 5. Damaged bytes are an error, or a filter that keeps every promise.
//! 6. The measures are exact. No doubling begins below the capacity; removes take part in it, and a
//!    call can end it.
//! 7. A filter of any size shrinks to the size that its items need, and grows again.
//! 8. Saving changes nothing, and a restored filter behaves as the saved one does.
//!
//! Most filters here begin with two buckets or a few, so that all ten doublings happen.

mod copies;
mod damage;
mod growth;
mod limits;
mod saving;
mod shrink;
mod threads;

use std::borrow::Borrow;

use lockfree_cuckoo::{GrowingCuckooFilter, GrowingCuckooFilterBuilder};
use model::hashers::AsGiven;
use model::mix;

use crate::door::random;

pub(crate) type Growing = GrowingCuckooFilter<AsGiven>;

/// Returns a filter with given hashes. It begins with two buckets for up to eight items.
pub(crate) fn filter(capacity: usize) -> Growing {
    builder(capacity).build().expect("memory")
}

pub(crate) fn builder(capacity: usize) -> GrowingCuckooFilterBuilder<AsGiven> {
    GrowingCuckooFilterBuilder::with_hasher(AsGiven).capacity(capacity)
}

pub(crate) fn in_buckets(buckets: usize) -> GrowingCuckooFilterBuilder<AsGiven> {
    GrowingCuckooFilterBuilder::with_hasher(AsGiven).buckets(buckets)
}

/// Returns a hash with `bits` index bits and one of two heads. A table and its tokens use the first
/// of the index bits. With all bits it is a good hash.
pub(crate) fn narrow(item: u64, bits: u32) -> u64 {
    let hash = mix(item);
    if bits == ALL {
        hash
    } else {
        hash & u64::MAX << (64 - bits) | (hash & 1 | 2) << 10
    }
}

pub(crate) const ALL: u32 = 64;

/// Returns items of which no token covers another one, in a filter that begins with two buckets: no
/// two have the same head and first ten index bits.
pub(crate) fn distinct(seed: u64) -> impl Iterator<Item = u64> {
    let mut used = std::collections::BTreeSet::new();
    random(seed).filter(move |&hash| {
        let head = hash >> 10 & 0x3f;
        // Some heads stand for more than one number.
        head > 1 && used.insert((hash >> 54, head))
    })
}

/// Inserts all of these.
fn insert_all<S>(filter: &GrowingCuckooFilter<S>, hashes: impl IntoIterator<Item: Borrow<u64>>) {
    for hash in hashes {
        filter.insert_hash(*hash.borrow()).expect("memory");
    }
}

/// Removes all of these.
fn remove_all(filter: &Growing, hashes: impl IntoIterator<Item: Borrow<u64>>) {
    for hash in hashes {
        let removed = filter.remove_hash(*hash.borrow());
        assert!(removed, "a stored item was not removed");
    }
}

/// Checks that all of these are stored.
fn assert_all_in(filter: &Growing, hashes: &[u64]) {
    let missed = hashes.iter().filter(|&&hash| !filter.contains_hash(hash));
    assert_eq!(missed.count(), 0, "stored items are missed");
}
