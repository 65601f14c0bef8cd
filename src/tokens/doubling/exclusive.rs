//! Operations on a table that nobody else uses: its words in order, copies, clearing, contraction.

use std::sync::Arc;

use super::parts::{Bucket, Doubling, Token, prefix};
use super::scan::place;
use super::settlement::settled;
use super::splitting::FLUSHES;
use crate::table::doubling::{Blocks, Region, level_of};

impl Doubling {
    /// Completes what dead threads have begun with words, and reclaims what they held. A growth stays where it is.
    /// Returns the number of tokens. Requires exclusive access to the tokens.
    pub(crate) fn settle_all(&self) -> usize {
        let level = self.level();
        // Before `Pool::reclaim`: if a descriptor were reused while a word refers to it, the content of that word would
        // be lost.
        let len = self.settle_each(level);
        debug_assert!((1 << level..4 << level).all(|bucket| !self.is_frozen(bucket)));
        self.pool.reclaim();
        self.stripes.end_all_scans();
        self.hints.end_scan();
        self.blocks.give_up_taken();
        len
    }

    /// Settles the region of each bucket of a level, as a writer does that meets it. Returns the number of tokens.
    pub(crate) fn settle_each(&self, level: u32) -> usize {
        let regions = (1 << level..2 << level).filter_map(|bucket| self.region(bucket, settled));
        regions.map(Region::len).sum()
    }

    /// Removes all tokens. The table returns to its first size if there is memory for that, otherwise keeps its size.
    pub(crate) fn clear(&mut self) {
        self.settle_all();
        if let Ok(blocks) = Blocks::new(self.blocks.first()) {
            self.blocks = Arc::new(blocks);
            self.pool.shrink();
            return;
        }
        let level = self.level();
        for bucket in 1 << level..4 << level {
            if self.peek(bucket).is_some() {
                self.blocks.set(bucket, Bucket::EMPTY);
            }
        }
        self.blocks.end_following();
    }

    /// Frees the blocks of levels that the table has left. Blocks of less than a page are freed only here.
    pub(crate) fn forget_behind(&mut self) {
        (0..FLUSHES).for_each(|_| crossbeam_epoch::pin().flush());
        if let Some(blocks) = Arc::get_mut(&mut self.blocks) {
            blocks.forget_behind();
        }
    }

    /// Adds all tokens of another table, which nobody else uses, and which has nothing in progress. Returns false if
    /// they do not fit. A [contraction](crate::design::doubling#contraction).
    pub(crate) fn add_all(&self, from: &Self) -> bool {
        let both_levels = 1 << from.level()..4 << from.level();
        let mut contents = both_levels.filter_map(|bucket| Some((bucket, from.peek(bucket)?)));
        contents.all(|(bucket, content)| {
            let mut tokens = content.tokens();
            tokens.all(|token| add(self, from, bucket, token))
        })
    }
}

/// Adds a token that is in a bucket of another table, on either side.
fn add(to: &Doubling, from: &Doubling, bucket: usize, token: Token) -> bool {
    let level = to.level();
    let prefix = prefix(bucket, token, from.blocks.depth(level_of(bucket)));
    let (first, lane) = prefix.at(level, to.blocks.depth(level));
    Token::from_bits(u32::from(lane)).is_some_and(|token| place(to, first, token).is_ok())
}
