//! Lookup and count.

use super::{Again, Done, Run, Step};
use crate::growing::geometry::Item;
use crate::growing::mutants::Mutant;

impl Run<'_> {
    /// From the last table, whose classes are the longest, to the first.
    pub(super) fn contains(&mut self, item: Item) -> Step<bool> {
        if !self.world.shape.several {
            return self.contains_in(0, item);
        }
        for table in (0..self.list()?).rev() {
            if self.contains_in(table.into(), item)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The number of tables.
    pub(super) fn list(&mut self) -> Step<u8> {
        let tables = self.other("tables", |run| (run.memory.tables.into(), false))?;
        Ok(tables as u8)
    }

    fn contains_in(&mut self, table: usize, item: Item) -> Step<bool> {
        self.routine(|run| match run.look_once(table, item)? {
            Some(found) => Ok(found),
            None => run.look_long(table, item),
        })
    }

    /// Both words at the level of the hint, if they are plain.
    fn look_once(&mut self, table: usize, item: Item) -> Step<Option<bool>> {
        self.routine(|run| {
            let level = run.hint(table)?.level;
            let before = run.version(item)?;
            let numbers = [0, 1].map(|side| item.number(side, level));
            let words = [run.load(numbers[0])?, run.load(numbers[1])?];
            let found = || (0..2).any(|side| run.holds(numbers[side], words[side], item));
            if !words.iter().all(|word| word.is_plain()) && !run.is(Mutant::FastLookupTrustsAll) {
                return Ok(None);
            }
            let found = found();
            if !run.is(Mutant::MissNotValidated) && run.version(item)? != before {
                return Ok(None);
            }
            Ok(Some(found))
        })
    }

    fn look_long(&mut self, table: usize, item: Item) -> Step<bool> {
        self.repeat((), move |run, ()| {
            let before = run.version(item)?;
            let level = run.hint(table)?.level;
            for side in 0..2 {
                if run.look(item, side, level)? {
                    return Ok(Done(true));
                }
            }
            let certain = run.is(Mutant::LongMissNotValidated);
            Ok(if certain || run.version(item)? == before {
                Done(false)
            } else {
                Again(())
            })
        })
    }

    /// How many tokens cover an item.
    pub(super) fn count(&mut self, item: Item) -> Step<u8> {
        if !self.world.shape.several {
            return self.count_in(0, item);
        }
        let mut copies = 0;
        for table in (0..self.list()?).rev() {
            copies += self.count_in(table.into(), item)?;
        }
        Ok(copies)
    }

    fn count_in(&mut self, table: usize, item: Item) -> Step<u8> {
        self.repeat((), move |run, ()| {
            let before = run.version(item)?;
            let pair = run.pair(table, item)?;
            let copies = pair.words.iter().map(|live| {
                let lanes = live.word.lanes();
                lanes
                    .filter(|&lane| run.covers(live.number, lane, item))
                    .count() as u8
            });
            let copies = copies.sum();
            let certain = run.is(Mutant::CountNotValidated);
            Ok(if certain || run.version(item)? == before {
                Done(copies)
            } else {
                Again(())
            })
        })
    }
}
