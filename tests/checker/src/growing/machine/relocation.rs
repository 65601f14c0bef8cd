//! Relocation: a token goes from one of its words to the other, of the same level.

use super::{Run, Step};
use crate::growing::geometry::{Item, Lane, alternate, head_of, level_of};
use crate::growing::memory::{State, Transfer};
use crate::growing::mutants::Mutant;
use crate::growing::word::Word;

/// What a hop does: what moves, from where, and what is placed there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    pub moved: Lane,
    pub placed: Lane,
    pub item: u8,
    pub source: u8,
    /// The level of the hint by which the source was found.
    pub level: u8,
}

impl Run<'_> {
    /// Moves a token that covers the item from one side to the other, the longest if there are several.
    pub(super) fn hop(&mut self, item: Item, side: u8) -> Step<bool> {
        let level = self.hint(0)?.level;
        let live = self.live(item, side, level)?;
        let levels = self.world.levels_at(live.number);
        let covering = live
            .word
            .lanes()
            .filter(|&lane| self.covers(live.number, lane, item));
        let longest = covering.max_by_key(|&lane| levels.tail_of(lane, live.level()));
        let Some(moved) = longest else {
            return Ok(false);
        };
        self.relocate(Hop {
            moved,
            placed: 0,
            item: 0,
            source: live.number,
            level,
        })
    }

    /// False if the words have changed. The next attempt finds two ends of one level.
    pub(super) fn relocate(&mut self, hop: Hop) -> Step<bool> {
        self.routine(|run| {
            let Hop {
                moved,
                placed,
                item,
                source,
                level,
            } = hop;
            let mut destination = alternate(source, head_of(moved));
            if level_of(source) > level && !run.is_below_gone(&mut destination)? {
                // One end is still at the old level.
                return Ok(false);
            }
            let old_source = run.settle(source)?;
            let old_destination = run.settle(destination)?;
            if old_destination == Word::GONE {
                run.split(source)?;
                return Ok(false);
            }
            let room =
                old_destination.is_plain() && old_destination.tokens() < run.world.shape.slots;
            if !room || !old_source.lanes().any(|lane| lane == moved) {
                return Ok(false);
            }
            let transfer = Transfer {
                moved,
                placed,
                item,
                source,
                destination,
                old_source,
                old_destination,
                ..Transfer::default()
            };
            run.transfer(transfer)
        })
    }

    /// Whether a word of the level that the table grows to can be written. While its parent is frozen, the truth is
    /// there; so whoever comes to a word by its number, and not from above, asks the parent.
    fn is_below_gone(&mut self, number: &mut u8) -> Step<bool> {
        let parent = *number / 2;
        if self.is(Mutant::HopAsksTheChildOnly) {
            if self.load(*number)? == Word::UNBORN {
                self.split(parent)?;
                return Ok(false);
            }
            return Ok(true);
        }
        let word = self.settle(parent)?;
        if !word.is_plain() {
            return Ok(true);
        }
        if self.is(Mutant::HopBetweenLevels) {
            *number = parent;
            return Ok(true);
        }
        self.split(parent)?;
        Ok(false)
    }

    fn transfer(&mut self, transfer: Transfer) -> Step<bool> {
        let Transfer {
            moved,
            source,
            destination,
            ..
        } = transfer;
        let (lower, higher) = (source.min(destination), source.max(destination));
        let reference = self.publish(transfer)?;
        if !self.exchange(lower, transfer.before(lower), reference)? {
            self.decide_use(reference, State::Aborted)?;
            return Ok(false);
        }
        if self.is(Mutant::RelocationBumpsBetweenInstalls) {
            self.bump_for_hop(transfer)?;
        }
        let both = self.exchange(higher, transfer.before(higher), reference)?;
        if !both && !self.is(Mutant::CommitWithOneWordFrozen) {
            self.decide_use(reference, State::Aborted)?;
            self.exchange(lower, reference, transfer.before(lower))?;
            return Ok(false);
        }
        let elsewhere = [
            Mutant::RelocationBumpsNothing,
            Mutant::RelocationBumpsBetweenInstalls,
            Mutant::RelocationBumpsAfterCommit,
        ];
        if !elsewhere.iter().any(|&mutant| self.is(mutant)) {
            self.bump_for_hop(transfer)?;
        }
        let committed = self.decide_use(reference, State::Committed)?;
        if self.is(Mutant::RelocationBumpsAfterCommit) {
            self.bump_for_hop(transfer)?;
        }
        debug_assert!(
            moved != 0 && level_of(lower) == level_of(higher) || self.world.mutant.is_some()
        );
        for number in [source, destination] {
            let new = if committed {
                transfer.after(number)
            } else {
                transfer.before(number)
            };
            self.exchange(number, reference, new)?;
        }
        Ok(committed)
    }

    fn bump_for_hop(&mut self, transfer: Transfer) -> Step<()> {
        let Transfer { moved, source, .. } = transfer;
        let scanned = self.bump(head_of(moved))?;
        if scanned && !self.is(Mutant::RelocationGivesNoNote) {
            let class = self.world.levels_at(source).class_of(source, moved);
            self.note(class)?;
        }
        Ok(())
    }
}
