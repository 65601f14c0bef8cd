//! The stored form, byte by byte.

use alloc::vec::Vec;

use super::frame::at;
use super::{CHECKSUM, ENTRY, Frame, Identity, Numbers, Restored, Slice, read, to_vec};
#[cfg(feature = "std")]
use crate::engine::Growing;
use crate::engine::rotating::MOST_ROTATIONS;
use crate::engine::{Fixed, Plan, Rotating, Size};
use crate::error::ReadError;
use crate::layout::{Kind, LONG_BUDGET, Lanes, MIN_BUDGET, Shape};

const IDENTITY: Identity = Identity {
    seed: Some(0x0807_0605_0403_0201),
    check: 0x1817_1615_1413_1211,
};

fn frame() -> Frame {
    let numbers = Numbers {
        own: [0x2a, 0x0102_0304_0506],
        search_budget: 0x1000,
        tables: 3,
    };
    Frame::new(
        Kind::Rotating,
        Shape::of::<Lanes<4, 16>>(),
        &IDENTITY,
        &numbers,
    )
}

/// The checksum is from another implementation.
#[rustfmt::skip]
const BYTES: [u8; 64] = [
    0x89, b'L', b'F', b'C', b'F', 0x0d, 0x0a, 0x1a,
    1, 0, 64, 0, 16, 4, 3, 1,
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
    0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
    0x2a, 0, 0, 0, 0, 0, 0, 0,
    6, 5, 4, 3, 2, 1, 0, 0,
    0, 0x10, 0, 0, 3, 0, 0, 0,
    0, 0, 0, 0, 0xe4, 0xf2, 0x50, 0xd6,
];

#[test]
fn these_are_the_bytes_for_ever() {
    assert_eq!(frame().encode(), BYTES);
    let decoded = Frame::decode(&BYTES).expect("valid");
    assert_eq!(decoded.encode(), BYTES);
    assert_eq!(
        decoded
            .check::<Lanes<4, 16>>(Kind::Rotating)
            .expect("valid"),
        IDENTITY
    );
    let numbers = decoded.numbers().expect("in range");
    assert_eq!((numbers.own, numbers.tables), ([0x2a, 0x0102_0304_0506], 3));
}

#[test]
fn a_custom_hasher_has_no_seed() {
    let custom = Identity {
        seed: None,
        ..IDENTITY
    };
    let numbers = frame().numbers().expect("in range");
    let bytes = Frame::new(Kind::Fixed, Shape::of::<Lanes<4, 16>>(), &custom, &numbers).encode();
    assert_eq!((bytes[15], &bytes[16..24]), (2, &[0; 8][..]));
    let decoded = Frame::decode(&bytes).expect("valid");
    assert_eq!(
        decoded.check::<Lanes<4, 16>>(Kind::Fixed).expect("valid"),
        custom
    );
}

#[test]
fn a_later_version_is_told_by_its_first_ten_bytes() {
    let mut later = BYTES;
    later[8] = 2;
    // Its checksum may be elsewhere.
    for length in 10..=64 {
        let error = Frame::decode(&later[..length]).expect_err("later");
        let found = matches!(
            error,
            ReadError::NewerVersion {
                found: 2,
                supported: 1
            }
        );
        assert!(found, "{length}: {error:?}");
    }
}

#[test]
fn what_is_cut_is_cut_and_what_is_foreign_is_foreign() {
    for length in 0..64 {
        let error = Frame::decode(&BYTES[..length]).expect_err("cut");
        let cut =
            matches!(error, ReadError::Truncated { expected: 64, found } if found == length as u64);
        assert!(cut, "{length}: {error:?}");
    }
    for at in 0..8 {
        let mut foreign = BYTES;
        foreign[at] ^= 1;
        for length in at + 1..=64 {
            let error = Frame::decode(&foreign[..length]).expect_err("foreign");
            assert!(matches!(error, ReadError::NotAFilter), "{at}: {error:?}");
        }
    }
}

#[test]
fn a_flipped_bit_behind_the_version_is_found_by_the_checksum() {
    for bit in 10 * 8..64 * 8 {
        let mut damaged = BYTES;
        damaged[bit / 8] ^= 1 << (bit % 8);
        let error = Frame::decode(&damaged).expect_err("damaged");
        assert!(matches!(error, ReadError::Checksum), "bit {bit}: {error:?}");
    }
}

#[test]
fn other_kinds_are_told_apart() {
    let kinds = [Kind::Fixed, Kind::Growing, Kind::Rotating];
    for (stored, asked) in kinds.into_iter().flat_map(|a| kinds.map(|b| (a, b))) {
        let numbers = frame().numbers().expect("in range");
        let frame = Frame::new(stored, Shape::of::<Lanes<4, 16>>(), &IDENTITY, &numbers);
        match frame.check::<Lanes<4, 16>>(asked) {
            Ok(_) => assert_eq!(stored, asked),
            Err(ReadError::OtherKind { kind }) => assert!(stored != asked && kind == stored),
            Err(error) => panic!("{error}"),
        }
    }
}

/// The permanent bytes of every layout: bits of a fingerprint, slots and bits of a value.
#[test]
fn a_header_of_another_layout_is_told_apart() {
    let shapes = [
        (0x08, 0x08, "Lanes<8, 8>"),
        (0x0a, 0x06, "Lanes<6, 10>"),
        (0x0c, 0x06, "SemiSorted<6, 12>"),
        (0x0c, 0x05, "Lanes<5, 12>"),
        (0x0e, 0x05, "SemiSorted<5, 14>"),
        (0x10, 0x04, "Lanes<4, 16>"),
        (0x11, 0x04, "SemiSorted<4, 17>"),
        (0x15, 0x03, "Lanes<3, 21>"),
        (0x1f, 0x02, "Lanes<2, 31>"),
        (0x0c, 0x44, "Lanes<4, 12, 4>"),
        (0x0d, 0x83, "Lanes<3, 13, 8>"),
        (0x10, 0xf2, "Lanes<2, 16, 15>"),
    ];
    assert_eq!(shapes.len(), Shape::ALL.len());
    for (bits, slots, name) in shapes {
        let mut bytes = BYTES;
        set(&mut bytes, at::SHAPE, &[bits, slots]);
        let frame = Frame::decode(&bytes).expect("valid");
        let shape = frame.shape().expect("a layout");
        assert_eq!(shape.to_string(), name);
        // It is also written this way.
        let numbers = frame.numbers().expect("in range");
        let written = Frame::new(Kind::Rotating, shape, &IDENTITY, &numbers).encode();
        assert_eq!(written[at::SHAPE..][..2], [bits, slots]);
        match frame.check::<Lanes<4, 16>>(Kind::Rotating) {
            Ok(_) => assert_eq!(name, "Lanes<4, 16>"),
            Err(ReadError::OtherLayout { shape: other }) => assert_eq!(other, shape),
            Err(error) => panic!("{error}"),
        }
    }
}

/// Changes bytes of a header, and its checksum.
fn set(bytes: &mut [u8], at: usize, new: &[u8]) {
    bytes[at..at + new.len()].copy_from_slice(new);
    let checksum = crc32fast::hash(&bytes[..at::CHECKSUM]);
    bytes[at::CHECKSUM..64].copy_from_slice(&checksum.to_le_bytes());
}

/// The stored form of an engine with 24 buckets in each table, or 16 if it grows.
fn stored<E: Restored>() -> Vec<u8> {
    let buckets = if E::KIND == Kind::Growing { 16 } else { 24 };
    let plan = Plan {
        size: Size::Buckets(buckets),
        ..Plan::default()
    };
    let engine = E::build(&plan).expect("memory");
    to_vec(&engine, &IDENTITY).expect("memory")
}

/// Reads the same with other bytes in the header or in the list, and matching checksums. Returns why it fails.
fn read_changed<E: Restored>(at: usize, new: &[u8]) -> Result<(), ReadError> {
    let mut bytes = stored::<E>();
    set(&mut bytes, at, new);
    let list = 64
        + ENTRY
            * frame_of(&bytes)
                .numbers()?
                .tables
                .min(E::TABLES.clone().count());
    let mut checksum = frame_of(&bytes).begin_checksum();
    checksum.update(&bytes[64..list]);
    bytes[list..list + CHECKSUM].copy_from_slice(&checksum.clone().finalize().to_le_bytes());
    let end = bytes.len() - CHECKSUM;
    checksum.update(&bytes[list + CHECKSUM..end]);
    bytes[end..].copy_from_slice(&checksum.finalize().to_le_bytes());
    read::<E, _>(&frame_of(&bytes), &mut source(&bytes), |_| Ok(()), 0).map(drop)
}

fn frame_of(bytes: &[u8]) -> Frame {
    Frame::decode(&bytes[..64]).expect("a header")
}

fn source(bytes: &[u8]) -> Slice<'_> {
    let mut source = Slice::new(bytes);
    Frame::read(&mut source).expect("a header");
    source
}

fn assert_refused<E: Restored>(at: usize, new: &[u8], reason: &str) {
    let error = read_changed::<E>(at, new).expect_err(reason);
    assert!(error.to_string().contains(reason), "{at}: {error}");
}

/// The checks for every kind.
fn assert_header_is_checked<E: Restored>() {
    read_changed::<E>(at::UNUSED, &[0; 4]).expect("nothing was changed");
    for (at, new, reason) in [
        (at::VERSION, &[0, 0][..], "version does not exist"),
        (at::LENGTH, &[63, 0], "64 bytes long"),
        (at::LENGTH, &[65, 0], "64 bytes long"),
    ] {
        let mut bytes = stored::<E>();
        set(&mut bytes, at, new);
        let error = Frame::decode(&bytes[..64]).expect_err(reason);
        assert!(error.to_string().contains(reason), "{error}");
    }
    for (at, new, reason) in [
        (at::SHAPE, &[8][..], "is unknown"),
        (at::SHAPE + 1, &[8], "is unknown"),
        (at::SHAPE + 1, &[0x14], "is unknown"),
        (at::SHAPE, &[5, 4], "is unknown"),
        (at::KIND, &[5], "is unknown"),
        (at::HASHER, &[0], "kind of hasher"),
        // A custom hasher has no seed, but this header has one.
        (at::HASHER, &[2], "kind of hasher"),
        (at::HASHER, &[3], "kind of hasher"),
        (at::SEARCH_BUDGET, &[1, 0], "search budget"),
        (
            at::SEARCH_BUDGET,
            &(LONG_BUDGET as u32 + 1).to_le_bytes(),
            "search budget",
        ),
        (at::SEARCH_BUDGET, &[0xff; 4], "search budget"),
        (at::TABLES, &[0; 4], "number of tables"),
        (
            at::TABLES,
            &(*E::TABLES.end() as u32 + 1).to_le_bytes(),
            "number of tables",
        ),
        (at::TABLES, &[0xff; 4], "number of tables"),
        (at::UNUSED, &[1], "unused"),
        (at::UNUSED + 3, &[1], "unused"),
        (64 + 8, &[97], "more items than slots"),
        (64 + 8, &[0xff; 8], "more items than slots"),
    ] {
        assert_refused::<E>(at, new, reason);
    }
    read_changed::<E>(at::SEARCH_BUDGET, &(MIN_BUDGET as u32).to_le_bytes()).expect("in range");
    read_changed::<E>(at::SEARCH_BUDGET, &(LONG_BUDGET as u32).to_le_bytes()).expect("in range");
}

#[test]
fn every_field_is_checked() {
    assert_header_is_checked::<Fixed>();
    assert_header_is_checked::<Rotating>();
    #[cfg(feature = "std")]
    assert_header_is_checked::<Growing>();
}

fn assert_sizes_are_checked<E: Restored>() {
    for capacity in [0, 24 * 4] {
        read_changed::<E>(at::OWN[0], &[capacity]).expect("in range");
    }
    for (at, new, reason) in [
        (at::OWN[0], 24 * 4 + 1, "capacity"),
        (at::OWN[0], u64::MAX, "capacity"),
        (64, 0, "number of buckets"),
        (64, 1, "number of buckets"),
        (64, 25, "number of buckets"),
        (64, 33 << 4, "number of buckets"),
        (64, 1 << 62, "on this machine"),
        (64, u64::MAX, "on this machine"),
    ] {
        assert_refused::<E>(at, &new.to_le_bytes(), reason);
    }
}

#[test]
fn sizes_are_checked() {
    assert_sizes_are_checked::<Fixed>();
    assert_sizes_are_checked::<Rotating>();
    assert_refused::<Fixed>(at::OWN[1], &[1], "unused");
    read_changed::<Rotating>(at::OWN[1], &MOST_ROTATIONS.to_le_bytes()).expect("in range");
    let too_many = MOST_ROTATIONS + 1;
    assert_refused::<Rotating>(at::OWN[1], &too_many.to_le_bytes(), "number of rotations");
    assert_refused::<Rotating>(at::TABLES, &[1], "number of tables");
    assert_refused::<Rotating>(64 + ENTRY, &[8], "generations differ");
}
