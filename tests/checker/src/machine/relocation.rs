//! Relocation, and the single one that can be asked for.

use model::Fingerprint;

use super::{DONE, NOT_DONE, Run};
use crate::memory::{State, Transfer};
use crate::mutants::Mutant;
use crate::points::{At, Caller, Relocation};

impl Run<'_> {
    /// Moves a token, and puts `placed` into its slot if that is not 0. Returns whether it was done.
    pub(super) fn begin_relocation(
        &mut self,
        caller: Caller,
        moved: Fingerprint,
        placed: Fingerprint,
        source: u8,
        destination: u8,
    ) {
        self.me.push(caller);
        self.me.own = Transfer {
            moved,
            placed,
            source,
            destination,
            old_source: 0,
            old_destination: 0,
        };
        self.begin_settle(Caller::RelocationSource, source);
    }

    pub(super) fn relocation_source(&mut self, content: u64) {
        self.me.own.old_source = content;
        let destination = self.me.own.destination;
        self.begin_settle(Caller::RelocationDestination, destination);
    }

    pub(super) fn relocation_destination(&mut self, content: u64) {
        self.me.own.old_destination = content;
        let own = self.me.own;
        if own.after(self.layout(), own.source).is_none()
            || own.after(self.layout(), own.destination).is_none()
        {
            self.relocated(false);
        } else if self.world.is(Mutant::RelocationBumpsBeforeInstalls) {
            self.bump_for(Caller::RelocationEarlyBump);
        } else {
            self.relocation_publish();
        }
    }

    pub(super) fn relocation_publish(&mut self) {
        self.begin_publish(Caller::RelocationPublish);
    }

    pub(super) fn relocation_published(&mut self) {
        self.go(At::Relocation(Relocation::FreezeLower));
    }

    fn bump_for(&mut self, caller: Caller) {
        let own = self.me.own;
        self.begin_announce(caller, own.source, own.moved);
    }

    fn relocated(&mut self, done: bool) {
        self.me.own = Transfer::default();
        self.me.pending = Default::default();
        self.me.committed = false;
        self.give_back(if done { DONE } else { NOT_DONE });
    }

    /// The first word is frozen, and a mutant has bumped.
    pub(super) fn relocation_half_frozen(&mut self) {
        self.go(At::Relocation(Relocation::FreezeHigher));
    }

    /// Bumps after the installs, so that whoever counts this bump in sees both references; before the commit,
    /// so that whoever sees the commit sees the bump, and the hint.
    fn frozen_both(&mut self) {
        let elsewhere = [
            Mutant::RelocationBumpsNothing,
            Mutant::RelocationBumpsBeforeInstalls,
            Mutant::RelocationBumpsBetweenInstalls,
            Mutant::RelocationBumpsAfterCommit,
        ];
        if elsewhere.iter().any(|&mutant| self.world.is(mutant)) {
            self.relocation_bumped();
        } else {
            self.bump_for(Caller::RelocationBump);
        }
    }

    pub(super) fn relocation_bumped(&mut self) {
        self.go(At::Relocation(Relocation::Commit));
    }

    pub(super) fn relocation_decided(&mut self) {
        let skip = self.me.committed && self.world.is(Mutant::CommittedSourceStaysFrozen);
        self.go(At::Relocation(if skip {
            Relocation::WriteDestination
        } else {
            Relocation::WriteSource
        }));
    }

    /// What a word holds after the decision.
    fn decided(&self, bucket: u8) -> u64 {
        let (own, old) = (self.me.own, self.me.own.before(bucket));
        if self.me.committed {
            own.after(self.layout(), bucket).unwrap_or(old)
        } else {
            old
        }
    }

    pub(super) fn relocation(&mut self, point: Relocation) {
        let own = self.me.own;
        let lower = own.source.min(own.destination);
        let higher = own.source.max(own.destination);
        let (index, reference, pending) = (self.owned(), self.reference(), self.me.pending);
        match point {
            Relocation::FreezeLower => {
                if !self.exchange(lower, own.before(lower), reference) {
                    self.go(At::Relocation(Relocation::AbortUnfrozen));
                } else if self.world.is(Mutant::RelocationBumpsBetweenInstalls) {
                    self.bump_for(Caller::RelocationMiddleBump);
                } else {
                    self.go(At::Relocation(Relocation::FreezeHigher));
                }
            }
            Relocation::FreezeHigher => {
                if self.exchange(higher, own.before(higher), reference)
                    || self.world.is(Mutant::CommitWithOneWordFrozen)
                {
                    self.frozen_both();
                } else {
                    self.go(At::Relocation(Relocation::AbortHalfFrozen));
                }
            }
            Relocation::AbortUnfrozen => {
                self.decide_use(index, pending, State::Aborted);
                self.relocated(false);
            }
            Relocation::AbortHalfFrozen => {
                self.decide_use(index, pending, State::Aborted);
                if self.world.is(Mutant::HalfFrozenStaysFrozen) {
                    self.relocated(false);
                } else {
                    self.go(At::Relocation(Relocation::UnfreezeLower));
                }
            }
            Relocation::UnfreezeLower => {
                self.exchange(lower, reference, own.before(lower));
                self.relocated(false);
            }
            Relocation::Commit => {
                self.me.committed = self.decide_use(index, pending, State::Committed);
                if self.world.is(Mutant::RelocationBumpsAfterCommit) {
                    self.bump_for(Caller::RelocationLateBump);
                } else if std::mem::take(&mut self.me.scanned) {
                    self.begin_note(Caller::RelocationLateBump, own.source, own.moved);
                } else {
                    self.relocation_decided();
                }
            }
            Relocation::WriteSource => {
                let new = self.decided(own.source);
                self.exchange(own.source, reference, new);
                self.go(At::Relocation(Relocation::WriteDestination));
            }
            Relocation::WriteDestination => {
                let new = self.decided(own.destination);
                self.exchange(own.destination, reference, new);
                self.relocated(self.me.committed);
            }
        }
    }
}

/// One relocation by itself.
impl Run<'_> {
    pub(super) fn move_claimed(&mut self, claimed: u64) {
        let item = self.me.item;
        if claimed == DONE {
            self.begin_relocation(Caller::MoveHop, item.f, 0, item.first, item.second);
        } else {
            self.give_back(NOT_DONE);
        }
    }

    pub(super) fn move_hopped(&mut self, done: u64) {
        self.begin_release(Caller::MoveRelease, done);
    }
}
