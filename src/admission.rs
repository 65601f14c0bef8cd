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
use crate::tokens::{Pending, Refusal, Tokens};
use crate::transfer::Transfer;

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
        let class = self.geometry.candidates(hash);
        let Candidates {
            first,
            second,
            fingerprint,
        } = class;
        for _ in 0..ATTEMPTS {
            let (a, b) = (self.settle(first), self.settle(second));
            if a.contains(fingerprint) || b.contains(fingerprint) {
                return Ok(false);
            }
            let (target, content, witness) = if a.vacancies() >= b.vacancies() {
                (first, a, second)
            } else {
                (second, b, first)
            };
            let Some(admitted) = content.with(fingerprint) else {
                match self.open(class, None) {
                    Ok(_) => continue,
                    // Copies everywhere: then it is present.
                    Err(Refusal::AllCopies) => return Ok(false),
                    Err(refusal) => return Err(refusal),
                }
            };
            let Some(mut claim) = self.pool.claim() else {
                sync::happened(Event::Starved);
                sync::yield_now();
                continue;
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
                continue;
            }
            self.decide_admission(&Pending {
                reference,
                control,
                transfer,
                old: content,
            });
            let committed = claim.state() == State::Committed;
            // An exchange that fails here has been done by somebody else.
            self.table.exchange(
                target,
                reference,
                if committed { admitted } else { content },
            );
            if committed {
                return Ok(true);
            }
            sync::happened(Event::Rejected);
        }
        Err(Refusal::NoPath)
    }
}
