//! The oracle: sequences of calls on filters of every engine and layout, compared with a multiset.
//!
//! A class is an unordered pair of buckets and a fingerprint, computed here from the documented
//! geometry. Properties, after every step of every sequence:
//!
//! 1. `contains` is true exactly for the classes with a stored copy, `count` is their number of
//!    copies, `remove` succeeds exactly if there was a copy, and `insert_unique` exactly if there
//!    was none. In a rotating filter the copies of all its generations count, and the oldest is
//!    removed first. A growing filter may find an absent item, but is exact about each stored one.
//! 2. `len`, `is_empty` and `load_factor` are those of the multiset.
//! 3. A refused insert changes nothing. `TooManyCopies` is returned exactly if the copies fill two
//!    buckets. `Full` has the right numbers, and is returned only if at least as many tokens
//!    compete for the two buckets.
//! 4. In a tiny table, with the largest search budget, an insert succeeds exactly if the multiset
//!    with the new token has a placement (maximum bipartite matching).
//! 5. A snapshot and a filter that is read behave as the original would. A cleared filter behaves
//!    as a new one.
//! 6. Batches answer as the single calls, and two hashes of one class, one for each order of its
//!    buckets, are interchangeable.

use std::collections::BTreeMap;

use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{CuckooFilter, InsertError, RotatingCuckooFilter, layout::Shape};
use model::geometry::{Class, Geometry};
use model::hashers::AsGiven;
use model::mix;
use model::oracle::Oracle;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::door::{
    BUDGETS, DEFAULT, SMALL, Subject, TINY, fixed, geometry_of, model_of, plain, read,
};
use crate::growing::{ALL, filter as growing, narrow};

/// The largest search budget, with which a search of a tiny table should be exhaustive.
const FULL_BUDGET: usize = 4096;

/// One step. A filter without that operation ignores it. Numbers select items, modulo their number.
#[derive(Clone, Debug)]
enum Step {
    /// Calls for consecutive items: the first, and how many.
    Calls(Call, usize, usize),
    /// Inserts of items chosen by a seed, as many as bring a table to its limits.
    Fill(usize, u64),
    /// The same with removes.
    Drain(usize, u64),
    Rotate,
    /// A conditional rotation, with the number of rotations that was read this many rotations ago.
    RotateIf(u64),
    Double,
    Relocate(usize),
    /// A snapshot, which replaces the filter.
    Snapshot,
    Store,
    Shrink,
    Clear,
}

#[derive(Clone, Copy, Debug)]
enum Call {
    Insert,
    InsertUnique,
    Remove,
    InsertMany,
    InsertUniqueMany,
    RemoveMany,
}

/// A filter with its multiset.
struct Pair<'a> {
    filter: Subject,
    /// The geometry of one table. A growing filter does not use it.
    geometry: Geometry,
    /// Whether a refusal must mean that there is no placement.
    exhaustive: bool,
    /// The hashes of the items.
    items: &'a [u64],
    grows: bool,
    rotations: u64,
    /// The generation of each token of a class, the oldest first.
    tokens: BTreeMap<Class, Vec<u64>>,
}

impl<'a> Pair<'a> {
    fn new(filter: Subject, budget: usize, items: &'a [u64]) -> Self {
        let geometry = geometry_of(&filter);
        let is_fixed = filter.rotating().is_none();
        Self {
            filter,
            geometry,
            exhaustive: is_fixed && budget == FULL_BUDGET && geometry.buckets <= 24,
            items,
            grows: false,
            rotations: 0,
            tokens: BTreeMap::new(),
        }
    }

    fn run(mut self, steps: &[Step]) {
        self.check();
        for step in steps {
            self.step(step);
            self.check();
        }
        self.empty();
    }

    fn grows(&self) -> bool {
        self.grows
    }

    /// Returns the class of a hash. In a growing filter all items are distinct, and each hash is a
    /// class.
    fn class(&self, hash: u64) -> Class {
        if self.grows() {
            return Class::new(hash as usize, usize::MAX, 0);
        }
        self.geometry.class(hash)
    }

    fn copies(&self, hash: u64) -> usize {
        let tokens = self.tokens.get(&self.class(hash));
        tokens.map_or(0, Vec::len)
    }

    fn len(&self) -> usize {
        self.tokens.values().map(Vec::len).sum()
    }

    fn note(&mut self, hash: u64) {
        let class = self.class(hash);
        self.tokens.entry(class).or_default().push(self.rotations);
    }

    /// Removes the oldest token of a class; false if there is none.
    fn take(&mut self, hash: u64) -> bool {
        let class = self.class(hash);
        match self.tokens.get_mut(&class) {
            Some(tokens) if !tokens.is_empty() => {
                tokens.remove(0);
                true
            }
            _ => false,
        }
    }

    fn item(&self, number: usize) -> u64 {
        self.items[number % self.items.len()]
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Calls(call, first, number) => {
                let number = 1 + number % self.items.len();
                let hashes: Vec<u64> = (first..first + number).map(|n| self.item(n)).collect();
                self.call(call, &hashes);
            }
            Step::Fill(times, seed) => {
                for at in 0..times as u64 {
                    self.insert(self.item(mix(seed ^ at) as usize));
                }
            }
            Step::Drain(times, seed) => {
                for at in 0..times as u64 {
                    self.remove(self.item(mix(seed ^ at) as usize));
                }
            }
            Step::Rotate => self.rotate_if(0),
            Step::RotateIf(ago) => self.rotate_if(ago),
            Step::Double => _ = self.filter.begin_to_double(),
            Step::Relocate(item) => _ = self.filter.relocate_hash(self.item(item)),
            Step::Snapshot => self.go_on_with(self.filter.snapshot().expect("no thread writes")),
            Step::Store => {
                self.go_on_with(read(&self.filter.to_bytes().expect("no thread writes")))
            }
            Step::Shrink => self.filter.shrink_to_fit(),
            Step::Clear => {
                self.filter.clear();
                self.tokens.clear();
            }
        }
    }

    fn call(&mut self, call: Call, hashes: &[u64]) {
        match call {
            Call::Insert => hashes.iter().for_each(|&hash| self.insert(hash)),
            Call::InsertUnique => hashes.iter().for_each(|&hash| self.insert_unique(hash)),
            Call::Remove => hashes.iter().for_each(|&hash| self.remove(hash)),
            Call::InsertMany => {
                let inserted = match self.filter.insert_many_hash(hashes) {
                    Ok(()) => hashes.len(),
                    Err(stopped) => stopped.inserted(),
                };
                hashes[..inserted].iter().for_each(|&hash| self.note(hash));
            }
            Call::InsertUniqueMany => {
                let mut added = vec![false; hashes.len()];
                let stopped = self.filter.insert_unique_many_hash(hashes, &mut added);
                let tried = stopped.map_or_else(|stopped| stopped.inserted(), |()| hashes.len());
                for (&hash, added) in hashes[..tried].iter().zip(added) {
                    let is_new = self.copies(hash) == 0;
                    assert!(added == is_new || self.grows() && !added, "added");
                    if added {
                        self.note(hash);
                    }
                }
            }
            Call::RemoveMany if self.grows() => {
                let mut hashes = hashes.to_vec();
                hashes.retain(|&hash| self.take(hash));
                assert_eq!(self.filter.remove_many_hash(&hashes), hashes.len());
            }
            Call::RemoveMany => {
                let taken = hashes.iter().filter(|&&hash| self.take(hash)).count();
                assert_eq!(self.filter.remove_many_hash(hashes), taken, "removed");
            }
        }
    }

    fn insert(&mut self, hash: u64) {
        match self.filter.insert_hash(hash) {
            Ok(()) => self.note(hash),
            Err(error) => self.refused(hash, &error),
        }
    }

    fn insert_unique(&mut self, hash: u64) {
        let is_in = if self.grows() {
            self.filter.contains_hash(hash)
        } else {
            self.copies(hash) > 0
        };
        match self.filter.insert_unique_hash(hash) {
            Ok(added) => {
                assert_eq!(added, !is_in, "insert_unique");
                if added {
                    self.note(hash);
                }
            }
            Err(error) => {
                assert!(!is_in, "a copy is in, so nothing is missing");
                self.refused(hash, &error);
            }
        }
    }

    /// Removes a copy. A growing filter may find an absent item, so it removes only stored ones.
    fn remove(&mut self, hash: u64) {
        let was_in = self.take(hash);
        if was_in || !self.grows() {
            assert_eq!(self.filter.remove_hash(hash), was_in, "removed");
        }
    }

    fn rotate_if(&mut self, ago: u64) {
        let Some(filter) = self.filter.rotating() else {
            return;
        };
        let rotated = filter.rotate_if(self.rotations.wrapping_sub(ago));
        assert_eq!(rotated, Ok(ago == 0));
        if ago == 0 {
            self.rotations += 1;
            let oldest = (self.rotations + 1).saturating_sub(filter.generations() as u64);
            for tokens in self.tokens.values_mut() {
                tokens.retain(|&of| of >= oldest);
            }
        }
    }

    /// Returns the tokens of the table that takes the inserts.
    fn young(&self) -> Oracle {
        let mut young = Oracle::new(self.geometry);
        for (&class, tokens) in &self.tokens {
            let of_young = tokens.iter().filter(|&&of| of == self.rotations);
            of_young.for_each(|_| young.add(class));
        }
        young
    }

    fn refused(&self, hash: u64, error: &InsertError) {
        let most = 2 * self.geometry.layout.slots;
        if self.grows() {
            return match error {
                InsertError::TooManyCopies { .. } => {
                    assert!(self.filter.count_hash(hash) >= most, "{error}");
                }
                // Items with few heads have few alternates, and copies of few items fill theirs.
                InsertError::Full { len, slots, .. } => assert!(8 * len < *slots, "{error}"),
                error => panic!("{error}"),
            };
        }
        let (young, class) = (self.young(), self.class(hash));
        match *error {
            InsertError::TooManyCopies { copies, .. } => {
                assert_eq!((copies, young.count(class)), (most, most));
            }
            InsertError::Full { len, slots, .. } => {
                assert!(young.count(class) < most, "should be TooManyCopies");
                assert_eq!((len, slots), (young.len(), self.geometry.slots()));
                let rivals = young.rivals(class);
                assert!(rivals >= most, "{rivals} tokens cannot fill both");
                assert!(
                    !self.exhaustive || !young.has_room_for(class),
                    "refused with {len} of {slots} slots in use, although a placement exists"
                );
            }
            ref other => panic!("an unknown refusal: {other:?}"),
        }
    }

    /// Replaces the filter by a copy, and empties the original: they share nothing.
    fn go_on_with(&mut self, copy: Subject) {
        let mut original = std::mem::replace(&mut self.filter, copy);
        let shape = |filter: &Subject| (filter.shape(), filter.tables());
        assert_eq!(shape(&original), shape(&self.filter));
        assert_eq!(original.slots(), self.filter.slots());
        assert_eq!(original.capacity(), self.filter.capacity());
        assert!(original.to_bytes().expect("quiet") == self.filter.to_bytes().expect("quiet"));
        original.clear();
        assert!(original.is_empty());
    }

    fn check(&self) {
        let (len, capacity) = (self.len(), self.filter.capacity());
        assert_eq!((self.filter.len(), self.filter.is_empty()), (len, len == 0));
        let rate = self.filter.false_positive_rate();
        assert_eq!(rate == 0.0, len == 0, "an empty filter is never wrong");
        if self.grows() {
            let mut stored = self.tokens.iter().filter(|(_, tokens)| !tokens.is_empty());
            let is_in = |hash| self.filter.contains_hash(hash) && self.filter.count_hash(hash) > 0;
            assert!(stored.all(|(class, _)| is_in(class.low as u64)), "missed");
            return;
        }
        let load = len as f64 / self.filter.slots() as f64;
        assert_eq!(self.filter.load_factor(), load);
        let is_full = self.young().len() >= capacity;
        assert_eq!(self.filter.is_full(), is_full);
        if let Some(filter) = self.filter.rotating() {
            assert_eq!(filter.rotations(), self.rotations);
        }
        let mut found = vec![false; self.items.len()];
        self.filter.contains_many_hash(self.items, &mut found);
        for (&hash, found) in self.items.iter().zip(found) {
            let (class, copies) = (self.class(hash), self.copies(hash));
            assert_eq!(found, copies > 0, "contains_many of {class:?}");
            for hash in self.geometry.both_orders(class) {
                assert_eq!(self.filter.count_hash(hash), copies, "count of {class:?}");
                assert_eq!(self.filter.contains_hash(hash), copies > 0, "{class:?}");
            }
        }
    }

    /// Removes every token through its item: none may be missing, and none may be left.
    fn empty(mut self) {
        for &hash in self.items {
            while self.copies(hash) > 0 {
                self.remove(hash);
            }
            self.remove(hash);
        }
        assert_eq!((self.len(), self.filter.len()), (0, 0));
        let left = self
            .items
            .iter()
            .filter(|&&hash| self.filter.contains_hash(hash));
        assert_eq!(left.count(), 0, "a token is left");
    }
}

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
        assert!(pair.exhaustive);
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
    let capacity = || prop_oneof![Just(8usize), 8..300usize];
    // From two fingerprints to all.
    let bits = |shape: Shape| prop_oneof![1..4u32, 4..=shape.fingerprint_bits()];
    let values = |shape| (capacity(), 2..6usize, bits(shape), steps(50));
    hold_of_each(values, |shape, (capacity, generations, bits, steps)| {
        let fingerprint = (1 << shape.fingerprint_bits()) - 1;
        let mask = !fingerprint | ((1 << bits) - 1);
        let items: Vec<u64> = (0..600).map(|item| mix(item) & mask).collect();
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
            let mut pair = Pair::new(growing(capacity).into(), 0, &items);
            pair.grows = true;
            pair.run(&steps);
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
