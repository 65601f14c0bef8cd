//! Rates of false positives: limits on the rate, which filters keep them, the errors of the others,
//! and the smallest filter for a rate, whose layout is chosen at run time.

use std::error::Error as _;

use lockfree_cuckoo::{
    BuildError, CuckooFilter, DynFilter, FilterBuilder, GrowingCuckooFilter, RandomState,
    RotatingCuckooFilter,
    filter::{AnyLayout, Buildable, Fixed, Kind, Rotating},
    layout::{Lanes, Shape},
};
use model::mix;

use crate::door::{DEFAULT, empty, plain};

const ITEMS: usize = 3_000;

/// Builds a filter with this limit. Growing filters have one layout.
fn build(kind: Kind, shape: Shape, items: usize, rate: f64) -> Result<DynFilter, BuildError> {
    let fixed = || CuckooFilter::builder().capacity(items);
    let rotating = || RotatingCuckooFilter::builder().capacity(items);
    match kind {
        Kind::Fixed => fixed().max_false_positive_rate(rate).build_shape(shape),
        Kind::Rotating => rotating().max_false_positive_rate(rate).build_shape(shape),
        Kind::Growing => {
            let builder = GrowingCuckooFilter::builder().capacity(items);
            let built = builder.max_false_positive_rate(rate).build();
            built.map(DynFilter::from)
        }
        other => panic!("{other} is new"),
    }
}

fn insert_all(filter: &DynFilter) {
    let hashes: Vec<u64> = (0..ITEMS as u64).map(mix).collect();
    filter.insert_many_hash(&hashes).expect("sized for it");
}

/// Checks that a builder accepts a rate, but not the next lower number.
fn takes_no_less(kind: Kind, shape: Shape, rate: f64) {
    for rate in [rate, 0.5, 1.0f64.next_down()] {
        assert!(build(kind, shape, ITEMS, rate).is_ok(), "{rate}");
    }
    let lower = rate.next_down();
    let error = build(kind, shape, ITEMS, lower).expect_err("a rate that the filter exceeds");
    let layout = shape;
    let requested = lower;
    assert_eq!(
        error,
        BuildError::FalsePositiveRate {
            requested,
            rate,
            shape: layout
        }
    );
    let text = error.to_string();
    assert!(text.contains("of the layout"), "{text}");
}

/// The least rate is that of the filter at its capacity. In a rotating filter all generations
/// count.
#[test]
fn least_rate() {
    for &shape in Shape::ALL {
        for kind in [Kind::Fixed, Kind::Rotating] {
            let filter = empty(kind, shape, ITEMS);
            insert_all(&filter);
            if let Some(rotating) = filter.rotating() {
                rotating.rotate().expect("no thread is in the way");
                insert_all(&filter);
            }
            takes_no_less(kind, shape, filter.false_positive_rate());
        }
    }
    let two = RotatingCuckooFilter::builder().capacity(ITEMS);
    let two = two.max_false_positive_rate(0.000_25);
    assert!(two.clone().build().is_ok());
    assert!(two.generations(15).build().is_err());
}

/// The full first table of a growing filter counts.
#[test]
fn rate_of_full_first_table() {
    // Copies fill every slot of a table of two buckets.
    let full = GrowingCuckooFilter::builder().buckets(2).build();
    let full = full.expect("memory");
    while full.insert_hash(1).is_ok() {}
    assert_eq!(full.load_factor(), 1.0);
    let rate = full.false_positive_rate();
    takes_no_less(Kind::Growing, DEFAULT, rate);
    let filter = build(Kind::Growing, DEFAULT, 9, rate).expect("one table is allowed");
    let slots = filter.slots();
    assert!((0..100).any(|item| filter.insert_hash(mix(item)).is_err()));
    let unlimited = GrowingCuckooFilter::with_capacity(9).slots();
    assert_eq!([filter.slots(), slots], [unlimited; 2]);
}

/// A number of buckets is judged by its capacity.
#[test]
fn buckets_judged_by_capacity() {
    for buckets in [2, 96, 1 << 10] {
        let build = |rate| {
            let builder = CuckooFilter::builder().buckets(buckets).seed(1);
            builder.max_false_positive_rate(rate).build()
        };
        let filter = build(0.5).expect("a low rate");
        for item in 0..filter.capacity() {
            filter.insert(&item).expect("sized for it");
        }
        let rate = filter.false_positive_rate();
        let taken = [rate, rate.next_down()].map(|rate| build(rate).is_ok());
        assert_eq!(taken, [true, false], "{buckets}");
    }
}

fn builder<E: Buildable>(items: usize) -> FilterBuilder<E> {
    FilterBuilder::with_hasher(RandomState::with_seed(7)).capacity(items)
}

fn in_buckets(buckets: usize) -> FilterBuilder<Fixed> {
    FilterBuilder::with_hasher(RandomState::with_seed(7)).buckets(buckets)
}

/// Returns the rate of `tables` tables with this number of items in this number of buckets each, by
/// the formula of the paper.
fn rate_of(shape: Shape, items: usize, buckets: usize, tables: usize) -> f64 {
    let fingerprints = 2f64.powi(shape.fingerprint_bits() as i32) - 1.0;
    let compared = (2 * tables * items) as f64 / buckets as f64;
    -((-1.0 / fingerprints).ln_1p() * compared).exp_m1()
}

/// Returns the numbers of buckets that a table can have, below a limit.
fn bucket_counts(limit: usize) -> impl Iterator<Item = usize> {
    let odd = (1..=31).step_by(2);
    odd.flat_map(move |odd| {
        (1..40)
            .map(move |log| odd << log)
            .take_while(move |&n| n < limit)
    })
}

const RATES: [f64; 12] = [
    0.5, 0.1, 0.03, 0.01, 0.003, 0.001, 1e-4, 5e-5, 1e-5, 1e-6, 1e-8, 1e-9,
];

/// The smallest filter for a rate is the smallest.
#[test]
fn smallest_filter() {
    for items in [0, 9, 100, 3_000] {
        for rate in RATES {
            let filter = builder::<Fixed>(items).build_smallest(rate);
            let filter = filter.expect("possible");
            for item in 0..items as u64 {
                filter.insert_hash(mix(item)).expect("sized for it");
            }
            assert!(filter.false_positive_rate() <= rate, "{items}: {filter:?}");
            assert_eq!(filter.capacity(), items);
            let buckets = filter.slots() / filter.shape().slots();
            for shape in plain() {
                for fewer in bucket_counts(buckets) {
                    if rate_of(shape, items, fewer, 1) > rate {
                        continue;
                    }
                    let other = in_buckets(fewer).build_shape(shape);
                    let other = other.expect("a number of buckets");
                    assert!(
                        other.capacity() < items,
                        "{shape} in {fewer} buckets would do for {items} items and {rate}: not {filter:?}"
                    );
                }
            }
        }
    }
}

/// A table that is enlarged for the rate holds the items. A table with slightly more buckets but
/// more ranges can hold fewer items.
#[test]
fn enlarged_table_holds_items() {
    for items in (1..=200).step_by(3) {
        let rates = std::iter::successors(Some(0.5), |rate| Some(rate * 0.8));
        for rate in rates.take_while(|&rate| rate > 1e-6) {
            let filter = builder::<Fixed>(items).build_smallest(rate);
            let filter = filter.expect("possible");
            let buckets = filter.slots() / filter.shape().slots();
            let alike = in_buckets(buckets).build_shape(filter.shape());
            let capacity = alike.expect("the same buckets").capacity();
            assert!(
                capacity >= items,
                "{items}, {rate}: {filter:?} holds {capacity}"
            );
        }
    }
}

/// Among equal filters the lowest rate counts.
#[test]
fn lowest_rate_of_equals() {
    // Two buckets hold four items in each layout.
    let filter = builder::<Fixed>(4).build_smallest(0.5).expect("possible");
    assert_eq!(filter.shape(), Shape::of::<Lanes<2, 31>>());
    assert_eq!(filter.slots(), 4);
}

#[test]
fn rates_down_to_one_in_a_billion_are_kept() {
    let items = 100_000;
    let mut last = 0;
    for rate in RATES {
        let filter = builder::<Fixed>(items).build_smallest(rate);
        let filter = filter.expect("possible");
        let hashes: Vec<u64> = (0..items as u64).map(mix).collect();
        filter.insert_many_hash(&hashes).expect("sized for it");
        assert!(filter.false_positive_rate() <= rate);
        // A lower rate does not take less memory.
        assert!(filter.memory_usage() >= last, "{filter:?}");
        last = filter.memory_usage();
        let probes = 200_000;
        let found = (1 << 40..)
            .take(probes)
            .filter(|&probe| filter.contains_hash(mix(probe)));
        let most = 1.2 * rate * probes as f64 + 8.0;
        assert!((found.count() as f64) < most, "{rate}");
    }
    // At full load even the layout with the longest fingerprints has a higher rate.
    let least = builder::<Fixed>(items)
        .build_smallest(1e-9)
        .expect("possible");
    let full = builder::<Fixed>(items)
        .build_shape(least.shape())
        .expect("possible");
    assert!(full.memory_usage() < least.memory_usage());
}

/// All generations of a rotating filter count.
#[test]
fn all_generations_count() {
    for (generations, rate) in [(2, 0.1), (2, 1e-4), (15, 1e-3), (15, 1e-8)] {
        let filter = builder::<Rotating>(1_000).generations(generations);
        let filter = filter.build_smallest(rate).expect("possible");
        assert_eq!(filter.tables(), generations);
        let buckets = filter.slots() / filter.shape().slots() / generations;
        let reached = rate_of(filter.shape(), 1_000, buckets, generations);
        assert!(reached <= rate, "{reached} of {rate}: {filter:?}");
    }
}

#[test]
fn sizes_that_no_layout_has_are_errors() {
    let refused = |builder: FilterBuilder<Fixed>| builder.build_smallest(0.1).expect_err("none");
    let error = refused(builder(usize::MAX));
    assert!(
        matches!(error, BuildError::Capacity { requested, max } if max < requested),
        "{error}"
    );
    let error = refused(in_buckets(127));
    assert!(
        matches!(error, BuildError::Buckets { nearest: 128, .. }),
        "{error}"
    );
    let error = refused(builder(1_000_000).max_memory_usage(1_000));
    assert!(
        matches!(error, BuildError::MemoryLimit { limit: 1_000, .. }),
        "{error}"
    );
}

/// Neither a limit nor the smallest filter accepts them.
#[test]
fn an_invalid_rate_is_an_error() {
    fn smallest<E: AnyLayout>(rate: f64) -> BuildError {
        builder::<E>(10).build_smallest(rate).expect_err("no rate")
    }
    for (written, rate) in [
        ("NaN", f64::NAN),
        ("0.0", 0.0),
        ("-0.0", -0.0),
        ("-1.0", -1.0),
        ("-inf", f64::NEG_INFINITY),
        ("1.0", 1.0),
        ("1e300", 1e300),
        ("inf", f64::INFINITY),
        // As limits these are valid, but too low.
        ("9.9e-10", 0.99e-9),
        ("5e-324", f64::from_bits(1)),
    ] {
        let mut errors = [smallest::<Fixed>(rate), smallest::<Rotating>(rate)]
            .map(|error| (error, "1e-9"))
            .to_vec();
        if !(rate > 0.0 && rate < 1.0) {
            errors.extend([Kind::Fixed, Kind::Growing, Kind::Rotating].map(|kind| {
                let error = build(kind, DEFAULT, ITEMS, rate).expect_err("no rate");
                (error, "0.0")
            }));
        }
        for (error, least) in errors {
            let advice = format!("use a rate of at least {least} and below 1");
            let text = format!("a false-positive rate of {written} is not possible: {advice}");
            assert_eq!(error.to_string(), text);
            let BuildError::RateOutOfRange { requested, .. } = error else {
                panic!("{error}");
            };
            assert_eq!(requested.to_bits(), rate.to_bits());
            assert!(error.source().is_none());
        }
    }
}

/// A rate that is too low for the items is an error. A table with a rate below 1e-9 would need too
/// many buckets. Layouts with fewer slots cannot hold this many items at all.
#[cfg(target_pointer_width = "64")]
#[test]
fn rate_too_low() {
    let error = builder::<Fixed>(1 << 47).build_smallest(1e-9);
    let text = error.expect_err("too many").to_string();
    let said = "a false-positive rate of 1e-9 is too low for a full filter of the layout `SemiSorted<4, 17>`, which has 5.7";
    assert!(text.starts_with(said), "{text}");
}

/// The layout for a number of buckets is chosen too: the one that holds the most items.
#[test]
fn layout_for_buckets() {
    for rate in RATES {
        let in_buckets = || in_buckets(1 << 10);
        let others = plain().filter_map(|shape| {
            let filter = in_buckets().build_shape(shape).expect("possible");
            let reached = rate_of(shape, filter.capacity(), 1 << 10, 1);
            (reached <= rate).then(|| filter.capacity())
        });
        match (in_buckets().build_smallest(rate), others.max()) {
            (Ok(filter), Some(most)) => {
                assert_eq!(filter.slots(), filter.shape().slots() << 10);
                assert_eq!(filter.capacity(), most);
            }
            (Err(BuildError::FalsePositiveRate { requested, .. }), None) => {
                assert_eq!(requested, rate);
            }
            (built, most) => panic!("{rate}: {built:?}, {most:?}"),
        }
    }
}
