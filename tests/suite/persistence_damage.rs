//! Bytes that nobody stored are an error, or a filter that keeps every promise.
//!
//! 1. A stored filter that is cut anywhere, has any bit flipped, or has something behind it, is an error: the
//!    same from bytes and from a reader.
//! 2. With the checksums made to match again, a changed number of the header or a changed word is an error
//!    unless a filter with that number or word could have been built.
//! 3. Whatever is changed and however: what is read holds the tokens that its words say, finds, counts and
//!    removes each of them, and can be filled again.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::mem::discriminant;

use lockfree_cuckoo::{CuckooFilter, RandomState, ReadError};
use model::geometry::Geometry;
use model::hashers::Fnv;
use model::stored::{self, Field};
use model::{Layout, mix};
use proptest::prelude::*;

use crate::damage::{flipped, nothing_passes};
use crate::door::Kind;

const BUCKETS: usize = 6;
const SLOTS: usize = Layout::DEFAULT.slots * BUCKETS;

/// A filter of three ranges with vacant, full and half full buckets.
fn sound() -> Vec<u8> {
    let builder = CuckooFilter::builder()
        .buckets(BUCKETS)
        .seed(0x5eed_5eed_5eed_5eed);
    let mut filter = builder.build().expect("memory");
    for item in 0..12u64 {
        filter.insert(&item).expect("half full");
    }
    filter.to_bytes()
}

/// The same with a custom hasher.
fn sound_custom() -> Vec<u8> {
    let builder = CuckooFilter::builder()
        .buckets(BUCKETS)
        .hasher(Fnv { key: 1 });
    let mut filter = builder.build().expect("memory");
    for item in 0..12 {
        filter.insert(&format!("item {item}")).expect("half full");
    }
    filter.to_bytes()
}

/// Reads in both ways, which must agree.
fn read_with<S>(
    from_bytes: Result<CuckooFilter<S>, ReadError>,
    read_from: Result<CuckooFilter<S>, ReadError>,
) -> Result<CuckooFilter<S>, ReadError>
where
    S: BuildHasher + 'static,
{
    match (from_bytes, read_from) {
        (Ok(mut one), Ok(mut other)) => {
            assert!(
                one.to_bytes() == other.to_bytes(),
                "both are the same filter"
            );
            Ok(one)
        }
        // A reader is not asked what follows.
        (Err(error @ ReadError::TrailingBytes { .. }), _) => Err(error),
        (Err(one), Err(other)) => {
            assert_eq!(one.to_string(), other.to_string(), "both fail alike");
            Err(one)
        }
        (one, other) => panic!(
            "one reads and the other fails: {:?} {:?}",
            one.err(),
            other.err()
        ),
    }
}

fn read(bytes: &[u8]) -> Result<CuckooFilter, ReadError> {
    read_with(
        CuckooFilter::from_bytes(bytes),
        CuckooFilter::read_from(bytes),
    )
}

fn read_custom(bytes: &[u8]) -> Result<CuckooFilter<Fnv>, ReadError> {
    let hasher = Fnv { key: 1 };
    read_with(
        CuckooFilter::from_bytes_with_hasher(bytes, hasher),
        CuckooFilter::read_from_with_hasher(bytes, hasher),
    )
}

/// Property 3.
fn keeps_its_promises(bytes: &[u8], mut filter: CuckooFilter) {
    assert!(filter.to_bytes() == bytes, "it is what was read, all of it");
    let geometry = Geometry::with_slots(Layout::DEFAULT, filter.slots());
    let tokens = stored::tokens(Layout::DEFAULT, bytes);
    assert_eq!(filter.len(), tokens.len());

    let hashes: Vec<u64> = tokens
        .iter()
        .map(|&(bucket, fingerprint)| geometry.hash(bucket, fingerprint, 0))
        .collect();
    let mut copies = BTreeMap::new();
    for &hash in &hashes {
        *copies.entry(geometry.class(hash)).or_insert(0) += 1;
    }
    for &hash in &hashes {
        assert!(filter.contains_hash(hash));
        assert_eq!(filter.count_hash(hash), copies[&geometry.class(hash)]);
        assert!(!filter.insert_unique_hash(hash).expect("it is in"));
    }
    for &hash in &hashes {
        assert!(filter.remove_hash(hash));
    }
    assert!(filter.is_empty());
    assert!(hashes.iter().all(|&hash| !filter.contains_hash(hash)));

    let fresh = CuckooFilter::builder()
        .buckets(geometry.buckets)
        .build()
        .expect("memory");
    let fill = |filter: &CuckooFilter| {
        (0..100)
            .filter(|&n| filter.insert_hash(mix(n)).is_ok())
            .count()
    };
    let filled = fill(&filter);
    assert_eq!(filter.len(), filled);
    // A new one has the largest search budget.
    assert!(filled > 0 && filled <= fill(&fresh));
    filter.clear();
    assert!(filter.is_empty());
}

#[test]
fn the_sound_ones_are_sound() {
    keeps_its_promises(&sound(), read(&sound()).expect("just written"));
    assert_eq!(
        read_custom(&sound_custom()).expect("just written").len(),
        12
    );
    let mut repaired = sound();
    stored::repair(&mut repaired);
    assert_eq!(repaired, sound(), "the checksums are as documented");
}

#[test]
fn nothing_passes_as_a_filter() {
    nothing_passes(Kind::Fixed, &sound());
    let custom = sound_custom();
    for bit in 0..8 * custom.len() {
        assert!(read_custom(&flipped(&custom, bit)).is_err(), "bit {bit}");
    }
    for (length, needed) in [
        (0, stored::HEADER),
        (70, stored::head(&custom)),
        (90, sound().len()),
    ] {
        let error = read(&sound()[..length]).expect_err("cut");
        let is_told =
            matches!(error, ReadError::Truncated { expected, .. } if expected == needed as u64);
        assert!(is_told, "{length} bytes: {error}");
    }
}

#[test]
fn other_files_are_told_from_damaged_ones() {
    let damaged_as_text: Vec<u8> = sound().into_iter().filter(|&byte| byte != b'\r').collect();
    let with_its_high_bits_cleared: Vec<u8> = sound().into_iter().map(|byte| byte & 0x7f).collect();
    for other in [
        b"\x89PNG\r\n\x1a\n".as_slice(),
        b"\0",
        &[0; 100],
        &damaged_as_text,
        &with_its_high_bits_cleared,
    ] {
        let error = read(other).expect_err("no filter");
        assert!(matches!(error, ReadError::NotAFilter), "{error:?}");
    }
}

#[test]
fn a_later_version_is_told_whatever_else_has_changed() {
    for version in [2, 3, 0x100, 0xffff] {
        let mut bytes = sound();
        stored::VERSION.set(&mut bytes, version);
        for length in [10, 50, 100, bytes.len()] {
            match read(&bytes[..length]) {
                Err(ReadError::NewerVersion {
                    found, supported, ..
                }) => {
                    assert_eq!((u64::from(found), supported), (version, 1));
                }
                other => panic!("version {version}, {length} bytes: {other:?}"),
            }
        }
    }
}

/// Numbers at which something begins or ends, and those beside them.
fn numbers_near(value: u64) -> impl Iterator<Item = u64> {
    let powers = (0..64).map(|log| 1 << log);
    let ends = [0, SLOTS as u64, 4096, u64::MAX, value];
    let near = |number: u64| [number.wrapping_sub(1), number, number.wrapping_add(1)];
    powers.chain(ends).flat_map(near)
}

#[test]
fn a_number_of_the_header_is_possible_or_an_error() {
    let bytes = sound();
    for field in stored::FIELDS {
        let stored = field.get(&bytes);
        for value in numbers_near(stored) {
            let mut changed = bytes.clone();
            field.set(&mut changed, value);
            stored::repair(&mut changed);
            let value = field.get(&changed);
            let possible = match field {
                stored::CAPACITY => value <= SLOTS as u64,
                stored::SEARCH_BUDGET => (2..=4096).contains(&value),
                _ => value == stored,
            };
            match read(&changed) {
                Ok(filter) => {
                    assert!(possible, "{} = {value}", field.name);
                    keeps_its_promises(&changed, filter);
                }
                Err(error) => assert!(!possible, "{} = {value}: {error}", field.name),
            }
        }
    }
}

/// The error for a stored filter with some fields changed and its checksums repaired.
fn error_with(changes: &[(Field, u64)]) -> ReadError {
    let mut bytes = sound();
    for &(field, value) in changes {
        field.set(&mut bytes, value);
    }
    stored::repair(&mut bytes);
    read(&bytes).expect_err("changed")
}

#[test]
fn each_change_has_its_error() {
    use stored::{BUCKETS, CAPACITY, CHECK, HASHER, ITEMS, KIND, SEED};
    let same = |error: ReadError, kind: ReadError| {
        assert_eq!(discriminant(&error), discriminant(&kind), "{error:?}");
    };
    let malformed = || error_with(&[(KIND, 5)]);
    assert!(matches!(malformed(), ReadError::Malformed { .. }));
    same(error_with(&[(BUCKETS, 7)]), malformed());
    same(error_with(&[(CAPACITY, SLOTS as u64 + 1)]), malformed());
    same(error_with(&[(ITEMS, SLOTS as u64 + 1)]), malformed());
    same(error_with(&[(ITEMS, 11)]), malformed());
    // A custom hasher has no seed; without one, it has to be handed over.
    same(error_with(&[(HASHER, 2)]), malformed());
    same(
        error_with(&[(HASHER, 2), (SEED, 0)]),
        ReadError::HasherNeeded,
    );
    // A seed that does not make the hasher that was there.
    same(error_with(&[(SEED, 1)]), ReadError::OtherHasher);
    same(error_with(&[(CHECK, 1)]), ReadError::OtherHasher);
    // Half of what would be needed, and twice.
    assert!(matches!(
        error_with(&[(BUCKETS, 12)]),
        ReadError::Truncated { .. }
    ));
    assert!(matches!(
        error_with(&[(BUCKETS, 2), (CAPACITY, 0), (ITEMS, 0)]),
        ReadError::TrailingBytes { .. }
    ));
}

#[test]
fn a_wrong_hasher_is_told_before_what_is_missing_or_damaged() {
    let bytes = sound_custom();
    let needed = read(&bytes[..stored::HEADER]).expect_err("no hasher");
    assert!(matches!(needed, ReadError::HasherNeeded), "{needed:?}");
    let other = Fnv { key: 2 };
    let other = read_with(
        CuckooFilter::from_bytes_with_hasher(&bytes[..stored::HEADER], other),
        CuckooFilter::read_from_with_hasher(&bytes[..stored::HEADER], other),
    );
    assert!(matches!(other, Err(ReadError::OtherHasher)), "{other:?}");
}

#[test]
fn sizes_that_no_machine_has_are_told_at_once() {
    for buckets in [1 << 62, 1 << 63, 31 << 58, u64::MAX] {
        let error = error_with(&[(stored::BUCKETS, buckets)]);
        let told = matches!(error, ReadError::TooLarge { buckets: told, .. } if told == buckets);
        assert!(told, "{error:?}");
    }
    // These some machine may have, but the bytes are not there.
    for buckets in [1 << 25, 1 << 27] {
        let error = error_with(&[(stored::BUCKETS, buckets)]);
        assert!(matches!(error, ReadError::Truncated { .. }), "{error:?}");
    }
}

#[test]
fn a_seed_is_stored_and_not_guessed() {
    // The check of another seed, with that seed: the default hasher again, but not the one of the items.
    let mut other = CuckooFilter::builder()
        .buckets(2)
        .seed(9)
        .build()
        .expect("memory");
    let other = other.to_bytes();
    let mut bytes = sound();
    for field in [stored::SEED, stored::CHECK] {
        field.set(&mut bytes, field.get(&other));
    }
    stored::repair(&mut bytes);
    let filter = read(&bytes).expect("as good as any");
    assert_eq!(filter.hasher().seed(), 9);
    let handed = CuckooFilter::from_bytes_with_hasher(&bytes, RandomState::with_seed(9));
    assert!(handed.is_ok());
    keeps_its_promises(&bytes, filter);
}

/// Words of every pattern of vacant lanes, among them all that a running filter uses for other ends.
fn any_word() -> impl Iterator<Item = u64> {
    let layout = Layout::DEFAULT;
    let patterns = (0..1u64 << layout.slots).map(move |pattern| {
        let whole = u64::from(*layout.fingerprints().end());
        (0..layout.slots as u32).fold(0, |mask, lane| {
            let occupied = pattern >> lane & 1;
            mask | (occupied * whole) << (layout.fingerprint_bits * lane)
        })
    });
    let values = [
        u64::MAX,
        0x0001_0001_0001_0001,
        0x8000_8000_8000_8000,
        0x7a41_e2cf_0539_ffff,
    ];
    patterns.flat_map(move |mask| values.map(|value| value & mask))
}

#[test]
fn a_word_is_a_packed_bucket_or_an_error() {
    for index in 0..BUCKETS {
        for word in any_word() {
            let mut bytes = sound();
            stored::set_word(&mut bytes, index, word);
            // Whatever number goes with it, for a reader may count an unpacked one in its own way.
            let mut read_with = Vec::new();
            for items in 0..=SLOTS {
                stored::ITEMS.set(&mut bytes, items as u64);
                stored::repair(&mut bytes);
                match read(&bytes) {
                    Ok(filter) => {
                        keeps_its_promises(&bytes, filter);
                        read_with.push(items);
                    }
                    Err(ReadError::Malformed { .. }) => {}
                    Err(error) => panic!("{word:#018x}, {items} items: {error}"),
                }
            }
            let expected = Layout::DEFAULT
                .is_packed(word)
                .then(|| stored::tokens(Layout::DEFAULT, &bytes).len());
            assert_eq!(read_with, Vec::from_iter(expected), "{word:#018x}");
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
    let numbers: Vec<u64> = numbers_near(SLOTS as u64).collect();
    let number = prop_oneof![prop::sample::select(numbers), any::<u64>(), 0..200u64];
    let words: Vec<u64> = any_word().collect();
    let word = prop_oneof![prop::sample::select(words), any::<u64>()];
    prop_oneof![
        2 => (prop::sample::select(stored::FIELDS.as_slice()), number)
            .prop_map(|(field, value)| Edit::Number(field, value)),
        8 => (0..BUCKETS, word).prop_map(|(index, word)| Edit::Word(index, word)),
        2 => (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Edit::Byte(at, byte)),
        1 => (0..20usize).prop_map(Edit::Cut),
        1 => prop::collection::vec(any::<u8>(), 0..100).prop_map(Edit::Append),
    ]
}

/// The header, an entry and two checksums.
const SMALLEST: usize = stored::HEADER + stored::ENTRY + 2 * stored::CHECKSUM;

fn apply(edit: Edit, bytes: &mut Vec<u8>) {
    match edit {
        Edit::Number(field, value) => field.set(bytes, value),
        Edit::Word(index, word) if index < stored::words(bytes).len() => {
            stored::set_word(bytes, index, word);
        }
        Edit::Word(..) => {}
        Edit::Byte(at, byte) => {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        Edit::Cut(count) => bytes.truncate((bytes.len() - count).max(SMALLEST)),
        Edit::Append(more) => bytes.extend(more),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn whatever_is_changed_is_an_error_or_a_filter(
        edits in prop::collection::vec(edit(), 1..6),
        counted: bool,
    ) {
        let mut bytes = sound();
        for edit in edits {
            apply(edit, &mut bytes);
        }
        if counted {
            let items = stored::items_if_packed(Layout::DEFAULT, &bytes);
            stored::ITEMS.set(&mut bytes, items);
        }
        stored::repair(&mut bytes);
        if let Ok(filter) = read(&bytes) {
            keeps_its_promises(&bytes, filter);
        }
    }

    #[test]
    fn bytes_from_nowhere_are_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(read(&bytes).is_err());
        // Behind the right beginning too.
        let begun = [&sound()[..12], &bytes].concat();
        prop_assert!(read(&begun).is_err());
    }
}

/// As after a write that was cut short over an older file of the same size: each part has its checksum.
#[test]
fn the_header_of_another_filter_does_not_go_with_the_words() {
    let stored = |seed| {
        let filter = CuckooFilter::builder().buckets(8).seed(seed).build();
        let mut filter = filter.expect("a possible geometry");
        filter.insert("a").expect("room");
        filter.to_bytes()
    };
    let (new, old) = (stored(1), stored(2));
    let torn = [&new[..64], &old[64..]].concat();
    assert!(matches!(
        CuckooFilter::from_bytes(&torn),
        Err(ReadError::Checksum)
    ));
}
