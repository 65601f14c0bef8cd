//! What is made of a filter that rotates goes on as it would have.

use crew::Crew;
use lockfree_cuckoo::{ReadError, RotatingCuckooFilter};
use model::hashers::AsGiven;
use model::stored;

use super::{as_given, distinct, geometry};

/// Several periods, with items that are only in one of them.
fn aged(generations: usize, rotations: usize) -> (RotatingCuckooFilter<AsGiven>, Vec<u64>) {
    let filter = as_given(200, generations);
    let items = distinct(geometry(&filter), 100 * (rotations + 1), 1);
    for (period, items) in items.chunks(100).enumerate() {
        if period > 0 {
            filter.rotate().expect("alone");
        }
        filter.insert_many_hash(items).expect("room");
    }
    (filter, items)
}

#[test]
fn every_copy_ages_like_the_original() {
    for generations in 2..=5 {
        for rotations in [0, 1, 4, 13] {
            let (mut filter, items) = aged(generations, rotations);
            let bytes = filter.to_bytes();
            let copies = [
                filter.try_clone().expect("memory"),
                filter.snapshot().expect("memory"),
                RotatingCuckooFilter::from_bytes_with_hasher(&bytes, AsGiven).expect("valid"),
            ];
            for copy in copies {
                assert_eq!(copy.rotations(), rotations as u64);
                assert_eq!(copy.generations(), generations);
                assert_eq!(
                    copy.memory_usage(),
                    filter.fresh().expect("memory").memory_usage()
                );
                for rotation in 0..=generations {
                    let found: Vec<bool> =
                        items.iter().map(|&item| copy.contains_hash(item)).collect();
                    // Each period that is over makes room for one without items.
                    let generations_left = generations - rotation;
                    let kept = 100 * generations_left.min(rotations + 1);
                    assert_eq!(found.iter().filter(|&&found| found).count(), kept);
                    assert_eq!(copy.len(), kept);
                    copy.rotate().expect("alone");
                }
            }
        }
    }
}

#[test]
fn an_empty_filter_like_it_begins_anew() {
    let (filter, items) = aged(3, 7);
    let fresh = filter.fresh().expect("memory");
    assert_eq!((fresh.rotations(), fresh.generations()), (0, 3));
    assert!(fresh.is_empty() && !filter.is_empty());
    fresh.insert_many_hash(&items[..100]).expect("room");
    fresh.rotate().expect("alone");
    assert_eq!(fresh.len(), 100);
}

/// A snapshot holds what is in from its beginning to its end, whatever rotates.
#[test]
fn a_snapshot_misses_nothing_while_others_rotate() {
    let filter = as_given(2_000, 3);
    let items = distinct(geometry(&filter), 500, 9);
    let rounds = 200;
    filter.insert_many_hash(&items).expect("room");
    let (_, taken) = Crew::run(
        1,
        |_, _| {
            for _ in 0..rounds {
                // The items are refreshed: they are in all the while.
                for &item in &items {
                    filter.insert_hash(item).expect("room");
                    assert!(filter.remove_hash(item), "it is in");
                }
                filter.rotate().expect("nobody is in the way");
            }
        },
        1,
        |crew, _| {
            let mut taken = 0;
            loop {
                let at_work = crew.at_work();
                // As many rotations as that are possible.
                if let Ok(copy) = filter.snapshot() {
                    let missed = items.iter().filter(|&&item| !copy.contains_hash(item));
                    assert_eq!(missed.count(), 0, "an item is missing from a snapshot");
                    taken += 1;
                }
                // The last one has the filter alone.
                if !at_work {
                    return taken;
                }
            }
        },
    );
    assert!(taken[0] > 0, "no snapshot was taken");
}

/// What is stored, with another number at an offset, and checksums that match again.
fn read_with(
    bytes: &[u8],
    changes: &[(usize, u64)],
) -> Result<RotatingCuckooFilter<AsGiven>, ReadError> {
    let mut changed = bytes.to_vec();
    for &(at, number) in changes {
        changed[at..at + 8].copy_from_slice(&number.to_le_bytes());
    }
    stored::repair(&mut changed);
    RotatingCuckooFilter::from_bytes_with_hasher(&changed, AsGiven)
}

#[test]
fn each_generation_has_as_many_items_as_it_says() {
    let (mut filter, _) = aged(3, 4);
    let bytes = filter.to_bytes();
    let items = [0, 1, 2].map(|generation| stored::items(generation).at);
    let as_it_was = items.map(|at| (at, 100));
    assert_eq!(read_with(&bytes, &as_it_was).expect("true").len(), 300);
    for at in items {
        for lie in [0, 99, 101, 1 << 32 | 100, u64::MAX] {
            let error = read_with(&bytes, &[(at, lie)]).expect_err("a lie");
            assert!(matches!(error, ReadError::Malformed { .. }), "{error}");
        }
    }
    // The sum is true.
    for lies in [[99, 101, 100], [100, 99, 101], [300, 0, 0]] {
        let lies: Vec<(usize, u64)> = items.into_iter().zip(lies).collect();
        let error = read_with(&bytes, &lies).expect_err("lies");
        assert!(matches!(error, ReadError::Malformed { .. }), "{error}");
    }
}

/// The count begins again, and nothing else does.
#[test]
fn a_filter_rotates_on_after_the_last_number_of_rotations() {
    let last = (1 << 43) - 1;
    let (mut filter, items) = aged(3, 2);
    let filter = read_with(&filter.to_bytes(), &[(stored::ROTATIONS.at, last)]).expect("in range");
    assert_eq!(filter.rotations(), last);
    assert_eq!(filter.rotate_if(0), Ok(false));
    for (rotations, kept) in [(0, 200), (1, 100), (2, 0)] {
        assert_eq!(filter.rotate_if(filter.rotations()), Ok(true));
        assert_eq!(filter.rotations(), rotations);
        let found = items.iter().filter(|&&item| filter.contains_hash(item));
        assert_eq!((found.count(), filter.len()), (kept, kept));
        let copy = filter.snapshot().expect("memory");
        assert_eq!((copy.rotations(), copy.len()), (rotations, kept));
    }
}
