//! Files that were stored once are read, and written as they are, for ever.
//!
//! 1. Every golden file is read, and holds exactly the tokens of the items it was made of: no more, no fewer,
//!    and each in a bucket of its class.
//! 2. Written again, it is the same bytes; and a filter that is made in the same way is stored as these bytes.
//! 3. It is a filter to go on with.

use std::fs;
use std::hash::BuildHasher;
use std::path::PathBuf;

use lockfree_cuckoo::{
    CuckooFilter, DynFilter, GrowingCuckooFilter, Kind, Lanes, RandomState, ReadError,
    RotatingCuckooFilter, Shape, WithValues,
};
use model::geometry::Class;
use model::hashers::Fnv;
use model::stored::{self, tables};

use crate::door::{agree, geometry_of, kinds, model_of, read_as};
use crate::values::value_of;

/// A filter that was stored once.
struct Golden<S = RandomState> {
    name: String,
    /// It, as it is made again.
    made: DynFilter<S>,
    /// The hashes of what is in it.
    hashes: Vec<u64>,
    kind: Kind,
}

impl<S> Golden<S> {
    /// One with these items.
    fn of(
        name: impl Into<String>,
        kind: Kind,
        made: impl Into<DynFilter<S>>,
        hashes: Vec<u64>,
    ) -> Self {
        let made = made.into();
        made.insert_many_hash(&hashes).expect("room");
        Self {
            name: name.into(),
            made,
            hashes,
            kind,
        }
    }
}

/// The file of a golden filter.
fn path(name: &str) -> PathBuf {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    PathBuf::from(directory).join(name).with_extension("lfcf")
}

/// What is stored in it.
pub(crate) fn bytes_of(name: &str) -> Vec<u8> {
    fs::read(path(name)).expect("it is in the repository")
}

/// That of a layout of a bucket.
pub(crate) fn of_layout(kind: Kind, shape: Shape) -> String {
    let kind = format!("{kind:?}").to_lowercase();
    let (slots, bits) = (shape.slots(), shape.fingerprint_bits());
    format!("layouts/{slots}x{bits}_{kind}")
}

/// The hashes of numbered items.
fn hashed(hasher: &impl BuildHasher, numbers: impl Iterator<Item = usize>) -> Vec<u64> {
    let items = numbers.map(|number| format!("item {number}"));
    items.map(|item| hasher.hash_one(item.as_str())).collect()
}

/// So many, of which every third is a second copy of the one before.
fn with_copies(hasher: &impl BuildHasher, count: usize) -> Vec<u64> {
    hashed(
        hasher,
        (0..count).map(|item| item - usize::from(item % 3 == 2)),
    )
}

/// Of a fixed size. The third is nearly full: 91 items in 96 slots. Not every seed lets so many into three small ranges.
const FIXED: [(&str, usize, usize, u64); 3] = [
    ("empty", 2, 0, 1),
    ("hundred", 32, 100, 0x0123_4567_89ab_cdef),
    ("three_ranges", 24, 91, 8),
];

const HASHER: Fnv = Fnv { key: 0x5eed };

fn fixed() -> impl Iterator<Item = Golden> {
    FIXED.into_iter().map(|(name, buckets, count, seed)| {
        let builder = CuckooFilter::builder().buckets(buckets).seed(seed);
        let hashes = with_copies(&RandomState::with_seed(seed), count);
        Golden::of(name, Kind::Fixed, builder.build().expect("memory"), hashes)
    })
}

fn with_a_custom_hasher() -> Golden<Fnv> {
    let builder = CuckooFilter::builder().buckets(8).hasher(HASHER);
    let made = builder.build().expect("memory");
    Golden::of("custom_hasher", Kind::Fixed, made, with_copies(&HASHER, 20))
}

/// Filters that grow: at their first level, in the midst of the second doubling, after that with tokens of all three
/// levels, and with a second table. The first buckets, how many items, and whether it doubles.
const GROWING: [(&str, usize, usize, bool); 4] = [
    ("growing_empty", 2, 0, false),
    ("growing_midway", 16, 115, true),
    ("growing_twice", 16, 200, false),
    ("growing_two_tables", 2, 9_000, false),
];

fn growing() -> impl Iterator<Item = Golden> {
    GROWING.into_iter().map(|(name, first, count, doubles)| {
        let builder = GrowingCuckooFilter::builder().buckets(first).seed(9);
        let made = builder.max_memory_usage(1 << 30).build().expect("memory");
        let hashes = with_copies(made.hasher(), count);
        let golden = Golden::of(name, Kind::Growing, made, hashes);
        let doubling = tables::growing(0).get(&golden.made.to_bytes().expect("quiet"));
        assert_eq!(doubling, u64::from(doubles), "{name}");
        let tables = golden.made.tables();
        assert_eq!(tables, if count > 8_192 { 2 } else { 1 }, "{name}");
        golden
    })
}

const ROTATING: &str = "rotating_three_generations";

/// The 20 items of a period.
fn of_period(period: u64) -> Vec<u64> {
    let items = (0..20).map(|item| format!("item {item} of period {period}"));
    let hasher = RandomState::with_seed(7);
    items.map(|item| hasher.hash_one(item.as_str())).collect()
}

/// Three generations after five rotations.
fn rotating() -> Golden {
    let builder = RotatingCuckooFilter::builder().capacity(30).seed(7);
    let made = builder.generations(3).build().expect("memory");
    for period in 0..5 {
        let inserted = made.insert_many_hash(&of_period(period));
        inserted.expect("sized for it");
        made.rotate().expect("alone");
    }
    let mut golden = Golden::of(ROTATING, Kind::Rotating, made, of_period(5));
    golden.hashes = (3..=5).flat_map(of_period).collect();
    golden
}

/// Of each layout: three ranges, or two generations after a rotation, each with 14 items, half of them twice.
fn of_layouts() -> impl Iterator<Item = Golden> {
    const SEED: u64 = 0x0123_4567_89ab_cdef;
    let all = kinds().filter(|&(kind, _)| kind != Kind::Growing);
    all.map(|(kind, shape)| {
        let fixed = CuckooFilter::builder().buckets(48).seed(SEED);
        let rotating = RotatingCuckooFilter::builder().buckets(32).seed(SEED);
        let built = match kind {
            Kind::Fixed => fixed.build_shape(shape),
            _ => rotating.build_shape(shape),
        };
        let made = built.expect("memory");
        let twice = (0..14).flat_map(|item| vec![item; 1 + item % 2]);
        let hashes = hashed(&RandomState::with_seed(SEED), twice);
        let mut golden = Golden::of(of_layout(kind, shape), kind, made, hashes.clone());
        if let Some(rotating) = golden.made.rotating() {
            rotating.rotate().expect("alone");
            golden.made.insert_many_hash(&hashes).expect("room");
            golden.hashes.extend(hashes);
        }
        golden
    })
}

/// Some values in a table of three ranges.
fn with_values<L: WithValues>() -> Golden {
    let builder = CuckooFilter::builder().layout::<L>().seed(1);
    let made = builder.buckets(48).build().expect("memory");
    for number in 0..40_u64 {
        let inserted = made.insert_value(&number, value_of::<L>(number));
        inserted.expect("room");
    }
    let (slots, bits, values) = (L::SLOTS, L::FINGERPRINT_BITS, L::VALUE_BITS);
    let hashes = (0..40_u64).map(|number| made.hash_one(&number)).collect();
    let name = format!("layouts/{slots}x{bits}+{values}_fixed");
    let mut golden = Golden::of(name, Kind::Fixed, made, Vec::new());
    golden.hashes = hashes;
    golden
}

fn all() -> impl Iterator<Item = Golden> {
    let named = fixed().chain(growing()).chain([rotating()]);
    named.chain(of_layouts()).chain([
        with_values::<Lanes<4, 12, 4>>(),
        with_values::<Lanes<3, 13, 8>>(),
        with_values::<Lanes<2, 16, 15>>(),
    ])
}

/// Every token is one of these items, and every item has one, in a bucket of its own.
fn has_the_tokens<S>(kind: Kind, bytes: &[u8], filter: &DynFilter<S>, mut hashes: Vec<u64>) {
    if kind == Kind::Growing {
        let mut tokens: Vec<tables::Token> = tables::tokens(bytes).concat();
        // Of the longest first, because a shorter one may be of several.
        tokens.sort_by_key(|token| std::cmp::Reverse(token.known()));
        for token in tokens {
            let item = hashes.iter().position(|&hash| token.covers(hash));
            hashes.swap_remove(item.expect("a token of an item"));
        }
        assert_eq!(hashes.len(), 0, "an item has no token");
    } else if kind == Kind::Fixed && filter.shape().value_bits() == 0 {
        let (layout, geometry) = (model_of(filter.shape()), geometry_of(filter));
        let tokens = stored::tokens(layout, bytes).into_iter();
        let mut classes: Vec<Class> = tokens.map(|(at, f)| geometry.class_in(at, f)).collect();
        let mut expected: Vec<Class> = hashes.iter().map(|&h| geometry.class(h)).collect();
        classes.sort_unstable();
        expected.sort_unstable();
        assert_eq!(classes, expected);
        let mut words = stored::words(bytes).into_iter();
        assert!(words.all(|word| layout.is_packed(word)));
    }
}

/// It is read, is the same, and is made again.
fn is_as_ever<S: BuildHasher + 'static>(
    golden: &Golden<S>,
    read: impl Fn(Kind, &[u8]) -> Result<DynFilter<S>, ReadError>,
) {
    let (name, bytes) = (&golden.name, bytes_of(&golden.name));
    let read = read(golden.kind, &bytes).expect("a filter");
    let mut made = golden.made.to_bytes().expect("quiet");
    if golden.kind != Kind::Growing {
        let capacity = stored::CAPACITY.get(&bytes);
        assert_eq!(read.capacity() as u64, capacity, "{name}");
        // What a builder makes of a number of buckets may change.
        stored::CAPACITY.set(&mut made, capacity);
        stored::repair(&mut made);
    }
    assert!(bytes == made, "{name}: made again");
    assert!(
        bytes == read.to_bytes().expect("quiet"),
        "{name}: written again"
    );
    let of = |filter: &DynFilter<S>| (filter.shape(), filter.slots(), filter.tables());
    assert_eq!(of(&read), of(&golden.made), "{name}");
    assert_eq!(read.len(), golden.hashes.len(), "{name}");
    has_the_tokens(golden.kind, &bytes, &read, golden.hashes.clone());
    // And it is one to go on with.
    assert!(golden.hashes.iter().all(|&hash| read.contains_hash(hash)));
    let removed = read.remove_many_hash(&golden.hashes);
    assert_eq!((removed, read.len()), (golden.hashes.len(), 0), "{name}");
}

#[test]
fn golden_files_are_read_for_ever() {
    for golden in all() {
        let read = |kind: Kind, bytes: &[u8]| read_as(kind, bytes);
        is_as_ever(&golden, read);
        let read = read(golden.kind, &bytes_of(&golden.name)).expect("a filter");
        assert_eq!(read.hasher().seed(), golden.made.hasher().seed());
    }
    is_as_ever(&with_a_custom_hasher(), |_, bytes| {
        agree(
            DynFilter::from_bytes_with_hasher(bytes, HASHER),
            DynFilter::read_from_with_hasher(bytes, HASHER),
        )
    });
}

#[test]
fn what_rotated_when_it_was_stored_rotates_on() {
    let read = RotatingCuckooFilter::from_bytes(&bytes_of(ROTATING)).expect("a filter");
    assert_eq!((read.rotations(), read.generations()), (5, 3));
    for oldest in 3..=6 {
        for period in 3..=5 {
            let items = of_period(period).into_iter();
            let found = items.filter(|&item| read.contains_hash(item)).count();
            assert_eq!(found, if period < oldest { 0 } else { 20 }, "{period}");
        }
        read.rotate().expect("alone");
    }
}

/// Writes the files that are missing. Only for a new layout or a new version of the stored form: those that exist must
/// stay as they are.
#[test]
#[ignore = "it writes the files that the other tests rely on"]
fn write_golden_files() {
    fn write<S: BuildHasher + 'static>(golden: &Golden<S>) {
        let path = path(&golden.name);
        if !path.exists() {
            let bytes = golden.made.to_bytes().expect("quiet");
            fs::write(path, bytes).expect("a place to write to");
        }
    }
    all().for_each(|golden| write(&golden));
    write(&with_a_custom_hasher());
}
