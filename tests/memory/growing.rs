//! Growing filters: the memory they report, take, and keep.

use std::sync::atomic::Ordering;
use std::thread;

use crew::Crew;
use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{GrowingCuckooFilter, GrowthError, InsertError};
use model::hashers::AsGiven;
use model::mix;

use crate::allocations::{FAILING, LIVE, LIVE_LARGE, PEAK_LARGE, with_some_failing};
use crate::{alone, settle};

/// The tolerance: memory that the threads of a test and the epochs keep.
const SLACK: usize = 16 << 10;

pub(crate) type Growing = GrowingCuckooFilter<AsGiven>;

pub(crate) fn filter(capacity: usize) -> Growing {
    Growing::with_capacity_and_hasher(capacity, AsGiven)
}

pub(crate) fn items(round: u64, count: u64) -> impl Iterator<Item = u64> + Clone {
    (0..count).map(move |item| mix(round << 32 | item))
}

pub(crate) fn fill(filter: &Growing, items: impl Iterator<Item = u64>) {
    items.for_each(|item| filter.insert_hash(item).expect("memory"));
}

fn live() -> usize {
    LIVE.load(Ordering::Relaxed)
}

/// Waits until no more than this is held.
fn assert_given_back(most: usize, what: &str) {
    settle(|| live() <= most);
    let live = live();
    assert!(live <= most, "{what}: {live} bytes are held, not {most}");
}

/// The filter keeps its former levels allocated, but the system has their pages back: these do not
/// count, and are less than all words.
#[test]
fn reports_the_allocated_memory() {
    alone(|| {
        for capacity in [8, 100, 1_000, 50_000] {
            let before = live();
            let filter = filter(capacity);
            let mut slots = 0;
            for item in items(0, 200_000) {
                filter.insert_hash(item).expect("memory");
                if filter.slots() > slots {
                    slots = filter.slots();
                    let (said, words) = (filter.memory_usage() - size_of_val(&filter), 2 * slots);
                    let right = said.saturating_sub(SLACK / 4)..=said + words + SLACK / 4;
                    // Memory that earlier tests left may be freed meanwhile.
                    let held = || live().saturating_sub(before);
                    settle(|| held() <= *right.end());
                    let held = held();
                    assert!(
                        right.contains(&held),
                        "{slots} slots: {held}, not {right:?}"
                    );
                }
            }
            assert!(slots >= 200_000);
            drop(filter);
            assert_given_back(before + SLACK / 4, "a dropped filter");
        }
    });
}

fn empty(filter: &mut Growing, mut items: impl Iterator<Item = u64>) {
    assert!(items.all(|item| filter.remove_hash(item)), "a stored item");
    filter.shrink_to_fit();
}

#[test]
fn takes_no_more_with_time() {
    alone(|| {
        let before = live();
        let mut filter = filter(1_000);
        let start = live();
        let mut first = None;
        for round in 0..8 {
            fill(&filter, items(round, 100_000));
            let held = live();
            let most = *first.get_or_insert(held);
            assert!(held > start + 200_000);
            assert!(held <= most + SLACK, "round {round}: {held}, first {most}");
            // First all but a few, then these few.
            empty(&mut filter, items(round, 100_000).skip(1_000));
            assert_given_back(start + (most - start) / 16, "a shrunk filter");
            assert!(items(round, 1_000).all(|item| filter.contains_hash(item)));
            empty(&mut filter, items(round, 1_000));
            assert_given_back(start + SLACK, "an emptied filter");
        }
        for _ in 0..3 {
            fill(&filter, items(0, 50_000));
            let copy = filter.snapshot().expect("memory");
            assert_eq!(copy.len(), 50_000);
            filter.clear();
            drop(copy);
            assert_given_back(start + SLACK, "a cleared filter");
        }
        drop(filter);
        assert_given_back(before + SLACK, "a dropped filter");
    });
}

/// A filter that gets no memory to shrink keeps its size, and shrinks when there is memory. Or it
/// has shrunk, and only some of the old words are not given back at once.
#[test]
fn shrink_without_memory() {
    alone(|| {
        // Of one table, and of two.
        for (capacity, count) in FAILING.map(|count| [(1_000, count), (8, count)]).concat() {
            let mut told = 0;
            for number in 0.. {
                let mut filter = filter(capacity);
                fill(&filter, items(1, 20_000));
                let mut removed = items(1, 20_000).skip(2_000);
                assert!(removed.all(|item| filter.remove_hash(item)));
                let (slots, held) = (filter.slots(), live());
                let failed = with_some_failing(number, count, || filter.shrink_to_fit()).is_some();
                let stays = filter.slots() == slots;
                assert!(failed || !stays);
                assert_given_back(held + SLACK, "a filter that stays as it is");
                told += usize::from(stays);
                assert_eq!(filter.len(), 2_000);
                assert!(items(1, 2_000).all(|item| filter.contains_hash(item)));
                filter.shrink_to_fit();
                assert!(filter.slots() < slots);
                empty(&mut filter, items(1, 2_000));
                assert!(filter.is_empty());
                if !failed {
                    break;
                }
            }
            // The list of tables, and all parts of the smallest table with enough room.
            assert!(told >= 8, "few allocations failed: {told}");
        }
    });
}

/// A doubling in progress ends: it has its memory already.
#[test]
fn a_doubling_ends_without_memory() {
    alone(|| {
        let mut filter = filter(5_000);
        fill(&filter, items(1, 5_000));
        assert!(filter.begin_to_double());
        // The first allocation, for the list of tables, fails.
        let result = with_some_failing(0, 1, || filter.shrink_to_fit());
        result.expect("a list is allocated");
        assert_eq!(filter.doubled(), None, "it goes on");
        assert!(items(1, 5_000).all(|item| filter.contains_hash(item)));
    });
}

/// A filter that gets no memory to be cleared is empty all the same. Its size stays the same, also
/// in the middle of a doubling.
#[test]
fn clear_without_memory() {
    alone(|| {
        let counts = [6_000, 6_060, 6_120, 9_000];
        let all = FAILING.map(|failing| counts.map(|count| (failing, count)));
        for (failing, count) in all.into_iter().flatten() {
            let mut filter = filter(5_000);
            fill(&filter, items(1, 6_000));
            assert!(filter.begin_to_double());
            fill(&filter, items(1, count).skip(6_000));
            assert_eq!(filter.doubled().is_some(), count < 9_000);
            let slots = filter.slots();
            let result = with_some_failing(0, failing, || filter.clear());
            result.expect("words are allocated");
            assert_eq!((filter.len(), filter.slots()), (0, slots));
            assert!(!items(1, count).any(|item| filter.contains_hash(item)));
            fill(&filter, items(2, count));
            empty(&mut filter, items(2, count));
            assert!(filter.slots() < slots);
        }
    });
}

/// Two tables that get no memory to be cleared become one of the same size.
#[test]
fn clear_two_without_memory() {
    alone(|| {
        for failing in FAILING {
            for number in 0.. {
                let mut filter = filter(8);
                fill(&filter, items(1, 20_000));
                assert_eq!(filter.tables(), 2);
                let failed = with_some_failing(number, failing, || filter.clear());
                assert_eq!((filter.len(), filter.tables()), (0, 1));
                fill(&filter, items(2, 20_000));
                assert!(items(2, 20_000).all(|item| filter.contains_hash(item)));
                if failed.is_none() {
                    // The words, their addresses, and the blocks shared with deferred calls.
                    assert!(number >= 3, "few allocations failed: {number}");
                    break;
                }
            }
        }
    });
}

/// Threads that begin the same growth build at most one level each, and all but one are freed.
#[test]
fn racing_growers_build_little_in_vain() {
    const THREADS: usize = 4;
    alone(|| {
        for round in 0..10 {
            let before = LIVE_LARGE.load(Ordering::Relaxed);
            PEAK_LARGE.store(before, Ordering::Relaxed);
            // Nine doublings in one half of the rounds; ten and another table in the other.
            let filter = filter([1_000, 8][round as usize % 2]);
            Crew::workers(THREADS, |crew, thread| {
                for (turn, item) in items(round << 8 | thread as u64, 40_000).enumerate() {
                    if turn % 2_000 == 0 {
                        crew.meet();
                    }
                    filter.insert_hash(item).expect("memory");
                }
            });
            assert_eq!(filter.len(), 40_000 * THREADS);
            assert!(filter.slots() <= 4 * 40_000 * THREADS, "{filter:?}");
            let peak = PEAK_LARGE.load(Ordering::Relaxed);
            // All earlier levels together are as large as the last one.
            let most = before + 2 * filter.slots() * (THREADS + 1);
            assert!(peak <= most, "{peak} bytes at once, for {filter:?}");
            drop(filter);
            settle(|| LIVE_LARGE.load(Ordering::Relaxed) == before);
            let left = LIVE_LARGE.load(Ordering::Relaxed) - before;
            assert_eq!(left, 0, "bytes that are left of a dropped filter");
        }
    });
}

/// Whichever allocation of a doubling or of another table fails, the call says so and all items
/// stay. With memory again, it goes on.
#[test]
fn memory_that_cannot_be_had_is_an_error() {
    alone(|| {
        let calls: [Insert; 3] = [
            |filter, item| filter.insert_hash(item).map(|()| true),
            Growing::insert_unique_hash,
            |filter, item| match filter.insert_many(&[item]) {
                Ok(()) => Ok(true),
                Err(error) => Err(error.error().clone()),
            },
        ];
        for (insert, failing) in calls.into_iter().zip(FAILING.into_iter().cycle()) {
            for number in 0.. {
                let told = grow_with_failing(number, failing, insert);
                if told == 0 {
                    // A doubling allocates its words, their addresses, descriptors and cells. A
                    // table allocates some more.
                    assert!(number >= 8, "no call allocates as much: {number}");
                    break;
                }
            }
        }
    });
}

type Insert = fn(&Growing, u64) -> Result<bool, InsertError>;

/// Fills a filter to its second table while the allocation of this number fails in each call.
/// Returns how often a call says so.
fn grow_with_failing(number: usize, failing: usize, insert: Insert) -> usize {
    let mut filter = filter(8);
    let mut stored = Vec::with_capacity(20_000);
    let mut items = items(number as u64, 20_000);
    let mut told = 0;
    while filter.tables() < 2 || filter.len() < 18_000 {
        let item = items.next().expect("more than are taken");
        let (slots, tables) = (filter.slots(), filter.tables());
        match with_some_failing(number, failing, || insert(&filter, item)) {
            None | Some(Ok(_)) => {}
            Some(Err(InsertError::CannotGrow(error))) => {
                assert!(matches!(error, GrowthError::OutOfMemory(_)), "{error}");
                let text = error.to_string();
                let end = " bytes of memory that could not be allocated";
                assert!(text.ends_with(end), "{text}");
                assert_eq!((filter.slots(), filter.tables()), (slots, tables));
                assert_eq!(filter.len(), stored.len(), "not conserved");
                let found = stored.iter().filter(|&&item| filter.contains_hash(item));
                assert_eq!(found.count(), stored.len(), "stored items were lost");
                insert(&filter, item).expect("memory");
                told += 1;
            }
            Some(Err(other)) => panic!("allocation {number}: {other}"),
        }
        // Except if it was a false positive of one of them.
        if filter.len() > stored.len() {
            stored.push(item);
        }
    }
    empty(&mut filter, stored.into_iter());
    assert!(filter.is_empty());
    told
}

/// A thread without memory to pin is refused at most a split. A thread that joins a doubling and
/// has not pinned yet needs no memory, except that of the epochs, to insert, to remove and to end
/// the doubling.
#[test]
fn pin_without_memory() {
    alone(|| {
        for failing in FAILING {
            let filter = filter(1_000);
            fill(&filter, items(1, 900));
            assert!(filter.begin_to_double());
            let calls = || {
                let doubled = filter.doubled();
                let insert = || filter.insert_hash(mix(7));
                let inserted = with_some_failing(0, failing, insert).expect("it asks for memory");
                assert_eq!(filter.doubled(), doubled, "it has split words");
                assert!(inserted.is_ok(), "there is room: {inserted:?}");
                assert!(with_some_failing(0, failing, || filter.finish_doubling()).is_some());
                assert!(filter.remove_hash(mix(7)));
                assert!(filter.finish_doubling());
            };
            thread::scope(|scope| scope.spawn(calls).join().expect("no panic"));
            assert_eq!(filter.len(), 900);
            assert!(items(1, 900).all(|item| filter.contains_hash(item)));
        }
    });
}
