//! Transfers: the changes of words that descriptors describe, as pure values.

use crate::kernel::layout::{Bucket, Layout, Token};

/// A change of one word or of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transfer<L: Layout> {
    /// Moves a token to its alternate bucket. The only one that freezes two words.
    Relocation(Relocation<L>),
    /// Adds a token to the target if none of the same items is in the witness.
    Admission {
        placed: Token<L>,
        target: usize,
        /// The target itself, if the witness is known to the owner only.
        witness: usize,
        old: Bucket<L>,
    },
    /// Removes all tokens of a bucket.
    Emptying { bucket: usize, old: Bucket<L> },
    /// Hands the tokens of a bucket, whose number is not 0, over to two new words: those of twice
    /// its number and of one more. It is completed, and never decided.
    Split { bucket: usize, old: Bucket<L> },
}

/// A hop of a token from its source to its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Relocation<L: Layout> {
    pub(crate) moved: Token<L>,
    /// The token that takes the slot in the source.
    pub(crate) placed: Option<Token<L>>,
    pub(crate) source: usize,
    pub(crate) destination: usize,
    pub(crate) old_source: Bucket<L>,
    pub(crate) old_destination: Bucket<L>,
}

/// Integers that a transfer is stored in.
pub(crate) const FIELDS: usize = 5;

impl<L: Layout> Relocation<L> {
    /// What the source holds after it. `None` if it does not hold the token.
    #[inline]
    pub(crate) fn new_source(&self) -> Option<Bucket<L>> {
        match self.placed {
            Some(placed) => self.old_source.replacing(self.moved, placed),
            None => self.old_source.without_token(self.moved),
        }
    }

    /// What the destination holds after it. `None` if that is full.
    #[inline]
    pub(crate) fn new_destination(&self) -> Option<Bucket<L>> {
        self.old_destination.with(self.moved)
    }
}

impl<L: Layout> Transfer<L> {
    /// The bucket that it changes, and its content before; of a relocation, the source.
    #[inline]
    pub(crate) fn source(&self) -> (usize, Bucket<L>) {
        match *self {
            Self::Relocation(hop) => (hop.source, hop.old_source),
            Self::Admission { target, old, .. } => (target, old),
            Self::Emptying { bucket, old } | Self::Split { bucket, old } => (bucket, old),
        }
    }

    /// The buckets that it names: those that it freezes, and of an admission the witness.
    #[inline]
    pub(crate) fn buckets(&self) -> [usize; 2] {
        match *self {
            Self::Relocation(hop) => [hop.source, hop.destination],
            Self::Admission {
                target, witness, ..
            } => [target, witness],
            Self::Emptying { bucket, .. } | Self::Split { bucket, .. } => [bucket, bucket],
        }
    }

    /// The content of `bucket`, one of those that it freezes, before the transfer.
    #[inline]
    pub(crate) fn before(&self, bucket: usize) -> Bucket<L> {
        match *self {
            Self::Relocation(hop) if bucket != hop.source => hop.old_destination,
            _ => self.source().1,
        }
    }

    /// What `bucket`, one of those that it freezes, holds after the transfer. `None` if the
    /// transfer is impossible there.
    #[inline]
    pub(crate) fn after(&self, bucket: usize) -> Option<Bucket<L>> {
        match *self {
            Self::Relocation(hop) if bucket != hop.source => hop.new_destination(),
            Self::Relocation(hop) => hop.new_source(),
            Self::Admission { placed, old, .. } => old.with(placed),
            Self::Emptying { .. } | Self::Split { .. } => Some(Bucket::EMPTY),
        }
    }

    /// The fields of a descriptor. The first has the tokens: only a relocation moves one, and an
    /// admission has only one that is new. Of the others, a split alone has two buckets.
    #[inline]
    pub(crate) fn into_fields(self) -> [u64; FIELDS] {
        let bits = |token: Option<Token<L>>| u64::from(token.map_or(0, Token::bits));
        let one_word = |placed, other: usize| {
            let (bucket, old) = self.source();
            [
                bits(placed) << u32::BITS,
                bucket as u64,
                other as u64,
                old.bits(),
                0,
            ]
        };
        match self {
            Self::Relocation(hop) => [
                bits(Some(hop.moved)) | bits(hop.placed) << u32::BITS,
                hop.source as u64,
                hop.destination as u64,
                hop.old_source.bits(),
                hop.old_destination.bits(),
            ],
            Self::Admission {
                placed, witness, ..
            } => one_word(Some(placed), witness),
            Self::Emptying { bucket, .. } => one_word(None, bucket),
            Self::Split { bucket, .. } => one_word(None, bucket << 1),
        }
    }

    #[inline]
    pub(crate) fn from_fields(
        [tokens, source, destination, old_source, old]: [u64; FIELDS],
    ) -> Self {
        let (bucket, other) = (source as usize, destination as usize);
        let old_source = Bucket::from_bits(old_source);
        let moved = Token::from_bits(tokens as u32);
        let placed = Token::from_bits((tokens >> u32::BITS) as u32);
        match (moved, placed) {
            (Some(moved), placed) => Self::Relocation(Relocation {
                moved,
                placed,
                source: bucket,
                destination: other,
                old_source,
                old_destination: Bucket::from_bits(old),
            }),
            (None, Some(placed)) => Self::Admission {
                placed,
                target: bucket,
                witness: other,
                old: old_source,
            },
            (None, None) if other == bucket => Self::Emptying {
                bucket,
                old: old_source,
            },
            (None, None) => Self::Split {
                bucket,
                old: old_source,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::layout::Lanes;

    type Transfer = super::Transfer<Lanes<4, 16>>;

    /// Every kind comes back from the fields of a descriptor, with bucket 0 and equal buckets too.
    #[test]
    fn fields_tell_the_kind() {
        let [a, b] = [7, 0xffff].map(|bits| Token::from_bits(bits).expect("not 0"));
        let held = Bucket::EMPTY.with(a).expect("room");
        let both = held.with(b).expect("room");
        let hops = [None, Some(b)].map(|placed| {
            Transfer::Relocation(Relocation {
                moved: a,
                placed,
                source: 0,
                destination: 5,
                old_source: both,
                old_destination: held,
            })
        });
        let admissions = [0, 3].map(|witness| Transfer::Admission {
            placed: b,
            target: 3,
            witness,
            old: held,
        });
        let rest = [
            Transfer::Emptying {
                bucket: 0,
                old: both,
            },
            Transfer::Emptying {
                bucket: 9,
                old: held,
            },
            Transfer::Split {
                bucket: 1,
                old: both,
            },
            Transfer::Split {
                bucket: 6,
                old: Bucket::EMPTY,
            },
        ];
        for transfer in hops.into_iter().chain(admissions).chain(rest) {
            assert_eq!(Transfer::from_fields(transfer.into_fields()), transfer);
        }
    }
}
