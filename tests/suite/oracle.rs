//! Random sequences of calls on filters of every engine and layout, compared with a multiset after
//! each step: the properties of [`lockfree_cuckoo_tests::oracle`], with hashes that are built to
//! collide, at any capacity, and in tables that are kept full.

use lockfree_cuckoo::{CuckooFilter, RotatingCuckooFilter, layout::Shape};
use lockfree_cuckoo_tests::oracle::{Call, FULL_BUDGET, Pair, Step};
use model::geometry::Geometry;
use model::hashers::AsGiven;
use model::mix;
use model::oracle::Oracle;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::door::{BUDGETS, DEFAULT, SMALL, Subject, TINY, fixed, model_of, plain};
use crate::growing::{ALL, filter as growing, narrow};

fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let calls = |call| {
        let number = prop_oneof![6 => 0..3usize, 2 => 0..60usize, 1 => 0..800usize];
        (any::<u16>(), number).prop_map(move |(first, n)| Step::Calls(call, first.into(), n))
    };
    let step = prop_oneof![
        8 => calls(Call::Insert),
        4 => calls(Call::InsertUnique),
        6 => calls(Call::Remove),
        2 => calls(Call::InsertMany),
        2 => calls(Call::InsertUniqueMany),
        2 => calls(Call::RemoveMany),
        3 => (1..40usize, any::<u64>()).prop_map(|(times, seed)| Step::Fill(times, seed)),
        1 => (1..20usize, any::<u64>()).prop_map(|(times, seed)| Step::Drain(times, seed)),
        1 => any::<u16>().prop_map(|item| Step::Pile(item.into())),
        4 => prop_oneof![2 => Just(Step::Rotate), 1 => (0..3u64).prop_map(Step::RotateIf)],
        2 => prop_oneof![Just(Step::Double), any::<u16>().prop_map(|n| Step::Relocate(n.into()))],
        4 => prop::sample::select(vec![Step::Snapshot, Step::Store, Step::Shrink]),
        1 => Just(Step::Clear),
    ];
    prop::collection::vec(step, 1..most)
}

/// Returns steps that keep a table at its limits: no clears, and more inserts than removes.
fn steps_at_the_limit(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let few = |call| move |(first, n): (u16, usize)| Step::Calls(call, first.into(), n);
    let step = prop_oneof![
        6 => (any::<u16>(), 0..2usize).prop_map(few(Call::Insert)),
        2 => (any::<u16>(), 0..2usize).prop_map(few(Call::InsertUnique)),
        3 => (any::<u16>(), 0..2usize).prop_map(few(Call::Remove)),
        3 => (8..64usize, any::<u64>()).prop_map(|(times, seed)| Step::Fill(times, seed)),
        1 => (1..8usize, any::<u64>()).prop_map(|(times, seed)| Step::Drain(times, seed)),
    ];
    prop::collection::vec(step, 1..most)
}

/// Returns low bits that are likely to show mistakes: 0 and 1 have the same fingerprint, and word
/// arithmetic on neighbours can borrow.
fn low_bits(layout: model::Layout) -> impl Strategy<Value = u32> {
    let largest = *layout.fingerprints().end();
    let middle = largest / 2;
    prop_oneof![
        0..4u32,
        middle - 1..=middle + 3,
        largest - 2..=largest,
        0..=largest,
        0..=largest,
    ]
}

/// Returns hashes that are all equal, all in one class, of a few fingerprints in a few buckets,
/// with one fingerprint everywhere, or arbitrary.
fn hashes(layout: model::Layout, buckets: usize) -> impl Strategy<Value = Vec<u64>> {
    let geometry = Geometry::with_buckets(layout, buckets);
    let low_bits = move || low_bits(layout);
    let place = move || 0..buckets;
    let product = move |places: &[usize], bits: &[u32], salt: u64| -> Vec<u64> {
        let of = |&p: &usize| bits.iter().map(move |&b| geometry.hash(p, b, salt));
        places.iter().flat_map(of).collect()
    };
    prop_oneof![
        1 => any::<u64>().prop_map(|hash| vec![hash]),
        2 => (place(), low_bits(), any::<u64>()).prop_map(move |(place, bits, salt)| {
            let class = geometry.class(geometry.hash(place, bits, 0));
            let [one, other] = geometry.both_orders(class);
            vec![one, other, geometry.hash(place, bits, salt)]
        }),
        4 => (
            prop::collection::vec(place(), 1..4),
            prop::collection::vec(low_bits(), 1..6),
            any::<u64>(),
        )
            .prop_map(move |(places, bits, salt)| product(&places, &bits, salt)),
        1 => low_bits().prop_map(move |bits| {
            let places: Vec<usize> = (0..buckets).collect();
            product(&places, &[bits], 0)
        }),
        4 => prop::collection::vec((place(), low_bits(), any::<u64>()), 8..60).prop_map(
            move |list| list.into_iter().map(|(p, b, salt)| geometry.hash(p, b, salt)).collect()
        ),
        2 => prop::collection::vec(any::<u64>(), 20..80),
        // As from a hasher that leaves few bits.
        2 => (
            prop::sample::select(vec![0xff, 3 << 62 | 7, 0xf << 60 | 0xffff]),
            prop::collection::vec(any::<u64>(), 1..40),
        )
            .prop_map(|(mask, list)| list.into_iter().map(|hash| hash & mask).collect()),
        1 => Just(vec![0, 1, u64::MAX, 1 << 63, u64::MAX << 16, 0xffff]),
    ]
}

fn of_layout(shape: Shape, buckets: usize, budget: usize) -> Subject {
    fixed(shape, buckets, budget, None)
}

fn tiny() -> impl Strategy<Value = usize> {
    prop::sample::select(&TINY[..])
}

fn tiny_or_small() -> impl Strategy<Value = usize> {
    prop_oneof![tiny(), prop::sample::select(&SMALL[..])]
}

fn budgets() -> impl Strategy<Value = usize> {
    prop::sample::select(&BUDGETS[..])
}

/// Runs a property this many times.
fn hold<T: Strategy>(cases: u32, values: T, property: impl Fn(T::Value)) {
    let config = ProptestConfig {
        cases,
        // Nothing is written to the source tree. The message has the shrunken input.
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let outcome = TestRunner::new(config).run(&values, |value| {
        property(value);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

/// Runs a property for each layout, more often for the default one.
fn hold_of_each<T: Strategy>(values: impl Fn(Shape) -> T, property: impl Fn(Shape, T::Value)) {
    for shape in plain() {
        let cases = if shape == DEFAULT { 300 } else { 60 };
        hold(cases, values(shape), |value| property(shape, value));
    }
}

/// A filter agrees with the multiset on hashes built to collide.
#[test]
fn colliding_hashes() {
    let values = |shape| {
        let universe =
            tiny_or_small().prop_flat_map(move |b| (Just(b), hashes(model_of(shape), b)));
        (universe, budgets(), steps(80))
    };
    hold_of_each(values, |shape, ((buckets, items), budget, steps)| {
        Pair::new(of_layout(shape, buckets, budget), budget, &items).run(&steps);
    });
}

/// A table is full exactly when no placement exists.
#[test]
fn full_without_a_placement() {
    let values = |shape| {
        let universe = tiny().prop_flat_map(move |b| (Just(b), hashes(model_of(shape), b)));
        (universe, steps_at_the_limit(60))
    };
    hold_of_each(values, |shape, ((buckets, items), steps)| {
        let filter = of_layout(shape, buckets, FULL_BUDGET);
        let pair = Pair::new(filter, FULL_BUDGET, &items);
        assert!(pair.is_exhaustive());
        pair.run(&steps);
    });
}

/// A filter agrees with the multiset at any capacity.
#[test]
fn any_capacity() {
    let items: Vec<u64> = (0..400).map(mix).collect();
    let values = |_| (0usize..300, steps(40));
    hold_of_each(values, |shape, (capacity, steps)| {
        let builder = CuckooFilter::builder().hasher(AsGiven).capacity(capacity);
        let filter = builder.build_shape(shape).expect("a small filter");
        assert_eq!(filter.capacity(), capacity);
        Pair::new(filter, FULL_BUDGET, &items).run(&steps);
    });
}

/// A rotating filter agrees with the multiset.
#[test]
fn rotating_filter() {
    let capacity = || prop_oneof![Just(8usize), 8..100usize];
    // From two fingerprints to all.
    let bits = |shape: Shape| prop_oneof![1..4u32, 4..=shape.fingerprint_bits()];
    let values = |shape| (capacity(), 2..6usize, bits(shape), steps(50));
    hold_of_each(values, |shape, (capacity, generations, bits, steps)| {
        let fingerprint = (1 << shape.fingerprint_bits()) - 1;
        let mask = !fingerprint | ((1 << bits) - 1);
        let items: Vec<u64> = (0..200).map(|item| mix(item) & mask).collect();
        let builder = RotatingCuckooFilter::builder().capacity(capacity);
        let builder = builder.generations(generations).hasher(AsGiven);
        let filter = builder.build_shape(shape).expect("memory");
        Pair::new(filter, 0, &items).run(&steps);
    });
}

/// A growing filter finds and removes stored items.
#[test]
fn growing_filter() {
    let bits = prop::sample::select(vec![14u32, 18, ALL]);
    let capacity = prop::sample::select(vec![1usize, 20, 200]);
    hold(
        200,
        (capacity, bits, steps(60)),
        |(capacity, bits, steps)| {
            let items: Vec<u64> = (0..3_000).map(|item| narrow(item, bits)).collect();
            Pair::growing(growing(capacity).into(), &items).run(&steps);
        },
    );
}

/// Property 4 in its hardest case: the only vacant slot is at the end of a chain of full buckets,
/// and each bucket leads to the next with as many different fingerprints as it has slots. A search
/// that does not notice visited buckets would do that many times the work at every step.
#[test]
fn vacant_slot_after_a_chain() {
    // Alternates are in the other half of the range, so a chain alternates between the halves.
    let buckets: Vec<usize> = (0..7).flat_map(|at| [at, 8 + at]).collect();
    let dead_end = 15;
    for (shape, hops) in plain().flat_map(|shape| (1..14).map(move |hops| (shape, hops))) {
        let geometry = Geometry::with_buckets(model_of(shape), 16);
        let slots = shape.slots();
        let filter = fixed(shape, geometry.buckets, FULL_BUDGET, None);
        let mut oracle = Oracle::new(geometry);
        let mut link = |from: usize, to: usize, count: usize| -> Vec<u64> {
            let bits = geometry.fingerprints(from, 1, count, |other| other == to);
            let hashes: Vec<u64> = bits.iter().map(|&f| geometry.hash(from, f, 0)).collect();
            for &hash in &hashes {
                filter.insert_hash(hash).expect("its pair has room");
                oracle.add(geometry.class(hash));
            }
            hashes
        };
        // In reverse order, so that the alternate of each token is full already and the token stays
        // in its place.
        let last = link(buckets[hops - 1], buckets[hops], 2 * slots);
        for at in (0..hops - 1).rev() {
            link(buckets[at], buckets[at + 1], slots);
        }
        link(dead_end, buckets[0], slots);
        // The second token of the last pair went to the emptier bucket, which is the end.
        assert!(filter.remove_hash(last[1]) && oracle.take(geometry.class(last[1])));

        let middle = *geometry.layout.fingerprints().end() / 2;
        let bits = geometry.fingerprints(buckets[0], middle, 1, |other| other == dead_end);
        let new = geometry.hash(buckets[0], bits[0], 0);
        assert!(oracle.has_room_for(geometry.class(new)));
        if let Err(error) = filter.insert_hash(new) {
            panic!("{shape}, a chain of {hops} hops: {error}");
        }
        assert!(filter.contains_hash(new));
    }
}
