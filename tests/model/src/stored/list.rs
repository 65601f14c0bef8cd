//! The stored form of a filter that grows: the header, a list of its segments, and the words of one after the other.
//!
//! ```text
//! header : 60 | CRC-32 : 4 | entries, 24 each | words, 8 each | CRC-32 : 4
//! ```
//!
//! Each entry ends in a checksum, and each checksum covers all that comes before it but the other checksums.

use super::{CHECKSUM, Field, HEADER, crc32, field};
use crate::layout::{Fingerprint, Layout};

/// Bytes of an entry, with its checksum.
pub const ENTRY: usize = 24;

/// Buckets of the first segment that there was.
pub const START: Field = field("first buckets", 32, 8);
/// The false-positive rate that is allowed.
pub const RATE: Field = field("rate", 40, 8);
/// The memory that is allowed.
pub const MEMORY: Field = field("memory", 48, 8);
/// How many segments there are.
pub const SEGMENTS: Field = field("segments", 56, 1);
/// The segment that takes inserts.
pub const TARGET: Field = field("target", 57, 1);
/// By how much each segment is larger than the last.
pub const LOG_FACTOR: Field = field("growth factor", 58, 1);
/// Always 0.
pub const UNUSED: Field = field("unused", 59, 1);

/// Those that other kinds of filters do not have.
pub const FIELDS: [Field; 7] = [START, RATE, MEMORY, SEGMENTS, TARGET, LOG_FACTOR, UNUSED];

/// The buckets of a segment.
#[must_use]
pub fn buckets(segment: usize) -> Field {
    field("buckets", HEADER + ENTRY * segment, 8)
}

/// The items in a segment.
#[must_use]
pub fn items(segment: usize) -> Field {
    field("items", HEADER + ENTRY * segment + 8, 8)
}

/// How many buckets of a segment an insert examines.
#[must_use]
pub fn search_budget(segment: usize) -> Field {
    field("search budget", HEADER + ENTRY * segment + 16, 4)
}

/// What is ahead of the words, if it is as long as it says.
#[must_use]
pub fn head(bytes: &[u8]) -> usize {
    HEADER + ENTRY * SEGMENTS.get(bytes) as usize
}

/// The buckets of each segment, if they are all there.
#[must_use]
pub fn shapes(bytes: &[u8]) -> Vec<usize> {
    let segments = 0..SEGMENTS.get(bytes) as usize;
    segments
        .map(|segment| buckets(segment).get(bytes) as usize)
        .collect()
}

/// The occupied slots: their segments, buckets and fingerprints.
///
/// # Panics
///
/// If there are more words than the segments have, or fewer.
#[must_use]
pub fn tokens(layout: Layout, bytes: &[u8]) -> Vec<(usize, usize, Fingerprint)> {
    let (words, _) = bytes[head(bytes)..bytes.len() - CHECKSUM].as_chunks();
    let mut words = words.iter().copied().map(u64::from_le_bytes);
    let mut tokens = Vec::new();
    for (segment, buckets) in shapes(bytes).into_iter().enumerate() {
        for bucket in 0..buckets {
            let word = words.next().expect("as many words as buckets");
            let taken = layout.lanes(word).into_iter().filter(|&lane| lane != 0);
            tokens.extend(taken.map(|lane| (segment, bucket, lane)));
        }
    }
    assert_eq!(words.len(), 0, "these are all words");
    tokens
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

    /// Segments of two buckets and of one, with a token each.
    fn two_segments(layout: Layout) -> Vec<u8> {
        let mut bytes = vec![0; HEADER + 2 * ENTRY + 3 * 8 + CHECKSUM];
        SEGMENTS.set(&mut bytes, 2);
        buckets(0).set(&mut bytes, 2);
        buckets(1).set(&mut bytes, 1);
        let words = HEADER + 2 * ENTRY;
        for (bucket, f) in [(1, 5), (2, 6)] {
            let word = layout.with(0, f).expect("room");
            bytes[words + 8 * bucket..][..8].copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn the_words_of_the_segments_follow_each_other() {
        for layout in Layout::EVERY {
            let bytes = two_segments(layout);
            assert_eq!(shapes(&bytes), [2, 1]);
            assert_eq!(tokens(layout, &bytes), [(0, 1, 5), (1, 0, 6)]);
        }
    }

    #[test]
    #[should_panic(expected = "these are all words")]
    fn a_word_that_no_segment_has_is_noticed() {
        let mut bytes = two_segments(Layout::DEFAULT);
        bytes.extend([0; 8]);
        let _ = tokens(Layout::DEFAULT, &bytes);
    }

    #[test]
    fn every_checksum_covers_what_is_before_it() {
        let mut bytes = two_segments(Layout::DEFAULT);
        repair(&mut bytes);
        let ends = [HEADER, HEADER + ENTRY, HEADER + 2 * ENTRY, bytes.len()];
        let checksums = |bytes: &[u8]| ends.map(|end| bytes[end - CHECKSUM..end].to_vec());
        let sound = checksums(&bytes);
        for at in 0..bytes.len() {
            if ends.iter().any(|end| (end - CHECKSUM..*end).contains(&at)) {
                continue;
            }
            // What says how long the list is stays.
            if at == SEGMENTS.at {
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
        let whole = two_segments(Layout::DEFAULT);
        for length in HEADER..whole.len() {
            let mut bytes = whole[..length].to_vec();
            repair(&mut bytes);
            let header = crc32(&whole[..HEADER - CHECKSUM]);
            assert_eq!(bytes[HEADER - CHECKSUM..HEADER], header.to_le_bytes());
        }
    }
}
