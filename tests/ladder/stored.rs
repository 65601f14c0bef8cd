//! The stored form: written and read, whole, in chunks, and damaged.

use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::{CuckooFilter, ReadError};
use model::hashers::AsGiven;
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

#[test]
fn chunks_are_the_same_bytes() {
    let mut filter = filter(8);
    for hash in random(1).take(25_000) {
        filter.insert_hash(hash).expect("memory");
    }
    filter.shrink_to_fit();
    for size in [1, 7, 64, 4_096] {
        let mut chunks = filter.chunks().expect("memory");
        let (mut bytes, mut chunk) = (Vec::new(), vec![0; size]);
        loop {
            match chunks.next_chunk(&mut chunk).expect("nobody writes") {
                0 => break,
                count => bytes.extend_from_slice(&chunk[..count]),
            }
        }
        assert_eq!(bytes.len() as u64, chunks.bytes());
        drop(chunks);
        assert!(bytes == filter.to_bytes(), "in chunks of {size}");
    }
}

/// Whether it is a growth that has begun, one that goes on, or an insert.
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

/// Makes the checksums match, if there is one table.
fn repair(bytes: &mut [u8]) {
    let header = crc(&bytes[..60]);
    bytes[60..64].copy_from_slice(&header.to_le_bytes());
    let covered = [&bytes[..60], &bytes[LIST..LIST + 20]].concat();
    bytes[LIST + 20..WORDS].copy_from_slice(&crc(&covered).to_le_bytes());
    let end = bytes.len() - 4;
    let covered = [&covered[..], &bytes[WORDS..end]].concat();
    bytes[end..].copy_from_slice(&crc(&covered).to_le_bytes());
}

/// Of one table, which holds so many items.
fn sound(items: usize) -> Vec<u8> {
    let mut stored = filter(8);
    for hash in random(1).take(items) {
        stored.insert_hash(hash).expect("memory");
    }
    stored.to_bytes()
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
        repair(&mut bytes);
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
            "unused byte of a list",
            Box::new(|bytes| bytes[LIST + 2] = 1),
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

/// For each token of the only table, an item that it may be of: from the number of its bucket, and from its lane.
fn items(bytes: &[u8]) -> Vec<u64> {
    const SIDE: u64 = 1 << 62;
    let (first, level) = (bytes[LIST], u32::from(bytes[LIST + 1]));
    let words = bytes[WORDS..WORDS + (8 << level)].chunks_exact(8);
    let lanes = words.zip(0u64..).flat_map(|(word, place)| {
        let lanes = word.chunks_exact(2);
        lanes.map(move |lane| (place, u64::from(u16::from_le_bytes([lane[0], lane[1]]))))
    });
    lanes
        .filter(|&(_, lane)| lane != 0)
        .map(|(place, lane)| {
            let (head, tail) = (lane & 0xfc00, lane & 0x3ff);
            // Behind the tail there is a mark, unless the table is as it began.
            let tail = if u32::from(first) == level {
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
        })
        .collect()
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Words, and the numbers of the header and of the list, with checksums that match.
    #[test]
    fn whatever_is_changed_is_an_error_or_a_filter(
        number in prop::sample::select(vec![5usize, 20, 60]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        words in prop::collection::vec((any::<prop::sample::Index>(), 0u32..4, any::<u16>()), 0..4),
        counts in any::<bool>(),
    ) {
        let mut bytes = sound(number);
        let level = u32::from(bytes[LIST + 1]);
        for (at, byte) in changes {
            let at = at.index(WORDS);
            // Of more tables the test knows nothing.
            if at != 56 {
                bytes[at] = byte;
            }
        }
        for (word, slot, lane) in words {
            let at = WORDS + 8 * word.index(1 << level) + 2 * slot as usize;
            bytes[at..at + 2].copy_from_slice(&lane.to_le_bytes());
        }
        if counts && u32::from(bytes[LIST + 1]) == level {
            let lanes = bytes[WORDS..WORDS + (8 << level)].chunks_exact(2);
            let taken = lanes.filter(|lane| *lane != [0, 0]).count() as u64;
            bytes[LIST + 8..LIST + 16].copy_from_slice(&taken.to_le_bytes());
        }
        repair(&mut bytes);
        if let Ok(filter) = read(&bytes) {
            keeps_its_promises(&bytes, filter);
        }
    }
}

/// As in PNG.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| (crc >> 1) ^ ((crc & 1) * 0xedb8_8320);
    let byte = |crc: u32, &byte: &u8| (0..8).fold(crc ^ u32::from(byte), step);
    !bytes.iter().fold(!0, byte)
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
