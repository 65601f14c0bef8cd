//! A limit on the rate of false positives: which filters keep to it, and what is said of those that do not.

use lockfree_cuckoo::{
    BuildError, CuckooFilter, GrowingCuckooFilter, Hashed, Lanes, RotatingCuckooFilter, Shape,
};
use model::mix;

use crate::door::{DEFAULT, Kind};

const ITEMS: usize = 3_000;

/// Builds one with this limit. Filters that grow have one layout.
fn build(kind: Kind, shape: Shape, items: usize, rate: f64) -> Result<Box<dyn Hashed>, BuildError> {
    let fixed = || CuckooFilter::builder().capacity(items);
    let rotating = || RotatingCuckooFilter::builder().capacity(items);
    match kind {
        Kind::Fixed => fixed().max_false_positive_rate(rate).build_shape(shape),
        Kind::Rotating => rotating().max_false_positive_rate(rate).build_shape(shape),
        Kind::Growing => {
            let builder = GrowingCuckooFilter::builder().capacity(items);
            let built = builder.max_false_positive_rate(rate).build();
            built.map(|filter| Box::new(filter) as _)
        }
    }
}

fn insert_all(filter: &dyn Hashed) {
    let hashes: Vec<u64> = (0..ITEMS as u64).map(mix).collect();
    filter.insert_many_hash(&hashes).expect("sized for it");
}

/// Whether a builder takes a rate, and none that is lower by the last digit.
fn takes_no_less(kind: Kind, shape: Shape, rate: f64) {
    for rate in [rate, 0.5, 1.0f64.next_down()] {
        assert!(build(kind, shape, ITEMS, rate).is_ok(), "{rate}");
    }
    let lower = rate.next_down();
    let error = build(kind, shape, ITEMS, lower).expect_err("a rate that the filter exceeds");
    assert_eq!(error.requested_rate(), Some(lower));
    assert_eq!(error.false_positive_rate(), Some(rate));
    assert_eq!((error.requested(), error.possible()), (0, None));
    let text = error.to_string();
    assert!(text.contains("is too low for the layout"), "{text}");
}

/// Of a filter that rotates all generations count.
#[test]
fn the_least_rate_that_is_taken_is_that_of_the_filter_with_its_items_in() {
    for shape in Shape::ALL {
        for kind in [Kind::Fixed, Kind::Rotating] {
            let filter = kind.build(shape, ITEMS);
            insert_all(&*filter);
            if let Some(rotating) = filter.rotating() {
                rotating.rotate().expect("nobody is in the way");
                insert_all(&*filter);
            }
            takes_no_less(kind, shape, filter.false_positive_rate());
        }
    }
    let two = RotatingCuckooFilter::builder().capacity(ITEMS);
    let two = two.max_false_positive_rate(0.000_25);
    assert!(two.clone().build().is_ok());
    let error = two.generations(15).build().expect_err("too many");
    let text = error.to_string();
    let said = "with 15 generations of 3000 items each";
    assert!(text.contains(said), "{text}");
}

/// It has one layout, so its error names no other.
#[test]
fn of_a_filter_that_grows_the_first_table_counts_when_it_is_full() {
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
    let error = build(Kind::Growing, DEFAULT, 9, 1e-6).expect_err("too low");
    assert_eq!(error.layouts().count(), 0);
}

#[test]
fn the_layouts_that_an_error_names_would_do_and_no_others() {
    let own = [
        (Kind::Fixed, DEFAULT),
        (Kind::Fixed, Shape::of::<Lanes<8, 8>>()),
        (
            Kind::Rotating,
            Shape::of::<lockfree_cuckoo::SemiSorted<6, 12>>(),
        ),
    ];
    for items in [100, 3_000, 40_000] {
        for rate in [1e-10, 1e-9, 2e-9, 1e-6, 1e-5, 5e-5, 1e-4, 1e-3, 0.01] {
            for (kind, shape) in own {
                let Err(error) = build(kind, shape, items, rate) else {
                    continue;
                };
                let (text, named) = (error.to_string(), error.layouts().collect::<Vec<_>>());
                for shape in Shape::ALL {
                    let would_do = build(kind, shape, items, rate).is_ok();
                    let is_named = would_do && shape.value_bits() == 0;
                    assert_eq!(
                        named.contains(&shape),
                        is_named,
                        "{shape} for {rate}: {text}"
                    );
                    assert!(!is_named || text.contains(&format!("`{shape}`")), "{text}");
                }
            }
        }
    }
}

/// Who has values cannot do without them.
#[test]
fn a_layout_with_values_is_not_replaced_by_one_with_fewer() {
    let valued = Shape::of::<Lanes<3, 13, 8>>();
    let error = build(Kind::Fixed, valued, ITEMS, 1e-4).expect_err("too low");
    let named: Vec<Shape> = error.layouts().collect();
    assert_eq!(named, [Shape::of::<Lanes<2, 16, 15>>()]);
    let text = error.to_string();
    assert!(text.ends_with(": use `Lanes<2, 16, 15>`"), "{text}");
}

#[test]
fn what_is_no_rate_is_an_error() {
    for (written, rate) in [
        ("NaN", f64::NAN),
        ("0", 0.0),
        ("-0", -0.0),
        ("-1", -1.0),
        ("-inf", f64::NEG_INFINITY),
        ("1", 1.0),
        ("2", 2.0),
        ("inf", f64::INFINITY),
    ] {
        for kind in [Kind::Fixed, Kind::Growing, Kind::Rotating] {
            let error = build(kind, DEFAULT, ITEMS, rate).expect_err("no rate");
            let text = format!(
                "a false-positive rate of {written} is not possible: use a rate above 0 and below 1"
            );
            assert_eq!(error.to_string(), text);
            let requested = error.requested_rate().map(f64::to_bits);
            assert_eq!(requested, Some(rate.to_bits()));
            assert_eq!((error.requested(), error.possible()), (0, None));
            let named = error.layouts().count();
            assert_eq!((error.false_positive_rate(), named), (None, 0));
        }
    }
    let other = CuckooFilter::builder().buckets(7).build().unwrap_err();
    assert_eq!((other.requested_rate(), other.layouts().count()), (None, 0));
}

#[test]
fn a_number_of_buckets_is_judged_by_what_they_are_for() {
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
