//! What is done to a table that nobody else uses: copies, clearing, and its words in order.

use std::sync::Arc;

use super::parts::{Bucket, Doubling};
use super::settlement::{Settled, settle};
use super::splitting::finish_growth;
use crate::error::OutOfMemory;
use crate::table::doubling::Blocks;

/// Brings everything that is under way to its end, whoever began it, and takes back what dead threads held. So all words
/// of one level are buckets. Returns the number of tokens. For a caller who has the tokens alone.
pub(super) fn settle_all(tokens: &Doubling) -> usize {
    tokens.pool.reclaim();
    tokens.stripes.end_all_scans();
    tokens.hints.reclaim();
    // Nobody is in the way, and there are descriptors.
    let finished = finish_growth(tokens);
    debug_assert!(finished);
    contents(tokens).map(|(_, content)| content.len()).sum()
}

/// The words of a table at rest, from the first.
pub(super) fn contents(tokens: &Doubling) -> impl Iterator<Item = (usize, Bucket)> {
    let level = tokens.level();
    (1 << level..2 << level).map(|bucket| match settle(tokens, bucket) {
        Settled::Bucket(content) => (bucket, content),
        Settled::Gone | Settled::Absent => (bucket, Bucket::EMPTY),
    })
}

/// An exact copy, and the number of its tokens.
pub(super) fn copy(tokens: &Doubling) -> Result<(Doubling, usize), OutOfMemory> {
    let len = settle_all(tokens);
    let (first, level) = (tokens.blocks.first(), tokens.level());
    let blocks = Blocks::with_words(first, level, |place| tokens.look(1 << level | place))?;
    let copy = Doubling::with_blocks(blocks, tokens.search_budget)?;
    Ok((copy, len))
}

/// What lets the system have the memory of all words, when it is called.
pub(super) fn release(tokens: &Doubling) -> impl FnOnce() + Send + use<> {
    tokens.later(Blocks::release_all)
}

/// Removes all tokens. The table is as small as it began, if there is the memory for that, and else as large as it is.
pub(super) fn clear(tokens: &mut Doubling) {
    settle_all(tokens);
    if let Ok(blocks) = Blocks::new(tokens.blocks.first()) {
        tokens.blocks = Arc::new(blocks);
        tokens.pool.shrink();
        return;
    }
    let level = tokens.level();
    for bucket in 1 << level..2 << level {
        tokens.blocks.set(bucket, Bucket::EMPTY);
    }
}
