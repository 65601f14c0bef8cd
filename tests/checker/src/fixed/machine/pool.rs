//! Descriptors: their owners' side, and that of those who find a reference.
//!
//! The fields are read and written one by one if the program is `torn`, else in one step. That loses nothing
//! while the protocol is whole: a reader that accepts the fields holds a reference that was installed after they
//! were written, and sees a control that says that they have not been since; one that does not accept them does
//! not use them.

use super::lookup::Resolved;
use super::{DONE, NOT_DONE, Run};
use crate::fixed::memory::{Access, Control, FIELDS, State};
use crate::fixed::mutants::Mutant;
use crate::fixed::points::{Asker, At, Caller, Pool, Resolve};
use crate::fixed::thread::Frozen;

impl Run<'_> {
    pub(super) fn pool(&mut self, point: Pool) {
        match point {
            Pool::Claim => self.claim(),
            Pool::PublishNumber => {
                // The number is read before, but only the owner writes it.
                let index = self.owned();
                let control = &mut self.memory.descriptors[index].control;
                *control = Control {
                    uses: control.uses + 1,
                    state: State::Pending,
                };
                let control = *control;
                self.me.pending = control;
                self.wrote = true;
                self.record(Access::Control(index as u8, control));
                if self.world.is(Mutant::FieldsBeforeNumber) {
                    self.give_back(DONE);
                } else {
                    self.go(At::Pool(Pool::PublishField(0)));
                }
            }
            Pool::PublishField(field) => {
                let (index, own) = (self.owned(), self.me.own);
                let end = self.fields_end(field);
                let fields = &mut self.memory.descriptors[index].transfer;
                (field..end).for_each(|field| fields.copy_field(&own, field));
                let fields = *fields;
                self.wrote = true;
                self.record(Access::Fields(index as u8, fields));
                if end < FIELDS {
                    self.go(At::Pool(Pool::PublishField(end)));
                } else if self.world.is(Mutant::FieldsBeforeNumber) {
                    self.go(At::Pool(Pool::PublishNumber));
                } else {
                    self.give_back(DONE);
                }
            }
            Pool::Release => {
                let index = self.owned();
                self.memory.descriptors[index].owned = false;
                self.wrote = true;
                self.record(Access::Owner(index as u8, false, true));
                self.me.claim = 0;
                let outcome = std::mem::take(&mut self.me.outcome);
                self.give_back(outcome);
            }
        }
    }

    /// The field after those that one step reads or writes.
    fn fields_end(&self, field: u8) -> u8 {
        if self.world.shape.torn {
            field + 1
        } else {
            FIELDS
        }
    }

    /// Claims a descriptor that nobody uses, beginning with that of the thread's number. Returns whether there
    /// was one. The crate claims so where threads share descriptors. Of a descriptor that is its own a thread reads and
    /// writes the flag, which no other thread reads: that is one step here.
    pub(super) fn begin_claim(&mut self, caller: Caller) {
        self.me.push(caller);
        self.go(At::Pool(Pool::Claim));
    }

    fn claim(&mut self) {
        let descriptors = self.world.shape.descriptors;
        let index = (self.id + usize::from(self.me.tried)) % descriptors;
        let vacant = !std::mem::replace(&mut self.memory.descriptors[index].owned, true);
        self.wrote |= vacant;
        self.record(Access::Owner(index as u8, true, vacant));
        self.me.tried += 1;
        if vacant {
            (self.me.claim, self.me.tried) = (index as u8 + 1, 0);
            self.give_back(DONE);
        } else if usize::from(self.me.tried) == descriptors {
            self.me.tried = 0;
            self.give_back(NOT_DONE);
        }
    }

    /// Begins a use that does what the thread has put into `own`.
    pub(super) fn begin_publish(&mut self, caller: Caller) {
        self.me.push(caller);
        self.go(At::Pool(if self.world.is(Mutant::FieldsBeforeNumber) {
            Pool::PublishField(0)
        } else {
            Pool::PublishNumber
        }));
    }

    /// Gives the descriptor back, then returns the outcome.
    pub(super) fn begin_release(&mut self, caller: Caller, outcome: u64) {
        self.me.push(caller);
        self.me.outcome = outcome;
        self.me.own = Default::default();
        self.me.pending = Control::default();
        self.me.committed = false;
        self.go(At::Pool(Pool::Release));
    }

    /// Finds out what a reference means for the bucket it was found in.
    pub(super) fn begin_resolve(&mut self, asker: Asker, bucket: u8, word: u64) {
        self.me.frozen = Frozen {
            bucket,
            word,
            asker,
            ..Frozen::default()
        };
        self.go(At::Resolve(if self.world.is(Mutant::ControlBeforeFields) {
            Resolve::Control
        } else {
            Resolve::Field(0)
        }));
    }

    pub(super) fn resolve(&mut self, point: Resolve) {
        let word = self.me.frozen.word;
        let (index, _) = self.layout().named(word);
        match point {
            Resolve::Field(field) => {
                let fields = self.memory.descriptors[index].transfer;
                let end = self.fields_end(field);
                (field..end).for_each(|field| self.me.frozen.seen.copy_field(&fields, field));
                self.record(Access::Fields(index as u8, fields));
                if end < FIELDS {
                    self.go(At::Resolve(Resolve::Field(end)));
                } else if self.world.is(Mutant::ControlBeforeFields) {
                    self.resolved();
                } else {
                    self.go(At::Resolve(Resolve::Control));
                }
            }
            Resolve::Control => {
                self.me.frozen.control = self.read_control(word);
                if self.world.is(Mutant::ControlBeforeFields) {
                    self.go(At::Resolve(Resolve::Field(0)));
                } else {
                    self.resolved();
                }
            }
        }
    }

    fn resolved(&mut self) {
        let Frozen {
            bucket,
            word,
            asker,
            seen,
            control,
        } = self.me.frozen;
        let (_, uses) = self.layout().named(word);
        let old = seen.before(bucket);
        let current =
            u64::from(control.uses) == uses || self.world.is(Mutant::NumberOfUseNotChecked);
        let resolved = match control.state {
            _ if !current => Resolved::Stale,
            State::Pending => Resolved::Pending(old),
            State::Aborted => Resolved::Settled(old),
            State::Committed => Resolved::Settled(seen.after(self.layout(), bucket).unwrap_or(old)),
        };
        match asker {
            Asker::Lookup => self.lookup_resolved(resolved),
            Asker::Settle => self.settle_resolved(resolved),
            Asker::Peek => self.peek_resolved(resolved),
            Asker::Witness => self.witness_resolved(resolved),
        }
    }
}
