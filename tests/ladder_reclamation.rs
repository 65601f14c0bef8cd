//! When memory goes back to the system.
//!
//! 1. What a filter has grown out of goes back when the growth ends, without another call.
//! 2. If it is much, the inserts to come give back a part each; a call that is about the whole filter, all of it.
//! 3. A filter that begins anew, or is dropped, keeps nothing of that.
//! 4. For a thread that is asleep in a call, for ever, a filter that begins anew keeps at most one generation.
//!
//! One after the other, and alone in their process, because a thread that is asleep stops all reclamation there.

use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::{Filter, FilterBuilder, Ladder};
use model::hashers::AsGiven;
use model::mix;

/// What a filter takes when it has 5,000 items, after it was emptied so many times. A thread falls asleep the fifth time.
fn bytes_when_full(times: u64) -> Vec<usize> {
    let filter: Filter<Ladder, AsGiven> = FilterBuilder::with_hasher(AsGiven)
        .capacity(8)
        .build()
        .expect("memory");
    let of_round = |round: u64| {
        if round == 5 {
            // As whoever was stopped in a call on a filter that began anew.
            std::mem::forget(crossbeam_epoch::pin());
        }
        let hashes = (0..5_000).map(|turn| mix(round << 32 | turn));
        for hash in hashes.clone() {
            filter.insert_hash(hash).expect("memory");
        }
        let bytes = filter.memory_usage();
        for hash in hashes {
            assert!(filter.contains_hash(hash), "a stored item is missed");
            assert!(filter.remove_hash(hash), "a stored item was not removed");
        }
        assert!(filter.is_empty());
        filter.shrink_to_fit();
        bytes
    };
    (0..times).map(of_round).collect()
}

/// What one call gives back at most.
const PART: usize = 2 << 20;

/// A filter whose growth out of five parts has just ended, and a number that is not in it.
fn just_grown() -> (Filter<Ladder, AsGiven>, u64) {
    let filter: Filter<Ladder, AsGiven> = FilterBuilder::with_hasher(AsGiven)
        .capacity(5 * PART / 3)
        .build()
        .expect("memory");
    let mut turn = 0;
    assert!(filter.begin_to_double());
    while filter.doubled().is_some() {
        filter.insert_hash(mix(turn)).expect("memory");
        turn += 1;
    }
    (filter, turn)
}

fn bytes_a_bucket(filter: &Filter<Ladder, AsGiven>) -> f64 {
    filter.memory_usage() as f64 / (filter.slots() / 4) as f64
}

fn gives_back_in_parts() {
    let (filter, start) = just_grown();
    let mut before = filter.memory_usage();
    let mut parts = 0;
    for turn in start..start + 100 {
        filter.insert_hash(mix(turn)).expect("memory");
        let after = filter.memory_usage();
        let given = before - after;
        assert!(given <= PART, "{given} bytes at once");
        parts += usize::from(given > 0);
        before = after;
    }
    assert!(parts >= 4, "{parts} parts");
    assert!(bytes_a_bucket(&filter) < 8.1);
    for turn in 0..start + 100 {
        assert!(filter.contains_hash(mix(turn)), "a stored item is missed");
    }
}

fn a_call_about_the_whole_gives_back_all() {
    let calls: [fn(&Filter<Ladder, AsGiven>); 2] = [
        |filter| filter.shrink_to_fit(),
        |filter| drop(filter.snapshot().expect("memory")),
    ];
    for call in calls {
        let (filter, _) = just_grown();
        assert!(bytes_a_bucket(&filter) > 10.0, "it was given back at once");
        call(&filter);
        // A snapshot leaves a log of what moved meanwhile.
        let bytes = bytes_a_bucket(&filter);
        assert!(bytes < 9.0, "{bytes}");
    }
}

/// The bytes of a filter that has grown, for each bucket.
fn bytes_a_bucket_when_grown(capacity: usize, items: u64, tables: usize) -> f64 {
    let filter: Filter<Ladder, AsGiven> = FilterBuilder::with_hasher(AsGiven)
        .capacity(capacity)
        .build()
        .expect("memory");
    for turn in 0..items {
        filter.insert_hash(mix(turn)).expect("memory");
    }
    assert_eq!(filter.segments(), tables);
    assert!(filter.doubled().is_none(), "far from any growth");
    bytes_a_bucket(&filter)
}

/// The first table stays where it is when the filter begins anew, but not its pages.
fn an_empty_one_gives_back_its_first_table() {
    let filter: Filter<Ladder, AsGiven> = FilterBuilder::with_hasher(AsGiven)
        .capacity(1_000)
        .build()
        .expect("memory");
    for turn in 0..700_000 {
        filter.insert_hash(mix(turn)).expect("memory");
    }
    let full = filter.memory_usage();
    for turn in 0..700_000 {
        assert!(filter.remove_hash(mix(turn)));
    }
    filter.shrink_to_fit();
    let rest = filter.memory_usage();
    assert!(rest < full / 20, "{rest} of {full} bytes");
}

/// What a growth has left to do when nobody is pinned any more does not keep the memory of a filter that is gone.
fn a_filter_that_is_gone_takes_all_with_it() {
    let (filter, _) = just_grown();
    let bytes = filter.memory_usage();
    let before = resident();
    let pinned = crossbeam_epoch::pin();
    double_and_drop(filter);
    let after = resident();
    drop(pinned);
    assert!(after + bytes / 2 < before, "{before}, then {after} bytes");
}

/// Ends a growth while this thread is pinned, so that its words wait to go back; then the filter goes.
fn double_and_drop(filter: Filter<Ladder, AsGiven>) {
    assert!(filter.begin_to_double());
    filter.shrink_to_fit();
}

/// The bytes of this process that are in memory.
fn resident() -> usize {
    const PAGE: usize = 1 << 12;
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages = text.split(' ').nth(1).expect("a second number");
    pages.parse::<usize>().expect("a number") * PAGE
}

#[test]
fn memory_goes_back_and_is_bounded_when_a_thread_is_asleep() {
    if cfg!(target_os = "linux") {
        // The second has grown out of the words that it began with, too.
        for (capacity, items, tables) in [(1_000, 700_000, 1), (100, 500_000, 2)] {
            let bytes = bytes_a_bucket_when_grown(capacity, items, tables);
            assert!(bytes < 9.0, "{bytes}, {tables} tables");
        }
        an_empty_one_gives_back_its_first_table();
        a_filter_that_is_gone_takes_all_with_it();
        gives_back_in_parts();
        a_call_about_the_whole_gives_back_all();
    }
    let bytes = bytes_when_full(40);
    assert!(bytes[39] <= 4 * bytes[0], "{bytes:?}");
    assert_eq!(bytes[39], bytes[12], "{bytes:?}");
}
