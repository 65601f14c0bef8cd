//! A limit on the rate of false positives: which filters keep to it, and what is said of those that do not.

use lockfree_cuckoo::{
    AnyLayout, BuildError, CuckooFilter, Engine, Filter, FilterBuilder, Fixed, Growing,
    GrowingCuckooFilter, Lanes, Layout, RandomState, Rotating, RotatingCuckooFilter, SemiSorted,
    Shape,
};

const ITEMS: usize = 3_000;

fn builder<E: Engine>() -> FilterBuilder<E> {
    FilterBuilder::with_hasher(RandomState::with_seed(1)).capacity(ITEMS)
}

/// The rate of a filter of this layout that is as full as the limit means.
fn reached<E: Engine>(fill: impl Fn(&Filter<E>)) -> f64 {
    let filter = builder::<E>().build().expect("memory");
    fill(&filter);
    filter.false_positive_rate()
}

/// Fills every slot of a table of two buckets by copies.
fn rate_of_one_full_table<E: Engine>() -> f64 {
    let filter = builder::<E>().buckets(2).build().expect("memory");
    while filter.insert_hash(1).is_ok() {}
    assert_eq!(filter.load_factor(), 1.0);
    filter.false_positive_rate()
}

fn insert_all<E: Engine>(filter: &Filter<E>) {
    for item in 0..ITEMS {
        filter.insert(&item).expect("sized for it");
    }
}

/// Whether a builder takes a rate, and one that is lower by the last digit.
fn takes_no_less<E: Engine>(rate: f64) {
    let build = |rate| builder::<E>().max_false_positive_rate(rate).build();
    for rate in [rate, 0.5, 1.0f64.next_down()] {
        assert!(build(rate).is_ok(), "{rate}");
    }
    let lower = rate.next_down();
    let error = build(lower).expect_err("a rate that the filter exceeds");
    assert_eq!(error.requested_rate(), Some(lower));
    assert_eq!(error.false_positive_rate(), Some(rate));
    assert_eq!((error.requested(), error.possible()), (0, None));
    assert!(
        error.to_string().contains("is too low for the layout"),
        "{error}"
    );
}

#[test]
fn the_least_rate_that_is_taken_is_that_of_the_filter_with_its_items_in() {
    fn check<L: Layout>() {
        takes_no_less::<Fixed<L>>(reached::<Fixed<L>>(insert_all));
    }
    model::of_every_layout!(check);
}

#[test]
fn of_a_filter_that_rotates_all_generations_count() {
    fn check<L: Layout>() {
        takes_no_less::<Rotating<L>>(reached::<Rotating<L>>(|filter| {
            insert_all(filter);
            filter.rotate().expect("nobody is in the way");
            insert_all(filter);
        }));
    }
    model::of_every_layout!(check);
    let two = RotatingCuckooFilter::builder().capacity(ITEMS);
    let two = two.max_false_positive_rate(0.000_25);
    assert!(two.clone().build().is_ok());
    let error = two.generations(15).build().expect_err("too many");
    let text = error.to_string();
    assert!(
        text.contains("with 15 generations of 3000 items each"),
        "{text}"
    );
}

/// It has one layout, so its error names no other.
#[test]
fn of_a_filter_that_grows_the_first_table_counts_when_it_is_full() {
    let rate = rate_of_one_full_table::<Growing>();
    takes_no_less::<Growing>(rate);
    let growing = || GrowingCuckooFilter::builder().capacity(9);
    let filter = growing().max_false_positive_rate(rate).build();
    let filter = filter.expect("one table is allowed");
    assert!((0..100).any(|item: u32| filter.insert(&item).is_err()));
    assert_eq!(filter.slots(), growing().build().expect("memory").slots());
    let error = growing().max_false_positive_rate(1e-6).build();
    assert_eq!(error.expect_err("too low").layouts().count(), 0);
}

#[test]
fn the_layouts_that_an_error_names_would_do_and_no_others() {
    fn check<E: AnyLayout>(rate: f64, items: usize) {
        let builder = || builder::<E>().capacity(items).max_false_positive_rate(rate);
        let named: Vec<Shape> = match builder().build() {
            Ok(_) => return,
            Err(error) => {
                let text = error.to_string();
                let named: Vec<Shape> = error.layouts().collect();
                assert!(
                    named
                        .iter()
                        .all(|shape| text.contains(&format!("`{shape}`"))),
                    "{text}"
                );
                named
            }
        };
        model::of_every_layout!(ask[E], &builder(), &named, rate);
    }
    fn ask<E: AnyLayout, L: Layout>(builder: &FilterBuilder<E>, named: &[Shape], rate: f64) {
        let shape = Shape::of::<L>();
        let would_do = builder.clone().layout::<L>().build().is_ok() && shape.value_bits() == 0;
        assert_eq!(
            named.contains(&shape),
            would_do,
            "{shape} for {rate}: {named:?}"
        );
    }
    for items in [100, 3_000, 40_000] {
        for rate in [1e-10, 1e-9, 2e-9, 1e-6, 1e-5, 5e-5, 1e-4, 1e-3, 0.01] {
            check::<Fixed>(rate, items);
            check::<Fixed<Lanes<8, 8>>>(rate, items);
            check::<Rotating<SemiSorted<6, 12>>>(rate, items);
        }
    }
}

/// Who has values cannot do without them.
#[test]
fn a_layout_with_values_is_not_replaced_by_one_with_fewer() {
    let error = builder::<Fixed<Lanes<3, 13, 8>>>();
    let error = error
        .max_false_positive_rate(1e-4)
        .build()
        .expect_err("too low");
    let named: Vec<Shape> = error.layouts().collect();
    assert_eq!(named, [Shape::of::<Lanes<2, 16, 15>>()]);
    assert!(
        error.to_string().ends_with(": use `Lanes<2, 16, 15>`"),
        "{error}"
    );
}

#[test]
fn what_is_no_rate_is_an_error() {
    fn check<E: Engine>(written: &str, rate: f64) {
        let error: BuildError = builder::<E>()
            .max_false_positive_rate(rate)
            .build()
            .expect_err("no rate");
        assert_eq!(
            error.to_string(),
            format!(
                "a false-positive rate of {written} is not possible: use a rate above 0 and below 1"
            )
        );
        assert_eq!(
            error.requested_rate().map(f64::to_bits),
            Some(rate.to_bits())
        );
        assert_eq!((error.requested(), error.possible()), (0, None));
        assert_eq!(
            (error.false_positive_rate(), error.layouts().count()),
            (None, 0)
        );
    }
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
        check::<Fixed>(written, rate);
        check::<Growing>(written, rate);
        check::<Rotating<Lanes<8, 8>>>(written, rate);
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
        assert!(
            build(rate).is_ok() && build(rate.next_down()).is_err(),
            "{buckets}"
        );
    }
}
