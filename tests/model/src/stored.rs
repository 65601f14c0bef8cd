//! The stored form of a filter: where its fields are, and how to change one so that the checksums match again.
//!
//! ```text
//! header : 60 | CRC-32 : 4 | words, 8 each | CRC-32 of all but the other : 4
//! ```
//!
//! [`tables`]: that of a filter that grows.

mod crc32;
pub mod tables;

use crate::layout::{Encoding, Fingerprint, Layout};
pub use crc32::crc32;

/// Bytes of the header, with its checksum.
pub const HEADER: usize = 64;
/// Bytes of a checksum.
pub const CHECKSUM: usize = 4;

/// A field of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// What it is called.
    pub name: &'static str,
    /// Its first byte.
    pub at: usize,
    /// How many it has.
    pub bytes: usize,
}

const fn field(name: &'static str, at: usize, bytes: usize) -> Field {
    Field { name, at, bytes }
}

/// What every stored filter begins with.
pub const MAGIC: Field = field("magic", 0, 8);
/// The version of the format.
pub const VERSION: Field = field("version", 8, 2);
/// The length of the header.
pub const LENGTH: Field = field("length", 10, 2);
/// Bits of a fingerprint.
pub const FINGERPRINT_BITS: Field = field("fingerprint bits", 12, 1);
/// Slots of a bucket.
pub const SLOTS: Field = field("slots", 13, 1);
/// Which kind of filter it is.
pub const KIND: Field = field("kind", 14, 1);
/// Whose the hasher is.
pub const HASHER: Field = field("hasher", 15, 1);
/// The seed of the hasher.
pub const SEED: Field = field("seed", 16, 8);
/// A hash by which the hasher is known.
pub const CHECK: Field = field("check", 24, 8);
/// How many buckets there are.
pub const BUCKETS: Field = field("buckets", 32, 8);
/// The items that it is sized for.
pub const CAPACITY: Field = field("capacity", 40, 8);
/// The items that are in.
pub const ITEMS: Field = field("items", 48, 8);
/// How many buckets an insert examines.
pub const SEARCH_BUDGET: Field = field("search budget", 56, 4);

/// All but the checksum.
pub const FIELDS: [Field; 13] = [
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
    /// Its value.
    #[must_use]
    pub fn get(self, bytes: &[u8]) -> u64 {
        let mut value = [0; 8];
        value[..self.bytes].copy_from_slice(&bytes[self.at..][..self.bytes]);
        u64::from_le_bytes(value)
    }

    /// Sets it to the low bytes of `value`, and leaves the checksum as it is.
    pub fn set(self, bytes: &mut [u8], value: u64) {
        bytes[self.at..][..self.bytes].copy_from_slice(&value.to_le_bytes()[..self.bytes]);
    }
}

/// The words of a stored form, however many there are.
#[must_use]
pub fn words(bytes: &[u8]) -> Vec<u64> {
    let words = &bytes[HEADER..bytes.len() - CHECKSUM];
    let (words, _) = words.as_chunks();
    words.iter().copied().map(u64::from_le_bytes).collect()
}

/// Sets a word, and leaves the checksum as it is.
pub fn set_word(bytes: &mut [u8], index: usize, word: u64) {
    bytes[HEADER + 8 * index..][..8].copy_from_slice(&word.to_le_bytes());
}

/// The occupied slots, whether or not the words are packed: their buckets and fingerprints.
#[must_use]
pub fn tokens(layout: Layout, bytes: &[u8]) -> Vec<(usize, Fingerprint)> {
    let words = words(bytes).into_iter().enumerate();
    words
        .flat_map(|(bucket, word)| layout.lanes(word).map(|lane| (bucket, lane)))
        .filter(|&(_, lane)| lane != 0)
        .collect()
}

/// How many items a reader may count that takes each word for a packed one.
#[must_use]
pub fn items_if_packed(layout: Layout, bytes: &[u8]) -> u64 {
    if layout.encoding == Encoding::SemiSorted {
        return tokens(layout, bytes).len() as u64;
    }
    let vacant = |word: u64| word.trailing_zeros() / layout.fingerprint_bits;
    let taken = |word| (layout.slots as u32).saturating_sub(vacant(word));
    words(bytes).into_iter().map(taken).map(u64::from).sum()
}

/// Makes both checksums match.
pub fn repair(bytes: &mut [u8]) {
    let header = crc32(&bytes[..HEADER - CHECKSUM]);
    bytes[HEADER - CHECKSUM..HEADER].copy_from_slice(&header.to_le_bytes());
    let end = bytes.len() - CHECKSUM;
    let all = crc32(&[&bytes[..HEADER - CHECKSUM], &bytes[HEADER..end]].concat());
    bytes[end..].copy_from_slice(&all.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stored form of three buckets that no filter wrote.
    fn three_buckets(layout: Layout) -> Vec<u8> {
        let mut bytes = vec![0; HEADER + 3 * 8 + CHECKSUM];
        let bucket = layout.with(0, 6).and_then(|b| layout.with(b, 5));
        set_word(&mut bytes, 1, bucket.expect("room"));
        set_word(&mut bytes, 2, layout.with(0, 7).expect("room"));
        bytes
    }

    #[test]
    fn the_tokens_are_those_of_the_layout() {
        for layout in crate::layout::Layout::EVERY {
            let bytes = three_buckets(layout);
            assert_eq!(words(&bytes)[0], 0);
            assert_eq!(tokens(layout, &bytes), [(1, 6), (1, 5), (2, 7)]);
            assert_eq!(items_if_packed(layout, &bytes), 3);
        }
    }

    #[test]
    fn fields_lie_side_by_side_up_to_the_checksum() {
        let end = FIELDS.iter().fold(0, |end, field| {
            assert_eq!(field.at, end, "{}", field.name);
            field.at + field.bytes
        });
        assert_eq!(end, HEADER - CHECKSUM);
        let mut bytes = three_buckets(Layout::DEFAULT);
        CHECK.set(&mut bytes, u64::MAX);
        KIND.set(&mut bytes, 0x102);
        assert_eq!((CHECK.get(&bytes), KIND.get(&bytes)), (u64::MAX, 2));
        assert_eq!((SEED.get(&bytes), BUCKETS.get(&bytes)), (0, 0));
    }

    #[test]
    fn each_checksum_covers_all_bytes_but_the_checksums() {
        let mut bytes = three_buckets(Layout::DEFAULT);
        repair(&mut bytes);
        let checksums = |bytes: &[u8]| {
            let ends = [HEADER, bytes.len()];
            ends.map(|end| bytes[end - CHECKSUM..end].to_vec())
        };
        let [header, all] = checksums(&bytes);
        let end = bytes.len() - CHECKSUM;
        for at in (0..HEADER - CHECKSUM).chain(HEADER..end) {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            repair(&mut changed);
            let [other_header, other] = checksums(&changed);
            assert_eq!(other_header != header, at < HEADER, "byte {at}");
            assert_ne!(other, all, "byte {at}");
        }
    }
}
