//! The stored form of a filter: the positions of its fields, and the repair of the checksums after
//! a change.
//!
//! ```text
//! header : 60 | CRC-32 : 4 | entries, 16 each | zeros : 4 | CRC-32 : 4 | words, 8 each | CRC-32 : 4
//! ```
//!
//! There is an entry for each table. Each checksum covers all earlier bytes except the other
//! checksums.
//!
//! [`tables`]: the entries of growing filters.

pub mod tables;

use crate::layout::{Encoding, Fingerprint, Layout};
pub use crc32fast::hash as crc32;

/// The bytes of the header, with its checksum.
pub const HEADER: usize = 64;
/// The bytes of zeros after the entries, so that the words begin at a multiple of 8.
pub const PADDING: usize = 4;
/// The bytes of a checksum.
pub const CHECKSUM: usize = 4;

/// A field of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name for messages.
    pub name: &'static str,
    /// The position of its first byte.
    pub at: usize,
    /// The number of its bytes.
    pub bytes: usize,
}

const fn field(name: &'static str, at: usize, bytes: usize) -> Field {
    Field { name, at, bytes }
}

/// The first bytes of every stored filter.
pub const MAGIC: Field = field("magic", 0, 8);
/// The version of the format.
pub const VERSION: Field = field("version", 8, 2);
/// The length of the header.
pub const LENGTH: Field = field("length", 10, 2);
/// The bits of a fingerprint.
pub const FINGERPRINT_BITS: Field = field("fingerprint bits", 12, 1);
/// The slots of a bucket.
pub const SLOTS: Field = field("slots", 13, 1);
/// The kind of filter.
pub const KIND: Field = field("kind", 14, 1);
/// The kind of hasher.
pub const HASHER: Field = field("hasher", 15, 1);
/// The seed of the hasher.
pub const SEED: Field = field("seed", 16, 8);
/// A hash that identifies the hasher.
pub const CHECK: Field = field("check", 24, 8);
/// The number of items that each table is sized for.
pub const CAPACITY: Field = field("capacity", 32, 8);
/// The number of rotations.
pub const ROTATIONS: Field = field("rotations", 40, 8);
/// The limit on the false-positive rate of a growing filter.
pub const RATE: Field = field("rate", 32, 8);
/// The limit on the memory of a growing filter.
pub const MEMORY: Field = field("memory", 40, 8);
/// The number of buckets that an insert examines.
pub const SEARCH_BUDGET: Field = field("search budget", 48, 4);
/// The number of tables.
pub const TABLES: Field = field("tables", 52, 4);
/// Always 0.
pub const UNUSED: Field = field("unused", 56, 4);

/// The bytes of an entry.
pub const ENTRY: usize = 16;

/// Returns a field of an entry.
const fn of_table(name: &'static str, table: usize, at: usize, bytes: usize) -> Field {
    field(name, HEADER + ENTRY * table + at, bytes)
}

/// Returns the field for the number of buckets of a table that does not grow.
#[must_use]
pub const fn buckets(table: usize) -> Field {
    of_table("buckets", table, 0, 8)
}

/// Returns the field for the number of items in a table.
#[must_use]
pub const fn items(table: usize) -> Field {
    of_table("items", table, 8, 8)
}

/// The number of buckets of the first table.
pub const BUCKETS: Field = buckets(0);
/// The number of items in the first table.
pub const ITEMS: Field = items(0);

/// The zeros after the only entry.
pub const ZEROS: Field = field("zeros", HEADER + ENTRY, PADDING);

/// All fields except the checksums, for a filter with one fixed table.
pub const FIELDS: [Field; 17] = [
    MAGIC,
    VERSION,
    LENGTH,
    FINGERPRINT_BITS,
    SLOTS,
    KIND,
    HASHER,
    SEED,
    CHECK,
    CAPACITY,
    ROTATIONS,
    SEARCH_BUDGET,
    TABLES,
    UNUSED,
    BUCKETS,
    ITEMS,
    ZEROS,
];

impl Field {
    /// Returns its value.
    #[must_use]
    pub fn get(self, bytes: &[u8]) -> u64 {
        let mut value = [0; 8];
        value[..self.bytes].copy_from_slice(&bytes[self.at..][..self.bytes]);
        u64::from_le_bytes(value)
    }

    /// Sets it to the low bytes of `value`, without repairing the checksum.
    pub fn set(self, bytes: &mut [u8], value: u64) {
        bytes[self.at..][..self.bytes].copy_from_slice(&value.to_le_bytes()[..self.bytes]);
    }
}

/// Returns the number of bytes before the words.
#[must_use]
pub fn head(bytes: &[u8]) -> usize {
    HEADER + ENTRY * TABLES.get(bytes) as usize + PADDING + CHECKSUM
}

/// Returns the words of a stored form, whatever their number.
#[must_use]
pub fn words(bytes: &[u8]) -> Vec<u64> {
    let end = bytes.len().saturating_sub(CHECKSUM);
    let (words, _) = bytes.get(head(bytes)..end).unwrap_or_default().as_chunks();
    words.iter().copied().map(u64::from_le_bytes).collect()
}

/// Returns the field of a word.
#[must_use]
pub fn word(bytes: &[u8], index: usize) -> Field {
    field("word", head(bytes) + 8 * index, 8)
}

/// Sets a word, without repairing the checksum.
pub fn set_word(bytes: &mut [u8], index: usize, value: u64) {
    word(bytes, index).set(bytes, value);
}

/// Returns the bucket and fingerprint of each occupied slot, whether or not the words are packed.
#[must_use]
pub fn tokens(layout: Layout, bytes: &[u8]) -> Vec<(usize, Fingerprint)> {
    let words = words(bytes).into_iter().enumerate();
    words
        .flat_map(|(bucket, word)| layout.lanes(word).map(|lane| (bucket, lane)))
        .filter(|&(_, lane)| lane != 0)
        .collect()
}

/// Returns the number of items counted by a reader that assumes packed words.
#[must_use]
pub fn items_if_packed(layout: Layout, bytes: &[u8]) -> u64 {
    if layout.encoding == Encoding::SemiSorted {
        return tokens(layout, bytes).len() as u64;
    }
    let vacant = |word: u64| word.trailing_zeros() / layout.fingerprint_bits;
    let taken = |word| (layout.slots as u32).saturating_sub(vacant(word));
    words(bytes).into_iter().map(taken).map(u64::from).sum()
}

/// Repairs all checksums, as far as there is room for them.
pub fn repair(bytes: &mut [u8]) {
    let mut covered = Vec::new();
    let mut from = 0;
    for end in [HEADER, head(bytes), bytes.len()] {
        if end < from + CHECKSUM || end > bytes.len() {
            continue;
        }
        covered.extend(&bytes[from..end - CHECKSUM]);
        bytes[end - CHECKSUM..end].copy_from_slice(&crc32(&covered).to_le_bytes());
        from = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a stored form of three buckets that no filter wrote.
    fn three_buckets(layout: Layout) -> Vec<u8> {
        let mut bytes = vec![0; HEADER + ENTRY + PADDING + CHECKSUM + 3 * 8 + CHECKSUM];
        TABLES.set(&mut bytes, 1);
        let bucket = layout.with(0, 6).and_then(|b| layout.with(b, 5));
        set_word(&mut bytes, 1, bucket.expect("room"));
        set_word(&mut bytes, 2, layout.with(0, 7).expect("room"));
        bytes
    }

    #[test]
    fn the_tokens_match_the_layout() {
        for layout in crate::layout::Layout::EVERY {
            let bytes = three_buckets(layout);
            assert_eq!(words(&bytes)[0], 0);
            assert_eq!(tokens(layout, &bytes), [(1, 6), (1, 5), (2, 7)]);
            assert_eq!(items_if_packed(layout, &bytes), 3);
        }
    }

    /// Fields lie side by side up to the checksums.
    #[test]
    fn fields_are_adjacent() {
        let end = FIELDS.iter().fold(0, |end, field| {
            let end = if end == HEADER - CHECKSUM {
                HEADER
            } else {
                end
            };
            assert_eq!(field.at, end, "{}", field.name);
            field.at + field.bytes
        });
        let mut bytes = three_buckets(Layout::DEFAULT);
        assert_eq!(end, head(&bytes) - CHECKSUM);
        CHECK.set(&mut bytes, u64::MAX);
        KIND.set(&mut bytes, 0x102);
        assert_eq!((CHECK.get(&bytes), KIND.get(&bytes)), (u64::MAX, 2));
        assert_eq!((SEED.get(&bytes), CAPACITY.get(&bytes)), (0, 0));
    }
}
