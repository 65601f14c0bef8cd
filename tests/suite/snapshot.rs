//! Snapshots: taken of filters while other threads write to them.
//!
//! An item that is stored from before the call until after it is in the copy. Each item in the copy
//! was stored at some time during the call.

use std::collections::HashSet;
use std::hint;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crew::Crew;
use lockfree_cuckoo::{
    CuckooFilter, Filter, GrowingCuckooFilter, RotatingCuckooFilter, SnapshotError,
    filter::Buildable,
};
use model::hashers::AsGiven;
use model::{Layout, mix};

use crate::chunks::stored;
use crate::door::{DEFAULT, of_each_engine};
use crate::seesaw::Seesaw;

/// Returns hashes of items that no other generator returns.
fn items(kind: u64, count: u64) -> impl Iterator<Item = u64> {
    (0..count).map(move |n| mix(kind << 40 | n))
}

#[test]
fn counts_the_memory_of_its_log() {
    let filter = CuckooFilter::with_capacity(1_000_000);
    let before = filter.memory_usage();
    filter.snapshot().expect("no thread writes");
    let log = filter.memory_usage() - before;
    assert!(
        (1..=filter.slots() / Layout::DEFAULT.slots / 16 * 8 + 64).contains(&log),
        "{log}"
    );
    filter.snapshot().expect("no thread writes");
    assert_eq!(filter.memory_usage(), before + log);
}

/// Takes snapshots while two threads replace items all the time, a batch at a time, in a filter
/// that also holds lasting items. Another thread looks these up.
fn misses_nothing<E: Buildable>(filter: &Filter<E>, lasting: u64, batch: u64) {
    const SNAPSHOTS: usize = 60;
    let lasting: Vec<u64> = items(1, lasting).collect();
    filter
        .insert_many_hash(&lasting)
        .expect("room at this load");
    let lasting_classes = lasting.iter().collect::<HashSet<_>>().len();
    assert_eq!(lasting_classes, lasting.len());
    let rounds = [AtomicU64::new(0), AtomicU64::new(0)];
    let (taken, _) = Crew::run(
        1,
        |_, _| {
            let (mut tried, mut taken) = (0, 0);
            // Small filters are copied before the other threads have started.
            while tried < SNAPSHOTS || rounds.iter().any(|rounds| rounds.load(Relaxed) == 0) {
                tried += 1;
                match filter.snapshot() {
                    Ok(copy) => {
                        taken += 1;
                        let missed = lasting.iter().filter(|&&hash| !copy.contains_hash(hash));
                        assert_eq!(missed.count(), 0, "of a copy of {filter:?}");
                        // Remove the lasting items: the rest was inserted and removed meanwhile.
                        assert_eq!(copy.remove_many_hash(&lasting), lasting.len());
                        assert!(copy.len() <= copy.slots() - lasting.len());
                    }
                    Err(error) => assert_eq!(error, SnapshotError::Disturbed),
                }
            }
            (taken, tried)
        },
        3,
        |crew, number| {
            let mut found = vec![false; lasting.len()];
            while crew.at_work() {
                if number == 2 {
                    found.fill(false);
                    filter.contains_many_hash(&lasting, &mut found);
                    assert!(!found.contains(&false), "missed in {filter:?}");
                    continue;
                }
                let round = rounds[number].load(Relaxed);
                let from = ((number as u64 + 2) << 40) + round * batch;
                let batch: Vec<u64> = (from..from + batch).map(mix).collect();
                let inserted = match filter.insert_many_hash(&batch) {
                    Ok(()) => batch.len(),
                    Err(stopped) => stopped.inserted(),
                };
                assert_eq!(filter.remove_many_hash(&batch[..inserted]), inserted);
                rounds[number].store(round + 1, Relaxed);
            }
        },
    );
    // A small table is disturbed only if the reader is preempted in the middle of the copy.
    let (taken, tried) = taken[0];
    assert!(taken > tried / 2, "{taken} of {tried}");
    assert_eq!(filter.len(), lasting.len());
}

/// Nearly full filters, so that every insert relocates some tokens.
#[test]
fn misses_nothing_while_others_churn() {
    for buckets in [1 << 8, 1 << 12, 3 << 14] {
        let filter = CuckooFilter::builder().buckets(buckets).seed(6).build();
        let filter = filter.expect("a possible geometry");
        let lasting = (filter.slots() as f64 * 0.93) as u64;
        misses_nothing(&filter, lasting, 100.min(buckets as u64 / 64));
    }
    // More and larger batches in less crowded filters.
    misses_nothing(&CuckooFilter::with_capacity(20_000), 10_000, 5_000);
    misses_nothing(&RotatingCuckooFilter::with_capacity(20_000), 10_000, 5_000);
    // A growing filter that may not grow.
    let filter = GrowingCuckooFilter::builder().buckets(1 << 12).seed(6);
    let filter = filter.max_false_positive_rate(0.000_2).build();
    let filter = filter.expect("one table");
    let lasting = (filter.slots() as f64 * 0.93) as u64;
    misses_nothing(&filter, lasting, 64);
    assert_eq!(filter.slots(), 4 << 12);
}

/// During all ten doublings, and after them.
#[test]
fn misses_nothing_while_others_make_it_grow() {
    for (capacity, lasting) in [(1, 100), (1, 5_000), (100, 5_000), (2_000, 5_000)] {
        let filter = GrowingCuckooFilter::with_capacity(capacity);
        misses_nothing(&filter, lasting, 4_000);
        assert!(filter.slots() >= 4_000, "{filter:?}");
    }
}

/// One token that hops between its buckets as fast as possible.
#[test]
fn holds_one_token_that_hops_all_the_time() {
    for in_chunks in [false, true] {
        let seesaw = Seesaw::new(DEFAULT, None);
        let (filter, rider) = (&*seesaw.filter, seesaw.rider()[0]);
        filter.insert_hash(rider).expect("room");
        let copy = || {
            if !in_chunks {
                return filter.snapshot();
            }
            let bytes = stored(filter, 64)?;
            let copy = CuckooFilter::from_bytes_with_hasher(&bytes, AsGiven);
            Ok(copy.expect("what comes to its end can be read").into())
        };
        let (taken, hops) = Crew::run(
            1,
            |_, _| {
                let mut taken = [0; 2];
                for _ in 0..if in_chunks { 40_000 } else { 20_000 } {
                    let copy = copy();
                    taken[usize::from(copy.is_ok())] += 1;
                    match copy {
                        Ok(copy) => assert_eq!(copy.count_hash(rider), 1, "the hopping token"),
                        Err(error) if !in_chunks => assert_eq!(error, SnapshotError::Disturbed),
                        Err(error) => assert_eq!(error, SnapshotError::Changed),
                    }
                    hint::spin_loop();
                }
                taken
            },
            1,
            |crew, _| seesaw.push_beside(crew),
        );
        let [void, whole] = taken[0];
        assert!(whole > 0 && hops[0] > 0, "{taken:?} {hops:?}");
        assert!(void > 0 || !in_chunks, "{taken:?} {hops:?}");
    }
}

#[test]
fn is_busy_for_a_second_one_only() {
    fn check<E: Buildable>() {
        let filter = Filter::<E>::with_capacity(100_000);
        let outcomes = Crew::workers(2, |_, _| {
            let outcomes: Vec<_> = (0..200)
                .map(|_| filter.snapshot().map(|copy| copy.len()))
                .collect();
            assert!(
                outcomes
                    .iter()
                    .all(|o| matches!(o, Ok(0) | Err(SnapshotError::Busy)))
            );
            outcomes.iter().filter(|outcome| outcome.is_ok()).count()
        });
        assert!(outcomes.iter().sum::<usize>() > 0, "{outcomes:?}");
        assert!(
            filter.snapshot().is_ok(),
            "the right to scan was given back"
        );
    }
    of_each_engine!(check);
}
