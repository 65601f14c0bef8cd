//! Splits, and the sweep that makes a whole level of them.

use core::iter;

use crossbeam_epoch::Guard;

use crate::error::OutOfMemory;
use crate::growing::item::level_of;
use crate::growing::levels::Root;
use crate::growing::memory::{FLUSHES, flush, pin, try_to_pin};
use crate::growing::tokens::{Bucket, GrowingTokens, finish_installed, replace, settled};
use crate::growing::word::Lanes16;
use crate::kernel::descriptor::Claim;
use crate::kernel::outcome::{Failure, MAX_ATTEMPTS};
use crate::kernel::transfer::Transfer;
use crate::sync;
use crate::sync::Event;

/// Splits a bucket, or finds that it was split. Refused if no descriptor was free, if others were
/// in the way of every attempt, or if there was no memory for the first pin of the thread.
///
/// The level below must have its block, and every token in the bucket a tail: so the level must not
/// be the last one.
pub(crate) fn split(tokens: &GrowingTokens, bucket: usize) -> Result<(), Failure> {
    split_all(tokens, iter::once(bucket))
}

/// Splits several, with one descriptor. Ends with the first that it cannot split.
fn split_all(
    tokens: &GrowingTokens,
    mut buckets: impl Iterator<Item = usize>,
) -> Result<(), Failure> {
    // Pin before any word is read: while it is pinned, no memory is given back that its splits
    // write to.
    let guard = try_to_pin().map_err(|_| Failure::NoDescriptor)?;
    let mut claim = None;
    buckets.try_for_each(|bucket| split_with(tokens, bucket, &mut claim, &guard))
}

fn split_with<'a>(
    tokens: &'a GrowingTokens,
    bucket: usize,
    claim: &mut Option<Claim<'a, Lanes16>>,
    guard: &Guard,
) -> Result<(), Failure> {
    debug_assert!(level_of(bucket) < tokens.levels.last());
    for _ in 0..MAX_ATTEMPTS {
        // Read the content, and end what others have begun with the word. Done if it was split.
        let Some(content) = settled(tokens, bucket) else {
            return Ok(());
        };
        // Claim a descriptor once for all words of a chunk.
        if claim.is_none() {
            *claim = tokens.pool.claim();
        }
        let claim = claim.as_mut().ok_or(Failure::NoDescriptor)?;
        // Describe the split, so that any thread that meets the reference can finish it.
        let (reference, _) = claim.publish(Transfer::Split {
            bucket,
            old: content,
        });
        // Freeze the word: from here on no token leaves or enters it. A split needs no decision: it
        // continues until the parent is gone, and the owner begins no other use before that. It has
        // no observable effect: until the parent is gone its content is the frozen one, and then
        // the children hold the same.
        if replace(tokens, bucket, content, reference) {
            finish_installed(tokens, bucket, reference, content, guard);
            return Ok(());
        }
    }
    Err(Failure::Disturbed)
}

impl GrowingTokens {
    /// Begins to double the table, unless it has grown since `root` was read, or is growing. It
    /// must be able to.
    pub(crate) fn begin_to_grow(&self, root: Root) -> Result<(), OutOfMemory> {
        debug_assert!(root.level() < self.levels.last());
        // Return if another thread has begun the growth since the root was read.
        if !root.is_single_level() {
            return Ok(());
        }
        // Find out whether the thread can pin, while the call can still say so. A model has memory,
        // and many more executions if it pins here too.
        if !sync::MODEL {
            try_to_pin()?;
        }
        // Add the descriptors for the new size before there are more words to freeze.
        self.pool.grow(2 << root.level())?;
        // Allocate the next level, and tell all threads. One of several threads does.
        if self.levels.begin_to_grow(root)? {
            sync::trace(Event::Growth);
        }
        Ok(())
    }

    /// Continues until the table is not growing and outgrown memory is given back, as far as other
    /// threads allow. Returns false if it is still growing.
    pub(crate) fn finish_growth(&self) -> bool {
        // Split chunk after chunk, until the root has moved on.
        while self.is_growing(self.root()) {
            if help_to_grow(self).is_err() {
                return false;
            }
        }
        true
    }

    /// Gives back all memory that growths have left, and that no thread may still be splitting
    /// into.
    pub(crate) fn release_outgrown(&self) {
        while self.levels.release_part() {}
    }
}

/// A writer's share of a growth: gives back a part of the outgrown memory and, if the table is
/// growing, splits the next words of the level that it leaves, others than other writers.
pub(crate) fn help_to_grow(tokens: &GrowingTokens) -> Result<(), Failure> {
    let root = tokens.levels.root();
    // Give back one part of an outgrown level, if one is due.
    if root.is_reclaim_pending() {
        tokens.levels.release_part();
    }
    if !tokens.is_growing(root) {
        return Ok(());
    }
    // Take the next words that no thread has taken; if others have stopped, take those at the
    // cursor again.
    let chunk = tokens.levels.next_chunk(root);
    let buckets = chunk.clone().map(|place| 1 << root.level() | place);
    // Split them. Where another thread has split one, find it gone.
    split_all(tokens, buckets)?;
    // Move the cursor past the chunk. If all words of the level are gone, move the root on. The one
    // thread that does gives back the level.
    if tokens.levels.move_on(root, chunk) && tokens.levels.end_growth(root) {
        give_back(tokens, root.level());
    }
    Ok(())
}

/// Returns the memory of a level that the root has left to the system, when no thread can still be
/// splitting into it. If it is more than one part, later inserts return the rest.
fn give_back(tokens: &GrowingTokens, level: u32) {
    // Wait until all threads that are pinned now are unpinned: a helper that sleeps in a split
    // writes into absent words, and the words read as absent once their memory is given back.
    let release = tokens.later(move |levels| levels.release(level));
    pin().defer(release);
    // After this no thread may pin for a long time, and the memory would stay until then.
    (0..FLUSHES).for_each(|_| flush());
}

/// The content of a bucket whose number was computed, and not come to from above; none, if it is
/// not there any more.
///
/// If it is deeper than the root, its parent has to be gone first:
/// [why](crate::design::doubling#a-split).
pub(crate) fn settle_computed(tokens: &GrowingTokens, bucket: usize) -> Option<Bucket> {
    // A word deeper than the root may already be a bucket while its parent is still frozen: a hop
    // to it would be undone for all threads that come through the parent. So split the parent, or
    // finish its split.
    let is_deeper = level_of(bucket) > tokens.levels.root().level();
    if is_deeper {
        split(tokens, bucket >> 1).ok()?;
    }
    // Settle it: its parent is gone, so its content is the live one, or it is gone itself.
    settled(tokens, bucket)
}
