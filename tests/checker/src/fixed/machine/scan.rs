//! The scan for a snapshot.
//!
//! The copy is kept as a number of tokens for each class. What the crate does to fit them into a table of the
//! copy's own is the work of one thread, and belongs to the tests of the crate.

use super::Run;
use super::announcement::hinted;
use crate::fixed::memory::{Access, SCAN, STRIPES};
use crate::fixed::mutants::Mutant;
use crate::fixed::points::{At, Caller, Scan};
use crate::fixed::program::Item;
use crate::fixed::thread::Scanning;

/// By how much the number of passes grows.
const MORE_PASSES: u8 = 4;

/// What stands for "no copy".
const NO_COPY: u64 = u64::MAX;

impl Run<'_> {
    pub(super) fn scan(&mut self, point: Scan) {
        let cursor = self.me.scan.cursor;
        match point {
            Scan::TakeRight => {
                let free = !std::mem::replace(&mut self.memory.scanning, true);
                self.wrote |= free;
                self.record(Access::Right(true, free));
                if free || self.world.is(Mutant::TwoScansAtATime) {
                    self.me.scan.passes = 1;
                    self.scan_attempt();
                } else {
                    self.give_back(NO_COPY);
                }
            }
            Scan::ForgetHint => {
                self.memory.hints[usize::from(cursor)] = 0;
                self.wrote = true;
                self.record(Access::Log(Some(cursor), 0));
                self.me.scan.cursor += 1;
                if usize::from(self.me.scan.cursor) == self.world.shape.notes {
                    self.me.scan.cursor = 0;
                    self.go(At::Scan(Scan::ForgetNotes));
                }
            }
            Scan::ForgetNotes => {
                self.memory.notes = 0;
                self.wrote = true;
                self.record(Access::Log(None, 0));
                self.me.scan.cursor = self.me.scan.group;
                self.go(At::Scan(Scan::Announce));
            }
            Scan::Announce => {
                let stripe = self.memory.stripes[usize::from(cursor)];
                self.set_stripe(cursor.into(), stripe | SCAN);
                if self.next_stripe() {
                    if self.world.is(Mutant::ScanEndsBeforeReading) {
                        self.me.scan.cursor = self.me.scan.group;
                        self.go(At::Scan(Scan::EarlyEnd));
                    } else {
                        self.scan_next_word();
                    }
                }
            }
            Scan::EarlyEnd => {
                let stripe = self.memory.stripes[usize::from(cursor)];
                self.set_stripe(cursor.into(), stripe & !SCAN);
                if self.next_stripe() {
                    self.scan_next_word();
                }
            }
            Scan::End => {
                let stripe = self.memory.stripes[usize::from(cursor)];
                self.set_stripe(cursor.into(), stripe & !SCAN);
                if self.next_stripe() {
                    self.go(At::Scan(Scan::ReadNotes));
                }
            }
            Scan::ReadNotes => {
                let notes = self.memory.notes;
                self.record(Access::Log(None, notes.into()));
                let slots = self.world.shape.notes as u8;
                if notes > slots && !self.world.is(Mutant::LostHintsIgnored) {
                    self.disturbed();
                } else {
                    self.me.scan.notes = notes.min(slots);
                    self.scan_next_hint();
                }
            }
            Scan::ReadHint => {
                let hint = self.memory.hints[usize::from(cursor)];
                self.record(Access::Log(Some(cursor), hint));
                self.me.scan.cursor += 1;
                match hinted(self.layout(), hint).filter(|&(_, f)| self.in_group(f)) {
                    None => self.scan_next_hint(),
                    Some((first, f)) => {
                        let second = self.world.shape.alternate(first, f);
                        self.me.item = Item { first, second, f };
                        self.begin_count(Caller::ScanCount);
                    }
                }
            }
            Scan::GiveBack => {
                self.memory.scanning = false;
                self.wrote = true;
                self.record(Access::Right(false, true));
                let copy = match self.me.scan.passes {
                    0 => NO_COPY,
                    _ => self.me.scan.copy,
                };
                self.give_back(copy);
            }
        }
    }

    /// Begins an attempt, or gives up.
    fn scan_attempt(&mut self) {
        let passes = self.me.scan.passes;
        let more = self.me.attempt < self.world.shape.attempts;
        self.me.scan = Scanning {
            passes: if more { passes } else { 0 },
            ..Scanning::default()
        };
        if more {
            self.me.attempt += 1;
            self.go(At::Scan(Scan::ForgetHint));
        } else {
            self.go(At::Scan(Scan::GiveBack));
        }
    }

    fn disturbed(&mut self) {
        let passes = self.me.scan.passes * MORE_PASSES;
        self.me.scan.passes = passes.min(STRIPES as u8);
        self.scan_attempt();
    }

    /// Goes to the next stripe of the group. True: that was the last; the cursor is at 0.
    fn next_stripe(&mut self) -> bool {
        let scan = &mut self.me.scan;
        scan.cursor += scan.passes;
        let last = usize::from(scan.cursor) >= STRIPES;
        if last {
            scan.cursor = 0;
        }
        last
    }

    fn scan_next_word(&mut self) {
        let bucket = self.me.scan.cursor;
        if usize::from(bucket) == self.world.shape.buckets {
            self.me.scan.cursor = self.me.scan.group;
            self.go(At::Scan(Scan::End));
        } else if self.world.is(Mutant::ScanLeavesPendingAlone) {
            self.begin_peek(Caller::ScanWord, bucket);
        } else {
            self.begin_settle(Caller::ScanWord, bucket);
        }
    }

    pub(super) fn scan_word(&mut self, content: u64) {
        let bucket = self.me.scan.cursor;
        let layout = self.layout();
        let tokens = layout.tokens(content);
        let found = tokens.filter(|&token| self.in_group(layout.fingerprint_of(token)));
        let copy: u64 = found.map(|token| self.digit(bucket, token)).sum();
        self.me.scan.copy += copy;
        self.me.scan.cursor += 1;
        self.scan_next_word();
    }

    fn scan_next_hint(&mut self) {
        if self.me.scan.cursor < self.me.scan.notes {
            return self.go(At::Scan(Scan::ReadHint));
        }
        let scan = &mut self.me.scan;
        (scan.cursor, scan.notes) = (0, 0);
        scan.group += 1;
        if scan.group < scan.passes {
            self.go(At::Scan(Scan::ForgetHint));
        } else {
            scan.group = 0;
            self.go(At::Scan(Scan::GiveBack));
        }
    }

    /// Gives the copy what was found of the class of a hint, instead of what it has.
    pub(super) fn scan_counted(&mut self, found: u64) {
        let class = std::mem::take(&mut self.me.item).class();
        let tokens = self.world.tokens.iter().enumerate();
        let here = tokens.filter(|(_, (other, _))| *other == class);
        let digits: u64 = here.map(|(at, _)| 0xf << (4 * at)).sum();
        let found = if self.world.is(Mutant::ScanForgetsValues) {
            let copies = (0..64).step_by(4).map(|at| found >> at & 0xf).sum::<u64>();
            copies * self.digit(class.first, class.f)
        } else {
            found
        };
        let copy = &mut self.me.scan.copy;
        *copy = *copy & !digits | found;
        self.scan_next_hint();
    }
}
