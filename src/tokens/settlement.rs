//! Settlement: what a writer does when it meets a frozen word.
//!
//! A pending relocation is aborted, a pending admission is decided, and what is decided is written back. So no
//! writer waits for the owner of a descriptor, and no writer is harmed if the owner never continues.

use super::descriptor::State;
use super::parts::{Deciders, Resolved, Tokens};
use super::verdict;
use crate::layout::{Bucket, Layout};
use crate::sync::{self, Event};
use crate::table::Content;

/// Reads a word as a writer does: returns its content at a time when it is not a reference. Aborts a pending
/// relocation, finishes a pending admission, writes back what is decided. Lock-free: each round either returns or
/// moves another thread's transfer to its end.
#[inline]
pub(super) fn settle<L: Layout>(tokens: &Tokens<L>, bucket: usize) -> Bucket<L> {
    match tokens.table.load(bucket).content() {
        Content::Bucket(content) => content,
        Content::Reference(_) => settle_reference(tokens, bucket),
    }
}

#[cold]
#[inline(never)]
pub(super) fn settle_reference<L: Layout>(tokens: &Tokens<L>, bucket: usize) -> Bucket<L> {
    loop {
        // Loaded anew: since the caller looked, the word may hold another reference, or content.
        let word = tokens.table.load(bucket);
        let reference = match word.content() {
            Content::Bucket(content) => return content,
            Content::Reference(reference) => reference,
        };
        match tokens.resolve(bucket, reference) {
            // Its descriptor is in another use. Both words of the old use were written back before the next one
            // began, so this word has changed: the next load finds something else.
            Resolved::Stale => {}
            // An admission that anyone may decide: either outcome is a step of its owner, so nothing is lost.
            Resolved::Pending(pending)
                if pending.transfer.moved.is_none() && tokens.deciders == Deciders::Everyone =>
            {
                verdict::decide(tokens, &pending);
            }
            // Anything else pending is aborted, which leaves both words as they were. If the owner, or another
            // thread, has decided first, the exchange fails, and the next round finds what was decided.
            Resolved::Pending(pending) => {
                tokens
                    .pool
                    .decide(reference, pending.control, State::Aborted);
                sync::happened(Event::Abort);
            }
            // Decided for good: every thread computes the same content from the descriptor. The exchange fails if
            // another thread has written it back, and perhaps others have gone on from there.
            Resolved::Settled(content) => {
                sync::happened(Event::Help);
                if tokens.table.exchange(bucket, word, content) {
                    return content;
                }
            }
        }
    }
}

/// Settles each word once. Returns the number of tokens. Exact if no thread writes.
pub(super) fn settle_each<L: Layout>(tokens: &Tokens<L>) -> usize {
    (0..tokens.table.len())
        .map(|bucket| settle(tokens, bucket).len())
        .sum()
}

/// Leaves no word frozen, and no descriptor with a thread that is gone. Returns the number of tokens. For a caller
/// who has the tokens alone: what is found unfinished belongs to dead threads.
pub(super) fn settle_all<L: Layout>(tokens: &Tokens<L>) -> usize {
    let len = settle_each(tokens);
    tokens.reclaim();
    len
}

#[cfg(test)]
mod tests;
