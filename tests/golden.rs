//! Files that were stored once are read, and written as they are, for ever.
//!
//! 1. Every golden file is read, and holds exactly the tokens of the items it was made of: no more, no fewer,
//!    and each in a bucket of its class.
//! 2. Written again, it is the same bytes.
//! 3. It is a filter to go on with.

mod common;
#[path = "common/stored.rs"]
mod stored;

use std::fs;
use std::hash::BuildHasher;
use std::path::PathBuf;

use common::geometry::{Class, Geometry};
use lockfree_cuckoo::{BuildError, CuckooFilter};
use stored::Fnv;

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

impl Golden {
    fn path(&self) -> PathBuf {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
        PathBuf::from(directory)
            .join(self.name)
            .with_extension("lfcf")
    }

    /// Every third is a second copy of the one before.
    fn items(&self) -> impl Iterator<Item = String> {
        (0..self.items).map(|item| match item % 3 {
            2 => format!("item {}", item - 1),
            _ => format!("item {item}"),
        })
    }

    /// Everything that is documented of the bytes, and the very tokens.
    fn check<S: BuildHasher + 'static>(&self, bytes: &[u8], mut read: CuckooFilter<S>) {
        let name = self.name;
        assert_eq!(read.slots(), 4 * self.buckets, "{name}");
        assert_eq!(read.capacity(), self.capacity, "{name}");
        assert_eq!(read.len(), self.items as usize, "{name}");
        let geometry = Geometry::of(&read);
        let mut expected: Vec<Class> = self
            .items()
            .map(|item| geometry.class(read.hash_one(item.as_str())))
            .collect();
        let mut stored: Vec<Class> = stored::tokens(bytes)
            .into_iter()
            .map(|(bucket, fingerprint)| {
                let other = geometry.alternate(bucket, fingerprint);
                Class {
                    low: bucket.min(other),
                    high: bucket.max(other),
                    fingerprint,
                }
            })
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
        let bytes = fs::read(golden.path()).expect("it is in the repository");
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
        fs::write(golden.path(), bytes).expect("a place to write to");
    }
}
