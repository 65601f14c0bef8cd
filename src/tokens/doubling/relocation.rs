//! Relocation: moves one token to its other bucket, by the steps of [`relocation`](crate::tokens) in a table of a fixed
//! size.
//!
//! Both ends are of one level, so the token stays as it is: in both buckets its tail is that of the first string
//! ([prefixes](crate::design::doubling#prefixes)).

use super::parts::{Bucket, Doubling, Token};
use super::removal::longest;
use super::settlement::{live, replace_vacant, settle_in};
use super::splitting::settle_computed;

use crate::layout::prefix::Head;
use crate::table::doubling::{Class, Lanes16, Level, State as Kind, alternate, alternate_at};
use crate::table::{Candidates, Reference};
use crate::tokens::descriptor::Pool;
use crate::tokens::path::{CuckooGraph, Hop};
use crate::tokens::relocation::relocate;

fn head(token: Token) -> Head {
    Head::of_lane(token.bits() as u16)
}

/// One level, as a search sees it. Words that are not there are empty for it: a child that is yet to come will have
/// room, more often than not, and a hop to a bucket that is gone fails.
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelGraph<'a> {
    tokens: &'a Doubling,
    words: Level<'a>,
    /// Maximum number of buckets that a search examines.
    budget: usize,
    /// Whether the root has reached this level: then all buckets above were gone.
    is_reached: bool,
}

impl<'a> LevelGraph<'a> {
    /// The graph of a level, if it has a block.
    pub(super) fn of(tokens: &'a Doubling, level: u32, budget: usize) -> Option<Self> {
        let is_reached = level <= tokens.level();
        let words = tokens.blocks.level(level)?;
        Some(Self {
            tokens,
            words,
            budget,
            is_reached,
        })
    }
}

impl CuckooGraph<Lanes16> for LevelGraph<'_> {
    fn buckets(&self) -> usize {
        1 << self.words.number()
    }

    fn budget(&self) -> usize {
        self.budget
    }

    #[inline]
    fn look(&self, bucket: usize) -> Bucket {
        match self.words.load(bucket).state() {
            Kind::Bucket(content) => content,
            _ => self.tokens.look(bucket),
        }
    }

    #[inline]
    fn other(&self, bucket: usize, token: Token) -> usize {
        alternate_at(self.words.number(), bucket, head(token))
    }

    #[inline]
    fn fetch(&self, bucket: usize) {
        self.words.prefetch(bucket);
    }

    /// The tokens that cover the item: a split sends all of them to the same side as the item.
    fn copies(&self, _: usize, content: Bucket, class: Candidates) -> usize {
        // Of a table that doubles, candidates have the lane of the item.
        let wanted = class.fingerprint.bits() as u16;
        let covering = self.words.depth().covering(wanted, content.bits(), 0);
        covering.count_ones() as usize / 2
    }

    fn pool(&self) -> &Pool<Lanes16> {
        &self.tokens.pool
    }

    /// The content of a bucket whose number was computed.
    fn settle(&self, bucket: usize) -> Option<Bucket> {
        if !self.is_reached {
            return settle_computed(self.tokens, bucket);
        }
        settle_in(self.tokens, self.words, bucket).content()
    }

    fn freeze(&self, bucket: usize, before: Bucket, reference: Reference<Lanes16>) -> bool {
        // The destination may be a word never written.
        self.words.exchange(bucket, before, reference)
            || replace_vacant(self.tokens, bucket, before, reference)
    }

    fn announce(&self, bucket: usize, token: Token) {
        self.tokens.announce(bucket, head(token));
    }

    fn thaw(&self, bucket: usize, reference: Reference<Lanes16>, content: Bucket) {
        self.words.exchange(bucket, reference, content);
    }
}

/// Moves the longest token that covers this item to its other bucket. For tests.
pub(super) fn relocate_one(tokens: &Doubling, class: Class) -> bool {
    let pair = [class.first, class.second].map(|index| live(tokens, index));
    let (Some((side, moved, _)), Some(mut claim)) = (longest(class, &pair), tokens.pool.claim())
    else {
        return false;
    };
    let source = pair[side].bucket;
    let hop = Hop {
        moved,
        source,
        destination: alternate(source, class.head),
        last: true,
    };
    LevelGraph::of(tokens, pair[side].level(), tokens.search_budget)
        .is_some_and(|graph| relocate(&graph, &mut claim, hop, None))
}
