//! Dead threads: several die at the same access of a call, in filters with the usual descriptors.
//! More die than there are descriptors at first, so later calls must add some, and none may be
//! refused that would succeed without the dead.

use std::cell::Cell;

use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{
    CuckooFilter, Filter, FilterBuilder, RotatingCuckooFilter,
    filter::{Engine, Fixed, Growing},
};
use model::hashers::AsGiven;
use model::mix;
use step_tests::{at_each_step, bounded, dies_at};

/// More than the number of descriptors in a filter of these sizes.
const DEATHS: u64 = 5;

/// The most that a filter with two descriptors allocates when this many are taken: 2, 4, 8, 16.
const MOST_BYTES: usize = 14 * (64 + 16);

fn stored() -> impl Iterator<Item = u64> {
    (0..12).map(mix)
}

/// Returns the item of a dying thread.
fn own(number: u64) -> u64 {
    mix(100 + number)
}

/// Returns items that no other function returns.
fn fresh() -> impl Iterator<Item = u64> {
    (1_000..).map(mix)
}

/// Lets threads die at an access of a call on a filter with the items [`stored`]. Returns whether
/// they reached that access.
fn deaths<E: Engine, S>(
    filter: &Filter<E, S>,
    at: usize,
    call: impl Fn(&Filter<E, S>, u64),
) -> bool {
    for item in stored() {
        bounded(|| filter.insert_hash(item)).expect("room");
    }
    let died = (0..DEATHS).filter(|&number| dies_at(at, || call(filter, number)));
    died.count() > 0
}

/// Admits items. Each admission needs a descriptor.
fn admits<E: Engine, S>(filter: &Filter<E, S>, items: impl Iterator<Item = u64>) {
    for item in items {
        let admitted = bounded(|| filter.insert_unique_hash(item));
        assert_eq!(admitted, Ok(true), "refused for the dead");
    }
}

fn assert_stored<E: Engine, S>(filter: &Filter<E, S>) {
    let lost = stored().find(|&item| !bounded(|| filter.contains_hash(item)));
    assert_eq!(lost, None, "a stored item is lost");
}

/// The name of a call, and the call.
type Call<E, S> = (&'static str, fn(&Filter<E, S>, u64));

/// Returns calls that hold a descriptor.
fn calls<E: Engine, S>() -> [Call<E, S>; 2] {
    [
        ("admissions", |filter, number| {
            let _ = filter.insert_unique_hash(own(number));
        }),
        ("hops", |filter, number| {
            filter.relocate_hash(mix(number));
        }),
    ]
}

#[test]
fn a_fixed_filter_serves() {
    for (name, call) in calls::<Fixed, _>() {
        at_each_step(&format!("{DEATHS} deaths in {name}"), 12, |at| {
            let mut filter = CuckooFilter::builder()
                .buckets(16)
                .seed(1)
                .build()
                .expect("memory");
            let bytes = filter.memory_usage();
            let died = deaths(&filter, at, call);
            admits(&filter, fresh().take(20));
            assert_stored(&filter);
            assert!(filter.memory_usage() <= bytes + MOST_BYTES);
            filter.clear();
            assert_eq!(filter.memory_usage(), bytes, "not given back");
            died
        });
    }
}

/// The filter becomes as full as without the dead: the last inserts need paths.
#[test]
fn a_fixed_filter_becomes_as_full() {
    let full = |filter: &CuckooFilter| {
        let refused = fresh().position(|item| bounded(|| filter.insert_hash(item)).is_err());
        refused.expect("it is full in the end")
    };
    let filter = || {
        CuckooFilter::builder()
            .buckets(16)
            .seed(1)
            .build()
            .expect("memory")
    };
    let alone = filter();
    // The slots are free: the items of the dead are not stored, or no longer.
    assert!(!deaths(&alone, usize::MAX, |_, _| {}));
    let expected = full(&alone);
    assert!(expected > 40, "{expected}");
    let [_, (name, hop)] = calls::<Fixed, _>();
    at_each_step(
        &format!("{DEATHS} deaths in {name}, and inserts"),
        12,
        |at| {
            let filter = filter();
            let died = deaths(&filter, at, hop);
            let there = full(&filter);
            // Tokens that hopped before a death lead to other paths.
            assert!(
                there + 4 >= expected,
                "{there}, and {expected} without deaths"
            );
            assert_stored(&filter);
            died
        },
    );
}

#[test]
fn a_growing_filter_grows() {
    let growing = || {
        let builder = FilterBuilder::<Growing, _>::with_hasher(AsGiven).buckets(8);
        builder.build().expect("memory")
    };
    let split = |filter: &Filter<Growing, AsGiven>, _| {
        filter.finish_doubling();
    };
    let scenes = calls::<Growing, AsGiven>().into_iter();
    for (name, call) in scenes.chain([("splits", split as fn(&_, _))]) {
        at_each_step(
            &format!("{DEATHS} deaths in {name} of a doubling"),
            12,
            |at| {
                let begun = Cell::new(false);
                let filter = growing();
                let died = deaths(&filter, at, |filter, number| {
                    if !begun.replace(true) {
                        filter.begin_to_double();
                    }
                    call(filter, number);
                });
                let slots = filter.slots();
                admits(&filter, fresh().take(150));
                assert!(filter.slots() > slots, "it has not grown");
                assert!(
                    bounded(|| filter.finish_doubling()),
                    "it stays between two sizes"
                );
                assert_stored(&filter);
                died
            },
        );
    }
}

/// A growing filter grows though nothing is counted. The tokens of the dead are stored but not
/// counted: by its count the table is empty when it is full.
#[test]
fn grows_with_nothing_counted() {
    let insert = |filter: &Filter<Growing, AsGiven>, number| {
        let _ = filter.insert_hash(own(number));
    };
    // The thread's own cell of the counter takes an access more than one that it shares.
    at_each_step("8 deaths in inserts into 8 slots", 4, |at| {
        let builder = FilterBuilder::<Growing, _>::with_hasher(AsGiven).buckets(2);
        let filter = builder.build().expect("memory");
        let died = (0..8).filter(|&number| dies_at(at, || insert(&filter, number)));
        let died = died.count() > 0;
        for item in fresh().take(40) {
            let stored = bounded(|| filter.insert_hash(item));
            assert_eq!(stored, Ok(()), "refused for the dead");
        }
        died
    });
}

#[test]
fn a_rotating_filter_forgets() {
    let rotate = |filter: &RotatingCuckooFilter, _| {
        let _ = filter.rotate();
    };
    let scenes = calls().into_iter();
    for (name, call) in scenes.chain([("rotations", rotate as fn(&_, _))]) {
        at_each_step(
            &format!("{DEATHS} deaths in {name}, and rotations"),
            12,
            |at| {
                let builder = RotatingCuckooFilter::builder().buckets(16).seed(1);
                let filter = builder.build().expect("memory");
                let died = deaths(&filter, at, call);
                for round in 0..4 {
                    admits(&filter, fresh().skip(20 * round).take(20));
                    assert_eq!(bounded(|| filter.rotate()), Ok(()), "it does not forget");
                }
                assert!(!fresh().take(20).any(|item| filter.contains_hash(item)));
                died
            },
        );
    }
}
