//! The stored form in chunks: copied from a filter that other threads may change.
//!
//! 1. A change between two chunks is an error or harmless: each kind of change once. `snapshot` has
//!    continuous changes.
//! 2. The chunks concatenated are the stored form, for every engine and layout and any chunk sizes.

use lockfree_cuckoo::testing::Internals;
use std::hash::BuildHasher;

use lockfree_cuckoo::{
    CuckooFilter, DynFilter, Filter, FilterBuilder, GrowingCuckooFilter, SnapshotError,
    filter::{Buildable, Chunks, Engine, Fixed, Growing, Kind, Rotating},
    layout::Shape,
};
use model::hashers::AsGiven;
use model::mix;

use crate::door::empty;

/// Reads the rest of the chunks, with this size.
fn rest(chunks: &mut Chunks<'_>, size: usize) -> Result<Vec<u8>, SnapshotError> {
    let (mut all, mut chunk) = (Vec::new(), vec![0; size]);
    loop {
        match chunks.next_chunk(&mut chunk)? {
            0 => return Ok(all),
            bytes => {
                assert!(bytes == size || chunks.position() == chunks.total());
                all.extend_from_slice(&chunk[..bytes]);
            }
        }
    }
}

/// Reads all chunks, with this size.
pub(crate) fn stored<E: Engine, S: BuildHasher + 'static>(
    filter: &Filter<E, S>,
    size: usize,
) -> Result<Vec<u8>, SnapshotError> {
    let mut chunks = filter.chunks();
    assert_eq!(chunks.position(), 0);
    let all = rest(&mut chunks, size)?;
    assert_eq!([chunks.total(), chunks.position()], [all.len() as u64; 2]);
    assert_eq!(chunks.next_chunk(&mut [0]), Ok(0), "the end stays the end");
    Ok(all)
}

fn are_the_stored_form(filter: DynFilter) {
    let fresh = filter.to_bytes().expect("quiet");
    assert_eq!(stored(&filter, 64), Ok(fresh), "{filter:?}: empty");
    for item in 0..700 {
        // Filters that do not grow refuse some, and some leave the young generation.
        let _ = filter.insert_hash(mix(item));
        if item % 300 == 299
            && let Some(rotating) = filter.rotating()
        {
            rotating.rotate().expect("alone");
        }
    }
    assert!((0..700).any(|item| filter.remove_hash(mix(item))));
    let whole = filter.to_bytes().expect("quiet");
    // One byte, odd and even sizes, parts of the header, and more than the whole.
    let sizes = [1, 3, 8, 20, 64, 72, 1_000, whole.len(), whole.len() + 1];
    for size in sizes {
        assert!(
            stored(&filter, size).as_ref() == Ok(&whole),
            "{filter:?}: {size}"
        );
    }
    let mut streamed = Vec::new();
    filter.write_to(&mut streamed).expect("a vector takes all");
    assert!(streamed == whole);
    let mut uneven = Vec::new();
    let mut chunks = filter.chunks();
    for size in (0..).map(|n| n % 29) {
        let mut chunk = vec![0; size];
        let bytes = chunks.next_chunk(&mut chunk).expect("no thread writes");
        uneven.extend_from_slice(&chunk[..bytes]);
        if bytes < size {
            break;
        }
    }
    assert!(uneven == whole, "{filter:?}: of many sizes");
}

/// For every kind and layout; a growing filter with one table, with two, and during a doubling.
#[test]
fn chunks_are_the_stored_form() {
    for &shape in Shape::ALL {
        for kind in [Kind::Fixed, Kind::Rotating] {
            are_the_stored_form(empty(kind, shape, 300));
        }
    }
    for (items, doubles) in [(0, false), (11_000, false), (11_000, true)] {
        let grown = GrowingCuckooFilter::with_capacity(8);
        let items: Vec<u64> = (1_000..1_000 + items).map(mix).collect();
        grown.insert_many_hash(&items).expect("memory");
        assert!(grown.begin_to_double() && (doubles || grown.finish_doubling()));
        are_the_stored_form(grown.into());
    }
}

/// Reads the rest if a change is made after the first chunk.
fn with_a_change<E: Buildable>(
    filter: &Filter<E, AsGiven>,
    change: impl Fn(&Filter<E, AsGiven>),
) -> Result<Filter<E, AsGiven>, SnapshotError> {
    let mut chunks = filter.chunks();
    let mut first = vec![0; chunks.total() as usize / 2];
    let bytes = chunks.next_chunk(&mut first)?;
    assert_eq!(bytes, first.len());
    change(filter);
    let rest = rest(&mut chunks, 64);
    if rest.is_err() {
        assert_eq!(chunks.next_chunk(&mut [0; 8]), Err(SnapshotError::Changed));
    }
    first.extend(rest?);
    let read = Filter::from_bytes_with_hasher(&first, AsGiven);
    Ok(read.expect("what comes to its end can be read"))
}

const BUCKETS: u64 = 64;

/// Returns a hash with this first bucket and this fingerprint.
const fn hash(bucket: u64, fingerprint: u64) -> u64 {
    (bucket * (u64::MAX / BUCKETS + 1)) | fingerprint
}

fn fixed() -> Filter<Fixed, AsGiven> {
    let builder = CuckooFilter::builder().buckets(BUCKETS as usize);
    builder.hasher(AsGiven).build().expect("memory")
}

/// A token in the last bucket. Its alternate is in the half that is read first, as for all of its
/// half.
const TOKEN: u64 = hash(BUCKETS - 1, 7);

/// A token that changes its place is not missed. The token moves from a bucket not yet read to one
/// already read: the token itself, or an equal one in exchange.
#[test]
fn moved_token_is_not_missed() {
    let hop: fn(&Filter<Fixed, AsGiven>) = |filter| assert!(filter.relocate_hash(TOKEN));
    // The second copy goes to the emptier bucket, and the first one is removed.
    let swap: fn(&Filter<Fixed, AsGiven>) = |filter| {
        filter.insert_hash(TOKEN).expect("room");
        assert!(filter.remove_hash(TOKEN));
    };
    for change in [hop, swap] {
        let filter = fixed();
        filter.insert_hash(TOKEN).expect("room");
        let read = with_a_change(&filter, |filter| {
            change(filter);
            // Replaces the token that left the last half.
            filter.insert_hash(hash(BUCKETS - 2, 9)).expect("room");
        });
        assert_eq!(read.err(), Some(SnapshotError::Changed));
        let read = with_a_change(&filter, |_| {}).expect("nothing changed");
        assert_eq!((read.count_hash(TOKEN), read.len()), (1, 2));
        let bytes = filter.to_bytes().expect("alone");
        let half = &bytes[88..][..8 * BUCKETS as usize / 2];
        assert!(
            half.iter().any(|&byte| byte != 0),
            "it is in the first half"
        );
    }
}

/// An insert or remove is an error or harmless.
#[test]
fn writes_between_chunks() {
    let filter = fixed();
    let lasting: Vec<u64> = (0..BUCKETS).map(|bucket| hash(bucket, 7)).collect();
    filter.insert_many_hash(&lasting).expect("room");
    let (early, late) = (hash(1, 9), hash(BUCKETS - 2, 11));
    for (come, gone) in [(early, late), (late, early)] {
        filter.insert_hash(gone).expect("room");
        // One token more or less, in either half. A change after the reader has passed is harmless.
        let reads = [
            with_a_change(&filter, |filter| filter.insert_hash(come).expect("room")),
            with_a_change(&filter, |filter| assert!(filter.remove_hash(come))),
            with_a_change(&filter, |filter| assert!(filter.remove_hash(gone))),
            with_a_change(&filter, |filter| filter.insert_hash(gone).expect("room")),
        ];
        let errors = reads.iter().filter(|read| read.is_err()).count();
        assert_eq!(errors, 2, "those of the half that was yet to be read");
        for read in reads.iter().flatten() {
            assert!(lasting.iter().all(|&hash| read.contains_hash(hash)));
        }
        assert!(filter.remove_hash(gone));
    }
}

/// A doubling, another table, or a rotation.
#[test]
fn another_table_is_an_error() {
    fn check<E: Buildable>(
        capacity: usize,
        items: u64,
        change: fn(&Filter<E, AsGiven>),
        changed: impl Fn(&Filter<E, AsGiven>) -> usize,
    ) {
        let filter = FilterBuilder::<E, _>::with_hasher(AsGiven).capacity(capacity);
        let filter = filter.build().expect("memory");
        let items: Vec<u64> = (0..items).map(mix).collect();
        filter.insert_many_hash(&items).expect("memory");
        let before = changed(&filter);
        let read = with_a_change(&filter, change);
        assert_eq!(read.err(), Some(SnapshotError::Changed));
        let read = with_a_change(&filter, |_| {}).expect("nothing changed");
        assert_eq!(changed(&read), changed(&filter));
        assert!(changed(&read) > before && read.len() == items.len());
    }
    check::<Growing>(100, 1, |f| assert!(f.begin_to_double()), |f| f.slots());
    // It has doubled as often as it can.
    check::<Growing>(8, 6_000, |f| assert!(f.add_table()), |f| f.tables());
    let rotations = |filter: &Filter<Rotating, _>| filter.rotations() as usize;
    check::<Rotating>(100, 1, |f| f.rotate().expect("alone"), rotations);
}
