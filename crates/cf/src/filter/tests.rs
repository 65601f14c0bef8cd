//! What of a filter shows only with a budget, a mutex or a seed.

use std::sync::atomic::Ordering;

use lockfree_cuckoo::{CuckooFilter, GrowingCuckooFilter};

use super::*;
use crate::budget::NotAdded;
use crate::layout::Layout;

const SETTINGS: Settings = Settings {
    capacity: 100,
    expansion: 0,
    max_iterations: 20,
    layout: Layout::Shape(Shape::of::<lockfree_cuckoo::Lanes<4, 16>>()),
};

fn written(filter: &Filter) -> Vec<u8> {
    let mut bytes = Vec::new();
    filter.write(&mut bytes).expect("room");
    bytes
}

#[test]
fn a_mutex_changes_nothing_but_the_waiting() {
    let filter = Filter::new(SETTINGS, usize::MAX, usize::MAX).expect("room");
    filter.insert(b"a").expect("room");
    let free = written(&filter);
    let memory = filter.memory_usage();
    let locked = filter.behind_a_mutex();
    assert_eq!(written(&locked), free);
    assert!(locked.contains(b"a") && locked.remove(b"a", 0) && !locked.contains(b"a"));
    assert_eq!((locked.tables(), locked.memory_usage()), (1, memory));
}

#[test]
fn what_holds_the_lock_keeps_others_waiting() {
    let filter = Filter::new(SETTINGS, usize::MAX, usize::MAX).expect("room");
    let filter = filter.behind_a_mutex();
    let held = filter.engine.access();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| filter.contains(b"a"));
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(!other.is_finished());
        drop(held);
        assert!(!other.join().expect("the other"));
    });
}

#[test]
fn items_are_hashed_as_the_library_hashes_byte_strings() {
    for expansion in [0, 2] {
        let settings = Settings {
            expansion,
            ..SETTINGS
        };
        let filter = Filter::new(settings, usize::MAX, usize::MAX).expect("room");
        let items: [&[u8]; 3] = [b"a", b"", b"a longer one"];
        filter.insert(items[0]).expect("room");
        let answers = filter.insert_each(&items[1..], false);
        assert_eq!(answers, [Answer::Yes; 2]);
        let bytes = written(&filter);
        let found = items.map(|item| match expansion {
            0 => CuckooFilter::read_from(bytes.as_slice()).map(|f| f.contains(item)),
            _ => GrowingCuckooFilter::read_from(bytes.as_slice()).map(|f| f.contains(item)),
        });
        assert!(found.into_iter().all(|found| found.expect("valid")));
    }
}

#[test]
fn a_growing_filter_obeys_who_reads_it() {
    let settings = Settings {
        expansion: 2,
        ..SETTINGS
    };
    let unlimited = Filter::new(settings, usize::MAX, usize::MAX).expect("room");
    let bytes = written(&unlimited);
    let filter = Filter::read(settings, 0, &mut bytes.as_slice(), 1 << 16);
    let filter = filter.expect("valid");
    let refused = (0..100_000u32).find_map(|item| filter.insert(&item.to_le_bytes()).err());
    assert!(matches!(refused, Some(NotAdded::Refused(_))));
    assert!(filter.memory_usage() <= 1 << 16);
}

#[derive(Debug)]
struct Least(AtomicUsize);

impl Budget for Least {
    fn left(&self, _used: usize) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn has_changed(&self) {}
}

/// Where the first refusal comes varies from seed to seed in a table as small as these, from .85 of the slots on.
const SEED: u64 = 1;

fn with_budget(left: usize) -> (Filter, Arc<Least>) {
    let settings = Settings {
        capacity: 1_000,
        expansion: 2,
        ..SETTINGS
    };
    let budget = Arc::new(Least(left.into()));
    let filter = Filter::with_seed(settings, SEED, usize::MAX, usize::MAX).expect("room");
    let shared = Arc::clone(&budget) as Arc<dyn Budget>;
    (filter.with_budget(shared), budget)
}

/// Adds items until one is refused, and returns how many were added.
fn fill(filter: &Filter, from: u32) -> (u32, NotAdded) {
    let refused = |item: u32| filter.insert(&item.to_le_bytes()).err().zip(Some(item));
    let (error, item) = (from..).find_map(refused).expect("a limit");
    (item - from, error)
}

/// A deletion makes no difference, whichever item it is, and what is deleted makes room.
#[test]
fn a_filter_that_may_not_grow_any_more_is_filled() {
    for deleted in [None, Some(0_u32), Some(1_500)] {
        for doublings in 0..=2 {
            let (filter, budget) = with_budget(usize::MAX);
            let slots = filter.slots() << doublings;
            let mut items = 0_u32;
            while items < 1_000 || filter.slots() < slots {
                assert!(filter.insert(&items.to_le_bytes()).is_ok());
                items += 1;
            }
            budget.0.store(0, Ordering::Relaxed);
            if let Some(item) = deleted.filter(|&item| item < items) {
                assert!(filter.remove(&item.to_le_bytes(), 0));
            }
            let start = filter.memory_usage();
            let (added, error) = fill(&filter, items);
            assert!(matches!(error, NotAdded::NoMemoryToGrow { left: 0, .. }));
            let last = items + added;
            assert!(filter.load_factor() > 0.9, "{deleted:?}: {filter:?}");
            let more = [last, last + 1, last + 2].map(u32::to_le_bytes);
            let answers = filter.insert_each(&more.each_ref().map(|item| &item[..]), false);
            assert!(answers.contains(&Answer::Refused), "{answers:?}");
            assert!((last - 100..last).all(|item| filter.remove(&item.to_le_bytes(), 0)));
            let (added, _) = fill(&filter, last + 3);
            assert!(added > 50, "{added} instead of 100 that were deleted");
            // What it grew out of may have been given back meanwhile.
            assert!(filter.memory_usage() <= start);
        }
    }
}

/// What is asked for is the next table.
#[test]
fn a_filter_grows_when_the_next_table_fits() {
    let (filter, budget) = with_budget(0);
    let mut next = 0;
    for _ in 0..3 {
        let (added, error) = fill(&filter, next);
        next += added;
        let NotAdded::NoMemoryToGrow { needed, .. } = error else {
            panic!("{error}");
        };
        let (before, slots) = (filter.memory_usage(), filter.slots());
        budget.0.store(needed - 1, Ordering::Relaxed);
        let add = |item: u32| filter.insert(&item.to_le_bytes());
        assert!(add(next).is_err() && filter.memory_usage() == before);
        budget.0.store(needed, Ordering::Relaxed);
        assert!(add(next).is_ok());
        assert!(filter.memory_usage() <= before + needed);
        budget.0.store(0, Ordering::Relaxed);
        next += 1;
        while filter.slots() == slots {
            assert!(add(next).is_ok());
            next += 1;
        }
        assert_eq!(filter.slots(), 2 * slots);
    }
}

#[test]
fn a_filter_takes_no_more_than_it_may() {
    for most in [1 << 14, 100_000, 1 << 18] {
        let settings = Settings {
            expansion: 1,
            ..SETTINGS
        };
        let filter = Filter::new(settings, usize::MAX, most).expect("room");
        let (_, error) = fill(&filter, 0);
        assert!(matches!(error, NotAdded::Refused(_)), "{error}");
        let bytes = filter.memory_usage();
        // Twice the table, and beside it the one that it grows out of, would have been too much.
        assert!(bytes <= most && 4 * bytes > most, "{bytes} of {most}");
    }
}

/// For one of what the commands make when nothing is said but 1,000 items, besides what holds the filter.
#[test]
fn a_small_filter_takes_little() {
    for (expansion, most) in [(0, 4_000), (1, 6_000)] {
        let settings = Settings {
            capacity: 1_000,
            expansion,
            ..SETTINGS
        };
        let filter = Filter::new(settings, usize::MAX, usize::MAX).expect("room");
        let bytes = filter.memory_usage();
        assert!(bytes <= most, "{bytes} with an expansion of {expansion}");
    }
}

#[test]
fn a_limit_counts_all_that_a_filter_takes() {
    for expansion in [0, 1] {
        let settings = Settings {
            expansion,
            ..SETTINGS
        };
        let filter = Filter::with_seed(settings, SEED, usize::MAX, usize::MAX).expect("room");
        let bytes = filter.memory_usage();
        assert!(Filter::with_seed(settings, SEED, bytes, bytes).is_ok());
        let error = Filter::with_seed(settings, SEED, bytes - 1, usize::MAX).expect_err("a limit");
        assert!(
            matches!(error, NotMade::NoMemory { needed, left } if needed == bytes && left == bytes - 1),
            "{error}"
        );
    }
}

#[test]
fn a_filter_that_has_grown_is_made_smaller() {
    let (mut filter, _budget) = with_budget(usize::MAX);
    let (start, slots) = (filter.memory_usage(), filter.slots());
    let items = || (0..10_000_u32).map(u32::to_le_bytes);
    assert!(items().all(|item| filter.insert(&item).is_ok()));
    let full = filter.slots();
    filter.shrink_to_fit();
    assert_eq!(filter.slots(), full);
    assert!(items().skip(500).all(|item| filter.remove(&item, 0)));
    filter.shrink_to_fit();
    assert_eq!((filter.slots(), filter.items()), (slots, 500));
    assert!(filter.memory_usage() <= start);
    assert!(items().take(500).all(|item| filter.contains(&item)));
}

#[test]
fn filters_know_themselves() {
    let filter = || Filter::new(SETTINGS, usize::MAX, usize::MAX).expect("room");
    let (mut one, other) = (filter(), filter());
    let identity = one.identity();
    one.shrink_to_fit();
    let one = Box::new(one);
    assert!(identity == one.identity() && identity != other.identity());
    assert!(!identity.is_gone());
    drop(one);
    assert!(identity.is_gone() && identity != other.identity());
}
