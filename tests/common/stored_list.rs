//! The documented stored form of a filter that grows, implemented a second time: where its fields are, and how to
//! change one so that the checksums match again.

#![allow(dead_code, reason = "each test crate uses a part of it")]

use crate::stored::{CHECKSUM, Field, HEADER, crc32};

pub(crate) const ENTRY: usize = 24;

const fn field(name: &'static str, at: usize, bytes: usize) -> Field {
    Field { name, at, bytes }
}

pub(crate) const START: Field = field("first buckets", 32, 8);
pub(crate) const RATE: Field = field("rate", 40, 8);
pub(crate) const MEMORY: Field = field("memory", 48, 8);
pub(crate) const SEGMENTS: Field = field("segments", 56, 1);
pub(crate) const TARGET: Field = field("target", 57, 1);
pub(crate) const LOG_FACTOR: Field = field("growth factor", 58, 1);
pub(crate) const UNUSED: Field = field("unused", 59, 1);

/// Those that other kinds of filters do not have.
pub(crate) const FIELDS: [Field; 7] = [START, RATE, MEMORY, SEGMENTS, TARGET, LOG_FACTOR, UNUSED];

pub(crate) fn buckets(segment: usize) -> Field {
    field("buckets", HEADER + ENTRY * segment, 8)
}

pub(crate) fn items(segment: usize) -> Field {
    field("items", HEADER + ENTRY * segment + 8, 8)
}

pub(crate) fn search_budget(segment: usize) -> Field {
    field("search budget", HEADER + ENTRY * segment + 16, 4)
}

/// What is ahead of the words, if it is as long as it says.
pub(crate) fn head(bytes: &[u8]) -> usize {
    HEADER + ENTRY * SEGMENTS.get(bytes) as usize
}

/// The buckets of each segment, if they are all there.
pub(crate) fn shapes(bytes: &[u8]) -> Vec<usize> {
    let segments = 0..SEGMENTS.get(bytes) as usize;
    segments
        .map(|segment| buckets(segment).get(bytes) as usize)
        .collect()
}

/// The occupied slots: their segments, buckets and fingerprints.
pub(crate) fn tokens(bytes: &[u8]) -> Vec<(usize, usize, u16)> {
    let mut words = bytes[head(bytes)..bytes.len() - CHECKSUM]
        .chunks_exact(8)
        .map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")));
    let mut tokens = Vec::new();
    for (segment, buckets) in shapes(bytes).into_iter().enumerate() {
        for (bucket, word) in words.by_ref().take(buckets).enumerate() {
            let lanes = [48, 32, 16, 0].map(|lane| (segment, bucket, (word >> lane) as u16));
            tokens.extend(lanes.into_iter().filter(|token| token.2 != 0));
        }
    }
    assert_eq!(words.len(), 0, "these are all words");
    tokens
}

/// Makes all checksums match, as far as there is room for them.
pub(crate) fn repair(bytes: &mut [u8]) {
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
