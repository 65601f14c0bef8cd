//! The word: the content of a cell of a table that doubles.
//!
//! ```text
//! 0                   absent: there is no bucket here yet, or no more. Fresh memory holds it, and memory given back
//! 1                   gone: the bucket has been split, go to its children
//! 2^38 .. 2^48 - 1    a reference, as in a table of a fixed size
//! 2^48                the empty bucket
//! more                a bucket
//! ```
//!
//! A cell goes through these in this order, and never back: absent, bucket or reference, gone, and absent again when
//! its memory is given back. So a late exchange that expects a bucket or a reference fails.

use crate::layout::{Bucket, Lanes};
use crate::table::{Content, Reference, Word as FixedWord};

/// The layout of a bucket: four lanes.
pub(crate) type Lanes16 = Lanes<4, 16>;

/// The raw content of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word(u64);

/// A decoded word.
#[derive(Clone, Copy, Debug)]
pub(crate) enum State {
    Absent,
    Gone,
    Bucket(Bucket<Lanes16>),
    Reference(Reference<Lanes16>),
}

/// A top lane without a head, which covers nothing.
const EMPTY: u64 = 1 << 48;

impl Word {
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
    /// [look](crate::layout::Sight) at both knows it.
    #[inline]
    pub(crate) fn are_plain(a: Self, b: Self) -> bool {
        a.0.min(b.0) >= EMPTY
    }

    /// The lane of this number, from the lowest up, of a plain word. Of the empty bucket, none covers anything.
    #[inline]
    pub(crate) fn lane(self, number: u32) -> u16 {
        (self.0 >> (16 * number)) as u16
    }

    /// The bucket in a plain word.
    #[inline]
    pub(crate) fn plain(self) -> Bucket<Lanes16> {
        Bucket::from_bits(if self.0 == EMPTY { 0 } else { self.0 })
    }

    #[inline]
    pub(crate) fn state(self) -> State {
        match self.0 {
            EMPTY.. => State::Bucket(self.plain()),
            0 => State::Absent,
            1 => State::Gone,
            bits => match FixedWord::from_bits(bits).content() {
                Content::Reference(reference) => State::Reference(reference),
                Content::Bucket(bucket) => State::Bucket(bucket),
            },
        }
    }
}

impl From<Bucket<Lanes16>> for Word {
    #[inline]
    fn from(bucket: Bucket<Lanes16>) -> Self {
        Self(if bucket == Bucket::EMPTY {
            EMPTY
        } else {
            bucket.bits()
        })
    }
}

impl From<Reference<Lanes16>> for Word {
    #[inline]
    fn from(reference: Reference<Lanes16>) -> Self {
        Self(FixedWord::from(reference).bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::prefix::{Depth, Head, Marks};

    /// The words around each power of two, and so around each border between two kinds.
    #[test]
    fn a_look_knows_what_is_plain() {
        let words = (0..u64::BITS).flat_map(|bit| {
            let word = 1u64 << bit;
            [word - 1, word, word + 1, word.wrapping_neg()]
        });
        let words: Vec<u64> = words.chain([0, u64::MAX]).collect();
        for (&a, &b) in words.iter().flat_map(|a| words.iter().map(move |b| (a, b))) {
            for depth in [Depth::First, Depth::Deeper] {
                let (marks, lane) = (Marks::of(depth), depth.lane(Head::of_hash(a), a as u16));
                let found = marks.covering(lane, a, b) != 0;
                let sights = [
                    marks.look(lane, a, b),
                    Marks::look_each([(&marks, lane); 2], [a, b]),
                ];
                for sight in sights {
                    let is_plain = Word::are_plain(Word(a), Word(b));
                    assert_eq!(sight.is_sure(), is_plain, "{a:#x} {b:#x}");
                    assert!(!is_plain || sight.found() == found, "{a:#x} {b:#x}");
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
