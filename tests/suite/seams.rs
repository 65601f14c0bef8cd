//! The seams between the facade and what it is built on.
//!
//! 1. A limit on memory counts the bytes of the whole filter, whatever its hasher, and however the filter was made.
//! 2. What is like another filter (fresh, cloned, a snapshot, stored and read) has its size, budget and limits.
//! 3. The calls through [`Hashed`] are the methods of the same names.
//! 4. What a builder is told, the filter has, also one that grows.
//! 5. A filter of any kind says in its debug output of which kind it is.

use std::fmt::Debug;
use std::hash::{BuildHasher, RandomState as Sip};
use std::panic::{RefUnwindSafe, UnwindSafe};

use lockfree_cuckoo::testing::Descriptors;
use lockfree_cuckoo::{
    BuildError, CuckooFilter, CuckooFilterBuilder, Engine, Filter, GrowingCuckooFilter,
    GrowingCuckooFilterBuilder, Hashed, InsertError, RandomState, RotatingCuckooFilter,
};
use model::hashers::Fnv;
use model::mix;
use model::stored;

/// Inserts until the first refusal, and returns it.
fn refusal<E: Engine, S>(filter: &Filter<E, S>) -> InsertError {
    (1 << 40..)
        .find_map(|item| filter.insert_hash(mix(item)).err())
        .expect("a limit")
}

/// A filter that grows, within limits, and has grown.
fn grown() -> GrowingCuckooFilter {
    let filter = GrowingCuckooFilter::builder()
        .buckets(8)
        .seed(7)
        .search_budget(100)
        .max_false_positive_rate(0.01)
        .max_memory_usage(40_000)
        .build()
        .expect("memory");
    for item in 0..200 {
        filter.insert_hash(mix(item)).expect("within the limits");
    }
    assert!(filter.slots() > 32);
    filter
}

#[test]
fn a_filter_may_take_exactly_what_it_takes() {
    fn check<E: Engine, S>(
        usage: usize,
        build: impl Fn(usize) -> Result<Filter<E, S>, BuildError>,
    ) {
        let filter = build(usage).expect("no more than it may take");
        assert_eq!(filter.memory_usage(), usage);
        let error = build(usage - 1).expect_err("more than it may take");
        assert!(error.to_string().contains(&usage.to_string()), "{error}");
    }
    let sip = Sip::new();
    let fixed = CuckooFilter::builder().capacity(1_000);
    let growing = GrowingCuckooFilter::builder().capacity(1_000);
    let usage = |filter: &dyn Hashed| filter.memory_usage();

    check(usage(&fixed.clone().build().expect("memory")), |most| {
        fixed.clone().max_memory_usage(most).build()
    });
    check(usage(&growing.clone().build().expect("memory")), |most| {
        growing.clone().max_memory_usage(most).build()
    });
    for generations in [2, 3, 15] {
        let rotating = RotatingCuckooFilter::builder().generations(generations);
        let rotating = rotating.capacity(1_000);
        check(usage(&rotating.clone().build().expect("memory")), |most| {
            rotating.clone().max_memory_usage(most).build()
        });
    }
    // Hashers of other sizes, from the beginning, and in the place of another one.
    let with_sip = CuckooFilter::with_capacity_and_hasher(1_000, sip.clone());
    check(usage(&with_sip), |most| {
        let builder = fixed.clone().max_memory_usage(most);
        builder.hasher(sip.clone()).build()
    });
    check(usage(&with_sip), |most| {
        let builder = CuckooFilterBuilder::with_hasher(sip.clone());
        builder.capacity(1_000).max_memory_usage(most).build()
    });
    let with_fnv = GrowingCuckooFilter::with_capacity_and_hasher(1_000, Fnv::default());
    check(usage(&with_fnv), |most| {
        let builder = growing.clone().max_memory_usage(most);
        builder.hasher(Fnv::default()).build()
    });
    check(usage(&with_fnv), |most| {
        let builder = GrowingCuckooFilterBuilder::with_hasher(Fnv::default());
        builder.capacity(1_000).max_memory_usage(most).build()
    });
    // Another number of descriptors.
    let one = fixed.clone().descriptors(1);
    check(usage(&one.clone().build().expect("memory")), |most| {
        one.clone().max_memory_usage(most).build()
    });
}

/// The refusal tells the bytes that the larger filter would have.
#[test]
fn growth_is_refused_for_the_same_bytes_however_the_filter_was_made() {
    fn after<S: Debug>(mut filter: GrowingCuckooFilter<S>) -> String {
        filter.set_max_memory_usage(filter.memory_usage());
        refusal(&filter).to_string()
    }
    let items = || 0..1_000u64;
    let builder = || GrowingCuckooFilter::builder().capacity(1_000);
    let with_hasher = GrowingCuckooFilterBuilder::with_hasher(Fnv::default())
        .capacity(1_000)
        .build()
        .expect("memory");

    // The larger table is the same in all of them, and so is the filter outside of its tables.
    let expected = after(with_hasher);
    assert_eq!(
        after(builder().hasher(Fnv::default()).build().expect("memory")),
        expected
    );
    let collected: GrowingCuckooFilter<Fnv> = items().collect();
    assert_eq!(after(collected), expected);

    let mut built = builder().seed(7).build().expect("memory");
    let bytes = built.to_bytes();
    let read = GrowingCuckooFilter::from_bytes(&bytes).expect("just stored");
    let (fresh, clone) = (
        built.fresh().expect("memory"),
        built.try_clone().expect("memory"),
    );
    let snapshot = built.snapshot().expect("nobody disturbs it");
    // None of these has the log of the snapshot.
    let plain = GrowingCuckooFilter::from_bytes(&bytes).expect("just stored");
    let expected = after(plain);
    for other in [read, fresh, clone, snapshot] {
        assert_eq!(after(other), expected);
    }
}

#[test]
fn a_fresh_filter_is_as_the_other_was_at_first() {
    let builder = CuckooFilter::builder().capacity(1_000).seed(7);
    let builder = builder.search_budget(300).descriptors(3);
    let (filter, mut first) = (
        builder.clone().build().expect("memory"),
        builder.build().expect("memory"),
    );
    for item in 0..500u64 {
        filter.insert(&item).expect("room");
    }
    let mut fresh = filter.fresh().expect("memory");
    assert_eq!(fresh.len(), 0);
    assert_eq!(fresh.memory_usage(), first.memory_usage());
    assert_eq!(fresh.to_bytes(), first.to_bytes());
    assert_eq!(filter.len(), 500);

    let mut fresh = grown().fresh().expect("memory");
    let mut first = grown();
    first.clear();
    assert_eq!((fresh.len(), fresh.tables(), fresh.slots()), (0, 1, 32));
    assert_eq!(fresh.memory_usage(), first.memory_usage());
    assert_eq!(fresh.to_bytes(), first.to_bytes());
    for filter in [&fresh, &first] {
        assert!(matches!(refusal(filter), InsertError::CannotGrow { .. }));
        assert!(filter.memory_usage() <= 40_000);
    }
}

#[test]
fn copies_have_the_size_the_budget_and_the_limits() {
    let mut fixed = CuckooFilter::builder()
        .capacity(1_000)
        .seed(7)
        .search_budget(300)
        .build()
        .expect("memory");
    for item in 0..500u64 {
        fixed.insert(&item).expect("room");
    }
    let bytes = fixed.to_bytes();
    assert_eq!(fixed.try_clone().expect("memory").to_bytes(), bytes);
    assert_eq!(fixed.snapshot().expect("quiet").to_bytes(), bytes);

    let mut filter = grown();
    let bytes = filter.to_bytes();
    let copies = [
        filter.try_clone().expect("memory"),
        filter.snapshot().expect("quiet"),
        GrowingCuckooFilter::from_bytes(&bytes).expect("just stored"),
    ];
    for mut copy in copies {
        assert_eq!(copy.to_bytes(), bytes);
        let refused = refusal(&copy);
        assert!(matches!(refused, InsertError::CannotGrow { .. }));
        assert!(copy.memory_usage() <= 40_000);
        // It begins anew with the first size.
        copy.clear();
        assert_eq!((copy.tables(), copy.slots()), (1, 32));
    }
}

#[test]
fn a_filter_that_grows_has_what_its_builder_was_told() {
    let built = || GrowingCuckooFilter::builder().seed(7);
    assert_eq!(built().buckets(8).build().expect("memory").slots(), 32);
    let error = built().buckets(6).build().expect_err("impossible");
    assert_eq!((error.requested(), error.possible()), (6, Some(8)));
    for budget in [2, 255, 256, 4_096] {
        let bytes = built()
            .search_budget(budget as usize)
            .build()
            .expect("memory")
            .to_bytes();
        assert_eq!(stored::SEARCH_BUDGET.get(&bytes), budget);
    }
    let bytes = built().build().expect("memory").to_bytes();
    assert_eq!(stored::SEARCH_BUDGET.get(&bytes), 256);
    for budget in [1, 4_097] {
        let error = built()
            .search_budget(budget)
            .build()
            .expect_err("out of range");
        assert_eq!(error.requested(), budget);
    }
}

#[test]
fn a_filter_that_rotates_has_what_its_builder_was_told() {
    let built = || RotatingCuckooFilter::builder().seed(7).generations(3);
    let filter = built().buckets(6).build().expect("memory");
    assert_eq!((filter.slots(), filter.generations()), (3 * 24, 3));
    for budget in [2, 255, 256, 4_096] {
        let mut filter = built().search_budget(budget).build().expect("memory");
        let stored = stored::SEARCH_BUDGET.get(&filter.to_bytes());
        assert_eq!(stored, budget as u64);
    }
    // Each generation is filled as a filter of a fixed size is.
    let mut rotating = built().capacity(1_000).build().expect("memory");
    let fixed = CuckooFilter::builder().capacity(1_000).build();
    let refused = refusal(&fixed.expect("memory"));
    for _ in 0..4 {
        assert_eq!(refusal(&rotating), refused);
        rotating.rotate().expect("alone");
    }
    // What is read of it rotates on, with the same sizes.
    let read = RotatingCuckooFilter::from_bytes(&rotating.to_bytes()).expect("just stored");
    assert_eq!((read.capacity(), read.rotations()), (1_000, 4));
    assert_eq!(read.memory_usage(), rotating.memory_usage());
    assert_eq!(refusal(&read), refused);
}

#[test]
fn growth_ends_where_the_filter_would_take_more_than_it_may() {
    fn check<S: BuildHasher + Clone>(hasher: &S) {
        let builder = || GrowingCuckooFilterBuilder::with_hasher(hasher.clone()).capacity(100);
        let free = builder().build().expect("memory");
        let slots = free.slots();
        let items = (0..).take_while(|&item| {
            free.insert_hash(mix(item)).expect("no limits");
            free.slots() == slots
        });
        let items = items.count() as u64;
        let usage = free.memory_usage();

        let just = builder().max_memory_usage(usage).build().expect("memory");
        assert!((0..=items).all(|item| just.insert_hash(mix(item)).is_ok()));
        assert_eq!(just.slots(), 2 * slots);
        // A thread that leaves an old block gives it back.
        assert!(just.memory_usage() <= usage);
        let less = builder().max_memory_usage(usage - 1).build();
        let less = less.expect("memory");
        assert!((0..items).all(|item| less.insert_hash(mix(item)).is_ok()));
        let refused = less.insert_hash(mix(items));
        assert!(matches!(refused, Err(InsertError::CannotGrow { .. })));
        assert_eq!(less.slots(), slots);
    }
    check(&RandomState::with_seed(7));
    check(&Sip::new());
}
