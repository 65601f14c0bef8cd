//! Terrain: what a path search needs to know of a table, and how a path is executed there.
//!
//! Two kinds of table have it: one of a fixed size, and one that doubles.

use super::descriptor::{Claim, Pool};
use super::parts::Tokens;
use super::relocation::{Hop, relocate};
use crate::layout::{Bucket, Layout, Token};
use crate::table::Candidates;

/// A table in which a token can go to one other bucket.
pub(super) trait Terrain<L: Layout> {
    /// The number of buckets that a search can come to.
    fn buckets(&self) -> usize;
    /// Most buckets that one search examines.
    fn budget(&self) -> usize;
    /// The content of a bucket at some moment. If it is no longer there, or not yet, it is empty.
    fn look(&self, bucket: usize) -> Bucket<L>;
    /// The other bucket of a token.
    fn other(&self, bucket: usize, token: Token<L>) -> usize;
    /// Asks for the memory of a bucket.
    fn fetch(&self, bucket: usize);
    /// How many tokens of a bucket go wherever the item of this class goes.
    fn copies(&self, bucket: usize, content: Bucket<L>, class: Candidates) -> usize;
    /// The descriptors.
    fn pool(&self) -> &Pool<L>;
    /// Executes a hop. Returns false if that is impossible by now, or was disturbed; then nothing is changed.
    fn hop(&self, claim: &mut Claim<'_, L>, hop: Hop<L>, placed: Option<Token<L>>) -> bool;
}

impl<L: Layout> Terrain<L> for Tokens<L> {
    #[inline]
    fn buckets(&self) -> usize {
        self.table.len()
    }

    #[inline]
    fn budget(&self) -> usize {
        self.search_budget()
    }

    #[inline]
    fn look(&self, bucket: usize) -> Bucket<L> {
        self.peek(bucket)
    }

    #[inline]
    fn other(&self, bucket: usize, token: Token<L>) -> usize {
        self.table.alternate(bucket, token.fingerprint())
    }

    #[inline]
    fn fetch(&self, bucket: usize) {
        self.table.prefetch(bucket);
    }

    #[inline]
    fn copies(&self, _: usize, content: Bucket<L>, class: Candidates) -> usize {
        content.count(class.fingerprint)
    }

    #[inline]
    fn pool(&self) -> &Pool<L> {
        &self.pool
    }

    #[inline]
    fn hop(&self, claim: &mut Claim<'_, L>, hop: Hop<L>, placed: Option<Token<L>>) -> bool {
        relocate(self, claim, hop, placed)
    }
}
