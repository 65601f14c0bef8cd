//! The stored form: written and read, whole, in chunks, and damaged.

use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::{CuckooFilter, ReadError, SnapshotError};
use model::hashers::AsGiven;
use model::stored::tables::{self, Token};
use proptest::prelude::*;

use crate::{Doubling, filter, random};

fn read(bytes: &[u8]) -> Result<Doubling, ReadError> {
    let one = Doubling::from_bytes_with_hasher(bytes, AsGiven);
    let other = Doubling::read_from_with_hasher(bytes, AsGiven);
    assert_eq!(one.is_ok(), other.is_ok());
    one
}

#[test]
fn what_is_read_is_what_was_stored() {
    for items in [0, 5, 100, 3_000, 7_900, 30_000] {
        let mut stored = filter(8);
        let hashes: Vec<u64> = random(items as u64).take(items).collect();
        for &hash in &hashes {
            stored.insert_hash(hash).expect("memory");
        }
        stored.begin_to_double();
        let bytes = stored.to_bytes();
        let mut same = read(&bytes).expect("sound");
        assert!(bytes == same.to_bytes());
        assert_eq!((same.len(), same.slots()), (stored.len(), stored.slots()));
        assert_eq!(same.false_positive_rate(), stored.false_positive_rate());
        assert!(hashes.iter().all(|&hash| same.contains_hash(hash)));
        // It goes on where the other was.
        for hash in random(99).take(items) {
            same.insert_hash(hash).expect("memory");
        }
        for &hash in &hashes {
            assert!(same.remove_hash(hash));
        }
        assert_eq!(same.len(), items);
    }
}

/// The chunks, of so many bytes, while nobody writes.
fn in_chunks(filter: &Doubling, size: usize) -> Vec<u8> {
    let mut chunks = filter.chunks().expect("memory");
    let (mut bytes, mut chunk) = (Vec::new(), vec![0; size]);
    loop {
        match chunks.next_chunk(&mut chunk).expect("nobody writes") {
            0 => break,
            count => bytes.extend_from_slice(&chunk[..count]),
        }
    }
    assert_eq!(bytes.len() as u64, chunks.bytes());
    bytes
}

#[test]
fn chunks_are_the_same_bytes() {
    let mut filter = filter(8);
    for hash in random(1).take(25_000) {
        filter.insert_hash(hash).expect("memory");
    }
    for _ in 0..2 {
        for size in [1, 7, 8, 9, 15, 24, 64, 4_096] {
            let bytes = in_chunks(&filter, size);
            assert!(bytes == filter.to_bytes(), "in chunks of {size}");
        }
        // The second time it is growing.
        assert!(filter.begin_to_double());
        filter.insert_hash(1).expect("memory");
        assert!(filter.doubled() > Some(0.0));
    }
}

/// What of a filter goes on: one that is read, a copy, a snapshot, and one that is read from chunks.
fn others(filter: &mut Doubling) -> [Doubling; 4] {
    let bytes = filter.to_bytes();
    assert!(filter.to_bytes() == bytes, "to store it changes it");
    let others = [
        read(&bytes).expect("sound"),
        filter.try_clone().expect("memory"),
        filter.snapshot().expect("nobody disturbs it"),
        read(&in_chunks(filter, 100)).expect("sound"),
    ];
    assert!(filter.to_bytes() == bytes, "to copy it changes it");
    others.map(|mut other| {
        assert!(other.to_bytes() == bytes, "it is not the same");
        assert_eq!(other.doubled(), filter.doubled());
        assert_eq!((other.len(), other.slots()), (filter.len(), filter.slots()));
        other
    })
}

/// So many inserts and removes, the same whenever it begins with the same number.
fn go_on(filter: &Doubling, from: u64, calls: u64) {
    for turn in from..from + calls {
        let item = |number: u64| model::mix(number);
        if turn % 5 == 4 {
            assert!(filter.remove_hash(item(turn - 4)), "it is in");
        } else if turn % 5 == 3 {
            assert_eq!(filter.insert_unique_hash(item(turn)).err(), None);
        } else {
            filter.insert_hash(item(turn)).expect("memory");
        }
    }
}

/// At any stage of a doubling, from the first bucket on to the last, and where others are split too.
#[test]
fn one_that_was_stored_or_copied_goes_on_as_if_it_had_not_been() {
    // Two buckets, sixteen, and so many that each insert splits a part of them.
    for (capacity, calls) in [(8, 400), (60, 900), (1_000, 4_500)] {
        let witness = filter(capacity);
        go_on(&witness, 0, calls);
        let mut stages = Vec::new();
        let mut stored = filter(capacity);
        for turn in 0..calls {
            go_on(&stored, turn, 1);
            let doubled = stored.doubled();
            let is_new = doubled.is_some() && stages.last() != Some(&doubled);
            if !is_new && turn % (calls / 10) != 0 {
                continue;
            }
            stages.push(doubled);
            let others = others(&mut stored);
            // Each goes on for a while, and one of them for good.
            for (number, mut other) in others.into_iter().enumerate() {
                let more = (calls - turn - 1).min(30);
                let whole = stages.len() % 40 == number;
                go_on(
                    &other,
                    turn + 1,
                    if whole { calls - turn - 1 } else { more },
                );
                if whole {
                    let mut witness = witness.snapshot().expect("nobody disturbs it");
                    assert!(other.to_bytes() == witness.to_bytes(), "call {turn}");
                }
            }
        }
        let growing = stages.iter().flatten().count();
        assert!(growing > 10 || capacity < 1_000, "{growing} stages");
        let mut witness = witness;
        assert!(stored.to_bytes() == witness.to_bytes());
    }
}

/// Where the next table has come, and is growing in its turn.
#[test]
fn the_finer_of_two_tables_may_be_growing() {
    let mut filter = filter(8);
    let mut items = random(3);
    while filter.segments() == 1 {
        filter
            .insert_hash(items.next().expect("endless"))
            .expect("memory");
    }
    assert!(filter.begin_to_double());
    // Just begun, and when some are split.
    for _ in 0..3 {
        for other in others(&mut filter) {
            let same = filter.snapshot().expect("nobody disturbs it");
            for hash in random(4).take(3_000) {
                same.insert_hash(hash).expect("memory");
                other.insert_hash(hash).expect("memory");
            }
            let [mut same, mut other] = [same, other];
            assert!(same.to_bytes() == other.to_bytes());
        }
        filter
            .insert_hash(items.next().expect("endless"))
            .expect("memory");
        assert!(filter.doubled() > Some(0.0));
    }
    let bytes = filter.to_bytes();
    assert_eq!(tables::TABLES.get(&bytes), 2);
    assert_eq!(
        [0, 1].map(|table| tables::growing(table).get(&bytes)),
        [1, 0]
    );
    for table in [0, 1] {
        // The coarser one cannot.
        let level = tables::level(table).get(&bytes);
        let mut impossible = bytes.clone();
        tables::growing(1).set(&mut impossible, 1);
        tables::level(table).set(&mut impossible, level - u64::from(table == 1));
        tables::repair(&mut impossible);
        assert!(read(&impossible).is_err());
    }
}

/// Whether a growth has begun, or an item has come.
#[test]
fn chunks_of_what_has_changed_are_an_error() {
    type Change = fn(&Doubling);
    let changes: [Change; 2] = [
        |filter| assert!(filter.begin_to_double()),
        |filter| {
            filter
                .insert_hash(random(8).next().expect("endless"))
                .expect("room")
        },
    ];
    for change in changes {
        let filter = filter(1_000);
        for hash in random(1).take(500) {
            filter.insert_hash(hash).expect("memory");
        }
        let mut chunks = filter.chunks().expect("memory");
        let mut chunk = [0; 128];
        chunks.next_chunk(&mut chunk).expect("nothing has changed");
        change(&filter);
        let ended = (0..1_000).find_map(|_| match chunks.next_chunk(&mut chunk) {
            Ok(0) => Some(true),
            Ok(_) => None,
            Err(_) => Some(false),
        });
        assert_eq!(ended, Some(false));
    }
}

/// A doubling goes on, and ends, between two chunks, which may cut the words of a bucket in two. Another one is an error.
#[test]
fn splits_between_chunks_do_no_harm() {
    for (size, is_doubled_again) in [(8, false), (24, false), (56, false), (64, true)] {
        let filter = filter(1_000);
        let hashes: Vec<u64> = random(1).take(1_500).collect();
        for &hash in &hashes {
            filter.insert_hash(hash).expect("memory");
        }
        assert!(filter.begin_to_double());
        filter.insert_hash(hashes[0]).expect("room");
        let mut chunks = filter.chunks().expect("memory");
        let (mut bytes, mut chunk) = (Vec::new(), vec![0; size]);
        let (mut doubled, mut turn) = (Vec::new(), 0);
        let whole = loop {
            match chunks.next_chunk(&mut chunk) {
                Ok(0) => break true,
                Ok(count) => bytes.extend_from_slice(&chunk[..count]),
                Err(error) => {
                    assert_eq!(error, SnapshotError::Changed);
                    break false;
                }
            }
            doubled.push(filter.doubled());
            turn += 1;
            // Now and then, so that much is read in the midst of it. It comes and goes in the same bucket.
            if bytes.len() > 1_000 && turn % (200 / size) == 0 && doubled.last() != Some(&None) {
                filter.insert_hash(7 << 10).expect("room");
                assert!(filter.remove_hash(7 << 10), "it is in");
            }
            if is_doubled_again && doubled.last() == Some(&None) {
                filter.begin_to_double();
            }
        };
        doubled.dedup();
        assert!(doubled.len() > 20, "{doubled:?}");
        assert_eq!(whole, !is_doubled_again, "{size} bytes");
        if whole {
            assert_eq!(filter.doubled(), None, "it is over");
            let read = read(&bytes).expect("sound");
            assert!(
                read.doubled().is_some(),
                "it was not when the first was read"
            );
            assert_eq!(read.len(), filter.len());
            assert!(hashes.iter().all(|&hash| read.contains_hash(hash)));
            assert!(hashes.iter().all(|&hash| read.remove_hash(hash)));
        }
    }
}

#[test]
fn damage_is_an_error() {
    let mut stored = filter(8);
    for hash in random(1).take(300) {
        stored.insert_hash(hash).expect("memory");
    }
    let bytes = stored.to_bytes();
    for end in 0..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "cut to {end}");
    }
    for bit in 0..8 * bytes.len() {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(read(&damaged).is_err(), "bit {bit}");
    }
    let longer = [&bytes[..], &[0]].concat();
    let error = Doubling::from_bytes_with_hasher(&longer, AsGiven).expect_err("one more");
    assert!(matches!(error, ReadError::TrailingBytes { .. }));
}

/// Where the list is, and where the words of the only table are.
const LIST: usize = 64;
const WORDS: usize = LIST + 24;

/// Of one table, which holds so many items.
fn sound(items: usize) -> Vec<u8> {
    let mut stored = filter(8);
    for hash in random(1).take(items) {
        stored.insert_hash(hash).expect("memory");
    }
    stored.to_bytes()
}

/// The same of one that is growing: with this cursor, and those buckets split for which `is_split` says so.
fn growing(items: usize, cursor: usize, is_split: impl Fn(usize) -> bool) -> Vec<u8> {
    let mut stored = filter(8);
    for hash in random(1).take(items) {
        stored.insert_hash(hash).expect("memory");
    }
    assert!(stored.begin_to_double());
    let mut bytes = stored.to_bytes();
    assert_eq!(stored.doubled(), Some(0.0), "it has just begun");
    tables::cursor(0).set(&mut bytes, cursor as u64);
    let buckets = 1 << tables::level(0).get(&bytes);
    for place in (0..buckets).filter(|&place| is_split(place)) {
        tables::split(&mut bytes, place);
    }
    tables::repair(&mut bytes);
    bytes
}

/// A word with one token, whose tail ends at this bit.
fn marked(bit: u8) -> [u8; 8] {
    let lane = 1u64 << 10 | 1 << bit;
    (lane << 48).to_le_bytes()
}

/// With the checksums made to match again.
#[test]
fn what_cannot_be_is_an_error() {
    let sound = sound(20);
    let repaired = |change: &dyn Fn(&mut [u8])| {
        let mut bytes = sound.clone();
        change(&mut bytes);
        tables::repair(&mut bytes);
        bytes
    };
    assert!(repaired(&|_| {}) == sound);
    // Only the number of items is wrong if the mark is as high as it can be.
    let lowest = sound[LIST + 1] - sound[LIST] - 1;
    let highest = repaired(&|bytes| bytes[WORDS..WORDS + 8].copy_from_slice(&marked(lowest)));
    let error = read(&highest).expect_err("fewer items");
    assert!(error.to_string().contains("number of items"), "{error}");
    let (first, level) = (sound[LIST], sound[LIST + 1]);
    assert!(level > first, "it has grown");
    type Change = Box<dyn Fn(&mut [u8])>;
    let cases: Vec<(&str, Change)> = vec![
        ("number of tables", Box::new(|bytes| bytes[56] = 0)),
        ("number of tables", Box::new(|bytes| bytes[56] = 5)),
        ("unused byte of the header", Box::new(|bytes| bytes[32] = 1)),
        (
            "limit on the rate",
            Box::new(|bytes| bytes[40..48].fill(0xff)),
        ),
        ("doubled more often", Box::new(|bytes| bytes[LIST] = 0)),
        (
            "doubled more often",
            Box::new(move |bytes| bytes[LIST] = level + 1),
        ),
        ("doubled more often", Box::new(|bytes| bytes[LIST + 1] = 40)),
        (
            "more buckets of a table are split",
            Box::new(|bytes| bytes[LIST + 3] = 1),
        ),
        (
            "not one that the layout has",
            Box::new(|bytes| tables::word(bytes, 1).set(bytes, tables::WHOLE)),
        ),
        (
            "more items than slots",
            Box::new(|bytes| bytes[LIST + 15] = 1),
        ),
        ("number of items", Box::new(|bytes| bytes[LIST + 8] ^= 1)),
        ("search budget", Box::new(|bytes| bytes[LIST + 17] = 0)),
        // A lane with a head and no mark, and one without a head.
        (
            "a token has fewer bits",
            Box::new(|bytes| bytes[WORDS..WORDS + 8].copy_from_slice(&(1u64 << 58).to_le_bytes())),
        ),
        (
            "a token has fewer bits",
            Box::new(|bytes| bytes[WORDS..WORDS + 8].copy_from_slice(&(1u64 << 48).to_le_bytes())),
        ),
        // A mark as high as if there had been ten doublings.
        (
            "a token has fewer bits",
            Box::new(|bytes| bytes[WORDS..WORDS + 8].copy_from_slice(&(3u64 << 57).to_le_bytes())),
        ),
        // A mark one bit higher than the doublings leave it.
        (
            "a token has fewer bits",
            Box::new(move |bytes| bytes[WORDS..WORDS + 8].copy_from_slice(&marked(level - first))),
        ),
    ];
    for (said, change) in cases {
        let error = read(&repaired(&*change)).expect_err(said);
        assert!(error.to_string().contains(said), "{said}: {error}");
    }
}

/// The same of a table that is growing, in which every other bucket is split, from the first on.
#[test]
fn what_cannot_be_while_a_table_is_growing_is_an_error() {
    let sound = growing(20, 1, |place| place % 2 == 0);
    assert!(read(&sound).is_ok());
    let (first, level) = (sound[LIST], sound[LIST + 1]);
    let one = |bit| u64::from_le_bytes(marked(bit));
    type Change = Box<dyn Fn(&mut [u8])>;
    let cases: Vec<(&str, Change)> = vec![
        (
            "whether a table grows",
            Box::new(|bytes| bytes[LIST + 2] = 2),
        ),
        (
            "more buckets of a table are split",
            Box::new(move |bytes| tables::cursor(0).set(bytes, (1 << level) + 1)),
        ),
        (
            "more buckets of a table are split",
            Box::new(move |bytes| tables::cursor(0).set(bytes, 1 << 39)),
        ),
        (
            "the sweep has passed",
            Box::new(move |bytes| tables::cursor(0).set(bytes, 2)),
        ),
        (
            "doubled more often",
            Box::new(move |bytes| tables::level(0).set(bytes, u64::from(first) + 10)),
        ),
        (
            "not one that the layout has",
            Box::new(|bytes| tables::word(bytes, 0).set(bytes, tables::WHOLE)),
        ),
        (
            "not one that the layout has",
            Box::new(|bytes| tables::word(bytes, 2).set(bytes, tables::WHOLE)),
        ),
        (
            "number of items",
            Box::new(|bytes| tables::items(0).set(bytes, 19)),
        ),
        // A mark one bit higher than the doublings leave it, in one that is not split and in a child.
        (
            "a token has fewer bits",
            Box::new(move |bytes| tables::word(bytes, 2).set(bytes, one(level - first))),
        ),
        (
            "a token has fewer bits",
            Box::new(move |bytes| tables::word(bytes, 1).set(bytes, one(level - first + 1))),
        ),
        // As high as it can be, so that only the number of items is wrong.
        (
            "number of items",
            Box::new(move |bytes| {
                tables::word(bytes, 2).set(bytes, one(level - first - 1));
                tables::items(0).set(bytes, 64);
            }),
        ),
        (
            "number of items",
            Box::new(move |bytes| {
                tables::word(bytes, 1).set(bytes, one(level - first));
                tables::items(0).set(bytes, 64);
            }),
        ),
    ];
    for (said, change) in cases {
        let mut bytes = sound.clone();
        change(&mut bytes);
        tables::repair(&mut bytes);
        let error = read(&bytes).expect_err(said);
        assert!(error.to_string().contains(said), "{said}: {error}");
    }
    let mut at_rest = sound.clone();
    tables::growing(0).set(&mut at_rest, 0);
    tables::cursor(0).set(&mut at_rest, 0);
    tables::repair(&mut at_rest);
    assert!(read(&at_rest).is_err());
}

/// For each token of the only table, an item that it may be of.
fn items(bytes: &[u8]) -> Vec<u64> {
    let tokens = tables::tokens(bytes).remove(0);
    tokens.into_iter().map(Token::hash).collect()
}

/// It holds the tokens that its words say, finds and removes each of them, and can be filled again.
fn keeps_its_promises(bytes: &[u8], mut filter: Doubling) {
    assert!(filter.to_bytes() == bytes, "it is what was read, all of it");
    let items = items(bytes);
    assert_eq!((filter.len(), filter.segments()), (items.len(), 1));
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
    let inserted = random(5)
        .take(100)
        .take_while(|&hash| filter.insert_hash(hash).is_ok());
    let inserted = inserted.count();
    assert!(inserted > 0);
    assert!(
        random(5)
            .take(inserted)
            .all(|hash| filter.contains_hash(hash))
    );
    filter.clear();
    assert_eq!((filter.len(), filter.segments()), (0, 1));
}

#[test]
fn the_sound_ones_are_what_their_words_say() {
    // Before the first doubling, and behind up to ten.
    for number in [1, 5, 20, 300, 3_000, 7_000] {
        let bytes = sound(number);
        assert_eq!(items(&bytes).len(), number);
        keeps_its_promises(&bytes, read(&bytes).expect("just written"));
    }
}

/// None or some in front of the cursor, wherever it is, or all, as if whoever moves the hint on had stopped.
#[test]
fn any_bucket_may_be_split_while_a_table_is_growing() {
    for number in [0, 1, 5, 20, 300, 3_000] {
        let level = growing(number, 0, |_| false)[LIST + 1];
        let buckets = 1usize << level;
        for cursor in [0, 1, buckets / 3, buckets - 1, buckets] {
            for share in [0, 1, 2, 4] {
                let is_split = |place| place < cursor || model::mix(place as u64) % 4 < share;
                let bytes = growing(number, cursor, is_split);
                let filter = read(&bytes).expect("sound");
                let doubled = cursor as f64 / buckets as f64;
                assert_eq!(filter.doubled(), Some(doubled), "{number} items");
                keeps_its_promises(&bytes, filter);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Words, and the numbers of the header and of the list, with checksums that match.
    #[test]
    fn whatever_is_changed_is_an_error_or_a_filter(
        number in prop::sample::select(vec![5usize, 20, 60]),
        // Whether it is growing, the cursor, and further buckets that are split.
        stage in prop::option::of((any::<prop::sample::Index>(), any::<u64>())),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        words in prop::collection::vec((any::<prop::sample::Index>(), 0u32..4, any::<u16>()), 0..4),
        marks in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..2),
        counts in any::<bool>(),
    ) {
        let mut bytes = sound(number);
        if let Some((cursor, split)) = stage {
            let cursor = cursor.index((1 << bytes[LIST + 1]) + 1);
            bytes = growing(number, cursor, |place| place < cursor || split >> (place % 64) & 1 == 1);
        }
        let shape = bytes[LIST..LIST + 3].to_vec();
        let count = tables::words(&bytes, 0);
        for (at, byte) in changes {
            let at = at.index(WORDS);
            // Of more tables the test knows nothing.
            if !(56..60).contains(&at) {
                bytes[at] = byte;
            }
        }
        for (word, slot, lane) in words {
            let at = WORDS + 8 * word.index(count) + 2 * slot as usize;
            bytes[at..at + 2].copy_from_slice(&lane.to_le_bytes());
        }
        for (word, whole) in marks {
            let word = tables::word(&bytes, word.index(count));
            word.set(&mut bytes, if whole { tables::WHOLE } else { 0 });
        }
        if counts && bytes[LIST..LIST + 3] == shape {
            let taken = items(&bytes).len() as u64;
            tables::items(0).set(&mut bytes, taken);
        }
        tables::repair(&mut bytes);
        if let Ok(filter) = read(&bytes) {
            keeps_its_promises(&bytes, filter);
        }
    }
}

#[test]
fn other_kinds_of_filters_say_what_they_are() {
    type Ours = lockfree_cuckoo::GrowingCuckooFilter;
    type Chain = lockfree_cuckoo::Filter<lockfree_cuckoo::Growing>;
    let mut chain = Chain::with_capacity(10);
    let mut fixed = CuckooFilter::with_capacity(10);
    let mut ours = Ours::with_capacity(10);
    let grows = |error| {
        matches!(
            error,
            ReadError::OtherKind {
                grows: true,
                doubles: false,
                ..
            }
        )
    };
    assert!(grows(
        Ours::from_bytes(&chain.to_bytes()).expect_err("a chain")
    ));
    let is_fixed = |error| matches!(error, ReadError::OtherKind { grows: false, .. });
    assert!(is_fixed(
        Ours::from_bytes(&fixed.to_bytes()).expect_err("fixed")
    ));
    let error = Chain::from_bytes(&ours.to_bytes()).expect_err("no chain");
    assert!(error.to_string().contains("GrowingCuckooFilter"), "{error}");
    assert!(matches!(
        error,
        ReadError::OtherKind {
            grows: true,
            doubles: true,
            ..
        }
    ));
    assert!(Ours::from_bytes(&ours.to_bytes()).is_ok());
}
