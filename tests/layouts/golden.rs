//! Filters of every layout that were stored once are read, and written as they are, for ever; of a fixed size and
//! rotating. What they hold are the tokens of the items, each in a bucket of its class.

use std::fs;
use std::path::PathBuf;

use lockfree_cuckoo::{CuckooFilter, Engine, Filter, Fixed, Layout, Rotating};
use model::geometry::{Class, Geometry};
use model::stored;

use crate::common::model_of;

const SEED: u64 = 0x0123_4567_89ab_cdef;

/// Items of every stored filter; half of them are in twice.
const ITEMS: u32 = 14;

fn path<L: Layout>(kind: &str) -> PathBuf {
    let name = format!("{}x{}_{kind}", L::SLOTS, L::FINGERPRINT_BITS);
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/layouts");
    PathBuf::from(directory).join(name).with_extension("lfcf")
}

fn items() -> impl Iterator<Item = String> {
    (0..ITEMS).map(|item| format!("item {item}"))
}

fn fill<E: Engine>(filter: &Filter<E>) {
    for (at, item) in items().enumerate() {
        for _ in 0..=at % 2 {
            filter.insert(item.as_str()).expect("room");
        }
    }
}

/// Three ranges.
pub(crate) fn fixed<L: Layout>() -> Vec<u8> {
    let builder = CuckooFilter::builder().layout::<L>().buckets(48);
    let mut filter = builder.seed(SEED).build().expect("memory");
    fill(&filter);
    filter.to_bytes()
}

/// Two generations, after a rotation.
pub(crate) fn rotating<L: Layout>() -> Vec<u8> {
    let builder = Filter::<Rotating<L>>::builder().buckets(32).seed(SEED);
    let mut filter = builder.build().expect("memory");
    fill(&filter);
    filter.rotate().expect("alone");
    fill(&filter);
    filter.to_bytes()
}

/// The classes of all items, as often as each is in.
fn expected<E: Engine>(filter: &Filter<E>, geometry: Geometry) -> Vec<Class> {
    let twice = items().enumerate().flat_map(|(at, item)| {
        let class = geometry.class(filter.hash_one(item.as_str()));
        vec![class; 1 + at % 2]
    });
    let mut classes: Vec<Class> = twice.collect();
    classes.sort_unstable();
    classes
}

/// What a builder makes of a number of buckets may change.
fn with_capacity_of(stored: &[u8], mut made: Vec<u8>) -> Vec<u8> {
    let capacity = stored::CAPACITY.get(stored);
    stored::CAPACITY.set(&mut made, capacity);
    stored::repair(&mut made);
    made
}

/// Reads what was stored once, and compares it with what is made today.
fn read<E: Engine>(bytes: &[u8], made: &[u8], copies: usize) -> Filter<E> {
    assert!(bytes == made, "made again");
    let mut read = Filter::<E>::from_bytes(bytes).expect("a filter");
    assert!(read.to_bytes() == bytes, "written again");
    let other = Filter::<E>::read_from(bytes).expect("the same filter");
    assert_eq!(other.len(), read.len());
    assert_eq!(read.hasher().seed(), SEED);
    for (at, item) in items().enumerate() {
        let in_filter = copies * (1 + at % 2);
        assert!(read.count(item.as_str()) >= in_filter, "{item}");
        for _ in 0..in_filter {
            assert!(other.remove(item.as_str()), "{item}");
        }
    }
    assert!(other.is_empty());
    read
}

pub(crate) fn stored_filters_are_read_for_ever<L: Layout>() {
    let layout = model_of::<L>();
    let golden = |kind| fs::read(path::<L>(kind)).expect("it is in the repository");

    let bytes = golden("fixed");
    let made = with_capacity_of(&bytes, fixed::<L>());
    let filter = read::<Fixed<L>>(&bytes, &made, 1);
    let numbers = [stored::SLOTS, stored::FINGERPRINT_BITS].map(|field| field.get(&bytes));
    assert_eq!(numbers, [L::SLOTS as u64, L::FINGERPRINT_BITS.into()]);
    let geometry = Geometry::with_slots(layout, filter.slots());
    let tokens = stored::tokens(layout, &bytes).into_iter();
    let mut classes: Vec<Class> = tokens.map(|(at, f)| geometry.class_in(at, f)).collect();
    classes.sort_unstable();
    assert_eq!(classes, expected(&filter, geometry));
    assert!(
        stored::words(&bytes)
            .into_iter()
            .all(|word| layout.is_packed(word))
    );

    let bytes = golden("rotating");
    let made = with_capacity_of(&bytes, rotating::<L>());
    let filter = read::<Rotating<L>>(&bytes, &made, 2);
    assert_eq!((filter.rotations(), filter.generations()), (1, 2));
    filter.rotate().expect("alone");
    filter.rotate().expect("alone");
    assert!(filter.is_empty());
}

/// Writes the files of a layout. Only for a new layout: those that exist must stay as they are.
#[test]
#[ignore = "it writes the files that the other tests rely on"]
fn write_golden_files() {
    fn write<L: Layout>() {
        let kinds = [("fixed", fixed::<L>()), ("rotating", rotating::<L>())];
        for (kind, bytes) in kinds {
            let path = path::<L>(kind);
            if !path.exists() {
                fs::write(path, bytes).expect("a place to write to");
            }
        }
    }
    use lockfree_cuckoo::{Lanes, SemiSorted};
    crate::of_each_layout!(write);
}
