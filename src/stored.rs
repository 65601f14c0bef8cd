//! The stored form of a filter: the header of one table, as a value.
//!
//! The layout is documented for users in [`format`](crate::format). Here a header becomes 64 bytes, and 64
//! bytes become a header whose every number is in range, or an error. Nothing is read, written or allocated.

mod error;
mod frame;
mod identity;
mod input;
mod reading;
mod words;
mod writing;

pub use error::ReadError;
pub(crate) use frame::{Frame, Kind};
pub(crate) use identity::Identity;
pub(crate) use input::Input;
pub(crate) use reading::{Slice, read};
#[cfg(feature = "std")]
pub(crate) use reading::{Source, Stream};
pub(crate) use writing::Storable;
#[cfg(feature = "std")]
pub(crate) use writing::collect;

use crate::bucket::Bucket;
use crate::geometry::Geometry;
use crate::path::{MAX_BUDGET, MIN_BUDGET};

/// What the stored form of one table says ahead of the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) identity: Identity,
    pub(crate) geometry: Geometry,
    pub(crate) capacity: usize,
    pub(crate) items: usize,
    pub(crate) search_budget: usize,
}

/// Bytes of a word, and of a checksum.
pub(crate) const WORD: usize = size_of::<u64>();
pub(crate) const CHECKSUM: usize = size_of::<u32>();

/// Where the fields of the header begin that others do not have.
mod at {
    pub(super) const BUCKETS: usize = 32;
    pub(super) const CAPACITY: usize = 40;
    pub(super) const ITEMS: usize = 48;
    pub(super) const SEARCH_BUDGET: usize = 56;
}

impl Header {
    pub(crate) const BYTES: usize = Frame::BYTES;

    /// The bytes of the whole stored form.
    pub(crate) fn stored_bytes(&self) -> u64 {
        (Self::BYTES + CHECKSUM) as u64 + self.geometry.buckets() as u64 * WORD as u64
    }

    fn frame(&self) -> Frame {
        let mut frame = Frame::new(Kind::Fixed, &self.identity);
        frame.put(at::BUCKETS, &(self.geometry.buckets() as u64).to_le_bytes());
        frame.put(at::CAPACITY, &(self.capacity as u64).to_le_bytes());
        frame.put(at::ITEMS, &(self.items as u64).to_le_bytes());
        frame.put(
            at::SEARCH_BUDGET,
            &(self.search_budget as u32).to_le_bytes(),
        );
        frame
    }

    pub(crate) fn encode(&self) -> [u8; Self::BYTES] {
        self.frame().encode()
    }

    /// See [`Frame::begin_checksum`].
    pub(crate) fn begin_checksum(&self) -> crc32fast::Hasher {
        self.frame().begin_checksum()
    }

    /// The header that `found` is, the first 64 bytes of the input, or all if there are fewer, if its fields can
    /// be true.
    pub(crate) fn decode(found: &[u8]) -> Result<Self, ReadError> {
        let (frame, identity) = Frame::decode(found, Kind::Fixed)?;
        let geometry = geometry(frame.number(at::BUCKETS))?;
        let at_most_slots = |at, reason| at_most_slots(frame.number(at), geometry, reason);
        Ok(Self {
            identity,
            geometry,
            search_budget: search_budget(frame.get(at::SEARCH_BUDGET))?,
            capacity: at_most_slots(
                at::CAPACITY,
                "its capacity is larger than its number of slots",
            )?,
            items: at_most_slots(at::ITEMS, "it has more items than slots")?,
        })
    }
}

/// The geometry of a stored number of buckets.
pub(crate) fn geometry(stored: u64) -> Result<Geometry, ReadError> {
    let buckets = usize::try_from(stored)
        .ok()
        .filter(|&buckets| buckets <= Geometry::MAX_BUCKETS)
        .ok_or(ReadError::TooLarge { buckets: stored })?;
    Geometry::with_buckets(buckets).ok_or(malformed("its number of buckets is impossible"))
}

/// No more than the slots, whatever a builder would say: how filters are sized may change.
pub(crate) fn at_most_slots(
    stored: u64,
    geometry: Geometry,
    reason: &'static str,
) -> Result<usize, ReadError> {
    let slots = geometry.buckets() * Bucket::SLOTS;
    let number = usize::try_from(stored).ok();
    number
        .filter(|&number| number <= slots)
        .ok_or(malformed(reason))
}

pub(crate) fn search_budget(stored: [u8; 4]) -> Result<usize, ReadError> {
    usize::try_from(u32::from_le_bytes(stored))
        .ok()
        .filter(|budget| (MIN_BUDGET..=MAX_BUDGET).contains(budget))
        .ok_or(malformed("its search budget is out of range"))
}

pub(crate) fn malformed(reason: &'static str) -> ReadError {
    ReadError::Malformed { reason }
}

pub(crate) fn demand(condition: bool, reason: &'static str) -> Result<(), ReadError> {
    condition.then_some(()).ok_or(malformed(reason))
}

#[cfg(test)]
mod tests {
    use super::frame::at::{HASHER, LENGTH, SHAPE, VERSION};
    use super::*;

    /// 24 buckets, that is three ranges of eight.
    fn header() -> Header {
        Header {
            identity: Identity {
                seed: Some(0x0807_0605_0403_0201),
                check: 0x1817_1615_1413_1211,
            },
            geometry: Geometry::with_buckets(24).expect("possible"),
            capacity: 0x2a,
            items: 0x29,
            search_budget: 0x10,
        }
    }

    /// The checksum is from another implementation.
    #[rustfmt::skip]
    const BYTES: [u8; 64] = [
        0x89, b'L', b'F', b'C', b'F', 0x0d, 0x0a, 0x1a,
        1, 0, 64, 0, 16, 4, 1, 1,
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
        0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
        24, 0, 0, 0, 0, 0, 0, 0,
        0x2a, 0, 0, 0, 0, 0, 0, 0,
        0x29, 0, 0, 0, 0, 0, 0, 0,
        0x10, 0, 0, 0, 0x05, 0xaa, 0x99, 0x63,
    ];

    /// With another checksum that matches.
    fn repaired(mut bytes: [u8; 64]) -> [u8; 64] {
        let checksum = crc32fast::hash(&bytes[..60]);
        bytes[60..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    #[test]
    fn these_are_the_bytes_for_ever() {
        assert_eq!(header().encode(), BYTES);
        assert_eq!(Header::decode(&BYTES).expect("valid"), header());
        assert_eq!(header().stored_bytes(), 64 + 24 * 8 + 4);
    }

    #[test]
    fn a_custom_hasher_has_no_seed() {
        let mut custom = header();
        custom.identity.seed = None;
        let bytes = custom.encode();
        assert_eq!((bytes[15], &bytes[16..24]), (2, &[0; 8][..]));
        assert_eq!(Header::decode(&bytes).expect("valid"), custom);
    }

    #[test]
    fn a_later_version_is_told_by_its_first_ten_bytes() {
        let mut later = BYTES;
        later[8] = 2;
        // Its checksum need not be where ours is.
        for length in 10..=64 {
            let error = Header::decode(&later[..length]).expect_err("later");
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
            let error = Header::decode(&BYTES[..length]).expect_err("cut");
            let cut = matches!(error, ReadError::Truncated { expected: 64, found } if found == length as u64);
            assert!(cut, "{length}: {error:?}");
        }
        for at in 0..8 {
            let mut foreign = BYTES;
            foreign[at] ^= 1;
            for length in at + 1..=64 {
                let error = Header::decode(&foreign[..length]).expect_err("foreign");
                assert!(matches!(error, ReadError::NotAFilter), "{at}: {error:?}");
            }
        }
    }

    #[test]
    fn a_flipped_bit_behind_the_version_is_found_by_the_checksum() {
        for bit in 10 * 8..64 * 8 {
            let mut damaged = BYTES;
            damaged[bit / 8] ^= 1 << (bit % 8);
            let error = Header::decode(&damaged).expect_err("damaged");
            assert!(matches!(error, ReadError::Checksum), "bit {bit}: {error:?}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        // Where, how many bytes, the value, and what is said of it.
        let cases: [(usize, usize, u64, &str); 21] = [
            (VERSION, 2, 0, "its version does not exist"),
            (LENGTH, 2, 63, "64 bytes long"),
            (LENGTH, 2, 65, "64 bytes long"),
            (SHAPE, 1, 8, "is unknown"),
            (SHAPE + 1, 1, 8, "is unknown"),
            (SHAPE + 2, 1, 3, "is unknown"),
            (HASHER, 1, 0, "kind of hasher"),
            // It has a seed, which a custom one has not.
            (HASHER, 1, 2, "kind of hasher"),
            (HASHER, 1, 3, "kind of hasher"),
            (at::BUCKETS, 8, 0, "number of buckets"),
            (at::BUCKETS, 8, 1, "number of buckets"),
            (at::BUCKETS, 8, 25, "number of buckets"),
            (at::BUCKETS, 8, 33 << 4, "number of buckets"),
            (at::BUCKETS, 8, 1 << 62, "on this machine"),
            (at::BUCKETS, 8, u64::MAX, "on this machine"),
            (at::CAPACITY, 8, 24 * 4 + 1, "capacity"),
            (at::ITEMS, 8, 24 * 4 + 1, "items"),
            (at::ITEMS, 8, u64::MAX, "items"),
            (at::SEARCH_BUDGET, 4, 1, "search budget"),
            (at::SEARCH_BUDGET, 4, MAX_BUDGET as u64 + 1, "search budget"),
            (at::SEARCH_BUDGET, 4, 0xffff_ffff, "search budget"),
        ];
        for (at, length, value, said) in cases {
            let mut bytes = BYTES;
            bytes[at..at + length].copy_from_slice(&value.to_le_bytes()[..length]);
            let error = Header::decode(&repaired(bytes)).expect_err(said);
            assert!(error.to_string().contains(said), "{at} = {value}: {error}");
        }
    }

    #[test]
    fn numbers_at_their_limits_are_taken() {
        for (at, value) in [
            (at::CAPACITY, 0),
            (at::CAPACITY, 24 * 4),
            (at::ITEMS, 0),
            (at::ITEMS, 24 * 4),
            (at::SEARCH_BUDGET, MIN_BUDGET),
            (at::SEARCH_BUDGET, MAX_BUDGET),
        ] {
            let mut bytes = BYTES;
            bytes[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes());
            assert!(Header::decode(&repaired(bytes)).is_ok(), "{at} = {value}");
        }
    }
}
