//! Filters that double: makes them at the level that a scene needs.

use std::sync::OnceLock;

use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{Filter, FilterBuilder, filter::Growing};
use model::hashers::AsGiven;
use model::mix;

pub(crate) type Doubling = Filter<Growing, AsGiven>;

/// The words that an insert splits while the table grows.
pub(crate) const CHUNK: usize = 16;

/// Returns a filter of two buckets: level 1.
pub(crate) fn filter() -> Doubling {
    filter_of(1)
}

/// Returns a filter that begins at a level.
pub(crate) fn filter_of(first: u32) -> Doubling {
    let builder = FilterBuilder::with_hasher(AsGiven);
    builder.buckets(1 << first).build().expect("memory")
}

/// Returns an empty filter of two buckets that has grown to a level.
pub(crate) fn filter_at(level: u32) -> Doubling {
    let filter = filter();
    (1..level).for_each(|_| double(&filter));
    filter
}

/// Begins a growth, and ends it.
pub(crate) fn double(filter: &Doubling) {
    let slots = filter.slots();
    assert!(filter.begin_to_double());
    assert!(filter.finish_doubling());
    assert_eq!(filter.slots(), 2 * slots);
}

pub(crate) fn items() -> impl Iterator<Item = u64> {
    (0..).map(mix)
}

/// Returns a hash with this head and zeros elsewhere.
pub(crate) const fn head(number: u64) -> u64 {
    number << 10
}

/// Returns the places of both buckets of an item in a level: on the first side the first bits of
/// the hash, on the second side these combined with the offset of the head.
pub(crate) fn places(hash: u64, level: u32) -> [u64; 2] {
    const SIDE: u64 = 1 << 62;
    let offset = (hash & 0xfc00).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1 | SIDE;
    [hash >> 2, hash >> 2 ^ offset].map(|index| index >> (63 - level))
}

/// The level at which a table of two buckets cannot double any more.
pub(crate) const LAST: u32 = 11;

/// Returns an empty filter at that level: a table can be added.
pub(crate) fn filter_at_the_end() -> Doubling {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    let bytes = BYTES.get_or_init(|| filter_at(LAST).to_bytes().expect("no thread writes"));
    Doubling::from_bytes_with_hasher(bytes, AsGiven).expect("sound")
}
