//! Admission: `insert_unique`, and the decision of an admission by its owner or a helper.

use super::lookup::{Live, Pair};
use super::write::Opened;
use super::{Answer, Run};
use crate::growing::geometry::{Item, level_of, side_of};
use crate::growing::memory::{Kind, Transfer, Word};
use crate::growing::mutants::Mutant;
use crate::replay::{Again, Done, Step};
use crate::shared::State;

impl Run<'_> {
    pub(super) fn unique(&mut self, item: Item) -> Step<Answer> {
        self.rounds(0, move |run, attempt: u8| {
            if usize::from(attempt) == run.world.shape.attempts {
                // A loop's round makes an access.
                run.hint(0)?;
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
                kind: Kind::Admission,
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
            let state = if absent {
                State::Committed
            } else {
                State::Aborted
            };
            run.decide_use(reference, state)?;
            Ok(())
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
            let state = if absent {
                State::Committed
            } else {
                State::Aborted
            };
            run.decide_use(reference, state)?;
            Ok(())
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
            let blind = word == Word::GONE && run.is(Mutant::WitnessNotFollowed)
                || word == Word::UNBORN && run.is(Mutant::WitnessByItsFirstNumber);
            match word {
                _ if blind => return Ok(Done(true)),
                Word::UNBORN => return Ok(Again(0)),
                Word::GONE => return Ok(Again(item.child(number))),
                _ => {}
            }
            let Some(other) = run.resolve(word)? else {
                return Ok(Again(number));
            };
            if other.kind == Kind::Split {
                run.finish(number, word, other.old_source)?;
                return Ok(Again(number));
            }
            if run.obstructs(number, other.content(number), item) {
                return Ok(Done(false));
            }
            let pending = other.kind == Kind::Admission && other.state == State::Pending;
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
        Ok(self.hint(table)?.level)
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
            let level = run.hint(table)?.level;
            if run.is(Mutant::CoarserTableAskedLikeALookup) {
                return Ok(!run.look(item, side, level)?);
            }
            let live = run.live(item, side, level)?;
            Ok(!run.holds(live.number, live.word, item))
        })
    }
}
