//! What growing filters say, what they take, and what is left of them.

use std::sync::atomic::Ordering;

use crew::Crew;
use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::{GrowingCuckooFilter, GrowthError, InsertError};
use model::hashers::AsGiven;
use model::mix;

use crate::allocations::{LIVE, LIVE_LARGE, PEAK_LARGE, with_failing};
use crate::{alone, settle};

/// What is not counted exactly: what the threads of a test and the epochs keep.
const SLACK: usize = 16 << 10;

/// The least that may fail. Of a few pointers, or of what the epochs take, nobody asks whether they can be had.
const FALLIBLE: usize = 4 << 10;

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

/// Waits until what is held is no more than this.
fn assert_given_back(most: usize, what: &str) {
    settle(|| live() <= most);
    let live = live();
    assert!(live <= most, "{what}: {live} bytes are held, not {most}");
}

/// The levels that it has left are still allocated, but for their pages, which the system has got back: they do not count,
/// and are less than all words.
#[test]
fn says_what_the_allocator_has_handed_out() {
    let _turn = alone();
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
                // What others have left may go meanwhile.
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
}

fn empty(filter: &mut Growing, mut items: impl Iterator<Item = u64>) {
    assert!(items.all(|item| filter.remove_hash(item)), "a stored item");
    filter.shrink_to_fit();
}

#[test]
fn takes_no_more_with_time() {
    let _turn = alone();
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
        // First all but a few, then these too.
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
}

/// The filter keeps the size that it has, and shrinks when there is memory.
#[test]
fn a_filter_that_gets_no_memory_to_shrink_stays_as_it_is() {
    let _turn = alone();
    let mut told = 0;
    for number in 0..6 {
        // Of one table, and of two.
        for capacity in [1_000, 8] {
            let mut filter = filter(capacity);
            fill(&filter, items(1, 20_000));
            assert!(
                items(1, 20_000)
                    .skip(2_000)
                    .all(|item| filter.remove_hash(item))
            );
            let (slots, held) = (filter.slots(), live());
            if with_failing(number, FALLIBLE, || filter.shrink_to_fit()).is_some() {
                assert_eq!(filter.slots(), slots);
                assert_given_back(held + SLACK, "a filter that stays as it is");
                told += 1;
            }
            assert_eq!(filter.len(), 2_000);
            assert!(items(1, 2_000).all(|item| filter.contains_hash(item)));
            filter.shrink_to_fit();
            assert!(filter.slots() < slots);
            empty(&mut filter, items(1, 2_000));
            assert!(filter.is_empty());
        }
    }
    // The words, for each of both.
    assert!(told >= 2, "few allocations failed: {told}");
}

/// It is as large as it was, in the midst of a doubling too.
#[test]
fn a_filter_that_gets_no_memory_to_be_cleared_is_empty_all_the_same() {
    let _turn = alone();
    for count in [6_000, 6_060, 6_120, 9_000] {
        let mut filter = filter(5_000);
        fill(&filter, items(1, 6_000));
        assert!(filter.begin_to_double());
        fill(&filter, items(1, count).skip(6_000));
        assert_eq!(filter.doubled().is_some(), count < 9_000);
        let slots = filter.slots();
        with_failing(0, FALLIBLE, || filter.clear()).expect("words are allocated");
        assert_eq!((filter.len(), filter.slots()), (0, slots));
        assert!(!items(1, count).any(|item| filter.contains_hash(item)));
        fill(&filter, items(2, count));
        empty(&mut filter, items(2, count));
        assert!(filter.slots() < slots);
    }
}

/// There is one table again, and it is as large as it was.
#[test]
fn two_tables_that_get_no_memory_to_be_cleared_are_one() {
    let _turn = alone();
    let mut filter = filter(8);
    fill(&filter, items(1, 20_000));
    assert_eq!(filter.tables(), 2);
    // That of the first table is small.
    with_failing(0, 1, || filter.clear()).expect("words are allocated");
    assert_eq!((filter.len(), filter.tables()), (0, 1));
    fill(&filter, items(2, 20_000));
    assert!(items(2, 20_000).all(|item| filter.contains_hash(item)));
}

/// Those who begin the same growth build a level each at most, and all but one are freed.
#[test]
fn racing_growers_build_little_in_vain() {
    const THREADS: usize = 4;
    let _turn = alone();
    for round in 0..10 {
        let before = LIVE_LARGE.load(Ordering::Relaxed);
        PEAK_LARGE.store(before, Ordering::Relaxed);
        // Nine doublings in one half of the rounds, ten and another table in the other.
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
        // All levels before the last one are as large as that one.
        let most = before + 2 * filter.slots() * (THREADS + 1);
        assert!(peak <= most, "{peak} bytes at once, for {filter:?}");
        drop(filter);
        settle(|| LIVE_LARGE.load(Ordering::Relaxed) == before);
        let left = LIVE_LARGE.load(Ordering::Relaxed) - before;
        assert_eq!(left, 0, "bytes that are left of a dropped filter");
    }
}

/// Whichever allocation of a doubling, or of another table, fails: the insert says so, and all that is in stays in. With
/// memory again, it goes on.
#[test]
fn memory_that_cannot_be_had_is_an_error() {
    let _turn = alone();
    let mut told = 0;
    for number in 0..6 {
        let mut filter = filter(8);
        let mut stored = Vec::new();
        let mut items = items(number as u64, 20_000);
        while filter.tables() < 2 || filter.len() < 18_000 {
            let item = items.next().expect("more than so many");
            // Only what the insert itself allocates can fail.
            match with_failing(number, FALLIBLE, || filter.insert_hash(item)) {
                None | Some(Ok(())) => {}
                Some(Err(InsertError::CannotGrow(error))) => {
                    assert!(matches!(error, GrowthError::OutOfMemory(_)), "{error}");
                    let text = error.to_string();
                    let end = " bytes of memory that could not be allocated";
                    assert!(text.ends_with(end), "{text}");
                    assert_eq!(filter.len(), stored.len(), "not conserved");
                    let found = stored.iter().filter(|&&item| filter.contains_hash(item));
                    assert_eq!(found.count(), stored.len(), "stored items were lost");
                    filter.insert_hash(item).expect("memory");
                    told += 1;
                }
                Some(Err(other)) => panic!("allocation {number}: {other}"),
            }
            stored.push(item);
        }
        empty(&mut filter, stored.into_iter());
        assert!(filter.is_empty());
    }
    // The words of the last levels of the first table, and those of the second one with its largest parts.
    assert!(told >= 4, "few allocations failed: {told}");
}
