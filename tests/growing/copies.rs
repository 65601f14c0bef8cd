//! Copies: more of one item than its buckets hold are no reason to grow.

use crew::Crew;
use lockfree_cuckoo::InsertError;
use model::mix;

use crate::{as_given, distinct, geometry};

use super::Chain;

const TOO_MANY: &str = "8 copies of the item are stored, and there is no room for another copy";

fn refuses_a_ninth<S>(filter: &Chain<S>, item: u64) {
    let segments = filter.segments();
    for _ in 0..100 {
        let error = filter.insert_hash(item).expect_err("eight are in");
        assert!(
            matches!(error, InsertError::TooManyCopies { copies: 8, .. }),
            "{error}"
        );
        assert_eq!(error.to_string(), TOO_MANY);
    }
    assert_eq!(filter.segments(), segments, "copies made it grow");
}

#[test]
fn a_ninth_copy_is_refused_and_nothing_grows() {
    for capacity in [8, 100, 1_000] {
        let filter = as_given(capacity);
        let item = mix(1);
        for copies in 1..=8 {
            filter.insert_hash(item).expect("a copy");
            assert_eq!(filter.count_hash(item), copies);
        }
        refuses_a_ninth(&filter, item);
        assert_eq!(filter.segments(), 1, "copies made it grow");
        assert_eq!(filter.len(), 8);
        assert_eq!(filter.insert_unique_hash(item), Ok(false));
    }
}

#[test]
fn a_ninth_copy_is_refused_after_growth_too() {
    let filter = as_given(8);
    for item in distinct(geometry(&filter), 1_000, 0) {
        filter.insert_hash(item).expect("memory");
    }
    assert!(filter.segments() > 5);
    let item = mix(u64::MAX);
    // Those in older segments do not count: the one that takes inserts has room for eight.
    let before = filter.count_hash(item);
    for _ in 0..8 {
        filter.insert_hash(item).expect("a copy");
    }
    refuses_a_ninth(&filter, item);
    assert_eq!(filter.count_hash(item), before + 8);
    for _ in 0..8 {
        assert!(filter.remove_hash(item), "a copy");
    }
    filter.insert_hash(item).expect("there is room again");
}

/// Copies of all segments count, the old ones too.
#[test]
fn copies_in_all_segments_are_counted() {
    let filter = as_given(8);
    let items = distinct(geometry(&filter), 2_001, 3);
    let (item, others) = (items[0], &items[1..]);
    let mut copies = 0;
    for (turn, &other) in others.iter().enumerate() {
        if turn % 200 == 0 {
            filter.insert_hash(item).expect("memory");
            copies += 1;
        }
        filter.insert_hash(other).expect("memory");
        assert_eq!(filter.count_hash(item), copies, "copies in all segments");
    }
    for left in (0..copies).rev() {
        assert!(filter.remove_hash(item), "a stored copy");
        assert_eq!(filter.count_hash(item), left, "copies in all segments");
    }
    assert!(!filter.remove_hash(item));
}

/// Each segment takes eight copies of a key. One that is an eighth full of them is large enough.
#[test]
fn few_keys_with_many_copies_never_make_it_grow_without_end() {
    for keys in [1, 2, 3, 10, 50] {
        let filter = as_given(8);
        let keys = distinct(geometry(&filter), keys, 5);
        let mut stored = 0;
        for turn in 0..20_000 {
            stored += usize::from(filter.insert_hash(keys[turn % keys.len()]).is_ok());
        }
        // In slots: no segment that is not an eighth full of copies is followed by another.
        let largest = (8 * keys.len() * 8).max(8).next_power_of_two();
        let most = (2 * largest / 8).ilog2() as usize + 1;
        assert!(filter.segments() <= most, "{} keys: {filter:?}", keys.len());
        assert_eq!(filter.len(), stored);
        for &key in &keys {
            assert!(filter.contains_hash(key), "a refused copy took one with it");
        }
        let removed: usize = keys
            .iter()
            .map(|&key| (0..).take_while(|_| filter.remove_hash(key)).count())
            .sum();
        assert_eq!(removed, stored, "each copy once");
    }
}

#[test]
fn threads_that_hammer_one_key_never_make_it_grow() {
    const TURNS: u64 = 30_000;
    let filter = as_given(8);
    let item = mix(9);
    let stored = Crew::workers(4, |_, _| {
        let mut stored = 0i64;
        for turn in 0..TURNS {
            if turn % 3 < 2 {
                match filter.insert_hash(item) {
                    Ok(()) => stored += 1,
                    Err(error) => assert_eq!(error.to_string(), TOO_MANY),
                }
            } else {
                stored -= i64::from(filter.remove_hash(item));
            }
        }
        stored
    });
    assert_eq!(filter.segments(), 1, "copies made it grow");
    assert_eq!(filter.len() as i64, stored.into_iter().sum::<i64>());
    assert_eq!(filter.count_hash(item), filter.len());
}
