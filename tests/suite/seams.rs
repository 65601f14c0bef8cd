//! Limits and sizes across layers: whatever a builder sets or a copy takes over, the engine has.
//!
//! 1. A limit on memory counts the bytes of the whole filter, whatever its hasher and however the
//!    filter was made.
//! 2. A filter like another one (new, cloned, a snapshot, or stored and read) has its size, budget
//!    and limits.
//! 3. The filter has the settings of its builder.

use std::fmt::Debug;
use std::hash::RandomState as Sip;

use lockfree_cuckoo::testing::{Descriptors, Internals};
use lockfree_cuckoo::{
    BuildError, CuckooFilter, CuckooFilterBuilder, DynFilter, Filter, GrowingCuckooFilter,
    GrowingCuckooFilterBuilder, GrowthError, InsertError, RotatingCuckooFilter,
    filter::{Buildable, Grows},
    layout::Shape,
};
use model::hashers::Fnv;
use model::mix;
use model::stored;

use crate::door::{of_each_engine, offered, requested};

/// Inserts until the first refusal, and returns it. All limits here are below this number of items.
fn refusal<E: Buildable, S>(filter: &Filter<E, S>) -> InsertError {
    (1 << 40..(1 << 40) + 100_000)
        .find_map(|item| filter.insert_hash(mix(item)).err())
        .expect("a limit")
}

/// Checks a limit on memory to the byte, before anything of that size is allocated. `build` makes a
/// filter that may take this number of bytes, and returns the number that it takes.
fn takes_exactly_its_limit(build: impl Fn(usize) -> Result<usize, BuildError>) {
    let usage = build(usize::MAX).expect("memory");
    assert_eq!(build(usage).expect("enough"), usage);
    let error = build(usage - 1).expect_err("a byte too few");
    let told = (requested(&error), offered(&error));
    assert_eq!(told, (usage - 1, Some(usage)));
    assert!(matches!(error, BuildError::MemoryLimit { .. }));
    assert!(error.to_string().contains(&usage.to_string()), "{error}");
}

/// A limit equal to the memory of a filter is enough.
#[test]
fn limit_equal_to_memory() {
    fn usage<E: Buildable, S>(filter: Filter<E, S>) -> usize {
        filter.memory_usage()
    }
    let fixed = |most| {
        CuckooFilter::builder()
            .capacity(1_000)
            .max_memory_usage(most)
    };
    let growing = |most| {
        GrowingCuckooFilter::builder()
            .capacity(1_000)
            .max_memory_usage(most)
    };
    let rotating = |most| {
        RotatingCuckooFilter::builder()
            .capacity(1_000)
            .max_memory_usage(most)
    };
    for &shape in Shape::ALL {
        takes_exactly_its_limit(|most| {
            let filter = fixed(most).build_shape(shape)?;
            assert!((1_000..2_500).contains(&filter.slots()), "{filter:?}");
            Ok(filter.memory_usage())
        });
    }
    takes_exactly_its_limit(|most| growing(most).build().map(usage));
    for generations in [2, 3, 15] {
        takes_exactly_its_limit(|most| rotating(most).generations(generations).build().map(usage));
    }
    // Hashers of other sizes, from the beginning, and instead of another one.
    let (sip, fnv) = (Sip::new(), Fnv::default());
    takes_exactly_its_limit(|most| fixed(most).hasher(sip.clone()).build().map(usage));
    takes_exactly_its_limit(|most| {
        let builder = CuckooFilterBuilder::with_hasher(sip.clone()).capacity(1_000);
        builder.max_memory_usage(most).build().map(usage)
    });
    takes_exactly_its_limit(|most| growing(most).hasher(fnv).build().map(usage));
    takes_exactly_its_limit(|most| {
        let builder = GrowingCuckooFilterBuilder::with_hasher(fnv).capacity(1_000);
        builder.max_memory_usage(most).build().map(usage)
    });
    // Another number of descriptors.
    takes_exactly_its_limit(|most| fixed(most).descriptors(1).build().map(usage));
    let error = fixed(1 << 30).capacity(1 << 40).build().expect_err("more");
    assert!(offered(&error) > Some(1 << 41), "{error}");
}

/// After the doubling that a limit of this number of bytes allows, before old words are given back,
/// the filter has exactly this number.
fn takes_the_memory_in_the_error<E: Grows, S>(mut filter: Filter<E, S>) {
    let error = |filter: &Filter<E, S>| {
        let mut items = (1 << 40..(1 << 40) + 100_000).map(mix);
        items.find_map(|item| filter.insert_hash(item).err())
    };
    filter.set_max_memory_usage(filter.memory_usage());
    let Some(InsertError::CannotGrow(GrowthError::MemoryLimit { needed, limit })) = error(&filter)
    else {
        panic!("there is a limit");
    };
    assert_eq!(limit, filter.memory_usage());
    assert!(filter.begin_to_double());
    assert_eq!(filter.memory_usage(), needed);
}

/// Growth is refused for the same bytes, however the filter was made. The refusal has the number of
/// bytes that the larger filter would have.
#[test]
fn growth_needs_same_bytes() {
    fn after<S: Debug>(mut filter: GrowingCuckooFilter<S>) -> String {
        filter.set_max_memory_usage(filter.memory_usage());
        refusal(&filter).to_string()
    }
    let builder = || GrowingCuckooFilter::builder().capacity(1_000);
    let with_hasher = GrowingCuckooFilterBuilder::with_hasher(Fnv::default()).capacity(1_000);
    // The larger table is the same in all of them, and so is the rest of the filter.
    let expected = after(with_hasher.build().expect("memory"));
    let hasher_later = builder().hasher(Fnv::default()).build();
    let collected: GrowingCuckooFilter<Fnv> = (0..1_000u64).collect();
    for other in [hasher_later.expect("memory"), collected] {
        assert_eq!(after(other), expected);
    }

    let built = builder().seed(7).build().expect("memory");
    let bytes = built.to_bytes().expect("quiet");
    let read = || GrowingCuckooFilter::from_bytes(&bytes).expect("just stored");
    let fresh = built.empty_like().expect("memory");
    let snapshot = built.snapshot().expect("no thread disturbs it");
    let dynamic = DynFilter::from_bytes(&bytes).expect("just stored");
    takes_the_memory_in_the_error(read());
    takes_the_memory_in_the_error(dynamic);
    // None of these has the log of the snapshot.
    let expected = after(read());
    for other in [read(), fresh, snapshot] {
        assert_eq!(after(other), expected);
    }
}

/// A copy of a filter has its size and budget, for each engine.
#[test]
fn copy_has_size_and_budget() {
    fn check<E: Buildable>() {
        let builder = Filter::<E>::builder().capacity(1_000).seed(7);
        let builder = builder.search_budget(300);
        let first = builder.clone().build().expect("memory");
        let filter = builder.build().expect("memory");
        let items: Vec<u64> = (0..500).collect();
        filter.insert_many(&items).expect("room");
        let fresh = filter.empty_like().expect("memory");
        assert_eq!(fresh.len(), 0);
        assert_eq!(fresh.memory_usage(), first.memory_usage());
        assert_eq!(
            fresh.to_bytes().expect("quiet"),
            first.to_bytes().expect("quiet")
        );
        assert_eq!(filter.len(), 500);
        let bytes = filter.to_bytes().expect("quiet");
        assert_eq!(
            filter.snapshot().expect("quiet").to_bytes().expect("quiet"),
            bytes
        );
        for budget in [2, 255, 256, 4_096] {
            let filter = Filter::<E>::builder().search_budget(budget).build();
            let bytes = filter.expect("memory").to_bytes().expect("quiet");
            assert_eq!(stored::SEARCH_BUDGET.get(&bytes), budget as u64);
        }
        for budget in [1, 4_097] {
            let refused = Filter::<E>::builder().search_budget(budget).build();
            assert_eq!(requested(&refused.expect_err("out of range")), budget);
        }
    }
    of_each_engine!(check);
    let few = CuckooFilter::builder().capacity(1_000).descriptors(3);
    let few = few.build().expect("memory");
    let fresh = few.empty_like().expect("memory");
    assert_eq!(fresh.memory_usage(), few.memory_usage());
}

/// A copy of a growing filter that has grown has its limits and first size.
#[test]
fn copy_has_limits() {
    let builder = GrowingCuckooFilter::builder().buckets(8).seed(7);
    let builder = builder.search_budget(100).max_false_positive_rate(0.01);
    let builder = builder.max_memory_usage(40_000);
    let (filter, first) = (
        builder.clone().build().expect("memory"),
        builder.build().expect("memory"),
    );
    let first = first.to_bytes().expect("quiet");
    assert_eq!(filter.slots(), 32);
    let items: Vec<u64> = (0..200).map(mix).collect();
    filter.insert_many_hash(&items).expect("within the limits");
    assert!(filter.slots() > 32);
    let fresh = filter.empty_like().expect("memory");
    assert_eq!((fresh.len(), fresh.tables(), fresh.slots()), (0, 1, 32));
    let bytes = filter.to_bytes().expect("quiet");
    let mut copies = vec![
        filter.snapshot().expect("quiet"),
        GrowingCuckooFilter::from_bytes(&bytes).expect("just stored"),
    ];
    assert!(
        copies
            .iter_mut()
            .all(|copy| copy.to_bytes().expect("quiet") == bytes)
    );
    copies.push(fresh);
    for mut copy in copies {
        let refused = refusal(&copy);
        assert!(matches!(refused, InsertError::CannotGrow(_)));
        assert!(copy.memory_usage() <= 40_000);
        // It begins again with its first size.
        copy.clear();
        assert_eq!((copy.tables(), copy.slots()), (1, 32));
        assert!(copy.to_bytes().expect("quiet") == first);
    }
    for (buckets, nearest) in [
        (0, 2),
        (1, 2),
        (3, 4),
        (5, 4),
        (6, 8),
        (7, 8),
        (1_025, 1_024),
    ] {
        let error = GrowingCuckooFilter::builder().buckets(buckets).build();
        let error = error.expect_err("impossible");
        assert_eq!(
            (requested(&error), offered(&error)),
            (buckets, Some(nearest))
        );
    }
    let default = GrowingCuckooFilter::builder().build().expect("memory");
    assert_eq!(
        stored::SEARCH_BUDGET.get(&default.to_bytes().expect("quiet")),
        256
    );
}

/// Each generation is filled as a fixed filter is.
#[test]
fn a_copy_of_a_rotating_filter_rotates_on() {
    let built = || RotatingCuckooFilter::builder().seed(7).generations(3);
    let filter = built().buckets(6).build().expect("memory");
    assert_eq!((filter.slots(), filter.generations()), (3 * 24, 3));
    let rotating = built().capacity(1_000).build().expect("memory");
    let fixed = CuckooFilter::builder().capacity(1_000).build();
    let refused = refusal(&fixed.expect("memory"));
    for _ in 0..4 {
        assert_eq!(refusal(&rotating), refused);
        rotating.rotate().expect("alone");
    }
    let read = RotatingCuckooFilter::from_bytes(&rotating.to_bytes().expect("quiet"))
        .expect("just stored");
    assert_eq!((read.capacity(), read.rotations()), (1_000, 4));
    assert_eq!(read.memory_usage(), rotating.memory_usage());
    assert_eq!(refusal(&read), refused);
    let fresh = rotating.empty_like().expect("memory");
    assert_eq!((fresh.rotations(), fresh.generations()), (0, 3));
    assert_eq!(refusal(&fresh), refused);
}
