//! Snapshot: a copy made word by word, and what writers tell it.

use super::{Answer, Classes, Run};
use crate::growing::geometry::{Class, Item, level_of};
use crate::growing::machine::{Scan, Word};
use crate::growing::mutants::Mutant;
use crate::replay::{Again, Done, Step};
use crate::shared::{NOTES, STRIPES};

/// A copy under way: the word that comes next, 0 behind the last, and what has been copied.
type Copying = (u8, Classes);

impl Run<'_> {
    /// Tells a scan that tokens nested with this class change places.
    pub(super) fn note(&mut self, class: Class) -> Step<()> {
        self.other("note", |run| {
            let scan = &mut run.memory.scan;
            if let Some(note) = scan.notes.get_mut(usize::from(scan.len)) {
                *note = class;
            }
            scan.len = (scan.len + 1).min(NOTES as u8 + 1);
            ((), true)
        })
    }

    pub(super) fn snapshot(&mut self) -> Step<Answer> {
        let taken = self.other("right to scan", |run| {
            let taken = !std::mem::replace(&mut run.memory.scan.taken, true);
            (taken, taken)
        })?;
        if !taken {
            return Ok(Answer::NoCopy);
        }
        let copy = self.repeat(0, |run, attempt: u8| {
            run.forget_notes()?;
            if usize::from(attempt) == run.world.shape.attempts {
                return Ok(Done(None));
            }
            Ok(match run.scan()? {
                Some(copy) => Done(Some(copy)),
                None => Again(attempt + 1),
            })
        })?;
        self.other("right to scan", |run| {
            run.memory.scan = Scan::default();
            ((), true)
        })?;
        Ok(copy.map_or(Answer::NoCopy, Answer::Copy))
    }

    fn forget_notes(&mut self) -> Step<()> {
        self.other("notes", |run| {
            run.memory.scan = Scan {
                taken: true,
                ..Scan::default()
            };
            ((), true)
        })
    }

    /// `None`: there were too many notes, or too many tokens.
    fn scan(&mut self) -> Step<Option<Classes>> {
        self.routine(|run| {
            let list = run.list()?;
            (0..STRIPES).try_for_each(|stripe| run.set_scan(stripe, true))?;
            let mut copy = Some(Classes::default());
            for at in 0..list {
                let coarser_first = run.is(Mutant::CoarserScannedFirst);
                let table = if coarser_first { at } else { list - 1 - at };
                if let Some(copied) = copy {
                    copy = run.copy(table.into(), copied)?;
                }
            }
            (0..STRIPES).try_for_each(|stripe| run.set_scan(stripe, false))?;
            let (len, notes) = run.other("notes", |run| {
                let Scan { len, notes, .. } = run.memory.scan;
                ((usize::from(len), notes), false)
            })?;
            if len > NOTES {
                return Ok(None);
            }
            for &class in &notes[..len] {
                for table in (0..list).rev() {
                    if let (Some(copied), false) = (copy, run.is(Mutant::NotesIgnored)) {
                        copy = run.count_again(table.into(), copied, class)?;
                    }
                }
            }
            Ok(copy)
        })
    }

    /// Adds the tokens of a table to a copy: each live word, parents before their children.
    fn copy(&mut self, table: usize, copied: Classes) -> Step<Option<Classes>> {
        self.routine(|run| {
            let level = run.root(table)?.level;
            if run.is(Mutant::ScanBottomUp) {
                return run.copy_bottom_up(level, copied);
            }
            run.repeat((1 << level, copied), move |run, (next, copy): Copying| {
                if next == 0 {
                    return Ok(Done(Some(copy)));
                }
                let word = run.settle(next)?;
                Ok(match word {
                    // The block was given back.
                    Word::Unborn => Done(None),
                    Word::Gone => Again((2 * next, copy)),
                    word => match run.added(copy, next, word) {
                        None => Done(None),
                        Some(copy) => Again((successor(next, level), copy)),
                    },
                })
            })
        })
    }

    fn added(&self, copy: Classes, number: u8, word: Word) -> Option<Classes> {
        let levels = self.world.levels_at(number);
        Classes::of(copy.iter().chain(word.classes(levels, number)))
    }

    fn copy_bottom_up(&mut self, level: u8, copied: Classes) -> Step<Option<Classes>> {
        let mut copy = Some(copied);
        let deepest = self.world.levels_at(1 << level).deepest;
        for number in ((1 << level)..(4 << level)).rev() {
            if level_of(number) <= deepest {
                let word = self.settle(number)?;
                copy = copy.and_then(|copy| self.added(copy, number, word));
            }
        }
        Ok(copy)
    }

    /// Counts once more the tokens that are nested with a class.
    fn count_again(
        &mut self,
        table: usize,
        copied: Classes,
        class: Class,
    ) -> Step<Option<Classes>> {
        let Class { head, bits, .. } = class;
        let item = Item { head, bits };
        self.repeat((), move |run, ()| {
            let before = run.version(head)?;
            let pair = run.pair(table, item)?;
            if pair.words.iter().any(|live| live.level() - 1 > class.len) {
                // It has been split further than the class, so nothing of the class was left.
                return Ok(Done(None));
            }
            if run.version(head)? != before {
                return Ok(Again(()));
            }
            let own = |class: &Class| run.world.table_of_class(*class) == table;
            let equal_only = run.is(Mutant::NoteCountsEqualOnly);
            let noted = |other: &Class| {
                if equal_only {
                    *other == class
                } else {
                    other.nests(class)
                }
            };
            let left = copied.iter().filter(|other| !(own(other) && noted(other)));
            let found = pair.words.iter().flat_map(|live| {
                let levels = run.world.levels_at(live.number);
                live.word.classes(levels, live.number).filter(noted)
            });
            Ok(Done(Classes::of(left.chain(found))))
        })
    }
}

/// The word that is copied after all below one.
fn successor(number: u8, level: u8) -> u8 {
    if level_of(number) > level && number % 2 == 1 {
        return successor(number / 2, level);
    }
    if number + 1 == 2 << level {
        0
    } else {
        number + 1
    }
}
