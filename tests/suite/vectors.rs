//! The golden vectors: stored filters of each kind and of several layouts, items, their hashes, and
//! the answers.
//!
//! 1. The library gives these hashes and answers.
//! 2. So does a program in Python that uses only the documented form, by the items and by their
//!    hashes. Without Python this is skipped, with a message.
//! 3. They cover the likely mistakes of a reader: each kind and packing, several tables, a
//!    doubling, false positives.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lockfree_cuckoo::{
    CuckooFilter, DynFilter, GrowingCuckooFilter, RotatingCuckooFilter,
    filter::{Kind, Rotates},
    layout::{Lanes, SemiSorted, Shape},
};
use model::stored::tables;

/// The lookup of one item: a line of the file beside a filter.
#[derive(Debug, PartialEq, Eq)]
struct Lookup {
    item: String,
    hash: u64,
    is_in: bool,
}

/// A stored filter, and lookups in it.
struct Vector {
    name: String,
    stored: Vec<u8>,
    lookups: Vec<Lookup>,
}

const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/vectors");

fn path(name: &str, extension: &str) -> PathBuf {
    Path::new(DIRECTORY).join(name).with_extension(extension)
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

/// Returns all vectors of the repository.
fn vectors() -> Vec<Vector> {
    let entries = fs::read_dir(DIRECTORY).expect("it is in the repository");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let names: BTreeSet<_> = paths
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    let read = |name: String| {
        let lines = fs::read_to_string(path(&name, "tsv")).expect("beside it");
        Vector {
            stored: fs::read(path(&name, "lfcf")).expect("beside it"),
            lookups: lines.lines().map(Lookup::of_line).collect(),
            name,
        }
    };
    names.into_iter().map(read).collect()
}

/// The library gives the answers of the vectors.
#[test]
fn library_answers() {
    for Vector {
        name,
        stored,
        lookups,
    } in vectors()
    {
        let filter = DynFilter::from_bytes(&stored).expect("a filter");
        assert!(stored == filter.to_bytes().expect("quiet"), "{name}");
        for lookup in lookups {
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
    for vector in vectors() {
        let of_all = |of: fn(&Lookup) -> String| vector.lookups.iter().map(of).collect::<String>();
        let items = of_all(|lookup| format!("{}\n", lookup.item));
        let hashes = of_all(|lookup| format!("{:016x}\n", lookup.hash));
        let expected = of_all(|lookup| format!("{}\n", answer(lookup.is_in)));
        for (options, lines) in [(&[][..], items), (&["--hashes"], hashes)] {
            let filter = path(&vector.name, "lfcf");
            let Some(said) = answers_of_python(&filter, options, &lines) else {
                return;
            };
            assert_eq!(said, expected, "{} {options:?}", vector.name);
        }
    }
}

#[test]
fn the_vectors_cover_the_form() {
    let (mut kinds, mut shapes, mut numbers) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut false_positives = 0;
    let mut doubles = false;
    for vector in vectors() {
        let filter = DynFilter::from_bytes(&vector.stored).expect("a filter");
        let is = |is_in| move |lookup: &&Lookup| lookup.is_in == is_in;
        assert!(vector.lookups.iter().filter(is(false)).count() > 50);
        let are_in = vector.lookups.iter().filter(is(true));
        let absent = are_in
            .clone()
            .filter(|lookup| lookup.item.starts_with("absent"));
        false_positives += absent.count();
        assert!(filter.is_empty() || are_in.count() > 10, "{}", vector.name);
        doubles |= filter.kind() == Kind::Growing && is_doubling(&vector.stored);
        kinds.insert(filter.kind().to_string());
        shapes.insert(filter.shape().to_string());
        numbers.insert((filter.kind().to_string(), filter.tables()));
    }
    assert_eq!((kinds.len(), shapes.len()), (3, 6), "{kinds:?} {shapes:?}");
    assert!(numbers.len() >= 4 && doubles && false_positives > 5);
}

/// Returns the filters, made again: with this number of items, some of them twice, or as many as
/// fit.
fn made() -> Vec<(&'static str, DynFilter, usize)> {
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

/// Writes the missing files. Existing files must not change.
#[test]
#[ignore = "it writes the files that the other tests rely on"]
fn write_vectors() {
    fs::create_dir_all(DIRECTORY).expect("a place to write to");
    for (name, filter, items) in made() {
        if path(name, "lfcf").exists() {
            continue;
        }
        let periods = filter.rotating().map_or(1, Rotates::generations);
        for number in 0..items {
            // Every fifth is a second copy of the one before.
            let item = format!("item {}", number - usize::from(number % 5 == 4));
            let hash = filter.hasher().hash_bytes(item.as_bytes());
            let is_refused = filter.insert_hash(hash).is_err();
            let is_midway = || is_doubling(&filter.to_bytes().expect("quiet"));
            if is_refused || name == "growing_midway" && is_midway() {
                break;
            }
            let ends = number % (items / periods) == 0 && number > 0;
            if let Some(rotating) = filter.rotating().filter(|_| ends) {
                rotating.rotate().expect("alone");
            }
        }
        let steps = (items / 50).max(1);
        let there = (0..items)
            .step_by(steps)
            .map(|number| format!("item {number}"));
        let others = (0..100).map(|number| format!("absent {number}"));
        let lookups = there.chain(others);
        let lines = lookups.map(|item| Lookup::in_filter(&filter, item).line());
        fs::write(path(name, "tsv"), lines.collect::<String>()).expect("written");
        fs::write(path(name, "lfcf"), filter.to_bytes().expect("quiet")).expect("written");
    }
}
