//! The check of arbitrary bytes: they are an error, or a filter that works.

use lockfree_cuckoo::{CuckooFilter, DynFilter, filter::Kind, layout::{Lanes, Shape}};
use model::mix;

/// Whether the bytes are a fixed filter with the default layout.
pub fn check(bytes: &[u8]) -> bool {
    let is_default = check_any(bytes) == Some((Kind::Fixed, Shape::of::<Lanes<4, 16>>()));
    let read = CuckooFilter::from_bytes(bytes);
    assert_eq!(read.is_ok(), is_default, "any filter is one of them");
    is_default
}

/// Reads in both ways, and uses the filter. Returns its kind and layout, if the bytes are a filter.
pub fn check_any(bytes: &[u8]) -> Option<(Kind, Shape)> {
    let mut rest = bytes;
    let (from_bytes, read_from) = (DynFilter::from_bytes(bytes), DynFilter::read_from(&mut rest));
    match read_from {
        Ok(filter) => {
            let read = &bytes[..bytes.len() - rest.len()];
            let written = filter.to_bytes().expect("no other thread is there");
            assert!(written == read, "what is read is written the same");
            let is_all = rest.is_empty();
            assert_eq!(from_bytes.is_ok(), is_all, "only what follows can be wrong");
        }
        Err(_) => assert!(
            from_bytes.is_err(),
            "a reader reads what is read from bytes"
        ),
    }
    match from_bytes {
        Ok(mut filter) => {
            let is = (filter.kind(), filter.shape());
            work(&mut filter, bytes);
            Some(is)
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

/// Enough items that a small filter doubles a few times. In a full filter each may take a long
/// search, and large filters are slow.
const ITEMS: usize = 200;

/// Makes every operation, and checks what must be true for any content.
fn work(filter: &mut DynFilter, bytes: &[u8]) {
    let mut len = filter.len();
    assert!(len <= filter.slots());
    assert!(filter.load_factor() <= 1.0 && filter.false_positive_rate() <= 1.0);
    // Tokens of a growing filter may cover other items too.
    let is_exact = filter.kind() != Kind::Growing;
    let most = 2 * filter.shape().slots() * filter.tables();
    let numbers = bytes.chunks(8).map(|chunk| {
        let shift_in = |number, &byte: &u8| number << 8 | u64::from(byte);
        mix(chunk.iter().fold(0, shift_in))
    });
    let items = if filter.slots() > 1 << 8 { 8 } else { ITEMS };
    let mut own = Vec::new();
    for hash in numbers.take(items / 4).chain((0..items as u64).map(mix)) {
        let count = filter.count_hash(hash);
        assert!(count <= most || !is_exact);
        assert_eq!(filter.contains_hash(hash), count > 0);
        match filter.insert_hash(hash) {
            Ok(()) => {
                own.push(hash);
                let counted = filter.count_hash(hash);
                assert!(counted == count + 1 || !is_exact && counted > count);
                assert_eq!(filter.insert_unique_hash(hash), Ok(false), "it is in");
            }
            Err(_) => assert_eq!(filter.count_hash(hash), count),
        }
        assert_eq!(filter.len(), len + own.len());
    }
    len += own.len();
    let mut copy = filter.snapshot().expect("no other thread is there");
    let slots = filter.slots();
    filter.shrink_to_fit();
    assert!(filter.slots() <= slots && filter.finish_doubling());
    let stored = filter.to_bytes().expect("no other thread is there");
    let again = DynFilter::from_bytes(&stored);
    assert!(again.is_ok_and(|again| again.len() == len));
    for filter in [&mut copy, filter] {
        assert_eq!(filter.len(), len);
        assert!(own.iter().all(|&hash| filter.contains_hash(hash)));
        assert_eq!(filter.remove_many_hash(&own), own.len());
        assert_eq!(filter.len(), len - own.len());
        if let Some(rotating) = filter.rotating() {
            let rotations = rotating.rotations();
            assert_eq!(rotating.rotate_if(rotations), Ok(true));
            assert!(rotating.rotations() != rotations);
            (1..rotating.generations()).for_each(|_| assert_eq!(rotating.rotate(), Ok(())));
            assert!(filter.is_empty(), "all is forgotten");
        }
        filter.clear();
        assert!(filter.is_empty());
    }
}
