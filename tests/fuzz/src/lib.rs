//! What must hold of any bytes: they are an error, or a filter that works.

use lockfree_cuckoo::{
    CuckooFilter, GrowingCuckooFilter, Hashed, Lanes, ReadError, RotatingCuckooFilter, Shape,
};
use model::mix;

/// The kinds of stored filters. Those of a fixed size and those that rotate may have any layout.
#[derive(Clone, Copy)]
enum Kind {
    Fixed,
    Growing,
    Rotating,
}

impl Kind {
    /// From bytes, and from a reader, which is left behind what was read.
    fn read(self, mut bytes: &[u8]) -> ([Result<Box<dyn Hashed>, ReadError>; 2], &[u8]) {
        fn boxed(filter: GrowingCuckooFilter) -> Box<dyn Hashed> {
            Box::new(filter)
        }
        let reader = &mut bytes;
        let both = match self {
            Self::Fixed => [
                CuckooFilter::from_bytes_any_layout(reader),
                CuckooFilter::read_from_any_layout(reader),
            ],
            Self::Growing => [
                GrowingCuckooFilter::from_bytes(reader).map(boxed),
                GrowingCuckooFilter::read_from(reader).map(boxed),
            ],
            Self::Rotating => [
                RotatingCuckooFilter::from_bytes_any_layout(reader),
                RotatingCuckooFilter::read_from_any_layout(reader),
            ],
        };
        (both, bytes)
    }
}

/// Whether the bytes are a filter of fixed size with the default layout.
pub fn check(bytes: &[u8]) -> bool {
    let is_default = check_kind(Kind::Fixed, bytes) == Some(Shape::of::<Lanes<4, 16>>());
    let read = CuckooFilter::from_bytes(bytes);
    assert_eq!(read.is_ok(), is_default, "any layout is one of them");
    is_default
}

/// Filters of how many kinds the bytes are.
pub fn check_each(bytes: &[u8]) -> usize {
    check(bytes);
    let kinds = [Kind::Fixed, Kind::Growing, Kind::Rotating].into_iter();
    kinds.filter_map(|kind| check_kind(kind, bytes)).count()
}

/// Reads in both ways, and works with the filter. Returns its layout if the bytes are one of this kind.
fn check_kind(kind: Kind, bytes: &[u8]) -> Option<Shape> {
    let ([from_bytes, read_from], rest) = kind.read(bytes);
    match read_from {
        Ok(mut filter) => {
            let read = &bytes[..bytes.len() - rest.len()];
            assert!(
                filter.to_bytes() == read,
                "what is read is written the same"
            );
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
            assert!(
                filter.to_bytes() == bytes,
                "what is read is written the same"
            );
            work(kind, &mut *filter, bytes);
            Some(filter.shape())
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

/// As many as make a small filter double a few times. In a full one each may take a long search, and a large one takes
/// its time.
const ITEMS: usize = 200;

/// Every operation, with what must hold of it, whatever the filter holds.
fn work(kind: Kind, filter: &mut dyn Hashed, bytes: &[u8]) {
    let mut len = filter.len();
    assert!(len <= filter.slots());
    assert!(filter.load_factor() <= 1.0 && filter.false_positive_rate() <= 1.0);
    // Tokens of a filter that grows may cover other items too.
    let is_exact = !matches!(kind, Kind::Growing);
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
    let mut copy = filter.snapshot().expect("nobody else is about");
    let slots = filter.slots();
    filter.shrink_to_fit();
    assert!(filter.slots() <= slots && filter.finish_doubling());
    let ([again, _], _) = kind.read(&filter.to_bytes());
    assert!(again.is_ok_and(|again| again.len() == len));
    for filter in [&mut *copy, filter] {
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
