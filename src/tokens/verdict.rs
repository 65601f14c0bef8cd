//! The verdict: whether a pending admission may commit.
//!
//! Its target is frozen, so no equal token can hop between its two words. One read of the other word, the witness,
//! therefore says whether the class is empty. Any thread may read it and decide; the first one that reaches the
//! descriptor counts.

use super::descriptor::State;
use super::elsewhere::Elsewhere;
use super::parts::{Pending, Resolved, Tokens};
use super::transfer::Transfer;
use crate::layout::Layout;
use crate::table::Content;

/// Decides a pending admission; for its owner and for every thread that it is in the way of.
///
/// Threads may come to different verdicts at different times. The first to reach the descriptor counts, and its
/// verdict was true at its read of the witness, because the target was frozen all the while: until the descriptor is
/// decided, nobody writes the target back.
pub(super) fn decide<L: Layout>(tokens: &Tokens<L>, admission: &Pending<L>) {
    let empty = witness_holds_none(tokens, admission);
    pronounce(tokens, admission, empty);
}

/// The same for the owner of one that must be absent elsewhere too. No other thread can decide it, because none knows
/// where else to look: others abort it. So what was asked in this order is still true at the commit, as far as the
/// target is concerned.
pub(super) fn decide_own<L: Layout>(
    tokens: &Tokens<L>,
    admission: &Pending<L>,
    elsewhere: &impl Elsewhere,
) {
    let empty = elsewhere.earlier_hold_none()
        && witness_holds_none(tokens, admission)
        && elsewhere.later_hold_none();
    pronounce(tokens, admission, empty);
}

fn pronounce<L: Layout>(tokens: &Tokens<L>, admission: &Pending<L>, empty: bool) {
    let state = if empty {
        State::Committed
    } else {
        State::Aborted
    };
    // Decides nothing if the use is decided or over. Then the control is no longer the one that was read.
    tokens
        .pool
        .decide(admission.reference, admission.control, state);
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
        // A read-modify-write. Each of two rivals froze its target before it reads the other's. If the first one's
        // read comes before the second one's install in the order of this word, the install acquires the read, and
        // with it the first one's own install: so the second one's read finds the first one's reference. If it
        // comes after, the first one finds the second's. A plain load could miss both.
        let reference = match tokens.table.read_latest(witness).content() {
            Content::Bucket(content) => return !content.contains(fingerprint),
            Content::Reference(reference) => reference,
        };
        match tokens.resolve(witness, reference) {
            // The word has changed since it was read.
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
