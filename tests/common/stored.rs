//! The documented stored form, implemented a second time: where its fields are, and how to change one so that
//! the checksums match again.
//!
//! Also a hasher for it: a custom one that is the same on every machine.

#![allow(dead_code, reason = "each test crate uses a part of it")]

use std::hash::{BuildHasher, Hasher};

pub(crate) const HEADER: usize = 64;
pub(crate) const CHECKSUM: usize = 4;

/// A field of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) at: usize,
    pub(crate) bytes: usize,
}

const fn field(name: &'static str, at: usize, bytes: usize) -> Field {
    Field { name, at, bytes }
}

pub(crate) const MAGIC: Field = field("magic", 0, 8);
pub(crate) const VERSION: Field = field("version", 8, 2);
pub(crate) const LENGTH: Field = field("length", 10, 2);
pub(crate) const FINGERPRINT_BITS: Field = field("fingerprint bits", 12, 1);
pub(crate) const SLOTS: Field = field("slots", 13, 1);
pub(crate) const KIND: Field = field("kind", 14, 1);
pub(crate) const HASHER: Field = field("hasher", 15, 1);
pub(crate) const SEED: Field = field("seed", 16, 8);
pub(crate) const CHECK: Field = field("check", 24, 8);
pub(crate) const BUCKETS: Field = field("buckets", 32, 8);
pub(crate) const CAPACITY: Field = field("capacity", 40, 8);
pub(crate) const ITEMS: Field = field("items", 48, 8);
pub(crate) const SEARCH_BUDGET: Field = field("search budget", 56, 4);

/// All but the checksum.
pub(crate) const FIELDS: [Field; 13] = [
    MAGIC,
    VERSION,
    LENGTH,
    FINGERPRINT_BITS,
    SLOTS,
    KIND,
    HASHER,
    SEED,
    CHECK,
    BUCKETS,
    CAPACITY,
    ITEMS,
    SEARCH_BUDGET,
];

impl Field {
    pub(crate) fn get(self, bytes: &[u8]) -> u64 {
        let mut value = [0; 8];
        value[..self.bytes].copy_from_slice(&bytes[self.at..][..self.bytes]);
        u64::from_le_bytes(value)
    }

    /// Sets it to the low bytes of `value`, and leaves the checksum as it is.
    pub(crate) fn set(self, bytes: &mut [u8], value: u64) {
        bytes[self.at..][..self.bytes].copy_from_slice(&value.to_le_bytes()[..self.bytes]);
    }
}

/// The words of a stored form, however many there are.
pub(crate) fn words(bytes: &[u8]) -> Vec<u64> {
    let words = &bytes[HEADER..bytes.len() - CHECKSUM];
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    words.chunks_exact(8).map(word).collect()
}

pub(crate) fn set_word(bytes: &mut [u8], index: usize, word: u64) {
    bytes[HEADER + 8 * index..][..8].copy_from_slice(&word.to_le_bytes());
}

/// The occupied slots: their buckets and fingerprints.
pub(crate) fn tokens(bytes: &[u8]) -> Vec<(usize, u16)> {
    let lanes =
        |(bucket, word): (usize, u64)| [48, 32, 16, 0].map(|lane| (bucket, (word >> lane) as u16));
    let slots = words(bytes).into_iter().enumerate().flat_map(lanes);
    slots.filter(|&(_, fingerprint)| fingerprint != 0).collect()
}

/// Makes both checksums match.
pub(crate) fn repair(bytes: &mut [u8]) {
    let header = crc32(&bytes[..HEADER - CHECKSUM]);
    bytes[HEADER - CHECKSUM..HEADER].copy_from_slice(&header.to_le_bytes());
    let end = bytes.len() - CHECKSUM;
    let all = crc32(&[&bytes[..HEADER - CHECKSUM], &bytes[HEADER..end]].concat());
    bytes[end..].copy_from_slice(&all.to_le_bytes());
}

/// CRC-32 as in zlib, bit by bit.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let crc = bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            let carry = (crc & 1).wrapping_neg();
            crc >> 1 ^ 0xedb8_8320 & carry
        })
    });
    !crc
}

/// FNV-1a with a key, and mixed at the end as the filter needs it. Of strings, the same on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fnv {
    pub(crate) key: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct FnvHasher(u64);

impl BuildHasher for Fnv {
    type Hasher = FnvHasher;

    fn build_hasher(&self) -> FnvHasher {
        FnvHasher(0xcbf2_9ce4_8422_2325 ^ self.key)
    }
}

impl Hasher for FnvHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        super::common::mix(self.0)
    }
}
