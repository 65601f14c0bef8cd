//! Damaged bytes of growing filters: reading gives an error, or a filter that keeps every promise.
//!
//! 1. A stored filter that is truncated, has one bit flipped, or has bytes appended is an error.
//! 2. With repaired checksums, a changed number or word is an error unless a filter could have it.
//! 3. Whatever is changed: a filter that is read holds the tokens of its words, finds and removes
//!    each of them, and can be filled again.

use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{GrowingCuckooFilter, ReadError, filter::Kind};
use model::stored::tables::{self, Token};
use model::stored::{self, Field};
use proptest::prelude::*;

use super::insert_all;
use crate::damage::{changed, nothing_passes};
use crate::door::{random, read_as};

const LEVEL: Field = tables::level(0);
const FIRST: Field = tables::first(0);

/// Reads in both ways, which must agree, and returns the typed filter.
fn read(bytes: &[u8]) -> Result<GrowingCuckooFilter, ReadError> {
    read_as(Kind::Growing, bytes)?;
    GrowingCuckooFilter::from_bytes(bytes)
}

/// Stores a filter that began with two buckets and holds this number of items.
fn sound(items: usize) -> Vec<u8> {
    let builder = GrowingCuckooFilter::builder().buckets(2).seed(1);
    let filter = builder.build().expect("memory");
    insert_all(&filter, random(1).take(items));
    filter.to_bytes().expect("quiet")
}

/// Does the same for a growing table with this cursor, in which the buckets that `is_split` selects
/// are split.
fn growing(items: usize, cursor: usize, is_split: impl Fn(usize) -> bool) -> Vec<u8> {
    let stored: GrowingCuckooFilter = read(&sound(items)).expect("just written");
    assert!(stored.begin_to_double());
    let mut bytes = stored.to_bytes().expect("quiet");
    assert_eq!(stored.doubled(), Some(0.0), "it has just begun");
    tables::cursor(0).set(&mut bytes, cursor as u64);
    let buckets = 1 << LEVEL.get(&bytes);
    for place in (0..buckets).filter(|&place| is_split(place)) {
        tables::split(&mut bytes, place);
    }
    stored::repair(&mut bytes);
    bytes
}

#[test]
fn nothing_passes_as_a_growing_filter() {
    let growing = growing(20, 1, |place| place == 0);
    for bytes in [sound(0), sound(20), sound(300), growing] {
        nothing_passes(|bytes| read_as(Kind::Growing, bytes), &bytes);
    }
}

/// Returns a word with one token, whose tail ends at this bit.
fn marked(bit: u64) -> u64 {
    (1 << 10 | 1 << bit) << 48
}

/// Checks the reason why a stored filter with these numbers and repaired checksums is refused.
#[track_caller]
fn is_refused(sound: &[u8], changes: &[(Field, u64)], said: &str) {
    let error = read(&changed(sound, changes)).expect_err(said).to_string();
    assert!(error.contains(said), "{changes:?}: {error}");
}

const FEWER_BITS: &str = "a token has fewer bits";
const TOO_OFTEN: &str = "doubled more often";
const ITEMS: &str = "number of items";
const SPLIT: &str = "split than there are";

#[test]
fn impossible_values_are_an_error() {
    let sound = sound(20);
    let (first, level) = (FIRST.get(&sound), LEVEL.get(&sound));
    assert!(level > first, "it has grown");
    let rates = [0, u64::MAX, (0.000_122f64).to_bits(), (-1.0f64).to_bits()];
    let budgets = [0, 1, 4_097, u32::MAX.into()];
    let fields: [(&str, Field, &[u64]); 10] = [
        ("number of tables", stored::TABLES, &[0, 5, 1 << 31]),
        ("unused byte of the header", stored::UNUSED, &[1, 1 << 31]),
        ("limit on the rate", stored::RATE, &rates),
        (TOO_OFTEN, FIRST, &[0, level + 1]),
        (TOO_OFTEN, LEVEL, &[40, 255]),
        ("whether a table grows", tables::growing(0), &[2, 255]),
        (SPLIT, tables::cursor(0), &[1, 1 << 39]),
        ("more items than slots", stored::ITEMS, &[1 << 56, u64::MAX]),
        (ITEMS, stored::ITEMS, &[0, 19, 21]),
        ("search budget", stored::SEARCH_BUDGET, &budgets),
    ];
    for (said, field, values) in fields {
        for &value in values {
            is_refused(&sound, &[(field, value)], said);
        }
    }
    // Not ten levels above the first, but deeper than the limit.
    is_refused(&sound, &[(FIRST, 35), (LEVEL, 40)], TOO_OFTEN);
    let word = |word| [(stored::word(&sound, 0), word)];
    // With the mark at the highest possible bit, only the number of items is wrong.
    is_refused(&sound, &word(marked(level - first - 1)), ITEMS);
    // A head without a mark, a mark without a head, a mark as high as after ten doublings, and one
    // bit too high.
    for wrong in [1 << 58, 1 << 48, 3 << 57, marked(level - first)] {
        is_refused(&sound, &word(wrong), FEWER_BITS);
    }
}

/// A token without a mark cannot be at the last level either. After ten doublings a tail may have
/// no bits, but it still has a mark.
#[test]
fn mark_at_the_last_level() {
    let sound = sound(7_000);
    assert_eq!(LEVEL.get(&sound), FIRST.get(&sound) + 10);
    let word = stored::word(&sound, 0);
    is_refused(&sound, &[(word, 1 << 58)], FEWER_BITS);
    // Only the number of items is wrong.
    is_refused(&sound, &[(word, marked(9))], ITEMS);
}

/// Otherwise tokens of the finer table could be no longer than those of the coarser one, and
/// removal relies on that.
#[test]
fn a_table_begins_where_the_one_before_ends() {
    const SAID: &str = "begin where the one before ends";
    let sound = sound(9_000);
    let (coarser, began) = (tables::level(1).get(&sound), tables::first(1));
    assert_eq!(FIRST.get(&sound), coarser, "two tables");
    for first in [coarser - 1, coarser + 1] {
        let level = first.max(LEVEL.get(&sound));
        is_refused(&sound, &[(FIRST, first), (LEVEL, level)], SAID);
    }
    // It has doubled nine times, and there is a finer table.
    is_refused(&sound, &[(began, began.get(&sound) + 1)], SAID);
}

/// Impossible values of a growing table are an error. The same for a growing table, in which every
/// other bucket is split, beginning with the first.
#[test]
fn impossible_growing_values() {
    const NO_WORD: &str = "not one that the layout has";
    let sound = growing(20, 1, |place| place % 2 == 0);
    assert!(read(&sound).is_ok());
    let (first, level) = (FIRST.get(&sound), LEVEL.get(&sound));
    let (fewest, fewer) = (marked(level - first), marked(level - first + 1));
    let highest = marked(level - first - 1);
    let word = |index| stored::word(&sound, index);
    let (grows, cursor, items) = (tables::growing(0), tables::cursor(0), stored::ITEMS);
    let cases: [(&str, &[(Field, u64)]); 12] = [
        ("whether a table grows", &[(grows, 2)]),
        (SPLIT, &[(cursor, (1 << level) + 1)]),
        (SPLIT, &[(cursor, 1 << 39)]),
        ("the sweep has passed", &[(cursor, 2)]),
        (TOO_OFTEN, &[(LEVEL, first + 10)]),
        (NO_WORD, &[(word(0), tables::WHOLE)]),
        (NO_WORD, &[(word(2), tables::WHOLE)]),
        (ITEMS, &[(items, 19)]),
        // A mark one bit higher than the doublings allow, in a bucket that is not split and in a
        // child.
        (FEWER_BITS, &[(word(2), fewest)]),
        (FEWER_BITS, &[(word(1), fewer)]),
        // The mark at the highest possible bit, so that only the number of items is wrong.
        (ITEMS, &[(word(2), highest), (items, 64)]),
        (ITEMS, &[(word(1), fewest), (items, 64)]),
    ];
    for (said, changes) in cases {
        is_refused(&sound, changes, said);
    }
    let at_rest = changed(&sound, &[(grows, 0), (cursor, 0)]);
    assert!(read(&at_rest).is_err());
}

#[test]
fn possible_changes_are_a_filter() {
    let rates = [0.000_126, 0.5, 1.0, f64::INFINITY].map(f64::to_bits);
    let possible: [(Field, &[u64]); 3] = [
        (stored::RATE, &rates),
        (stored::MEMORY, &[0, 1, 1 << 63, u64::MAX]),
        (stored::SEARCH_BUDGET, &[2, 100, 4_096]),
    ];
    for (field, values) in possible {
        for &value in values {
            let bytes = changed(&sound(20), &[(field, value)]);
            keeps_its_promises(&bytes, read(&bytes).expect("possible"));
        }
    }
}

/// Returns for each token an item that it may belong to, the finest table first.
fn items(bytes: &[u8]) -> Vec<u64> {
    let tokens = tables::tokens(bytes).into_iter().flatten();
    tokens.map(Token::hash).collect()
}

/// Checks property 3.
fn keeps_its_promises(bytes: &[u8], mut filter: GrowingCuckooFilter) {
    assert!(
        filter.to_bytes().expect("quiet") == bytes,
        "it is what was read, all of it"
    );
    // In the order in which removes take them.
    let items = items(bytes);
    let tables = stored::TABLES.get(bytes) as usize;
    assert_eq!((filter.len(), filter.tables()), (items.len(), tables));
    for &item in &items {
        assert!(filter.contains_hash(item) && filter.count_hash(item) > 0);
        assert_eq!(filter.insert_unique_hash(item), Ok(false), "it is in");
    }
    filter.begin_to_double();
    for &item in &items {
        assert!(filter.contains_hash(item), "an item is missed");
    }
    for &item in &items {
        assert!(filter.remove_hash(item), "an item was not removed");
    }
    assert!(filter.is_empty());
    let fits = |&hash: &u64| filter.insert_hash(hash).is_ok();
    let inserted: Vec<u64> = random(5).take(100).take_while(fits).collect();
    assert!(!inserted.is_empty());
    assert!(inserted.iter().all(|&hash| filter.contains_hash(hash)));
    filter.clear();
    assert_eq!((filter.len(), filter.tables()), (0, 1));
}

/// Valid filters hold the tokens of their words.
#[test]
fn valid_filters_keep_tokens() {
    // Before the first doubling, after up to ten, and with another table.
    for number in [1, 5, 20, 300, 3_000, 7_000, 9_000] {
        let bytes = sound(number);
        assert_eq!(items(&bytes).len(), number);
        keeps_its_promises(&bytes, read(&bytes).expect("just written"));
    }
}

/// Any bucket may be split while a table is growing. No bucket, some or all are split beyond the
/// cursor, wherever it is, as if the thread that advances the root had stopped.
#[test]
fn any_bucket_may_be_split() {
    for number in [0, 1, 5, 20, 300, 3_000] {
        let level = LEVEL.get(&growing(number, 0, |_| false));
        let buckets = 1usize << level;
        for cursor in [0, 1, buckets / 3, buckets - 1, buckets] {
            for share in [0, 1, 2, 4] {
                let is_split = |place| place < cursor || model::mix(place as u64) % 4 < share;
                let bytes = growing(number, cursor, is_split);
                let filter: GrowingCuckooFilter = read(&bytes).expect("sound");
                let doubled = cursor as f64 / buckets as f64;
                assert_eq!(filter.doubled(), Some(doubled), "{number} items");
                keeps_its_promises(&bytes, filter);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Whatever is changed is an error or a filter. Changes words, and the numbers of the header
    /// and of the list, with repaired checksums.
    #[test]
    fn any_change(
        number in prop::sample::select(vec![5usize, 20, 60]),
        // Whether it is growing, the cursor, and other buckets that are split.
        stage in prop::option::of((any::<prop::sample::Index>(), any::<u64>())),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        words in prop::collection::vec((any::<prop::sample::Index>(), 0usize..4, any::<u16>()), 0..4),
        marks in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..2),
        counts in any::<bool>(),
    ) {
        let mut bytes = sound(number);
        if let Some((cursor, split)) = stage {
            let cursor = cursor.index((1 << LEVEL.get(&bytes)) + 1);
            bytes = growing(number, cursor, |place| place < cursor || split >> (place % 64) & 1 == 1);
        }
        let shape = |bytes: &[u8]| [LEVEL, tables::growing(0)].map(|field| field.get(bytes));
        let (before, head, count) = (shape(&bytes), stored::head(&bytes), tables::words(&bytes, 0));
        for (at, byte) in changes {
            let at = at.index(head);
            // The test does not cover more tables.
            if !(stored::TABLES.at..stored::HEADER).contains(&at) {
                bytes[at] = byte;
            }
        }
        for (word, slot, lane) in words {
            let at = head + 8 * word.index(count) + 2 * slot;
            bytes[at..at + 2].copy_from_slice(&lane.to_le_bytes());
        }
        for (word, whole) in marks {
            let word = stored::word(&bytes, word.index(count));
            word.set(&mut bytes, if whole { tables::WHOLE } else { 0 });
        }
        if counts && shape(&bytes) == before {
            let taken = items(&bytes).len() as u64;
            stored::ITEMS.set(&mut bytes, taken);
        }
        stored::repair(&mut bytes);
        if let Ok(filter) = read(&bytes) {
            keeps_its_promises(&bytes, filter);
        }
    }
}
