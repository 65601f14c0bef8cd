//! The word: what a cell of the table holds, a bucket or a reference to a descriptor.
//!
//! ```text
//! bucket      | f3 : 16, not 0 | f2 : 16 | f1 : 16 | f0 : 16 |     or 0, the empty bucket
//! reference   | 0 : 16         | index + 1 : 10 | sequence : 38 |  not 0
//! ```
//!
//! A reference freezes the word: its logical content is what the descriptor says
//! ([`descriptor`](crate::descriptor)).

use crate::bucket::Bucket;

/// The raw content of one cell of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word(u64);

/// Names one use of one descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) index: usize,
    pub(crate) sequence: Sequence,
}

/// The low 38 bits of the number of uses a descriptor has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sequence(u64);

/// A word, taken apart.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Content {
    Bucket(Bucket),
    Reference(Reference),
}

const REFERENCE_BITS: u32 = 48;
const SEQUENCE_BITS: u32 = 38;
const SEQUENCE_MASK: u64 = (1 << SEQUENCE_BITS) - 1;

/// Most descriptors that a reference can tell apart; index 0 is stored as 1, so one value is lost.
pub(crate) const MAX_DESCRIPTORS: usize = (1 << (REFERENCE_BITS - SEQUENCE_BITS)) - 1;

impl Sequence {
    #[inline]
    pub(crate) fn of(uses: u64) -> Self {
        Self(uses & SEQUENCE_MASK)
    }
}

impl Word {
    #[inline]
    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    #[inline]
    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// Whether a descriptor has to be asked. One subtraction and one compare: 0 wraps to the largest value.
    #[inline]
    pub(crate) fn is_reference(self) -> bool {
        self.0.wrapping_sub(1) < (1 << REFERENCE_BITS) - 1
    }

    /// Whether both are surely buckets. False if one is a reference, and for one bucket, that with a 1 in its
    /// top lane and nothing else. Cheaper than to ask each, for those who can ask again.
    #[inline]
    pub(crate) fn are_plain(a: Self, b: Self) -> bool {
        // References are 1 to 2^48 - 1; 0 wraps to the largest value.
        a.0.wrapping_sub(1).min(b.0.wrapping_sub(1)) >> REFERENCE_BITS != 0
    }

    /// The bucket that a plain word is.
    #[inline]
    pub(crate) fn plain(self) -> Bucket {
        Bucket::from_bits(self.0)
    }

    #[inline]
    pub(crate) fn content(self) -> Content {
        if self.is_reference() {
            Content::Reference(Reference {
                index: (self.0 >> SEQUENCE_BITS) as usize - 1,
                sequence: Sequence(self.0 & SEQUENCE_MASK),
            })
        } else {
            Content::Bucket(Bucket::from_bits(self.0))
        }
    }
}

impl From<Bucket> for Word {
    #[inline]
    fn from(bucket: Bucket) -> Self {
        Self(bucket.bits())
    }
}

impl From<Reference> for Word {
    #[inline]
    fn from(reference: Reference) -> Self {
        Self((reference.index as u64 + 1) << SEQUENCE_BITS | reference.sequence.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_live_in_the_unused_code_space() {
        for index in [0, 1, MAX_DESCRIPTORS - 1] {
            for uses in [0, 1, SEQUENCE_MASK, SEQUENCE_MASK + 7] {
                let reference = Reference {
                    index,
                    sequence: Sequence::of(uses),
                };
                match Word::from(reference).content() {
                    Content::Reference(back) => assert_eq!(back, reference),
                    Content::Bucket(bucket) => panic!("{reference:?} reads as {bucket:?}"),
                }
            }
        }
    }

    #[test]
    fn buckets_are_no_references() {
        for bits in [0, 1 << 48, u64::MAX, 0xffff << 48] {
            assert!(!Word::from_bits(bits).is_reference(), "{bits:#x}");
        }
    }
}
