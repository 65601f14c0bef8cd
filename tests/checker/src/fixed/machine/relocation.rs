//! Relocation, and the single one that can be asked for.

use model::Token;

use super::{DONE, NOT_DONE, Run};
use crate::fixed::memory::{State, Transfer};
use crate::fixed::mutants::Mutant;
use crate::fixed::points::{At, Caller, Relocation};

impl Run<'_> {
    /// Moves a token, and puts `placed` into its slot if that is not 0. Returns whether it was done.
    pub(super) fn begin_relocation(
        &mut self,
        caller: Caller,
        moved: Token,
        placed: Token,
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
        let f = self.layout().fingerprint_of(own.moved);
        self.begin_announce(caller, own.source, f);
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
        if !self.me.committed {
            old
        } else if bucket == own.source && self.world.is(Mutant::HopTakesAnyOfItsClass) {
            let f = self.layout().fingerprint_of(own.moved);
            let moved = self.layout().find(old, f).unwrap_or(0);
            let any = Transfer { moved, ..own };
            any.after(self.layout(), bucket).unwrap_or(old)
        } else {
            own.after(self.layout(), bucket).unwrap_or(old)
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
                    let f = self.layout().fingerprint_of(own.moved);
                    self.begin_note(Caller::RelocationLateBump, own.source, f);
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
    /// Which token it moves, if tokens differ.
    pub(super) fn move_peeked(&mut self, content: u64) {
        let found = self.layout().find(content, self.me.item.f);
        self.me.own.moved = found.unwrap_or(0);
        self.begin_claim(Caller::MoveClaim);
    }

    pub(super) fn move_claimed(&mut self, claimed: u64) {
        let item = self.me.item;
        let peeked = std::mem::take(&mut self.me.own.moved);
        let has_values = self.layout().has_values();
        match (claimed == DONE, if has_values { peeked } else { item.f }) {
            (false, _) => self.give_back(NOT_DONE),
            (true, 0) => self.begin_release(Caller::MoveRelease, NOT_DONE),
            (true, moved) => {
                self.begin_relocation(Caller::MoveHop, moved, 0, item.first, item.second);
            }
        }
    }

    pub(super) fn move_hopped(&mut self, done: u64) {
        self.begin_release(Caller::MoveRelease, done);
    }
}
