//! What one who lets tokens change places tells others: lookups by a bump, and a scan by a hint.

use model::{Fingerprint, Layout};

use super::{DONE, Run, stripe_of};
use crate::fixed::memory::Access;
use crate::fixed::mutants::Mutant;
use crate::fixed::points::{Announce, At, Caller};

/// A hint as the log holds it: never 0.
fn hint(layout: Layout, bucket: u8, f: Fingerprint) -> u64 {
    u64::from(bucket) << layout.fingerprint_bits | u64::from(f)
}

/// The bucket and the token that a hint names.
pub(super) fn hinted(layout: Layout, hint: u64) -> Option<(u8, Fingerprint)> {
    let bucket = (hint >> layout.fingerprint_bits) as u8;
    (hint != 0).then_some((bucket, layout.fingerprint(hint)))
}

impl Run<'_> {
    /// Bumps the stripe of a token and, if a scan is on, leaves a hint.
    pub(super) fn begin_announce(&mut self, caller: Caller, bucket: u8, f: Fingerprint) {
        self.me.push(caller);
        self.me.hint = hint(self.layout(), bucket, f);
        self.go(At::Announce(Announce::Bump));
    }

    /// Leaves a hint, without a bump.
    pub(super) fn begin_note(&mut self, caller: Caller, bucket: u8, f: Fingerprint) {
        self.me.push(caller);
        self.me.hint = hint(self.layout(), bucket, f);
        self.go(At::Announce(Announce::ReadNotes));
    }

    fn announced(&mut self) {
        (self.me.hint, self.me.turn) = (0, 0);
        self.give_back(DONE);
    }

    /// Whether the bump is one whose hint is taken out, or comes later.
    fn gives_no_hint(&mut self) -> bool {
        if self.me.callers[usize::from(self.me.depth) - 1] == Caller::RemovalBump {
            return self.world.is(Mutant::RemoveGivesNoHint);
        }
        self.me.scanned = self.world.is(Mutant::RelocationHintsAfterCommit);
        self.me.scanned || self.world.is(Mutant::RelocationGivesNoHint)
    }

    pub(super) fn announce(&mut self, point: Announce) {
        let slots = self.world.shape.notes;
        match point {
            Announce::Bump => {
                let scanned = self.bump(self.layout().fingerprint(self.me.hint));
                if scanned && !self.gives_no_hint() {
                    self.go(At::Announce(Announce::ReadNotes));
                } else {
                    self.announced();
                }
            }
            Announce::ReadNotes => {
                let notes = self.memory.notes;
                self.record(Access::Log(None, notes.into()));
                if usize::from(notes) <= slots {
                    self.go(At::Announce(Announce::TakeTurn));
                } else {
                    self.announced();
                }
            }
            Announce::TakeTurn => {
                self.me.turn = self.memory.notes;
                self.memory.notes += 1;
                self.wrote = true;
                self.record(Access::Log(None, self.memory.notes.into()));
                if usize::from(self.me.turn) < slots {
                    self.go(At::Announce(Announce::WriteHint));
                } else {
                    self.announced();
                }
            }
            Announce::WriteHint => {
                let slot = &mut self.memory.hints[usize::from(self.me.turn)];
                let vacant = *slot == 0 || self.world.is(Mutant::LateNoteReplacesAnother);
                if vacant {
                    *slot = self.me.hint;
                    self.wrote = true;
                }
                let now = *slot;
                self.record(Access::Log(Some(self.me.turn), now));
                if vacant {
                    self.announced();
                } else {
                    self.me.turn = 0;
                    self.go(At::Announce(Announce::ReadNotes));
                }
            }
        }
    }

    /// Whether a token belongs to the part of the stripes that a scan is at.
    pub(super) fn in_group(&self, f: Fingerprint) -> bool {
        let scan = self.me.scan;
        stripe_of(f) % usize::from(scan.passes) == usize::from(scan.group)
    }
}
