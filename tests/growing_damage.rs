//! Bytes that nobody stored are an error, or a filter that grows and keeps every promise.
//!
//! 1. A stored filter that is cut anywhere, has any bit flipped, or has something behind it, is an error: the
//!    same from bytes and from a reader.
//! 2. With the checksums made to match again, a changed number of the header, of the list or of the words is an
//!    error unless a filter with that number could have been built.
//! 3. A part of one stored filter does not go with the rest of another one.
//! 4. Whatever is changed and however: what is read holds the tokens that its words say, finds and removes each
//!    of them, and can be filled again.

use lockfree_cuckoo::testing::AddSegment;
use lockfree_cuckoo::{Filter, Growing, InsertError, ReadError};
use model::geometry::Geometry;
use model::stored::{self, Field, list};
use model::{Fingerprint, Layout, mix};
use proptest::prelude::*;

/// A filter that grows by segments.
type Chain<S = lockfree_cuckoo::RandomState> = Filter<Growing, S>;

/// Segments of 24, 12 and 6 buckets, in three ranges; the one in the middle takes inserts.
const SHAPES: [usize; 3] = [24, 12, 6];
const BUCKETS: usize = 24 + 12 + 6;
const SLOTS: u64 = (Layout::DEFAULT.slots * BUCKETS) as u64;

fn filter(seed: u64) -> Chain {
    let builder = Chain::builder().capacity(9).seed(seed);
    let mut filter = builder.build().expect("memory");
    // What suits nine items is one range; this has the three.
    let mut bytes = filter.to_bytes();
    bytes.splice(stored::HEADER + list::ENTRY.., [0; 6 * 8 + 4]);
    list::buckets(0).set(&mut bytes, 6);
    list::START.set(&mut bytes, 6);
    list::repair(&mut bytes);
    filter = Chain::from_bytes(&bytes).expect("an empty one");
    for (items, buckets) in [(0..8u64, 24), (8..20, 12), (20..26, 6)] {
        for item in items {
            filter.insert(&item).expect("room");
        }
        assert!(buckets == 6 || filter.add_segment(buckets));
    }
    filter
}

fn sound() -> Vec<u8> {
    let bytes = filter(0x5eed_5eed_5eed_5eed).to_bytes();
    assert_eq!(list::shapes(&bytes), SHAPES);
    bytes
}

/// Reads in both ways, which must agree.
fn read(bytes: &[u8]) -> Result<Chain, ReadError> {
    let from_bytes = Chain::from_bytes(bytes);
    let read_from = Chain::read_from(bytes);
    match (from_bytes, read_from) {
        (Ok(mut one), Ok(mut other)) => {
            assert!(one.to_bytes() == other.to_bytes(), "both are the same");
            Ok(one)
        }
        // A reader is not asked what follows.
        (Err(error @ ReadError::TrailingBytes { .. }), _) => Err(error),
        (Err(one), Err(other)) => {
            assert_eq!(one.to_string(), other.to_string(), "both fail alike");
            Err(one)
        }
        (one, other) => panic!("one reads and the other fails: {one:?} {other:?}"),
    }
}

/// Property 4.
fn keeps_its_promises(bytes: &[u8], mut filter: Chain) {
    assert!(filter.to_bytes() == bytes, "it is what was read, all of it");
    let shapes = list::shapes(bytes);
    let tokens = list::tokens(Layout::DEFAULT, bytes);
    assert_eq!(
        (filter.len(), filter.segments()),
        (tokens.len(), shapes.len())
    );
    assert_eq!(
        filter.slots(),
        Layout::DEFAULT.slots * shapes.iter().sum::<usize>()
    );
    let hash = |&(segment, bucket, fingerprint): &(usize, usize, Fingerprint)| {
        let buckets = shapes[segment];
        Geometry::with_buckets(Layout::DEFAULT, buckets).hash(bucket, fingerprint, 0)
    };
    let hashes: Vec<u64> = tokens.iter().map(hash).collect();
    for &hash in &hashes {
        assert!(filter.contains_hash(hash) && filter.count_hash(hash) > 0);
        assert!(!filter.insert_unique_hash(hash).expect("it is in"));
    }
    // From the finest segment on, as a removal takes them.
    for &hash in &hashes {
        assert!(filter.remove_hash(hash));
    }
    assert!(filter.is_empty());
    assert!(hashes.iter().all(|&hash| !filter.contains_hash(hash)));

    let mut inserted = 0;
    for item in 0..100 {
        match filter.insert_hash(mix(item)) {
            Ok(()) => inserted += 1,
            Err(error) => assert!(matches!(error, InsertError::CannotGrow { .. }), "{error}"),
        }
        assert_eq!(
            filter.contains_hash(mix(item)),
            filter.count_hash(mix(item)) > 0
        );
    }
    assert!(inserted > 0);
    assert_eq!(filter.len(), inserted);
    filter.clear();
    assert_eq!((filter.len(), filter.segments()), (0, 1));
}

#[test]
fn the_sound_one_is_sound() {
    let bytes = sound();
    assert_eq!(list::TARGET.get(&bytes), 1);
    assert_eq!(bytes.len(), 64 + 3 * 24 + 2 * SLOTS as usize + 4);
    keeps_its_promises(&bytes, read(&bytes).expect("just written"));
    let mut repaired = bytes.clone();
    list::repair(&mut repaired);
    assert_eq!(repaired, bytes, "the checksums are as documented");
}

#[test]
fn a_cut_is_found_at_every_byte() {
    let bytes = sound();
    let list = list::head(&bytes);
    for length in 0..bytes.len() {
        let all = match length {
            0..stored::HEADER => stored::HEADER,
            _ if length < list => list,
            _ => bytes.len(),
        };
        match read(&bytes[..length]) {
            Err(ReadError::Truncated {
                expected, found, ..
            }) => assert_eq!((expected, found), (all as u64, length as u64)),
            other => panic!("{length} bytes: {other:?}"),
        }
    }
}

#[test]
fn every_flipped_bit_is_found() {
    let bytes = sound();
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let error = read(&flipped).expect_err("damaged");
        // From the length of the header on, by what is meant to find it.
        if bit >= 8 * 10 {
            assert!(matches!(error, ReadError::Checksum), "bit {bit}: {error:?}");
        }
    }
}

#[test]
fn something_behind_it_is_an_error_in_bytes() {
    let bytes = sound();
    for more in [1, 8, 24, 1_000] {
        let longer = [bytes.as_slice(), &vec![0; more]].concat();
        match Chain::from_bytes(&longer) {
            Err(ReadError::TrailingBytes {
                expected, found, ..
            }) => assert_eq!((expected, found), (bytes.len() as u64, longer.len() as u64)),
            other => panic!("{more} bytes more: {other:?}"),
        }
    }
}

/// Numbers at which something begins or ends, and those beside them.
fn numbers_near(value: u64) -> impl Iterator<Item = u64> {
    let powers = (0..64).map(|log| 1 << log);
    let rates = [0.000_122, 0.5, 1.0, -1.0, f64::INFINITY, f64::NAN].map(f64::to_bits);
    let ends = [0, 6, 12, 24, 48, 96, SLOTS, 4096, u64::MAX, value];
    let near = |number: u64| [number.wrapping_sub(1), number, number.wrapping_add(1)];
    powers.chain(rates).chain(ends).flat_map(near)
}

/// Whether a filter could have been built with this number in the place of the sound one.
fn is_possible(field: Field, value: u64) -> bool {
    let budgets: [Field; 3] = [0, 1, 2].map(list::search_budget);
    match field {
        // No larger than the finest segment, and of three ranges.
        list::START => [6, 12, 24].contains(&value),
        list::RATE => f64::from_bits(value) >= 1.0 - (1.0 - 1.0 / 65_535f64).powi(8),
        list::MEMORY => true,
        list::TARGET => value < 3,
        list::LOG_FACTOR => (1..=16).contains(&value),
        _ if budgets.contains(&field) => (2..=4096).contains(&value),
        _ => value == field.get(&sound()),
    }
}

#[test]
fn a_number_is_possible_or_an_error() {
    let bytes = sound();
    let common = stored::FIELDS.into_iter().filter(|field| field.at < 32);
    let list = (0..3).flat_map(|segment| {
        use list::{buckets, items, search_budget};
        [buckets(segment), items(segment), search_budget(segment)]
    });
    for field in common.chain(list::FIELDS).chain(list) {
        for value in numbers_near(field.get(&bytes)) {
            let mut changed = bytes.clone();
            field.set(&mut changed, value);
            list::repair(&mut changed);
            let value = field.get(&changed);
            let possible = is_possible(field, value);
            match read(&changed) {
                Ok(filter) => {
                    assert!(possible, "{} = {value:#x}", field.name);
                    keeps_its_promises(&changed, filter);
                }
                Err(error) => assert!(!possible, "{} = {value:#x}: {error}", field.name),
            }
        }
    }
}

/// The text of the error for a stored filter with some fields changed and its checksums repaired.
fn error_with(changes: &[(Field, u64)]) -> String {
    let mut bytes = sound();
    for &(field, value) in changes {
        field.set(&mut bytes, value);
    }
    list::repair(&mut bytes);
    read(&bytes).expect_err("changed").to_string()
}

#[test]
fn each_change_has_its_error() {
    use list::{SEGMENTS, START, TARGET, buckets, items};
    for (changes, said) in [
        (&[(stored::KIND, 5)][..], "is unknown"),
        (&[(stored::KIND, 1)], "does not grow"),
        (&[(stored::VERSION, 2)], "version 2"),
        (&[(stored::SEED, 1)], "other keys"),
        (&[(START, 48)], "do not refine"),
        (&[(START, 2)], "do not refine"),
        (&[(TARGET, 3)], "takes inserts"),
        (&[(SEGMENTS, 0)], "no segments"),
        // Coarser than the next one, as fine as the one before it, and finer than that.
        (&[(buckets(1), 3 << 60)], "on this machine"),
        (&[(buckets(1), 48)], "does not refine"),
        (&[(buckets(0), 6)], "does not refine"),
        (&[(buckets(2), 8)], "does not refine"),
        (&[(buckets(1), 24)], "ends early"),
        (&[(buckets(1), 6), (items(1), 0)], "were given"),
        // One less and one more: as many in all.
        (&[(items(0), 11), (items(1), 7)], "number of items differs"),
    ] {
        let error = error_with(changes);
        assert!(error.contains(said), "{changes:?}: {error}");
    }
}

#[test]
fn a_word_is_a_packed_bucket_or_an_error() {
    let head = list::head(&sound());
    for index in [0, 23, 24, 35, 36, 41] {
        let segment = [24, 36, 42].iter().position(|&end| index < end);
        let items = list::items(segment.expect("a word"));
        for word in [
            0,
            1,
            1 << 16,
            1 << 63,
            0xffff << 32,
            0xffff_0001_0000_0000,
            u64::MAX,
        ] {
            let mut bytes = sound();
            let old = &mut bytes[head + 8 * index..][..8];
            let occupied =
                |word: &[u8]| word.chunks(2).filter(|lane| lane != &[0, 0]).count() as u64;
            let before = occupied(old);
            old.copy_from_slice(&u64::to_le_bytes(word));
            let after = occupied(old);
            let others = items.get(&bytes) - before;
            let packed = word.count_ones() == 0 || word.trailing_zeros() / 16 + after as u32 == 4;
            // Whatever number goes with it, for a reader may count an unpacked one in its own way.
            for count in 0..=4 {
                items.set(&mut bytes, others + count);
                list::repair(&mut bytes);
                match read(&bytes) {
                    Ok(filter) => {
                        assert!(packed && count == after, "{word:#x} with {count}");
                        keeps_its_promises(&bytes, filter);
                    }
                    Err(error) => assert!(!packed || count != after, "{word:#x}: {error}"),
                }
            }
        }
    }
}

/// As after a write that was cut short over an older file of the same size: each part has its checksum.
#[test]
fn parts_of_different_filters_do_not_go_together() {
    let one = filter(1).to_bytes();
    let mut again = Chain::from_bytes(&one).expect("sound");
    // The same items in each segment, and only other words.
    for item in 20..26u64 {
        assert!(again.remove(&item));
    }
    for item in 30..36u64 {
        again.insert(&item).expect("room");
    }
    let others = [filter(2).to_bytes(), again.to_bytes()];
    for other in &others {
        assert_eq!(one.len(), other.len());
        for at in 0..one.len() {
            for (new, old) in [(&one, other), (other, &one)] {
                let torn = [&new[..at], &old[at..]].concat();
                if torn != *new && torn != *old {
                    let error = read(&torn).expect_err("torn");
                    assert!(matches!(error, ReadError::Checksum), "{at}: {error:?}");
                }
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Edit {
    Number(Field, u64),
    Word(usize, u64),
    Byte(usize, u8),
    Cut(usize),
    Append(Vec<u8>),
}

fn edit() -> impl Strategy<Value = Edit> {
    use list::{buckets, items, search_budget};
    let of_list =
        (0..4).flat_map(|segment| [buckets(segment), items(segment), search_budget(segment)]);
    let fields: Vec<Field> = list::FIELDS.into_iter().chain(of_list).collect();
    let numbers: Vec<u64> = numbers_near(SLOTS).collect();
    let number = prop_oneof![prop::sample::select(numbers), any::<u64>(), 0..200u64];
    let packed = any::<u64>().prop_map(|word| word | 0x0001_0001_0001_0001);
    let word = prop_oneof![3 => packed, 1 => Just(0), 1 => any::<u64>()];
    prop_oneof![
        4 => (prop::sample::select(fields), number)
            .prop_map(|(field, value)| Edit::Number(field, value)),
        4 => (0..BUCKETS, word).prop_map(|(index, word)| Edit::Word(index, word)),
        2 => (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Edit::Byte(at, byte)),
        1 => (0..20usize).prop_map(Edit::Cut),
        1 => prop::collection::vec(any::<u8>(), 0..100).prop_map(Edit::Append),
    ]
}

fn apply(edit: Edit, bytes: &mut Vec<u8>) {
    match edit {
        Edit::Number(field, value) => field.set(bytes, value),
        Edit::Word(index, word) => {
            let at = stored::HEADER + 3 * list::ENTRY + 8 * index;
            if let Some(old) = bytes.get_mut(at..at + 8) {
                old.copy_from_slice(&word.to_le_bytes());
            }
        }
        Edit::Byte(at, byte) => {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        Edit::Cut(count) => bytes.truncate(bytes.len() - count),
        Edit::Append(more) => bytes.extend(more),
    }
}

/// Makes the list say how many items there are, if it is possible otherwise.
fn count(bytes: &mut [u8]) {
    let shapes = list::shapes(bytes);
    let all = shapes
        .iter()
        .fold(0usize, |sum, &buckets| sum.saturating_add(buckets));
    let head = list::head(bytes) + stored::CHECKSUM;
    if all.checked_mul(8).and_then(|words| words.checked_add(head)) != Some(bytes.len()) {
        return;
    }
    let mut counts = vec![0; shapes.len()];
    for (segment, _, _) in list::tokens(Layout::DEFAULT, bytes) {
        counts[segment] += 1;
    }
    for (segment, count) in counts.into_iter().enumerate() {
        list::items(segment).set(bytes, count);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn whatever_is_changed_is_an_error_or_a_filter(
        edits in prop::collection::vec(edit(), 1..6),
        segments in 1..4usize,
    ) {
        let mut bytes = sound();
        // Fewer segments: other numbers of them are possible too.
        let dropped = 3 - segments;
        let words = SHAPES[segments..].iter().sum::<usize>();
        let end = bytes.len() - stored::CHECKSUM;
        bytes.drain(end - 8 * words..end);
        let list = list::head(&bytes);
        bytes.drain(list - list::ENTRY * dropped..list);
        list::SEGMENTS.set(&mut bytes, segments as u64);
        list::TARGET.set(&mut bytes, 0);
        for edit in edits {
            apply(edit, &mut bytes);
        }
        if list::head(&bytes) + stored::CHECKSUM <= bytes.len() {
            count(&mut bytes);
        }
        list::repair(&mut bytes);
        if let Ok(filter) = read(&bytes) {
            keeps_its_promises(&bytes, filter);
        }
    }

    #[test]
    fn bytes_from_nowhere_are_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(read(&bytes).is_err());
        // Behind the right beginning too.
        let begun = [&sound()[..15], &bytes].concat();
        prop_assert!(read(&begun).is_err());
    }
}
