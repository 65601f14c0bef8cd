//! The header and the list, byte by byte.

use super::*;
use crate::layout::Lanes;

type Header = super::Header<Lanes<4, 16>>;
type Entry = super::Entry<Lanes<4, 16>>;

/// Three ranges of eight to begin with.
fn header() -> Header {
    Header {
        identity: Identity {
            seed: Some(0x0807_0605_0403_0201),
            check: 0x1817_1615_1413_1211,
        },
        start: Geometry::with_buckets(24).expect("possible"),
        limits: Limits {
            factor: 4,
            false_positive_rate: 0.5,
        },
        memory: 0x2a,
        segments: 3,
        target: 1,
    }
}

/// The checksum is from another implementation.
#[rustfmt::skip]
const BYTES: [u8; 64] = [
    0x89, b'L', b'F', b'C', b'F', 0x0d, 0x0a, 0x1a,
    1, 0, 64, 0, 16, 4, 2, 1,
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
    0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
    24, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0xe0, 0x3f,
    0x2a, 0, 0, 0, 0, 0, 0, 0,
    3, 1, 2, 0, 0x60, 0x8c, 0x4b, 0x87,
];

fn decode(bytes: &[u8]) -> Result<Header, ReadError> {
    let frame = Frame::decode(bytes)?;
    let identity = frame.check::<Lanes<4, 16>>(Kind::Growing)?;
    Header::of_fields(&frame, identity)
}

#[test]
fn these_are_the_bytes_for_ever() {
    assert_eq!(header().frame().encode(), BYTES);
    let decoded = decode(&BYTES).expect("valid");
    assert_eq!(decoded.frame().encode(), BYTES);
    assert_eq!((decoded.segments, decoded.target), (3, 1));
    assert_eq!(decoded.limits.factor, 4);
    assert_eq!(list_bytes(3), 64 + 3 * 24);
    let shape = |buckets| Geometry::<Lanes<4, 16>>::with_buckets(buckets).expect("possible");
    let geometries = [48, 24, 24].map(shape);
    let stored_bytes = stored_bytes(3, geometries.into_iter());
    assert_eq!(stored_bytes, 64 + 3 * 24 + 96 * 8 + 4);
}

#[test]
fn no_limit_is_none_on_any_machine() {
    let mut unlimited = header();
    unlimited.memory = usize::MAX;
    let bytes = unlimited.frame().encode();
    assert_eq!(bytes[at::MEMORY..][..8], [0xff; 8]);
    assert_eq!(decode(&bytes).expect("valid").memory, usize::MAX);
}

#[test]
fn fields_are_in_range_or_refused() {
    let least = rate_of_full::<Lanes<4, 16>>(1);
    let below = f64::from_bits(least.to_bits() - 1);
    // Where, how many bytes, the value, and what is said of it, if anything.
    let cases: [(usize, usize, u64, Option<&str>); 29] = [
        (at::START, 8, 2, None),
        (at::START, 8, 0, Some("number of buckets")),
        (at::START, 8, 25, Some("number of buckets")),
        (at::START, 8, 1 << 62, Some("on this machine")),
        (at::START, 8, u64::MAX, Some("on this machine")),
        (at::RATE, 8, least.to_bits(), None),
        (at::RATE, 8, 1f64.to_bits(), None),
        (at::RATE, 8, f64::INFINITY.to_bits(), None),
        (at::RATE, 8, below.to_bits(), Some("rate of false")),
        (at::RATE, 8, 0, Some("rate of false")),
        (at::RATE, 8, (-0.5f64).to_bits(), Some("rate of false")),
        (at::RATE, 8, f64::NAN.to_bits(), Some("rate of false")),
        (at::RATE, 8, (-f64::NAN).to_bits(), Some("rate of false")),
        (at::RATE, 8, u64::MAX, Some("rate of false")),
        (at::MEMORY, 8, 0, None),
        (at::MEMORY, 8, u64::MAX, None),
        (at::SEGMENTS, 1, 0, Some("no segments")),
        (at::SEGMENTS, 1, 1, Some("takes inserts")),
        (at::SEGMENTS, 1, 2, None),
        (at::SEGMENTS, 1, 255, None),
        (at::TARGET, 1, 2, None),
        (at::TARGET, 1, 3, Some("takes inserts")),
        (at::TARGET, 1, 255, Some("takes inserts")),
        (at::LOG_FACTOR, 1, 1, None),
        (at::LOG_FACTOR, 1, 16, None),
        (at::LOG_FACTOR, 1, 0, Some("growth factor")),
        (at::LOG_FACTOR, 1, 17, Some("growth factor")),
        (at::LOG_FACTOR, 1, 255, Some("growth factor")),
        (at::UNUSED, 1, 1, Some("unused byte")),
    ];
    for (at, length, value, said) in cases {
        let mut frame = Frame::decode(&BYTES).expect("valid");
        frame.put(at, &value.to_le_bytes()[..length]);
        match (decode(&frame.encode()), said) {
            (Ok(_), None) => {}
            (Err(error), Some(said)) if error.to_string().contains(said) => {}
            (decoded, _) => panic!("{at} = {value:#x}: {decoded:?}"),
        }
    }
}

#[test]
fn what_is_cut_damaged_or_of_another_kind_is_told() {
    for length in 0..64 {
        let error = decode(&BYTES[..length]).expect_err("cut");
        assert!(
            matches!(error, ReadError::Truncated { expected: 64, found } if found == length as u64)
        );
    }
    for bit in 10 * 8..64 * 8 {
        let mut damaged = BYTES;
        damaged[bit / 8] ^= 1 << (bit % 8);
        let error = decode(&damaged).expect_err("damaged");
        assert!(matches!(error, ReadError::Checksum), "bit {bit}: {error:?}");
    }
    let frame = Frame::decode(&BYTES).expect("valid");
    let error = frame.shape(Kind::Fixed).expect_err("it grows");
    assert!(matches!(error, ReadError::OtherKind { grows: true, .. }));
    let fixed = Frame::new::<Lanes<4, 16>>(Kind::Fixed, &header().identity).encode();
    let error = decode(&fixed).expect_err("it does not grow");
    assert!(matches!(error, ReadError::OtherKind { grows: false, .. }));
}

#[test]
fn an_entry_refines_what_comes_behind_it() {
    let shape = |buckets| Geometry::with_buckets(buckets).expect("possible");
    let entry = |buckets| Entry {
        geometry: shape(buckets),
        items: buckets,
        search_budget: 256,
    };
    let mut bytes = [0; 20];
    (bytes[0], bytes[8], bytes[17]) = (24, 24, 1);
    assert_eq!(entry(24).encode(), bytes);
    for finer in [None, Some(24), Some(48)] {
        let decoded = Entry::decode(&bytes, finer.map(shape)).expect("valid");
        assert_eq!(decoded, entry(24));
    }
    // Coarser, of other ranges.
    for finer in [12, 32, 40, 80] {
        let error = Entry::decode(&bytes, Some(shape(finer))).expect_err("no refinement");
        assert!(error.to_string().contains("refine"), "{finer}: {error}");
    }
}

#[test]
fn numbers_of_an_entry_are_in_range_or_refused() {
    // Where, how many bytes, the value, and what is said of it, if anything.
    let cases: [(usize, usize, u64, Option<&str>); 11] = [
        (0, 8, 25, Some("number of buckets")),
        (0, 8, 1 << 62, Some("on this machine")),
        (0, 8, u64::MAX, Some("on this machine")),
        (8, 8, 0, None),
        (8, 8, 96, None),
        (8, 8, 97, Some("items")),
        (8, 8, u64::MAX, Some("items")),
        (16, 4, 2, None),
        (16, 4, 4096, None),
        (16, 4, 1, Some("search budget")),
        (16, 4, 4097, Some("search budget")),
    ];
    for (at, length, value, said) in cases {
        let mut bytes = [0; 20];
        (bytes[0], bytes[16]) = (24, 2);
        bytes[at..at + length].copy_from_slice(&value.to_le_bytes()[..length]);
        match (Entry::decode(&bytes, None), said) {
            (Ok(_), None) => {}
            (Err(error), Some(said)) if error.to_string().contains(said) => {}
            (decoded, _) => panic!("{at} = {value:#x}: {decoded:?}"),
        }
    }
}
