//! What is stored of a filter that grows is read again, the same. Readers, writers and hashers also of one that doubles; the
//! rest of that is in `ladder`.
//!
//! 1. A filter that is read answers as the one that was written, has its segments and measures, and is written as
//!    the same bytes; the same operations on both have the same outcomes. With any number of segments, after
//!    growth, removal and shrinking.
//! 2. It grows as the other would have: by the same factor, to the same limits; and it shrinks.
//! 3. A reader is read to the end of the filter and no further; its failures and those of a writer are told.
//! 4. The default hasher is stored along. Any other has to be handed over, and a wrong one is noticed.
//! 5. Filters of the two kinds are not taken for each other.
//!
//! Bytes that were never written are in `growing_damage`, what memory it takes in `growing_memory`.

use std::fmt::Debug;
use std::fs;
use std::hash::BuildHasher;
use std::io::{self, Cursor, ErrorKind, Read, Write};

use lockfree_cuckoo::testing::AddSegment;
use lockfree_cuckoo::{
    CuckooFilter, Filter, FilterBuilder, Growing, GrowingCuckooFilter, Grows, Ladder, RandomState,
    ReadError,
};
use model::hashers::Fnv;
use model::stored::list;
use model::{Layout, mix};
use proptest::prelude::*;

/// A filter that grows by segments.
type Chain<S = RandomState> = Filter<Growing, S>;

/// A filter that has grown to so many segments, of which the last is about half full. It holds the items from 0.
fn grown(capacity: usize, factor: usize, segments: usize) -> Chain {
    let builder = Chain::builder()
        .capacity(capacity)
        .growth_factor(factor)
        .seed(mix(segments as u64));
    let filter = builder.build().expect("memory");
    let mut items = 0u64..;
    let mut insert = || {
        filter
            .insert(&items.next().expect("endless"))
            .expect("no limits")
    };
    while filter.segments() < segments {
        insert();
    }
    let half = filter.len() + (filter.capacity() - filter.len()) / 2;
    while filter.len() < half {
        insert();
    }
    filter
}

/// One that has doubled as often as that takes, or more. It holds the items from 0.
fn doubled(capacity: usize, items: u64) -> GrowingCuckooFilter {
    let builder = GrowingCuckooFilter::builder().capacity(capacity);
    let filter = builder.seed(mix(items)).build().expect("memory");
    for item in 0..items {
        filter.insert(&item).expect("no limits");
    }
    filter
}

fn from_bytes<E: Grows>(bytes: &[u8]) -> Filter<E> {
    Filter::from_bytes(bytes).expect("these bytes were just written")
}

fn read_from<E: Grows>(reader: impl Read) -> Filter<E> {
    Filter::read_from(reader).expect("these bytes were just written")
}

fn assert_same<E: Grows>(read: &mut Filter<E>, written: &mut Filter<E>) {
    assert_eq!(read.len(), written.len());
    assert_eq!(read.segments(), written.segments());
    assert_eq!(read.capacity(), written.capacity());
    assert_eq!(read.slots(), written.slots());
    // One that doubles gives back what it has grown out of when it can.
    assert!(read.memory_usage() <= written.memory_usage());
    assert_eq!(read.false_positive_rate(), written.false_positive_rate());
    assert_eq!(read.hasher().seed(), written.hasher().seed());
    for item in 0..written.slots() as u64 {
        assert_eq!(read.count(&item), written.count(&item), "{item}");
        // Absent but for false positives, which are the same.
        let hash = mix(item);
        assert_eq!(read.contains_hash(hash), written.contains_hash(hash));
    }
    assert!(read.to_bytes() == written.to_bytes());
}

#[test]
fn one_to_six_segments_are_read_as_they_were_written() {
    for capacity in [0, 45, 1_000] {
        for factor in [2, 4] {
            for segments in 1..=6 {
                let mut written = grown(capacity, factor, segments);
                let bytes = written.to_bytes();
                assert_eq!(bytes.len(), 64 + 24 * segments + 2 * written.slots() + 4);
                assert_same(&mut from_bytes(&bytes), &mut written);
                assert_same(&mut read_from(bytes.as_slice()), &mut written);
            }
        }
    }
}

#[test]
fn an_empty_filter_and_a_full_one_are_too() {
    for items in [0, 1, 100] {
        let builder = Chain::builder().capacity(100);
        let mut written = builder.build().expect("memory");
        for item in 0..items {
            written.insert(&item).expect("sized for it");
        }
        assert_same(&mut from_bytes(&written.to_bytes()), &mut written);
    }
}

#[test]
fn what_removal_has_left_is_read_as_it_was_written() {
    let mut written = grown(100, 2, 5);
    let items = written.len() as u64;
    for item in (0..items).filter(|item| item % 7 > 0) {
        assert!(written.remove(&item));
    }
    written.shrink_to_fit();
    let read: &mut Chain = &mut from_bytes(&written.to_bytes());
    assert_same(read, &mut written);
    assert!((0..items).step_by(7).all(|item| read.contains(&item)));
}

#[test]
fn the_segment_that_takes_inserts_is_kept_wherever_it_is() {
    for target in [64, 128, 256, 1_024] {
        let mut written = grown(200, 2, 3);
        assert!(written.add_segment(target));
        let bytes = written.to_bytes();
        let index = list::TARGET.get(&bytes) as usize;
        assert_eq!(list::shapes(&bytes)[index], target);
        let mut read: Chain = from_bytes(&bytes);
        assert_same(&mut read, &mut written);
        for item in 0..target as u64 {
            written.insert(&item).expect("room");
            read.insert(&item).expect("room");
        }
        let bytes = written.to_bytes();
        assert_eq!(list::items(index).get(&bytes), target as u64);
        assert_same(&mut read, &mut written);
    }
}

#[test]
fn it_grows_by_the_same_factor_and_begins_anew_with_the_same_size() {
    for factor in [2, 4, 16, 1 << 16] {
        let mut written = grown(8, factor, 2);
        let mut read: Chain = from_bytes(&written.to_bytes());
        if factor < 1 << 16 {
            for filter in [&written, &read] {
                let mut items = 0u64..;
                while filter.segments() < 3 {
                    filter.insert(&items.next()).expect("no limits");
                }
            }
            assert_same(&mut read, &mut written);
        }
        read.clear();
        assert_eq!((read.slots(), read.segments(), read.len()), (8, 1, 0));
        for item in 0..9 {
            read.insert(&item).expect("no limits");
        }
        assert_eq!(read.slots(), 8 + 8 * factor);
    }
}

/// Fills it, and tells what stands in the way of more.
fn limit(filter: &Chain) -> impl Debug + PartialEq + use<> {
    let error = (0..1u64 << 20).find_map(|item| filter.insert(&item).err());
    (error.expect("there is a limit"), filter.segments())
}

#[test]
fn the_limits_are_kept_and_hold() {
    let builder = || Chain::builder().capacity(100).seed(5);
    for builder in [
        builder().max_false_positive_rate(0.0003),
        builder().max_false_positive_rate(0.0007),
        builder().max_memory_usage(20_000),
        builder().max_memory_usage(100_000).growth_factor(4),
    ] {
        let mut written = builder.build().expect("possible");
        let read: Chain = from_bytes(&written.to_bytes());
        let reached = limit(&written);
        assert_eq!(limit(&read), reached);
        // Again, when it cannot grow any more.
        let read: Chain = from_bytes(&written.to_bytes());
        assert_eq!(limit(&read), limit(&written));
        assert_eq!(read.segments(), written.segments());
    }
    let mut unlimited = builder();
    for _ in 0..2 {
        let bytes = unlimited.clone().build().expect("possible").to_bytes();
        assert_eq!(list::MEMORY.get(&bytes), u64::MAX);
        from_bytes::<Growing>(&bytes);
        unlimited = unlimited.max_memory_usage(usize::MAX);
    }
}

#[test]
fn segments_that_are_emptied_after_reading_go() {
    let mut written = grown(200, 2, 5);
    let read: Chain = from_bytes(&written.to_bytes());
    for item in 0..written.len() as u64 {
        assert!(read.remove(&item));
    }
    assert!(read.is_empty());
    read.shrink_to_fit();
    // The first one anew, and the one before it at most, which another thread may seem to write to.
    assert!(read.segments() <= 2, "{}", read.segments());

    // One of the first size takes the inserts already, behind the others.
    assert!(written.add_segment(64));
    let read: Chain = from_bytes(&written.to_bytes());
    assert_eq!(list::TARGET.get(&written.to_bytes()), 4);
    for item in 0..written.len() as u64 {
        assert!(read.remove(&item));
    }
    read.shrink_to_fit();
    assert_eq!(
        (read.segments(), read.slots()),
        (1, Layout::DEFAULT.slots * 64)
    );
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Insert(u64),
    InsertUnique(u64),
    Remove(u64),
    Shrink,
}

fn step(items: u64) -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..items).prop_map(Step::Insert),
        4 => (0..items).prop_map(Step::InsertUnique),
        6 => (0..items).prop_map(Step::Remove),
        1 => Just(Step::Shrink),
    ]
}

/// What a step answers, as text.
fn take(filter: &Chain, step: Step) -> String {
    match step {
        Step::Insert(item) => format!("{:?}", filter.insert(&item)),
        Step::InsertUnique(item) => format!("{:?}", filter.insert_unique(&item)),
        // Only what is in: a removal of anything else would be the test's own mistake.
        Step::Remove(item) => format!("{:?}", filter.contains(&item) && filter.remove(&item)),
        Step::Shrink => {
            filter.shrink_to_fit();
            String::new()
        }
    }
}

proptest! {
    #[test]
    fn the_same_operations_have_the_same_outcomes_afterwards(
        capacity in prop::sample::select(vec![0, 20, 45]),
        factor in prop::sample::select(vec![2, 8]),
        seed: u64,
        before in prop::collection::vec(step(200), 0..300),
        after in prop::collection::vec(step(200), 0..300),
    ) {
        let builder = Chain::builder().capacity(capacity);
        let mut written = builder.growth_factor(factor).seed(seed).build().expect("memory");
        for &step in &before {
            take(&written, step);
        }
        let mut read: Chain = from_bytes(&written.to_bytes());
        assert_same(&mut read, &mut written);
        // When an empty segment goes depends on what other threads are about; so nobody shrinks from here on.
        for &step in after.iter().filter(|step| !matches!(step, Step::Shrink)) {
            prop_assert_eq!(take(&read, step), take(&written, step), "{:?}", step);
        }
        prop_assert_eq!(read.len(), written.len());
        for item in 0..200u64 {
            prop_assert_eq!(read.count(&item), written.count(&item));
        }
    }
}

/// Gives its bytes in pieces of this size, and is interrupted before each.
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

#[test]
fn a_reader_may_give_its_bytes_in_any_pieces() {
    // More than one piece of the filter's own reading.
    is_read_in_pieces(grown(3_000, 4, 3));
    is_read_in_pieces(doubled(1, 40_000));
}

fn is_read_in_pieces<E: Grows>(mut written: Filter<E>) {
    let bytes = written.to_bytes();
    for size in [1, 23, 24, 63, 64, 65, 4_095, usize::MAX] {
        let reader = Pieces {
            reader: bytes.as_slice(),
            size,
            interrupted: false,
        };
        assert_same(&mut read_from(reader), &mut written);
    }
}

#[test]
fn what_follows_in_a_stream_is_left_unread() {
    are_read_from_a_stream([grown(0, 2, 1), grown(45, 4, 3), grown(1_000, 2, 4)]);
    are_read_from_a_stream([doubled(0, 0), doubled(45, 1_000), doubled(1, 20_000)]);
}

fn are_read_from_a_stream<E: Grows>(mut filters: [Filter<E>; 3]) {
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

#[test]
fn a_failing_reader_s_error_is_told() {
    fails_with_its_reader::<Growing>(&grown(8, 2, 3).to_bytes());
    fails_with_its_reader::<Ladder>(&doubled(1, 200).to_bytes());
}

fn fails_with_its_reader<E: Grows>(bytes: &[u8]) {
    for good in 0..bytes.len() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::new(ErrorKind::ConnectionReset, "pulled out"))
            }
        }
        let error = Filter::<E>::read_from(bytes[..good].chain(Broken));
        let error = error.expect_err("broken");
        assert!(
            matches!(&error, ReadError::Io(inner) if inner.kind() == ErrorKind::ConnectionReset),
            "{good} bytes: {error:?}"
        );
    }
}

#[test]
fn a_reader_that_claims_too_much_is_an_error() {
    struct Boaster(usize);
    impl Read for Boaster {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Ok(self.0)
        }
    }
    for claim in [65, 1 << 20, usize::MAX] {
        assert!(Chain::read_from(Boaster(claim)).is_err());
        assert!(GrowingCuckooFilter::read_from(Boaster(claim)).is_err());
    }
}

/// Takes so many bytes, a few at a time, and fails from then on.
struct Limited {
    taken: Vec<u8>,
    limit: usize,
    flushed: bool,
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
fn a_failing_writer_s_error_is_told_and_the_filter_is_as_it_was() {
    fails_with_its_writer(grown(8, 2, 3));
    fails_with_its_writer(doubled(1, 200));
}

fn fails_with_its_writer<E: Grows>(mut filter: Filter<E>) {
    let bytes = filter.to_bytes();
    let to = |limit| Limited {
        taken: Vec::new(),
        limit,
        flushed: false,
    };
    for limit in 0..bytes.len() {
        let mut writer = to(limit);
        let error = filter.write_to(&mut writer).expect_err("no room");
        assert_eq!(error.kind(), ErrorKind::StorageFull, "{limit}");
        assert_eq!(writer.taken, bytes[..limit]);
    }
    let mut writer = to(bytes.len());
    filter.write_to(&mut writer).expect("just enough room");
    assert_eq!(writer.taken, bytes);
    assert!(writer.flushed);
    // Only the flush reaches the writer behind the buffer.
    assert!(filter.write_to(io::BufWriter::new(to(10))).is_err());
    assert_same(&mut from_bytes(&bytes), &mut filter);
}

#[test]
fn a_large_filter_goes_through_a_file() {
    goes_through_a_file(Chain::with_capacity(1_000));
    goes_through_a_file(GrowingCuckooFilter::with_capacity(1));
}

fn goes_through_a_file<E: Grows>(mut written: Filter<E>) {
    let path = std::env::temp_dir().join(format!("lfcf-growing-{}", std::process::id()));
    for item in 0..300_000u32 {
        written.insert(&item).expect("no limits");
    }
    let file = fs::File::create(&path).expect("a temporary file");
    written.write_to(file).expect("written");
    let file = fs::File::open(&path).expect("the same file");
    let read: Filter<E> = read_from(file);
    fs::remove_file(&path).expect("removed");
    assert_eq!(read.len(), 300_000);
    assert!((0..300_000u32).all(|item| read.contains(&item)));
    assert_eq!(read.slots(), written.slots());
}

fn error_of<F: Debug>(read: Result<F, ReadError>) -> ReadError {
    read.expect_err("it is not to be read like that")
}

#[test]
fn a_custom_hasher_is_handed_over_and_a_wrong_one_is_noticed() {
    hashers_are_told_apart::<Growing>();
    hashers_are_told_apart::<Ladder>();
}

fn hashers_are_told_apart<E: Grows>() {
    fn grown<E: Grows, S: BuildHasher>(hasher: S) -> Filter<E, S> {
        let builder = FilterBuilder::<E, S>::with_hasher(hasher).capacity(8);
        let filter = builder.build().expect("memory");
        for item in 0..100 {
            filter.insert(&format!("item {item}")).expect("no limits");
        }
        filter
    }
    let bytes = grown::<E, _>(Fnv { key: 7 }).to_bytes();
    let right = Filter::<E, _>::from_bytes_with_hasher(&bytes, Fnv { key: 7 });
    let mut right = right.expect("the same");
    assert!((0..100).all(|item| right.contains(&format!("item {item}"))));
    assert!(right.to_bytes() == bytes);
    let right = Filter::<E, _>::read_from_with_hasher(&*bytes, Fnv { key: 7 });
    assert_eq!(right.expect("the same").len(), 100);

    let wrong = Filter::<E, _>::from_bytes_with_hasher(&bytes, Fnv { key: 8 });
    assert!(matches!(error_of(wrong), ReadError::OtherHasher));
    let wrong = Filter::<E, _>::read_from_with_hasher(&*bytes, Fnv { key: 8 });
    assert!(matches!(error_of(wrong), ReadError::OtherHasher));
    let default = Filter::<E, _>::from_bytes_with_hasher(&bytes, RandomState::with_seed(7));
    assert!(matches!(error_of(default), ReadError::OtherHasher));
    let missing = Filter::<E>::from_bytes(&bytes);
    assert!(matches!(error_of(missing), ReadError::HasherNeeded));
    let missing = Filter::<E>::read_from(&*bytes);
    assert!(matches!(error_of(missing), ReadError::HasherNeeded));

    let hasher = std::hash::RandomState::new();
    let bytes = grown::<E, _>(hasher.clone()).to_bytes();
    let read = Filter::<E, _>::from_bytes_with_hasher(&bytes, hasher);
    assert!(read.expect("the same keys").contains(&"item 7".to_string()));
    let other = std::hash::RandomState::new();
    let other = Filter::<E, _>::from_bytes_with_hasher(&bytes, other);
    assert!(matches!(error_of(other), ReadError::OtherHasher));
}

#[test]
fn the_two_kinds_are_told_apart() {
    let growing = grown(8, 2, 3).to_bytes();
    let mut fixed = CuckooFilter::builder()
        .capacity(100)
        .build()
        .expect("memory");
    let fixed = fixed.to_bytes();
    // Ahead of whatever else would be wrong.
    for length in [64, 70, growing.len()] {
        let grows = [
            error_of(CuckooFilter::from_bytes(&growing[..length])),
            error_of(CuckooFilter::read_from(&growing[..length])),
            error_of(CuckooFilter::from_bytes_with_hasher(
                &growing[..length],
                Fnv { key: 1 },
            )),
        ];
        for error in grows {
            assert!(
                matches!(error, ReadError::OtherKind { grows: true, .. }),
                "{error:?}"
            );
            assert!(error.to_string().contains("GrowingCuckooFilter"), "{error}");
            assert_eq!(io::Error::from(error).kind(), ErrorKind::InvalidInput);
        }
        let does_not = [
            error_of(Chain::from_bytes(&fixed[..length])),
            error_of(Chain::read_from(&fixed[..length])),
            error_of(Chain::from_bytes_with_hasher(
                &fixed[..length],
                Fnv { key: 1 },
            )),
        ];
        for error in does_not {
            assert!(
                matches!(error, ReadError::OtherKind { grows: false, .. }),
                "{error:?}"
            );
            assert!(error.to_string().contains("a CuckooFilter"), "{error}");
        }
    }
}

#[test]
fn there_are_no_more_segments_than_can_be_stored() {
    let builder = Chain::builder().capacity(8).seed(1);
    let mut written = builder.build().expect("memory");
    written.insert("a").expect("room");
    let added = (0..300).filter(|_| written.add_segment(2)).count();
    assert_eq!((added, written.segments()), (254, 255));
    let read: Chain = from_bytes(&written.to_bytes());
    assert!(read.contains("a"));
    assert_eq!(read.segments(), 255);
    let error = (0..).find_map(|item: u32| read.insert(&item).err());
    assert!(
        error
            .expect("a limit")
            .to_string()
            .contains("more than the largest")
    );
}
