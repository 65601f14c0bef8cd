//! The witness: what decides an admission. [`unique`](crate::fixed::unique) has the proof.
//!
//! Its owner asks it and, if there are no other tables, every writer that settles the target.

use crate::fixed::tokens::TokenTable;
use crate::kernel::descriptor::{Resolved, Status};
use crate::kernel::layout::{Fingerprint, Layout};
use crate::kernel::outcome::Rounds;
use crate::kernel::transfer::Transfer;
use crate::kernel::word::{Content, Reference};

impl<L: Layout> TokenTable<L> {
    /// Whether the witness, the other word of a class than the target, holds no equal token, at a
    /// moment at which the target is frozen. Aborts a rival that has to give way.
    #[inline]
    pub(crate) fn is_absent_from_witness(
        &self,
        fingerprint: Fingerprint,
        target: usize,
        witness: usize,
    ) -> bool {
        // Load crosswise: of two rivals at least one finds the other's reference.
        // Not by `is_absent_within`: to make the rounds before they are needed takes 4 instructions
        // of each admission.
        match self.table.load_crosswise(witness).content() {
            Content::Bucket(content) => !content.contains(fingerprint),
            Content::Reference(reference) => {
                let rounds = &mut self.rounds();
                self.is_absent_from_frozen(rounds, fingerprint, target, witness, reference)
            }
        }
    }

    /// [`is_absent_from_witness`](Self::is_absent_from_witness) in a loop that has these rounds.
    pub(crate) fn is_absent_within(
        &self,
        rounds: &mut Rounds,
        fingerprint: Fingerprint,
        target: usize,
        witness: usize,
    ) -> bool {
        match self.table.load_crosswise(witness).content() {
            Content::Bucket(content) => !content.contains(fingerprint),
            Content::Reference(reference) => {
                self.is_absent_from_frozen(rounds, fingerprint, target, witness, reference)
            }
        }
    }

    /// The answer of a witness that was frozen by `reference`. False after the last round.
    #[cold]
    #[inline(never)]
    fn is_absent_from_frozen(
        &self,
        rounds: &mut Rounds,
        fingerprint: Fingerprint,
        target: usize,
        witness: usize,
        mut reference: Reference<L>,
    ) -> bool {
        while rounds.are_left() {
            match self.resolve(witness, reference) {
                // The word has changed since it was read: read it again.
                Resolved::Stale => {}
                Resolved::Settled(content) if content.contains(fingerprint) => return false,
                // Write back, and read again. Until then a rival's owner can still commit, although
                // the rival is aborted.
                Resolved::Settled(content) => {
                    self.table.exchange(witness, reference, content);
                }
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
                    // Abort the rival otherwise, and read again: it may have been decided first, and
                    // it is not over before its word is written back.
                    self.pool.decide(reference, other.control, Status::Aborted);
                }
            }
            reference = match self.table.load_crosswise(witness).content() {
                Content::Bucket(content) => return !content.contains(fingerprint),
                Content::Reference(reference) => reference,
            };
        }
        false
    }
}

/// Whether the use that freezes the witness is an admission of an equal token.
fn is_rival<L: Layout>(transfer: &Transfer<L>, fingerprint: Fingerprint) -> bool {
    matches!(transfer, Transfer::Admission { placed, .. }
        if placed.fingerprint() == fingerprint)
}
