//! Splits, and the sweep that makes a whole level of them.

use std::sync::Arc;

use super::finish::finish;
use super::opening::replace;
use super::parts::{Bucket, Doubling};
use super::settlement::{Settled, settle};
use crate::error::OutOfMemory;
use crate::sync::{self, Event};
use crate::table::doubling::{Hint, level_of};
use crate::tokens::insertion::ATTEMPTS;
use crate::tokens::transfer::Transfer;

/// Words that one insert splits while the table grows. So a growth is over after an eighth of an insert for each word.
const CHUNK: usize = if sync::MODEL { 1 } else { 8 };

/// Splits a bucket, or finds that it was split. Returns false if it is not yet: no descriptor was free, or others were
/// in the way of every attempt.
///
/// The level below must have its block, and every token in the bucket a tail: so the level must not be the last one.
pub(super) fn split(tokens: &Doubling, bucket: usize) -> bool {
    debug_assert!(level_of(bucket) < tokens.blocks.last());
    let mut claim = None;
    for _ in 0..ATTEMPTS {
        let Settled::Bucket(content) = settle(tokens, bucket) else {
            return true;
        };
        if claim.is_none() {
            claim = tokens.pool.claim();
        }
        let Some(claim) = &mut claim else {
            sync::happened(Event::Starved);
            sync::yield_now();
            return false;
        };
        let (reference, _) = claim.publish(Transfer::split(bucket, content));
        // Frozen from here on. Nobody decides it: it goes on until the parent is gone, and the owner begins no other use
        // before that.
        if replace(tokens, bucket, content, reference) {
            finish(tokens, bucket);
            return true;
        }
    }
    false
}

/// Begins to double the table, unless it has grown since `hint` was read, or is growing.
pub(super) fn begin_to_grow(tokens: &Doubling, hint: Hint) -> Result<(), OutOfMemory> {
    debug_assert!(hint.level() < tokens.blocks.last());
    if !hint.is_growing() && tokens.blocks.begin_to_grow(hint)? {
        sync::happened(Event::Growth);
    }
    Ok(())
}

/// If the table is growing, splits the next words of the level that it leaves. Returns false if it could not.
pub(super) fn help_to_grow(tokens: &Doubling) -> bool {
    let hint = tokens.blocks.hint();
    if !hint.is_growing() {
        return true;
    }
    let end = 2 << hint.level();
    let from = tokens.blocks.cursor();
    let to = (from + CHUNK).min(end);
    if !(from..to).all(|bucket| split(tokens, bucket)) {
        return false;
    }
    tokens.blocks.move_cursor(from, to);
    // All words of the level are gone.
    if to == end && tokens.blocks.end_growth(hint) {
        give_back(tokens, hint.level());
    }
    true
}

/// Goes on until the table is not growing. Returns false if it cannot.
pub(super) fn finish_growth(tokens: &Doubling) -> bool {
    while tokens.blocks.hint().is_growing() {
        if !help_to_grow(tokens) {
            return false;
        }
    }
    true
}

/// Lets the system have the memory of a level that is behind the hint, when nobody can be in the midst of a split into
/// it any more.
fn give_back(tokens: &Doubling, level: u32) {
    let guard = crossbeam_epoch::pin();
    let blocks = Arc::clone(&tokens.blocks);
    guard.defer(move || blocks.release(level));
    guard.flush();
}

/// The content of a bucket whose number was computed, and not come to from above; none, if it is not there any more.
///
/// If it is deeper than the hint, its parent has to be gone first. Else the parent may hold the reference of a split whose
/// parts are there already: then the frozen content of the parent is still the truth, and whatever a thread changed in
/// the child, lookups would not see.
pub(super) fn settle_computed(tokens: &Doubling, bucket: usize) -> Option<Bucket> {
    let is_deeper = level_of(bucket) > tokens.blocks.hint().level();
    if is_deeper && !split(tokens, bucket >> 1) {
        return None;
    }
    match settle(tokens, bucket) {
        Settled::Bucket(content) => Some(content),
        Settled::Gone | Settled::Absent => None,
    }
}
