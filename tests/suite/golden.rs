//! Files that were stored once are read, and written as they are, for ever.
//!
//! 1. Every golden file is read, and holds exactly the tokens of the items it was made of: no more, no fewer,
//!    and each in a bucket of its class.
//! 2. Written again, it is the same bytes.
//! 3. It is a filter to go on with.

use std::fs;
use std::hash::BuildHasher;
use std::path::PathBuf;

use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::{BuildError, CuckooFilter, GrowingCuckooFilter, RotatingCuckooFilter};
use model::Layout;
use model::geometry::{Class, Geometry};
use model::hashers::Fnv;
use model::stored::{self, tables};

const SLOTS: usize = Layout::DEFAULT.slots;

/// A filter that was stored once, and what is in it.
struct Golden {
    name: &'static str,
    buckets: usize,
    capacity: usize,
    items: u32,
    seed: Option<u64>,
}

/// The third is nearly full: 91 items in 96 slots. Not every seed lets so many into three small ranges.
const GOLDEN: [Golden; 4] = [
    Golden {
        name: "empty",
        buckets: 2,
        capacity: 8,
        items: 0,
        seed: Some(1),
    },
    Golden {
        name: "hundred",
        buckets: 32,
        capacity: 100,
        items: 100,
        seed: Some(0x0123_4567_89ab_cdef),
    },
    Golden {
        name: "three_ranges",
        buckets: 24,
        capacity: 45,
        items: 91,
        seed: Some(8),
    },
    Golden {
        name: "custom_hasher",
        buckets: 8,
        capacity: 20,
        items: 20,
        seed: None,
    },
];

const GOLDEN_HASHER: Fnv = Fnv { key: 0x5eed };

fn path(name: &str) -> PathBuf {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    PathBuf::from(directory).join(name).with_extension("lfcf")
}

/// Every third is a second copy of the one before.
fn items(count: u32) -> impl Iterator<Item = String> {
    (0..count).map(|item| match item % 3 {
        2 => format!("item {}", item - 1),
        _ => format!("item {item}"),
    })
}

impl Golden {
    fn items(&self) -> impl Iterator<Item = String> {
        items(self.items)
    }

    /// Everything that is documented of the bytes, and the very tokens.
    fn check<S: BuildHasher + 'static>(&self, bytes: &[u8], mut read: CuckooFilter<S>) {
        let name = self.name;
        assert_eq!(read.slots(), SLOTS * self.buckets, "{name}");
        assert_eq!(read.capacity(), self.capacity, "{name}");
        assert_eq!(read.len(), self.items as usize, "{name}");
        let geometry = Geometry::with_slots(Layout::DEFAULT, read.slots());
        let mut expected: Vec<Class> = self
            .items()
            .map(|item| geometry.class(read.hash_one(item.as_str())))
            .collect();
        let mut stored: Vec<Class> = stored::tokens(Layout::DEFAULT, bytes)
            .into_iter()
            .map(|(bucket, fingerprint)| geometry.class_in(bucket, fingerprint))
            .collect();
        expected.sort_unstable();
        stored.sort_unstable();
        assert_eq!(stored, expected, "{name}");
        assert!(
            self.items().all(|item| read.contains(item.as_str())),
            "{name}"
        );
        assert!(read.to_bytes() == bytes, "{name}");

        // And it is one to go on with.
        for item in self.items() {
            assert!(read.remove(item.as_str()), "{name}: {item}");
        }
        assert!(read.is_empty(), "{name}");
    }
}

#[test]
fn golden_files_are_read_for_ever() {
    for golden in &GOLDEN {
        let bytes = fs::read(path(golden.name)).expect("it is in the repository");
        match golden.seed {
            Some(seed) => {
                let read = CuckooFilter::from_bytes(&bytes).expect("a filter");
                assert_eq!(read.hasher().seed(), seed);
                golden.check(&bytes, read);
                let read = CuckooFilter::read_from(bytes.as_slice());
                golden.check(&bytes, read.expect("the same filter"));
            }
            None => {
                let read = CuckooFilter::from_bytes_with_hasher(&bytes, GOLDEN_HASHER);
                golden.check(&bytes, read.expect("the same hasher"));
            }
        }
    }
}

/// Writes the golden files. Only for a new version of the stored form: those that exist must stay as they are.
#[test]
#[ignore = "it writes the files that the other tests rely on"]
fn write_golden_files() {
    fn stored<S: BuildHasher + 'static>(
        golden: &Golden,
        filter: Result<CuckooFilter<S>, BuildError>,
    ) -> Vec<u8> {
        let mut filter = filter.expect("memory");
        for item in golden.items() {
            filter.insert(item.as_str()).expect("room");
        }
        filter.to_bytes()
    }
    for golden in &GOLDEN {
        let builder = CuckooFilter::builder().buckets(golden.buckets);
        let mut bytes = match golden.seed {
            Some(seed) => stored(golden, builder.seed(seed).build()),
            None => stored(golden, builder.hasher(GOLDEN_HASHER).build()),
        };
        // What a builder makes of a number of buckets may change.
        stored::CAPACITY.set(&mut bytes, golden.capacity as u64);
        stored::repair(&mut bytes);
        fs::write(path(golden.name), bytes).expect("a place to write to");
    }
}

/// A filter that rotates, and was stored once: three generations after five rotations, with 20 items each.
const ROTATING: &str = "rotating_three_generations";

fn rotating() -> RotatingCuckooFilter {
    let builder = RotatingCuckooFilter::builder().capacity(30).seed(7);
    let filter = builder.generations(3).build().expect("memory");
    for period in 0..=5 {
        if period > 0 {
            filter.rotate().expect("alone");
        }
        for item in 0..20 {
            let item = format!("item {item} of period {period}");
            filter.insert(item.as_str()).expect("sized for it");
        }
    }
    filter
}

#[test]
fn a_golden_file_of_a_filter_that_rotates_is_read_for_ever() {
    let bytes = fs::read(path(ROTATING)).expect("it is in the repository");
    let mut read = RotatingCuckooFilter::from_bytes(&bytes).expect("a filter");
    assert_eq!((read.rotations(), read.generations()), (5, 3));
    assert_eq!(
        (read.capacity(), read.len(), read.hasher().seed()),
        (30, 60, 7)
    );
    assert!(read.to_bytes() == bytes, "written again");
    assert!(rotating().to_bytes() == bytes, "made again");
    for oldest in 3..=6 {
        for period in 3..=5 {
            let items = (0..20).map(|item| format!("item {item} of period {period}"));
            let found = items.filter(|item| read.contains(item.as_str())).count();
            assert_eq!(found, if period < oldest { 0 } else { 20 }, "{period}");
        }
        read.rotate().expect("alone");
    }
}

/// Writes that file. Only for a new version of the stored form.
#[test]
#[ignore = "it writes the file that the other test relies on"]
fn write_the_golden_file_of_a_filter_that_rotates() {
    fs::write(path(ROTATING), rotating().to_bytes()).expect("a place to write to");
}

/// Filters that grow, and were stored once: at their first level, in the midst of the second doubling, after that with
/// tokens of all three levels, and with a second table.
const GROWN: [(&str, usize, u32, u32); 4] = [
    ("growing_empty", 2, 0, 1),
    (MIDWAY, 16, 115, 1),
    ("growing_twice", 16, 200, 1),
    ("growing_two_tables", 2, 9_000, 2),
];

const MIDWAY: &str = "growing_midway";

fn grown(first: usize, count: u32) -> GrowingCuckooFilter {
    let builder = GrowingCuckooFilter::builder().buckets(first).seed(9);
    let builder = builder.max_memory_usage(1 << 30);
    let filter = builder.build().expect("memory");
    for item in items(count) {
        filter.insert(item.as_str()).expect("it grows");
    }
    filter
}

#[test]
fn golden_files_of_filters_that_grow_are_read_for_ever() {
    for (name, first, count, tables) in GROWN {
        let bytes = fs::read(path(name)).expect("it is in the repository");
        let mut read = GrowingCuckooFilter::from_bytes(&bytes).expect("a filter");
        assert_eq!(read.hasher().seed(), 9, "{name}");
        assert_eq!(
            (read.len(), read.tables()),
            (count as usize, tables as usize),
            "{name}"
        );
        assert!(read.to_bytes() == bytes, "{name}: written again");
        assert!(
            grown(first, count).to_bytes() == bytes,
            "{name}: made again"
        );
        assert_eq!(read.doubled().is_some(), name == MIDWAY, "{name}");
        // Each token is that of one item, and each item has one.
        let mut hashes: Vec<u64> = items(count)
            .map(|item| read.hash_one(item.as_str()))
            .collect();
        let mut tokens: Vec<tables::Token> = tables::tokens(&bytes).concat();
        // Of the longest first, because a shorter one may be of several.
        tokens.sort_by_key(|token| std::cmp::Reverse(token.known()));
        for token in tokens {
            let item = hashes.iter().position(|&hash| token.covers(hash));
            hashes.swap_remove(item.expect("a token of an item"));
        }
        assert_eq!(hashes.len(), 0, "{name}");
        // Each token is that of one item, the longest first: so all can be removed, and no other is found often.
        assert!(
            items(count).all(|item| read.contains(item.as_str())),
            "{name}"
        );
        assert!(
            items(count).all(|item| read.remove(item.as_str())),
            "{name}"
        );
        assert!(read.is_empty(), "{name}");
    }
}

/// Writes the golden files of filters that grow. Only for a new version of the stored form.
#[test]
#[ignore = "it writes the files that the other tests rely on"]
fn write_golden_files_of_filters_that_grow() {
    for (name, first, count, _) in GROWN {
        let bytes = grown(first, count).to_bytes();
        fs::write(path(name), bytes).expect("a place to write to");
    }
}
