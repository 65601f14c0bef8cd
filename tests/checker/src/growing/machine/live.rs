//! The live word of an item on a side: the one that holds its bucket now.

use super::{Again, Done, Run, Step};
use crate::growing::geometry::{Item, level_of};
use crate::growing::memory::{Hint, Kind, State};
use crate::growing::mutants::Mutant;
use crate::growing::thread::Entry;
use crate::growing::word::Word;

/// A word that has been read, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Live {
    pub number: u8,
    pub word: Word,
}

/// The two live words of an item, and the hint that led to them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub hint: Hint,
    pub words: [Live; 2],
}

impl Live {
    pub(super) fn level(self) -> u8 {
        level_of(self.number)
    }
}

impl Entry for Live {
    fn encode(self) -> u64 {
        u64::from(self.number) << 16 | self.word.code()
    }

    fn decode(code: u64) -> Self {
        Self {
            number: (code >> 16) as u8,
            word: Word::from_code(code & 0xffff),
        }
    }
}

impl Entry for Pair {
    fn encode(self) -> u64 {
        let [a, b] = self.words.map(Entry::encode);
        a | b << 20 | u64::from(self.hint.level) << 40 | u64::from(self.hint.growing) << 48
    }

    fn decode(code: u64) -> Self {
        let live = |code| Live::decode(code & 0xf_ffff);
        Self {
            hint: Hint {
                level: (code >> 40 & 0xff) as u8,
                growing: code >> 48 & 1 != 0,
            },
            words: [live(code), live(code >> 20)],
        }
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
        let word = self.repeat((), |run, ()| {
            let word = run.load(number)?;
            if !word.is_reference() {
                return Ok(Done(word.code()));
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
                        return Ok(Done(content.code()));
                    }
                }
            }
            Ok(Again(()))
        })?;
        Ok(Word::from_code(word))
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
        let (levels, level) = (self.world.levels_at(number), level_of(number));
        levels.covers(lane, levels.lane(item, level), level)
    }

    /// Whether a word holds a token that covers an item.
    pub(super) fn holds(&self, number: u8, word: Word, item: Item) -> bool {
        word.lanes().any(|lane| self.covers(number, lane, item))
    }
}
