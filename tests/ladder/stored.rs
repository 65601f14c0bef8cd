//! The stored form: written and read, whole, in chunks, and damaged.

use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::{CuckooFilter, ReadError};
use model::hashers::AsGiven;

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

/// With the checksums made to match again.
#[test]
fn what_cannot_be_is_an_error() {
    const LIST: usize = 64;
    const WORDS: usize = LIST + 24;
    let mut stored = filter(8);
    for hash in random(1).take(20) {
        stored.insert_hash(hash).expect("memory");
    }
    let sound = stored.to_bytes();
    let repaired = |change: &dyn Fn(&mut [u8])| {
        let mut bytes = sound.clone();
        change(&mut bytes);
        let header = crc(&bytes[..60]);
        bytes[60..64].copy_from_slice(&header.to_le_bytes());
        let covered = [&bytes[..60], &bytes[LIST..LIST + 20]].concat();
        bytes[LIST + 20..WORDS].copy_from_slice(&crc(&covered).to_le_bytes());
        let end = bytes.len() - 4;
        let covered = [&covered[..], &bytes[WORDS..end]].concat();
        bytes[end..].copy_from_slice(&crc(&covered).to_le_bytes());
        bytes
    };
    assert!(repaired(&|_| {}) == sound);
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
    ];
    for (said, change) in cases {
        let error = read(&repaired(&*change)).expect_err(said);
        assert!(error.to_string().contains(said), "{said}: {error}");
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
