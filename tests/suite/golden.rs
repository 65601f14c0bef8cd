//! Golden files: filters stored by earlier versions, and the vectors: such files with items, their
//! hashes, and the answers.
//!
//! 1. Every file is read, and writing it again gives the same bytes.
//! 2. A golden file holds exactly the tokens of its items: no more, no fewer, and each in a bucket
//!    of its class. Storing a filter that is made in the same way gives the same bytes.
//! 3. The filter that was read works.
//! 4. The library gives the hashes and answers of the vectors. So does a program in Python that
//!    uses only the documented form, by the items and by their hashes. Without Python this is
//!    skipped, with a message.
//! 5. The vectors cover the likely mistakes of a reader: each kind and packing, several tables, a
//!    doubling, false positives.

use std::collections::BTreeSet;
use std::fs;
use std::hash::BuildHasher;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lockfree_cuckoo::{
    CuckooFilter, DynFilter, GrowingCuckooFilter, RandomState, ReadError, RotatingCuckooFilter,
    filter::{Kind, Rotates},
    layout::{Lanes, SemiSorted, Shape, WithValues},
};
use model::geometry::Class;
use model::hashers::Fnv;
use model::stored::{self, tables};

use crate::door::{agree, geometry_of, kinds, model_of, read_as};
use crate::values::value_of;

/// A stored filter.
struct Golden<S = RandomState> {
    name: String,
    /// The filter, made again.
    made: DynFilter<S>,
    /// The hashes of its items.
    hashes: Vec<u64>,
    kind: Kind,
}

impl<S> Golden<S> {
    /// Returns a golden filter with these items.
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

const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/golden");

/// Returns the path of a file of a golden filter.
fn path(name: &str, extension: &str) -> PathBuf {
    Path::new(DIRECTORY).join(name).with_extension(extension)
}

/// Returns the bytes of a golden filter.
pub(crate) fn bytes_of(name: &str) -> Vec<u8> {
    fs::read(path(name, "lfcf")).expect("it is in the repository")
}

/// Returns the name of the file for a layout.
pub(crate) fn of_layout(kind: Kind, shape: Shape) -> String {
    let kind = format!("{kind:?}").to_lowercase();
    let (slots, bits) = (shape.slots(), shape.fingerprint_bits());
    format!("layouts/{slots}x{bits}_{kind}")
}

/// Returns the hashes of numbered items.
fn hashed(hasher: &impl BuildHasher, numbers: impl Iterator<Item = usize>) -> Vec<u64> {
    let items = numbers.map(|number| format!("item {number}"));
    items.map(|item| hasher.hash_one(item.as_str())).collect()
}

/// Returns `count` hashes, of which every third repeats the one before.
fn with_copies(hasher: &impl BuildHasher, count: usize) -> Vec<u64> {
    hashed(
        hasher,
        (0..count).map(|item| item - usize::from(item % 3 == 2)),
    )
}

/// Fixed filters. The third is nearly full: 91 items in 96 slots. Not every seed allows as many in
/// three small ranges.
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

/// Growing filters: at their first level, in the middle of the second doubling, after it with
/// tokens of all three levels, and with a second table. Each has a number of first buckets, a
/// number of items, and whether it is doubling.
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

/// Returns the 20 items of a period.
fn of_period(period: u64) -> Vec<u64> {
    let items = (0..20).map(|item| format!("item {item} of period {period}"));
    let hasher = RandomState::with_seed(7);
    items.map(|item| hasher.hash_one(item.as_str())).collect()
}

/// Returns a filter with three generations after five rotations.
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

/// Returns a filter of each layout: three ranges, or two generations after a rotation, each with 14
/// items, half of them twice.
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

/// Returns a filter of three ranges with some values.
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

/// Checks that every token is one of these items, and that every item has a token of its own in one
/// of its buckets.
fn has_the_tokens<S>(kind: Kind, bytes: &[u8], filter: &DynFilter<S>, mut hashes: Vec<u64>) {
    if kind == Kind::Growing {
        let mut tokens: Vec<tables::Token> = tables::tokens(bytes).concat();
        // The longest tokens first, because a shorter one may belong to several items.
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

/// Checks that the file is read, that the filter is equal, and that making it again gives the same
/// bytes.
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
        // The capacity that a builder derives from a number of buckets may change.
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
    // The filter works.
    assert!(golden.hashes.iter().all(|&hash| read.contains_hash(hash)));
    let removed = read.remove_many_hash(&golden.hashes);
    assert_eq!((removed, read.len()), (golden.hashes.len(), 0), "{name}");
}

/// Golden files are read and written unchanged.
#[test]
fn files_are_unchanged() {
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
fn a_stored_rotating_filter_rotates_on() {
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

/// The lookup of one item: a line of the file beside a vector.
#[derive(Debug, PartialEq, Eq)]
struct Lookup {
    item: String,
    hash: u64,
    is_in: bool,
}

fn answer(is_in: bool) -> &'static str {
    if is_in { "yes" } else { "no" }
}

impl Lookup {
    fn in_filter(filter: &DynFilter, item: String) -> Self {
        let hash = filter.hasher().hash_bytes(item.as_bytes());
        Self {
            is_in: filter.contains_hash(hash),
            item,
            hash,
        }
    }

    /// Returns the lookups in a vector with this number of items: of some of them, and of others.
    fn all_in(filter: &DynFilter, items: usize) -> impl Iterator<Item = Self> {
        let there = (0..items).step_by((items / 50).max(1));
        let there = there.map(|number| format!("item {number}"));
        let others = (0..100).map(|number| format!("absent {number}"));
        let all = there.chain(others);
        all.map(|item| Self::in_filter(filter, item))
    }

    fn line(&self) -> String {
        format!(
            "{}\t{:016x}\t{}\n",
            self.item,
            self.hash,
            answer(self.is_in)
        )
    }

    fn of_line(line: &str) -> Self {
        let parts: Vec<&str> = line.split('\t').collect();
        let &[item, hash, is_in] = parts.as_slice() else {
            panic!("not three parts: {line}");
        };
        Self {
            item: item.to_owned(),
            hash: u64::from_str_radix(hash, 16).expect("hexadecimal"),
            is_in: is_in == "yes",
        }
    }
}

/// Returns the names of all vectors of the repository.
fn names_of_vectors() -> BTreeSet<String> {
    let entries = fs::read_dir(path("vectors", "")).expect("it is in the repository");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let name = |path: PathBuf| Some(format!("vectors/{}", path.file_stem()?.to_str()?));
    paths.filter_map(name).collect()
}

/// Returns the lookups in a vector.
fn lookups(name: &str) -> Vec<Lookup> {
    let lines = fs::read_to_string(path(name, "tsv")).expect("beside it");
    lines.lines().map(Lookup::of_line).collect()
}

/// The library gives the answers of the vectors.
#[test]
fn library_answers() {
    for name in names_of_vectors() {
        let stored = bytes_of(&name);
        let filter = DynFilter::from_bytes(&stored).expect("a filter");
        assert!(stored == filter.to_bytes().expect("quiet"), "{name}");
        for lookup in lookups(&name) {
            let found = Lookup::in_filter(&filter, lookup.item.clone());
            assert_eq!(found, lookup, "{name}");
        }
    }
}

/// Returns the answers of the program in Python to these lines; `None` without Python.
fn answers_of_python(filter: &Path, options: &[&str], lines: &str) -> Option<String> {
    let reader = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/read_stored.py");
    let mut command = Command::new("python3");
    command.arg(reader).args(options).arg(filter);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut child) = pipes.spawn() else {
        // Not through the harness, which would capture it.
        let _ = writeln!(
            io::stderr(),
            "SKIPPED: a reader in Python: there is no python3"
        );
        return None;
    };
    let mut input = child.stdin.take().expect("piped");
    // A reader that fails does not read them, and prints why.
    let _ = input.write_all(lines.as_bytes());
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}: it fails", filter.display());
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
}

/// A reader in Python gives the answers of the vectors.
#[test]
fn python_answers() {
    for name in names_of_vectors() {
        let lookups = lookups(&name);
        let of_all = |of: fn(&Lookup) -> String| lookups.iter().map(of).collect::<String>();
        let items = of_all(|lookup| format!("{}\n", lookup.item));
        let hashes = of_all(|lookup| format!("{:016x}\n", lookup.hash));
        let expected = of_all(|lookup| format!("{}\n", answer(lookup.is_in)));
        for (options, lines) in [(&[][..], items), (&["--hashes"], hashes)] {
            let filter = path(&name, "lfcf");
            let Some(said) = answers_of_python(&filter, options, &lines) else {
                return;
            };
            assert_eq!(said, expected, "{name} {options:?}");
        }
    }
}

#[test]
fn the_vectors_cover_the_form() {
    let (mut kinds, mut shapes, mut numbers) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut false_positives = 0;
    let mut doubles = false;
    for name in names_of_vectors() {
        let (stored, lookups) = (bytes_of(&name), lookups(&name));
        let filter = DynFilter::from_bytes(&stored).expect("a filter");
        let is = |is_in| move |lookup: &&Lookup| lookup.is_in == is_in;
        assert!(lookups.iter().filter(is(false)).count() > 50);
        let are_in = lookups.iter().filter(is(true));
        let absent = are_in
            .clone()
            .filter(|lookup| lookup.item.starts_with("absent"));
        false_positives += absent.count();
        assert!(filter.is_empty() || are_in.count() > 10, "{name}");
        doubles |= filter.kind() == Kind::Growing && is_doubling(&stored);
        kinds.insert(filter.kind().to_string());
        shapes.insert(filter.shape().to_string());
        numbers.insert((filter.kind().to_string(), filter.tables()));
    }
    assert_eq!((kinds.len(), shapes.len()), (3, 6), "{kinds:?} {shapes:?}");
    assert!(numbers.len() >= 4 && doubles && false_positives > 5);
}

/// Returns the filters of the vectors, empty, with the numbers of their items.
fn empty_vectors() -> Vec<(&'static str, DynFilter, usize)> {
    const SEED: u64 = 0x0123_4567_89ab_cdef;
    let fixed = |buckets, shape| {
        let builder = CuckooFilter::builder().buckets(buckets).seed(SEED);
        builder.build_shape(shape).expect("memory")
    };
    let growing = |buckets| {
        let builder = GrowingCuckooFilter::builder().buckets(buckets).seed(SEED);
        let builder = builder.max_memory_usage(1 << 30);
        DynFilter::from(builder.build().expect("memory"))
    };
    let rotating = |shape| {
        let builder = RotatingCuckooFilter::builder().buckets(8).seed(SEED);
        builder.generations(3).build_shape(shape).expect("memory")
    };
    let default = Shape::of::<Lanes<4, 16>>();
    vec![
        ("empty", fixed(2, default), 0),
        ("fixed", fixed(16, default), 50),
        ("fixed_three_ranges", fixed(24, default), 50),
        ("fixed_2x31", fixed(16, Shape::of::<Lanes<2, 31>>()), 20),
        ("fixed_8x8", fixed(16, Shape::of::<Lanes<8, 8>>()), 100),
        (
            "fixed_semi_sorted_4x17",
            fixed(16, Shape::of::<SemiSorted<4, 17>>()),
            40,
        ),
        (
            "fixed_semi_sorted_6x12",
            fixed(16, Shape::of::<SemiSorted<6, 12>>()),
            60,
        ),
        (
            "fixed_with_values_4x12",
            fixed(16, Shape::of::<Lanes<4, 12, 4>>()),
            40,
        ),
        ("growing", growing(16), 40),
        ("growing_midway", growing(16), 250),
        ("growing_two_tables", growing(2), 9_000),
        ("rotating", rotating(default), 60),
        ("rotating_8x8", rotating(Shape::of::<Lanes<8, 8>>()), 120),
    ]
}

/// Whether the first table is doubling, and has split some buckets.
fn is_doubling(stored: &[u8]) -> bool {
    tables::growing(0).get(stored) == 1 && tables::cursor(0).get(stored) > 0
}

/// Inserts this number of items, of which every fifth is a second copy of the one before, or as
/// many as fit, or until a doubling is under way.
fn fill(filter: &DynFilter, items: usize, until_midway: bool) {
    let periods = filter.rotating().map_or(1, Rotates::generations);
    for number in 0..items {
        let item = format!("item {}", number - usize::from(number % 5 == 4));
        let hash = filter.hasher().hash_bytes(item.as_bytes());
        let is_refused = filter.insert_hash(hash).is_err();
        let is_midway = || is_doubling(&filter.to_bytes().expect("quiet"));
        if is_refused || until_midway && is_midway() {
            break;
        }
        let ends = number % (items / periods) == 0 && number > 0;
        if let Some(rotating) = filter.rotating().filter(|_| ends) {
            rotating.rotate().expect("alone");
        }
    }
}

/// Writes the missing files. Only for a new layout or a new version of the stored form: existing
/// files must not change.
#[test]
#[ignore = "it writes the files that the other tests rely on"]
fn write_golden_files() {
    fn write<S: BuildHasher + 'static>(golden: &Golden<S>) {
        let path = path(&golden.name, "lfcf");
        if !path.exists() {
            let bytes = golden.made.to_bytes().expect("quiet");
            fs::write(path, bytes).expect("a place to write to");
        }
    }
    all().for_each(|golden| write(&golden));
    write(&with_a_custom_hasher());
    for (name, filter, items) in empty_vectors() {
        let name = format!("vectors/{name}");
        if !path(&name, "lfcf").exists() {
            fill(&filter, items, name.ends_with("midway"));
            let lookups = Lookup::all_in(&filter, items);
            let lines = lookups.map(|lookup| lookup.line()).collect::<String>();
            fs::write(path(&name, "tsv"), lines).expect("a place to write to");
            let bytes = filter.to_bytes().expect("quiet");
            fs::write(path(&name, "lfcf"), bytes).expect("a place to write to");
        }
    }
}
