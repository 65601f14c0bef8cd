//! The batch calls: they answer as the single calls do, item by item.
//!
//! 1. On one thread they answer as the single calls do, for every length around the prefetch
//!    distance, typed and by hash.
//! 2. A batch of inserts stops at the first refusal and returns its position: the items before it
//!    are stored, it and the items after it are not.
//! 3. Slices of different lengths, or a burst that is too long, panic with both lengths and change
//!    nothing.
//! 4. A panic in an item's `Hash` in the middle of a batch loses no item and keeps the count exact.
//! 5. A batch of `insert_unique` adds each absent item once, whatever other threads add at the same
//!    time.
//!
//! `snapshot` runs batches beside other threads too.

use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use crew::Crew;
use lockfree_cuckoo::{
    CuckooFilter, Filter, FilterBuilder, GrowingCuckooFilterBuilder, InsertManyError, RandomState,
    filter::{Buildable, Fixed, Growing, Rotating},
};
use model::hashers::AsGiven;
use model::mix;

fn numbers(range: std::ops::Range<u64>) -> Vec<u64> {
    range.map(mix).collect()
}

fn filters<E: Buildable, const N: usize>(capacity: usize) -> [Filter<E, AsGiven>; N] {
    let builder = FilterBuilder::<E, _>::with_hasher(AsGiven).capacity(capacity);
    [(); N].map(|()| builder.clone().build().expect("memory"))
}

/// Makes each call on single items, on typed batches, and on batches of hashes. Every third item
/// occurs twice, so the order decides what a removal leaves. The unique inserts repeat items too,
/// and some of these are stored already.
fn agree<E: Buildable>(capacity: usize, length: u64) {
    let [single, typed, hashed] = filters::<E, 3>(capacity);
    let items: Vec<u64> = numbers(0..length)
        .into_iter()
        .flat_map(|item| vec![item; 1 + usize::from(item % 3 == 0)])
        .collect();
    let probes = numbers(length / 2..2 * length);
    let check = || {
        let expected: Vec<bool> = probes.iter().map(|probe| single.contains(probe)).collect();
        for stale in [false, true] {
            let mut found = vec![stale; probes.len()];
            typed.contains_many(&probes, &mut found);
            assert_eq!(found, expected, "{length}");
            let mut found = vec![stale; probes.len()];
            hashed.contains_many_hash(&probes, &mut found);
            assert_eq!(found, expected, "{length}");
        }
        let of = |filter: &Filter<E, _>| (filter.len(), filter.slots());
        assert_eq!([of(&typed), of(&hashed)], [of(&single); 2], "{length}");
    };
    for item in &items {
        single.insert(item).expect("room");
    }
    typed.insert_many(&items).expect("room");
    hashed.insert_many_hash(&items).expect("room");
    check();
    let removed = probes.iter().filter(|probe| single.remove(probe)).count();
    assert_eq!(typed.remove_many(&probes), removed, "{length}");
    assert_eq!(hashed.remove_many_hash(&probes), removed, "{length}");
    check();
    let items = [numbers(0..length), numbers(length / 4..length)].concat();
    let insert = |item| single.insert_unique(item).expect("room");
    let expected: Vec<bool> = items.iter().map(insert).collect();
    let mut added = vec![false; items.len()];
    typed.insert_unique_many(&items, &mut added).expect("room");
    assert_eq!(added, expected, "{length}");
    let mut added = vec![true; items.len()];
    let inserted = hashed.insert_unique_many_hash(&items, &mut added);
    inserted.expect("room");
    assert_eq!(added, expected, "{length}");
    typed.insert_unique_many(&items, &mut added).expect("room");
    assert!(!added.contains(&true), "all are in by now");
    check();
}

/// A batch answers as the single calls do, at every length. For each engine: a growing filter
/// begins with two buckets, the others have room for all.
#[test]
fn answers_as_single_calls() {
    for length in (0..70).chain([255, 256, 257, 290, 1_000]) {
        agree::<Fixed>(2_000, length);
        agree::<Growing>(8, length);
        agree::<Rotating>(2_000, length);
    }
}

/// A refused item ends a batch and nothing behind it is added. The items before the refused one are
/// stored, and it and those after it are not.
#[test]
fn refused_item_ends_a_batch() {
    fn check<E: Buildable>(filters: impl Fn() -> [Filter<E, AsGiven>; 3]) {
        let items = numbers(0..2_000);
        let [single, typed, hashed] = filters();
        let refused = |item: &u64| single.insert_unique(item).is_err();
        let first = items.iter().position(refused).expect("more than it takes");
        assert!(
            first > 512,
            "in the third of the parts that it is done in, or later"
        );
        let (mut added, mut others) = (vec![true; 2_000], vec![true; 2_000]);
        let stopped = typed
            .insert_unique_many(&items, &mut added)
            .expect_err("full");
        let other = hashed
            .insert_unique_many_hash(&items, &mut others)
            .expect_err("full");
        assert_eq!((stopped.inserted(), &stopped), (first, &other));
        assert_eq!(added, others);
        assert!(!added[first..].contains(&true));
        let news = added.iter().filter(|&&added| added).count();
        assert_eq!([typed.len(), hashed.len()], [news; 2]);
        assert!(items[..first].iter().all(|item| typed.contains(item)));

        let [single, typed, hashed] = filters();
        let refused = |item: &u64| single.insert(item).is_err();
        let first = items.iter().position(refused).expect("more than it takes");
        let stopped = typed.insert_many(&items).expect_err("full");
        assert_eq!(hashed.insert_many_hash(&items), Err(stopped.clone()));
        assert_eq!(stopped.inserted(), first);
        let text = format!("stopped after {first} items: {}", stopped.error());
        assert_eq!(stopped.to_string(), text);
        // The text includes the cause, so a report that follows the sources must not repeat it.
        assert!(std::error::Error::source(&stopped).is_none());
        for filter in [&typed, &hashed] {
            assert_eq!(filter.len(), first);
            assert!(items[..first].iter().all(|item| filter.contains(item)));
            assert_eq!(filter.insert(&items[first]), Err(stopped.error().clone()));
        }
    }
    check(|| filters::<Fixed, 3>(600));
    check(|| filters::<Rotating, 3>(600));
    // The filter may double once.
    let growing = GrowingCuckooFilterBuilder::with_hasher(AsGiven).capacity(300);
    let growing = growing.max_false_positive_rate(0.000_26);
    check(|| [(); 3].map(|()| growing.clone().build().expect("a possible rate")));
}

/// Exactly one of the threads with the same batch adds each item.
#[test]
fn one_thread_adds_each_item() {
    const ITEMS: u64 = 5_000;
    let filter = CuckooFilter::with_capacity_and_hasher(2 * ITEMS as usize, AsGiven);
    let items = numbers(0..ITEMS);
    let added: Vec<AtomicUsize> = items.iter().map(|_| 0.into()).collect();
    Crew::workers(4, |crew, _| {
        let mut own = vec![false; items.len()];
        crew.meet();
        filter
            .insert_unique_many_hash(&items, &mut own)
            .expect("room");
        for (added, own) in added.iter().zip(own) {
            added.fetch_add(own.into(), Ordering::Relaxed);
        }
    });
    let added: Vec<usize> = added.into_iter().map(AtomicUsize::into_inner).collect();
    // An item that is a false positive of another one is added by no thread.
    assert!(added.iter().all(|&added| added <= 1), "added twice");
    assert_eq!(added.iter().sum::<usize>(), filter.len());
    assert!(filter.len() as u64 > ITEMS - 20, "{}", filter.len());
}

/// Slices of different length are a panic that says both.
#[test]
fn slices_of_different_length() {
    let filter = CuckooFilter::with_capacity(100);
    let text = |call: &dyn Fn(&mut [bool])| {
        let mut found = [true; 2];
        let panic = catch_unwind(AssertUnwindSafe(|| call(&mut found))).expect_err("a panic");
        assert_eq!(found, [true; 2]);
        *panic.downcast::<String>().expect("a text")
    };
    let expected = "3 items, but room for 2 answers";
    let by_hash = text(&|found| filter.contains_many_hash(&[1, 2, 3], found));
    let typed = text(&|found| filter.contains_many(&["a", "b", "c"], found));
    assert_eq!([by_hash, typed], [expected; 2]);
    let add = |result: Result<(), InsertManyError>| result.expect("room");
    let by_hash = text(&|added| add(filter.insert_unique_many_hash(&[1, 2, 3], added)));
    let typed = text(&|added| add(filter.insert_unique_many(&["a", "b", "c"], added)));
    assert_eq!([by_hash, typed], [expected; 2]);
    assert!(filter.is_empty());
}

#[test]
fn a_panic_in_a_hash_loses_nothing() {
    thread_local!(static LEFT: Cell<usize> = const { Cell::new(0) });
    struct Fused(u64);
    impl Hash for Fused {
        fn hash<H: Hasher>(&self, state: &mut H) {
            let left = LEFT.get().checked_sub(1).expect("the fuse has burnt down");
            LEFT.set(left);
            self.0.hash(state);
        }
    }
    /// The number of items that are hashed before the first of them is inserted or removed.
    const TOGETHER: usize = 256;
    let items: Vec<Fused> = (0..600).map(Fused).collect();
    for fuse in [0, 1, 50, 255, 256, 257, 400, 511, 512, 599] {
        let whole = fuse / TOGETHER * TOGETHER;
        // A fixed seed: with a random one an absent item could be a false positive.
        let hasher = RandomState::with_seed(1);
        let mut filter = CuckooFilter::with_capacity_and_hasher(1_000, hasher);
        LEFT.set(fuse);
        assert!(catch_unwind(|| filter.insert_many(&items)).is_err());
        LEFT.set(usize::MAX);
        let found: Vec<bool> = items.iter().map(|item| filter.contains(item)).collect();
        let inside = found.iter().filter(|&&found| found).count();
        assert_eq!([filter.len(), inside], [whole; 2], "{fuse}");
        assert!(found[..inside].iter().all(|&found| found));

        filter.clear();
        let mut added = [true; 600];
        LEFT.set(fuse);
        let adds = || filter.insert_unique_many(&items, &mut added);
        assert!(catch_unwind(AssertUnwindSafe(adds)).is_err());
        LEFT.set(usize::MAX);
        assert!(
            added
                .iter()
                .enumerate()
                .all(|(at, &added)| added == (at < whole))
        );
        assert_eq!(filter.len(), whole, "{fuse}");

        filter.clear();
        filter.insert_many(&items).expect("room");
        LEFT.set(fuse);
        assert!(catch_unwind(|| filter.remove_many(&items)).is_err());
        LEFT.set(usize::MAX);
        let left = |items: &[Fused]| items.iter().filter(|item| filter.contains(item)).count();
        assert_eq!(left(&items[whole..]), items.len() - whole, "{fuse}");
        assert_eq!(filter.len(), items.len() - whole, "{fuse}");
    }
}
