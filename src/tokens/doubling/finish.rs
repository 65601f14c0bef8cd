//! The end of a split, which any thread may bring about, any number of times.
//!
//! ```text
//! word n         content  ->  reference of the split  ->  gone
//! words 2n, +1   absent   ---------------------->  parts
//! ```
//!
//! As long as the parent has the reference, the frozen content is what the bucket holds, and nobody else writes to the
//! children: writers come to them by way of a parent that is gone, or by a hint that was published after all parents
//! were gone. From then on the children hold it. So the split changes no class, and no lookup can tell.

use crossbeam_epoch::Guard;

use super::parts::{Bucket, Doubling, Token};
use crate::layout::prefix::{Depth, Head};
use crate::sync::{self, Event};
use crate::table::Reference;
use crate::table::doubling::{Lanes16, State, Word, child, level_of};

/// Brings the split of `bucket` to its end, if one is under way.
///
/// Pinned: only this writes into absent words. A helper that sleeps here keeps the memory of the children from being
/// given back, after which they would be absent again.
#[cold]
pub(super) fn finish(tokens: &Doubling, bucket: usize) {
    let guard = crossbeam_epoch::pin();
    // Loaded anew, because the guard holds from here on.
    let State::Reference(reference) = tokens.blocks.load(bucket).state() else {
        return;
    };
    let Some((transfer, _)) = tokens.pool.read(reference) else {
        return;
    };
    if transfer.is_split() {
        finish_installed(tokens, bucket, reference, transfer.old_source, &guard);
    }
}

/// The same, for a caller who has been pinned since a time when the word was not gone, and knows what the split is of: who
/// has found its reference in the word, or has put it there.
pub(super) fn finish_installed(
    tokens: &Doubling,
    bucket: usize,
    reference: Reference<Lanes16>,
    content: Bucket,
    _: &Guard,
) {
    let level = level_of(bucket);
    let parts = parts(bucket, content, tokens.blocks.depth(level));
    // Each of these exchanges fails if another thread was first. A word that has been written is never absent again as
    // long as this thread is pinned, and the reference never comes back.
    if let Some(below) = tokens.blocks.level(level + 1) {
        below.exchange(bucket << 1, Word::ABSENT, parts[0]);
        below.exchange(bucket << 1 | 1, Word::ABSENT, parts[1]);
    }
    // Last: who finds that the parent is gone finds the children.
    if tokens.blocks.exchange(bucket, reference, Word::GONE) {
        sync::happened(Event::Split);
    }
}

/// What the two children of a bucket get. Every token must have a tail.
pub(super) fn parts(bucket: usize, content: Bucket, depth: Depth) -> [Bucket; 2] {
    let mut parts = [Bucket::EMPTY; 2];
    for token in content.tokens() {
        let lane = token.bits() as u16;
        let (bit, rest) = depth.split(lane);
        let part = &mut parts[child(bucket, Head::of_lane(lane), bit) & 1];
        // A lane is never 0, and a part holds no more than the whole.
        let added = Token::from_bits(u32::from(rest)).and_then(|rest| part.with(rest));
        *part = added.unwrap_or(*part);
    }
    parts
}
