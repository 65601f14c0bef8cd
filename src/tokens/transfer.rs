//! A transfer: the change that a descriptor describes, as a pure value.
//!
//! There are four kinds. A *relocation* moves a token from its source to its destination, its alternate
//! bucket, and may place another token in the slot it leaves. An *admission* adds a token to its source if the witness
//! holds no equal one: in a fixed table that is its destination; in one that doubles only its owner knows it. An
//! *emptying* removes all tokens of its source. A *split*, in a table that doubles, hands the tokens of its source over
//! to two new words. All but a relocation freeze the source alone.

use crate::layout::{Bucket, Layout, Token};

/// Two words before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Transfer<L: Layout> {
    /// The token that moves from the source to the destination; `None` except in a relocation.
    pub(super) moved: Option<Token<L>>,
    /// The token that is new in the source.
    pub(super) placed: Option<Token<L>>,
    pub(super) source: usize,
    pub(super) destination: usize,
    pub(super) old_source: Bucket<L>,
    pub(super) old_destination: Bucket<L>,
}

/// Integers that a transfer is stored in.
pub(super) const FIELDS: usize = 5;

impl<L: Layout> Transfer<L> {
    /// The removal of all tokens of `bucket`.
    pub(super) fn emptying(bucket: usize, content: Bucket<L>) -> Self {
        Self {
            moved: None,
            placed: None,
            source: bucket,
            destination: bucket,
            old_source: content,
            old_destination: Bucket::EMPTY,
        }
    }

    /// The split of `bucket`, which is not 0, into words with twice its number and one more.
    #[cfg(feature = "std")]
    pub(super) fn split(bucket: usize, content: Bucket<L>) -> Self {
        Self {
            destination: bucket << 1,
            ..Self::emptying(bucket, content)
        }
    }

    #[cfg(feature = "std")]
    pub(super) fn is_split(&self) -> bool {
        self.is_emptying() && self.source != self.destination
    }

    /// Also true for a split: no table has both.
    pub(super) fn is_emptying(&self) -> bool {
        self.moved.is_none() && self.placed.is_none()
    }

    /// The content of `bucket` before the transfer.
    pub(super) fn before(&self, bucket: usize) -> Bucket<L> {
        if bucket == self.source {
            self.old_source
        } else {
            self.old_destination
        }
    }

    /// Returns what `bucket` holds after the transfer, or `None` if the transfer is impossible there.
    pub(super) fn after(&self, bucket: usize) -> Option<Bucket<L>> {
        match (bucket == self.source, self.moved, self.placed) {
            (true, Some(moved), Some(placed)) => self.old_source.replacing(moved, placed),
            (true, Some(moved), None) => self.old_source.without_token(moved),
            (true, None, Some(placed)) => self.old_source.with(placed),
            (false, Some(moved), _) => self.old_destination.with(moved),
            (true, None, None) => Some(Bucket::EMPTY),
            (false, None, _) => None,
        }
    }

    pub(super) fn into_fields(self) -> [u64; FIELDS] {
        let bits = |token: Option<Token<L>>| u64::from(token.map_or(0, Token::bits));
        [
            bits(self.moved) | bits(self.placed) << u32::BITS,
            self.source as u64,
            self.destination as u64,
            self.old_source.bits(),
            self.old_destination.bits(),
        ]
    }

    pub(super) fn from_fields(fields: [u64; FIELDS]) -> Self {
        Self {
            moved: Token::from_bits(fields[0] as u32),
            placed: Token::from_bits((fields[0] >> u32::BITS) as u32),
            source: fields[1] as usize,
            destination: fields[2] as usize,
            old_source: Bucket::from_bits(fields[3]),
            old_destination: Bucket::from_bits(fields[4]),
        }
    }
}
