//! What memory reading and writing take, whatever the input claims.

use std::io::{self, Read};

use lockfree_cuckoo::{GrowingCuckooFilter, ReadError, SnapshotError};
use model::stored::{CHECKSUM, HEADER, tables};

use crate::allocations::{cost_of, with_failing};
use crate::alone;

/// What a reader may be trusted with.
const AHEAD: usize = 1 << 19;

/// What a filter may have besides its words: 640 KiB for each of four tables.
const FIXED: usize = 4 * (640 << 10);

/// A stored filter of these tables, each of which began at the one level and is at the other, without words.
fn claiming(tables: &[(u64, u64)]) -> Vec<u8> {
    let builder = GrowingCuckooFilter::builder().buckets(2).seed(1);
    let mut bytes = builder.build().expect("memory").to_bytes();
    let entry = bytes[HEADER..][..tables::ENTRY].to_vec();
    bytes.truncate(HEADER);
    bytes.extend(entry.repeat(tables.len()));
    bytes.extend([0; CHECKSUM]);
    tables::TABLES.set(&mut bytes, tables.len() as u64);
    for (table, &(first, level)) in tables.iter().enumerate() {
        tables::first(table).set(&mut bytes, first);
        tables::level(table).set(&mut bytes, level);
    }
    tables::repair(&mut bytes);
    bytes
}

/// The same with all its words, which are empty buckets.
fn empty(tables: &[(u64, u64)]) -> Vec<u8> {
    let mut bytes = claiming(tables);
    let words: usize = tables.iter().map(|&(_, level)| 1 << level).sum();
    bytes.truncate(bytes.len() - CHECKSUM);
    bytes.resize(bytes.len() + 8 * words + CHECKSUM, 0);
    tables::repair(&mut bytes);
    bytes
}

#[test]
fn a_claim_costs_nothing() {
    let _turn = alone();
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
    let _turn = alone();
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
        assert_eq!(read.expect("sound").tables(), tables.len());
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
    let _turn = alone();
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
    let _turn = alone();
    let given = 8 << 20;
    let bytes = claiming(&[(29, 39)]);
    let endless = bytes[..tables::head(&bytes)]
        .chain(io::repeat(0))
        .take(given);
    let (read, cost) = cost_of(|| GrowingCuckooFilter::read_from(endless));
    assert!(matches!(read, Err(ReadError::Truncated { found, .. }) if found == given));
    assert!(cost.peak <= 3 * given as usize, "{}", cost.peak);
}

#[test]
fn memory_that_cannot_be_had_is_an_error() {
    let _turn = alone();
    let bytes = empty(&[(11, 11), (1, 11)]);
    let from_bytes = || GrowingCuckooFilter::from_bytes(&bytes);
    let read_from = || GrowingCuckooFilter::read_from(bytes.as_slice());
    for read in [
        &from_bytes as &dyn Fn() -> Result<GrowingCuckooFilter, ReadError>,
        &read_from,
    ] {
        let mut failures = 0;
        loop {
            // All but the few bytes that hold the tables together and are not asked for with a choice.
            let (read, cost) = cost_of(|| with_failing(failures, 256, read));
            match read {
                None => break,
                Some(Err(ReadError::OutOfMemory(error))) => assert!(error.bytes() > 0),
                Some(other) => panic!("allocation {failures}: {other:?}"),
            }
            assert_eq!(cost.kept, 0, "allocation {failures}");
            failures += 1;
        }
        // The words, the versions and the descriptors of each, at least.
        assert!(failures >= 3 * 2, "{failures}");
    }
}

#[test]
fn writing_takes_no_memory() {
    let _turn = alone();
    let filter = GrowingCuckooFilter::from_bytes(&empty(&[(11, 11), (1, 11)]));
    let mut filter = filter.expect("sound");
    filter.insert("a").expect("room");
    let (result, cost) = cost_of(|| filter.write_to(io::sink()));
    result.expect("a sink takes all");
    assert_eq!(cost.peak, 0);
    let (bytes, cost) = cost_of(|| filter.to_bytes());
    assert_eq!(cost.peak, bytes.len());
}

#[test]
fn chunks_take_the_memory_of_the_list() {
    let _turn = alone();
    let bytes = empty(&[(11, 11), (1, 11)]);
    let filter = GrowingCuckooFilter::from_bytes(&bytes).expect("sound");
    let (chunks, cost) = cost_of(|| filter.chunks());
    assert!(cost.peak <= 512 + 128 * filter.tables(), "{}", cost.peak);
    assert_eq!(chunks.expect("memory").bytes(), bytes.len() as u64);
    for failing in 0..3 {
        let chunks = with_failing(failing, 1, || filter.chunks().err());
        let error = chunks.expect("so many allocations").expect("an error");
        assert!(matches!(error, SnapshotError::OutOfMemory(_)), "{error}");
    }
}
