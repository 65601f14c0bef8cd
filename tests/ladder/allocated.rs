//! Filters that double: what they say, what they take, and what they give back.

use std::sync::atomic::Ordering;

use crew::Crew;
use lockfree_cuckoo::{Filter, FilterBuilder, InsertError, Ladder};
use model::hashers::AsGiven;
use model::mix;

use crate::{
    LEFT, LIVE_LARGE, PEAK_LARGE, SLACK, alone, assert_given_back, leaves_nothing, live, settle,
};

type Doubling = Filter<Ladder, AsGiven>;

fn filter(capacity: usize) -> Doubling {
    let builder = FilterBuilder::with_hasher(AsGiven);
    builder.capacity(capacity).build().expect("memory")
}

fn items(round: u64, count: u64) -> impl Iterator<Item = u64> + Clone {
    (0..count).map(move |item| mix(round << 32 | item))
}

/// Removes all, and lets it begin anew.
fn empty(filter: &Doubling, items: impl Iterator<Item = u64>) {
    for item in items {
        assert!(filter.remove_hash(item), "a stored item");
    }
    let first = filter.fresh().expect("memory").slots();
    settle(|| {
        filter.shrink_to_fit();
        filter.slots() == first
    });
    assert_eq!(
        filter.slots(),
        first,
        "nobody is at work, and nothing is in"
    );
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
                settle(|| live() - before <= said + words + SLACK / 4);
                let held = live() - before;
                assert!(
                    said <= held + SLACK / 4 && held <= said + words + SLACK / 4,
                    "{slots} slots: {said} bytes said, {held} held"
                );
            }
        }
        assert!(slots >= 200_000);
        drop(filter);
        assert_given_back(before + SLACK / 4, "a dropped filter");
    }
}

/// The generation that it began with keeps its addresses. All others are freed.
#[test]
fn takes_no_more_with_time() {
    let _turn = alone();
    let before = live();
    let mut filter = filter(1_000);
    let start = live();
    let mut most = 0;
    for round in 0..8 {
        for item in items(round, 100_000) {
            filter.insert_hash(item).expect("memory");
        }
        assert!(live() > start + 200_000);
        if round == 1 {
            most = live();
        }
        assert!(
            round < 2 || live() <= most + SLACK,
            "round {round}: {} bytes are held, {most} in the second",
            live()
        );
        empty(&filter, items(round, 100_000));
    }
    // Any call by `&mut` frees the first generation.
    filter.set_max_memory_usage(usize::MAX);
    assert_given_back(start + SLACK, "an emptied filter");
    drop(filter);
    assert_given_back(before + SLACK, "a dropped filter");
}

/// Without a call by `&mut`. Those of a later generation are freed, and what the allocator does with them is its own
/// concern.
#[cfg(target_os = "linux")]
#[test]
fn the_pages_of_an_emptied_filter_go_back_to_the_system() {
    const ITEMS: u64 = 1_000_000;
    let _turn = alone();
    let filter = filter(1_000);
    for round in 0..3 {
        for item in items(round, ITEMS) {
            filter.insert_hash(item).expect("memory");
        }
        let (full, used) = (crate::resident(), filter.memory_usage());
        assert!(used > 2 * ITEMS as usize);
        empty(&filter, items(round, ITEMS));
        let gone = || full.saturating_sub(crate::resident());
        let is_done = || filter.memory_usage() < used / 8 && (round > 0 || gone() > used / 2);
        settle(is_done);
        let (left, gone) = (filter.memory_usage(), gone());
        assert!(
            is_done(),
            "round {round}: {left} bytes are in use, and {gone} have gone back of {used}"
        );
    }
}

#[test]
fn clear_and_drop_leave_nothing() {
    leaves_nothing(filter);
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
        let filter = filter(8);
        let mut stored = Vec::new();
        let mut items = items(number as u64, 20_000);
        while filter.segments() < 2 || filter.len() < 18_000 {
            let item = items.next().expect("more than so many");
            // Only what the insert itself allocates can fail.
            LEFT.with(|left| left.set(Some(number)));
            let inserted = filter.insert_hash(item);
            let failed = LEFT.with(|left| left.take()).is_none();
            match inserted {
                Ok(()) => {}
                Err(InsertError::CannotGrow { error, .. }) => {
                    assert!(failed && error.is_out_of_memory(), "{error}");
                    assert_eq!(filter.len(), stored.len(), "not conserved");
                    let found = stored.iter().filter(|&&item| filter.contains_hash(item));
                    assert_eq!(found.count(), stored.len(), "stored items were lost");
                    filter.insert_hash(item).expect("memory");
                    told += 1;
                }
                Err(other) => panic!("allocation {number}: {other}"),
            }
            stored.push(item);
        }
        for item in stored {
            assert!(filter.remove_hash(item), "a stored item");
        }
        assert!(filter.is_empty());
    }
    // The words of the last levels of the first table, and all parts of the second one.
    assert!(told >= 6, "few allocations failed: {told}");
}

/// The filter keeps the size that it has, and begins anew when there is memory.
#[test]
fn an_emptied_filter_that_gets_no_memory_stays_as_it_is() {
    let _turn = alone();
    let mut told = 0;
    for number in 0..6 {
        let filter = filter(1_000);
        for item in items(1, 3_000) {
            filter.insert_hash(item).expect("memory");
        }
        for item in items(1, 3_000) {
            assert!(filter.remove_hash(item), "a stored item");
        }
        let slots = filter.slots();
        LEFT.with(|left| left.set(Some(number)));
        filter.shrink_to_fit();
        let failed = LEFT.with(|left| left.take()).is_none();
        if failed {
            assert_eq!(filter.slots(), slots);
            told += 1;
        }
        for item in items(2, 100) {
            assert_eq!(filter.insert_unique_hash(item), Ok(true));
        }
        empty(&filter, items(2, 100));
    }
    assert!(told >= 2, "few allocations failed: {told}");
}
