//! What is made of a filter that rotates goes on as it would have.

use crew::Crew;
use lockfree_cuckoo::{CuckooFilter, ReadError, RotatingCuckooFilter};
use model::hashers::AsGiven;

use crate::{as_given, distinct, geometry};

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

#[test]
fn a_filter_that_was_cleared_goes_on() {
    let (mut filter, items) = aged(2, 5);
    filter.clear();
    assert!(filter.is_empty());
    assert_eq!(filter.rotations(), 5);
    filter.insert_many_hash(&items[..100]).expect("room");
    filter.rotate().expect("alone");
    assert_eq!(filter.len(), 100);
    filter.rotate().expect("alone");
    assert!(filter.is_empty());
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
            while crew.at_work() {
                // As many rotations as that are possible.
                let Ok(copy) = filter.snapshot() else {
                    continue;
                };
                let missed = items.iter().filter(|&&item| !copy.contains_hash(item));
                assert_eq!(missed.count(), 0, "an item is missing from a snapshot");
                taken += 1;
            }
            taken
        },
    );
    assert!(taken[0] > 0, "no snapshot was taken");
}

#[test]
fn other_kinds_of_filters_are_told_apart() {
    let mut rotating = RotatingCuckooFilter::with_capacity(100);
    let error = CuckooFilter::from_bytes(&rotating.to_bytes()).expect_err("it rotates");
    assert!(matches!(error, ReadError::OtherKind { rotates: true, .. }));
    assert!(
        error.to_string().contains("RotatingCuckooFilter"),
        "{error}"
    );
    let mut fixed = CuckooFilter::with_capacity(100);
    let error = RotatingCuckooFilter::from_bytes(&fixed.to_bytes()).expect_err("fixed");
    let text = error.to_string();
    assert!(matches!(
        error,
        ReadError::OtherKind {
            rotates: false,
            grows: false,
            ..
        }
    ));
    assert!(text.contains("read it as a CuckooFilter"), "{text}");
}

#[test]
fn damaged_bytes_are_an_error() {
    let (mut filter, _) = aged(3, 4);
    let bytes = filter.to_bytes();
    let read = |bytes: &[u8]| RotatingCuckooFilter::from_bytes_with_hasher(bytes, AsGiven);
    for length in 0..bytes.len() {
        let error = read(&bytes[..length]).expect_err("cut");
        assert!(
            matches!(error, ReadError::Truncated { .. }),
            "{length}: {error}"
        );
    }
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        assert!(read(&damaged).is_err(), "byte {at}");
    }
    let mut longer = bytes;
    longer.push(0);
    let error = read(&longer).expect_err("too long");
    assert!(matches!(error, ReadError::TrailingBytes { .. }), "{error}");
}
