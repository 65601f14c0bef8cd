//! Growing filters: what stays exact through ten doublings, and in the tables behind them. What all engines promise is in
//! the other rooms, and what they take of memory in `memory`.
//!
//! 1. Nothing is lost and every remove of a stored item succeeds, also where many prefixes are nested; on one thread, and
//!    on several, with copies taken and growth begun at will meanwhile.
//! 2. Of racing `insert_unique` of one item, and of racing removes of one copy, exactly one is told true.
//! 3. Copies of few items never make a filter grow without end.
//! 4. Limits are kept, refusals say which, lose nothing, and end when there is room again.
//! 5. What is stored and then damaged is an error, or a filter that keeps every promise.
//! 6. The measures tell the truth. No doubling begins below the capacity; removes take part in it, and it can be ended.
//! 7. Whatever a filter grew to, it shrinks to what is left in it, and grows again.
//! 8. Saving changes nothing, and what is restored goes on as the saved filter does.
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

/// Hashes are given. It begins with two buckets for up to eight items.
pub(crate) fn filter(capacity: usize) -> Growing {
    builder(capacity).build().expect("memory")
}

pub(crate) fn builder(capacity: usize) -> GrowingCuckooFilterBuilder<AsGiven> {
    GrowingCuckooFilterBuilder::with_hasher(AsGiven).capacity(capacity)
}

/// A hash of so many index bits, and of two heads. Those of a table and of its tokens are the first of the index bits. With
/// all bits, a good hash.
pub(crate) fn narrow(item: u64, bits: u32) -> u64 {
    let hash = mix(item);
    if bits == ALL {
        hash
    } else {
        hash & u64::MAX << (64 - bits) | (hash & 1 | 2) << 10
    }
}

pub(crate) const ALL: u32 = 64;

/// Items of which no token covers another one, in a filter that begins with two buckets: each has a head and ten index bits
/// that no other has.
pub(crate) fn distinct(seed: u64) -> impl Iterator<Item = u64> {
    let mut used = std::collections::BTreeSet::new();
    random(seed).filter(move |&hash| {
        let head = hash >> 10 & 0x3f;
        // Some heads are more than one number.
        head > 1 && used.insert((hash >> 54, head))
    })
}

/// Puts all of these in.
fn insert_all<S>(filter: &GrowingCuckooFilter<S>, hashes: impl IntoIterator<Item: Borrow<u64>>) {
    for hash in hashes {
        filter.insert_hash(*hash.borrow()).expect("memory");
    }
}

/// Takes all of these out.
fn remove_all(filter: &Growing, hashes: impl IntoIterator<Item: Borrow<u64>>) {
    for hash in hashes {
        let removed = filter.remove_hash(*hash.borrow());
        assert!(removed, "a stored item was not removed");
    }
}

/// Checks that all of these are in.
fn assert_all_in(filter: &Growing, hashes: &[u64]) {
    let missed = hashes.iter().filter(|&&hash| !filter.contains_hash(hash));
    assert_eq!(missed.count(), 0, "stored items are missed");
}
