//! When memory goes back to the system, where it can: on Linux.

#![cfg(target_os = "linux")]

use lockfree_cuckoo::testing::Double;
use model::mix;

use crate::alone;
use crate::growing::{Growing, fill, filter, items};

/// What one call gives back at most.
const PART: usize = 2 << 20;

/// A filter whose growth out of five parts has just ended, and a number that is not in it.
fn just_grown() -> (Growing, u64) {
    let filter = filter(5 * PART / 3);
    let mut turn = 0;
    assert!(filter.begin_to_double());
    while filter.doubled().is_some() {
        filter.insert_hash(mix(turn)).expect("memory");
        turn += 1;
    }
    (filter, turn)
}

fn bytes_a_bucket(filter: &Growing) -> f64 {
    filter.memory_usage() as f64 / (filter.slots() / 4) as f64
}

#[test]
fn inserts_give_back_in_parts() {
    let _turn = alone();
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
    assert!((0..start + 100).all(|turn| filter.contains_hash(mix(turn))));
}

#[test]
fn a_call_about_the_whole_gives_back_all() {
    let _turn = alone();
    let calls: [fn(&mut Growing); 2] = [
        |filter| filter.shrink_to_fit(),
        |filter| assert!(filter.finish_doubling()),
    ];
    for call in calls {
        let (mut filter, _) = just_grown();
        assert!(bytes_a_bucket(&filter) > 10.0, "it was given back at once");
        call(&mut filter);
        let bytes = bytes_a_bucket(&filter);
        assert!(bytes < 8.1, "{bytes}");
    }
}

/// The bytes of this process that are in memory.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages = text.split(' ').nth(1).expect("a second number");
    // Of 4 KiB at least.
    pages.parse::<usize>().expect("a number") * 4_096
}

/// What a growth has left to do when nobody is pinned any more does not keep the memory of a filter that is gone.
#[test]
fn a_filter_that_is_gone_takes_all_with_it() {
    let _turn = alone();
    let (filter, _) = just_grown();
    let bytes = filter.memory_usage();
    let before = resident();
    let pinned = crossbeam_epoch::pin();
    assert!(filter.begin_to_double());
    filter.finish_doubling();
    drop(filter);
    let after = resident();
    drop(pinned);
    assert!(after + bytes / 2 < before, "{before}, then {after} bytes");
}

#[test]
fn what_a_filter_has_grown_out_of_goes_back() {
    let _turn = alone();
    // The second has grown out of the words that it began with, too.
    for (capacity, count, tables) in [(1_000, 700_000, 1), (100, 500_000, 2)] {
        let filter = filter(capacity);
        fill(&filter, items(0, count));
        assert_eq!(filter.tables(), tables);
        assert!(filter.doubled().is_none(), "far from any growth");
        let bytes = bytes_a_bucket(&filter);
        assert!(bytes < 9.0, "{bytes}, {tables} tables");
    }
}
