//! The stored form of a filter that grows: the header, a list of its tables, and the words of one after the other.
//!
//! ```text
//! header : 60 | CRC-32 : 4 | entries, 24 each | words, 8 each | CRC-32 : 4
//! ```
//!
//! Each entry ends in a checksum, and each checksum covers all that comes before it but the other checksums.

use super::{CHECKSUM, Field, HEADER, crc32, field};

/// Bytes of an entry, with its checksum.
pub const ENTRY: usize = 24;

/// Always 0.
pub const UNUSED: Field = field("unused", 32, 8);
/// The false-positive rate that is allowed.
pub const RATE: Field = field("rate", 40, 8);
/// The memory that is allowed.
pub const MEMORY: Field = field("memory", 48, 8);
/// How many tables there are.
pub const TABLES: Field = field("tables", 56, 4);

/// Those that other kinds of filters do not have.
pub const FIELDS: [Field; 4] = [UNUSED, RATE, MEMORY, TABLES];

const fn in_entry(name: &'static str, table: usize, at: usize, bytes: usize) -> Field {
    field(name, HEADER + ENTRY * table + at, bytes)
}

/// The level at which a table began.
#[must_use]
pub const fn first(table: usize) -> Field {
    in_entry("first level", table, 0, 1)
}

/// The level that a table has.
#[must_use]
pub const fn level(table: usize) -> Field {
    in_entry("level", table, 1, 1)
}

/// Always 0.
#[must_use]
pub const fn unused(table: usize) -> Field {
    in_entry("unused", table, 2, 6)
}

/// The items in a table.
#[must_use]
pub const fn items(table: usize) -> Field {
    in_entry("items", table, 8, 8)
}

/// How many buckets of a table an insert examines.
#[must_use]
pub const fn search_budget(table: usize) -> Field {
    in_entry("search budget", table, 16, 4)
}

/// What is ahead of the words, if it is as long as it says.
#[must_use]
pub fn head(bytes: &[u8]) -> usize {
    HEADER + ENTRY * TABLES.get(bytes) as usize
}

/// The numbers of buckets of the tables, if they are all there.
#[must_use]
pub fn buckets(bytes: &[u8]) -> Vec<usize> {
    let tables = 0..TABLES.get(bytes) as usize;
    let buckets = tables.map(|table| 1 << level(table).get(bytes));
    buckets.collect()
}

/// The occupied slots: the number of the table, that of the bucket, and what is in the slot.
#[must_use]
pub fn lanes(bytes: &[u8]) -> Vec<(usize, u64, u16)> {
    let (lanes, _) = bytes[head(bytes)..bytes.len() - CHECKSUM].as_chunks();
    let mut lanes = lanes.iter().copied().map(u16::from_le_bytes);
    let mut taken = Vec::new();
    for (table, buckets) in buckets(bytes).into_iter().enumerate() {
        for bucket in 0..buckets as u64 {
            let lanes = lanes.by_ref().take(4).filter(|&lane| lane != 0);
            taken.extend(lanes.map(|lane| (table, bucket, lane)));
        }
    }
    taken
}

/// Makes all checksums match, as far as there is room for them.
pub fn repair(bytes: &mut [u8]) {
    let mut covered = Vec::new();
    let end = bytes.len();
    let list = (HEADER + ENTRY..=head(bytes).min(end)).step_by(ENTRY);
    let mut from = 0;
    for at in [HEADER].into_iter().chain(list).chain([end]) {
        if at < from + CHECKSUM {
            continue;
        }
        covered.extend(&bytes[from..at - CHECKSUM]);
        bytes[at - CHECKSUM..at].copy_from_slice(&crc32(&covered).to_le_bytes());
        from = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of four buckets and of two, with a token each.
    fn two_tables() -> Vec<u8> {
        let mut bytes = vec![0; HEADER + 2 * ENTRY + 6 * 8 + CHECKSUM];
        TABLES.set(&mut bytes, 2);
        level(0).set(&mut bytes, 2);
        level(1).set(&mut bytes, 1);
        let words = HEADER + 2 * ENTRY;
        bytes[words + 8 + 6] = 5;
        bytes[words + 5 * 8 + 7] = 6;
        bytes
    }

    #[test]
    fn the_words_of_the_tables_follow_each_other() {
        let bytes = two_tables();
        assert_eq!(buckets(&bytes), [4, 2]);
        assert_eq!(lanes(&bytes), [(0, 1, 5), (1, 1, 6 << 8)]);
    }

    #[test]
    fn every_checksum_covers_what_is_before_it() {
        let mut bytes = two_tables();
        repair(&mut bytes);
        let ends = [HEADER, HEADER + ENTRY, HEADER + 2 * ENTRY, bytes.len()];
        let checksums = |bytes: &[u8]| ends.map(|end| bytes[end - CHECKSUM..end].to_vec());
        let sound = checksums(&bytes);
        for at in 0..bytes.len() {
            if ends.iter().any(|end| (end - CHECKSUM..*end).contains(&at)) {
                continue;
            }
            // What says how long the list is stays.
            if (TABLES.at..TABLES.at + TABLES.bytes).contains(&at) {
                continue;
            }
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            repair(&mut changed);
            let differ = checksums(&changed);
            for (index, end) in ends.into_iter().enumerate() {
                assert_eq!(differ[index] != sound[index], at < end, "byte {at}, {end}");
            }
        }
    }

    #[test]
    fn a_form_that_was_cut_short_is_repaired_as_far_as_it_goes() {
        let whole = two_tables();
        for length in HEADER..whole.len() {
            let mut bytes = whole[..length].to_vec();
            repair(&mut bytes);
            let header = crc32(&whole[..HEADER - CHECKSUM]);
            assert_eq!(bytes[HEADER - CHECKSUM..HEADER], header.to_le_bytes());
        }
    }
}
