//! Admission: `insert_unique`, and the decision of an admission by its owner or a helper.

use serde::{Deserialize, Serialize};

use super::lookup::{Meaning, Resolved};
use super::path::Opened;
use super::{Answer, Run};
use crate::fixed::memory::{Control, Transfer};
use crate::fixed::mutants::Mutant;
use crate::fixed::program::Item;
use crate::notation::Kind;
use crate::replay::{Again, Done, Step};
use crate::shared::State;

/// What came of an attempt.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Admitted {
    /// The token is in.
    Done,
    /// A token of the class is here.
    Present,
    /// There is no room.
    Refused,
    /// It was disturbed.
    Disturbed,
}

impl Run<'_> {
    pub(super) fn unique(&mut self) -> Step<Answer> {
        let tells_value = self.is_call(&[Kind::UniqueValue]);
        if !tells_value && self.lookup()? != 0 {
            return Ok(Answer::Bool(false));
        }
        let inserted = if tells_value {
            Answer::Value(None)
        } else {
            Answer::Bool(true)
        };
        self.rounds(0, |run, attempt: u8| {
            let Some(next) = run.next_attempt(attempt) else {
                return Ok(Done(Answer::Full));
            };
            // The lookup is part of each attempt.
            if tells_value {
                let token = run.lookup()?;
                if token != 0 {
                    return Ok(Done(Answer::Value(Some(run.layout().value_of(token)))));
                }
            }
            Ok(match run.admit()? {
                Admitted::Done => Done(inserted),
                Admitted::Refused => Done(Answer::Full),
                Admitted::Present if !tells_value => Done(Answer::Bool(false)),
                Admitted::Present if run.is(Mutant::PresentItemTakenForOwn) => Done(inserted),
                // Which one is here, the next lookup tells.
                Admitted::Present | Admitted::Disturbed => Again(next),
            })
        })
    }

    fn admit(&mut self) -> Step<Admitted> {
        let Item { first, second, f } = self.call.item;
        self.routine(|run| {
            let layout = run.layout();
            let words = [run.settle(first)?, run.settle(second)?];
            if words.iter().any(|&word| layout.contains(word, f)) {
                return Ok(Admitted::Present);
            }
            let Some((target, content, _)) = run.addable(words, run.token()) else {
                return Ok(match run.open(false)? {
                    Opened::AllCopies => Admitted::Present,
                    Opened::Refused => Admitted::Refused,
                    Opened::Done | Opened::Changed => Admitted::Disturbed,
                });
            };
            let own = Transfer {
                placed: run.token(),
                source: target,
                destination: if target == first { second } else { first },
                old_source: content,
                ..Transfer::default()
            };
            let Some(index) = run.claim()? else {
                return Ok(Admitted::Disturbed);
            };
            let committed = run.transfer_in(index, own)?;
            run.release(index)?;
            Ok(if committed {
                Admitted::Done
            } else {
                Admitted::Disturbed
            })
        })
    }

    /// Adds a token as an admission. Returns whether it was committed.
    fn transfer_in(&mut self, index: u8, own: Transfer) -> Step<bool> {
        self.routine(|run| {
            let (reference, pending) = run.publish(index, own)?;
            if !run.exchange(own.source, own.old_source, reference)? {
                run.abort(reference, pending)?;
                return Ok(false);
            }
            run.decide(reference, pending, own)?;
            let committed =
                run.routine(|run| Ok(run.control(reference)?.state == State::Committed))?;
            if !run.is(Mutant::AdmissionLeavesTargetFrozen) {
                let new = own.after(run.layout(), own.source);
                let new = new.filter(|_| committed).unwrap_or(own.old_source);
                run.thaw(own.source, reference, new)?;
            }
            Ok(committed)
        })
    }

    /// Decides an admission that may be pending, as the owner or a helper.
    pub(super) fn decide(
        &mut self,
        reference: u64,
        pending: Control,
        transfer: Transfer,
    ) -> Step<()> {
        self.routine(|run| {
            let absent = run.witness_is_without(transfer)?;
            let state = if absent || run.is(Mutant::AdmissionIgnoresItsWitness) {
                State::Committed
            } else {
                State::Aborted
            };
            run.decide_use(reference, pending, state).map(drop)
        })
    }

    /// Whether the witness of an admission holds no equal token, nor is about to get one by an admission that comes first.
    fn witness_is_without(&mut self, transfer: Transfer) -> Step<bool> {
        let (layout, witness) = (self.layout(), transfer.destination);
        let f = layout.fingerprint_of(transfer.placed);
        self.repeat((), |run, ()| {
            // A read-modify-write; under sequential consistency a load does the same.
            let word = run.load(witness)?;
            if !layout.is_reference(word) {
                return Ok(Done(!layout.contains(word, f)));
            }
            let Meaning {
                kind,
                content,
                seen,
                control,
            } = run.meaning(witness, word)?;
            let present = layout.contains(content, f);
            let blind = run.is(Mutant::FrozenWitnessNotSearched);
            match kind {
                Resolved::Stale => return Ok(Again(())),
                Resolved::Settled => return Ok(Done(!present)),
                Resolved::Pending if present && !blind => return Ok(Done(false)),
                Resolved::Pending => {}
            }
            let rival = seen.is_admission() && layout.fingerprint_of(seen.placed) == f;
            if !rival || run.is(Mutant::RivalAdmissionNoObstacle) {
                // Whatever arrives there is no equal token: that would have to leave the target.
                return Ok(Done(true));
            }
            if witness < transfer.source {
                return Ok(Done(false));
            }
            run.abort(word, control)?;
            Ok(Again(()))
        })
    }
}
