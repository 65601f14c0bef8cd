//! The crate without the standard library: filters with a given hasher, and all their operations.
//!
//! Runs with every choice of features. `cargo test --no-default-features --test no_std` is the run
//! that matters. Only the test itself uses threads and sets.

use lockfree_cuckoo::{
    CuckooFilter, CuckooFilterBuilder, InsertError, RandomState, RotatingCuckooFilter,
    RotatingCuckooFilterBuilder,
};
use std::thread;

fn seeded(items: usize) -> CuckooFilter {
    CuckooFilter::with_capacity_and_hasher(items, RandomState::with_seed(7))
}

#[test]
fn is_a_set() {
    let filter = seeded(1_000);
    assert!(filter.is_empty());
    assert_eq!(filter.insert_unique("a"), Ok(true));
    assert_eq!(filter.insert_unique("a"), Ok(false));
    assert!(filter.contains("a"));
    assert!(filter.remove("a"));
    assert!(!filter.remove("a"));
    assert_eq!(filter.len(), 0);
}

#[test]
fn the_builder_begins_with_a_hasher() {
    let builder = CuckooFilterBuilder::with_hasher(RandomState::with_seed(7));
    let filter = builder.clone().buckets(1 << 10).build().expect("memory");
    assert_eq!(filter.slots(), 4 << 10);
    assert_eq!(filter.hasher().seed(), 7);
    let reseeded = builder.seed(8).build().expect("memory");
    assert_ne!(reseeded.hash_one("a"), filter.hash_one("a"));
}

#[test]
fn impossible_sizes_are_errors() {
    let refused = |items| {
        let builder = CuckooFilterBuilder::with_hasher(RandomState::with_seed(7));
        builder.capacity(items).build().is_err()
    };
    assert!(!refused(1_000));
    assert!(refused(usize::MAX));
}

#[test]
fn takes_its_capacity_and_then_is_full() {
    let filter = seeded(50_000);
    for item in 0..50_000u32 {
        filter.insert(&item).expect("sized for it");
    }
    assert!((0..50_000u32).all(|item| filter.contains(&item)));
    let refused = (50_000..100_000u32).find_map(|item| filter.insert(&item).err());
    assert!(matches!(refused, Some(InsertError::Full { .. })));
    assert!(filter.false_positive_rate() < 0.00013);
}

/// The count is exact with more threads than counters.
#[test]
fn more_threads_than_counters() {
    const THREADS: u32 = 100;
    const EACH: u32 = 2_000;
    let filter = seeded((THREADS * EACH) as usize);
    let on_all_threads = |work: &(dyn Fn(u32) + Sync)| {
        thread::scope(|scope| {
            for thread in 0..THREADS {
                scope.spawn(move || (thread * EACH..(thread + 1) * EACH).for_each(work));
            }
        });
    };
    on_all_threads(&|item| filter.insert(&item).expect("sized for it"));
    assert_eq!(filter.len(), (THREADS * EACH) as usize);
    on_all_threads(&|item| assert!(filter.remove(&item)));
    assert_eq!(filter.len(), 0);
}

#[test]
fn old_items_expire() {
    let builder = RotatingCuckooFilterBuilder::with_hasher(RandomState::with_seed(7));
    let filter: RotatingCuckooFilter = builder.generations(3).build().expect("memory");
    for period in 0..10u32 {
        for item in 0..500 {
            assert_eq!(filter.insert_unique(&(period, item)), Ok(true));
        }
        let kept = |ago| ago < 3;
        for ago in 0..=period {
            let found = (0..500).filter(|item| filter.contains(&(period - ago, *item)));
            assert_eq!(found.count(), if kept(ago) { 500 } else { 0 }, "{ago}");
        }
        filter.rotate().expect("alone");
    }
    assert_eq!(filter.len(), 1_000);
}

#[test]
fn forgets_while_threads_insert() {
    let filter = RotatingCuckooFilter::with_capacity_and_hasher(8_000, RandomState::with_seed(7));
    thread::scope(|scope| {
        for thread in 0..4u32 {
            let filter = &filter;
            scope.spawn(move || {
                for item in 0..20_000u32 {
                    let rotations = filter.rotations();
                    if filter.insert(&(thread, item)).is_err() {
                        filter
                            .rotate_if(rotations)
                            .expect("no thread is in the way");
                    }
                }
            });
        }
    });
    assert!(filter.rotations() > 5);
    for _ in 0..2 {
        filter.rotate().expect("alone");
    }
    assert!(filter.is_empty());
}

#[test]
fn is_stored_in_chunks() {
    let filter = seeded(1_000);
    filter
        .insert_hash(filter.hasher().hash_bytes(b"a"))
        .expect("room");
    let mut chunks = filter.chunks();
    let (mut stored, mut chunk) = (Vec::new(), [0; 100]);
    while chunks.position() < chunks.total() {
        let bytes = chunks.next_chunk(&mut chunk).expect("no thread writes");
        stored.extend_from_slice(&chunk[..bytes]);
    }
    assert_eq!(stored, filter.to_bytes().expect("quiet"));
    let read = CuckooFilter::from_bytes(&stored).expect("a filter");
    assert!(read.contains_hash(read.hasher().hash_bytes(b"a")));
}
