//! Filters whose layout is chosen at run time: which one it is.

use std::error::Error as _;
use std::hash::BuildHasher;

use lockfree_cuckoo::{
    AnyLayout, BuildError, CuckooFilter, Engine, Filter, FilterBuilder, Fixed, GrowingCuckooFilter,
    Lanes, RandomState, ReadError, Rotating, RotatingCuckooFilter, Shape,
};
use model::mix;

use crate::door::{DEFAULT, Kind, plain};

fn builder<E: Engine>(items: usize) -> FilterBuilder<E> {
    FilterBuilder::with_hasher(RandomState::with_seed(7)).capacity(items)
}

/// The rate of `tables` tables with so many items each in so many buckets, by the formula of the paper.
fn rate_of(shape: Shape, items: usize, buckets: usize, tables: usize) -> f64 {
    let fingerprints = 2f64.powi(shape.fingerprint_bits() as i32) - 1.0;
    let compared = (2 * tables * items) as f64 / buckets as f64;
    -((-1.0 / fingerprints).ln_1p() * compared).exp_m1()
}

/// The numbers of buckets that a table can have, below a limit.
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

#[test]
fn the_smallest_filter_keeps_to_the_rate_and_none_that_does_is_smaller() {
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
                    let other = builder::<Fixed>(items).buckets(fewer).build_shape(shape);
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

/// A table of a few more buckets but more ranges can hold fewer items.
#[test]
fn a_table_that_is_enlarged_for_the_rate_holds_the_items() {
    for items in (1..=200).step_by(3) {
        let rates = std::iter::successors(Some(0.5), |rate| Some(rate * 0.8));
        for rate in rates.take_while(|&rate| rate > 1e-6) {
            let filter = builder::<Fixed>(items).build_smallest(rate);
            let filter = filter.expect("possible");
            let buckets = filter.slots() / filter.shape().slots();
            let alike = builder::<Fixed>(0)
                .buckets(buckets)
                .build_shape(filter.shape());
            let capacity = alike.expect("the same buckets").capacity();
            assert!(
                capacity >= items,
                "{items}, {rate}: {filter:?} holds {capacity}"
            );
        }
    }
}

#[test]
fn among_equal_filters_the_lowest_rate_counts() {
    // Two buckets hold four items in each layout.
    let filter = builder::<Fixed>(4).build_smallest(0.5).expect("possible");
    assert_eq!(filter.shape(), Shape::of::<Lanes<2, 31>>());
    assert_eq!(filter.slots(), 4);
}

#[test]
fn rates_down_to_one_in_a_billion_are_kept_at_a_hundred_thousand_items() {
    let items = 100_000;
    let mut last = 0;
    for rate in RATES {
        let filter = builder::<Fixed>(items).build_smallest(rate);
        let filter = filter.expect("possible");
        let hashes: Vec<u64> = (0..items as u64).map(mix).collect();
        filter.insert_many_hash(&hashes).expect("sized for it");
        assert!(filter.false_positive_rate() <= rate);
        // What is lower is not cheaper.
        assert!(filter.memory_usage() >= last, "{filter:?}");
        last = filter.memory_usage();
        let probes = 200_000;
        let found = (1 << 40..)
            .take(probes)
            .filter(|&probe| filter.contains_hash(mix(probe)));
        let most = 1.2 * rate * probes as f64 + 8.0;
        assert!((found.count() as f64) < most, "{rate}");
    }
    // At its full load even the layout with the longest fingerprints has more.
    let least = builder::<Fixed>(items)
        .build_smallest(1e-9)
        .expect("possible");
    let full = builder::<Fixed>(items)
        .build_shape(least.shape())
        .expect("possible");
    assert!(full.memory_usage() < least.memory_usage());
}

#[test]
fn of_a_filter_that_rotates_all_generations_count() {
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
fn what_cannot_be_is_an_error() {
    fn refused<E: AnyLayout>(rate: f64) -> BuildError {
        builder::<E>(10).build_smallest(rate).expect_err("no rate")
    }
    for (written, rate) in [
        ("9.9e-10", 0.99e-9),
        ("5e-324", f64::from_bits(1)),
        ("1e300", 1e300),
        ("inf", f64::INFINITY),
        ("0", 0.0),
        ("-1", -1.0),
        ("1", 1.0),
        ("NaN", f64::NAN),
    ] {
        for error in [refused::<Fixed>(rate), refused::<Rotating>(rate)] {
            assert_eq!(
                error.to_string(),
                format!(
                    "a false-positive rate of {written} is not possible: use a rate of at least 1e-9 and below 1"
                )
            );
            assert_eq!(
                error.requested_rate().map(f64::to_bits),
                Some(rate.to_bits())
            );
            assert!(error.source().is_none());
        }
    }
    let error = builder::<Fixed>(usize::MAX)
        .build_smallest(0.1)
        .expect_err("too many");
    assert_eq!(error.requested(), usize::MAX);
    assert!(error.possible().is_some_and(|most| most < usize::MAX));
    let error = builder::<Fixed>(0)
        .buckets(127)
        .build_smallest(0.1)
        .expect_err("impossible");
    assert_eq!(error.possible(), Some(128));
    let builder = builder::<Fixed>(1_000_000).max_memory_usage(1_000);
    let error = builder.build_smallest(0.1).expect_err("too little memory");
    assert_eq!(error.requested(), 1_000);
}

/// No table has so many buckets that the rate falls below 1e-9. Layouts of fewer slots cannot take so many items at all.
#[cfg(target_pointer_width = "64")]
#[test]
fn a_rate_that_is_too_low_for_so_many_items_is_an_error() {
    let error = builder::<Fixed>(1 << 47).build_smallest(1e-9);
    let text = error.expect_err("too many").to_string();
    assert!(
        text.starts_with(
            "a false-positive rate of 1e-9 is too low for every layout: the lowest, that of `SemiSorted<4, 17>`, is 0.000057"
        ) && text.ends_with(" with 140737488355328 items; set a higher one"),
        "{text}"
    );
}

/// The one that holds the most items.
#[test]
fn of_exactly_so_many_buckets_the_layout_is_chosen_too() {
    for rate in RATES {
        let in_buckets = || builder::<Fixed>(0).buckets(1 << 10);
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
            (Err(error), None) => assert_eq!(error.requested_rate(), Some(rate)),
            (built, most) => panic!("{rate}: {built:?}, {most:?}"),
        }
    }
}

#[test]
fn another_hasher_is_passed_by_the_caller() {
    type Sip = std::hash::RandomState;
    let hasher = Sip::new();
    let build = FilterBuilder::<Fixed, Sip>::with_hasher(hasher.clone()).capacity(10);
    let mut filter = build.build_smallest(0.01).expect("possible");
    let hash = hasher.hash_one("a");
    filter.insert_hash(hash).expect("room");
    let bytes = filter.to_bytes();
    let read = Filter::<Fixed, Sip>::from_bytes_any_layout_with_hasher(&bytes, hasher.clone());
    assert!(read.expect("the same").contains_hash(hash));
    let read = Filter::<Fixed, Sip>::read_from_any_layout_with_hasher(&bytes[..], hasher);
    assert!(read.expect("the same").contains_hash(hash));
    let other = Filter::<Fixed, Sip>::from_bytes_any_layout_with_hasher(&bytes, Sip::new());
    assert!(matches!(other, Err(ReadError::OtherHasher)));
    let other = CuckooFilter::from_bytes_any_layout(&bytes);
    assert!(matches!(other, Err(ReadError::HasherNeeded)));
}

#[test]
fn a_filter_of_another_kind_is_told_apart() {
    let fixed = Kind::Fixed.build(DEFAULT, 9).to_bytes();
    let error = RotatingCuckooFilter::from_bytes_any_layout(&fixed).expect_err("it does not");
    let is_told = matches!(
        error,
        ReadError::OtherKind {
            rotates: false,
            grows: false,
            ..
        }
    );
    assert!(is_told, "{error}");
    let growing = GrowingCuckooFilter::with_capacity(9).to_bytes();
    let error = CuckooFilter::from_bytes_any_layout(&growing).expect_err("it grows");
    assert!(
        matches!(error, ReadError::OtherKind { grows: true, .. }),
        "{error}"
    );
}

#[test]
fn what_only_filters_that_grow_have_does_nothing_to_others() {
    for shape in Shape::ALL {
        let mut fixed = Kind::Fixed.build(shape, 300);
        let memory = fixed.memory_usage();
        fixed.set_max_memory_usage(0);
        fixed.shrink_to_fit();
        assert!(fixed.rotating().is_none() && fixed.finish_doubling());
        assert_eq!((fixed.memory_usage(), fixed.tables()), (memory, 1));
    }
}

#[test]
fn a_filter_that_is_chosen_at_run_time_rotates() {
    for shape in Shape::ALL {
        let filter = builder::<Rotating>(100).generations(3).build_shape(shape);
        let filter = filter.expect("possible");
        let rotating = filter.rotating().expect("it rotates");
        assert_eq!((rotating.generations(), rotating.rotations()), (3, 0));
        assert_eq!(rotating.refresh_hash(mix(1)), Ok(true));
        assert_eq!(rotating.rotate(), Ok(()));
        assert_eq!(rotating.rotate_if(0), Ok(false));
        assert_eq!(rotating.rotate_if(1), Ok(true));
        let mut new = [true; 2];
        assert_eq!(
            rotating.refresh_many_hash(&[mix(1), mix(2)], &mut new),
            Ok(())
        );
        assert_eq!(new, [false, true], "{shape}");
        assert_eq!(rotating.rotate(), Ok(()));
        // The first copy has left, the second one has not.
        assert_eq!((filter.count_hash(mix(1)), filter.len()), (1, 2));
        let bytes = filter.snapshot_to_bytes().expect("memory");
        let read = RotatingCuckooFilter::from_bytes_any_layout(&bytes).expect("valid");
        assert_eq!(read.rotating().map(|read| read.rotations()), Some(3));
    }
}
