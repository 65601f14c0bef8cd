//! Measures: a builder predicts the measures of a filter, or the error that it would return.

use lockfree_cuckoo::{
    BuildError, DynFilter, Filter, FilterBuilder,
    filter::{AnyLayout, Buildable, Fixed, Growing, Kind, Measures, Rotating},
    layout::{Lanes, Shape},
};

use crate::door::{DEFAULT, of_each_engine};

const CAPACITIES: [usize; 10] = [0, 1, 8, 100, 1_000, 5_000, 20_000, 65_536, 100_000, 700_000];

/// Powers of two and other numbers, for tables of one range and of several; a growing filter
/// refuses the latter.
const BUCKETS: [usize; 7] = [2, 64, 127, 192, 1 << 12, 31 << 9, 1 << 17];

/// Checks that both agree. Returns the measures.
fn agree(
    measured: Result<Measures, BuildError>,
    built: Result<impl Into<DynFilter>, BuildError>,
) -> Option<Measures> {
    let (measures, filter): (_, DynFilter) = match (measured, built) {
        (Ok(measures), Ok(built)) => (measures, built.into()),
        (Err(measured), Err(built)) => {
            assert_eq!(measured, built);
            return None;
        }
        (measured, built) => panic!("{measured:?}, but {:?}", built.map(Into::into)),
    };
    assert_eq!(measures.kind, filter.kind());
    assert_eq!(measures.layout, filter.shape());
    assert_eq!(measures.tables, filter.tables());
    assert_eq!(measures.slots, filter.slots());
    assert_eq!(measures.capacity, filter.capacity());
    assert_eq!(measures.memory_usage, filter.memory_usage(), "{filter:?}");
    let slots = measures.tables * measures.buckets * measures.layout.slots();
    assert_eq!(measures.slots, slots);
    Some(measures)
}

fn sizes<E: Buildable>() -> impl Iterator<Item = FilterBuilder<E>> {
    let capacities = CAPACITIES.into_iter();
    let capacities = capacities.map(|items| Filter::<E>::builder().capacity(items));
    let buckets = BUCKETS.into_iter();
    capacities.chain(buckets.map(|buckets| Filter::<E>::builder().buckets(buckets)))
}

/// A capacity and a number of buckets contradict each other, in whatever order they are set.
fn refuses_two_sizes<E: Buildable>() {
    let builder = || Filter::<E>::builder();
    for two in [
        builder().capacity(100).buckets(64),
        builder().buckets(64).capacity(100),
    ] {
        let (capacity, buckets) = (100, 64);
        let error = BuildError::CapacityAndBuckets { capacity, buckets };
        assert_eq!(two.measure(), Err(error.clone()));
        assert_eq!(two.build().map(drop), Err(error));
    }
    // The last of several numbers counts, even if it is the default.
    for last in [1_024, 100, 0] {
        let filter = builder().capacity(7).capacity(last).build();
        assert!(filter.expect("memory").capacity() >= last);
    }
    let filter = builder().buckets(3).buckets(64).build();
    assert!(filter.expect("memory").slots() >= 4 * 64);
}

#[test]
fn two_sizes() {
    of_each_engine!(refuses_two_sizes);
}

fn says_the_same<E: Buildable>() {
    let (mut built, mut refused) = (0, 0);
    for builder in sizes::<E>() {
        for builder in [
            builder.clone(),
            builder.clone().max_memory_usage(20_000),
            builder.clone().max_false_positive_rate(0.000_2),
            builder.clone().max_false_positive_rate(0.000_05),
            builder.clone().max_false_positive_rate(1.5),
            builder.search_budget(1),
        ] {
            match agree(builder.measure(), builder.build()) {
                Some(_) => built += 1,
                None => refused += 1,
            }
        }
    }
    assert!(
        built > 30 && refused > 30,
        "{built} built, {refused} refused"
    );
}

#[test]
fn measures_are_those_of_the_filter() {
    of_each_engine!(says_the_same);
}

fn says_the_same_of_layouts<E: AnyLayout>() {
    for builder in sizes::<E>() {
        for &shape in Shape::ALL {
            let built = builder.clone().build_shape(shape);
            agree(builder.measure_shape(shape), built);
        }
        for rate in [0.0, 1e-9, 1e-5, 0.000_1, 0.01, 0.5, 1.0] {
            let built = builder.clone().build_smallest(rate);
            if let Some(measures) = agree(builder.measure_smallest(rate), built) {
                assert!(measures.false_positive_rate <= rate);
            }
        }
    }
    let builder = Filter::<E>::builder().capacity(1_000);
    let other = builder.clone().layout::<Lanes<8, 8>>();
    let measures = agree(other.measure(), other.build());
    assert_eq!(
        measures,
        builder.measure_shape(Shape::of::<Lanes<8, 8>>()).ok()
    );
}

/// Measures of layouts are those of the filter.
#[test]
fn measures_of_layouts() {
    says_the_same_of_layouts::<Fixed>();
    says_the_same_of_layouts::<Rotating>();
}

#[test]
fn all_generations_are_measured() {
    for generations in [1, 2, 3, 15, 16] {
        let builder = Filter::<Rotating>::builder()
            .capacity(10_000)
            .generations(generations);
        agree(builder.measure(), builder.build());
    }
}

/// The rate is that of a filter at its capacity, in each of its generations.
#[test]
fn the_rate_is_that_at_capacity() {
    let filter = Filter::<Fixed>::builder().capacity(20_000);
    let measures = filter.measure().expect("possible");
    let filter = filter.build().expect("memory");
    let hashes: Vec<u64> = (0..20_000).map(model::mix).collect();
    filter.insert_many_hash(&hashes).expect("sized for it");
    let rate = filter.false_positive_rate();
    assert!((measures.false_positive_rate / rate - 1.0).abs() < 1e-9);

    let rotating = Filter::<Rotating>::builder()
        .capacity(20_000)
        .generations(3);
    let measures = rotating.measure().expect("possible");
    assert!((measures.false_positive_rate / rate - 3.0).abs() < 0.01);

    let growing = Filter::<Growing>::builder().capacity(20_000).measure();
    let growing = growing.expect("possible");
    assert_eq!((growing.kind, growing.layout), (Kind::Growing, DEFAULT));
    assert!((0.000_125..0.000_127).contains(&growing.false_positive_rate));
}
