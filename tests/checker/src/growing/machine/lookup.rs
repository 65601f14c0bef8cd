//! Lookup and count, and the live word of an item on a side: the one that holds its bucket now.

use serde::{Deserialize, Serialize};

use super::Run;
use crate::growing::geometry::{Item, level_of};
use crate::growing::memory::{Hint, Kind, Word};
use crate::growing::mutants::Mutant;
use crate::replay::{Again, Done, Step};
use crate::shared::State;

/// A word that has been read, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Live {
    pub number: u8,
    pub word: Word,
}

/// The two live words of an item, and the hint that led to them.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Pair {
    pub hint: Hint,
    pub words: [Live; 2],
}

impl Live {
    pub(super) fn level(self) -> u8 {
        level_of(self.number)
    }
}

impl Run<'_> {
    /// A writer's read: finishes what it meets.
    pub(super) fn live(&mut self, item: Item, side: u8, level: u8) -> Step<Live> {
        let table = self.world.table_of(level);
        self.repeat(item.number(side, level), move |run, number| {
            let number = match number {
                0 => item.number(side, run.hint(table)?.level),
                number => number,
            };
            let word = run.settle(number)?;
            Ok(match word {
                Word::UNBORN => Again(0),
                Word::GONE => Again(item.child(number)),
                word => Done(Live { number, word }),
            })
        })
    }

    /// Both.
    pub(super) fn pair(&mut self, table: usize, item: Item) -> Step<Pair> {
        self.routine(|run| {
            let hint = run.hint(table)?;
            let first = run.live(item, 0, hint.level)?;
            let second = run.live(item, 1, hint.level)?;
            Ok(Pair {
                hint,
                words: [first, second],
            })
        })
    }

    /// Returns the word when it is no reference.
    pub(super) fn settle(&mut self, number: u8) -> Step<Word> {
        self.repeat((), |run, ()| {
            let word = run.load(number)?;
            if !word.is_reference() {
                return Ok(Done(word));
            }
            let Some(transfer) = run.resolve(word)? else {
                return Ok(Again(()));
            };
            match (transfer.kind, transfer.state) {
                (Kind::Split, _) if run.is(Mutant::SplitThawedByAHelper) => {
                    run.exchange(number, word, transfer.old_source)?;
                }
                (Kind::Split, _) => run.finish(number, word, transfer.old_source)?,
                (Kind::Relocation, State::Pending) => {
                    run.decide_use(word, State::Aborted)?;
                }
                (Kind::Admission, State::Pending) => run.decide(word, transfer)?,
                _ => {
                    let content = transfer.content(number);
                    if run.exchange(number, word, content)? {
                        return Ok(Done(content));
                    }
                }
            }
            Ok(Again(()))
        })
    }

    /// A reader's read: whether the bucket of an item on a side holds a token that covers it.
    pub(super) fn look(&mut self, item: Item, side: u8, level: u8) -> Step<bool> {
        let table = self.world.table_of(level);
        self.repeat(item.number(side, level), move |run, number| {
            let number = match number {
                0 => item.number(side, run.hint(table)?.level),
                number => number,
            };
            let word = run.load(number)?;
            match word {
                Word::UNBORN => return Ok(Again(0)),
                Word::GONE if run.is(Mutant::LookupByTheHintOnly) => return Ok(Done(false)),
                Word::GONE => return Ok(Again(item.child(number))),
                word if word.is_plain() => return Ok(Done(run.holds(number, word, item))),
                _ => {}
            }
            let Some(transfer) = run.resolve(word)? else {
                return Ok(Again(number));
            };
            if transfer.kind == Kind::Split && run.is(Mutant::SplitTakenForAbsence) {
                return Ok(Done(false));
            }
            let content = transfer.content(number);
            if run.holds(number, content, item) {
                return Ok(Done(true));
            }
            let arrives = transfer.kind == Kind::Relocation
                && transfer.state == State::Pending
                && number == transfer.destination
                && run.covers(number, transfer.moved, item);
            if !arrives || run.is(Mutant::FrozenArrivalIsAbsent) {
                return Ok(Done(false));
            }
            if run.load(transfer.source)? == word {
                // Frozen on both sides, so it is in one of them.
                return Ok(Done(true));
            }
            let now = run.resolve(word)?;
            let unnoticed = run.is(Mutant::DecidedArrivalUnnoticed);
            Ok(if unnoticed || now == Some(transfer) {
                Done(false)
            } else {
                Again(number)
            })
        })
    }

    /// Whether a token of a word covers an item.
    pub(super) fn covers(&self, number: u8, lane: u8, item: Item) -> bool {
        let levels = self.world.levels_at(number);
        levels.class_of(number, lane).covers(item)
    }

    /// Whether a word holds a token that covers an item.
    pub(super) fn holds(&self, number: u8, word: Word, item: Item) -> bool {
        word.lanes().any(|lane| self.covers(number, lane, item))
    }
}

impl Run<'_> {
    /// From the last table, whose classes are the longest, to the first.
    pub(super) fn contains(&mut self, item: Item) -> Step<bool> {
        for table in (0..self.list()?).rev() {
            if self.contains_in(table.into(), item)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The number of tables.
    pub(super) fn list(&mut self) -> Step<u8> {
        if self.world.shape.several() {
            self.read_list()
        } else {
            Ok(1)
        }
    }

    pub(super) fn read_list(&mut self) -> Step<u8> {
        self.other("tables", |run| (run.memory.tables, false))
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
            let before = run.version(item.head)?;
            let numbers = [0, 1].map(|side| item.number(side, level));
            let words = [run.load(numbers[0])?, run.load(numbers[1])?];
            let found = || (0..2).any(|side| run.holds(numbers[side], words[side], item));
            if !words.iter().all(|word| word.is_plain()) && !run.is(Mutant::FastLookupTrustsAll) {
                return Ok(None);
            }
            let found = found();
            if !run.is(Mutant::MissNotValidated) && run.version(item.head)? != before {
                return Ok(None);
            }
            Ok(Some(found))
        })
    }

    fn look_long(&mut self, table: usize, item: Item) -> Step<bool> {
        self.repeat((), move |run, ()| {
            let before = run.version(item.head)?;
            let level = run.hint(table)?.level;
            for side in 0..2 {
                if run.look(item, side, level)? {
                    return Ok(Done(true));
                }
            }
            let certain = run.is(Mutant::LongMissNotValidated);
            Ok(if certain || run.version(item.head)? == before {
                Done(false)
            } else {
                Again(())
            })
        })
    }

    /// How many tokens cover an item.
    pub(super) fn count(&mut self, item: Item) -> Step<u8> {
        let mut copies = 0;
        for table in (0..self.list()?).rev() {
            copies += self.count_in(table.into(), item)?;
        }
        Ok(copies)
    }

    fn count_in(&mut self, table: usize, item: Item) -> Step<u8> {
        self.repeat((), move |run, ()| {
            let before = run.version(item.head)?;
            let pair = run.pair(table, item)?;
            let copies = pair.words.iter().map(|live| {
                let lanes = live.word.lanes();
                lanes
                    .filter(|&lane| run.covers(live.number, lane, item))
                    .count() as u8
            });
            let copies = copies.sum();
            let certain = run.is(Mutant::CountNotValidated);
            Ok(if certain || run.version(item.head)? == before {
                Done(copies)
            } else {
                Again(())
            })
        })
    }
}
