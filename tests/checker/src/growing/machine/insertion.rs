//! Insertion.

use super::live::{Live, Pair};
use super::relocation::Hop;
use super::{Again, Answer, Done, Run, Step};
use crate::growing::geometry::{Item, alternate, head_of};
use crate::growing::mutants::Mutant;
use crate::growing::thread::Entry;
use crate::growing::word::Word;

/// What came of the search for room in two full words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opened {
    /// The item is in.
    Placed,
    /// There may be room now.
    Changed,
    /// A hop was disturbed: it counts as an attempt.
    Disturbed,
    /// There is none.
    Full,
}

impl Run<'_> {
    /// The table that inserts go to.
    fn target(&mut self) -> Step<usize> {
        if !self.world.shape.several {
            return Ok(0);
        }
        let list = self.list()?;
        Ok(usize::from(list) - 1)
    }

    pub(super) fn insert(&mut self, item: Item) -> Step<Answer> {
        let id = self.world.id_of(item);
        let table = self.target()?;
        self.repeat(0, move |run, attempt: u8| {
            let pair = run.pair(table, item)?;
            if let Some((live, lane)) = run.addable(pair, item) {
                let Some(new) = live.word.with(lane, run.world.shape.slots) else {
                    unreachable!("it has room");
                };
                let done = run.exchange_and(live.number, live.word, new, |run| run.came(id))?;
                if done {
                    if run.world.shape.sweeps {
                        run.sweep_in(table)?;
                    }
                    return Ok(Done(Answer::Bool(true)));
                }
                return Ok(Again(attempt));
            }
            if attempt == run.world.shape.attempts {
                return Ok(Done(Answer::Full));
            }
            Ok(match run.open(table, pair, Some(item))? {
                Opened::Placed => Done(Answer::Bool(true)),
                Opened::Changed => Again(attempt),
                Opened::Disturbed => Again(attempt + 1),
                Opened::Full => Done(Answer::Full),
            })
        })
    }

    /// The emptier of two words, the first if they are alike, and what would be stored in it. `None` if both are full.
    pub(super) fn addable(&self, pair: Pair, item: Item) -> Option<(Live, u8)> {
        let [first, second] = pair.words;
        let live = if second.word.tokens() < first.word.tokens() {
            second
        } else {
            first
        };
        let level = match self.world.mutant {
            Some(Mutant::LaneOfTheHint) => pair.hint.level,
            _ => live.level(),
        };
        let levels = self.world.levels_at(live.number);
        (live.word.tokens() < self.world.shape.slots).then(|| (live, levels.lane(item, level)))
    }

    /// Makes room in two full words: by a split, by a hop, by growth. The hop places the item, if there is one.
    pub(super) fn open(&mut self, table: usize, pair: Pair, item: Option<Item>) -> Step<Opened> {
        self.routine(|run| {
            let old = pair
                .words
                .iter()
                .find(|live| live.level() == pair.hint.level);
            if let (Some(live), true) = (old, pair.hint.growing) {
                return Ok(match run.split(live.number)? {
                    true => Opened::Changed,
                    false => Opened::Full,
                });
            }
            for live in pair.words {
                for moved in live.word.lanes() {
                    if run.could_take(live, moved, pair)? {
                        let placed = item.map_or(0, |item| {
                            run.world.levels_at(live.number).lane(item, live.level())
                        });
                        let done = run.relocate(Hop {
                            moved,
                            placed,
                            item: item.map_or(0, |item| run.world.id_of(item)),
                            source: live.number,
                            level: pair.hint.level,
                        })?;
                        return Ok(match (done, item) {
                            (true, Some(_)) => Opened::Placed,
                            (true, None) => Opened::Changed,
                            (false, _) => Opened::Disturbed,
                        });
                    }
                }
            }
            if pair.hint.growing {
                run.double()?;
                return Ok(Opened::Disturbed);
            }
            let level = pair.words.map(Live::level);
            if level != [pair.hint.level; 2] {
                return Ok(Opened::Disturbed);
            }
            let grown = run.grow(table, pair.hint)?;
            Ok(if grown { Opened::Changed } else { Opened::Full })
        })
    }

    /// Whether the other word of a token may have room, which is not one of the two that are full.
    fn could_take(&mut self, live: Live, moved: u8, pair: Pair) -> Step<bool> {
        let other = alternate(live.number, head_of(moved));
        if pair.words.iter().any(|live| live.number == other) {
            return Ok(false);
        }
        let word = self.load(other)?;
        let room = word.is_plain() && word.tokens() < self.world.shape.slots;
        Ok(room || word == Word::UNBORN && pair.hint.growing)
    }
}

impl Entry for Opened {
    fn encode(self) -> u64 {
        self as u64
    }

    fn decode(code: u64) -> Self {
        [Self::Placed, Self::Changed, Self::Disturbed, Self::Full][code as usize]
    }
}
