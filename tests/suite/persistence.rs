//! Persistence: every kind of filter is the same after it is stored and read.
//!
//! 1. A filter that is read answers as the original, has the same measures, and is stored as the
//!    same bytes. For all shapes, from empty to full.
//! 2. Reading consumes a reader up to the end of the filter and no further, however the reader
//!    splits its bytes. It returns the reader's errors.
//! 3. Writing returns the writer's errors, wherever they occur, and leaves the filter unchanged.
//! 4. The default hasher is stored too. Any other must be passed, and a wrong one is an error.
//! 5. Reading a filter of another kind is an error.
//!
//! `golden` has files of earlier versions, `damage` and `growing` have damaged bytes, and `memory`
//! tests the memory.

use std::fmt::Debug;
use std::fs;
use std::hash::{BuildHasher, RandomState as Sip};
use std::io::{self, Cursor, ErrorKind, Read, Write};

use lockfree_cuckoo::{
    CuckooFilter, DynFilter, Filter, FilterBuilder, RandomState, ReadError,
    filter::{Buildable, Fixed, Kind},
};
use model::hashers::Fnv;
use model::{Layout, mix};

use crate::door::{BUDGETS, DEFAULT, SMALL, TINY, agree, empty, of_each_engine, read_as};

fn filter<E: Buildable>(buckets: usize, seed: u64) -> Filter<E> {
    let builder = Filter::<E>::builder().buckets(buckets).seed(seed);
    builder.build().expect("memory")
}

/// Returns a filter with the items 0 to `items`, except those that it refused. A rotating filter
/// rotates in between.
fn filled<E: Buildable>(buckets: usize, items: usize) -> Filter<E> {
    let filter: DynFilter = filter::<E>(buckets, mix(buckets as u64)).into();
    for item in 0..items {
        if let (Some(rotating), true) = (filter.rotating(), item == items / 2) {
            rotating.rotate().expect("alone");
        }
        let _ = filter.insert(&item);
    }
    from_bytes(&filter.to_bytes().expect("quiet"))
}

/// Returns small and large filters, with one table and with several: growing ones have doubled,
/// once or ten times and more.
fn some<E: Buildable>() -> [Filter<E>; 4] {
    [(2, 0), (4, 20), (1 << 10, 10_000), (2, 18_000)].map(|(buckets, items)| filled(buckets, items))
}

fn from_bytes<E: Buildable>(bytes: &[u8]) -> Filter<E> {
    Filter::from_bytes(bytes).expect("these bytes were just written")
}

fn read_from<E: Buildable>(reader: impl Read) -> Filter<E> {
    Filter::read_from(reader).expect("these bytes were just written")
}

/// Checks property 1, except for later operations.
fn assert_same<E: Buildable>(read: &mut Filter<E>, written: &mut Filter<E>) {
    assert_eq!(read.len(), written.len());
    assert_eq!(read.capacity(), written.capacity());
    assert_eq!(read.slots(), written.slots());
    assert_eq!(read.false_positive_rate(), written.false_positive_rate());
    assert_eq!(read.hasher().seed(), written.hasher().seed());
    for item in 0..2 * written.slots() as u64 {
        assert_eq!(read.count(&item), written.count(&item), "{item}");
        assert_eq!(read.contains(&item), written.contains(&item), "{item}");
        // Absent items: both filters have the same false positives.
        let hash = mix(item);
        assert_eq!(read.contains_hash(hash), written.contains_hash(hash));
    }
    assert!(read.to_bytes().expect("quiet") == written.to_bytes().expect("quiet"));
}

/// Filters of every kind are read as they were written.
#[test]
fn every_kind_round_trips() {
    fn check<E: Buildable>() {
        for mut written in some::<E>() {
            let bytes = written.to_bytes().expect("quiet");
            let mut read = from_bytes(&bytes);
            // The original may not have given back all memory of its growth yet.
            assert!(read.memory_usage() <= written.memory_usage());
            assert_same(&mut read, &mut written);
            assert_same(&mut read_from(bytes.as_slice()), &mut written);
        }
    }
    of_each_engine!(check);
}
/// Every shape from empty to full is read as it was written.
#[test]
fn every_shape_round_trips() {
    for buckets in TINY.into_iter().chain(SMALL).chain([2_048, 31 << 7]) {
        let slots = Layout::DEFAULT.slots * buckets;
        for items in [0, 1, slots / 2, slots * 95 / 100, slots * 2] {
            let mut written = filled::<Fixed>(buckets, items);
            let bytes = written.to_bytes().expect("quiet");
            assert_eq!(bytes.len(), 64 + 16 + 4 + 4 + 8 * buckets + 4);
            let mut read = from_bytes(&bytes);
            assert_eq!(read.memory_usage(), written.memory_usage());
            assert_same(&mut read, &mut written);
        }
    }
}

#[test]
fn the_settings_of_a_builder_are_kept() {
    for budget in BUDGETS {
        let builder = CuckooFilter::builder().seed(1).search_budget(budget);
        let written = builder.buckets(32).build().expect("memory");
        let read: CuckooFilter = from_bytes(&written.to_bytes().expect("quiet"));
        // The search budget shows in the number of items that still find a place in a nearly full
        // table.
        let fill = |filter: &CuckooFilter| {
            (0..126u64)
                .filter(|item| filter.insert(item).is_ok())
                .count()
        };
        assert_eq!(fill(&read), fill(&written), "budget {budget}");
    }
}

/// A reader that returns pieces of this size, and is interrupted before each.
struct Pieces<R> {
    reader: R,
    size: usize,
    interrupted: bool,
}

impl<R: Read> Read for Pieces<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        let size = self.size.min(buffer.len());
        self.reader.read(&mut buffer[..size])
    }
}

/// A reader may give its bytes in any pieces.
#[test]
fn reads_in_any_pieces() {
    fn check<E: Buildable>() {
        // More than one of the pieces in which the filter reads.
        let written = filled::<E>(2_048, 18_000);
        let bytes = written.to_bytes().expect("quiet");
        for size in [1, 3, 23, 63, 64, 65, 4_095, usize::MAX] {
            let reader = Pieces {
                reader: bytes.as_slice(),
                size,
                interrupted: false,
            };
            let read = read_from::<E>(reader);
            assert!(read.to_bytes().expect("quiet") == bytes, "{size}");
        }
    }
    of_each_engine!(check);
}

#[test]
fn later_bytes_of_a_stream_are_left_unread() {
    fn check<E: Buildable>() {
        let mut filters = some::<E>();
        let mut stream = Cursor::new(Vec::new());
        for filter in &mut filters {
            filter.write_to(&mut stream).expect("memory");
            stream.write_all(b"between").expect("memory");
        }
        stream.set_position(0);
        for filter in &mut filters {
            assert_same(&mut read_from(&mut stream), filter);
            let mut between = [0; 7];
            stream.read_exact(&mut between).expect("it was written");
            assert_eq!(&between, b"between");
        }
        assert_eq!(stream.position(), stream.get_ref().len() as u64);
    }
    of_each_engine!(check);
}

#[test]
fn a_failing_reader_s_error_is_returned() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::new(ErrorKind::ConnectionReset, "pulled out"))
        }
    }
    fn check<E: Buildable>() {
        let bytes = filled::<E>(4, 20).to_bytes().expect("quiet");
        for good in 0..bytes.len() {
            let error = Filter::<E>::read_from(bytes[..good].chain(Broken)).expect_err("broken");
            let ReadError::Io(inner) = &error else {
                panic!("{good} bytes: {error:?}");
            };
            assert_eq!(inner.kind(), ErrorKind::ConnectionReset);
            assert!(error.to_string().contains("pulled out"), "{error}");
            assert_eq!(io::Error::from(error).kind(), ErrorKind::ConnectionReset);
        }
    }
    of_each_engine!(check);
}

/// A reader that claims too much is an error.
#[test]
fn reader_claims_too_much() {
    struct Boaster(usize);
    impl Read for Boaster {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Ok(self.0)
        }
    }
    fn check<E: Buildable>() {
        for claim in [65, 1 << 20, usize::MAX] {
            assert!(Filter::<E>::read_from(Boaster(claim)).is_err());
        }
    }
    of_each_engine!(check);
}

/// A writer that takes this many bytes, a few at a time, and then fails.
struct Limited {
    taken: Vec<u8>,
    limit: usize,
    flushed: bool,
}

impl Limited {
    fn to(limit: usize) -> Self {
        Self {
            taken: Vec::new(),
            limit,
            flushed: false,
        }
    }
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(self.limit - self.taken.len()).min(7);
        if count == 0 {
            return Err(ErrorKind::StorageFull.into());
        }
        self.taken.extend(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flushed = true;
        Ok(())
    }
}

#[test]
fn a_failing_writer_s_error_is_returned() {
    fn check<E: Buildable>() {
        let mut filter = filled::<E>(4, 20);
        let bytes = filter.to_bytes().expect("quiet");
        for limit in 0..bytes.len() {
            let mut writer = Limited::to(limit);
            let error = filter.write_to(&mut writer).expect_err("no room");
            assert_eq!(error.kind(), ErrorKind::StorageFull, "{limit}");
            assert_eq!(writer.taken, bytes[..limit]);
        }
        let mut writer = Limited::to(bytes.len());
        filter.write_to(&mut writer).expect("just enough room");
        assert_eq!(writer.taken, bytes);
        assert!(writer.flushed);
        // Only the flush reaches the writer behind the buffer.
        assert!(
            filter
                .write_to(io::BufWriter::new(Limited::to(10)))
                .is_err()
        );
        assert_same(&mut from_bytes(&bytes), &mut filter);
    }
    of_each_engine!(check);
}

fn error_of<F: Debug>(read: Result<F, ReadError>) -> ReadError {
    read.expect_err("it is not to be read like that")
}

/// The hasher is handed over, and a wrong one is noticed. Any hasher can be passed, the default one
/// too.
#[test]
fn hasher_is_checked() {
    fn check<E: Buildable, S: BuildHasher + Clone + 'static>(right: S, wrong: S) -> Vec<u8> {
        let items = || (0..100).map(|item| format!("item {item}"));
        let builder = FilterBuilder::<E, _>::with_hasher(right.clone());
        let mut written = builder.capacity(100).build().expect("memory");
        written.extend(items());
        let bytes = written.to_bytes().expect("quiet");
        let read = |hasher: &S| {
            [
                Filter::<E, _>::from_bytes_with_hasher(&bytes, hasher.clone()),
                Filter::<E, _>::read_from_with_hasher(&*bytes, hasher.clone()),
            ]
        };
        for read in read(&right) {
            let read = read.expect("the same");
            assert!(items().all(|item| read.contains(&item)));
        }
        for read in read(&wrong) {
            assert!(matches!(error_of(read), ReadError::OtherHasher));
        }
        let another = Filter::<E, _>::from_bytes_with_hasher(&bytes, Fnv { key: 9 });
        assert!(matches!(error_of(another), ReadError::OtherHasher));
        bytes
    }
    fn check_all<E: Buildable>() {
        let bytes = check::<E, _>(Fnv { key: 7 }, Fnv { key: 8 });
        let [seven, eight] = [7, 8].map(RandomState::with_seed);
        let default = Filter::<E, _>::from_bytes_with_hasher(&bytes, seven.clone());
        assert!(matches!(error_of(default), ReadError::OtherHasher));
        let missing = [Filter::<E>::from_bytes(&bytes), Filter::read_from(&*bytes)];
        for missing in missing {
            assert!(matches!(error_of(missing), ReadError::HasherNeeded));
        }
        // A hasher is recognized by its keys.
        check::<E, _>(Sip::new(), Sip::new());
        check::<E, _>(seven, eight);
    }
    of_each_engine!(check_all);
    let bytes = check::<Fixed, _>(Fnv { key: 7 }, Fnv { key: 8 });
    let missing = DynFilter::from_bytes(&bytes);
    assert!(matches!(error_of(missing), ReadError::HasherNeeded));
    for (key, is_right) in [(7, true), (8, false)] {
        let hasher = Fnv { key };
        let read = agree(
            DynFilter::from_bytes_with_hasher(&bytes, hasher),
            DynFilter::read_from_with_hasher(&*bytes, hasher),
        );
        let hash = hasher.hash_one("item 1");
        assert_eq!(read.is_ok_and(|read| read.contains_hash(hash)), is_right);
    }
}

/// Reading another kind of filter is an error.
#[test]
fn another_kind_is_an_error() {
    let kinds = [Kind::Fixed, Kind::Growing, Kind::Rotating];
    for stored in kinds {
        let filter = empty(stored, DEFAULT, 20);
        let bytes = filter.to_bytes().expect("quiet");
        assert_eq!(filter.kind(), stored);
        for own in kinds.into_iter().filter(|&own| own != stored) {
            // This error is reported before any other.
            for length in [64, 70, 90, bytes.len()] {
                let error = read_as(own, &bytes[..length]).expect_err("another kind");
                let text = error.to_string();
                assert!(text.contains(&format!("is a {stored}:")), "{text}");
                let is_told = matches!(error, ReadError::OtherKind { kind, .. } if kind == stored);
                assert!(is_told, "{error:?}");
                assert_eq!(io::Error::from(error).kind(), ErrorKind::InvalidInput);
            }
        }
        if stored != Kind::Fixed {
            let error = error_of(CuckooFilter::from_bytes_with_hasher(&bytes, Fnv { key: 1 }));
            assert!(matches!(error, ReadError::OtherKind { .. }), "{error:?}");
        }
    }
}

/// Errors have texts, and convert to `io::Error`.
#[test]
fn texts_of_errors() {
    let filter = filled::<Fixed>(2, 5);
    let bytes = filter.to_bytes().expect("quiet");
    let cut = || error_of(CuckooFilter::from_bytes(&bytes[..90]));
    assert_eq!(
        cut().to_string(),
        "the stored filter ends early: 90 bytes of at least 108"
    );
    let header = error_of(CuckooFilter::from_bytes(&bytes[..60]));
    assert_eq!(
        header.to_string(),
        "the stored filter ends early: 60 bytes of at least 64"
    );
    assert_eq!(io::Error::from(cut()).kind(), ErrorKind::UnexpectedEof);
    let foreign = error_of(CuckooFilter::from_bytes(b"foreign"));
    let foreign = io::Error::from(foreign);
    assert_eq!(foreign.kind(), ErrorKind::InvalidData);
    assert!(
        foreign
            .get_ref()
            .is_some_and(|inner| inner.is::<ReadError>())
    );

    fn from_a_file(path: &str) -> Result<CuckooFilter, ReadError> {
        CuckooFilter::read_from(fs::File::open(path)?)
    }
    let missing = error_of(from_a_file("no/such/file"));
    assert!(matches!(&missing, ReadError::Io(error) if error.kind() == ErrorKind::NotFound));
    // It wraps the error of the system: the same text, and the same source.
    let ReadError::Io(inner) = &missing else {
        unreachable!("just matched");
    };
    assert_eq!(missing.to_string(), inner.to_string());
    assert!(std::error::Error::source(&missing).is_none());

    fn assert_shareable<T: Send + Sync + 'static>() {}
    assert_shareable::<ReadError>();
}
