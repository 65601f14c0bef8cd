//! The header, byte by byte.

use super::*;
use crate::layout::{LONG_BUDGET, Lanes, MIN_BUDGET};

type Header = super::Header<Lanes<4, 16>>;

fn decode(bytes: &[u8]) -> Result<Header, ReadError> {
    let frame = Frame::decode(bytes)?;
    let identity = frame.check::<Lanes<4, 16>>(Kind::Rotating)?;
    Header::of_fields(&frame, identity)
}

fn encode(header: &Header) -> [u8; 64] {
    header.frame().encode()
}

/// 24 buckets, that is three ranges of eight.
fn header() -> Header {
    Header {
        identity: Identity {
            seed: Some(0x0807_0605_0403_0201),
            check: 0x1817_1615_1413_1211,
        },
        geometry: Geometry::with_buckets(24).expect("possible"),
        capacity: 0x2a,
        rotations: 0x0102_0304_0506,
        search_budget: 0x1000,
        generations: 15,
    }
}

/// The checksum is from another implementation.
#[rustfmt::skip]
const BYTES: [u8; 64] = [
    0x89, b'L', b'F', b'C', b'F', 0x0d, 0x0a, 0x1a,
    1, 0, 64, 0, 16, 4, 3, 1,
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
    0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
    24, 0, 0, 0, 0, 0, 0, 0,
    0x2a, 0, 0, 0, 0, 0, 0, 0,
    6, 5, 4, 3, 2, 1, 0, 0,
    0, 0x10, 15, 0, 0xbe, 0x0d, 0x6b, 0x98,
];

/// With other bytes at an offset, and a checksum that matches.
fn changed(at: usize, new: &[u8]) -> [u8; 64] {
    let mut frame = Frame::decode(&BYTES).expect("valid");
    frame.put(at, new);
    frame.encode()
}

#[test]
fn these_are_the_bytes_for_ever() {
    assert_eq!(encode(&header()), BYTES);
    assert_eq!(decode(&BYTES).expect("valid"), header());
    let (geometry, generations) = (header().geometry, header().generations);
    let each = 8 + 24 * 8;
    assert_eq!(stored_bytes(geometry, generations), 64 + 15 * each + 4);
}

#[test]
fn every_field_is_checked() {
    let most = MOST_ROTATIONS.to_le_bytes();
    for valid in [
        changed(at::ROTATIONS, &most),
        changed(at::SEARCH_BUDGET, &(MIN_BUDGET as u16).to_le_bytes()),
        changed(at::GENERATIONS, &[2]),
        changed(at::CAPACITY, &[96]),
    ] {
        let header = decode(&valid).expect("in range");
        assert_eq!(encode(&header), valid);
    }
    let too_many = (MOST_ROTATIONS + 1).to_le_bytes();
    for (invalid, reason) in [
        (changed(at::BUCKETS, &[127]), "number of buckets"),
        (changed(at::CAPACITY, &[97]), "capacity"),
        (changed(at::ROTATIONS, &too_many), "rotations"),
        (changed(at::SEARCH_BUDGET, &[1, 0]), "search budget"),
        (
            changed(at::SEARCH_BUDGET, &(LONG_BUDGET as u16 + 1).to_le_bytes()),
            "search budget",
        ),
        (changed(at::GENERATIONS, &[1]), "generations"),
        (changed(at::GENERATIONS, &[16]), "generations"),
        (changed(at::UNUSED, &[1]), "unused"),
    ] {
        let error = decode(&invalid).expect_err(reason);
        assert!(matches!(error, ReadError::Malformed { .. }), "{error}");
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn other_kinds_are_told_apart() {
    for (kind, grows) in [(1, false), (2, true)] {
        let error = decode(&changed(14, &[kind])).expect_err("another kind");
        assert_other_kind(&error, grows, false);
    }
    let frame = Frame::decode(&BYTES).expect("valid");
    let error = frame.shape(Kind::Fixed).expect_err("another kind");
    assert_other_kind(&error, false, true);
}

fn assert_other_kind(error: &ReadError, grows: bool, rotates: bool) {
    let expected = ReadError::OtherKind { grows, rotates };
    assert_eq!(format!("{error:?}"), format!("{expected:?}"));
}
