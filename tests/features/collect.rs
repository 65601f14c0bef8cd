//! Collecting and extending: filling filters from iterators, with one thread or with `rayon`.
//!
//! Collecting, by one thread or many:
//!
//! 1. `collect_distinct` makes a set, for every number of items: each distinct item is stored once,
//!    however often it occurs, and nothing else is stored. `collect` stores what `extend` would.
//! 2. Both take a larger table if the first refuses an item, and name the cause if that does not
//!    help.
//! 3. The result depends on neither the order of the items nor the number of threads.
//!
//! Extending, by one thread or many:
//!
//! 4. Extending inserts one copy of each item, and hashes each value or reference once.
//! 5. A refusal panics with the text of its error. After that, or after a panic of the caller's
//!    iterator or `Hash`, the filter stays sound. With one thread it holds the items before the
//!    panic.
//! 6. Through a shared reference each item is stored before the next is taken, and with many
//!    threads no item is lost.

use std::cell::Cell;
use std::collections::hash_map::DefaultHasher;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crew::Crew;
use lockfree_cuckoo::CuckooFilter;
use model::geometry::Geometry;
use model::hashers::AsGiven;
use model::{Layout, mix};

/// A good hasher that is the same each time it is made.
type Fixed = BuildHasherDefault<DefaultHasher>;

/// Numbers of items from few to many, with the sizes around which tables grow.
const SIZES: [u64; 14] = [
    0, 1, 2, 8, 9, 14, 15, 38, 39, 200, 201, 1_000, 12_345, 100_000,
];

/// Capacities of a table filled item by item, and of one so large that it is filled in batches.
const CAPACITIES: [usize; 2] = [100_000, LARGE];
const LARGE: usize = 2_000_000;

fn filter_for(capacity: usize) -> CuckooFilter<Fixed> {
    CuckooFilter::with_capacity_and_hasher(capacity, Fixed::default())
}

/// Returns the text of a panic.
fn panic_of(call: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(call)).expect_err("a panic");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => (*panic.downcast::<&str>().expect("a text")).into(),
    }
}

/// Checks that the items `0..count` are stored once each and nothing else is, and removes them.
fn take_out_each_once<S: BuildHasher>(filter: &CuckooFilter<S>, count: u64) {
    assert_eq!(filter.len() as u64, count);
    assert!((0..count).all(|item| filter.contains(&item)), "missed");
    assert!((0..count).all(|item| filter.remove(&item)), "lost");
    assert!(filter.is_empty());
    assert!(!(0..count).any(|item| filter.remove(&item)), "invented");
}

/// Returns the items `0..count`, each 1 to 4 times, in shuffled order.
fn with_duplicates(count: u64) -> Vec<u64> {
    let mut items: Vec<u64> = (0..count)
        .flat_map(|item| iter::repeat_n(item, 1 + mix(item) as usize % 4))
        .collect();
    items.sort_by_key(|&item| mix(item ^ 0x5555));
    let half = items.len() / 2;
    items[half..].reverse();
    items
}

#[test]
fn every_different_item_is_in_once() {
    for count in SIZES {
        let items = with_duplicates(count);
        let filter = CuckooFilter::<Fixed>::collect_distinct(&items);
        let in_another_order = CuckooFilter::<Fixed>::collect_distinct(items.into_iter().rev());
        assert_same(&filter, &in_another_order);
        assert_eq!(filter.capacity() as u64, count.max(8));
        take_out_each_once(&filter, count);
        take_out_each_once(&in_another_order, count);
    }
}

/// Checks that each item is in as often as it occurs, and nothing else is.
fn take_out_each<S: BuildHasher>(filter: &CuckooFilter<S>, items: &[u64]) {
    assert_eq!(filter.len(), items.len());
    assert!(items.iter().all(|item| filter.remove(item)), "lost");
    assert!(filter.is_empty());
}

#[test]
fn every_copy_is_in() {
    for count in SIZES {
        let mut items = with_duplicates(count);
        let filter: CuckooFilter<Fixed> = items.iter().collect();
        let extended = filter_for(2 * items.len());
        (&extended).extend(&items);
        assert!(items.iter().all(|item| filter.count(item) >= 1));
        assert_eq!(filter.len(), extended.len());
        items.reverse();
        assert_same(&filter, &items.iter().collect());
        take_out_each(&filter, &items);
    }
}

/// An item that occurs too often is named as the cause.
#[test]
fn too_many_copies() {
    let text = panic_of(|| drop(iter::repeat_n(7, 9).collect::<CuckooFilter<Fixed>>()));
    assert!(text.contains("an item occurs too often"), "{text}");
    assert!(text.contains("8 copies of the item"), "{text}");
}

#[test]
fn nothing_makes_an_empty_filter_that_works() {
    let filter: CuckooFilter = iter::empty::<u64>().collect();
    assert!(filter.is_empty() && !filter.contains(&1u64));
    assert_eq!(filter.capacity(), 8);
    filter.insert(&1u64).expect("room");
    assert!(filter.contains(&1u64));
}

/// Checks that both filters hold the same tokens: even their false positives are equal.
fn assert_same<S: BuildHasher>(a: &CuckooFilter<S>, b: &CuckooFilter<S>) {
    assert_eq!(
        (a.len(), a.capacity(), a.slots()),
        (b.len(), b.capacity(), b.slots())
    );
    for item in 0..200_000u64 {
        assert_eq!(a.count(&item), b.count(&item), "{item}");
    }
}

/// Returns nine hashes with the same two buckets. The smallest table for nine items refuses them.
fn nine_for_two_buckets() -> Vec<u64> {
    let geometry = Geometry::with_slots(Layout::DEFAULT, CuckooFilter::with_capacity(9).slots());
    let alternate = geometry.alternate(0, 1);
    let fingerprints = geometry.fingerprints(0, 1, 9, |other| other == alternate);
    let hash = |&fingerprint| geometry.hash(0, fingerprint, 0);
    fingerprints.iter().map(hash).collect()
}

#[test]
fn a_refusal_leads_to_a_larger_table() {
    let items = nine_for_two_buckets();
    let refusing = CuckooFilter::with_capacity_and_hasher(9, AsGiven);
    assert!(refusing.insert_many(&items).is_err());
    let filter: CuckooFilter<AsGiven> = items.iter().collect();
    assert!(filter.slots() > refusing.slots());
    assert_eq!(filter.len(), 9);
    assert!(items.iter().all(|item| filter.remove(item)));
    assert!(filter.is_empty());
}

/// Returns distinct hashes that no table can hold: more than eight share their low and high bits.
fn nine_of_one_class() -> Vec<u64> {
    (1..10).map(|item| 1 << 63 | item << 20 | 0x1234).collect()
}

/// Returns hashes that all fall into a small part of any table.
fn lopsided() -> Vec<u64> {
    (0..100_000).map(|item| mix(item) >> 4).collect()
}

#[test]
fn a_poor_hasher_is_blamed() {
    for (items, refusal) in [
        (nine_of_one_class(), "8 copies of the item"),
        (lopsided(), "no room was found"),
    ] {
        let distinct = || drop(CuckooFilter::<AsGiven>::collect_distinct(&items));
        let all = || drop(items.iter().collect::<CuckooFilter<AsGiven>>());
        for text in [panic_of(distinct), panic_of(all)] {
            assert!(text.contains("the hasher mixes too badly"), "{text}");
            assert!(text.contains(refusal), "{text}");
        }
    }
}

thread_local!(static HASHED: Cell<usize> = const { Cell::new(0) });

/// An item that counts how often this thread hashes one.
struct Counted(u64);

impl Hash for Counted {
    fn hash<H: Hasher>(&self, state: &mut H) {
        HASHED.set(HASHED.get() + 1);
        self.0.hash(state);
    }
}

#[test]
fn extending_is_inserting() {
    for capacity in CAPACITIES {
        let one_by_one = filter_for(capacity);
        let [mut values, mut references, mut unsized_] = [(); 3].map(|()| filter_for(capacity));
        let mut start = 0;
        for length in [0, 1, 255, 256, 257, 512, 600] {
            // Every third item comes twice.
            let items: Vec<u64> = (start..start + length)
                .map(|item| item - item % 3 / 2)
                .collect();
            start += length;
            for item in &items {
                one_by_one.insert(item).expect("room");
            }
            values.extend(items.clone());
            references.extend(&items);
            // The length of this iterator is unknown.
            unsized_.extend(items.iter().filter(|_| true));
            for filter in [&values, &references, &unsized_] {
                assert_eq!(filter.len(), one_by_one.len(), "{length}");
                assert!((0..start).all(|item| filter.count(&item) == one_by_one.count(&item)));
            }
        }
        assert_eq!(one_by_one.count(&1u64), 2);
    }
}

#[test]
fn every_item_is_hashed_once() {
    let items: Vec<Counted> = (0..1_000).map(Counted).collect();
    let mut small = filter_for(1_000);
    let mut large = filter_for(LARGE);
    HASHED.set(0);
    small.extend(&items);
    assert_eq!(HASHED.get(), 1_000);
    large.extend(&items);
    assert_eq!(HASHED.get(), 2_000);
    (&small).extend(iter::empty::<&Counted>());
    drop(items.iter().collect::<CuckooFilter<Fixed>>());
    assert_eq!(HASHED.get(), 3_000);
}

/// An item that hashes its first number, and panics if both numbers are equal.
struct Fused(u64, u64);

impl Hash for Fused {
    fn hash<H: Hasher>(&self, state: &mut H) {
        assert!(self.0 != self.1, "burnt down");
        self.0.hash(state);
    }
}

type Extend<'a> = &'a dyn Fn(&mut CuckooFilter<Fixed>);

/// A panic of the iterator or of a hash keeps earlier items.
#[test]
fn panics_keep_earlier_items() {
    for capacity in CAPACITIES {
        for fuse in [0, 1, 255, 256, 257, 500] {
            let items = (0..600u64).inspect(|&item| assert!(item != fuse, "burnt down"));
            let fused: Vec<Fused> = (0..600).map(|item| Fused(item, fuse)).collect();
            let extends: [Extend<'_>; 3] = [
                &|filter| filter.extend(items.clone()),
                &|filter| (&*filter).extend(items.clone()),
                &|filter| filter.extend(&fused),
            ];
            for extend in extends {
                let mut filter = filter_for(capacity);
                assert_eq!(panic_of(|| extend(&mut filter)), "burnt down");
                take_out_each_once(&filter, fuse);
            }
        }
    }
}

/// A refusal is a panic with its text, and the items before it are in.
#[test]
fn refusal_is_a_panic() {
    fn check<F: FnOnce(&mut CuckooFilter<Fixed>)>(
        filter: &mut CuckooFilter<Fixed>,
        before: u64,
        extend: F,
    ) {
        let text = panic_of(|| extend(filter));
        assert!(text.contains("8 copies of the item"), "{text}");
        assert_eq!(filter.count(&before), 8, "{before}");
        assert!((0..7).all(|_| filter.remove(&before)));
        take_out_each_once(filter, before + 1);
    }
    for capacity in CAPACITIES {
        for before in [0, 100, 247, 248, 255, 256, 300] {
            // Other items follow the ninth copy.
            let copies = iter::repeat_n(before, 9);
            let items = (0..before).chain(copies).chain(10_000..10_600);
            let mut filter = filter_for(capacity);
            check(&mut filter, before, |filter| filter.extend(items.clone()));
            check(&mut filter, before, |filter| (&*filter).extend(items));
        }
    }
}

/// A shared reference stores each item before taking the next.
#[test]
fn stores_before_taking_the_next() {
    let filter = filter_for(LARGE);
    let items = (1..1_000u64).inspect(|&item| {
        assert!(item == 1 || filter.contains(&(item - 1)), "{item}");
        assert_eq!(filter.len() as u64, item - 1);
    });
    (&filter).extend(items);
    (&filter).extend(iter::once_with(|| filter.len() as u64));
    assert_eq!(filter.count(&999u64), 2);
}

#[test]
fn many_threads_extend_one_filter() {
    const EACH: u64 = 50_000;
    const WORKERS: usize = 4;
    let filter = filter_for(WORKERS * EACH as usize);
    (&filter).extend(0..EACH);
    let extend = |_: &Crew, number: usize| {
        let start = number as u64 * EACH;
        if number > 0 {
            (&filter).extend(start..start + EACH);
        }
    };
    let look = |crew: &Crew, _: usize| {
        while crew.at_work() {
            assert!((0..EACH).all(|item| filter.contains(&item)), "missed");
        }
    };
    Crew::run(WORKERS, extend, 1, look);
    take_out_each_once(&filter, WORKERS as u64 * EACH);
}

#[cfg(feature = "rayon")]
mod parallel {
    #![allow(
        clippy::disallowed_types,
        reason = "the tests look at the crate from outside; the model checker is not involved"
    )]

    use std::sync::atomic::{AtomicUsize, Ordering};

    use lockfree_cuckoo::{
        Filter,
        filter::{Buildable, Growing, Rotating},
        layout::{Lanes, SemiSorted},
    };
    use rayon::ThreadPoolBuilder;
    use rayon::prelude::*;

    use super::*;

    /// Runs the check with fewer, as many, and more threads than a small machine has processors.
    fn with_each_pool(check: impl Fn() + Sync) {
        for threads in [1, 2, 8] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(&check);
        }
    }

    #[test]
    fn collects_the_same_as_one_thread() {
        with_each_pool(|| {
            for count in SIZES {
                let items = with_duplicates(count);
                let by_one = CuckooFilter::<Fixed>::collect_distinct(&items);
                let by_all = CuckooFilter::<Fixed>::par_collect_distinct(&items);
                assert_same(&by_one, &by_all);
                take_out_each_once(&by_all, count);
                let every_copy: CuckooFilter<Fixed> = items.par_iter().collect();
                assert_same(&items.iter().collect(), &every_copy);
                take_out_each(&every_copy, &items);
                let by_value = CuckooFilter::<Fixed>::par_collect_distinct(items);
                take_out_each_once(&by_value, count);
            }
        });
    }

    #[test]
    fn other_filters_are_collected() {
        fn check<E: Buildable>() {
            let items: Vec<u64> = (0..5_000).collect();
            let filter: Filter<E> = items.par_iter().collect();
            assert!(items.iter().all(|item| filter.contains(item)));
            let len = filter.len();
            (&filter).par_extend(items[..50].to_vec());
            assert_eq!(filter.len(), len + 50);
        }
        check::<lockfree_cuckoo::filter::Fixed<Lanes<2, 31>>>();
        check::<Growing>();
        check::<Rotating<SemiSorted<4, 17>>>();
    }

    /// A filter takes a larger table, or the error blames the hasher.
    #[test]
    fn larger_table_or_poor_hasher() {
        let items = nine_for_two_buckets();
        let by_all: CuckooFilter<AsGiven> = items.par_iter().collect();
        assert_same(&items.iter().collect(), &by_all);
        assert!(items.iter().all(|item| by_all.remove(item)));
        for items in [nine_of_one_class(), lopsided()] {
            with_each_pool(|| {
                let collect = || drop(items.par_iter().collect::<CuckooFilter<AsGiven>>());
                let text = panic_of(collect);
                assert!(text.contains("the hasher mixes too badly"), "{text}");
            });
        }
    }

    #[test]
    fn extends_as_one_thread_does() {
        const COUNT: u64 = 50_000;
        with_each_pool(|| {
            let items: Vec<u64> = (0..COUNT).collect();
            // Room to spare: copies have fewer possible places than distinct items.
            let mut filter = filter_for(4 * COUNT as usize);
            filter.par_extend(&items);
            assert!((0..COUNT).all(|item| filter.contains(&item)));
            // Unlike in a set, every copy counts.
            (&filter).par_extend(items.clone());
            assert!((0..COUNT).all(|item| filter.count(&item) >= 2));
            assert!((0..COUNT).all(|item| filter.remove(&item)));
            take_out_each_once(&filter, COUNT);
        });
    }

    /// A refusal stops all threads and is a panic with its text.
    #[test]
    fn refusal_stops_all_threads() {
        with_each_pool(|| {
            let taken = AtomicUsize::new(0);
            let items = (0..1_000_000u32).into_par_iter().inspect(|_| {
                taken.fetch_add(1, Ordering::Relaxed);
            });
            let mut filter = filter_for(8);
            let text = panic_of(|| filter.par_extend(items));
            assert!(text.contains("no room was found"), "{text}");
            assert!(text.contains("8 of 8 slots"), "{text}");
            let taken = taken.into_inner();
            assert!(taken < 100_000, "stopped after {taken} items only");
            assert_eq!(filter.len(), 8);
        });
    }

    #[test]
    fn a_panic_of_a_hash_leaves_a_sound_filter() {
        with_each_pool(|| {
            let items: Vec<Fused> = (0..10_000).map(|item| Fused(item, 5_000)).collect();
            let mut filter = filter_for(10_000);
            assert_eq!(panic_of(|| filter.par_extend(&items)), "burnt down");
            assert!(!filter.is_empty());
            let inside = (0..10_000u64).filter(|item| filter.remove(item)).count();
            assert!(inside > 0 && filter.is_empty());
            let collect = || drop(items.par_iter().collect::<CuckooFilter<Fixed>>());
            assert_eq!(panic_of(collect), "burnt down");
        });
    }
}
