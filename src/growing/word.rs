//! The word: the content of a cell of a table that doubles.
//!
//! ```text
//! 0                   absent: there is no bucket here yet, or no more. Fresh memory holds it,
//!                     and memory given back
//! 1                   gone: the bucket has been split, go to its children
//! 2^38 .. 2^48 - 1    a reference, as in a table of a fixed size
//! 2^48                the empty bucket
//! more                a bucket
//! ```
//!
//! A cell goes through these in this order, and never back: absent, bucket or reference, gone, and
//! absent again when its memory is given back. So a late exchange that expects a bucket or a
//! reference fails.

use crate::kernel::layout::{Bucket, Lanes};
use crate::kernel::word::{Content, Reference, Word};

/// The layout of a bucket: four lanes.
pub(crate) type Lanes16 = Lanes<4, 16>;

/// The raw content of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GrowingWord(u64);

/// A decoded word.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WordState {
    Absent,
    Gone,
    Bucket(Bucket<Lanes16>),
    Reference(Reference<Lanes16>),
}

/// A top lane without a head, which covers nothing.
const EMPTY: u64 = 1 << 48;

impl GrowingWord {
    pub(crate) const ABSENT: Self = Self(0);
    pub(crate) const GONE: Self = Self(1);

    #[inline]
    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    #[inline]
    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// Whether both are buckets: exactly if the top lane of neither is 0, by which a
    /// [probe](crate::kernel::layout::words::Probe) of both knows it.
    #[inline]
    pub(crate) fn surely_buckets(a: Self, b: Self) -> bool {
        a.0.min(b.0) >= EMPTY
    }

    /// The lane of this number, from the lowest up, of a word that is a bucket. Of the empty
    /// bucket, none covers anything.
    #[inline]
    pub(crate) fn lane(self, number: u32) -> u16 {
        (self.0 >> (16 * number)) as u16
    }

    /// The bucket, in a word that is one.
    #[inline]
    pub(crate) fn as_bucket(self) -> Bucket<Lanes16> {
        Bucket::from_bits(if self.0 == EMPTY { 0 } else { self.0 })
    }

    #[inline]
    pub(crate) fn state(self) -> WordState {
        match self.0 {
            EMPTY.. => WordState::Bucket(self.as_bucket()),
            0 => WordState::Absent,
            1 => WordState::Gone,
            bits => match Word::from_bits(bits).content() {
                Content::Reference(reference) => WordState::Reference(reference),
                Content::Bucket(bucket) => WordState::Bucket(bucket),
            },
        }
    }
}

impl From<Bucket<Lanes16>> for GrowingWord {
    #[inline]
    fn from(bucket: Bucket<Lanes16>) -> Self {
        Self(if bucket == Bucket::EMPTY {
            EMPTY
        } else {
            bucket.bits()
        })
    }
}

impl From<Reference<Lanes16>> for GrowingWord {
    #[inline]
    fn from(reference: Reference<Lanes16>) -> Self {
        Self(Word::from(reference).bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::growing::lane::{Depth, Head, Marks};

    /// The words around each power of two, and so around each border between two kinds.
    #[test]
    fn a_probe_knows_what_is_a_bucket() {
        let words = (0..u64::BITS).flat_map(|bit| {
            let word = 1u64 << bit;
            [word - 1, word, word + 1, word.wrapping_neg()]
        });
        let words: Vec<u64> = words.chain([0, u64::MAX]).collect();
        for (&a, &b) in words.iter().flat_map(|a| words.iter().map(move |b| (a, b))) {
            for depth in [Depth::First, Depth::Deeper] {
                let (marks, lane) = (Marks::of(depth), depth.lane(Head::of_hash(a), a as u16));
                let found = marks.covering(lane, a, b) != 0;
                let probes = [
                    marks.probe(lane, a, b),
                    Marks::probe_each([(&marks, lane); 2], [a, b]),
                ];
                for probe in probes {
                    let are_buckets = GrowingWord::surely_buckets(GrowingWord(a), GrowingWord(b));
                    assert_eq!(probe.no_reference(), are_buckets, "{a:#x} {b:#x}");
                    assert!(!are_buckets || probe.found() == found, "{a:#x} {b:#x}");
                }
            }
        }
    }

    /// So that a lookup need not decode it.
    #[test]
    fn the_empty_bucket_covers_nothing_as_it_is() {
        for hash in 0..1 << 16 {
            for depth in [Depth::First, Depth::Deeper] {
                let wanted = depth.lane(Head::of_hash(hash), hash as u16);
                assert_eq!(depth.covering(wanted, EMPTY, EMPTY), 0);
            }
        }
    }
}
