//! Admission: adds a token if there is no equal one, exactly once among racing threads.
//!
//! An admission freezes one word, the target, and leaves the decision to whoever comes by: read the other
//! word, the witness, and commit if it holds no equal token. A hop of an equal token would need both words,
//! and the target is frozen, so reading the witness is a snapshot of the pair.
//!
//! Two admissions of one class may freeze one word each and meet at the witness. The one with the lower
//! target wins; the witness is read with a read-modify-write, so at least one of the two sees the other.

use crate::bucket::Bucket;
use crate::descriptor::State;
use crate::geometry::Candidates;
use crate::insertion::ATTEMPTS;
use crate::sync::{self, Event};
use crate::tokens::{Pending, Refusal, Scope, Tokens};
use crate::transfer::Transfer;

/// How an attempt to add the only token of a class ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    Admitted,
    /// A token of the class is here.
    Present,
    /// The table changed meanwhile, a rival or a token elsewhere was in the way, or no descriptor was free.
    Disturbed,
}

/// What must be absent elsewhere, in the order in which it is asked: a [`Scope::Segment`] is asked between the
/// finer ones and the coarser ones.
pub(crate) trait Elsewhere {
    /// Whether no finer segment holds a token of the class.
    fn finer_hold_none(&self) -> bool;
    /// The same for the coarser ones; and whether those asked are all there are.
    fn coarser_hold_none(&self) -> bool;
}

/// The table is all there is.
struct Nowhere;

impl Elsewhere for Nowhere {
    fn finer_hold_none(&self) -> bool {
        true
    }

    fn coarser_hold_none(&self) -> bool {
        true
    }
}

impl Tokens {
    /// Adds a token of this class if there is none. True: this call added it.
    ///
    /// Linearization points: of an admission, its commit; should equal tokens be inserted into the witness
    /// between the deciding read and the commit, the last moment before at which the class was empty. Of
    /// "present", the load that saw the token.
    pub(crate) fn insert_unique(&self, hash: u64) -> Result<bool, Refusal> {
        if self.contains(hash) {
            return Ok(false);
        }
        for _ in 0..ATTEMPTS {
            match self.try_to_admit(hash, &Nowhere)? {
                Attempt::Admitted => return Ok(true),
                Attempt::Present => return Ok(false),
                Attempt::Disturbed => {}
            }
        }
        Err(Refusal::Disturbed)
    }

    pub(crate) fn try_to_admit(
        &self,
        hash: u64,
        elsewhere: &impl Elsewhere,
    ) -> Result<Attempt, Refusal> {
        let class = self.geometry.candidates(hash);
        let Candidates {
            first,
            second,
            fingerprint,
        } = class;
        let (a, b) = (self.settle(first), self.settle(second));
        if a.contains(fingerprint) || b.contains(fingerprint) {
            return Ok(Attempt::Present);
        }
        let (target, content, witness) = if a.vacancies() >= b.vacancies() {
            (first, a, second)
        } else {
            (second, b, first)
        };
        let Some(admitted) = content.with(fingerprint) else {
            return match self.open(class, None) {
                Ok(_) => Ok(Attempt::Disturbed),
                // Copies everywhere: then it is present.
                Err(Refusal::AllCopies) => Ok(Attempt::Present),
                Err(refusal) => Err(refusal),
            };
        };
        let Some(mut claim) = self.pool.claim() else {
            sync::happened(Event::Starved);
            sync::yield_now();
            return Ok(Attempt::Disturbed);
        };
        let transfer = Transfer {
            moved: None,
            placed: Some(fingerprint),
            source: target,
            destination: witness,
            old_source: content,
            old_destination: Bucket::EMPTY,
        };
        let (reference, control) = claim.publish(transfer);
        if !self.table.exchange(target, content, reference) {
            claim.decide(control, State::Aborted);
            return Ok(Attempt::Disturbed);
        }
        let admission = Pending {
            reference,
            control,
            transfer,
            old: content,
        };
        match self.scope {
            Scope::Whole => self.decide_admission(&admission),
            Scope::Segment => self.decide_own_admission(&admission, elsewhere),
        }
        let committed = claim.state() == State::Committed;
        // An exchange that fails here has been done by somebody else.
        self.table.exchange(
            target,
            reference,
            if committed { admitted } else { content },
        );
        if committed {
            return Ok(Attempt::Admitted);
        }
        sync::happened(Event::Rejected);
        Ok(Attempt::Disturbed)
    }
}
