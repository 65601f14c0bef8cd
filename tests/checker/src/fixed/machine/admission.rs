//! Admission: `insert_unique`, and the decision of an admission by its owner or a helper.

use super::lookup::Resolved;
use super::{ALL_COPIES, DONE, FOUND, NOT_DONE, REFUSED, Run};
use crate::call::Kind;
use crate::fixed::memory::{State, Transfer};
use crate::fixed::mutants::Mutant;
use crate::fixed::points::{Admitting, Asker, At, Caller, Decide};
use crate::fixed::thread::{Admission, Frozen};

impl Run<'_> {
    /// Whether the call wants to know which token is present.
    fn tells_value(&self) -> bool {
        self.is_call(&[Kind::UniqueValue])
    }

    pub(super) fn admission_looked(&mut self, token: u64) {
        match (token, self.tells_value()) {
            (0, true) => self.admit(),
            (0, false) => self.admission_attempt(),
            (token, true) => self.give_back(FOUND | token),
            (_, false) => self.give_back(NOT_DONE),
        }
    }

    fn admission_attempt(&mut self) {
        if !self.begin_attempt() {
            self.give_back(REFUSED);
        } else if self.tells_value() {
            self.begin_lookup(Caller::AdmissionLook);
        } else {
            self.admit();
        }
    }

    fn admit(&mut self) {
        self.begin_settle(Caller::AdmissionFirst, self.me.item.first);
    }

    /// A token of the class is here.
    fn admission_needless(&mut self) {
        if !self.tells_value() {
            self.give_back(NOT_DONE);
        } else if self.world.is(Mutant::PresentItemTakenForOwn) {
            self.give_back(DONE);
        } else {
            // Which one, the next lookup tells.
            self.admission_attempt();
        }
    }

    pub(super) fn admission_first(&mut self, content: u64) {
        self.me.a = content;
        self.begin_settle(Caller::AdmissionSecond, self.me.item.second);
    }

    pub(super) fn admission_second(&mut self, content: u64) {
        let item = self.me.item;
        self.me.b = content;
        let addable = self.addable();
        let present =
            self.layout().contains(self.me.a, item.f) || self.layout().contains(content, item.f);
        (self.me.a, self.me.b) = (0, 0);
        if present {
            return self.admission_needless();
        }
        let Some((target, content, _)) = addable else {
            return self.begin_open(Caller::AdmissionOpen, false);
        };
        let witness = if target == item.first {
            item.second
        } else {
            item.first
        };
        self.me.own = Transfer {
            moved: 0,
            placed: self.token(),
            source: target,
            destination: witness,
            old_source: content,
            old_destination: 0,
        };
        self.begin_claim(Caller::AdmissionClaim);
    }

    pub(super) fn admission_opened(&mut self, outcome: u64) {
        match outcome {
            ALL_COPIES => self.admission_needless(),
            REFUSED => self.give_back(REFUSED),
            _ => self.admission_attempt(),
        }
    }

    pub(super) fn admission_claimed(&mut self, claimed: u64) {
        if claimed == DONE {
            self.begin_publish(Caller::AdmissionPublish);
        } else {
            self.me.own = Transfer::default();
            self.admission_attempt();
        }
    }

    pub(super) fn admission_published(&mut self) {
        self.go(At::Admission(Admitting::Freeze));
    }

    pub(super) fn admission(&mut self, point: Admitting) {
        let own = self.me.own;
        let (index, reference, pending) = (self.owned(), self.reference(), self.me.pending);
        match point {
            Admitting::Freeze => {
                if self.exchange(own.source, own.old_source, reference) {
                    self.begin_decide(
                        Caller::AdmissionDecide,
                        Admission {
                            reference,
                            control: pending,
                            placed: self.layout().fingerprint_of(own.placed),
                            target: own.source,
                            witness: own.destination,
                            absent: false,
                        },
                    );
                } else {
                    self.go(At::Admission(Admitting::Abort));
                }
            }
            Admitting::Abort => {
                self.decide_use(index, pending, State::Aborted);
                self.begin_release(Caller::AdmissionRelease, NOT_DONE);
            }
            Admitting::ReadState => {
                self.me.committed = self.read_control(reference).state == State::Committed;
                if self.world.is(Mutant::AdmissionLeavesTargetFrozen) {
                    self.admission_written();
                } else {
                    self.go(At::Admission(Admitting::WriteBack));
                }
            }
            Admitting::WriteBack => {
                let new = if self.me.committed {
                    own.after(self.layout(), own.source)
                } else {
                    None
                };
                self.exchange(own.source, reference, new.unwrap_or(own.old_source));
                self.admission_written();
            }
        }
    }

    pub(super) fn admission_decided(&mut self) {
        self.go(At::Admission(Admitting::ReadState));
    }

    fn admission_written(&mut self) {
        let committed = self.me.committed;
        let outcome = if committed { DONE } else { NOT_DONE };
        self.begin_release(Caller::AdmissionRelease, outcome);
    }

    pub(super) fn admission_released(&mut self, committed: u64) {
        if committed == DONE {
            self.give_back(DONE);
        } else {
            self.admission_attempt();
        }
    }
}

/// The decision.
impl Run<'_> {
    pub(super) fn begin_decide(&mut self, caller: Caller, admission: Admission) {
        self.me.push(caller);
        self.me.admission = admission;
        self.go(At::Decide(Decide::ReadWitness));
    }

    pub(super) fn decide(&mut self, point: Decide) {
        let Admission {
            reference,
            control,
            placed,
            witness,
            absent,
            ..
        } = self.me.admission;
        match point {
            Decide::ReadWitness => {
                // A read-modify-write; under sequential consistency a load does the same.
                let word = self.load(witness);
                if self.layout().is_reference(word) {
                    self.begin_resolve(Asker::Witness, witness, word);
                } else {
                    self.verdict(!self.layout().contains(word, placed));
                }
            }
            Decide::AbortRival => {
                let rival = self.me.frozen;
                let (index, _) = self.layout().named(rival.word);
                self.decide_use(index, rival.control, State::Aborted);
                self.me.frozen = Frozen::default();
                self.go(At::Decide(Decide::ReadWitness));
            }
            Decide::Decide => {
                let (index, _) = self.layout().named(reference);
                let state = if absent || self.world.is(Mutant::AdmissionIgnoresItsWitness) {
                    State::Committed
                } else {
                    State::Aborted
                };
                self.decide_use(index, control, state);
                self.me.admission = Admission::default();
                self.give_back(DONE);
            }
        }
    }

    fn verdict(&mut self, absent: bool) {
        self.me.frozen = Frozen::default();
        self.me.admission.absent = absent;
        self.go(At::Decide(Decide::Decide));
    }

    pub(super) fn witness_resolved(&mut self, resolved: Resolved) {
        let Admission {
            placed,
            target,
            witness,
            ..
        } = self.me.admission;
        let seen = self.me.frozen.seen;
        let blind = self.world.is(Mutant::FrozenWitnessNotSearched);
        match resolved {
            Resolved::Stale => {
                self.me.frozen = Frozen::default();
                self.go(At::Decide(Decide::ReadWitness));
            }
            Resolved::Settled(content) => self.verdict(!self.layout().contains(content, placed)),
            Resolved::Pending(old) if self.layout().contains(old, placed) && !blind => {
                self.verdict(false)
            }
            Resolved::Pending(_) => {
                let arriving = self.layout().fingerprint_of(seen.placed);
                let rival = seen.is_admission() && arriving == placed;
                if !rival || self.world.is(Mutant::RivalAdmissionNoObstacle) {
                    // Whatever arrives there is no equal token: that would have to leave the target.
                    self.verdict(true);
                } else if witness < target {
                    self.verdict(false);
                } else {
                    self.me.frozen.seen = Transfer::default();
                    self.go(At::Decide(Decide::AbortRival));
                }
            }
        }
    }
}
