//! What memory reading and writing filters that double take, whatever the input claims.

use std::io::{self, Read};

use lockfree_cuckoo::{GrowingCuckooFilter, Ladder, ReadError, SnapshotError};
use model::stored::crc32;

use super::allocations::{cost_of, with_failing};
use super::{AHEAD, is_an_error_without_memory, is_written_without_memory};

/// What a filter may have besides its words: 640 KiB for each of four tables.
const FIXED: usize = 4 * (640 << 10);

const HEADER: usize = 64;
const ENTRY: usize = 24;
const CHECKSUM: usize = 4;

/// Where the number of tables is.
const TABLES: usize = 56;

/// A stored filter of these tables, each of which began at the one level and is at the other, without words.
fn claiming(tables: &[(u8, u8)]) -> Vec<u8> {
    let builder = GrowingCuckooFilter::builder().buckets(2).seed(1);
    let mut filter = builder.build().expect("memory");
    let mut bytes = filter.to_bytes();
    bytes[TABLES] = tables.len() as u8;
    let entry = bytes[HEADER..][..ENTRY].to_vec();
    bytes.truncate(HEADER);
    for &(first, level) in tables {
        bytes.extend([first, level]);
        bytes.extend(&entry[2..]);
    }
    bytes.extend([0; CHECKSUM]);
    repair(&mut bytes);
    bytes
}

/// Makes the checksums match: of the header, behind each entry, and at the end.
fn repair(bytes: &mut [u8]) {
    let header = crc32(&bytes[..HEADER - CHECKSUM]);
    bytes[HEADER - CHECKSUM..HEADER].copy_from_slice(&header.to_le_bytes());
    let mut covered = bytes[..HEADER - CHECKSUM].to_vec();
    let mut at = HEADER;
    for _ in 0..bytes[TABLES] {
        covered.extend(&bytes[at..at + ENTRY - CHECKSUM]);
        at += ENTRY;
        bytes[at - CHECKSUM..at].copy_from_slice(&crc32(&covered).to_le_bytes());
    }
    let end = bytes.len() - CHECKSUM;
    covered.extend(&bytes[at..end]);
    bytes[end..].copy_from_slice(&crc32(&covered).to_le_bytes());
}

/// The same with all its words, which are empty buckets.
fn empty(tables: &[(u8, u8)]) -> Vec<u8> {
    let mut bytes = claiming(tables);
    let words: usize = tables.iter().map(|&(_, level)| 1 << level).sum();
    bytes.truncate(bytes.len() - CHECKSUM);
    bytes.resize(bytes.len() + 8 * words + CHECKSUM, 0);
    repair(&mut bytes);
    bytes
}

#[test]
fn a_claim_costs_nothing() {
    for level in 2..=39 {
        for tables in [
            &[(1, level)][..],
            &[(level.max(11) - 10, level)],
            &[(11, level), (1, 11)],
        ] {
            let bytes = claiming(tables);
            let (read, cost) = cost_of(|| GrowingCuckooFilter::from_bytes(&bytes));
            assert!(read.is_err(), "{tables:?}: there are no words");
            assert!(cost.peak <= 1 << 10, "{tables:?}: {}", cost.peak);
            let (read, cost) = cost_of(|| GrowingCuckooFilter::read_from(bytes.as_slice()));
            assert!(read.is_err());
            assert!(cost.peak <= AHEAD + (1 << 10), "{tables:?}: {}", cost.peak);
        }
    }
}

#[test]
fn an_input_costs_no_more_than_three_of_it() {
    for tables in [
        &[(1, 1)][..],
        &[(1, 11)],
        &[(8, 18)],
        &[(20, 20)],
        &[(11, 11), (1, 11)],
        &[(11, 20), (1, 11)],
    ] {
        let bytes = empty(tables);
        let most = 3 * bytes.len() + FIXED;
        let (read, cost) = cost_of(|| GrowingCuckooFilter::from_bytes(&bytes));
        assert_eq!(read.expect("sound").segments(), tables.len());
        assert!(cost.peak <= most, "{} of {most}", cost.peak);
        let (read, cost) = cost_of(|| GrowingCuckooFilter::read_from(bytes.as_slice()));
        assert!(read.is_ok());
        assert!(cost.peak <= most, "{} of {most}", cost.peak);

        let mut damaged = bytes.clone();
        *damaged.last_mut().expect("not empty") ^= 1;
        let (read, cost) = cost_of(|| GrowingCuckooFilter::from_bytes(&damaged));
        assert!(matches!(read, Err(ReadError::Checksum)));
        assert_eq!(cost.kept, 0);
    }
}

#[test]
fn a_reader_costs_no_more_than_it_gives() {
    let bytes = empty(&[(8, 18)]);
    // These words are never all read.
    let mut claiming = claiming(&[(29, 39)]);
    claiming.resize(bytes.len(), 0);
    for log in 0..21 {
        for bytes in [&bytes, &claiming] {
            let end = 1 << log;
            let (read, cost) = cost_of(|| GrowingCuckooFilter::read_from(&bytes[..end]));
            assert!(matches!(read, Err(ReadError::Truncated { .. })), "{end}");
            assert!(
                cost.largest <= AHEAD.max(2 * end),
                "{end}: {}",
                cost.largest
            );
            let most = (AHEAD + end).max(3 * end) + (1 << 10);
            assert!(cost.peak <= most, "{end}: {}", cost.peak);
            assert_eq!(cost.kept, 0);
        }
    }
}

#[test]
fn an_endless_reader_is_not_believed_either() {
    let given = 8 << 20;
    let bytes = claiming(&[(29, 39)]);
    let endless = bytes[..HEADER + ENTRY].chain(io::repeat(0)).take(given);
    let (read, cost) = cost_of(|| GrowingCuckooFilter::read_from(endless));
    assert!(matches!(read, Err(ReadError::Truncated { found, .. }) if found == given));
    assert!(cost.peak <= 3 * given as usize, "{}", cost.peak);
}

#[test]
fn memory_that_cannot_be_had_is_an_error() {
    // All but the few bytes that hold the tables together and are not asked for with a choice. The words, the versions
    // and the descriptors of each, at least.
    is_an_error_without_memory::<Ladder>(&empty(&[(11, 11), (1, 11)]), 256, 3 * 2);
}

#[test]
fn writing_takes_no_memory() {
    let filter = GrowingCuckooFilter::from_bytes(&empty(&[(11, 11), (1, 11)]));
    is_written_without_memory(filter.expect("sound"));
}

#[test]
fn chunks_take_the_memory_of_the_list() {
    let bytes = empty(&[(11, 11), (1, 11)]);
    let filter = GrowingCuckooFilter::from_bytes(&bytes).expect("sound");
    let (chunks, cost) = cost_of(|| filter.chunks());
    assert!(cost.peak <= 512 + 128 * filter.segments(), "{}", cost.peak);
    assert_eq!(chunks.expect("memory").bytes(), bytes.len() as u64);
    for failing in 0..3 {
        let chunks = with_failing(failing, 1, || filter.chunks().err());
        let error = chunks.expect("so many allocations").expect("an error");
        assert!(matches!(error, SnapshotError::OutOfMemory(_)), "{error}");
    }
}
