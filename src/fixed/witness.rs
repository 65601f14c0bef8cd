//! The witness: what decides an admission. [`unique`](crate::fixed::unique) has the proof.
//!
//! Its owner asks it and, if there are no other tables, every writer that settles the target. The
//! first decision counts. Its verdict was true when it read, because the target was frozen until
//! the decision.

use crate::fixed::tokens::TokenTable;
use crate::kernel::descriptor::{Resolved, Status};
use crate::kernel::layout::{Fingerprint, Layout};
use crate::kernel::transfer::Transfer;
use crate::kernel::word::Content;

impl<L: Layout> TokenTable<L> {
    /// Whether the other word of the class holds no equal token, at a moment at which the target is
    /// frozen. Aborts a rival that has to give way.
    pub(crate) fn is_absent_from_witness(&self, admission: &Transfer<L>) -> bool {
        let Transfer::Admission {
            placed,
            target,
            witness,
            ..
        } = *admission
        else {
            return false;
        };
        let fingerprint = placed.fingerprint();
        loop {
            // Read by a read-modify-write, so that of two rivals at least one finds the other's
            // reference. With loads that acquire both could miss it; why this is no SeqCst load is
            // in `design::protocol`, "Orderings".
            let reference = match self.table.read_latest(witness).content() {
                Content::Bucket(content) => return !content.contains(fingerprint),
                Content::Reference(reference) => reference,
            };
            match self.pool.resolve(witness, reference) {
                // The word has changed since it was read: read it again.
                Resolved::Stale => {}
                Resolved::Settled(content) => return !content.contains(fingerprint),
                Resolved::Pending(other) if other.old.contains(fingerprint) => return false,
                Resolved::Pending(other) => {
                    if !is_rival(&other.transfer, fingerprint) {
                        // Whatever arrives there is no equal token: that would have to leave the
                        // target, which is frozen. And an insert that places one by a path takes
                        // effect at its commit, after this read.
                        return true;
                    }
                    // Give way if the rival's target, this one's witness, is the lower one. Every
                    // thread that compares the two applies this rule.
                    if witness < target {
                        return false;
                    }
                    // Abort the rival otherwise, and read again: it may have been decided first.
                    self.pool.decide(reference, other.control, Status::Aborted);
                }
            }
        }
    }
}

/// Whether the use that freezes the witness is an admission of an equal token.
fn is_rival<L: Layout>(transfer: &Transfer<L>, fingerprint: Fingerprint) -> bool {
    matches!(transfer, Transfer::Admission { placed, .. }
        if placed.fingerprint() == fingerprint)
}
