//! Settlement: what a writer does with a frozen word that is in its way.
//!
//! A pending relocation is aborted, a pending admission is decided, and what is decided is written back. So
//! no writer waits for the owner of a descriptor, and none is harmed if the owner never comes back.

use crate::admission::Elsewhere;
use crate::bucket::Bucket;
use crate::descriptor::State;
use crate::sync::{self, Event};
use crate::tokens::{Pending, Resolved, Scope, Tokens};
use crate::transfer::Transfer;
use crate::word::Content;

impl Tokens {
    /// A writer's read: the content of a word that is no reference at the time. Aborts a pending relocation,
    /// finishes a pending admission, writes back what is decided. Lock-free: each round either returns or
    /// moves another thread's transfer to its end.
    #[inline]
    pub(crate) fn settle(&self, bucket: usize) -> Bucket {
        match self.table.load(bucket).content() {
            Content::Bucket(content) => content,
            Content::Reference(_) => self.settle_reference(bucket),
        }
    }

    #[cold]
    pub(crate) fn settle_reference(&self, bucket: usize) -> Bucket {
        loop {
            let word = self.table.load(bucket);
            let reference = match word.content() {
                Content::Bucket(content) => return content,
                Content::Reference(reference) => reference,
            };
            match self.resolve(bucket, reference) {
                Resolved::Stale => {}
                Resolved::Pending(pending)
                    if pending.transfer.moved.is_none() && self.scope == Scope::Whole =>
                {
                    self.decide_admission(&pending);
                }
                Resolved::Pending(pending) => {
                    self.pool.decide(reference, pending.control, State::Aborted);
                    sync::happened(Event::Abort);
                }
                Resolved::Settled(content) => {
                    sync::happened(Event::Help);
                    if self.table.exchange(bucket, word, content) {
                        return content;
                    }
                }
            }
        }
    }

    /// Decides a pending admission; for its owner and for anybody whom it is in the way of.
    ///
    /// Helpers may come to different verdicts at different times. The first to reach the descriptor counts,
    /// and its verdict was true at its read of the witness, because the target was frozen all the while.
    pub(crate) fn decide_admission(&self, admission: &Pending) {
        let state = if self.witness_holds_none(admission) {
            State::Committed
        } else {
            State::Aborted
        };
        self.pool
            .decide(admission.reference, admission.control, state);
    }

    /// The same for the owner of one in a segment. Nobody else can, for want of the list of segments: others
    /// abort it. So what was asked in this order is still true at the commit, as far as the target is concerned.
    pub(crate) fn decide_own_admission(&self, admission: &Pending, elsewhere: &impl Elsewhere) {
        let state = if elsewhere.finer_hold_none()
            && self.witness_holds_none(admission)
            && elsewhere.coarser_hold_none()
        {
            State::Committed
        } else {
            State::Aborted
        };
        self.pool
            .decide(admission.reference, admission.control, state);
    }

    fn witness_holds_none(&self, admission: &Pending) -> bool {
        let Transfer {
            placed,
            source: target,
            destination: witness,
            ..
        } = admission.transfer;
        let Some(fingerprint) = placed else {
            return false;
        };
        loop {
            let reference = match self.table.read_latest(witness).content() {
                Content::Bucket(content) => return !content.contains(fingerprint),
                Content::Reference(reference) => reference,
            };
            match self.resolve(witness, reference) {
                Resolved::Stale => {}
                Resolved::Settled(content) => return !content.contains(fingerprint),
                Resolved::Pending(other) if other.old.contains(fingerprint) => return false,
                Resolved::Pending(other) => {
                    let rival = other.transfer.moved.is_none() && other.transfer.placed == placed;
                    if !rival {
                        // Whatever arrives there is no equal token: that would have to leave the target.
                        return true;
                    }
                    if witness < target {
                        return false;
                    }
                    self.pool.decide(reference, other.control, State::Aborted);
                }
            }
        }
    }
}
