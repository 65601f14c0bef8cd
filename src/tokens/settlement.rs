//! Settlement: how a writer handles a frozen word.
//!
//! A pending relocation or emptying is aborted, a pending admission is decided, or aborted if only its owner may decide
//! it, and a decided use is written back. So no writer waits for an owner, or is harmed if the owner never continues.

use super::descriptor::{Pending, Resolved, State};
use super::parts::Tokens;
use super::transfer::Transfer;
use crate::layout::{Bucket, Layout};
use crate::sync::{self, Event};
use crate::table::Content;

/// Reads a word as a writer does: returns its content at a time when it is not a reference. Aborts a pending
/// relocation, ends a pending admission, writes back what is decided. Lock-free: each round either returns or
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
        // Load again: since the caller's load, the word may hold another reference, or content.
        let word = tokens.table.load(bucket);
        let reference = match word.content() {
            Content::Bucket(content) => return content,
            Content::Reference(reference) => reference,
        };
        match tokens.pool.resolve(bucket, reference) {
            // Its descriptor is in another use. Both words of the old use were written back before the next one
            // began, so this word has changed: the next load finds something else.
            Resolved::Stale => {}
            // An admission that anyone may decide: either outcome is a step of its owner, so nothing is lost.
            Resolved::Pending(pending)
                if pending.transfer.moved.is_none() && !tokens.owners_decide =>
            {
                decide(tokens, &pending, &NoOtherTables);
            }
            // Anything else pending is aborted, which leaves both words as they were. If the owner, or another
            // thread, has decided first, the exchange fails, and the next round finds the decision.
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

/// Decides a pending admission; for its owner and, if there are no other tables, for every thread that it is in the way
/// of. [The first verdict counts](crate::design::protocol#admissions).
///
/// If the class must be absent elsewhere too, the owner alone decides, because no other thread knows where else to
/// look: others abort the admission. So what was asked in this order is still true at the commit, as far as the target
/// is concerned.
pub(super) fn decide<L: Layout>(
    tokens: &Tokens<L>,
    admission: &Pending<L>,
    elsewhere: &impl OtherTables,
) {
    let empty = elsewhere.earlier_hold_none()
        && witness_holds_none(tokens, admission)
        && elsewhere.later_hold_none();
    // Decides nothing if the use is decided or over. Then the control is no longer the one that was read.
    let pool = &tokens.pool;
    pool.decide(
        admission.reference,
        admission.control,
        State::of_verdict(empty),
    );
}

fn witness_holds_none<L: Layout>(tokens: &Tokens<L>, admission: &Pending<L>) -> bool {
    let Transfer {
        placed,
        source: target,
        destination: witness,
        ..
    } = admission.transfer;
    let Some(fingerprint) = placed.map(|token| token.fingerprint()) else {
        return false;
    };
    loop {
        // A read-modify-write, so that of two rivals at least one finds the other's reference: `design::protocol`,
        // "Admissions". With plain loads both could miss it.
        let reference = match tokens.table.read_latest(witness).content() {
            Content::Bucket(content) => return !content.contains(fingerprint),
            Content::Reference(reference) => reference,
        };
        match tokens.pool.resolve(witness, reference) {
            // The word has changed since it was read: read it again.
            Resolved::Stale => {}
            Resolved::Settled(content) => return !content.contains(fingerprint),
            Resolved::Pending(other) if other.old.contains(fingerprint) => return false,
            Resolved::Pending(other) => {
                let arriving = other.transfer.placed.map(|token| token.fingerprint());
                let rival = other.transfer.moved.is_none() && arriving == Some(fingerprint);
                if !rival {
                    // Whatever arrives there is no equal token: that would have to leave the target, which is
                    // frozen. And an insert that places one by a path takes effect at its commit, after this read.
                    return true;
                }
                // The one with the lower target wins, for every thread that compares the two.
                if witness < target {
                    return false;
                }
                tokens.pool.decide(reference, other.control, State::Aborted);
            }
        }
    }
}

/// Tables that must not hold the class either, in the order in which they are asked: this table is asked between the
/// earlier and the later ones.
pub(crate) trait OtherTables {
    /// Whether no table that lookups read earlier than this one holds a token of the class.
    fn earlier_hold_none(&self) -> bool;
    /// Whether no table that lookups read later holds one. Also checks that these are still all tables, in this order.
    fn later_hold_none(&self) -> bool;
}

/// There are no other tables.
pub(super) struct NoOtherTables;

impl OtherTables for NoOtherTables {
    fn earlier_hold_none(&self) -> bool {
        true
    }

    fn later_hold_none(&self) -> bool {
        true
    }
}
