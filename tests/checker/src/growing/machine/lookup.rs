//! Lookup and count; the live word of an item on a side, which is the one that holds its bucket now; and admission, which
//! looks there first, and the decision of an admission by its owner or a helper.

use serde::{Deserialize, Serialize};

use super::write::Opened;
use super::{Answer, Run};
use crate::growing::geometry::{Item, level_of, side_of};
use crate::growing::machine::{Change, Root, Transfer, Word};
use crate::growing::mutants::Mutant;
use crate::replay::{Again, Done, Step};
use crate::shared::State;

/// A word that has been read, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Live {
    pub number: u8,
    pub word: Word,
}

/// The two live words of an item, and the root that led to them.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Pair {
    pub root: Root,
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
                0 => item.number(side, run.root(table)?.level),
                number => number,
            };
            let word = run.settle(number)?;
            Ok(match word {
                Word::Unborn => Again(0),
                Word::Gone => Again(item.child(number)),
                word => Done(Live { number, word }),
            })
        })
    }

    /// Both.
    pub(super) fn pair(&mut self, table: usize, item: Item) -> Step<Pair> {
        self.routine(|run| {
            let root = run.root(table)?;
            let first = run.live(item, 0, root.level)?;
            let second = run.live(item, 1, root.level)?;
            Ok(Pair {
                root,
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
                (Change::Split, _) if run.is(Mutant::SplitThawedByAHelper) => {
                    run.exchange(number, word, transfer.old_source)?;
                }
                (Change::Split, _) => run.finish(number, word, transfer.old_source)?,
                (Change::Relocation, State::Pending) => {
                    run.decide_use(word, State::Aborted)?;
                }
                (Change::Admission, State::Pending) => run.decide(word, transfer)?,
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
                0 => item.number(side, run.root(table)?.level),
                number => number,
            };
            let word = run.load(number)?;
            match word {
                Word::Unborn => return Ok(Again(0)),
                Word::Gone if run.is(Mutant::LookupByTheHintOnly) => return Ok(Done(false)),
                Word::Gone => return Ok(Again(item.child(number))),
                word if word.is_plain() => return Ok(Done(run.holds(number, word, item))),
                _ => {}
            }
            let Some(transfer) = run.resolve(word)? else {
                return Ok(Again(number));
            };
            if transfer.kind == Change::Split && run.is(Mutant::SplitTakenForAbsence) {
                return Ok(Done(false));
            }
            let content = transfer.content(number);
            if run.holds(number, content, item) {
                return Ok(Done(true));
            }
            let arrives = transfer.kind == Change::Relocation
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

    /// Both words at the level of the root, if they are plain.
    fn look_once(&mut self, table: usize, item: Item) -> Step<Option<bool>> {
        self.routine(|run| {
            let level = run.root(table)?.level;
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
            let level = run.root(table)?.level;
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

impl Run<'_> {
    pub(super) fn unique(&mut self, item: Item) -> Step<Answer> {
        self.rounds(0, move |run, attempt: u8| {
            if usize::from(attempt) == run.world.shape.attempts {
                // A loop's round makes an access.
                run.root(0)?;
                return Ok(Done(Answer::Full));
            }
            let list = run.list()?;
            let table = usize::from(list) - 1;
            let pair = run.pair(table, item)?;
            let holds = |live: &Live| run.holds(live.number, live.word, item);
            if pair.words.iter().any(holds) {
                return Ok(Done(Answer::Bool(false)));
            }
            if run.addable(pair, item).is_none() {
                return Ok(match run.open(table, pair, None)? {
                    Opened::Placed | Opened::Changed => Again(attempt),
                    Opened::Disturbed => Again(attempt + 1),
                    Opened::Full => Done(Answer::Full),
                });
            }
            let admitted = run.admit(pair, item, list)?;
            Ok(if admitted {
                Done(Answer::Bool(true))
            } else {
                Again(attempt + 1)
            })
        })
    }

    fn admit(&mut self, pair: Pair, item: Item, list: u8) -> Step<bool> {
        self.routine(|run| {
            let Some((target, placed)) = run.addable(pair, item) else {
                unreachable!("it has room");
            };
            let transfer = Transfer {
                kind: Change::Admission,
                placed,
                item: run.world.id_of(item),
                source: target.number,
                old_source: target.word,
                ..Transfer::default()
            };
            let reference = run.publish(transfer)?;
            if !run.exchange(target.number, target.word, reference)? {
                run.decide_use(reference, State::Aborted)?;
                return Ok(false);
            }
            if run.world.shape.several() {
                run.decide_in_several(reference, transfer, list)?;
            } else {
                run.decide(reference, transfer)?;
            }
            if run.is(Mutant::AdmissionThawsItsTarget) {
                run.exchange(target.number, reference, target.word)?;
            }
            let committed = run
                .resolve(reference)?
                .is_some_and(|t| t.state == State::Committed);
            let new = if committed {
                transfer.after(target.number)
            } else {
                target.word
            };
            run.exchange(target.number, reference, new)?;
            Ok(committed)
        })
    }

    /// Decides an admission that may be pending, as the owner or a helper. In several tables only the owner knows what has been
    /// asked, so others abort.
    pub(super) fn decide(&mut self, reference: Word, transfer: Transfer) -> Step<()> {
        self.routine(|run| {
            let aborts = run.world.shape.several() && !run.is(Mutant::HelpersDecideInSeveral);
            let absent = !aborts && run.witness_is_without(transfer)?;
            let absent = absent || run.is(Mutant::AdmissionIgnoresItsWitness);
            run.decide_use(reference, State::of(absent)).map(drop)
        })
    }

    /// As the owner, in several tables.
    fn decide_in_several(&mut self, reference: Word, transfer: Transfer, list: u8) -> Step<()> {
        self.routine(|run| {
            let item = run.world.known[usize::from(transfer.item)];
            let mut absent = run.witness_is_without(transfer)?;
            for table in (0..list - 1).rev() {
                for side in 0..2 {
                    if absent && !run.is(Mutant::CoarserTableNotAsked) {
                        absent = run.is_without(table.into(), item, side)?;
                    }
                }
            }
            if absent && !run.is(Mutant::ListNotCheckedByAdmission) {
                absent = run.list()? == list;
            }
            run.decide_use(reference, State::of(absent)).map(drop)
        })
    }

    /// Whether the other word of the item holds no token that covers it, nor is about to get one by an admission that
    /// comes first.
    fn witness_is_without(&mut self, transfer: Transfer) -> Step<bool> {
        let target = transfer.source;
        let table = self.world.table_of(level_of(target));
        let side = 1 - side_of(target);
        let item = self.world.known[usize::from(transfer.item)];
        self.repeat(0, move |run, number: u8| {
            let number = match number {
                0 => item.number(side, run.witness_level(table, target)?),
                number => number,
            };
            // A read-modify-write; here a load does the same.
            let word = run.load(number)?;
            if word.is_plain() {
                return Ok(Done(!run.obstructs(number, word, item)));
            }
            let blind = word == Word::Gone && run.is(Mutant::WitnessNotFollowed)
                || word == Word::Unborn && run.is(Mutant::WitnessByItsFirstNumber);
            match word {
                _ if blind => return Ok(Done(true)),
                Word::Unborn => return Ok(Again(0)),
                Word::Gone => return Ok(Again(item.child(number))),
                _ => {}
            }
            let Some(other) = run.resolve(word)? else {
                return Ok(Again(number));
            };
            if other.kind == Change::Split {
                run.finish(number, word, other.old_source)?;
                return Ok(Again(number));
            }
            if run.obstructs(number, other.content(number), item) {
                return Ok(Done(false));
            }
            let pending = other.kind == Change::Admission && other.state == State::Pending;
            if !pending || !run.is_rival(number, other, transfer) {
                return Ok(Done(true));
            }
            if number < target {
                // The one with the lower target comes first.
                return Ok(Done(false));
            }
            run.decide_use(word, State::Aborted)?;
            Ok(Again(number))
        })
    }

    fn witness_level(&mut self, table: usize, target: u8) -> Step<u8> {
        if self.is(Mutant::WitnessByItsFirstNumber) {
            self.load(target)?;
            return Ok(level_of(target));
        }
        Ok(self.root(table)?.level)
    }

    /// Whether a word holds a token that covers the item of an admission.
    fn obstructs(&self, number: u8, word: Word, item: Item) -> bool {
        if self.is(Mutant::WitnessSearchedForEqual) {
            let levels = self.world.levels_at(number);
            let own = levels.lane(item, level_of(number));
            return word.lanes().any(|lane| lane == own);
        }
        self.holds(number, word, item)
    }

    /// Whether another admission would cover the item of this one.
    fn is_rival(&self, number: u8, other: Transfer, own: Transfer) -> bool {
        let item = self.world.known[usize::from(own.item)];
        let class = |t: Transfer| self.world.levels_at(t.source).class_of(t.source, t.placed);
        match self.world.mutant {
            Some(Mutant::RivalNoObstacle) => false,
            Some(Mutant::RivalOnlyIfEqual) => class(other) == class(own),
            // What one knows who has the token, and not the item.
            Some(Mutant::RivalOnlyIfItCoversTheToken) => {
                class(other).nests(class(own)) && class(other).len <= class(own).len
            }
            _ => self.covers(number, other.placed, item),
        }
    }

    /// Whether the word of an item in another table holds no token that covers it. Aborts admissions there.
    fn is_without(&mut self, table: usize, item: Item, side: u8) -> Step<bool> {
        self.routine(|run| {
            let level = run.root(table)?.level;
            if run.is(Mutant::CoarserTableAskedLikeALookup) {
                return Ok(!run.look(item, side, level)?);
            }
            let live = run.live(item, side, level)?;
            Ok(!run.holds(live.number, live.word, item))
        })
    }
}
