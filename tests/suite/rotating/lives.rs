//! Lives: how long an item stays, on one thread, and its stored form.

use lockfree_cuckoo::testing::Descriptors;
use lockfree_cuckoo::{BuildError, InsertError, ReadError, RotatingCuckooFilter};
use model::hashers::AsGiven;
use model::stored;

use super::{as_given, distinct, geometry};

/// An item is in for as many rotations as there are generations.
#[test]
fn item_lives_n_rotations() {
    for generations in 2..=15 {
        let filter = as_given(200, generations);
        assert_eq!(filter.generations(), generations);
        let items = distinct(geometry(&filter), 100, generations as u64);
        // Several times round, so that each table has each role.
        for _ in 0..3 * generations {
            filter.insert_many_hash(&items).expect("room");
            for rotation in 1..=generations {
                filter.rotate().expect("alone");
                let found = items.iter().filter(|&&item| filter.contains_hash(item));
                let expected = if rotation < generations { 100 } else { 0 };
                assert_eq!(found.count(), expected, "after {rotation} rotations");
            }
            assert!(filter.is_empty(), "what is forgotten is not counted");
        }
    }
}

/// Refreshing an item: it is inserted again, and one copy is removed. It lives as long as the new
/// copy. (A word with the fingerprint 1 can look like a reference, so that calls look twice.)
#[test]
fn a_remove_takes_the_oldest_copy() {
    for (generations, fingerprint) in (2..=5).flat_map(|n| [(n, 1), (n, 2)]) {
        let filter = as_given(100, generations);
        let item = 7 << 32 | fingerprint;
        filter.insert_hash(item).expect("room");
        for _ in 0..20 {
            filter.rotate().expect("alone");
            filter.insert_hash(item).expect("room");
            assert!(filter.remove_hash(item), "it is in");
            let copies = filter.count_hash(item);
            assert_eq!(copies, 1, "the younger copy was taken");
        }
        for _ in 1..generations {
            filter.rotate().expect("alone");
            assert!(filter.contains_hash(item), "the younger copy was taken");
        }
        filter.rotate().expect("alone");
        assert!(!filter.contains_hash(item));
    }
}

/// A refreshed item lives from the last time.
#[test]
fn refreshed_item_lives_on() {
    for generations in 2..=5 {
        let filter = as_given(100, generations);
        assert_eq!(filter.refresh_hash(7 << 32 | 1), Ok(true), "it is new");
        for _ in 0..3 * generations {
            filter.rotate().expect("alone");
            for _ in 0..2 {
                assert_eq!(filter.refresh_hash(7 << 32 | 1), Ok(false), "it is in");
            }
        }
        // One copy in each generation, however often it is inserted.
        assert_eq!(filter.count_hash(7 << 32 | 1), generations);
        for _ in 1..generations {
            filter.rotate().expect("alone");
            assert!(filter.contains_hash(7 << 32 | 1), "its life began anew");
        }
        filter.rotate().expect("alone");
        assert!(!filter.contains_hash(7 << 32 | 1), "it lives on");
        assert_eq!(
            filter.refresh_hash(7 << 32 | 1),
            Ok(true),
            "it is new again"
        );
    }
}

/// The age of an item is the number of rotations since it came. The youngest of several copies
/// counts.
#[test]
fn age_in_rotations() {
    const ITEM: u64 = 7 << 32 | 1;
    for generations in [2, 3, 15] {
        let filter = as_given(100, generations);
        // Several times round, so that each table has each role.
        for _ in 0..3 * generations {
            assert_eq!(filter.age_hash(ITEM), None, "it is forgotten");
            filter.insert_hash(ITEM).expect("room");
            for age in 0..generations {
                assert_eq!(filter.age_hash(ITEM), Some(age));
                filter.rotate().expect("alone");
            }
        }
        filter.insert_hash(ITEM).expect("room");
        filter.rotate().expect("alone");
        assert_eq!(filter.refresh_hash(ITEM), Ok(false));
        assert_eq!(
            (filter.age_hash(ITEM), filter.count_hash(ITEM)),
            (Some(0), 2)
        );
        assert!(filter.remove_hash(ITEM));
        assert_eq!(filter.age_hash(ITEM), Some(0), "the older copy was removed");
    }
}

/// Another call empties the spare, or the next rotation does.
#[test]
fn a_turn_forgets_as_a_rotation_does() {
    for cleans in [true, false] {
        let filter = as_given(1_000, 2);
        let items = distinct(geometry(&filter), 10_000, 4);
        for (turn, items) in items.chunks(1_000).enumerate() {
            filter.insert_many_hash(items).expect("room");
            assert_eq!(filter.turn_if(turn as u64 + 1), Ok(false), "another one");
            assert_eq!(filter.turn_if(turn as u64), Ok(true));
            if cleans {
                assert_eq!(filter.clean_spare(), Ok(()));
            }
            assert!(items.iter().all(|&item| filter.contains_hash(item)));
            assert_eq!(
                filter.len(),
                1_000,
                "the items of the last turn are forgotten"
            );
        }
    }
}

#[test]
fn a_batch_is_refreshed_item_by_item() {
    let filter = as_given(1_000, 2);
    let items = distinct(geometry(&filter), 4_000, 8);
    let (old, rest) = items.split_at(400);
    filter.insert_many_hash(old).expect("room");
    filter.rotate().expect("alone");
    let mut new = [true; 800];
    // Old and new ones in turn, and each twice.
    let pairs = old.iter().zip(rest);
    let batch: Vec<u64> = pairs.clone().flat_map(|(old, new)| [*old, *new]).collect();
    filter.refresh_many_hash(&batch, &mut new).expect("room");
    assert!(
        new.iter()
            .enumerate()
            .all(|(place, new)| *new == (place % 2 == 1))
    );
    filter.refresh_many_hash(&batch, &mut new).expect("room");
    assert_eq!(new, [false; 800]);
    filter.rotate().expect("alone");
    assert!(
        batch.iter().all(|&item| filter.contains_hash(item)),
        "all were refreshed"
    );
}

/// For hashes, and for items, which are hashed in groups: the answer for the last group must cover
/// the whole batch.
#[test]
fn a_batch_stops_where_one_is_refused() {
    // The hasher returns each item as its hash.
    let [by_item, by_hash] = [(); 2].map(|()| as_given(1_000, 2));
    let items = distinct(geometry(&by_item), 4_000, 9);
    for filter in [&by_item, &by_hash] {
        filter.insert_many_hash(&items[..800]).expect("room");
    }
    let (mut new, mut others) = ([true; 4_000], [true; 4_000]);
    let stopped = by_hash.refresh_many_hash(&items, &mut new);
    let stopped = stopped.expect_err("full");
    let other = by_item.refresh_many(&items, &mut others);
    assert_eq!((other.expect_err("full"), others), (stopped.clone(), new));
    let is_full = matches!(stopped.error(), InsertError::Full { .. });
    assert!(is_full, "{stopped}");
    let refused = stopped.inserted();
    assert!((1_000..3_000).contains(&refused), "{refused}");
    let expected = |place| (800..refused).contains(&place);
    assert!((0..4_000).all(|place| new[place] == expected(place)));
    let inserted = &items[..refused];
    assert!(inserted.iter().all(|&item| by_hash.contains_hash(item)));
    assert!(!by_hash.contains_hash(items[refused]));
    assert_eq!([by_item.len(), by_hash.len()], [refused; 2]);
}

#[test]
fn a_refused_refresh_leaves_the_older_copy() {
    let filter = as_given(100, 2);
    filter.insert_hash(7 << 32 | 1).expect("room");
    filter.rotate().expect("alone");
    for item in distinct(geometry(&filter), 1_000, 5) {
        let _ = filter.insert_hash(item);
    }
    let refused = filter.refresh_hash(7 << 32 | 1);
    assert!(
        matches!(refused, Err(InsertError::Full { .. })),
        "{refused:?}"
    );
    assert_eq!(filter.count_hash(7 << 32 | 1), 1);
}

/// A full young generation refuses, and a rotation makes room.
#[test]
fn rotation_makes_room() {
    let filter = as_given(1_000, 2);
    let items = distinct(geometry(&filter), 20_000, 3);
    let mut young = 0;
    for item in items {
        let rotations = filter.rotations();
        if let Err(error) = filter.insert_hash(item) {
            let InsertError::Full { len, slots } = error else {
                panic!("{error}");
            };
            assert_eq!((len, slots), (young, filter.slots() / 2));
            assert!(filter.is_full() && young >= filter.capacity());
            assert!(filter.rotate_if(rotations).expect("alone"));
            assert!(!filter.rotate_if(rotations).expect("alone"));
            assert!(!filter.is_full());
            filter.insert_hash(item).expect("room again");
            young = 0;
        }
        young += 1;
        assert!(filter.contains_hash(item));
    }
    assert!(filter.rotations() > 10);
}

/// Impossible numbers of generations are errors.
#[test]
fn impossible_generations() {
    for (generations, nearest) in [(0, 2), (1, 2), (16, 15), (usize::MAX, 15)] {
        let builder = RotatingCuckooFilter::builder().generations(generations);
        let error = builder.build().expect_err("impossible");
        let requested = generations;
        assert_eq!(error, BuildError::Generations { requested, nearest });
        let text = format!("a number of {generations} generations is not possible: use {nearest}");
        assert!(error.to_string().contains(&text), "{error}");
    }
}

/// One descriptor is enough for one thread, however many words must be emptied.
#[test]
fn one_descriptor_is_enough() {
    let builder = RotatingCuckooFilter::builder().capacity(1_000);
    let filter = builder.descriptors(1).build().expect("memory");
    for round in 0..10u64 {
        for item in 0..1_000 {
            filter.insert(&(round, item)).expect("room");
        }
        filter.rotate().expect("alone");
    }
    assert_eq!(filter.len(), 1_000);
}

/// Returns a filter after several periods, with the items of each period.
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

/// Reads stored bytes with another number at an offset and repaired checksums.
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

/// Each generation has as many items as it says.
#[test]
fn items_of_each_generation() {
    let (filter, _) = aged(3, 4);
    let bytes = filter.to_bytes().expect("quiet");
    let items = [0, 1, 2].map(|generation| stored::items(generation).at);
    let as_it_was = items.map(|at| (at, 100));
    assert_eq!(read_with(&bytes, &as_it_was).expect("true").len(), 300);
    for at in items {
        for lie in [0, 99, 101, 1 << 32 | 100, u64::MAX] {
            let error = read_with(&bytes, &[(at, lie)]).expect_err("a lie");
            assert!(matches!(error, ReadError::Malformed { .. }), "{error}");
        }
    }
    // The sum is right.
    for lies in [[99, 101, 100], [100, 99, 101], [300, 0, 0]] {
        let lies: Vec<(usize, u64)> = items.into_iter().zip(lies).collect();
        let error = read_with(&bytes, &lies).expect_err("lies");
        assert!(matches!(error, ReadError::Malformed { .. }), "{error}");
    }
}

/// A filter rotates on after the last number of rotations. The number of rotations wraps, and
/// nothing else changes.
#[test]
fn rotations_wrap() {
    let last = (1 << 43) - 1;
    let (filter, items) = aged(3, 2);
    let filter = read_with(
        &filter.to_bytes().expect("quiet"),
        &[(stored::ROTATIONS.at, last)],
    )
    .expect("in range");
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
