//! When memory goes back to the system.
//!
//! 1. What a filter has grown out of goes back when the growth ends, without another call.
//! 2. For a thread that is asleep in a call, for ever, a filter that begins anew keeps at most one generation.
//!
//! One after the other, and alone in their process, because a thread that is asleep stops all reclamation there.

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

/// The bytes of a filter that has grown, for each bucket.
fn bytes_a_bucket_when_grown() -> f64 {
    let filter: Filter<Ladder, AsGiven> = FilterBuilder::with_hasher(AsGiven)
        .capacity(1_000)
        .build()
        .expect("memory");
    // Far from the next growth, and from the end of the last one.
    for turn in 0..700_000 {
        filter.insert_hash(mix(turn)).expect("memory");
    }
    filter.memory_usage() as f64 / (filter.slots() / 4) as f64
}

#[test]
fn memory_goes_back_and_is_bounded_when_a_thread_is_asleep() {
    if cfg!(target_os = "linux") {
        let bytes = bytes_a_bucket_when_grown();
        assert!(bytes < 9.0, "{bytes}");
    }
    let bytes = bytes_when_full(40);
    assert!(bytes[39] <= 4 * bytes[0], "{bytes:?}");
    assert_eq!(bytes[39], bytes[12], "{bytes:?}");
}
