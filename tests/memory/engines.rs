//! The engines: for each, filters, valid and invalid stored filters, and the memory it may take
//! beyond the others.

use lockfree_cuckoo::{
    Filter, FilterBuilder,
    filter::{Buildable, Fixed, Growing, Rotating},
};
use model::stored::{self, CHECKSUM, ENTRY, HEADER, PADDING, TABLES, tables};

pub(crate) trait Kind: Buildable {
    /// Whether it grows. Then it may have memory that no allocator counts, is copied when it is
    /// read, and can list impossible levels.
    const GROWS: bool = false;
    /// The minimum number of allocations for one table that can fail.
    const PARTS: usize;
    /// The number of tables that are not stored.
    const SPARE: usize = 0;
    /// The bytes that reading takes for the list of tables.
    const LIST: usize = 2 << 10;
    /// The bytes that a filter may have besides its tables.
    const BESIDES: usize;

    /// Returns a filter with this many items, which make it nearly full or let it grow.
    fn filled(items: usize) -> Filter<Self>;

    /// Returns stored filters, with the number of tables of each.
    fn sound() -> Vec<(usize, Vec<u8>)>;

    /// Returns inputs of a few bytes that claim any size, with matching checksums.
    fn claims() -> Vec<Vec<u8>>;

    /// Returns a large stored filter, and as many bytes that claim to be the start of a far larger
    /// one.
    fn large() -> [Vec<u8>; 2] {
        let (_, sound) = Self::sound().pop().expect("some");
        [claiming(&sound, 1 << 40), sound]
    }
}

fn claiming(bytes: &[u8], buckets: u64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for table in 0..TABLES.get(&bytes) as usize {
        stored::buckets(table).set(&mut bytes, buckets);
    }
    stored::repair(&mut bytes);
    bytes
}

impl Kind for Fixed {
    /// The table, the versions, the descriptors and the counters.
    const PARTS: usize = 4;
    const BESIDES: usize = 1 << 17;

    fn filled(items: usize) -> Filter<Self> {
        full(Filter::builder().capacity(items))
    }

    fn sound() -> Vec<(usize, Vec<u8>)> {
        let stored = |buckets| {
            (
                1,
                full(Filter::builder().buckets(buckets))
                    .to_bytes()
                    .expect("quiet"),
            )
        };
        [2, 24, 1 << 10, 31 << 10, 1 << 20].map(stored).into()
    }

    fn claims() -> Vec<Vec<u8>> {
        let bytes = full(Filter::builder().buckets(2))
            .to_bytes()
            .expect("quiet");
        let ranges = [1u64, 3, 31].into_iter();
        let all = ranges.flat_map(|odd| (2..64).flat_map(move |log| odd.checked_mul(1 << log)));
        all.map(|buckets| claiming(&bytes, buckets)).collect()
    }
}

/// Returns a filter with all items that it is sized for.
fn full(builder: FilterBuilder<Fixed>) -> Filter<Fixed> {
    let filter = builder.seed(1).build().expect("memory");
    (0..filter.capacity()).for_each(|item| filter.insert(&item).expect("sized for it"));
    filter
}

impl Kind for Rotating {
    /// The four parts of a fixed filter, a part of the spare table, and the list.
    const PARTS: usize = 6;
    const SPARE: usize = 1;
    const BESIDES: usize = 1_280 << 10;

    fn filled(items: usize) -> Filter<Self> {
        rotated(items, 3)
    }

    fn sound() -> Vec<(usize, Vec<u8>)> {
        let sizes = [(8, 15), (10_000, 2), (300_000, 2), (300_000, 5)];
        let stored =
            |(capacity, tables)| (tables, rotated(capacity, tables).to_bytes().expect("quiet"));
        sizes.map(stored).into()
    }

    fn claims() -> Vec<Vec<u8>> {
        let bytes = rotated(8, 15).to_bytes().expect("quiet");
        (4..64).map(|log| claiming(&bytes, 1 << log)).collect()
    }
}

/// Returns a filter with items in each generation except the young one.
fn rotated(capacity: usize, generations: usize) -> Filter<Rotating> {
    let builder = Filter::<Rotating>::builder().capacity(capacity).seed(1);
    let filter = builder.generations(generations).build().expect("memory");
    for generation in 0..generations {
        let items = (0..capacity / 2).map(|item| (generation, item));
        items.for_each(|item| filter.insert(&item).expect("sized for it"));
        filter.rotate().expect("alone");
    }
    filter
}

impl Kind for Growing {
    const GROWS: bool = true;
    /// The words and their addresses, the versions, the descriptors, the hints, the counter, and
    /// the table itself.
    const PARTS: usize = 7;
    /// For each of four tables.
    const BESIDES: usize = 4 * (640 << 10);

    /// It has two tables from 20,000 items on.
    fn filled(items: usize) -> Filter<Self> {
        let filter = Filter::with_capacity(8);
        (0..items).for_each(|item| filter.insert(&item).expect("memory"));
        filter.finish_doubling();
        assert_eq!(filter.tables(), 1 + usize::from(items >= 20_000));
        filter
    }

    fn sound() -> Vec<(usize, Vec<u8>)> {
        let one = [(1, 1), (1, 11), (8, 18), (20, 20)].map(|table| vec![table]);
        let two = [(11, 11), (11, 20)].map(|table| vec![table, (1, 11)]);
        let all = one.into_iter().chain(two);
        all.map(|tables| (tables.len(), empty(&tables))).collect()
    }

    fn claims() -> Vec<Vec<u8>> {
        let claims = (2..=39).flat_map(|level| {
            let one = [1, level.max(11) - 10].map(|first| vec![(first, level)]);
            one.into_iter().chain([vec![(11, level), (1, 11)]])
        });
        claims.map(|tables| with_words(&tables, 0)).collect()
    }

    fn large() -> [Vec<u8>; 2] {
        // Not all of these words are ever read.
        [with_words(&[(29, 39)], 1 << 18), empty(&[(8, 18)])]
    }
}

/// Returns a stored filter of empty tables, each with the level at which it began and its present
/// one.
fn empty(tables: &[(u64, u64)]) -> Vec<u8> {
    with_words(tables, tables.iter().map(|&(_, level)| 1 << level).sum())
}

/// Does the same with this number of words.
fn with_words(tables: &[(u64, u64)], words: usize) -> Vec<u8> {
    let builder = Filter::<Growing>::builder().buckets(2).seed(1);
    let mut bytes = builder.build().expect("memory").to_bytes().expect("quiet");
    let entry = bytes[HEADER..][..ENTRY].to_vec();
    bytes.truncate(HEADER);
    bytes.extend(entry.repeat(tables.len()));
    bytes.resize(bytes.len() + PADDING + CHECKSUM + 8 * words + CHECKSUM, 0);
    TABLES.set(&mut bytes, tables.len() as u64);
    for (table, &(first, level)) in tables.iter().enumerate() {
        tables::first(table).set(&mut bytes, first);
        tables::level(table).set(&mut bytes, level);
    }
    stored::repair(&mut bytes);
    bytes
}
