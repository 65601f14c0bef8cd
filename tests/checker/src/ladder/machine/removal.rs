//! Removal: a longest token that covers the item.

use super::live::{Live, Pair};
use super::{Again, Done, Run, Step};
use crate::ladder::geometry::{Class, Item, Lane};
use crate::ladder::mutants::Mutant;
use crate::ladder::thread::Entry;

/// The token that a remove takes: on which side, and what it is.
#[derive(Clone, Copy, Debug)]
struct Longest {
    side: usize,
    lane: Lane,
    class: Class,
}

impl Run<'_> {
    /// From the last ladder, whose classes are the longest, to the first.
    pub(super) fn remove(&mut self, item: Item) -> Step<bool> {
        if !self.world.shape.chain {
            return self.remove_in(0, item);
        }
        self.repeat((), move |run, ()| {
            let list = run.list()?;
            let coarser_first = run.is(Mutant::CoarserLadderFirst);
            for at in 0..list {
                let ladder = if coarser_first { at } else { list - 1 - at };
                if run.remove_in(ladder.into(), item)? {
                    return Ok(Done(true));
                }
                if !run.is(Mutant::ListNotCheckedByRemove) && run.list()? != list {
                    return Ok(Again(()));
                }
            }
            Ok(Done(false))
        })
    }

    fn remove_in(&mut self, ladder: usize, item: Item) -> Step<bool> {
        self.repeat(None, move |run, bumped: Option<Class>| {
            let before = run.version(item)?;
            let pair = run.pair(ladder, item)?;
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
            let mut bumped = bumped;
            if let Some(note) = run.twin(other, class) {
                bumped = run.bump_for_twin(bumped, note)?;
            }
            let Some(left) = live.word.without(lane) else {
                unreachable!("the token was seen there");
            };
            let id = run.world.id_of(item);
            let done = run.exchange_and(live.number, live.word, left, |run| run.went(id))?;
            Ok(if done { Done(true) } else { Again(bumped) })
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
            let takes = if self.is(Mutant::ShortestTaken) {
                b.class.len < a.class.len
            } else if self.is(Mutant::TieBySideOne) {
                b.class.len >= a.class.len
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

    /// The shorter one of a token and one that is nested with it in the other word.
    fn twin(&self, other: Live, class: Class) -> Option<Class> {
        let levels = self.world.levels_at(other.number);
        let equal_only = self.is(Mutant::TwinOnlyIfEqual);
        let covering_only = self.is(Mutant::TwinOnlyIfItCovers);
        let nested = other.word.classes(levels, other.number).filter(|twin| {
            twin.nests(class)
                && (!equal_only || *twin == class)
                && (!covering_only || twin.len <= class.len)
        });
        let shorter = nested.min_by_key(|twin| twin.len)?;
        Some(if shorter.len < class.len {
            shorter
        } else {
            class
        })
    }

    /// Says that tokens take turns, to lookups and to a scan, once for each class. Returns for which it has been said.
    fn bump_for_twin(&mut self, bumped: Option<Class>, note: Class) -> Step<Option<Class>> {
        let said = bumped == Some(note) || bumped.is_some() && self.is(Mutant::RemoveNotesOnce);
        if said || self.is(Mutant::RemoveBumpsNothing) {
            return Ok(bumped);
        }
        let scanned = self.bump(note.head)?;
        if scanned && !self.is(Mutant::RemoveGivesNoNote) {
            self.note(note)?;
        }
        Ok(Some(note))
    }
}

impl Entry for Class {
    fn encode(self) -> u64 {
        u64::from(self.head) << 7 | u64::from(self.len) << 4 | u64::from(self.bits)
    }

    fn decode(code: u64) -> Self {
        Self {
            head: (code >> 7) as u8,
            len: (code >> 4 & 7) as u8,
            bits: (code & 0xf) as u8,
        }
    }
}
