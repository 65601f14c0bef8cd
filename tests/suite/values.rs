//! Filters with values: one thread compared with a multimap, and many threads on one filter.
//!
//! 1. The stored items and values are those of a multimap; also near the limits of a table, where
//!    tokens hop.
//! 2. A refused call changes nothing. A value that is too large is an error.
//! 3. Every copy keeps its value through hops, snapshots and the stored form.
//! 4. If threads race to add an absent item, one sets its value, and the others get that value.
//! 5. A thread finds the values of its own items, whatever the others do.
//! 6. The calls of several threads on one class are linearizable while it hops: as a whole if the
//!    class never has two tokens at once, and otherwise for the class and for each value
//!    separately.

use std::collections::BTreeMap;
use std::sync::Arc;

use crew::Crew;
use lockfree_cuckoo::{
    CuckooFilter, Filter, InsertError, ValueError,
    filter::Fixed,
    layout::{Lanes, Shape, WithValues},
};
use model::geometry::{Geometry, distinct};
use model::hashers::AsGiven;
use model::history::{Call, Event, Multiset, ValueCall, explained, linearizable};
use proptest::prelude::*;
use rand::RngExt;

use crate::accounts::rng;
use crate::door::model_of;
use crate::seesaw::{BUCKETS, BUDGET, Seesaw};

type Valued<L> = Filter<Fixed<L>>;

/// Makes the tests of one layout: each calls the function of its name.
macro_rules! tests {
    ($layout:ty: $($test:ident)*) => {
        use super::Lanes;

        $(
            #[test]
            fn $test() {
                super::$test::<$layout>();
            }
        )*
    };
}

macro_rules! each_layout {
    ($($name:ident: $layout:ty;)*) => {$(
        mod $name {
            tests! { $layout:
                follows_a_multimap
                a_full_filter_keeps_its_values
                a_value_that_is_too_large_is_an_error
                many_are_looked_up_as_one_is
                one_of_many_gives_the_value
                threads_find_the_values_of_their_items
                calls_on_one_token_are_linearizable
                calls_are_linearizable
            }
        }
    )*};
}

model::layouts_with_values!(each_layout);

fn filter<L: WithValues>(buckets: usize) -> Valued<L> {
    let builder = CuckooFilter::builder().layout::<L>().seed(1);
    builder
        .buckets(buckets)
        .build()
        .expect("a possible geometry")
}

fn sorted(values: impl Iterator<Item = u16>) -> Vec<u16> {
    let mut values: Vec<u16> = values.collect();
    values.sort_unstable();
    values
}

/// Returns a value for any number.
pub(crate) fn value_of<L: WithValues>(number: u64) -> u16 {
    (model::mix(number) % (u64::from(L::MAX_VALUE) + 1)) as u16
}

fn follows_a_multimap<L: WithValues>() {
    const BUCKETS: usize = 8;
    let geometry = Geometry::with_buckets(model_of(Shape::of::<L>()), BUCKETS);
    let items = distinct(geometry, BUCKETS * L::SLOTS / 2, 7);
    let few = [0, 1, L::MAX_VALUE / 2, L::MAX_VALUE];
    let step = (0..items.len(), 0..6_usize, 0..few.len(), 0..few.len());
    let steps = prop::collection::vec(step, 1..200);
    proptest!(ProptestConfig::with_cases(64), |(steps in steps)| {
        let filter = filter::<L>(BUCKETS);
        let mut values: Vec<Vec<u16>> = vec![Vec::new(); items.len()];
        for (item, call, one, other) in steps {
            let (hash, held) = (items[item], &mut values[item]);
            let (one, other) = (few[one], few[other]);
            let at = held.iter().position(|&value| value == one);
            match call {
                0 | 1 => {
                    if filter.insert_value_hash(hash, one).is_ok() {
                        held.push(one);
                    }
                }
                2 => match filter.insert_unique_value_hash(hash, one) {
                    Ok(None) => {
                        prop_assert!(held.is_empty());
                        held.push(one);
                    }
                    Ok(Some(found)) => prop_assert!(held.contains(&found)),
                    Err(_) => prop_assert!(held.is_empty()),
                },
                3 => {
                    let replaced = filter.replace_value_hash(hash, one, other);
                    prop_assert_eq!(replaced, Ok(at.is_some()));
                    if let Some(at) = at {
                        held[at] = other;
                    }
                }
                4 => {
                    prop_assert_eq!(filter.remove_value_hash(hash, one), at.is_some());
                    if let Some(at) = at {
                        held.remove(at);
                    }
                }
                _ => {
                    // Any of them is removed; the filter decides which.
                    prop_assert_eq!(filter.remove_hash(hash), !held.is_empty());
                    let left = sorted(filter.values_hash(hash));
                    let gone = (0..held.len()).find(|&at| {
                        let mut rest = held.clone();
                        rest.remove(at);
                        sorted(rest.into_iter()) == left
                    });
                    prop_assert_eq!(gone.is_some(), !held.is_empty());
                    if let Some(gone) = gone {
                        held.remove(gone);
                    }
                }
            }
            for (&hash, held) in items.iter().zip(&values) {
                prop_assert_eq!(sorted(filter.values_hash(hash)), sorted(held.iter().copied()));
                prop_assert_eq!(filter.count_hash(hash), held.len());
                match filter.value_hash(hash) {
                    Some(value) => prop_assert!(held.contains(&value)),
                    None => prop_assert!(held.is_empty()),
                }
            }
            prop_assert_eq!(filter.len(), values.iter().map(Vec::len).sum::<usize>());
        }
    });
}

/// Fills it with items of distinct classes until an insert is refused. Returns the stored items.
fn fill<L: WithValues>(filter: &Valued<L>, seed: u64) -> Vec<u64> {
    let geometry = Geometry::with_slots(model_of(Shape::of::<L>()), filter.slots());
    let mut items = distinct(geometry, filter.slots(), seed);
    let insert = |&hash: &u64| filter.insert_value_hash(hash, value_of::<L>(hash)).is_ok();
    let taken = items.iter().take_while(|hash| insert(hash)).count();
    assert!(filter.load_factor() > 0.8, "{}", filter.load_factor());
    items.truncate(taken);
    items
}

fn a_full_filter_keeps_its_values<L: WithValues>() {
    let filter = filter::<L>(1 << 10);
    let items = fill(&filter, 3);
    let keeps_all = |filter: &Valued<L>| {
        assert_eq!(filter.len(), items.len());
        for &hash in &items {
            let expected = Some(value_of::<L>(hash));
            assert_eq!(filter.value_hash(hash), expected, "a value was lost");
        }
    };
    keeps_all(&filter);
    let bytes = filter.to_bytes().expect("quiet");
    keeps_all(&Valued::from_bytes(&bytes).expect("its own bytes"));
    keeps_all(&filter.snapshot().expect("no thread writes"));
    // Without values the same bits mean another filter.
    assert!(CuckooFilter::from_bytes(&bytes).is_err());
    // It needs no room.
    for &hash in &items {
        let (old, new) = (value_of::<L>(hash), value_of::<L>(!hash));
        assert_eq!(filter.replace_value_hash(hash, old, new), Ok(true));
    }
    assert_eq!(filter.len(), items.len());
    for &hash in &items {
        assert!(filter.remove_value_hash(hash, value_of::<L>(!hash)));
        assert_eq!(filter.value_hash(hash), None);
    }
    assert!(filter.is_empty());
}

fn a_value_that_is_too_large_is_an_error<L: WithValues>() {
    let filter = filter::<L>(16);
    let most = L::MAX_VALUE;
    assert_eq!(u32::from(most), (1 << L::VALUE_BITS) - 1);
    filter.insert_value(&0, most).expect("room");
    for value in [most + 1, u16::MAX] {
        let error = ValueError::new(value, most);
        let refused = InsertError::Value(error);
        assert_eq!(filter.insert_value(&1, value), Err(refused.clone()));
        assert_eq!(filter.insert_unique_value(&1, value), Err(refused));
        assert_eq!(filter.replace_value(&0, most, value), Err(error));
        assert_eq!(filter.replace_value(&0, value, 0), Ok(false));
        assert!(!filter.remove_value(&0, value));
        assert!(error.to_string().contains(&most.to_string()));
    }
    assert_eq!((filter.len(), filter.value(&0)), (1, Some(most)));
}

fn many_are_looked_up_as_one_is<L: WithValues>() {
    let filter = filter::<L>(256);
    let items: Vec<u32> = (0..600).collect();
    for item in &items[..300] {
        filter
            .insert_value(item, value_of::<L>(u64::from(*item)))
            .expect("room");
    }
    let one_by_one: Vec<Option<u16>> = items.iter().map(|item| filter.value(item)).collect();
    let mut at_once = vec![Some(77); items.len()];
    filter.value_many(&items, &mut at_once);
    assert_eq!(at_once, one_by_one);
    let hashes: Vec<u64> = items.iter().map(|item| filter.hash_one(item)).collect();
    at_once.fill(Some(77));
    filter.value_many_hash(&hashes, &mut at_once);
    assert_eq!(at_once, one_by_one);
}

/// The values of an item know how many are left.
#[test]
fn values_know_their_number() {
    let filter = filter::<Lanes<4, 12, 4>>(4);
    for value in [3, 3, 5] {
        filter.insert_value("a", value).expect("room");
    }
    let mut values = filter.values("a");
    for left in (1..=3).rev() {
        assert_eq!(values.len(), left);
        assert!(values.next().is_some());
    }
    assert_eq!((values.len(), values.next()), (0, None));
}

#[test]
#[should_panic(expected = "2 items, but room for 1 answers")]
fn there_is_room_for_each_answer() {
    filter::<Lanes<4, 12, 4>>(4).value_many(&[1, 2], &mut [None]);
}

fn one_of_many_gives_the_value<L: WithValues>() {
    const THREADS: usize = 4;
    const ROUNDS: usize = 100;
    let geometry = Geometry::with_buckets(model_of(Shape::of::<L>()), 64);
    let items = distinct(geometry, 64, 11);
    for round in 0..ROUNDS {
        let filter = filter::<L>(64);
        let told = Crew::workers(THREADS, |_, number| {
            let mine = number as u16;
            let tell = |&hash: &u64| filter.insert_unique_value_hash(hash, mine).expect("room");
            items.iter().map(tell).collect::<Vec<_>>()
        });
        for (at, &hash) in items.iter().enumerate() {
            let owners: Vec<usize> = (0..THREADS).filter(|&t| told[t][at].is_none()).collect();
            let &[owner] = &owners[..] else {
                panic!("round {round}: {owners:?} own one item");
            };
            let others = (0..THREADS).filter(|&thread| thread != owner);
            let owner = Some(owner as u16);
            assert!(
                others
                    .map(|thread| told[thread][at])
                    .all(|told| told == owner)
            );
            assert_eq!(
                (filter.value_hash(hash), filter.count_hash(hash)),
                (owner, 1)
            );
        }
    }
}

/// Each thread has items of its own in a nearly full table, so that tokens hop all the time.
fn threads_find_the_values_of_their_items<L: WithValues>() {
    for (buckets, threads) in [(4, 2), (8, 8), (24, 4), (64, 3)] {
        let filter = filter::<L>(buckets);
        let geometry = Geometry::with_slots(model_of(Shape::of::<L>()), filter.slots());
        // A few more than there is room for.
        let items = distinct(geometry, filter.slots() + threads, 13);
        let all = Crew::workers(threads, |_, number| {
            let mut rng = rng(number);
            let own = items.iter().copied().skip(number).step_by(threads);
            let own: Vec<u64> = own.collect();
            let mut values = vec![None; own.len()];
            for _ in 0..12_000 / threads {
                let at = rng.random_range(0..own.len());
                let (hash, new) = (own[at], rng.random_range(0..=L::MAX_VALUE));
                match values[at] {
                    None if rng.random_bool(0.5) => {
                        let inserted = filter.insert_value_hash(hash, new);
                        values[at] = inserted.is_ok().then_some(new);
                    }
                    None => {
                        if let Ok(found) = filter.insert_unique_value_hash(hash, new) {
                            assert_eq!(found, None, "it was not in");
                            values[at] = Some(new);
                        }
                    }
                    Some(old) if rng.random_bool(0.7) => {
                        let replaced = filter.replace_value_hash(hash, old, new);
                        assert_eq!(replaced, Ok(true), "an own value was lost");
                        values[at] = Some(new);
                    }
                    Some(old) => {
                        assert!(filter.remove_value_hash(hash, old), "an own value was lost");
                        values[at] = None;
                    }
                }
                for (&hash, &value) in own.iter().zip(&values) {
                    assert_eq!(filter.value_hash(hash), value, "an own item");
                    assert_eq!(filter.contains_hash(hash), value.is_some(), "an own item");
                }
                let copies = usize::from(values[at].is_some());
                assert_eq!(filter.count_hash(hash), copies, "an own item");
            }
            values.iter().flatten().count()
        });
        assert_eq!(filter.len(), all.iter().sum::<usize>());
    }
}

/// Races three threads on a class whose tokens hop all the time, with only unique inserts or with
/// others too. Passes on each round, with the values stored before it.
fn race<L: WithValues>(unique: bool, check: impl Fn(&[&[Event<ValueCall>]], &Multiset)) {
    let builder = CuckooFilter::builder().layout::<L>().hasher(AsGiven);
    let built = builder.buckets(BUCKETS).search_budget(BUDGET).build();
    let filter = Arc::new(built.expect("a possible geometry"));
    let seesaw = Seesaw::with(Arc::clone(&filter), Shape::of::<L>());
    let call = |number: u64, hash| {
        let (one, other) = ((number >> 8) as u16 % 3, (number >> 32) as u16 % 3);
        match number % 8 {
            0 if !unique => ValueCall::Insert(one, filter.insert_value_hash(hash, one).is_ok()),
            0 | 1 => ValueCall::InsertUnique(one, filter.insert_unique_value_hash(hash, one).ok()),
            2 | 3 => {
                let replaced = filter.replace_value_hash(hash, one, other);
                ValueCall::Replace(one, other, replaced.expect("small"))
            }
            4 | 5 => ValueCall::Remove(one, filter.remove_value_hash(hash, one)),
            _ => ValueCall::Value(filter.value_hash(hash)),
        }
    };
    let mut values = Multiset::new();
    seesaw.race([3, 1, 300, 4], call, |round| {
        check(round, &values);
        let calls = round.iter().copied().flatten().map(|event| event.call);
        values = after(std::mem::take(&mut values), calls);
    });
    let left: Vec<u16> = sorted(filter.values_hash(seesaw.rider()[0]));
    let copies = values.iter();
    let expected = copies.flat_map(|(&value, &copies)| vec![value; copies]);
    assert_eq!(left, expected.collect::<Vec<_>>());
}

/// With only unique inserts, one order explains all results.
fn calls_on_one_token_are_linearizable<L: WithValues>() {
    race::<L>(true, |round, values| {
        assert!(
            linearizable(round, values.clone()),
            "no order explains these calls on {values:?}: {round:#?}"
        );
    });
}

/// The calls on a class and on each value are linearizable: one order explains the results for the
/// class, and one those for each value.
fn calls_are_linearizable<L: WithValues>() {
    race::<L>(false, |round, values| {
        let copies: usize = values.values().sum();
        explain(round, ValueCall::of_the_class, copies);
        for value in 0..3 {
            let copies = values.get(&value).copied().unwrap_or(0);
            explain(round, |call| call.of_the_value(value), copies);
        }
    });
}

/// Checks that an order explains the results for some of the tokens.
fn explain(round: &[&[Event<ValueCall>]], told: impl Fn(ValueCall) -> Option<Call>, copies: usize) {
    assert!(
        explained(round, told, i64::try_from(copies).expect("few")),
        "no order explains what is said of {copies} copies: {round:#?}"
    );
}

/// Returns the values stored after calls of unknown order: those before, plus those inserted, minus
/// those removed.
fn after(values: Multiset, calls: impl Iterator<Item = ValueCall>) -> Multiset {
    let mut copies: BTreeMap<u16, i64> = values.into_iter().map(|(v, n)| (v, n as i64)).collect();
    let mut change = |value, by| *copies.entry(value).or_default() += by;
    for call in calls {
        match call {
            ValueCall::Insert(value, true) | ValueCall::InsertUnique(value, Some(None)) => {
                change(value, 1);
            }
            ValueCall::Remove(value, true) => change(value, -1),
            ValueCall::Replace(old, new, true) => {
                change(old, -1);
                change(new, 1);
            }
            _ => {}
        }
    }
    let left = copies.into_iter().filter(|&(_, copies)| copies != 0);
    left.map(|(value, copies)| (value, usize::try_from(copies).expect("a number of copies")))
        .collect()
}
