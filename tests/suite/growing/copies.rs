//! Copies: more copies of one item than its buckets hold do not make a filter grow.

use crew::Crew;
use lockfree_cuckoo::InsertError;
use model::mix;

use super::{ALL, Growing, assert_all_in, distinct, filter, insert_all, narrow, remove_all};
use crate::door::random;

const TOO_MANY: &str = "8 copies of the item are stored, and there is no room for another copy";

/// Inserts copies until one is refused. Returns the number inserted.
fn fill_with(filter: &Growing, item: u64) -> usize {
    let stored = (0..).take_while(|_| filter.insert_hash(item).is_ok());
    let stored = stored.count();
    let slots = filter.slots();
    for _ in 0..100 {
        let error = filter.insert_hash(item).expect_err("eight are in");
        let is_told = matches!(error, InsertError::TooManyCopies { copies: 8, .. });
        assert!(is_told && error.to_string() == TOO_MANY, "{error}");
    }
    assert_eq!(filter.slots(), slots, "copies made it grow");
    assert_eq!(filter.insert_unique_hash(item), Ok(false));
    stored
}

/// A ninth copy is refused, and nothing grows.
#[test]
fn ninth_copy_is_refused() {
    // The last has two tables.
    for others in [0, 5, 500, 5_000, 15_000] {
        let filter = filter(1);
        insert_all(&filter, random(1).take(others));
        let (slots, item) = (filter.slots(), narrow(1, ALL));
        let before = filter.count_hash(item);
        let stored = fill_with(&filter, item);
        // Other items share the two buckets until the index bits distinguish them.
        assert!(filter.slots() <= 4 * slots, "copies made it grow");
        assert!((1..=16).contains(&stored), "{stored}");
        assert_eq!(filter.count_hash(item), before + stored);
        assert_eq!(filter.len(), others + stored);
        if others == 0 {
            assert_eq!((stored, filter.slots()), (8, 8), "copies made it grow");
        }
        remove_all(&filter, vec![item; stored]);
        assert!(filter.insert_hash(item).is_ok(), "there is room again");
    }
}

/// The copies of all tables count. `insert_unique` adds no item that is in any of them.
#[test]
fn every_copy_is_counted() {
    let filter = filter(1);
    let mut items = distinct(3);
    let item = items.next().expect("endless");
    let others: Vec<u64> = items.take(20_000).collect();
    for (turn, &other) in others.iter().enumerate() {
        if turn % 2_000 == 0 {
            filter.insert_hash(item).expect("memory");
        }
        assert_eq!(filter.insert_unique_hash(other), Ok(true));
        assert_eq!(filter.insert_unique_hash(other), Ok(false));
        assert_eq!(filter.count_hash(item), turn / 2_000 + 1);
    }
    assert_eq!(filter.tables(), 2);
    let added = others
        .iter()
        .filter(|&&other| filter.insert_unique_hash(other) != Ok(false));
    assert_eq!(added.count(), 0, "the other table has it");
    for left in (0..10).rev() {
        assert!(filter.remove_hash(item), "a stored copy");
        assert_eq!(filter.count_hash(item), left);
    }
    assert!(!filter.remove_hash(item));
}

/// Few keys with many copies never make a filter grow without end. A table that is not an eighth
/// full of copies is large enough.
#[test]
fn few_keys_many_copies() {
    for keys in [1, 2, 3, 10, 50] {
        let filter = filter(1);
        let keys: Vec<u64> = distinct(5).take(keys).collect();
        let mut stored = 0;
        for turn in 0..20_000 {
            stored += usize::from(filter.insert_hash(keys[turn % keys.len()]).is_ok());
        }
        let most = 2 * 8 * 8 * keys.len();
        assert!(filter.slots() <= most, "{} keys: {filter:?}", keys.len());
        assert_eq!(filter.len(), stored);
        assert_all_in(&filter, &keys);
        let removed: usize = keys
            .iter()
            .map(|&key| (0..).take_while(|_| filter.remove_hash(key)).count())
            .sum();
        assert_eq!(removed, stored, "each copy once");
    }
}

/// Threads that hammer one key never make a filter grow.
#[test]
fn threads_hammer_one_key() {
    const TURNS: u64 = 30_000;
    let filter = filter(1);
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
    assert_eq!(filter.slots(), 8, "copies made it grow");
    assert_eq!(filter.len() as i64, stored.into_iter().sum::<i64>());
    assert_eq!(filter.count_hash(item), filter.len());
}

/// A remove takes no token of a coarser table before a finer one. Items of two tables with the same
/// first bits, as many as the newest token of the first table has. If the tokens of the second
/// table were shorter, a remove of an item of the first would take that of another item.
#[test]
fn remove_takes_finer_token() {
    /// The number of index bits in the newest tokens of the first table.
    const KNOWN: u32 = 20;
    let filter = filter(8);
    let mut coarse = Vec::new();
    for number in 1.. {
        let hash = mix(number);
        insert_all(&filter, [hash]);
        if filter.tables() == 2 {
            remove_all(&filter, [hash]);
            break;
        }
        coarse.push(hash);
    }
    // The first bit selects the half of the table. The second one is the top bit of the hash.
    let near = |hash: u64, bit: u32| hash ^ 1 << (65 - bit);
    let fine: Vec<_> = coarse
        .iter()
        .rev()
        .take(2_000)
        .enumerate()
        .map(|(number, &hash)| near(hash, KNOWN - number as u32 % 4))
        .collect();
    insert_all(&filter, &fine);
    remove_all(&filter, &coarse);
    for &hash in &fine {
        assert!(filter.contains_hash(hash), "a stored item was missed");
        assert!(filter.remove_hash(hash), "a stored item was not removed");
    }
    assert!(filter.is_empty());
}
