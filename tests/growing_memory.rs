//! What memory reading and writing filters that grow take, whatever the input claims.
//!
//! 1. From bytes, nothing of note before their length is checked.
//! 2. From a reader, in one piece no more than 512 KiB or twice what has come.
//! 3. In all, no more than three times the input and 1,280 KiB, with as many segments as there can be.
//! 4. Memory for tables that cannot be had is an error, whichever allocation fails, and nothing is kept.
//! 5. Writing takes none.
//!
//! The same of filters that double, in `doubling`.

#[path = "common/allocations.rs"]
mod allocations;
#[path = "ladder/memory.rs"]
mod doubling;

use std::io::{self, Read};

use allocations::{cost_of, with_failing};
use lockfree_cuckoo::{Filter, Growing, Grows, ReadError, SnapshotError};
use model::stored::{self, list};

/// A filter that grows by segments.
type Chain<S = lockfree_cuckoo::RandomState> = Filter<Growing, S>;

/// What a filter may have besides its tables, with as many segments as there can be: the 640 KiB of a filter of
/// one table, and as much again.
const FIXED: usize = 1_280 << 10;

/// What a reader may be trusted with.
const AHEAD: usize = 1 << 19;

/// The list of as many segments as there can be, in memory.
const LIST: usize = 255 * 64;

/// A stored filter with segments of these shapes that are empty, without words.
fn claiming(shapes: &[u64]) -> Vec<u8> {
    let mut filter = Chain::builder()
        .capacity(8)
        .seed(1)
        .build()
        .expect("memory");
    let mut bytes = filter.to_bytes();
    let entry = bytes[stored::HEADER..][..list::ENTRY].to_vec();
    bytes.truncate(stored::HEADER);
    bytes.extend(entry.repeat(shapes.len()));
    bytes.extend([0; stored::CHECKSUM]);
    list::SEGMENTS.set(&mut bytes, shapes.len() as u64);
    list::START.set(&mut bytes, shapes.iter().copied().min().expect("one"));
    for (segment, &buckets) in shapes.iter().enumerate() {
        list::buckets(segment).set(&mut bytes, buckets);
        list::items(segment).set(&mut bytes, 0);
    }
    list::repair(&mut bytes);
    bytes
}

/// The same with all its words, which are empty buckets.
fn empty(shapes: &[u64]) -> Vec<u8> {
    let mut bytes = claiming(shapes);
    let words = shapes.iter().sum::<u64>() as usize;
    bytes.truncate(list::head(&bytes));
    bytes.resize(bytes.len() + 8 * words + stored::CHECKSUM, 0);
    list::repair(&mut bytes);
    bytes
}

/// Segments of doubling sizes, the finest of so many buckets.
fn grown(finest: u64) -> Vec<u8> {
    let shapes: Vec<u64> = (0..5).map(|log| finest >> log).collect();
    empty(&shapes)
}

#[test]
fn a_claim_costs_nothing() {
    for log in 4..64 {
        for segments in [1, 3, 255] {
            let bytes = claiming(&vec![1 << log; segments]);
            let (read, cost) = cost_of(|| Chain::from_bytes(&bytes));
            let error = read.expect_err("there are no words");
            let told = matches!(
                error,
                ReadError::Truncated { .. } | ReadError::TooLarge { .. }
            );
            assert!(told, "2^{log} buckets: {error}");
            assert!(cost.peak <= LIST, "2^{log} buckets: {}", cost.peak);

            let (read, cost) = cost_of(|| Chain::read_from(bytes.as_slice()));
            assert!(read.is_err());
            assert!(cost.peak <= AHEAD + 2 * LIST, "2^{log}: {}", cost.peak);
        }
    }
}

#[test]
fn an_input_costs_no_more_than_three_of_it() {
    let shapes = [
        vec![2; 255],
        vec![16; 255],
        vec![64; 255],
        vec![1 << 8; 255],
        vec![1 << 10; 255],
        vec![1 << 14; 20],
        vec![1 << 20, 1 << 18, 1 << 10],
    ];
    for shapes in shapes {
        let bytes = empty(&shapes);
        let most = 3 * bytes.len() + FIXED;
        let (read, cost) = cost_of(|| Chain::from_bytes(&bytes));
        assert_eq!(read.expect("sound").segments(), shapes.len());
        assert!(cost.peak <= most, "{} of {most}", cost.peak);
        let (read, cost) = cost_of(|| Chain::read_from(bytes.as_slice()));
        assert!(read.is_ok());
        assert!(cost.peak <= most, "{} of {most}", cost.peak);

        // If something is wrong that shows only at the end, the tables are all that was allocated.
        let mut damaged = bytes.clone();
        *damaged.last_mut().expect("not empty") ^= 1;
        let (read, cost) = cost_of(|| Chain::from_bytes(&damaged));
        assert!(matches!(read, Err(ReadError::Checksum)));
        assert!(cost.peak <= bytes.len() + 2 * LIST, "{}", cost.peak);
        assert_eq!(cost.kept, 0);
    }
}

#[test]
fn a_reader_costs_no_more_than_it_gives() {
    let bytes = grown(1 << 18);
    let mut claiming = bytes.clone();
    for segment in 0..5 {
        list::buckets(segment).set(&mut claiming, 1 << 40);
    }
    // Only the list: these words are never all read.
    list::repair(&mut claiming[..stored::HEADER + 5 * list::ENTRY]);
    let ends = (0..22).map(|log| 1 << log).chain([bytes.len() - 1]);
    for end in ends.filter(|&end| end < bytes.len()) {
        for bytes in [&bytes[..end], &claiming[..end]] {
            let (read, cost) = cost_of(|| Chain::read_from(bytes));
            assert!(matches!(read, Err(ReadError::Truncated { .. })), "{end}");
            assert!(
                cost.largest <= AHEAD.max(2 * end),
                "{end}: {}",
                cost.largest
            );
            // While a table is moved to where there is more room, it is there twice.
            let most = (AHEAD + end).max(3 * end) + 2 * LIST;
            assert!(cost.peak <= most, "{end}: {}", cost.peak);
            assert_eq!(cost.kept, 0);
        }
    }
}

#[test]
fn an_endless_reader_is_not_believed_either() {
    // Zeros are empty buckets, as good as any; it ends after 8 MiB.
    let given = 8 << 20;
    for shapes in [vec![1 << 40; 3], vec![1 << 20, 1 << 20, 1 << 12]] {
        let bytes = claiming(&shapes);
        let head = list::head(&bytes);
        let endless = bytes[..head].chain(io::repeat(0)).take(given);
        let (read, cost) = cost_of(|| Chain::read_from(endless));
        assert!(matches!(read, Err(ReadError::Truncated { found, .. }) if found == given));
        assert!(cost.peak <= 3 * given as usize, "{}", cost.peak);
    }
}

/// Each allocation of so many bytes fails once; there are at least so many of them.
fn is_an_error_without_memory<E: Grows>(bytes: &[u8], least: usize, fewest: usize) {
    let from_bytes = || Filter::<E>::from_bytes(bytes);
    let read_from = || Filter::<E>::read_from(bytes);
    for read in [
        &from_bytes as &dyn Fn() -> Result<Filter<E>, ReadError>,
        &read_from,
    ] {
        let mut failures = 0;
        loop {
            let (read, cost) = cost_of(|| with_failing(failures, least, read));
            match read {
                None => break,
                Some(Err(ReadError::OutOfMemory(error))) => assert!(error.bytes() > 0),
                Some(other) => panic!("allocation {failures}: {other:?}"),
            }
            assert_eq!(cost.kept, 0, "allocation {failures}");
            failures += 1;
        }
        assert!(failures >= fewest, "{failures}");
    }
}

#[test]
fn memory_that_cannot_be_had_is_an_error() {
    // All but the few bytes that hold a list together and are not asked for with a choice. The table, the versions and
    // the descriptors of each, at least.
    is_an_error_without_memory::<Growing>(&grown(1 << 16), 512, 3 * 5);
}

fn is_written_without_memory<E: Grows>(mut filter: Filter<E>) {
    filter.insert("a").expect("room");
    let (result, cost) = cost_of(|| filter.write_to(io::sink()));
    result.expect("a sink takes all");
    assert_eq!(cost.peak, 0);
    let (bytes, cost) = cost_of(|| filter.to_bytes());
    assert_eq!(cost.peak, bytes.len());
}

#[test]
fn writing_takes_no_memory() {
    is_written_without_memory(Chain::from_bytes(&grown(1 << 12)).expect("sound"));
}

#[test]
fn chunks_take_the_memory_of_the_list() {
    let bytes = grown(1 << 12);
    let filter = Chain::from_bytes(&bytes).expect("sound");
    // What a thread needs once, to look at any filter that grows.
    assert!(!filter.contains("a"));
    let (chunks, cost) = cost_of(|| filter.chunks());
    let most = 512 + 128 * filter.segments();
    assert!(cost.peak <= most, "{}", cost.peak);
    assert_eq!(chunks.expect("memory").bytes(), bytes.len() as u64);
    // The lists of segments, twice, and of bytes.
    for failing in 0..3 {
        let chunks = with_failing(failing, 1, || filter.chunks().err());
        let error = chunks.expect("so many allocations").expect("an error");
        assert!(matches!(error, SnapshotError::OutOfMemory(_)), "{error}");
    }
}
