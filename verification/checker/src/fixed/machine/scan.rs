//! The scan for a snapshot.
//!
//! The copy is kept as a number of tokens for each class. In the crate one thread fits them into
//! the table of the copy; the tests of the crate cover that.

use model::Fingerprint;

use super::Run;
use super::transfer::hinted;
use crate::fixed::memory::{Answer, Digits};
use crate::fixed::mutants::Mutant;
use crate::fixed::program::Item;
use crate::replay::{Again, Done, Step};
use crate::shared::{STRIPES, stripe_of};

/// The factor for the number of passes.
const MORE_PASSES: u8 = 4;

/// The stripes of one pass: every n-th one, from a first one on.
#[derive(Clone, Copy, Debug)]
struct Group {
    passes: u8,
    at: u8,
}

impl Group {
    fn stripes(self) -> impl Iterator<Item = usize> {
        (usize::from(self.at)..STRIPES).step_by(self.passes.into())
    }

    fn has(self, f: Fingerprint) -> bool {
        stripe_of(f) % usize::from(self.passes) == usize::from(self.at)
    }
}

impl Run<'_> {
    pub(super) fn snapshot(&mut self) -> Step<Answer> {
        let free = self.other("take the right to scan", |run| {
            let free = run.memory.scanner == 0;
            if free {
                run.memory.scanner = run.as_owner();
            }
            (free, free)
        })?;
        if !free && !self.is(Mutant::TwoScansAtATime) {
            return Ok(Answer::NoCopy);
        }
        let copy = self.repeat((0, 1), |run, (attempt, passes): (u8, u8)| {
            if usize::from(attempt) == run.world.shape.attempts {
                return Ok(Done(None));
            }
            Ok(match run.scan(passes)? {
                Some(copy) => Done(Some(copy)),
                None => Again((attempt + 1, (passes * MORE_PASSES).min(STRIPES as u8))),
            })
        })?;
        self.release_scan()?;
        Ok(copy.map_or(Answer::NoCopy, |copy| Answer::Copy(Digits(copy))))
    }

    /// Gives the right to scan back.
    pub(super) fn release_scan(&mut self) -> Step<()> {
        self.other("right to scan", |run| {
            run.memory.scanner = 0;
            ((), true)
        })
    }

    /// Ends the scan of a dead process, whichever group it had announced.
    pub(super) fn end_all_scans(&mut self) -> Step<()> {
        self.set_scans(Group { passes: 1, at: 0 }, false)
    }

    /// Returns the copy; `None` if hints were lost.
    fn scan(&mut self, passes: u8) -> Step<Option<u64>> {
        self.repeat((0, 0), |run, (at, copy): (u8, u64)| {
            if at == passes {
                return Ok(Done(Some(copy)));
            }
            Ok(match run.scan_group(Group { passes, at }, copy)? {
                Some(copy) => Again((at + 1, copy)),
                None => Done(None),
            })
        })
    }

    /// Adds the tokens of a group to a copy.
    fn scan_group(&mut self, group: Group, copy: u64) -> Step<Option<u64>> {
        let slots = self.world.shape.notes as u8;
        self.routine(|run| {
            (0..slots).try_for_each(|slot| run.forget_hint(slot))?;
            run.other("notes", |run| {
                run.memory.notes = 0;
                ((), true)
            })?;
            run.set_scans(group, true)?;
            if run.is(Mutant::ScanEndsBeforeReading) {
                run.set_scans(group, false)?;
            }
            let copy = run.copy_words(group, copy)?;
            run.set_scans(group, false)?;
            let notes = run.other("notes", |run| {
                let notes = run.memory.notes;
                let lost = notes > slots && !run.is(Mutant::LostHintsIgnored);
                ((!lost).then_some(notes.min(slots)), false)
            })?;
            let Some(notes) = notes else {
                return Ok(None);
            };
            let copy = run.rounds((0, copy), |run, (slot, copy): (u8, u64)| {
                if slot == notes {
                    return Ok(Done(copy));
                }
                Ok(Again((slot + 1, run.heed(group, slot, copy)?)))
            })?;
            Ok(Some(copy))
        })
    }

    fn forget_hint(&mut self, slot: u8) -> Step<()> {
        self.other("hint", |run| {
            run.memory.hints[usize::from(slot)] = 0;
            ((), true)
        })
    }

    fn set_scans(&mut self, group: Group, on: bool) -> Step<()> {
        self.routine(|run| {
            group
                .stripes()
                .try_for_each(|stripe| run.set_scan(stripe, on))
        })
    }

    fn copy_words(&mut self, group: Group, copy: u64) -> Step<u64> {
        self.repeat((0, copy), |run, (bucket, copy): (u8, u64)| {
            if usize::from(bucket) == run.world.shape.buckets {
                return Ok(Done(copy));
            }
            let content = if run.is(Mutant::ScanLeavesPendingAlone) {
                run.peek(bucket)?
            } else {
                run.settle(bucket)?
            };
            let layout = run.layout();
            let tokens = layout.tokens(content);
            let found = tokens.filter(|&token| group.has(layout.fingerprint_of(token)));
            let found: u64 = found.map(|token| run.digit(bucket, token)).sum();
            Ok(Again((bucket + 1, copy + found)))
        })
    }

    /// Replaces the tokens of the class of a hint in the copy by those found now.
    fn heed(&mut self, group: Group, slot: u8, copy: u64) -> Step<u64> {
        self.routine(|run| {
            let hint = run.other("hint", |run| (run.memory.hints[usize::from(slot)], false))?;
            let Some((first, f)) = hinted(run.layout(), hint).filter(|&(_, f)| group.has(f)) else {
                return Ok(copy);
            };
            let second = run.world.shape.alternate(first, f);
            let item = Item { first, second, f };
            let mut found = run.count(item)?;
            let class = item.class();
            let tokens = run.world.known.tokens.iter().enumerate();
            let here = tokens.filter(|(_, (other, _))| *other == class);
            let digits: u64 = here.map(|(at, _)| 0xf << (4 * at)).sum();
            if run.is(Mutant::ScanForgetsValues) {
                let copies = (0..64).step_by(4).map(|at| found >> at & 0xf).sum::<u64>();
                found = copies * run.digit(class.first, class.f);
            }
            Ok(copy & !digits | found)
        })
    }
}
