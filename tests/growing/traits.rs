//! The standard traits, and what needs the filter for itself.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use lockfree_cuckoo::RandomState;
use model::hashers::Narrow;
use model::mix;

use crate::{as_given, assert_empty, short, shrink};

use super::{Builder, Chain};

#[test]
fn can_be_shared_and_sent_and_survives_a_panic() {
    fn check<T: Send + Sync + UnwindSafe + RefUnwindSafe + std::fmt::Debug>() {}
    check::<Chain>();
    check::<Chain<Narrow>>();
    check::<Builder>();
}

/// It may be dropped by another thread than the one that made it.
#[test]
fn the_last_owner_drops_it() {
    let filter = Arc::new(short(8, 2));
    let workers: Vec<_> = (0..4u64)
        .map(|thread| {
            let filter = Arc::clone(&filter);
            thread::spawn(move || {
                for item in 0..1_000 {
                    filter.insert(&(thread << 32 | item)).expect("memory");
                }
                filter.len()
            })
        })
        .collect();
    drop(filter);
    for worker in workers {
        assert!(worker.join().expect("no panic") >= 1_000);
    }
}

#[test]
fn a_copy_has_everything_and_a_life_of_its_own() {
    let mut filter = short(8, 2);
    for item in 0..5_000u64 {
        filter.insert(&item).expect("memory");
    }
    let copy = filter.try_clone().expect("memory");
    assert_eq!(
        (
            copy.len(),
            copy.segments(),
            copy.slots(),
            copy.memory_usage()
        ),
        (
            filter.len(),
            filter.segments(),
            filter.slots(),
            filter.memory_usage()
        )
    );
    for item in 0..5_000u64 {
        assert!(copy.contains(&item), "a stored item is missed");
        assert_eq!(copy.count(&item), filter.count(&item));
    }
    for item in 0..5_000u64 {
        assert!(filter.remove(&item), "a stored item is lost");
    }
    assert!(filter.is_empty());
    assert_eq!(copy.len(), 5_000);
    // It grows as the original would.
    for item in 5_000..40_000u64 {
        copy.insert(&item).expect("memory");
    }
    assert!(copy.segments() > 10);
    for item in 0..40_000u64 {
        assert!(copy.remove(&item), "a stored item is lost");
    }
    shrink(&copy, 1);
    assert_eq!(
        copy.slots(),
        8,
        "it begins anew with what the original began with"
    );
}

#[test]
fn clear_leaves_nothing_and_starts_small() {
    let mut filter = short(8, 2);
    let start = filter.memory_usage();
    for round in 0..3 {
        for item in 0..5_000u64 {
            filter.insert(&item).expect("memory");
        }
        assert!(filter.segments() > 5, "round {round}");
        filter.clear();
        assert_eq!(filter.segments(), 1);
        assert_eq!(filter.memory_usage(), start);
        let hashes: Vec<u64> = (0..5_000u64).map(|item| filter.hash_one(&item)).collect();
        assert_empty(&filter, hashes);
    }
}

#[test]
fn debug_tells_the_measures_and_no_more() {
    let filter = as_given(8);
    for item in 0..20 {
        filter.insert_hash(mix(item)).expect("memory");
    }
    let memory = filter.memory_usage();
    assert_eq!(
        format!("{filter:?}"),
        format!(
            "GrowingCuckooFilter {{ len: 20, capacity: {}, segments: {}, slots: {}, load_factor: {:?}, \
             false_positive_rate: {:?}, memory_usage: {memory}, .. }}",
            filter.capacity(),
            filter.segments(),
            filter.slots(),
            filter.load_factor(),
            filter.false_positive_rate()
        )
    );
}

#[test]
fn a_seed_decides_everything() {
    let builder = Chain::builder().capacity(100).seed(5);
    let one = builder.clone().build().expect("memory");
    let other = builder.build().expect("memory");
    assert_eq!(one.hash_one("a"), other.hash_one("a"));
    assert_eq!(
        one.hash_one("a"),
        RandomState::with_seed(5).hash_one_of("a")
    );
    assert_eq!(one.hasher().hash_one_of("b"), other.hash_one("b"));
    for item in 0..10_000 {
        one.insert(&item).expect("memory");
        other.insert_hash(one.hash_one(&item)).expect("memory");
    }
    assert_eq!((one.segments(), one.len()), (other.segments(), other.len()));
    assert!((0..10_000).all(|item| other.contains(&item)));
}

trait HashOneOf {
    fn hash_one_of(&self, item: &str) -> u64;
}

impl HashOneOf for RandomState {
    fn hash_one_of(&self, item: &str) -> u64 {
        std::hash::BuildHasher::hash_one(self, item)
    }
}

#[test]
fn items_of_all_kinds_go_together() {
    let filter = Chain::with_capacity(8);
    filter.insert("a").expect("memory");
    filter.insert(&String::from("b")).expect("memory");
    filter.insert(&[1u8, 2][..]).expect("memory");
    filter.insert(&(1, "c")).expect("memory");
    assert!(filter.contains(&String::from("a")) && filter.contains("b"));
    assert!(filter.remove(&vec![1u8, 2]) && filter.remove(&(1, "c")));
    assert_eq!(filter.len(), 2);
}

/// Panics when it is hashed.
struct Unhashable;

impl Hash for Unhashable {
    fn hash<H: Hasher>(&self, _: &mut H) {
        panic!("no hash");
    }
}

#[test]
fn a_panic_in_a_hash_changes_nothing() {
    let filter = Chain::builder()
        .capacity(8)
        .seed(1)
        .build()
        .expect("memory");
    for item in 0..100 {
        filter.insert(&item).expect("memory");
    }
    let panics = |call: &dyn Fn()| catch_unwind(AssertUnwindSafe(call)).is_err();
    assert!(panics(&|| drop(filter.insert(&Unhashable))));
    assert!(panics(&|| drop(filter.insert_unique(&Unhashable))));
    assert!(panics(&|| assert!(filter.contains(&Unhashable))));
    assert!(panics(&|| assert!(filter.remove(&Unhashable))));
    assert!(panics(&|| drop(filter.insert_many(&[Unhashable]))));
    assert_eq!(filter.len(), 100);
    assert!((0..100).all(|item| filter.remove(&item)));
    shrink(&filter, 1);
}
