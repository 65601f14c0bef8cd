//! Copies: more of one item than its buckets hold are no reason to grow.

use crew::Crew;
use lockfree_cuckoo::InsertError;
use model::mix;

use crate::{distinct, filter};

/// A table that is not an eighth full of copies is large enough.
#[test]
fn few_keys_with_many_copies_never_make_it_grow_without_end() {
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
    let filter = filter(1);
    let item = mix(9);
    let stored = Crew::workers(4, |_, _| {
        let mut stored = 0i64;
        for turn in 0..TURNS {
            if turn % 3 < 2 {
                match filter.insert_hash(item) {
                    Ok(()) => stored += 1,
                    Err(InsertError::TooManyCopies { copies: 8, .. }) => {}
                    Err(error) => panic!("{error}"),
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
