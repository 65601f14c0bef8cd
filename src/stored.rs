//! The stored form of a filter: its header, as a value.
//!
//! The layout is documented for users in [`format`](crate::format). Here a header becomes 64 bytes, and 64
//! bytes become a header whose every number is in range, or an error. Nothing is read, written or allocated.

mod error;
mod identity;
mod reading;
mod writing;

pub use error::ReadError;
pub(crate) use identity::Identity;
#[cfg(feature = "std")]
pub(crate) use reading::Stream;
pub(crate) use reading::{Slice, read};
pub(crate) use writing::Storable;

use crate::bucket::Bucket;
use crate::geometry::Geometry;
use crate::path::{MAX_BUDGET, MIN_BUDGET};

/// What the stored form says ahead of the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) identity: Identity,
    pub(crate) geometry: Geometry,
    pub(crate) capacity: usize,
    pub(crate) items: usize,
    pub(crate) search_budget: usize,
}

/// As PNG's: a byte that is no text, a name, and the line ends that a transfer as text would change.
const MAGIC: [u8; 8] = *b"\x89LFCF\r\n\x1a";

const VERSION: u16 = 1;

/// Bits of a fingerprint, slots of a bucket, and 1 for "one table".
const SHAPE: [u8; 3] = [16, Bucket::SLOTS as u8, 1];

const DEFAULT_HASHER: u8 = 1;
const CUSTOM_HASHER: u8 = 2;

/// Bytes of a word, and of a checksum.
const WORD: usize = size_of::<u64>();
const CHECKSUM: usize = size_of::<u32>();

/// Where the fields of the header begin.
mod at {
    pub(super) const VERSION: usize = 8;
    pub(super) const LENGTH: usize = 10;
    pub(super) const SHAPE: usize = 12;
    pub(super) const HASHER: usize = 15;
    pub(super) const SEED: usize = 16;
    pub(super) const CHECK: usize = 24;
    pub(super) const BUCKETS: usize = 32;
    pub(super) const CAPACITY: usize = 40;
    pub(super) const ITEMS: usize = 48;
    pub(super) const SEARCH_BUDGET: usize = 56;
    pub(super) const CHECKSUM: usize = 60;
}

impl Header {
    pub(crate) const BYTES: usize = 64;

    /// The bytes of the whole stored form.
    pub(crate) fn stored_bytes(&self) -> u64 {
        (Self::BYTES + CHECKSUM) as u64 + self.geometry.buckets() as u64 * WORD as u64
    }

    pub(crate) fn encode(&self) -> [u8; Self::BYTES] {
        let (hasher, seed) = match self.identity.seed {
            Some(seed) => (DEFAULT_HASHER, seed),
            None => (CUSTOM_HASHER, 0),
        };
        let mut bytes = [0; Self::BYTES];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(0, &MAGIC);
        put(at::VERSION, &VERSION.to_le_bytes());
        put(at::LENGTH, &(Self::BYTES as u16).to_le_bytes());
        put(at::SHAPE, &SHAPE);
        put(at::HASHER, &[hasher]);
        put(at::SEED, &seed.to_le_bytes());
        put(at::CHECK, &self.identity.check.to_le_bytes());
        put(at::BUCKETS, &(self.geometry.buckets() as u64).to_le_bytes());
        put(at::CAPACITY, &(self.capacity as u64).to_le_bytes());
        put(at::ITEMS, &(self.items as u64).to_le_bytes());
        put(
            at::SEARCH_BUDGET,
            &(self.search_budget as u32).to_le_bytes(),
        );
        let checksum = crc32fast::hash(&bytes[..at::CHECKSUM]);
        bytes[at::CHECKSUM..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// A checksum that has the header behind it, to be continued over the words. So words do not go with the
    /// header of another filter, as after a write that was cut short over an older file of the same size. Without
    /// the header's own checksum, because a CRC over data and their CRC is the same whatever the data.
    pub(crate) fn begin_checksum(&self) -> crc32fast::Hasher {
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&self.encode()[..at::CHECKSUM]);
        checksum
    }

    /// The header that `found` is, the first 64 bytes of the input, or all if there are fewer.
    ///
    /// From the general to the particular, so that the error names what is wrong and not a consequence of it.
    pub(crate) fn decode(found: &[u8]) -> Result<Self, ReadError> {
        if !MAGIC.starts_with(&found[..found.len().min(MAGIC.len())]) {
            return Err(ReadError::NotAFilter);
        }
        // Ahead of the length and the checksum: a later version may have others.
        if let Some(&[low, high]) = found.get(at::VERSION..at::LENGTH) {
            let version = u16::from_le_bytes([low, high]);
            if version > VERSION {
                return Err(ReadError::NewerVersion {
                    found: version,
                    supported: VERSION,
                });
            }
        }
        let bytes: &[u8; Self::BYTES] = found.try_into().map_err(|_| ReadError::Truncated {
            expected: Self::BYTES as u64,
            found: found.len() as u64,
        })?;
        let checksum = u32::from_le_bytes(field(bytes, at::CHECKSUM));
        if checksum != crc32fast::hash(&bytes[..at::CHECKSUM]) {
            return Err(ReadError::Checksum);
        }
        Self::of_fields(bytes)
    }

    /// The header with these fields, if they can be true.
    fn of_fields(bytes: &[u8; Self::BYTES]) -> Result<Self, ReadError> {
        let number = |at| u64::from_le_bytes(field(bytes, at));
        demand(
            u16::from_le_bytes(field(bytes, at::VERSION)) == VERSION,
            "there is no such version",
        )?;
        demand(
            usize::from(u16::from_le_bytes(field(bytes, at::LENGTH))) == Self::BYTES,
            "its header has another length",
        )?;
        demand(
            field(bytes, at::SHAPE) == SHAPE,
            "its fingerprints, buckets or tables are of another kind",
        )?;
        let seed = match (bytes[at::HASHER], number(at::SEED)) {
            (DEFAULT_HASHER, seed) => Some(seed),
            (CUSTOM_HASHER, 0) => None,
            _ => return Err(malformed("its kind of hasher does not exist")),
        };
        let buckets = usize::try_from(number(at::BUCKETS))
            .ok()
            .filter(|&buckets| buckets <= Geometry::MAX_BUCKETS)
            .ok_or(ReadError::TooLarge {
                buckets: number(at::BUCKETS),
            })?;
        let geometry = Geometry::with_buckets(buckets)
            .ok_or(malformed("its number of buckets is impossible"))?;
        // No more than the slots, whatever a builder would say: how filters are sized may change.
        let at_most_slots = |at, reason| {
            let slots = buckets * Bucket::SLOTS;
            let number = usize::try_from(number(at)).ok();
            number
                .filter(|&number| number <= slots)
                .ok_or(malformed(reason))
        };
        let search_budget = u32::from_le_bytes(field(bytes, at::SEARCH_BUDGET));
        let search_budget = usize::try_from(search_budget)
            .ok()
            .filter(|budget| (MIN_BUDGET..=MAX_BUDGET).contains(budget))
            .ok_or(malformed("its search budget is out of range"))?;
        Ok(Self {
            identity: Identity {
                seed,
                check: number(at::CHECK),
            },
            geometry,
            capacity: at_most_slots(at::CAPACITY, "its capacity is larger than the table")?,
            items: at_most_slots(at::ITEMS, "its items are more than the slots")?,
            search_budget,
        })
    }
}

fn field<const N: usize>(bytes: &[u8; Header::BYTES], at: usize) -> [u8; N] {
    core::array::from_fn(|index| bytes[at + index])
}

fn malformed(reason: &'static str) -> ReadError {
    ReadError::Malformed { reason }
}

fn demand(condition: bool, reason: &'static str) -> Result<(), ReadError> {
    condition.then_some(()).ok_or(malformed(reason))
}

#[cfg(test)]
mod tests {
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
            (at::VERSION, 2, 0, "no such version"),
            (at::LENGTH, 2, 63, "another length"),
            (at::LENGTH, 2, 65, "another length"),
            (at::SHAPE, 1, 8, "another kind"),
            (at::SHAPE + 1, 1, 8, "another kind"),
            (at::SHAPE + 2, 1, 2, "another kind"),
            (at::HASHER, 1, 0, "kind of hasher"),
            // It has a seed, which a custom one has not.
            (at::HASHER, 1, 2, "kind of hasher"),
            (at::HASHER, 1, 3, "kind of hasher"),
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
