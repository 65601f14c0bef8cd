//! Snapshots of filters that grow, while other threads are writing to them.
//!
//! The promise: an item that is in from before the call until after it is in the copy, in whatever segment.

use crew::Crew;
use lockfree_cuckoo::testing::AddSegment;
use lockfree_cuckoo::{Filter, Growing, GrowingCuckooFilter, Grows, SnapshotError};
use model::mix;

/// A filter that grows by segments.
type Chain<S = lockfree_cuckoo::RandomState> = Filter<Growing, S>;

/// Hashes of items that no other generator gives.
fn items(kind: u64, count: u64) -> impl Iterator<Item = u64> {
    (0..count).map(move |n| mix(kind << 40 | n))
}

fn filter(capacity: usize) -> Chain {
    let builder = Chain::builder().capacity(capacity).seed(6);
    builder.build().expect("memory")
}

#[test]
fn equals_a_filter_at_rest() {
    for (capacity, count) in [(0, 0), (0, 100), (45, 1_000), (1_000, 10_000)] {
        let builder = Chain::builder().capacity(capacity);
        let mut filter = builder.growth_factor(4).seed(5).build().expect("memory");
        let stored: Vec<u64> = items(1, count).collect();
        filter.insert_many_hash(&stored).expect("no limits");
        let mut copy = filter.snapshot().expect("nobody writes");
        assert!(copy.to_bytes() == filter.to_bytes());
        assert_eq!(copy.len(), stored.len());
        for hash in stored.iter().copied().chain(items(2, 10_000)) {
            assert_eq!(copy.count_hash(hash), filter.count_hash(hash));
        }
        // They are two from here on, and the copy can be emptied.
        assert_eq!(copy.remove_many_hash(&stored), stored.len());
        assert_eq!(filter.len(), stored.len());
        copy.shrink_to_fit();
        assert!(copy.segments() <= 2, "{}", copy.segments());
    }
}

#[test]
fn keeps_the_limits_and_the_target() {
    let builder = Chain::builder().capacity(100);
    let builder = builder.max_false_positive_rate(0.0007).growth_factor(4);
    let filter = builder.build().expect("possible");
    for item in 0..1_000 {
        filter.insert(&item).expect("room");
    }
    assert!(filter.add_segment(32));
    let copy = filter.snapshot().expect("nobody writes");
    let fill = |filter: &Chain| (0..).find_map(|n: u64| filter.insert(&n).err());
    assert_eq!(fill(&copy), fill(&filter));
    assert_eq!(copy.slots(), filter.slots());
}

/// Two threads replace items all the time, a thousand at a time, so that the filter grows and sheds segments.
#[test]
fn misses_nothing_while_others_churn_and_it_grows() {
    for capacity in [100, 2_000] {
        misses_nothing_while_others_churn(&filter(capacity));
    }
    // Through all ten doublings, and behind them.
    for capacity in [1, 100, 2_000] {
        misses_nothing_while_others_churn(&GrowingCuckooFilter::with_capacity(capacity));
    }
}

fn misses_nothing_while_others_churn<E: Grows>(filter: &Filter<E>) {
    const SNAPSHOTS: usize = 40;
    const BATCH: u64 = 1_000;
    // In several segments.
    let lasting: Vec<u64> = items(1, 5_000).collect();
    filter.insert_many_hash(&lasting).expect("no limits");
    let (taken, _) = Crew::run(
        1,
        |_, _| {
            let mut taken = 0;
            for _ in 0..SNAPSHOTS {
                match filter.snapshot() {
                    Ok(copy) => {
                        taken += 1;
                        let missed = lasting.iter().filter(|&&hash| !copy.contains_hash(hash));
                        assert_eq!(missed.count(), 0);
                        assert_eq!(copy.remove_many_hash(&lasting), lasting.len());
                    }
                    Err(error) => assert_eq!(error, SnapshotError::Disturbed),
                }
            }
            taken
        },
        2,
        |crew, number| {
            let mut round = 0;
            while crew.at_work() {
                let from = ((number as u64 + 2) << 40) + round * BATCH;
                let batch: Vec<u64> = (from..from + BATCH).map(mix).collect();
                filter.insert_many_hash(&batch).expect("no limits");
                assert_eq!(filter.remove_many_hash(&batch), batch.len());
                filter.shrink_to_fit();
                round += 1;
            }
        },
    );
    assert!(taken[0] > SNAPSHOTS / 2, "{} of {SNAPSHOTS}", taken[0]);
    assert_eq!(filter.len(), lasting.len());
}

/// A nearly full segment that cannot get another one, in which two threads replace items all the time, so that every
/// insert relocates some.
#[test]
fn misses_nothing_while_items_hop() {
    const SNAPSHOTS: usize = 60;
    let builder = Chain::builder().capacity(40_000).seed(6);
    let filter = builder.max_false_positive_rate(0.000_2).build();
    let filter = filter.expect("one segment");
    let lasting: Vec<u64> = items(1, (filter.slots() as f64 * 0.93) as u64).collect();
    filter.insert_many_hash(&lasting).expect("room");
    let (taken, _) = Crew::run(
        1,
        |_, _| {
            let mut taken = 0;
            for _ in 0..SNAPSHOTS {
                if let Ok(copy) = filter.snapshot() {
                    taken += 1;
                    let missed = lasting.iter().filter(|&&hash| !copy.contains_hash(hash));
                    assert_eq!(missed.count(), 0);
                }
            }
            taken
        },
        2,
        |crew, number| {
            for round in 0.. {
                let batch: Vec<u64> = items(2 + number as u64 + 2 * round, 100).collect();
                let inserted = match filter.insert_many_hash(&batch) {
                    Ok(()) => batch.len(),
                    Err(stopped) => stopped.inserted(),
                };
                assert_eq!(filter.remove_many_hash(&batch[..inserted]), inserted);
                if !crew.at_work() {
                    break;
                }
            }
        },
    );
    assert!(taken[0] > SNAPSHOTS / 2, "{} of {SNAPSHOTS}", taken[0]);
    assert_eq!((filter.len(), filter.segments()), (lasting.len(), 1));
}

/// The items pass from a fine segment to a coarse one, which takes the inserts, while the fine one is read: another
/// copy goes in there, and the one that goes out is the first that a walk from the finest segment on meets.
fn misses_none_that_pass(ahead: bool) {
    const FINE: usize = 1 << 14;
    const COARSE: usize = 1 << 12;
    for round in 0..60 {
        // Of one range, as the others.
        let filter = filter(200);
        assert!(filter.add_segment(FINE));
        let lasting: Vec<u64> = items(round, 3_000).collect();
        filter.insert_many_hash(&lasting).expect("room");
        if ahead {
            assert!(filter.add_segment(COARSE));
        }
        Crew::run(
            1,
            |_, _| match filter.snapshot() {
                Ok(copy) => {
                    let missed = lasting.iter().filter(|&&hash| !copy.contains_hash(hash));
                    assert_eq!(missed.count(), 0, "in round {round}");
                }
                Err(error) => assert_eq!(error, SnapshotError::Disturbed),
            },
            1,
            |_, _| {
                if !ahead {
                    assert!(filter.add_segment(COARSE));
                }
                for &hash in &lasting {
                    filter.insert_hash(hash).expect("room");
                    assert!(filter.remove_hash(hash));
                }
            },
        );
        assert_eq!(filter.len(), lasting.len());
    }
}

#[test]
fn misses_none_that_pass_to_a_coarser_segment() {
    misses_none_that_pass(true);
}

#[test]
fn misses_none_that_pass_to_a_new_segment() {
    misses_none_that_pass(false);
}

#[test]
fn is_busy_for_a_second_one_only() {
    is_busy_for_one_only(&filter(100_000));
    is_busy_for_one_only(&GrowingCuckooFilter::with_capacity(100_000));
}

fn is_busy_for_one_only<E: Grows>(filter: &Filter<E>) {
    let (outcomes, _) = Crew::run(
        2,
        |_, _| {
            let outcomes = (0..100).map(|_| filter.snapshot().map(|copy| copy.len()));
            let taken = outcomes.filter(|outcome| match outcome {
                Ok(len) => *len == 0,
                Err(error) => {
                    assert_eq!(*error, SnapshotError::Busy);
                    false
                }
            });
            taken.count()
        },
        0,
        |_, _| (),
    );
    assert!(outcomes.iter().sum::<usize>() > 0, "{outcomes:?}");
    assert!(filter.snapshot().is_ok(), "the right to scan is given back");
}
