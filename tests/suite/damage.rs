//! Damaged bytes: reading gives an error, or a filter that keeps every promise.
//!
//! 1. A stored filter that is truncated, has one bit flipped, or has bytes appended is an error:
//!    the same from bytes and from a reader. So is a part of one stored filter joined to the rest
//!    of another.
//! 2. With repaired checksums, a changed number of the header or a changed word is an error unless
//!    a filter with that number or word could have been built.
//! 3. Whatever is changed: a filter that is read holds the tokens of its words, finds, counts and
//!    removes each of them, and can be filled again.
//!
//! These tests are for fixed and rotating filters, with every layout. `growing` has the additional
//! ones for growing filters.

use std::collections::BTreeMap;
use std::mem::discriminant;

use lockfree_cuckoo::{
    CuckooFilter, DynFilter, Filter, RandomState, ReadError, RotatingCuckooFilter,
    filter::{Buildable, Kind},
    layout::Shape,
};
use model::hashers::Fnv;
use model::stored::{self, Field};
use model::{Layout, mix};
use proptest::prelude::*;

use crate::door::{
    DEFAULT, Read, agree, empty, geometry_of, kinds, model_of, of_each_engine, plain, random,
    read_as,
};
use crate::golden::{bytes_of, of_layout};

const BUCKETS: usize = 6;
const SLOTS: usize = Layout::DEFAULT.slots * BUCKETS;

/// Stores a filter of three ranges with vacant, full and half full buckets.
fn sound() -> Vec<u8> {
    let builder = CuckooFilter::builder().buckets(BUCKETS);
    let filter = builder.seed(0x5eed_5eed_5eed_5eed).build();
    let mut filter = filter.expect("memory");
    filter.extend(0..12u64);
    filter.to_bytes().expect("quiet")
}

/// Does the same with a custom hasher.
fn sound_custom() -> Vec<u8> {
    let builder = CuckooFilter::builder().buckets(BUCKETS);
    let filter = builder.hasher(Fnv { key: 1 }).build();
    let mut filter = filter.expect("memory");
    filter.extend((0..12).map(|item| format!("item {item}")));
    filter.to_bytes().expect("quiet")
}

fn read(bytes: &[u8]) -> Read {
    read_as(Kind::Fixed, bytes)
}

fn read_custom(bytes: &[u8], key: u64) -> Result<DynFilter<Fnv>, ReadError> {
    let hasher = Fnv { key };
    agree(
        DynFilter::from_bytes_with_hasher(bytes, hasher),
        DynFilter::read_from_with_hasher(bytes, hasher),
    )
}

/// Returns the stored bytes with some fields changed and the checksums repaired.
pub(crate) fn changed(bytes: &[u8], changes: &[(Field, u64)]) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    for &(field, value) in changes {
        field.set(&mut changed, value);
    }
    stored::repair(&mut changed);
    changed
}

fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    bytes
}

/// The first byte whose damage only a checksum can find.
const LENGTH: usize = 10;

/// Checks property 1 for one stored filter.
pub(crate) fn nothing_passes<T: std::fmt::Debug>(
    read: impl Fn(&[u8]) -> Result<T, ReadError>,
    bytes: &[u8],
) {
    assert!(read(bytes).is_ok(), "as it was");
    assert!(changed(bytes, &[]) == bytes, "checksums as documented");
    let (head, whole) = (stored::head(bytes), bytes.len());
    for length in 0..whole {
        let error = read(&bytes[..length]).expect_err("cut");
        // The sizes that are known to be needed at that point.
        let mut known = [stored::HEADER, head, whole].into_iter();
        let needed = known.find(|&needed| needed > length).expect("cut") as u64;
        let is_told = matches!(error, ReadError::Truncated { found, expected, .. } if (found, expected) == (length as u64, needed));
        assert!(is_told, "{length} bytes: {error}");
    }
    for bit in 0..8 * whole {
        let error = read(&flipped(bytes, bit)).expect_err("damaged");
        let is_told = bit < 8 * LENGTH || matches!(error, ReadError::Checksum);
        assert!(is_told, "bit {bit}: {error}");
    }
    for more in [1, 8, 24, 1_000] {
        let longer = [bytes, &vec![0; more]].concat();
        let error = read(&longer).expect_err("longer");
        let lengths = [whole as u64, longer.len() as u64];
        let is_told = matches!(error, ReadError::TrailingBytes { expected, found, .. } if [expected, found] == lengths);
        assert!(is_told, "{more} bytes more: {error}");
    }
}

#[test]
fn nothing_passes_as_a_filter() {
    nothing_passes(read, &sound());
    nothing_passes(|bytes| read_custom(bytes, 1), &sound_custom());
    for (kind, shape) in kinds().filter(|&(kind, _)| kind != Kind::Growing) {
        let bytes = bytes_of(&of_layout(kind, shape));
        nothing_passes(|bytes| read_as(kind, bytes), &bytes);
    }
}

/// Parts of different filters do not go together. As after an interrupted write over an older file
/// of the same size: each part has its checksum.
#[test]
fn parts_of_different_filters() {
    fn check<E: Buildable>() {
        let stored = |seed, items| {
            let filter = Filter::<E>::builder().capacity(8).seed(seed).build();
            let filter = filter.expect("memory");
            let items: Vec<u64> = random(items).take(8).collect();
            filter.insert_many_hash(&items).expect("room");
            filter.to_bytes().expect("quiet")
        };
        let one = stored(1, 1);
        // Another seed; and the same seed with as many other items.
        for other in [stored(2, 1), stored(1, 2)] {
            assert_eq!(one.len(), other.len());
            for at in 0..one.len() {
                for (new, old) in [(&one, &other), (&other, &one)] {
                    let torn = [&new[..at], &old[at..]].concat();
                    if torn != *new && torn != *old {
                        let error = Filter::<E>::from_bytes(&torn).expect_err("torn");
                        assert!(matches!(error, ReadError::Checksum), "{at}: {error:?}");
                    }
                }
            }
        }
    }
    of_each_engine!(check);
}

/// Other files are distinguished from damaged ones.
#[test]
fn other_files() {
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

/// A later version is reported before other changes.
#[test]
fn later_version_comes_first() {
    for version in [2, 3, 0x100, 0xffff] {
        let mut bytes = sound();
        stored::VERSION.set(&mut bytes, version);
        for length in [10, 50, 100, bytes.len()] {
            let error = read(&bytes[..length]).expect_err("newer");
            let is_told = matches!(error, ReadError::NewerVersion { found, supported: 1, .. } if u64::from(found) == version);
            assert!(is_told, "version {version}, {length} bytes: {error:?}");
        }
    }
}

/// Checks that each token of the words is found, counted and removed, and that no other is left.
fn holds_what_its_words_say(bytes: &[u8], filter: &DynFilter) {
    let (layout, geometry) = (model_of(filter.shape()), geometry_of(filter));
    let mut words = stored::words(bytes).into_iter();
    assert!(words.all(|word| layout.is_packed(word)));
    let tokens = stored::tokens(layout, bytes).into_iter();
    let hashes: Vec<u64> = tokens.map(|(at, f)| geometry.hash(at, f, 0)).collect();
    assert_eq!(filter.len(), hashes.len());
    let mut copies = BTreeMap::new();
    for &hash in &hashes {
        *copies.entry(geometry.class(hash)).or_insert(0) += 1;
    }
    for &hash in &hashes {
        assert!(filter.contains_hash(hash));
        assert_eq!(filter.count_hash(hash), copies[&geometry.class(hash)]);
        assert_eq!(filter.insert_unique_hash(hash), Ok(false), "it is in");
    }
    assert_eq!(filter.remove_many_hash(&hashes), hashes.len());
    assert!(filter.is_empty());
    assert!(hashes.iter().all(|&hash| !filter.contains_hash(hash)));
}

/// Checks property 3.
fn keeps_its_promises(bytes: &[u8], mut filter: DynFilter) {
    assert!(
        filter.to_bytes().expect("quiet") == bytes,
        "it is what was read, all of it"
    );
    let len = filter.len();
    assert!(len <= filter.slots());
    let copy = filter.snapshot().expect("no thread disturbs it");
    assert_eq!(copy.len(), len);
    // With several generations, or with values, the words hold more than this compares.
    if filter.rotating().is_none() && filter.shape().value_bits() == 0 {
        holds_what_its_words_say(bytes, &copy);
        let items = (0..100).map(mix);
        let filled = items.filter(|&hash| copy.insert_hash(hash).is_ok()).count();
        assert!(filled > 0 && copy.len() == filled);
    }
    let mut added = Vec::new();
    for hash in (0..8).map(mix) {
        let before = filter.count_hash(hash);
        assert_eq!(filter.contains_hash(hash), before > 0);
        if filter.insert_hash(hash).is_ok() {
            assert!(filter.count_hash(hash) > before);
            assert_eq!(filter.insert_unique_hash(hash), Ok(false));
            added.push(hash);
        }
    }
    assert_eq!(filter.len(), len + added.len());
    assert_eq!(filter.remove_many_hash(&added), added.len());
    assert_eq!(filter.len(), len);
    filter.clear();
    assert!(filter.is_empty());
}

/// With repaired checksums, damage is an error or a filter that works.
#[test]
fn repaired_checksums() {
    for (kind, shape) in kinds().filter(|&(kind, _)| kind != Kind::Growing) {
        let bytes = bytes_of(&of_layout(kind, shape));
        let mut passed = 0;
        for bit in 0..8 * bytes.len() {
            let changed = changed(&flipped(&bytes, bit), &[]);
            if let Ok(filter) = read_as(kind, &changed) {
                keeps_its_promises(&changed, filter);
                passed += 1;
            }
        }
        // Other fingerprints make another valid filter, so most bits of the tokens may be flipped.
        let least = 21 * (shape.fingerprint_bits() as usize - 4) / 2;
        assert!(passed > least, "{kind:?}, {shape}: {passed}");
    }
}

/// Returns the numbers around which a limit can lie.
fn numbers_near(value: u64) -> impl Iterator<Item = u64> {
    let powers = (0..64).map(|log| 1 << log);
    let ends = [0, SLOTS as u64, 4096, u64::MAX, value];
    let near = |number: u64| [number.wrapping_sub(1), number, number.wrapping_add(1)];
    powers.chain(ends).flat_map(near)
}

/// A number of the header is possible or an error.
#[test]
fn numbers_of_the_header() {
    let bytes = sound();
    for field in stored::FIELDS {
        let stored = field.get(&bytes);
        for value in numbers_near(stored) {
            let changed = changed(&bytes, &[(field, value)]);
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

#[test]
fn each_change_has_its_error() {
    use stored::{BUCKETS, CAPACITY, CHECK, HASHER, ITEMS, KIND, SEED};
    let error_with = |changes: &[_]| read(&changed(&sound(), changes)).expect_err("changed");
    let malformed = error_with(&[(KIND, 5)]);
    assert!(matches!(malformed, ReadError::Malformed { .. }));
    let cut = read(&sound()[..70]).expect_err("cut");
    let longer = read(&[sound(), vec![0]].concat()).expect_err("longer");
    let too_many = SLOTS as u64 + 1;
    let cases: [(&ReadError, &[(Field, u64)]); 12] = [
        (&malformed, &[(BUCKETS, 7)]),
        (&malformed, &[(CAPACITY, too_many)]),
        (&malformed, &[(ITEMS, too_many)]),
        (&malformed, &[(ITEMS, 11)]),
        // A custom hasher has no seed. Without one, the hasher must be passed.
        (&malformed, &[(HASHER, 2)]),
        (&ReadError::HasherNeeded, &[(HASHER, 2), (SEED, 0)]),
        // This seed does not make the original hasher.
        (&ReadError::OtherHasher, &[(SEED, 1)]),
        (&ReadError::OtherHasher, &[(CHECK, 1)]),
        // Half of the necessary bytes, and twice as many.
        (&cut, &[(BUCKETS, 12)]),
        (&longer, &[(BUCKETS, 2), (CAPACITY, 0), (ITEMS, 0)]),
        // Some machine may have these sizes, but the bytes are missing.
        (&cut, &[(BUCKETS, 1 << 25)]),
        (&cut, &[(BUCKETS, 1 << 27)]),
    ];
    for (kind, changes) in cases {
        let error = error_with(changes);
        assert_eq!(discriminant(&error), discriminant(kind), "{error:?}");
    }
    // Sizes that no machine has are refused at once.
    for buckets in [1 << 62, 1 << 63, 31 << 58, u64::MAX] {
        let error = error_with(&[(BUCKETS, buckets)]);
        let told = matches!(error, ReadError::TooLarge { buckets: told, .. } if told == buckets);
        assert!(told, "{error:?}");
    }
}

/// Impossible values of the numbers that only a rotating filter has are an error.
#[test]
fn impossible_rotating_values() {
    use stored::{CAPACITY, ROTATIONS, TABLES, buckets};
    let builder = RotatingCuckooFilter::builder().buckets(BUCKETS).seed(1);
    let sound = builder.build().expect("memory").to_bytes().expect("quiet");
    let cases: [(&str, &[(Field, u64)]); 7] = [
        ("number of rotations", &[(ROTATIONS, 1 << 43)]),
        ("number of rotations", &[(ROTATIONS, u64::MAX)]),
        ("number of tables", &[(TABLES, 1)]),
        ("number of tables", &[(TABLES, 16)]),
        ("capacity", &[(CAPACITY, SLOTS as u64 + 1)]),
        (
            "generations differ",
            &[(CAPACITY, 0), (buckets(0), 4), (buckets(1), 8)],
        ),
        (
            "more items than slots",
            &[(stored::items(1), SLOTS as u64 + 1)],
        ),
    ];
    for (said, changes) in cases {
        let error = read_as(Kind::Rotating, &changed(&sound, changes)).expect_err(said);
        assert!(error.to_string().contains(said), "{changes:?}: {error}");
    }
    let last = changed(&sound, &[(ROTATIONS, (1 << 43) - 1)]);
    let read = read_as(Kind::Rotating, &last).expect("possible");
    keeps_its_promises(&last, read);
}

#[test]
fn a_wrong_hasher_is_reported_before_damage() {
    let header = &sound_custom()[..stored::HEADER];
    let needed = read(header).expect_err("no hasher");
    assert!(matches!(needed, ReadError::HasherNeeded), "{needed:?}");
    let other = read_custom(header, 2).expect_err("another");
    assert!(matches!(other, ReadError::OtherHasher), "{other:?}");
}

#[test]
fn a_seed_is_stored_and_not_guessed() {
    // The check value of another seed together with that seed: a default hasher, but not that of
    // the items.
    let other = CuckooFilter::builder().buckets(2).seed(9).build();
    let other = other.expect("memory").to_bytes().expect("quiet");
    let of_other = [stored::SEED, stored::CHECK].map(|field| (field, field.get(&other)));
    let bytes = changed(&sound(), &of_other);
    let filter = CuckooFilter::from_bytes(&bytes).expect("as good as any");
    assert_eq!(filter.hasher().seed(), 9);
    let handed = CuckooFilter::from_bytes_with_hasher(&bytes, RandomState::with_seed(9));
    assert!(handed.is_ok());
    keeps_its_promises(&bytes, filter.into());
}

/// Words of another layout are refused or make a sound filter. Words of one layout after the header
/// of another, with matching checksums.
#[test]
fn words_of_another_layout() {
    for &from in Shape::ALL {
        let filter = empty(Kind::Fixed, from, 300);
        (0..200).for_each(|item| filter.insert_hash(mix(item)).expect("room"));
        let bytes = filter.to_bytes().expect("quiet");
        for &to in Shape::ALL {
            let slots = (to.value_bits() << 4) as u64 + to.slots() as u64;
            let bits = to.fingerprint_bits().into();
            let layout = [(stored::SLOTS, slots), (stored::FINGERPRINT_BITS, bits)];
            let relabelled = changed(&bytes, &layout);
            match read(&relabelled) {
                Ok(filter) => {
                    assert_eq!(filter.shape(), to);
                    keeps_its_promises(&relabelled, filter);
                }
                Err(ReadError::Malformed { .. }) => assert_ne!(from, to),
                Err(error) => panic!("{from} as {to}: {error}"),
            }
        }
    }
}

/// Returns words with every pattern of vacant lanes, including the patterns that a running filter
/// uses for references.
fn patterns(layout: Layout) -> impl Iterator<Item = u64> {
    let masks = (0..1u64 << layout.slots).map(move |pattern| {
        let whole = u64::from(*layout.fingerprints().end());
        let lanes = (0..layout.slots as u32).filter(move |lane| pattern >> lane & 1 == 1);
        lanes.fold(0, |mask, lane| {
            mask | whole << (layout.fingerprint_bits * lane)
        })
    });
    let values = [
        u64::MAX,
        0x0001_0001_0001_0001,
        0x8000_8000_8000_8000,
        0x7a41_e2cf_0539_ffff,
    ];
    masks.flat_map(move |mask| values.map(|value| value & mask))
}

/// Returns random words, and words such as a running filter has.
fn words(layout: Layout) -> impl Iterator<Item = u64> {
    let random = (0..300).map(mix).flat_map(move |random| {
        let shifted = [0, 1, 8, 31, 48].map(|shift| [random >> shift, random << shift]);
        let taken = random as usize % (layout.slots + 1);
        let fingerprints = (0..taken).map(|at| layout.fingerprint(mix(random ^ at as u64)));
        let bucket = fingerprints.fold(0, |bucket, f| layout.with(bucket, f).expect("room"));
        let reference = layout.reference(random as usize % 1_000, random);
        shifted.into_iter().flatten().chain([reference, bucket])
    });
    random.chain(patterns(layout))
}

#[test]
fn a_word_is_a_bucket_or_an_error() {
    for shape in plain() {
        let (layout, bytes) = (model_of(shape), bytes_of(&of_layout(Kind::Fixed, shape)));
        let first = layout.tokens(stored::words(&bytes)[0]).count();
        let others = stored::tokens(layout, &bytes).len() - first;
        let read_with = |word: u64| {
            // Whatever count the header has: a reader may count the tokens of an invalid word in
            // its own way.
            let counts = (0..=shape.slots()).filter(|&count| {
                let items = (stored::ITEMS, (others + count) as u64);
                let bytes = changed(&bytes, &[(stored::word(&bytes, 0), word), items]);
                match read(&bytes) {
                    Ok(filter) => {
                        holds_what_its_words_say(&bytes, &filter);
                        true
                    }
                    Err(ReadError::Malformed { .. }) => false,
                    Err(error) => panic!("{word:#018x}, {count} tokens: {error}"),
                }
            });
            counts.collect::<Vec<_>>()
        };
        let mut buckets = 0;
        for word in words(layout) {
            let is_bucket = layout.is_packed(word);
            let expected = is_bucket.then(|| layout.tokens(word).count());
            assert_eq!(read_with(word), Vec::from_iter(expected), "{word:#018x}");
            buckets += usize::from(is_bucket);
        }
        assert!(buckets > 300, "only {buckets} of them were buckets");
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
    let words: Vec<u64> = patterns(model_of(DEFAULT)).collect();
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

    /// Whatever is changed is an error or a filter.
    #[test]
    fn any_change(
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
        for kind in [Kind::Fixed, Kind::Growing, Kind::Rotating] {
            prop_assert!(read_as(kind, &bytes).is_err());
            // After a valid beginning, too.
            let sound = empty(kind, DEFAULT, 8).to_bytes().expect("quiet");
            for begun in [&sound[..12], &sound[..15]] {
                prop_assert!(read_as(kind, &[begun, &bytes].concat()).is_err());
            }
        }
    }
}
