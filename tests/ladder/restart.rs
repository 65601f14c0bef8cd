//! Filters that were emptied and begin anew, while others use them.

use crew::Crew;
use lockfree_cuckoo::testing::{Double, Relocate};
use model::mix;

use crate::{ALL, Doubling, filter, narrow, random};

/// What a filter may keep of the generation that it began with: what is not in whole pages.
fn kept(doublings: usize) -> usize {
    (64 << 10) * doublings
}

/// Shrinks it until it is as it should be. What it has left waits for other tests of this process.
pub(crate) fn shrink(filter: &Doubling, is_done: impl Fn() -> bool) {
    for _ in 0..10_000 {
        filter.shrink_to_fit();
        if is_done() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    panic!("not shrunk: {filter:?}");
}

fn fill(filter: &Doubling, items: usize, seed: u64) -> Vec<u64> {
    let hashes: Vec<u64> = random(seed).take(items).collect();
    for &hash in &hashes {
        filter.insert_hash(hash).expect("memory");
    }
    hashes
}

fn empty(filter: &Doubling, hashes: &[u64]) {
    for &hash in hashes {
        assert!(filter.remove_hash(hash), "a stored item was not removed");
    }
    assert!(filter.is_empty());
}

#[test]
fn an_emptied_filter_is_as_small_as_it_began() {
    for (capacity, items) in [(8, 40), (8, 5_000), (1_000, 400_000), (8, 30_000)] {
        let mut filter = filter(capacity);
        let start = (
            filter.slots(),
            filter.capacity(),
            filter.segments(),
            filter.memory_usage(),
        );
        for seed in 0..5 {
            let hashes = fill(&filter, items, seed);
            let full = filter.memory_usage();
            filter.shrink_to_fit();
            assert!(filter.slots() >= items, "it is not empty");
            assert!(hashes.iter().all(|&hash| filter.contains_hash(hash)));
            empty(&filter, &hashes);
            shrink(&filter, || filter.slots() == start.0);
            assert_eq!(
                (filter.slots(), filter.capacity(), filter.segments()),
                (start.0, start.1, start.2)
            );
            assert!(hashes.iter().all(|&hash| !filter.contains_hash(hash)));
            assert!(hashes.iter().all(|&hash| !filter.remove_hash(hash)));
            assert!(hashes.iter().all(|&hash| filter.count_hash(hash) == 0));
            if cfg!(target_os = "linux") && full > 2 * start.3 + 4 * kept(20) {
                shrink(&filter, || filter.memory_usage() < 2 * start.3 + kept(20));
            }
        }
        // With no other thread about, it is as if nothing had been.
        filter.set_max_memory_usage(usize::MAX);
        // The generation before may be there yet.
        shrink(&filter, || filter.memory_usage() == start.3);
        let hashes = fill(&filter, items, 9);
        empty(&filter, &hashes);
    }
}

#[test]
fn a_filter_that_began_anew_does_all_that_others_do() {
    let mut filter = filter(8);
    for round in 0..4 {
        let hashes = fill(&filter, 9_000, round);
        empty(&filter, &hashes);
        shrink(&filter, || filter.slots() == 8);
        let item = hashes[0];
        assert_eq!(filter.insert_unique_hash(item), Ok(true));
        assert_eq!(filter.insert_unique_hash(item), Ok(false));
        assert_eq!((filter.count_hash(item), filter.len()), (1, 1));
        let hashes: Vec<u64> = random(round + 100).take(3_000).collect();
        assert_eq!(filter.insert_many_hash(&hashes), Ok(()));
        let mut found = vec![false; hashes.len()];
        filter.contains_many_hash(&hashes, &mut found);
        assert!(found.iter().all(|&found| found));
        for &hash in &hashes {
            filter.relocate_hash(hash);
        }
        let copy = filter.snapshot().expect("nobody disturbs");
        assert!(hashes.iter().all(|&hash| copy.contains_hash(hash)));
        assert_eq!(copy.len(), filter.len());
        let mut chunks = filter.chunks().expect("memory");
        let (mut stored, mut chunk) = (Vec::new(), [0; 1024]);
        while let bytes @ 1.. = chunks.next_chunk(&mut chunk).expect("nobody disturbs") {
            stored.extend_from_slice(&chunk[..bytes]);
        }
        drop(chunks);
        let mut chunks = filter.chunks().expect("memory");
        assert!(chunks.next_chunk(&mut chunk).is_ok());
        assert_eq!(filter.remove_many_hash(&hashes), hashes.len());
        assert!(filter.remove_hash(item));
        shrink(&filter, || filter.slots() == 8);
        // Those that were begun before are of what is no more.
        let rest = core::iter::from_fn(|| match chunks.next_chunk(&mut chunk) {
            Ok(0) => None,
            other => Some(other),
        });
        assert!(rest.collect::<Result<Vec<_>, _>>().is_err());
        drop(chunks);
        let read = Doubling::from_bytes_with_hasher(&stored, model::hashers::AsGiven);
        assert_eq!(read.expect("sound").len(), copy.len());
        for &hash in &hashes {
            filter.insert_hash(hash).expect("memory");
        }
        match round {
            0 => assert_eq!(filter.try_clone().expect("memory").len(), hashes.len()),
            1 => {
                let bytes = filter.to_bytes();
                let read = Doubling::from_bytes_with_hasher(&bytes, model::hashers::AsGiven);
                assert_eq!(read.expect("sound").len(), hashes.len());
            }
            2 => filter.clear(),
            _ => {}
        }
        if round != 2 {
            assert!(hashes.iter().all(|&hash| filter.contains_hash(hash)));
            empty(&filter, &hashes);
        }
        assert!(filter.is_empty());
    }
}

#[test]
fn memory_is_bounded_however_often_it_begins_anew() {
    let filter = filter(8);
    let mut most = 0;
    for round in 0..60 {
        let hashes = fill(&filter, 20_000, round % 7);
        let bytes = filter.memory_usage();
        if round < 5 {
            most = most.max(bytes);
        } else {
            // The generation before may be there yet.
            assert!(
                bytes <= 2 * most,
                "{bytes} in round {round}, and {most} before"
            );
        }
        empty(&filter, &hashes);
        shrink(&filter, || filter.slots() == 8);
    }
}

#[test]
fn the_limit_on_memory_counts_the_generation_to_come() {
    let filter = filter(1_000);
    let hashes = fill(&filter, 3_000, 1);
    empty(&filter, &hashes);
    let slots = filter.slots();
    filter.limit_memory_usage(filter.memory_usage());
    filter.shrink_to_fit();
    assert_eq!(filter.slots(), slots, "there was no memory for another one");
    filter.limit_memory_usage(usize::MAX);
    shrink(&filter, || filter.slots() < slots);
}

/// Each worker has items of its own, and often none, so that now and then there are none at all. Meanwhile the filter is
/// shrunk without end.
fn under_writers(threads: usize, items: u64, rounds: u64, bits: u32) -> usize {
    let filter = filter(1);
    // Whether it was larger before, and as small as it began afterwards: of some that began anew.
    let shrinks = || {
        let before = filter.slots();
        filter.shrink_to_fit();
        usize::from(before > 8 && filter.slots() == 8)
    };
    let (by_workers, by_helpers) = Crew::run(
        threads,
        |crew, thread| {
            let mut shrunk = 0;
            for round in 0..rounds {
                // Else they would hardly ever be empty at the same time.
                crew.meet();
                if round % threads as u64 == thread as u64 {
                    // The others insert meanwhile.
                    shrunk += shrinks();
                }
                let first = (thread as u64) << 32 | round << 16;
                let some = mix(first) % items;
                let own: Vec<u64> = (first..first + some)
                    .map(|item| narrow(item, bits))
                    .collect();
                let mut stored = Vec::new();
                for (turn, &hash) in own.iter().enumerate() {
                    let added = if turn % 3 == 0 {
                        filter.insert_unique_hash(hash)
                    } else {
                        filter.insert_hash(hash).map(|()| true)
                    };
                    if added == Ok(true) {
                        stored.push(hash);
                    } else if bits == ALL {
                        assert!(added.is_ok(), "{added:?}");
                    }
                }
                assert!(stored.iter().all(|&hash| filter.contains_hash(hash)));
                assert!(stored.iter().all(|&hash| filter.count_hash(hash) > 0));
                for hash in stored {
                    assert!(filter.remove_hash(hash), "an own item was not removed");
                }
            }
            shrunk
        },
        2,
        |_, helper| {
            if helper == 0 {
                return shrinks();
            }
            if let Ok(copy) = filter.snapshot() {
                assert!(copy.len() <= threads * items as usize);
            }
            0
        },
    );
    assert!(filter.is_empty());
    by_workers.into_iter().chain(by_helpers).sum()
}

#[test]
fn nothing_is_lost_while_the_filter_begins_anew() {
    let mut restarts = 0;
    for _ in 0..3 {
        restarts += under_writers(2, 60, 1_500, ALL);
        restarts += under_writers(4, 30, 800, ALL);
        restarts += under_writers(3, 100, 800, 16);
    }
    assert!(restarts > 10, "{restarts}");
}

#[test]
fn one_of_several_threads_adds_an_item_while_the_filter_begins_anew() {
    for round in 0..20 {
        let filter = filter(1);
        let items: Vec<u64> = random(round).take(300).collect();
        // What is added is removed by who added it. So of an item there is one or none at any time.
        let (added, _) = Crew::run(
            3,
            |crew, _| {
                let mut added = 0;
                for &item in &items {
                    crew.meet();
                    let mine = filter.insert_unique_hash(item).expect("memory");
                    crew.meet();
                    let one = filter.count_hash(item) == 1;
                    crew.meet();
                    if mine {
                        assert!(one, "not once");
                        added += 1;
                        assert!(filter.remove_hash(item));
                    }
                }
                added
            },
            1,
            |_, _| {
                // So that there is something to shrink.
                filter.begin_to_double();
                filter.shrink_to_fit();
            },
        );
        assert_eq!(added.iter().sum::<usize>(), items.len());
        assert!(filter.is_empty());
    }
}
