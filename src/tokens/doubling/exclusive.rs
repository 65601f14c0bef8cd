//! Operations on a table that nobody else uses: its words in order, copies, clearing, contraction.

use std::sync::Arc;

use super::parts::{Bucket, Doubling, Token, prefix};
use super::scan::place;
use super::settlement::settled;
use super::splitting::FLUSHES;
use crate::table::doubling::{Blocks, Region, level_of};

/// Completes what dead threads have begun with words, and reclaims what they held. A growth stays where it is. Returns
/// the number of tokens. Requires exclusive access to the tokens.
pub(super) fn settle_all(tokens: &Doubling) -> usize {
    let level = tokens.level();
    // Before `Pool::reclaim`: if a descriptor were reused while a word refers to it, the content of that word would be
    // lost.
    let len = settle_each(tokens, level);
    debug_assert!((1 << level..4 << level).all(|bucket| !tokens.is_frozen(bucket)));
    tokens.pool.reclaim();
    tokens.stripes.end_all_scans();
    tokens.hints.reclaim();
    tokens.blocks.give_up_taken();
    len
}

/// Settles the region of each bucket of a level, as a writer does that meets it. Returns the number of tokens.
pub(super) fn settle_each(tokens: &Doubling, level: u32) -> usize {
    let regions = (1 << level..2 << level).filter_map(|bucket| tokens.region(bucket, settled));
    regions.map(Region::len).sum()
}

/// Removes all tokens. The table returns to its first size, if there is memory for that, and else keeps its size.
pub(super) fn clear(tokens: &mut Doubling) {
    settle_all(tokens);
    if let Ok(blocks) = Blocks::new(tokens.blocks.first()) {
        tokens.blocks = Arc::new(blocks);
        tokens.pool.shrink();
        return;
    }
    let level = tokens.level();
    for bucket in 1 << level..4 << level {
        if tokens.peek(bucket).is_some() {
            tokens.blocks.set(bucket, Bucket::EMPTY);
        }
    }
    tokens.blocks.end_following();
}

/// Frees the blocks of levels that the table has left. Blocks of less than a page are freed only here.
pub(super) fn forget_behind(tokens: &mut Doubling) {
    (0..FLUSHES).for_each(|_| crossbeam_epoch::pin().flush());
    if let Some(blocks) = Arc::get_mut(&mut tokens.blocks) {
        blocks.forget_behind();
    }
}

/// Adds all tokens of another table, which nobody else uses, and which has nothing in progress. Returns false if they
/// do not fit.
///
/// It is the inverse of a doubling: the last bit of a bucket's number returns to the front of the tails. If a lane has
/// no room for one more bit, the last bit of the tail is dropped. So each item still has a token of its own that covers
/// it, which is all that [removal](super::removal) needs. No tail becomes shorter than the doublings from the first
/// level on would have left it, so the table can double as often as before.
pub(super) fn add_all(to: &Doubling, from: &Doubling) -> bool {
    let both_levels = 1 << from.level()..4 << from.level();
    let mut contents = both_levels.filter_map(|bucket| Some((bucket, from.peek(bucket)?)));
    contents.all(|(bucket, content)| {
        let mut tokens = content.tokens();
        tokens.all(|token| add(to, from, bucket, token))
    })
}

/// Adds a token that is in a bucket of another table, on either side.
fn add(to: &Doubling, from: &Doubling, bucket: usize, token: Token) -> bool {
    let level = to.level();
    let prefix = prefix(bucket, token, from.blocks.depth(level_of(bucket)));
    let (first, lane) = prefix.at(level, to.blocks.depth(level));
    Token::from_bits(u32::from(lane)).is_some_and(|token| place(to, first, token).is_ok())
}
