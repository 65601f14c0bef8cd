//! Splits, and the sweep that makes a whole level of them.

use core::iter;

use crossbeam_epoch::Guard;

use super::parts::{Bucket, Doubling};
use super::settlement::{finish_installed, replace, settled};
use crate::error::OutOfMemory;
use crate::sync::{self, Event};
use crate::table::doubling::{Lanes16, Root, level_of};
use crate::tokens::descriptor::{Claim, Pool};
use crate::tokens::insertion::ATTEMPTS;
use crate::tokens::transfer::Transfer;

/// Number of times that a thread must be seen unpinned before deferred calls run.
pub(crate) const FLUSHES: usize = if sync::MODEL { 1 } else { 4 };

/// Splits a bucket, or finds that it was split. Returns false if it is not yet: no descriptor was free, or others were
/// in the way of every attempt.
///
/// The level below must have its block, and every token in the bucket a tail: so the level must not be the last one.
pub(super) fn split(tokens: &Doubling, bucket: usize) -> bool {
    split_all(tokens, iter::once(bucket))
}

/// Splits several, with one descriptor. Ends with the first that it cannot split.
fn split_all(tokens: &Doubling, buckets: impl Iterator<Item = usize>) -> bool {
    let guard = crossbeam_epoch::pin();
    let mut claim = None;
    for bucket in buckets {
        if !split_with(tokens, bucket, &mut claim, &guard) {
            return false;
        }
    }
    true
}

fn split_with<'a>(
    tokens: &'a Doubling,
    bucket: usize,
    claim: &mut Option<Claim<'a, Lanes16>>,
    guard: &Guard,
) -> bool {
    debug_assert!(level_of(bucket) < tokens.blocks.last());
    for _ in 0..ATTEMPTS {
        let Some(content) = settled(tokens, bucket) else {
            return true;
        };
        if claim.is_none() {
            *claim = tokens.pool.claim();
        }
        let Some(claim) = claim else {
            sync::happened(Event::Starved);
            sync::yield_now();
            return false;
        };
        let (reference, _) = claim.publish(Transfer::split(bucket, content));
        // Frozen from here on. A split needs no decision: it continues until the parent is gone, and the owner begins
        // no other use before that.
        if replace(tokens, bucket, content, reference) {
            finish_installed(tokens, bucket, reference, content, guard);
            return true;
        }
    }
    false
}

impl Doubling {
    /// Begins to double the table, unless it has grown since `root` was read, or is growing. It must be able to.
    pub(crate) fn begin_to_grow(&self, root: Root) -> Result<(), OutOfMemory> {
        debug_assert!(root.level() < self.blocks.last());
        if !root.is_alone() {
            return Ok(());
        }
        self.pool
            .grow(Pool::<Lanes16>::size_for(2 << root.level()))?;
        if self.blocks.begin_to_grow(root)? {
            sync::happened(Event::Growth);
        }
        Ok(())
    }

    /// Continues until the table is not growing and outgrown memory is given back, as far as other threads allow.
    /// Returns false if it is still growing.
    pub(crate) fn finish_growth(&self) -> bool {
        while self.is_growing(self.root()) {
            if !help_to_grow(self) {
                return false;
            }
        }
        while self.blocks.release_part() {}
        true
    }
}

/// A writer's share of a growth: gives back a part of the outgrown memory and, if the table is growing, splits the next
/// words of the level that it leaves, others than other writers. Returns false if it could not.
pub(super) fn help_to_grow(tokens: &Doubling) -> bool {
    let root = tokens.blocks.root();
    if root.has_memory_behind() {
        tokens.blocks.release_part();
    }
    if !tokens.is_growing(root) {
        return true;
    }
    let chunk = tokens.blocks.next_chunk(root);
    let buckets = chunk.clone().map(|place| 1 << root.level() | place);
    if !split_all(tokens, buckets) {
        return false;
    }
    if tokens.blocks.move_on(root, chunk) && tokens.blocks.end_growth(root) {
        give_back(tokens, root.level());
    }
    true
}

/// Returns the memory of a level that the root has left to the system, when no thread can still be splitting into it.
/// If it is more than one part, later inserts return the rest.
fn give_back(tokens: &Doubling, level: u32) {
    let release = tokens.later(move |blocks| blocks.release(level));
    crossbeam_epoch::pin().defer(release);
    // After this no thread may pin for a long time, and the memory would stay until then.
    (0..FLUSHES).for_each(|_| crossbeam_epoch::pin().flush());
}

/// The content of a bucket whose number was computed, and not come to from above; none, if it is not there any more.
///
/// If it is deeper than the root, its parent has to be gone first: [why](crate::design::doubling#a-split).
pub(super) fn settle_computed(tokens: &Doubling, bucket: usize) -> Option<Bucket> {
    let is_deeper = level_of(bucket) > tokens.blocks.root().level();
    if is_deeper && !split(tokens, bucket >> 1) {
        return None;
    }
    settled(tokens, bucket)
}
