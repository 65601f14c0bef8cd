//! How long an item is in, on one thread.

use lockfree_cuckoo::testing::Descriptors;
use lockfree_cuckoo::{InsertError, RotatingCuckooFilter};

use super::{as_given, distinct, geometry};

#[test]
fn an_item_is_in_for_as_many_rotations_as_there_are_generations() {
    for generations in 2..=15 {
        let filter = as_given(200, generations);
        assert_eq!(filter.generations(), generations);
        let items = distinct(geometry(&filter), 100, generations as u64);
        // Several times round, so that each table has each part.
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

/// A refreshed item: inserted again, and one copy removed. It lives as long as the new copy should.
#[test]
fn a_remove_takes_the_oldest_copy() {
    for generations in 2..=5 {
        let filter = as_given(100, generations);
        filter.insert_hash(7 << 32 | 1).expect("room");
        for _ in 0..20 {
            filter.rotate().expect("alone");
            filter.insert_hash(7 << 32 | 1).expect("room");
            assert!(filter.remove_hash(7 << 32 | 1), "it is in");
            let copies = filter.count_hash(7 << 32 | 1);
            assert_eq!(copies, 1, "the younger copy was taken");
        }
        for _ in 1..generations {
            filter.rotate().expect("alone");
            assert!(
                filter.contains_hash(7 << 32 | 1),
                "the younger copy was taken"
            );
        }
        filter.rotate().expect("alone");
        assert!(!filter.contains_hash(7 << 32 | 1));
    }
}

#[test]
fn a_refreshed_item_lives_from_the_last_time() {
    for generations in 2..=5 {
        let filter = as_given(100, generations);
        assert_eq!(filter.refresh_hash(7 << 32 | 1), Ok(true), "it is new");
        for _ in 0..3 * generations {
            filter.rotate().expect("alone");
            for _ in 0..2 {
                assert_eq!(filter.refresh_hash(7 << 32 | 1), Ok(false), "it is in");
            }
        }
        // One copy in each generation, however often.
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

    // Up to the one that is refused.
    let mut new = [true; 4_000];
    let stopped = filter
        .refresh_many_hash(&items, &mut new)
        .expect_err("full");
    let refused = stopped.inserted();
    assert!((1_000..4_000).contains(&refused), "{refused}");
    assert!(
        matches!(stopped.error(), InsertError::Full { .. }),
        "{stopped}"
    );
    let expected = |place| (800..refused).contains(&place);
    assert!(
        new.iter()
            .enumerate()
            .all(|(place, new)| *new == expected(place))
    );
    assert!(
        items[..refused]
            .iter()
            .all(|&item| filter.contains_hash(item))
    );
    assert!(!filter.contains_hash(items[refused]));
}

/// Items are hashed some at a time. What the last ones of them say is of the whole batch.
#[test]
fn a_batch_of_items_stops_where_one_of_hashes_does() {
    let (by_item, by_hash) = (as_given(1_000, 2), as_given(1_000, 2));
    // The hasher gives each item as its hash.
    let items = distinct(geometry(&by_item), 4_000, 9);
    let (mut new, mut expected) = ([true; 4_000], [true; 4_000]);
    let stopped = by_item.refresh_many(&items, &mut new).expect_err("full");
    let refused = by_hash.refresh_many_hash(&items, &mut expected);
    let refused = refused.expect_err("full").inserted();
    assert!((1_000..3_000).contains(&refused), "{refused}");
    assert_eq!(stopped.inserted(), refused);
    assert_eq!(new, expected);
    assert_eq!(by_item.len(), refused);
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

#[test]
fn a_full_young_generation_refuses_and_a_rotation_makes_room() {
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
            assert_eq!(filter.remaining(), filter.capacity());
            filter.insert_hash(item).expect("room again");
            young = 0;
        }
        young += 1;
        assert!(filter.contains_hash(item));
    }
    assert!(filter.rotations() > 10);
}

#[test]
fn measures_are_of_the_generations() {
    let filter = as_given(1_000, 4);
    let items = distinct(geometry(&filter), 4_000, 5);
    let one_full = {
        filter.insert_many_hash(&items[..1_000]).expect("room");
        filter.false_positive_rate()
    };
    for items in items[1_000..].chunks(1_000) {
        filter.rotate().expect("alone");
        filter.insert_many_hash(items).expect("room");
    }
    assert_eq!((filter.len(), filter.capacity()), (4_000, 1_000));
    assert!((filter.load_factor() - 4_000.0 / filter.slots() as f64).abs() < 1e-9);
    let rate = filter.false_positive_rate() / one_full;
    assert!((3.99..4.01).contains(&rate), "{rate}");
    assert!(format!("{filter:?}").starts_with("RotatingCuckooFilter"));
}

#[test]
fn impossible_numbers_of_generations_are_errors() {
    for (generations, nearest) in [(0, 2), (1, 2), (16, 15), (usize::MAX, 15)] {
        let builder = RotatingCuckooFilter::builder().generations(generations);
        let error = builder.build().expect_err("impossible");
        assert_eq!(error.requested(), generations);
        assert_eq!(error.possible(), Some(nearest));
        let text = format!("{generations} generations are not possible: use {nearest}");
        assert!(error.to_string().contains(&text), "{error}");
    }
}

/// One descriptor is enough for one thread, however much is to be emptied.
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
