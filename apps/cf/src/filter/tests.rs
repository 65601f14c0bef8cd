//! Tests of filters with a budget, a mutex or a seed.

use std::time::Duration;

use lockfree_cuckoo::{CuckooFilter, GrowingCuckooFilter};

use super::*;
use crate::settings::{Layout, Window};

const SETTINGS: Settings = Settings {
    capacity: 100,
    expansion: 0,
    max_iterations: 20,
    layout: Layout::Shape(Shape::of::<lockfree_cuckoo::layout::Lanes<4, 16>>()),
    window: None,
};

const GROWING: Settings = Settings {
    capacity: 1_000,
    expansion: 2,
    ..SETTINGS
};

fn window() -> Settings {
    Settings {
        window: Window::new(Duration::from_secs(3_600), 2),
        ..SETTINGS
    }
}

/// A fixed seed: in a table as small as these, the load at the first refusal varies by seed, from
/// .85 on.
const SEED: u64 = 1;

fn with_seed(settings: Settings, seed: u64) -> Filter {
    Filter::with_seed(settings, seed, usize::MAX, usize::MAX).expect("room")
}

fn new(settings: Settings) -> Filter {
    Filter::new(settings, usize::MAX, usize::MAX).expect("room")
}

/// Returns the stored form of the library.
fn written(filter: &Filter) -> Vec<u8> {
    let mut bytes = Vec::new();
    let copy = filter.copy().expect("room");
    copy.write(&mut bytes).expect("room");
    bytes
}

/// Returns all that is stored.
fn dumped(filter: &Filter) -> Vec<u8> {
    filter.dump().whole().expect("room")
}

#[test]
fn a_mutex_only_makes_callers_wait() {
    let filter = new(SETTINGS);
    filter.insert(b"a").expect("room");
    let (free, memory) = (written(&filter), filter.memory_usage());
    let locked = filter.behind_a_mutex();
    assert_eq!(written(&locked), free);
    assert!(locked.contains(b"a") && locked.remove(b"a", 0) && !locked.contains(b"a"));
    assert_eq!((locked.tables(), locked.memory_usage()), (1, memory));
    // A thread that holds the lock makes others wait.
    let held = locked.engine.access();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| locked.contains(b"a"));
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(!other.is_finished());
        drop(held);
        assert!(!other.join().expect("the other"));
    });
}

#[test]
fn hashes_items_as_byte_strings() {
    for settings in [SETTINGS, GROWING] {
        let filter = new(settings);
        let items: [&[u8]; 3] = [b"a", b"", b"a longer one"];
        filter.insert(items[0]).expect("room");
        let answers = filter.insert_each(&items[1..], false);
        assert_eq!(answers, [Answer::Yes; 2]);
        let bytes = written(&filter);
        let found = items.map(|item| match settings.expansion {
            0 => CuckooFilter::read_from(bytes.as_slice()).map(|f| f.contains(item)),
            _ => GrowingCuckooFilter::read_from(bytes.as_slice()).map(|f| f.contains(item)),
        });
        assert!(found.into_iter().all(|found| found.expect("valid")));
    }
}

/// A growing filter obeys the limit of its reader.
#[test]
fn growth_obeys_the_limit_of_the_reader() {
    let bytes = written(&new(GROWING));
    let filter = Filter::read(GROWING, 0, None, &mut bytes.as_slice(), 1 << 16).expect("valid");
    let (_, refused) = fill(&filter, 0);
    assert!(matches!(refused, Error::CannotGrow(_)));
    assert!(filter.memory_usage() <= 1 << 16);
}

#[derive(Debug)]
struct Least(AtomicUsize);

impl Budget for Least {
    fn left(&self, _used: usize) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

fn with_budget(left: usize) -> (Filter, Arc<Least>) {
    let budget = Arc::new(Least(left.into()));
    let shared = Arc::clone(&budget) as Arc<dyn Budget>;
    (with_seed(GROWING, SEED).with_budget(shared), budget)
}

/// Adds items until one is refused, and returns how many were added.
fn fill(filter: &Filter, from: u32) -> (u32, Error) {
    let refused = |item: u32| filter.insert(&item.to_le_bytes()).err().zip(Some(item));
    let (error, item) = (from..).find_map(refused).expect("a limit");
    (item - from, error)
}

/// Checks that deletions make no difference, whatever the item, and make room.
#[test]
fn a_filter_at_its_limit_can_be_filled() {
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
            assert!(matches!(error, Error::NoMemoryToGrow { left: 0, .. }));
            let last = items + added;
            assert!(filter.load_factor() > 0.9, "{deleted:?}: {filter:?}");
            let more = [last, last + 1, last + 2].map(u32::to_le_bytes);
            let answers = filter.insert_each(&more.each_ref().map(|item| &item[..]), false);
            assert!(answers.contains(&Answer::Refused), "{answers:?}");
            assert!((last - 100..last).all(|item| filter.remove(&item.to_le_bytes(), 0)));
            let (added, _) = fill(&filter, last + 3);
            assert!(added > 50, "{added} instead of 100 that were deleted");
            // The smaller table may have been given back meanwhile.
            assert!(filter.memory_usage() <= start);
        }
    }
}

/// Checks that the filter asks for the next table.
#[test]
fn a_filter_grows_when_the_next_table_fits() {
    let (filter, budget) = with_budget(0);
    let mut next = 0;
    for _ in 0..3 {
        let (added, error) = fill(&filter, next);
        next += added;
        let Error::NoMemoryToGrow { needed, .. } = error else {
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
fn a_filter_keeps_to_its_limit() {
    for most in [1 << 14, 100_000, 1 << 18] {
        let settings = Settings {
            capacity: 100,
            ..GROWING
        };
        let filter = Filter::new(settings, usize::MAX, most).expect("room");
        let (_, error) = fill(&filter, 0);
        assert!(matches!(error, Error::CannotGrow(_)), "{error}");
        let bytes = filter.memory_usage();
        // Twice the table, beside the table that it grows out of, would have been too much.
        assert!(bytes <= most && 4 * bytes > most, "{bytes} of {most}");
    }
}

#[test]
fn refuses_less_than_two_buckets() {
    for settings in [SETTINGS, GROWING, window()] {
        for (capacity, is_made) in [(0, false), (1, false), (2, true)] {
            let settings = Settings {
                capacity,
                ..settings
            };
            let made = Filter::new(settings, usize::MAX, usize::MAX);
            let refused = matches!(made, Err(Error::CapacityTooSmall));
            assert_eq!((made.is_ok(), refused), (is_made, !is_made), "{settings:?}");
        }
    }
}

#[test]
fn a_limit_counts_all_memory() {
    for settings in [SETTINGS, GROWING, window()] {
        let bytes = with_seed(settings, SEED).memory_usage();
        assert!(Filter::with_seed(settings, SEED, bytes, bytes).is_ok());
        let error = Filter::with_seed(settings, SEED, bytes - 1, usize::MAX).expect_err("a limit");
        assert!(
            matches!(error, Error::NoMemory { needed, left } if needed == bytes && left == bytes - 1),
            "{error}"
        );
    }
}

#[test]
fn shrinks_a_filter_that_has_grown() {
    let mut filter = with_seed(GROWING, SEED);
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
fn identities_tell_filters_apart() {
    let (mut one, other) = (new(SETTINGS), new(SETTINGS));
    let identity = one.identity();
    one.shrink_to_fit();
    let one = Box::new(one);
    assert!(identity == one.identity() && identity != other.identity());
    assert!(!identity.is_gone());
    drop(one);
    assert!(identity.is_gone() && identity != other.identity());
}

fn used(filter: Filter) -> Filter {
    for item in 0..5_000_u32 {
        // A filter that does not grow gets full.
        let _ = filter.insert(&item.to_le_bytes());
        if item % 3 == 0 {
            filter.remove(&(item / 2).to_le_bytes(), 0);
        }
        if item % 500 == 0 {
            // Only a filter with a window rotates.
            let _ = filter.rotate();
        }
    }
    filter
}

/// Filters with equal seeds and histories are equal.
#[test]
fn equal_histories_give_equal_filters() {
    for settings in [SETTINGS, GROWING, window()] {
        let [first, second, third] = [7, 7, 8].map(|seed| used(with_seed(settings, seed)));
        let dumped = |filter: &Filter| filter.ageless_dump().whole().expect("room");
        assert!(dumped(&first) == dumped(&second));
        assert!(dumped(&first) != dumped(&third));
        assert!(dumped(&new(settings)) != dumped(&new(settings)));
    }
}

/// Checks that the number has no effect on growth.
#[test]
fn an_expansion_is_kept_without_effect() {
    let [one, other] = [1, 32_768].map(|expansion| {
        let settings = Settings {
            expansion,
            ..GROWING
        };
        used(with_seed(settings, 7))
    });
    assert!(written(&one) == written(&other));
    assert!(dumped(&one) != dumped(&other));
    assert_eq!(other.settings().expansion, 32_768);
}

/// Checks that a node that saves stays the same as one that does not, also during a doubling.
#[test]
fn storing_a_filter_changes_nothing() {
    let [saved, other] = [7, 7].map(|seed| with_seed(GROWING, seed));
    for item in 0..5_000_u32 {
        for filter in [&saved, &other] {
            filter.insert(&item.to_le_bytes()).expect("room");
        }
        if item % 10 == 0 {
            drop(written(&saved));
            drop(dumped(&saved));
        }
    }
    assert!(dumped(&saved) == dumped(&other));
}
