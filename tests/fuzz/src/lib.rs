//! What must hold of any bytes: they are an error, or a filter that works.

use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::{
    CuckooFilter, Engine, Filter, Fixed, Growing, Lanes, Layout, Rotating, SemiSorted,
};
use model::mix;

/// Whether the bytes are a filter of fixed size with the default layout.
pub fn check(bytes: &[u8]) -> bool {
    check_fixed::<Lanes<4, 16>>(bytes)
}

fn check_fixed<L: Layout>(bytes: &[u8]) -> bool {
    check_kind(bytes, |filter| work::<L>(filter, bytes))
}

/// Whether the bytes are a filter of fixed size, whatever its layout.
pub fn check_any_layout(bytes: &[u8]) -> bool {
    let Ok(mut filter) = CuckooFilter::from_bytes_any_layout(bytes) else {
        return false;
    };
    assert!(
        filter.to_bytes() == bytes,
        "what is read is written the same"
    );
    let mut len = filter.len();
    assert!(len <= filter.slots());
    for hash in (0..40).map(mix) {
        let count = filter.count_hash(hash);
        assert!(count <= 2 * filter.shape().slots());
        assert_eq!(filter.contains_hash(hash), count > 0);
        match filter.insert_hash(hash) {
            Ok(()) => {
                len += 1;
                assert_eq!(filter.count_hash(hash), count + 1);
                assert!(!filter.insert_unique_hash(hash).expect("it is in"));
            }
            Err(_) => assert_eq!(filter.count_hash(hash), count),
        }
    }
    for hash in (0..20).map(mix) {
        len -= usize::from(filter.remove_hash(hash));
    }
    assert_eq!(filter.len(), len);
    filter.clear();
    assert!(filter.is_empty());
    true
}

/// Filters of how many kinds and layouts the bytes are.
pub fn check_each(bytes: &[u8]) -> usize {
    let of_layouts = model::of_every_layout!(check_each_kind, bytes);
    of_layouts.iter().sum::<usize>() + usize::from(check_kind(bytes, work_growing))
}

fn check_each_kind<L: Layout>(bytes: &[u8]) -> usize {
    let kinds = [
        check_fixed::<L>(bytes),
        check_kind(bytes, work_rotating::<L>),
    ];
    kinds.into_iter().filter(|&kind| kind).count()
}

/// Reads in both ways, and works with the filter. Returns whether the bytes are one of this kind.
fn check_kind<E: Engine>(bytes: &[u8], work: impl FnOnce(&mut Filter<E>)) -> bool {
    let from_bytes = Filter::<E>::from_bytes(bytes);
    let mut reader = bytes;
    if let Ok(mut filter) = Filter::<E>::read_from(&mut reader) {
        let read = &bytes[..bytes.len() - reader.len()];
        assert!(
            filter.to_bytes() == read,
            "what is read is written the same"
        );
        assert_eq!(
            from_bytes.is_ok(),
            reader.is_empty(),
            "only what follows can be wrong"
        );
    } else {
        assert!(
            from_bytes.is_err(),
            "a reader reads what is read from bytes"
        );
    }
    match from_bytes {
        Ok(mut filter) => {
            assert!(
                filter.to_bytes() == bytes,
                "what is read is written the same"
            );
            work(&mut filter);
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

/// Every operation, with what must hold of it, whatever the filter holds.
fn work<L: Layout>(filter: &mut Filter<Fixed<L>>, bytes: &[u8]) {
    let mut len = filter.len();
    assert!(len <= filter.slots());
    assert!(filter.load_factor() <= 1.0 && filter.false_positive_rate() < 0.1);
    let numbers = bytes.chunks(8).map(|chunk| {
        let shift_in = |number, &byte: &u8| number << 8 | u64::from(byte);
        mix(chunk.iter().fold(0, shift_in))
    });
    // Not many: in a full filter each may take a long search.
    for hash in numbers.take(40).chain(0..20) {
        let count = filter.count_hash(hash);
        assert!(count <= 2 * L::SLOTS);
        assert_eq!(filter.contains_hash(hash), count > 0);
        match filter.insert_hash(hash) {
            Ok(()) => {
                len += 1;
                assert_eq!(filter.count_hash(hash), count + 1);
                assert!(!filter.insert_unique_hash(hash).expect("it is in"));
            }
            Err(_) => assert_eq!(filter.count_hash(hash), count),
        }
        assert_eq!(filter.len(), len);
    }
    for hash in 0..20 {
        let count = filter.count_hash(hash);
        let removed = filter.remove_hash(hash);
        assert_eq!(
            (removed, filter.count_hash(hash)),
            (count > 0, count.saturating_sub(1))
        );
        len -= usize::from(removed);
    }
    assert_eq!(filter.len(), len);
    assert!(
        Filter::<Fixed<L>>::from_bytes(&filter.to_bytes()).is_ok_and(|again| again.len() == len)
    );
    filter.clear();
    assert!(filter.is_empty());
}

/// As many as make a small filter double a few times. Its tokens may cover other items too.
const GROWTH: u64 = 200;

fn work_growing(filter: &mut Filter<Growing>) {
    let mut len = filter.len();
    assert!(len <= filter.slots());
    // A large one takes its time.
    let items = if filter.slots() > 1 << 8 { 4 } else { GROWTH };
    let mut own = Vec::new();
    for hash in (0..items).map(mix) {
        let count = filter.count_hash(hash);
        assert_eq!(filter.contains_hash(hash), count > 0);
        match filter.insert_hash(hash) {
            Ok(()) => {
                len += 1;
                own.push(hash);
                assert!(filter.count_hash(hash) > count);
                assert!(!filter.insert_unique_hash(hash).expect("it is in"));
            }
            Err(_) => assert_eq!(filter.count_hash(hash), count),
        }
        assert_eq!(filter.len(), len);
    }
    let copy = filter.snapshot().expect("nobody else is about");
    assert_eq!(copy.len(), len);
    let slots = filter.slots();
    filter.shrink_to_fit();
    assert!(filter.slots() <= slots && filter.doubled().is_none());
    let again = Filter::<Growing>::from_bytes(&filter.to_bytes());
    assert!(again.is_ok_and(|again| again.len() == len));
    for filter in [&copy, filter] {
        assert!(own.iter().all(|&hash| filter.contains_hash(hash)));
        assert!(own.iter().all(|&hash| filter.remove_hash(hash)));
        assert_eq!(filter.len(), len - own.len());
    }
    filter.clear();
    assert!(filter.is_empty());
}

fn work_rotating<L: Layout>(filter: &mut Filter<Rotating<L>>) {
    let generations = filter.generations();
    assert!(filter.len() <= filter.slots());
    for hash in (0..20).map(mix) {
        let count = filter.count_hash(hash);
        assert!(count <= 2 * L::SLOTS * generations);
        assert_eq!(filter.contains_hash(hash), count > 0);
        match filter.insert_hash(hash) {
            Ok(()) => {
                assert_eq!(filter.count_hash(hash), count + 1);
                assert!(!filter.insert_unique_hash(hash).expect("it is in"));
                assert!(filter.remove_hash(hash));
            }
            Err(_) => assert_eq!(filter.count_hash(hash), count),
        }
        let rotations = filter.rotations();
        assert_eq!(filter.rotate_if(rotations), Ok(true));
        assert!(filter.rotations() != rotations);
    }
    let len = filter.len();
    let again = Filter::<Rotating<L>>::from_bytes(&filter.to_bytes());
    assert!(again.is_ok_and(|again| again.len() == len));
    for _ in 0..generations {
        assert_eq!(filter.rotate(), Ok(()));
    }
    assert!(filter.is_empty(), "all is forgotten");
}
