//! Filters that grow: what stays exact while segments come and go.
//!
//! 1. Nothing is lost and every remove of a stored item succeeds, also where hardly any two items can be told
//!    apart in the first segments; on one thread, and on several that read their own writes.
//! 2. Of racing `insert_unique` of one item, and of racing removes of one copy, exactly one is told true.
//! 3. Copies of few items never make a filter grow without end.
//! 4. Limits are kept, refusals say which, lose nothing, and end when there is room again.
//! 5. The batch calls are the single calls; the measures tell the truth.
//! 6. What is emptied is given back.
//!
//! Every test is bounded by a number of operations, none by time. The filters start with two buckets or a few, so
//! that they grow often.

#![allow(
    clippy::disallowed_types,
    reason = "the tests look at the crate from outside; the model checker is not involved"
)]

mod batch;
#[path = "../common/mod.rs"]
mod common;
mod copies;
mod limits;
mod measures;
mod oracle;
mod races;
mod simulation;
mod threads;
mod traits;

use std::thread;

use lockfree_cuckoo::{Filter, FilterBuilder, Growing};
use model::geometry::{Geometry, distinct};
use model::hashers::{AsGiven, Narrow};
use model::{Layout, mix};

/// A filter that grows by segments.
type Chain<S = lockfree_cuckoo::RandomState> = Filter<Growing, S>;

type Builder<S = lockfree_cuckoo::RandomState> = FilterBuilder<Growing, S>;

/// Six bits of fingerprint: in two buckets there are 64 classes in all.
const SHORT: Narrow = Narrow {
    mask: !0xffff | 0x3f,
};

fn short(capacity: usize, factor: usize) -> Chain<Narrow> {
    let builder = Chain::builder().capacity(capacity).growth_factor(factor);
    builder.hasher(SHORT).build().expect("memory")
}

fn as_given(capacity: usize) -> Chain<AsGiven> {
    let builder = Chain::builder().capacity(capacity);
    builder.hasher(AsGiven).build().expect("memory")
}

/// Of the first segment.
fn geometry<S>(filter: &Chain<S>) -> Geometry {
    assert_eq!(filter.segments(), 1, "it has not grown yet");
    Geometry::with_slots(Layout::DEFAULT, filter.slots())
}

fn scrambled(items: impl IntoIterator<Item = u64>, seed: u64) -> Vec<u64> {
    let mut items: Vec<u64> = items.into_iter().collect();
    items.sort_by_key(|&item| mix(seed ^ mix(item)));
    items
}

/// Shrinks until so many segments are left. Other tests run at the same time, and each of their threads that the
/// system has put aside in an operation delays what is freed here; hence the patience.
fn shrink<S>(filter: &Chain<S>, segments: usize) {
    for _ in 0..100_000 {
        filter.shrink_to_fit();
        if filter.segments() <= segments {
            return;
        }
        thread::yield_now();
    }
    panic!("drained segments stay: {filter:?}");
}

/// Any call by `&mut` does it.
fn free_what_is_parked<S>(filter: &mut Chain<S>) {
    filter.set_max_memory_usage(usize::MAX);
}

/// The filter is as empty as one can see.
fn assert_empty<S>(filter: &Chain<S>, hashes: impl IntoIterator<Item = u64>) {
    assert_eq!(filter.len(), 0, "len of an empty filter");
    assert!(filter.is_empty());
    for hash in hashes {
        assert_eq!(filter.count_hash(hash), 0, "a token is left");
        assert!(!filter.contains_hash(hash), "a token is left");
        assert!(!filter.remove_hash(hash), "a token is left");
    }
}
