//! Settlement: how a writer handles a frozen word.
//!
//! A pending relocation is aborted, a pending admission is decided, and a decided use is written back. So no
//! writer waits for the owner of a descriptor, and no writer is harmed if the owner never continues.
//!
//! The target of an admission is frozen, so no equal token can hop between its two words. One read of the other word,
//! the witness, therefore says whether the class is empty. Any thread may read it and decide; the first to reach the
//! descriptor counts.

use super::descriptor::State;
use super::parts::{Deciders, Pending, Resolved, Tokens};
use super::transfer::Transfer;
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
        // Load again: since the caller's load, the word may hold another reference, or content.
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
                decide(tokens, &pending);
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

/// Settles each word once. Returns the number of tokens. Exact if no thread writes.
pub(super) fn settle_each<L: Layout>(tokens: &Tokens<L>) -> usize {
    (0..tokens.table.len())
        .map(|bucket| settle(tokens, bucket).len())
        .sum()
}

/// Decides a pending admission; for its owner and for every thread that meets it.
///
/// Threads may come to different verdicts at different times. The first to reach the descriptor counts, and its
/// verdict was true at its read of the witness, because the target was frozen all the while: until the descriptor is
/// decided, nobody writes the target back.
pub(super) fn decide<L: Layout>(tokens: &Tokens<L>, admission: &Pending<L>) {
    let empty = witness_holds_none(tokens, admission);
    pronounce(tokens, admission, empty);
}

/// The same for the owner of an admission that must be absent elsewhere too. No other thread can decide it, because
/// none knows where else to look: others abort it. So the answers obtained in this order are still true at the commit,
/// as far as the target is concerned.
pub(super) fn decide_own<L: Layout>(
    tokens: &Tokens<L>,
    admission: &Pending<L>,
    elsewhere: &impl OtherTables,
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
    /// The same for tables that lookups read later. Also checks that these are still all tables, and in this order.
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

#[cfg(test)]
mod tests {
    //! Traces of threads that died in the middle of a relocation.

    use super::*;
    use crate::layout::Lanes;
    use crate::table::{Geometry, Table};

    const HASH: u64 = 0x1234_5678_9abc_def1;

    type Small = Tokens<Lanes<4, 16>>;

    /// One token, which a thread was about to move to its other bucket when it died: at the given stage, with both
    /// words still frozen.
    fn abandoned(stage: State) -> Small {
        let geometry = Geometry::with_buckets(64).expect("possible");
        let table = Table::new(geometry).expect("memory");
        let tokens = Tokens::with_table(table, 16, None).expect("memory");
        tokens.insert(HASH, 0).expect("room");
        let class = geometry.candidates(HASH);
        let held = |bucket| tokens.peek(bucket).tokens().next();
        let (source, destination) = match held(class.first) {
            Some(_) => (class.first, class.second),
            None => (class.second, class.first),
        };
        let transfer = Transfer {
            moved: held(source),
            placed: None,
            source,
            destination,
            old_source: tokens.peek(source),
            old_destination: tokens.peek(destination),
        };
        let mut claim = tokens.pool.claim().expect("a descriptor");
        let (reference, pending) = claim.publish(transfer);
        for bucket in [source, destination] {
            let old = transfer.before(bucket);
            assert!(tokens.table.exchange(bucket, old, reference));
        }
        if stage != State::Pending {
            assert!(claim.decide(pending, stage));
        }
        core::mem::forget(claim);
        tokens
    }

    fn frozen(tokens: &Small) -> usize {
        (0..tokens.table.len())
            .filter(|&bucket| matches!(tokens.table.load(bucket).content(), Content::Reference(_)))
            .count()
    }

    /// The number of descriptors that this thread can claim.
    fn free(tokens: &Small) -> usize {
        let claims: Vec<_> = core::iter::from_fn(|| tokens.pool.claim()).collect();
        claims.len()
    }

    #[test]
    fn what_dead_threads_left_is_settled() {
        for stage in [State::Pending, State::Committed, State::Aborted] {
            let tokens = abandoned(stage);
            assert_eq!(frozen(&tokens), 2, "{stage:?}");
            assert_eq!(tokens.settle_each(), 1, "{stage:?}");
            assert_eq!(frozen(&tokens), 0, "{stage:?}");
            assert!(tokens.contains(HASH), "{stage:?}");
            assert_eq!(tokens.count(HASH), 1, "{stage:?}");
        }
    }

    #[test]
    fn descriptors_of_dead_threads_are_taken_back() {
        let mut tokens = abandoned(State::Pending);
        let all = free(&tokens.empty_like().expect("memory"));
        assert_eq!(free(&tokens), all - 1);
        tokens.clear();
        assert_eq!(free(&tokens), all);
    }
}
