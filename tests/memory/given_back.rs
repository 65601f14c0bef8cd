//! Memory given back: when it returns to the system, on Linux.

#![cfg(target_os = "linux")]

use lockfree_cuckoo::testing::{Internals, on_processors};
use lockfree_cuckoo::{GrowthError, InsertError};
use model::mix;

use crate::alone;
use crate::growing::{Growing, fill, filter, items};

/// The most that one call gives back.
const PART: usize = 2 << 20;

/// Returns a filter whose growth out of five such parts has just ended, and a number that it does
/// not hold.
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
    alone(|| {
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
    });
}

#[test]
fn a_call_about_the_whole_gives_back_all() {
    alone(|| {
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
    });
}

/// Returns the bytes of this process that are resident.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages = text.split(' ').nth(1).expect("a second number");
    // Pages have at least 4 KiB.
    pages.parse::<usize>().expect("a number") * 4_096
}

/// Work of a growth that waits until no thread is pinned does not keep the memory of a dropped
/// filter.
#[test]
fn a_filter_that_is_gone_takes_all_with_it() {
    alone(|| {
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
    });
}

/// Returns a filter of `size` items whose doubling has just ended. If a thread was pinned then, no
/// memory has been given back, and no call is due to give any back.
fn doubled(size: u64, pinned: bool) -> Growing {
    let filter = filter(size as usize);
    fill(&filter, items(0, size / 20 * 19));
    let guard = pinned.then(crossbeam_epoch::pin);
    assert!(filter.begin_to_double() && filter.finish_doubling());
    drop(guard);
    filter
}

/// An insert at the limit gives back the memory that is due. A thread was pinned when the last
/// doubling ended, and has unpinned since. The memory that it kept does not count when the next
/// doubling asks for memory.
#[test]
fn insert_gives_back_due_memory() {
    alone(|| {
        // The second one leaves more than one part.
        for size in [20_000, 1_700_000] {
            an_insert_gives_back_what_is_due(size);
        }
    });
}

fn an_insert_gives_back_what_is_due(size: u64) {
    let lean = doubled(size, false);
    let bytes = lean.memory_usage();
    lean.set_memory_allowance(bytes);
    let mut turns = (1..).zip(items(1, 5 * size));
    let refused = turns.find_map(|(turn, item)| Some((turn, lean.insert_hash(item).err()?)));
    let (turn, error) = refused.expect("there is a limit");
    let InsertError::CannotGrow(GrowthError::MemoryLimit { needed, .. }) = error else {
        panic!("{error}");
    };

    let filter = doubled(size, true);
    let slots = filter.slots();
    assert!(
        filter.memory_usage() > bytes + slots / 2,
        "it went back at once"
    );
    // Each part of a large block may begin within another page here, which then stays.
    let allowed = needed + size as usize / 100;
    filter.set_memory_allowance(allowed);
    fill(&filter, items(1, turn));
    assert_eq!(filter.slots(), 2 * slots);
    assert!(filter.memory_usage() <= allowed);
}

/// A shrink gives back the memory that is due. The same when a filter is shrunk and has the right
/// size already.
#[test]
fn shrink_gives_back_due_memory() {
    alone(|| {
        // With more processors, descriptors are a larger share.
        let mut filter = on_processors(16, || doubled(20_000, true));
        fill(&filter, items(1, 20_000));
        let (slots, bytes) = (filter.slots(), bytes_a_bucket(&filter));
        assert!(bytes > 12.0, "it went back at once: {bytes}");
        filter.shrink_to_fit();
        assert_eq!(filter.slots(), slots);
        let bytes = bytes_a_bucket(&filter);
        assert!(bytes < 9.2, "{bytes}");
    });
}

#[test]
fn outgrown_memory_goes_back() {
    alone(|| {
        // The second filter has outgrown its first words, too.
        for (capacity, count, tables) in [(1_000, 700_000, 1), (100, 500_000, 2)] {
            let filter = filter(capacity);
            fill(&filter, items(0, count));
            assert_eq!(filter.tables(), tables);
            assert!(filter.doubled().is_none(), "far from any growth");
            let bytes = bytes_a_bucket(&filter);
            assert!(bytes < 9.2, "{bytes}, {tables} tables");
        }
    });
}
