//! Bytes that nobody stored are an error, or a growing filter that keeps every promise.
//!
//! 1. A stored filter that is cut anywhere, has any bit flipped, or has something behind it, is an error.
//! 2. With the checksums made to match again, a changed number or word is an error unless a filter could have it.
//! 3. A part of one stored filter does not go with the rest of another one.
//! 4. Whatever is changed and however: what is read holds the tokens that its words say, finds and removes each
//!    of them, and can be filled again.

use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::{GrowingCuckooFilter, Ladder, ReadError};
use model::stored::{self, Field, list};
use proptest::prelude::*;

use crate::common::damage::{nothing_passes, read};
use crate::random;

/// One that began with two buckets.
fn stored_with(seed: u64, hashes: impl Iterator<Item = u64>) -> Vec<u8> {
    let builder = GrowingCuckooFilter::builder().buckets(2).seed(seed);
    let mut filter = builder.build().expect("memory");
    for hash in hashes {
        filter.insert_hash(hash).expect("memory");
    }
    filter.to_bytes()
}

/// Which holds so many items.
fn sound(items: usize) -> Vec<u8> {
    stored_with(1, random(1).take(items))
}

#[test]
fn nothing_passes_as_a_growing_filter() {
    for items in [0, 20, 300] {
        let bytes = sound(items);
        nothing_passes::<Ladder>(&bytes);
        // Each cut by how much is known to be needed at that point.
        let head = list::head(&bytes);
        for (length, needed) in [
            (0, stored::HEADER),
            (stored::HEADER - 1, stored::HEADER),
            (stored::HEADER, head),
            (head - 1, head),
            (head, bytes.len()),
            (bytes.len() - 1, bytes.len()),
        ] {
            let error = read::<Ladder>(&bytes[..length]).expect_err("cut");
            let is_told =
                matches!(error, ReadError::Truncated { expected, .. } if expected == needed as u64);
            assert!(is_told, "{length} bytes: {error}");
        }
    }
}

/// As after a write that was cut short over an older file of the same size: each part has its checksum.
#[test]
fn parts_of_different_filters_do_not_go_together() {
    let one = sound(20);
    // Another seed; and the same one with as many other items.
    for other in [
        stored_with(2, random(1).take(20)),
        stored_with(1, random(2).take(20)),
    ] {
        assert_eq!(one.len(), other.len());
        for at in 0..one.len() {
            for (new, old) in [(&one, &other), (&other, &one)] {
                let torn = [&new[..at], &old[at..]].concat();
                if torn != *new && torn != *old {
                    let error = read::<Ladder>(&torn).expect_err("torn");
                    assert!(matches!(error, ReadError::Checksum), "{at}: {error:?}");
                }
            }
        }
    }
}

const LEVEL: Field = list::level(0);
const FIRST: Field = list::first(0);

/// Sets the first word of the only table.
fn set_word(bytes: &mut [u8], word: u64) {
    let words = list::head(bytes);
    bytes[words..words + 8].copy_from_slice(&word.to_le_bytes());
}

/// A word with one token, whose tail ends at this bit.
fn marked(bit: u64) -> u64 {
    (1 << 10 | 1 << bit) << 48
}

/// With the checksums made to match again.
#[test]
fn what_cannot_be_is_an_error() {
    let sound = sound(20);
    let changed = |change: &dyn Fn(&mut [u8])| {
        let mut bytes = sound.clone();
        change(&mut bytes);
        list::repair(&mut bytes);
        bytes
    };
    assert!(changed(&|_| {}) == sound, "the checksums are as documented");
    let (first, level) = (FIRST.get(&sound), LEVEL.get(&sound));
    assert!(level > first, "it has grown");
    let fields: [(&str, Field, &[u64]); 9] = [
        ("number of tables", list::TABLES, &[0, 5, 1 << 31]),
        ("unused byte of the header", list::UNUSED, &[1, 1 << 63]),
        (
            "limit on the rate",
            list::RATE,
            &[0, u64::MAX, (0.000_122f64).to_bits(), (-1.0f64).to_bits()],
        ),
        ("doubled more often", FIRST, &[0, level + 1]),
        ("doubled more often", LEVEL, &[40, 255]),
        ("unused byte of a list", list::unused(0), &[1, 1 << 47]),
        (
            "more items than slots",
            list::items(0),
            &[1 << 56, u64::MAX],
        ),
        ("number of items", list::items(0), &[0, 19, 21]),
        (
            "search budget",
            list::search_budget(0),
            &[0, 1, 4_097, u32::MAX.into()],
        ),
    ];
    for (said, field, values) in fields {
        for &value in values {
            let bytes = changed(&|bytes| field.set(bytes, value));
            let error = read::<Ladder>(&bytes).expect_err(said).to_string();
            assert!(error.contains(said), "{} = {value}: {error}", field.name);
        }
    }
    // Only the number of items is wrong if the mark is as high as it can be.
    let word = |word| {
        let bytes = changed(&|bytes| set_word(bytes, word));
        read::<Ladder>(&bytes).expect_err("fewer items").to_string()
    };
    let text = word(marked(level - first - 1));
    assert!(text.contains("number of items"), "{text}");
    // A head and no mark, a mark and no head, a mark as high as after ten doublings, and one bit too high.
    for wrong in [1 << 58, 1 << 48, 3 << 57, marked(level - first)] {
        let text = word(wrong);
        assert!(
            text.contains("a token has fewer bits"),
            "{wrong:#x}: {text}"
        );
    }
}

#[test]
fn what_can_be_is_a_filter() {
    let rates = [0.000_123, 0.5, 1.0, f64::INFINITY].map(f64::to_bits);
    let possible: [(Field, &[u64]); 3] = [
        (list::RATE, &rates),
        (list::MEMORY, &[0, 1, 1 << 63, u64::MAX]),
        (list::search_budget(0), &[2, 100, 4_096]),
    ];
    for (field, values) in possible {
        for &value in values {
            let mut bytes = sound(20);
            field.set(&mut bytes, value);
            list::repair(&mut bytes);
            keeps_its_promises(&bytes, read(&bytes).expect("possible"));
        }
    }
}

/// For each token an item that it may be of: from the number of its bucket, and from its lane.
fn items(bytes: &[u8]) -> Vec<u64> {
    const SIDE: u64 = 1 << 62;
    let item = |(table, place, lane): (usize, u64, u16)| {
        let [first, level] = [list::first(table), list::level(table)].map(|field| field.get(bytes));
        let lane = u64::from(lane);
        let (head, tail) = (lane & 0xfc00, lane & 0x3ff);
        // Behind the tail there is a mark, unless the table is as it began.
        let tail = if first == level {
            tail
        } else {
            tail & (tail - 1)
        };
        let offset = head.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1 | SIDE;
        let place = match place >> (level - 1) {
            0 => place,
            _ => place ^ offset >> (63 - level),
        };
        (place << (63 - level) | tail << (53 - level)) << 2 | head
    };
    list::lanes(bytes).into_iter().map(item).collect()
}

/// Property 4.
fn keeps_its_promises(bytes: &[u8], mut filter: GrowingCuckooFilter) {
    assert!(filter.to_bytes() == bytes, "it is what was read, all of it");
    // From the finest table on, as removes take them.
    let items = items(bytes);
    let tables = list::buckets(bytes).len();
    assert_eq!((filter.len(), filter.segments()), (items.len(), tables));
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
    assert_eq!((filter.len(), filter.segments()), (0, 1));
}

#[test]
fn the_sound_ones_are_what_their_words_say() {
    // Before the first doubling, behind up to ten, and with another table.
    for number in [1, 5, 20, 300, 3_000, 7_000, 9_000] {
        let bytes = sound(number);
        assert_eq!(items(&bytes).len(), number);
        keeps_its_promises(&bytes, read(&bytes).expect("just written"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Words, and the numbers of the header and of the list, with checksums that match.
    #[test]
    fn whatever_is_changed_is_an_error_or_a_filter(
        number in prop::sample::select(vec![5usize, 20, 60]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        words in prop::collection::vec((any::<prop::sample::Index>(), 0usize..4, any::<u16>()), 0..4),
        counts in any::<bool>(),
    ) {
        let mut bytes = sound(number);
        let (head, level) = (list::head(&bytes), LEVEL.get(&bytes));
        for (at, byte) in changes {
            let at = at.index(head);
            // Of more tables there are no words.
            if at != list::TABLES.at {
                bytes[at] = byte;
            }
        }
        for (word, slot, lane) in words {
            let at = head + 8 * word.index(1 << level) + 2 * slot;
            bytes[at..at + 2].copy_from_slice(&lane.to_le_bytes());
        }
        if counts && LEVEL.get(&bytes) == level && list::head(&bytes) == head {
            let taken = list::lanes(&bytes).len() as u64;
            list::items(0).set(&mut bytes, taken);
        }
        list::repair(&mut bytes);
        if let Ok(filter) = read(&bytes) {
            keeps_its_promises(&bytes, filter);
        }
    }

    #[test]
    fn bytes_from_nowhere_are_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(read::<Ladder>(&bytes).is_err());
        // Behind the right beginning too.
        let begun = [&sound(5)[..15], &bytes].concat();
        prop_assert!(read::<Ladder>(&begun).is_err());
    }
}
