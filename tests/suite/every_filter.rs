//! What all filters have in common: of a fixed size, growing or rotating, they have the same traits and the same convenient
//! calls.

use std::fmt::Debug;
use std::io;
use std::sync::Arc;

use crew::Crew;
use lockfree_cuckoo::{
    CuckooFilter, Engine, Filter, Fixed, Growing, Hashed, OutOfMemory, RandomState, Rotating,
    SnapshotError,
};
use model::hashers::Fnv;

#[test]
fn all_filters_are_alike() {
    check::<Fixed>(1, "CuckooFilter");
    // Half of the words may be new, and those before are given back when all threads have left them.
    check::<Growing>(2, "GrowingCuckooFilter");
    check::<Rotating>(3, "RotatingCuckooFilter");
}

/// Of filters with at most so many tables, and of this name.
fn check<E: Engine>(tables: usize, name: &str) {
    has_the_traits::<Filter<E>>();
    default_has_the_size_of_a_builder::<E>();
    every_constructor_makes_the_same_size::<E>(tables);
    collects_a_set::<E>(tables);
    answers_for_each_item::<E>();
    knows_what_remains::<E>();
    debug_tells_the_load::<E>(name);
    stores_a_snapshot_of_what_is_shared::<E>();
}

fn has_the_traits<F>()
where
    F: Debug + Default + Extend<u64> + FromIterator<u64> + Send + Sync,
    for<'a> &'a F: Extend<u64>,
{
    let mut filter: F = (0..10).collect();
    filter.extend(10..12);
    (&filter).extend(12..13);
}

fn default_has_the_size_of_a_builder<E: Engine>() {
    let filter = Filter::<E>::default();
    let built = Filter::<E>::builder().build();
    let built = built.expect("memory");
    assert_eq!(filter.capacity(), built.capacity());
    assert_eq!(filter.memory_usage(), built.memory_usage());
    assert!(filter.is_empty());
    assert_ne!(filter.hasher().seed(), built.hasher().seed(), "at random");
}

fn every_constructor_makes_the_same_size<E: Engine>(tables: usize) {
    let hasher = || RandomState::with_seed(7);
    let builder = || Filter::<E>::builder();
    let seeded = builder().capacity(1_000).seed(7).build().expect("memory");
    for filter in [
        Filter::<E>::with_capacity(1_000),
        Filter::try_with_capacity(1_000).expect("memory"),
        Filter::with_capacity_and_hasher(1_000, hasher()),
        Filter::try_with_capacity_and_hasher(1_000, hasher()).expect("memory"),
        builder()
            .hasher(hasher())
            .capacity(1_000)
            .build()
            .expect("memory"),
    ] {
        assert!(filter.is_empty() && filter.capacity() >= 1_000);
        assert_eq!(filter.slots(), seeded.slots());
    }
    assert!(Filter::<E>::try_with_capacity(usize::MAX).is_err());
    let slots = builder().buckets(128).build().expect("memory").slots();
    // A table that is spare holds nothing.
    assert_eq!(slots, [512, 2 * 512][usize::from(tables > 2)]);
}

fn collects_a_set<E: Engine>(tables: usize) {
    let filter: Filter<E> = (0..10_000u64).map(|item| item % 5_000).collect();
    assert_eq!(filter.len(), 5_000);
    assert!((0..5_000u64).all(|item| filter.contains(&item)));
    let bits = 8 * filter.memory_usage() / 5_000;
    assert!(bits < 32 * tables, "{bits} bits an item");
}

fn answers_for_each_item<E: Engine>() {
    let filter: Filter<E> = (0..1_000u64).collect();
    let items: Vec<u64> = (500..2_500).collect();
    let mut expected = vec![false; items.len()];
    filter.contains_many(&items, &mut expected);
    assert!(expected[..500].iter().all(|&found| found));
    assert_eq!(filter.contains_each(&items), expected);
    assert!(filter.contains_each::<u64>(&[]).is_empty());
}

fn knows_what_remains<E: Engine>() {
    let filter = Filter::<E>::with_capacity(1_000);
    let capacity = filter.capacity();
    for item in 0..capacity as u64 {
        assert_eq!(filter.remaining(), capacity - item as usize);
        assert!(!filter.is_full());
        filter.insert_many(&[item]).expect("sized for it");
    }
    assert_eq!((filter.remaining(), filter.is_full()), (0, true));
    let hashed: &dyn Hashed = &filter;
    assert_eq!((hashed.remaining(), hashed.is_full()), (0, true));
    // There is room for a few more than it was built for, or it grows.
    filter.insert_many(&[1u64 << 40]).expect("room");
    assert_eq!(
        filter.remaining(),
        filter.capacity() - (capacity + 1).min(filter.capacity())
    );
}

fn debug_tells_the_load<E: Engine>(name: &str) {
    let filter: Filter<E> = (0..1_000u64).collect();
    let text = format!("{filter:?}");
    for part in [
        format!("{name} {{ len: 1000, capacity: {}", filter.capacity()),
        format!("slots: {}", filter.slots()),
        format!("memory_usage: {}", filter.memory_usage()),
        format!("load_factor: {:?}", filter.load_factor()),
        format!("false_positive_rate: {:?}", filter.false_positive_rate()),
    ] {
        assert!(text.contains(&part), "{text}");
    }
    assert!(
        !text.contains(&filter.hasher().seed().to_string()),
        "{text}"
    );
}

/// From an `Arc`, while another thread writes.
fn stores_a_snapshot_of_what_is_shared<E: Engine>() {
    let filter = Arc::new(Filter::<E>::with_capacity(2_000));
    let lasting: Vec<u64> = (0..1_000).collect();
    filter.insert_many(&lasting).expect("room");
    Crew::run(
        1,
        |_, _| {
            for _ in 0..20 {
                let mut written = Vec::new();
                filter
                    .snapshot_to_writer(&mut written)
                    .expect("one at a time");
                let bytes = filter.snapshot_to_bytes().expect("one at a time");
                for stored in [written, bytes] {
                    let again = Filter::<E>::from_bytes(&stored);
                    let again = again.expect("a whole filter");
                    assert!(again.contains_each(&lasting).into_iter().all(|found| found));
                }
            }
        },
        1,
        |crew, _| {
            let others: Vec<u64> = (1_000..1_500).collect();
            while crew.at_work() {
                filter.insert_many(&others).expect("room");
                assert_eq!(filter.remove_many(&others), others.len());
            }
        },
    );
    // At rest it is what `to_bytes` gives.
    let bytes = filter.snapshot_to_bytes().expect("nobody writes");
    let mut alone = Arc::into_inner(filter).expect("no thread has it");
    assert_eq!(bytes.len(), alone.to_bytes().len());
}

#[test]
fn a_default_filter_has_a_default_hasher() {
    let filter: CuckooFilter<Fnv> = CuckooFilter::default();
    assert_eq!(filter.hasher().key, Fnv::default().key);
}

#[test]
fn a_snapshot_that_fails_is_an_error_of_its_kind() {
    let kind = |error: SnapshotError| io::Error::from(error).kind();
    assert_eq!(kind(SnapshotError::Busy), io::ErrorKind::ResourceBusy);
    assert_eq!(kind(SnapshotError::Disturbed), io::ErrorKind::ResourceBusy);
    let memory = SnapshotError::OutOfMemory(OutOfMemory::new(1));
    assert_eq!(kind(memory), io::ErrorKind::OutOfMemory);
    let error = io::Error::from(SnapshotError::Busy);
    assert!(
        error
            .get_ref()
            .is_some_and(|inner| inner.is::<SnapshotError>())
    );
}
