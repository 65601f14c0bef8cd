//! The stored form in chunks, of a filter that is shared.
//!
//! 1. What others change between two chunks is an error, or does no harm: each kind of change once. Changes all the time
//!    are in `snapshot`.
//! 2. The chunks are the stored form of every engine and layout, whatever their sizes.

use lockfree_cuckoo::testing::{Double, Relocate};
use std::hash::BuildHasher;

use lockfree_cuckoo::{
    Buildable, Chunks, CuckooFilter, DynFilter, Engine, Filter, FilterBuilder, Fixed, Growing,
    GrowingCuckooFilter, Kind, Rotating, Shape, SnapshotError,
};
use model::hashers::AsGiven;
use model::mix;

use crate::door::empty;

/// The rest of the chunks, of so many bytes.
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

/// All chunks, of so many bytes.
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
        // Some are refused where nothing grows, and some leave the young generation.
        let _ = filter.insert_hash(mix(item));
        if item % 300 == 299
            && let Some(rotating) = filter.rotating()
        {
            rotating.rotate().expect("alone");
        }
    }
    assert!((0..700).any(|item| filter.remove_hash(mix(item))));
    let whole = filter.to_bytes().expect("quiet");
    // Of a byte, of odd and of even numbers, of parts of the header, and larger than all of it.
    let sizes = [1, 3, 8, 20, 64, 68, 1_000, whole.len(), whole.len() + 1];
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
        let bytes = chunks.next_chunk(&mut chunk).expect("nobody writes");
        uneven.extend_from_slice(&chunk[..bytes]);
        if bytes < size {
            break;
        }
    }
    assert!(uneven == whole, "{filter:?}: of many sizes");
}

/// Of every kind and layout; of one that grows with one table and with two, and in the midst of a doubling.
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

/// What is read after the first chunk, if something is done in between.
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

/// Looks at this bucket first. It has this fingerprint.
const fn hash(bucket: u64, fingerprint: u64) -> u64 {
    (bucket * (u64::MAX / BUCKETS + 1)) | fingerprint
}

fn fixed() -> Filter<Fixed, AsGiven> {
    let builder = CuckooFilter::builder().buckets(BUCKETS as usize);
    builder.hasher(AsGiven).build().expect("memory")
}

/// In the last bucket, and with its alternate in the half that is read first, as all of that half have.
const TOKEN: u64 = hash(BUCKETS - 1, 7);

/// From where it was yet to be read, to where nothing is read any more: the token itself, or an equal one in its turn.
#[test]
fn a_token_that_changes_its_place_is_not_missed() {
    let hop: fn(&Filter<Fixed, AsGiven>) = |filter| assert!(filter.relocate_hash(TOKEN));
    // The second comes to the emptier bucket, and the first one goes.
    let swap: fn(&Filter<Fixed, AsGiven>) = |filter| {
        filter.insert_hash(TOKEN).expect("room");
        assert!(filter.remove_hash(TOKEN));
    };
    for change in [hop, swap] {
        let filter = fixed();
        filter.insert_hash(TOKEN).expect("room");
        let read = with_a_change(&filter, |filter| {
            change(filter);
            // Makes up for the token of the last half that is there no more.
            filter.insert_hash(hash(BUCKETS - 2, 9)).expect("room");
        });
        assert_eq!(read.err(), Some(SnapshotError::Changed));
        let read = with_a_change(&filter, |_| {}).expect("nothing changed");
        assert_eq!((read.count_hash(TOKEN), read.len()), (1, 2));
        let bytes = filter.to_bytes().expect("alone");
        let half = &bytes[84..][..8 * BUCKETS as usize / 2];
        assert!(
            half.iter().any(|&byte| byte != 0),
            "it is in the first half"
        );
    }
}

#[test]
fn what_comes_or_goes_is_an_error_or_does_no_harm() {
    let filter = fixed();
    let lasting: Vec<u64> = (0..BUCKETS).map(|bucket| hash(bucket, 7)).collect();
    filter.insert_many_hash(&lasting).expect("room");
    let (early, late) = (hash(1, 9), hash(BUCKETS - 2, 11));
    for (come, gone) in [(early, late), (late, early)] {
        filter.insert_hash(gone).expect("room");
        // One more or one less, in either half. What happens behind the reader does no harm.
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
    // Where it has doubled as often as it can.
    check::<Growing>(8, 6_000, |f| assert!(f.add_table()), |f| f.tables());
    let rotations = |filter: &Filter<Rotating, _>| filter.rotations() as usize;
    check::<Rotating>(100, 1, |f| f.rotate().expect("alone"), rotations);
}
