//! Removal: a longest token that covers the item.

use super::live::{Live, Pair};
use super::{Again, Done, Run, Step};
use crate::growing::geometry::{Class, Item, Lane, level_of};
use crate::growing::mutants::Mutant;

/// The token that a remove takes: on which side, and what it is.
#[derive(Clone, Copy, Debug)]
struct Longest {
    side: usize,
    lane: Lane,
    class: Class,
}

impl Run<'_> {
    /// From the last table, whose classes are the longest, to the first.
    pub(super) fn remove(&mut self, item: Item) -> Step<bool> {
        if !self.world.shape.several {
            return self.remove_in(0, item);
        }
        let list = self.list()?;
        let coarser_first = self.is(Mutant::CoarserTableFirst);
        for at in 0..list {
            let table = if coarser_first { at } else { list - 1 - at };
            if self.remove_in(table.into(), item)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn remove_in(&mut self, table: usize, item: Item) -> Step<bool> {
        if self.world.shape.sweeps {
            self.sweep_in(table)?;
        }
        self.repeat(false, move |run, bumped| {
            let before = run.version(item)?;
            let pair = run.pair(table, item)?;
            let Some(longest) = run.longest(pair, item) else {
                let certain = run.is(Mutant::FailedRemoveNotValidated);
                let missed = certain || run.version(item)? == before;
                return Ok(if missed { Done(false) } else { Again(bumped) });
            };
            let Longest { side, lane, class } = longest;
            let [live, other] = [pair.words[side], pair.words[1 - side]];
            let levels = run.world.levels_at(live.number);
            let sure =
                levels.is_full_length(lane, live.level()) || run.is(Mutant::ShortTokenNotValidated);
            if !sure && run.version(item)? != before {
                return Ok(Again(bumped));
            }
            let twin = run.has_twin(other, class);
            if twin && !bumped {
                run.bump_for_twin(class)?;
            }
            let bumped = bumped || twin;
            let Some(left) = live.word.without(lane) else {
                unreachable!("the token was seen there");
            };
            let id = run.world.id_of(item);
            let done = run.exchange_and(live.number, live.word, left, |run| run.went(id))?;
            if run.is(Mutant::TwinBumpsAfterTheExchange) && run.has_twin(other, class) {
                run.bump(item.head)?;
            }
            Ok(if done || run.is(Mutant::RemoveIgnoresItsExchange) {
                Done(true)
            } else {
                Again(bumped)
            })
        })
    }

    /// A longest token of two words that covers an item, the first side's if both have one.
    fn longest(&self, pair: Pair, item: Item) -> Option<Longest> {
        let tokens = |side: usize| {
            let Live { number, word } = pair.words[side];
            let levels = self.world.levels_at(number);
            let covering = word
                .lanes()
                .filter(move |&lane| self.covers(number, lane, item));
            covering.map(move |lane| Longest {
                side,
                lane,
                class: levels.class_of(number, lane),
            })
        };
        let longer = |a: Longest, b: Longest| {
            let tail = |token: Longest| {
                let number = pair.words[token.side].number;
                self.world
                    .levels_at(number)
                    .tail_of(token.lane, level_of(number))
            };
            let takes = if self.is(Mutant::LengthByTheTail) {
                tail(b) > tail(a)
            } else if self.is(Mutant::ShortestTaken) {
                b.class.len < a.class.len
            } else {
                b.class.len > a.class.len
            };
            if takes { b } else { a }
        };
        if self.is(Mutant::FirstFoundTaken) {
            return tokens(0).chain(tokens(1)).next();
        }
        tokens(0).chain(tokens(1)).reduce(longer)
    }

    /// Whether a word holds a token whose class is nested with this one.
    fn has_twin(&self, other: Live, class: Class) -> bool {
        let levels = self.world.levels_at(other.number);
        other
            .word
            .classes(levels, other.number)
            .any(|twin| match self.world.mutant {
                Some(Mutant::TwinOnlyIfEqual) => twin == class,
                Some(Mutant::TwinOnlyIfItCovers) => twin.nests(class) && twin.len <= class.len,
                _ => twin.nests(class),
            })
    }

    /// Says that tokens take turns, to lookups and to a scan. A twin that comes later comes while this remove is under
    /// way, and the remove can be placed before it.
    fn bump_for_twin(&mut self, class: Class) -> Step<()> {
        let elsewhere = [
            Mutant::RemoveBumpsNothing,
            Mutant::TwinBumpsAfterTheExchange,
        ];
        if elsewhere.iter().any(|&mutant| self.is(mutant)) {
            return Ok(());
        }
        let scanned = self.bump(class.head)?;
        if scanned && !self.is(Mutant::RemoveGivesNoNote) {
            self.note(class)?;
        }
        Ok(())
    }
}
