//! Sequences of operations, compared with a naive multiset of classes.
//!
//! A class is an unordered pair of buckets and a fingerprint, computed here from the documented geometry.
//! Properties, after every step of every sequence:
//!
//! 1. `contains` is true exactly for the classes with a copy in, `count` is their number of copies, `remove`
//!    is true exactly if there was a copy, `insert_unique` is true exactly if there was none.
//! 2. `len`, `is_empty` and `load_factor` are those of the multiset.
//! 3. A refused insert changes no class. `TooManyCopies` comes exactly when the copies are as many as the slots of two
//!    buckets; `Full` tells the numbers, and only comes if at least so many tokens compete for the two buckets.
//! 4. On tiny tables, with the largest search budget, an insert succeeds exactly if the multiset with the new
//!    token has a placement at all (maximum bipartite matching).
//! 5. A clone gives the same answers and shares nothing; a cleared filter is a new one.
//! 6. Typed calls, calls by hash, and hashes of one class in either order are the same operation.
//!
//! All of it over layouts, table shapes, search budgets, universes that collide, hashers, and capacities.

use std::fmt::Debug;
use std::hash::{BuildHasher, Hash};

use lockfree_cuckoo::{CuckooFilter, Filter, Fixed, InsertError, Layout, RandomState};
use model::geometry::{Class, Geometry};
use model::hashers::{AsGiven, Narrow};
use model::mix;
use model::oracle::Oracle;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::common::model_of;
use crate::common::{BUDGETS, SMALL, TINY};

/// The largest budget, with which a search of a tiny table should be exhaustive.
const FULL_BUDGET: usize = 4096;

/// One step. Numbers select items of the universe, modulo its size.
#[derive(Clone, Debug)]
enum Step {
    Insert(usize),
    InsertUnique(usize),
    Remove(usize),
    Contains(usize),
    Count(usize),
    /// As many inserts of items chosen by a seed: what brings a table to its limits.
    Fill(usize, u64),
    /// The same for removes.
    Drain(usize, u64),
    /// Goes on with a clone.
    Clone,
    Clear,
}

/// A filter beside its oracle.
struct Pair<'a, T, S, L: Layout> {
    filter: Filter<Fixed<L>, S>,
    oracle: Oracle,
    geometry: Geometry,
    /// Whether a refusal must mean that there is no placement.
    exhaustive: bool,
    items: &'a [T],
    /// Counts calls, so that typed calls and calls by hash take turns.
    calls: usize,
}

impl<'a, T: Hash + Debug, S: BuildHasher + Clone, L: Layout> Pair<'a, T, S, L> {
    /// Both buckets of a class full of copies of it.
    const MOST_COPIES: usize = 2 * L::SLOTS;

    fn new(filter: Filter<Fixed<L>, S>, budget: usize, items: &'a [T]) -> Self {
        let geometry = Geometry::with_slots(model_of::<L>(), filter.slots());
        Self {
            filter,
            oracle: Oracle::new(geometry),
            geometry,
            exhaustive: budget == FULL_BUDGET && geometry.buckets <= 24,
            items,
            calls: 0,
        }
    }

    fn run(mut self, steps: &[Step]) {
        self.check_all();
        for step in steps {
            self.step(step);
            self.check_measures();
        }
        self.check_all();
        self.empty();
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Insert(item) => self.insert(item),
            Step::InsertUnique(item) => self.insert_unique(item),
            Step::Remove(item) => self.remove(item),
            Step::Contains(item) | Step::Count(item) => self.check(item),
            Step::Fill(times, seed) => {
                for at in 0..times as u64 {
                    self.insert(mix(seed ^ at) as usize);
                }
            }
            Step::Drain(times, seed) => {
                for at in 0..times as u64 {
                    self.remove(mix(seed ^ at) as usize);
                }
            }
            Step::Clone => self.clone_and_go_on(),
            Step::Clear => {
                self.filter.clear();
                self.oracle.clear();
                self.check_all();
            }
        }
    }

    fn item(&self, number: usize) -> (&'a T, u64, Class) {
        let item = &self.items[number % self.items.len()];
        let hash = self.filter.hash_one(item);
        assert_eq!(hash, self.filter.hasher().hash_one(item));
        (item, hash, self.geometry.class(hash))
    }

    fn typed(&mut self) -> bool {
        self.calls += 1;
        self.calls.is_multiple_of(2)
    }

    fn insert(&mut self, number: usize) {
        let (item, hash, class) = self.item(number);
        let copies = self.oracle.count(class);
        let result = if self.typed() {
            self.filter.insert(item)
        } else {
            self.filter.insert_hash(hash)
        };
        match result {
            Ok(()) => {
                assert!(copies < Self::MOST_COPIES, "a copy too many of {class:?}");
                self.oracle.add(class);
            }
            Err(error) => self.check_refusal(error, class),
        }
        self.check(number);
    }

    fn insert_unique(&mut self, number: usize) {
        let (item, hash, class) = self.item(number);
        let copies = self.oracle.count(class);
        let result = if self.typed() {
            self.filter.insert_unique(item)
        } else {
            self.filter.insert_unique_hash(hash)
        };
        match result {
            Ok(inserted) => {
                assert_eq!(inserted, copies == 0, "insert_unique with {copies} copies");
                if inserted {
                    self.oracle.add(class);
                }
            }
            Err(error) => {
                assert_eq!(copies, 0, "a copy is in, so nothing is missing");
                self.check_refusal(error, class);
            }
        }
        self.check(number);
    }

    fn remove(&mut self, number: usize) {
        let (item, hash, class) = self.item(number);
        let removed = if self.typed() {
            self.filter.remove(item)
        } else {
            self.filter.remove_hash(hash)
        };
        assert_eq!(removed, self.oracle.take(class), "remove of {class:?}");
        self.check(number);
    }

    fn check_refusal(&self, error: InsertError, class: Class) {
        let copies = self.oracle.count(class);
        match error {
            InsertError::TooManyCopies { copies: told, .. } => {
                assert_eq!((told, copies), (Self::MOST_COPIES, Self::MOST_COPIES));
            }
            InsertError::Full { len, slots, .. } => {
                assert!(copies < Self::MOST_COPIES, "should be TooManyCopies");
                assert_eq!(len, self.oracle.len());
                assert_eq!(slots, self.geometry.slots());
                let rivals = self.oracle.rivals(class);
                assert!(
                    rivals >= Self::MOST_COPIES,
                    "{rivals} tokens cannot fill both"
                );
                assert!(
                    !self.exhaustive || !self.oracle.has_room_for(class),
                    "refused with {len} of {slots} slots in use, although a placement exists"
                );
            }
            other => panic!("an unknown refusal: {other:?}"),
        }
        self.check_all();
    }

    fn check(&self, number: usize) {
        let (item, hash, class) = self.item(number);
        let copies = self.oracle.count(class);
        for hash in self.geometry.both_orders(class).into_iter().chain([hash]) {
            assert_eq!(self.filter.count_hash(hash), copies, "count of {class:?}");
            assert_eq!(self.filter.contains_hash(hash), copies > 0, "{class:?}");
        }
        assert_eq!(self.filter.count(item), copies);
        assert_eq!(self.filter.contains(item), copies > 0);
    }

    fn check_measures(&self) {
        let len = self.oracle.len();
        assert_eq!(self.filter.len(), len);
        assert_eq!(self.filter.is_empty(), len == 0);
        assert_eq!(
            self.filter.load_factor(),
            len as f64 / self.geometry.slots() as f64
        );
    }

    fn check_all(&self) {
        for number in 0..self.items.len() {
            self.check(number);
        }
        self.check_measures();
    }

    fn clone_and_go_on(&mut self) {
        let clone = self.filter.try_clone().expect("memory");
        let original = std::mem::replace(&mut self.filter, clone);
        assert_eq!(original.slots(), self.filter.slots());
        assert_eq!(original.capacity(), self.filter.capacity());
        self.check_all();
        // Emptying the original must not touch the clone.
        for number in 0..self.items.len() {
            let (item, ..) = self.item(number);
            while original.remove(item) {}
        }
        assert!(original.is_empty());
        self.check_all();
    }

    /// Removes every token by name: none may be left over, none may be missing.
    fn empty(&mut self) {
        for number in 0..self.items.len() {
            let (.., class) = self.item(number);
            for _ in 0..self.oracle.count(class) {
                self.remove(number);
            }
            self.remove(number);
        }
        assert_eq!(self.oracle.len(), 0);
        self.check_all();
    }
}

fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let item = || any::<u16>().prop_map(usize::from);
    prop::collection::vec(
        prop_oneof![
            8 => item().prop_map(Step::Insert),
            4 => item().prop_map(Step::InsertUnique),
            6 => item().prop_map(Step::Remove),
            1 => item().prop_map(Step::Contains),
            1 => item().prop_map(Step::Count),
            3 => (1..40usize, any::<u64>()).prop_map(|(times, seed)| Step::Fill(times, seed)),
            1 => (1..20usize, any::<u64>()).prop_map(|(times, seed)| Step::Drain(times, seed)),
            1 => Just(Step::Clone),
            1 => Just(Step::Clear),
        ],
        1..most,
    )
}

/// Steps that keep a table at its limits: nothing is cleared, and more goes in than out.
fn steps_at_the_limit(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let item = || any::<u16>().prop_map(usize::from);
    prop::collection::vec(
        prop_oneof![
            6 => item().prop_map(Step::Insert),
            2 => item().prop_map(Step::InsertUnique),
            3 => item().prop_map(Step::Remove),
            3 => (8..64usize, any::<u64>()).prop_map(|(times, seed)| Step::Fill(times, seed)),
            1 => (1..8usize, any::<u64>()).prop_map(|(times, seed)| Step::Drain(times, seed)),
        ],
        1..most,
    )
}

/// Bits that invite mistakes: 0 and 1 are one fingerprint, and neighbours borrow from one another.
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

/// Hashes of some universe: all equal, all in one class, a few fingerprints in a few buckets, one
/// fingerprint everywhere, or anything.
fn hashes(layout: model::Layout, buckets: usize) -> impl Strategy<Value = Vec<u64>> {
    let geometry = Geometry::with_buckets(layout, buckets);
    let low_bits = move || low_bits(layout);
    let place = move || 0..buckets;
    let product = move |places: &[usize], bits: &[u32], salt: u64| -> Vec<u64> {
        let pairs = places
            .iter()
            .flat_map(|&p| bits.iter().map(move |&b| (p, b)));
        pairs.map(|(p, b)| geometry.hash(p, b, salt)).collect()
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
        1 => Just(vec![0, 1, u64::MAX, 1 << 63, u64::MAX << 16, 0xffff]),
    ]
}

fn with_buckets<L: Layout, S: BuildHasher>(
    buckets: usize,
    budget: usize,
    hasher: S,
) -> Filter<Fixed<L>, S> {
    CuckooFilter::builder()
        .layout::<L>()
        .buckets(buckets)
        .search_budget(budget)
        .hasher(hasher)
        .build()
        .expect("a possible geometry")
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

/// Runs a property, more often for the default layout than for others.
fn hold<L: Layout, T: Strategy>(values: T, property: impl Fn(T::Value)) {
    let is_default = model_of::<L>() == model::Layout::DEFAULT;
    let config = ProptestConfig {
        cases: if is_default { 400 } else { 80 },
        // Nothing is written to the source tree; the shrunken input is in the message.
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let outcome = TestRunner::new(config).run(&values, |value| {
        property(value);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

pub(crate) fn agrees_with_the_oracle_on_hashes_built_to_collide<L: Layout>() {
    let universe = tiny_or_small().prop_flat_map(|b| (Just(b), hashes(model_of::<L>(), b)));
    let values = (universe, budgets(), steps(80));
    hold::<L, _>(values, |((buckets, items), budget, steps)| {
        let filter = with_buckets::<L, _>(buckets, budget, AsGiven);
        Pair::new(filter, budget, &items).run(&steps);
    });
}

pub(crate) fn is_full_exactly_when_no_placement_exists<L: Layout>() {
    let universe = tiny().prop_flat_map(|b| (Just(b), hashes(model_of::<L>(), b)));
    let values = (universe, steps_at_the_limit(60));
    hold::<L, _>(values, |((buckets, items), steps)| {
        let filter = with_buckets::<L, _>(buckets, FULL_BUDGET, AsGiven);
        let pair = Pair::new(filter, FULL_BUDGET, &items);
        assert!(pair.exhaustive);
        pair.run(&steps);
    });
}

pub(crate) fn agrees_with_the_oracle_on_numbers_under_the_default_hasher<L: Layout>() {
    let items = prop::collection::vec(any::<u64>(), 1..100);
    let values = (tiny_or_small(), budgets(), any::<u64>(), items, steps(60));
    hold::<L, _>(values, |(buckets, budget, seed, items, steps)| {
        let filter = with_buckets::<L, _>(buckets, budget, RandomState::with_seed(seed));
        Pair::new(filter, budget, &items).run(&steps);
    });
}

pub(crate) fn agrees_with_the_oracle_on_strings_under_another_hasher<L: Layout>() {
    let masks = vec![0, 0xff, 3 << 62 | 7, 0xf << 60 | 0xffff, u64::MAX];
    let masks = prop::sample::select(masks);
    let items = prop::collection::vec("[a-c]{0,3}", 1..40);
    let values = (tiny_or_small(), budgets(), masks, items, steps(60));
    hold::<L, _>(values, |(buckets, budget, mask, items, steps)| {
        let filter = with_buckets::<L, _>(buckets, budget, Narrow { mask });
        Pair::new(filter, budget, &items).run(&steps);
    });
}

pub(crate) fn agrees_with_the_oracle_at_any_capacity<L: Layout>() {
    let items: Vec<u64> = (0..400).collect();
    let values = (0usize..300, any::<u64>(), steps(40));
    hold::<L, _>(values, |(capacity, seed, steps)| {
        let builder = CuckooFilter::builder().layout::<L>().capacity(capacity);
        let filter = builder.seed(seed).build().expect("a small filter");
        assert_eq!(filter.capacity(), capacity);
        Pair::new(filter, FULL_BUDGET, &items).run(&steps);
    });
}

/// Property 4 where it is hardest: the only vacant slot is at the end of a chain of full buckets, and each of
/// them leads to the next with as many different fingerprints as it has slots. A search that takes every way into a
/// bucket for a bucket of its own has so many times as much to do with every step.
pub(crate) fn finds_the_only_vacant_slot_at_the_end_of_a_chain<L: Layout>() {
    let geometry = Geometry::with_buckets(model_of::<L>(), 16);
    // Alternates are in the other half of the range, so a chain goes to and fro.
    let buckets: Vec<usize> = (0..7).flat_map(|at| [at, 8 + at]).collect();
    let dead_end = 15;
    for hops in 1..buckets.len() {
        let filter = with_buckets::<L, _>(geometry.buckets, FULL_BUDGET, AsGiven);
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
        // Backwards, so that the alternate of each token is full already and it stays where it belongs.
        let last = link(buckets[hops - 1], buckets[hops], 2 * L::SLOTS);
        for at in (0..hops - 1).rev() {
            link(buckets[at], buckets[at + 1], L::SLOTS);
        }
        link(dead_end, buckets[0], L::SLOTS);
        // The second one of the last pair went to the emptier bucket, the end.
        assert!(filter.remove_hash(last[1]) && oracle.take(geometry.class(last[1])));

        let middle = *geometry.layout.fingerprints().end() / 2;
        let bits = geometry.fingerprints(buckets[0], middle, 1, |other| other == dead_end);
        let new = geometry.hash(buckets[0], bits[0], 0);
        assert!(oracle.has_room_for(geometry.class(new)));
        if let Err(error) = filter.insert_hash(new) {
            panic!("a chain of {hops} hops: {error}");
        }
        assert!(filter.contains_hash(new));
    }
}
