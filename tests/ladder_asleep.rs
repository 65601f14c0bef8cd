//! A thread that is asleep in a call, for ever: a filter that begins anew keeps at most one generation for it.
//!
//! Alone in its process, because it stops the reclamation of memory there.

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

#[test]
fn memory_is_bounded_when_a_thread_is_asleep() {
    let bytes = bytes_when_full(40);
    assert!(bytes[39] <= 4 * bytes[0], "{bytes:?}");
    assert_eq!(bytes[39], bytes[12], "{bytes:?}");
}
