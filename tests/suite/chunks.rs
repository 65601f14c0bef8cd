//! The stored form in chunks, of a filter that is shared.
//!
//! 1. What others change between two chunks is an error, or does no harm: each kind of change once.
//! 2. While others write all the time, what comes to its end misses nothing.
//! 3. The chunks are the stored form of every engine and layout, whatever their sizes.

use std::hint;

use crew::Crew;
use lockfree_cuckoo::testing::{Double, Relocate};
use lockfree_cuckoo::{
    Chunks, CuckooFilter, Engine, Filter, Fixed, GrowingCuckooFilter, Hashed, RotatingCuckooFilter,
    Shape, SnapshotError,
};
use model::hashers::AsGiven;
use model::mix;

use crate::door::{DEFAULT, Kind};
use crate::seesaw::Seesaw;

/// The rest of the chunks, of so many bytes.
fn rest(chunks: &mut Chunks<'_>, size: usize) -> Result<Vec<u8>, SnapshotError> {
    let (mut all, mut chunk) = (Vec::new(), vec![0; size]);
    loop {
        match chunks.next_chunk(&mut chunk)? {
            0 => return Ok(all),
            bytes => {
                assert!(bytes == size || chunks.position() == chunks.bytes());
                all.extend_from_slice(&chunk[..bytes]);
            }
        }
    }
}

/// All chunks, of so many bytes.
pub(crate) fn stored(filter: &dyn Hashed, size: usize) -> Result<Vec<u8>, SnapshotError> {
    let mut chunks = filter.chunks();
    assert_eq!(chunks.position(), 0);
    let all = rest(&mut chunks, size)?;
    assert_eq!([chunks.bytes(), chunks.position()], [all.len() as u64; 2]);
    assert_eq!(chunks.next_chunk(&mut [0]), Ok(0), "the end stays the end");
    Ok(all)
}

fn are_the_stored_form(mut filter: Box<dyn Hashed>) {
    let fresh = filter.to_bytes();
    assert_eq!(stored(&*filter, 64), Ok(fresh), "{filter:?}: empty");
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
    let whole = filter.to_bytes();
    // Of a byte, of odd and of even numbers, of parts of the header, and larger than all of it.
    let sizes = [1, 3, 8, 20, 64, 68, 1_000, whole.len(), whole.len() + 1];
    for size in sizes {
        assert!(
            stored(&*filter, size).as_ref() == Ok(&whole),
            "{filter:?}: {size}"
        );
    }
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
    for shape in Shape::ALL {
        for kind in [Kind::Fixed, Kind::Rotating] {
            are_the_stored_form(kind.build(shape, 300));
        }
    }
    for (items, doubles) in [(0, false), (11_000, false), (11_000, true)] {
        let grown = GrowingCuckooFilter::with_capacity(8);
        let items: Vec<u64> = (1_000..1_000 + items).map(mix).collect();
        grown.insert_many_hash(&items).expect("memory");
        assert!(grown.begin_to_double() && (doubles || grown.finish_doubling()));
        are_the_stored_form(Box::new(grown));
    }
}

/// What is read after the first chunk, if something is done in between.
fn with_a_change<E: Engine>(
    filter: &Filter<E, AsGiven>,
    change: impl Fn(&Filter<E, AsGiven>),
) -> Result<Filter<E, AsGiven>, SnapshotError> {
    let mut chunks = filter.chunks();
    let mut first = vec![0; chunks.bytes() as usize / 2];
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

/// Makes up for a token of the last half that is there no more.
fn add_another(filter: &Filter<Fixed, AsGiven>) {
    filter.insert_hash(hash(BUCKETS - 2, 9)).expect("room");
}

#[test]
fn a_token_that_changes_its_place_is_not_missed() {
    let filter = fixed();
    filter.insert_hash(TOKEN).expect("room");
    // From where it was yet to be read, to where nothing is read any more.
    let read = with_a_change(&filter, |filter| {
        assert!(filter.relocate_hash(TOKEN));
        add_another(filter);
    });
    assert_eq!(read.err(), Some(SnapshotError::Changed));
    let read = with_a_change(&filter, |_| {}).expect("nothing changed");
    assert_eq!((read.count_hash(TOKEN), read.len()), (1, 2));
}

#[test]
fn equal_tokens_that_take_turns_are_not_missed() {
    let filter = fixed();
    filter.insert_hash(TOKEN).expect("room");
    // The second comes to the emptier bucket, and the first one goes.
    let read = with_a_change(&filter, |filter| {
        filter.insert_hash(TOKEN).expect("room");
        assert!(filter.remove_hash(TOKEN));
        add_another(filter);
    });
    assert_eq!(read.err(), Some(SnapshotError::Changed));
    let words =
        filter.snapshot_to_bytes().expect("alone")[84..][..8 * BUCKETS as usize / 2].to_vec();
    assert!(
        words.iter().any(|&byte| byte != 0),
        "it is in the first half"
    );
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

#[test]
fn a_doubling_is_an_error() {
    let filter = GrowingCuckooFilter::builder().capacity(100);
    let filter = filter.hasher(AsGiven).build().expect("memory");
    filter.insert_hash(mix(1)).expect("room");
    let slots = filter.slots();
    let read = with_a_change(&filter, |filter| assert!(filter.begin_to_double()));
    assert_eq!(read.err(), Some(SnapshotError::Changed));
    let read = with_a_change(&filter, |_| {}).expect("nothing changed");
    assert_eq!((read.slots(), read.len()), (2 * slots, 1));
    // Another table is one too, where it has doubled as often as it can.
    let filter = GrowingCuckooFilter::with_capacity_and_hasher(8, AsGiven);
    let items: Vec<u64> = (0..6_000).map(mix).collect();
    filter.insert_many_hash(&items).expect("memory");
    let read = with_a_change(&filter, |filter| assert!(filter.add_table()));
    assert_eq!(read.err(), Some(SnapshotError::Changed));
}

#[test]
fn a_rotation_is_an_error() {
    let filter = RotatingCuckooFilter::builder().capacity(100);
    let filter = filter.hasher(AsGiven).build().expect("memory");
    filter.insert_hash(mix(1)).expect("room");
    let read = with_a_change(&filter, |filter| filter.rotate().expect("alone"));
    assert_eq!(read.err(), Some(SnapshotError::Changed));
    let read = with_a_change(&filter, |_| {}).expect("nothing changed");
    assert_eq!((read.rotations(), read.len()), (1, 1));
}

/// One token that hops from bucket to bucket as fast as it can.
#[test]
fn a_token_that_hops_all_the_time_is_not_missed() {
    let seesaw = Seesaw::new(DEFAULT, None);
    seesaw.filter.insert_hash(seesaw.rider()[0]).expect("room");
    let (ends, hops) = Crew::run(
        1,
        |_, _| {
            let (mut whole, mut void) = (0, 0);
            for _ in 0..40_000 {
                match stored(&*seesaw.filter, 64) {
                    Ok(bytes) => {
                        let copy = CuckooFilter::from_bytes_with_hasher(&bytes, AsGiven);
                        let copy = copy.expect("what comes to its end can be read");
                        assert_eq!(copy.count_hash(seesaw.rider()[0]), 1, "the hopping token");
                        whole += 1;
                    }
                    Err(error) => {
                        assert_eq!(error, SnapshotError::Changed);
                        void += 1;
                    }
                }
                hint::spin_loop();
            }
            (whole, void)
        },
        1,
        |crew, _| seesaw.push_beside(crew),
    );
    let (whole, void) = ends[0];
    assert!(whole > 0 && void > 0 && hops[0] > 0, "{ends:?} {hops:?}");
}
