//! Insertion, removal and relocation.

use serde::{Deserialize, Serialize};

use super::lookup::{Live, Pair};
use super::{Answer, Run};
use crate::growing::geometry::{Class, Item, Lane, alternate, head_of, level_of};
use crate::growing::machine::{Transfer, Word};
use crate::growing::mutants::Mutant;
use crate::replay::{Again, Done, Step};
use crate::shared::State;

/// What came of the search for room in two full words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
        let list = self.list()?;
        Ok(usize::from(list) - 1)
    }

    pub(super) fn insert(&mut self, item: Item) -> Step<Answer> {
        let id = self.world.id_of(item);
        let table = self.target()?;
        self.rounds(0, move |run, attempt: u8| {
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
            if usize::from(attempt) == run.world.shape.attempts {
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
            Some(Mutant::LaneOfTheRoot) => pair.root.level,
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
                .find(|live| live.level() == pair.root.level);
            if let (Some(live), true) = (old, pair.root.growing) {
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
                            level: pair.root.level,
                        })?;
                        return Ok(match (done, item) {
                            (true, Some(_)) => Opened::Placed,
                            (true, None) => Opened::Changed,
                            (false, _) => Opened::Disturbed,
                        });
                    }
                }
            }
            if pair.root.growing {
                run.double()?;
                return Ok(Opened::Disturbed);
            }
            let level = pair.words.map(Live::level);
            if level != [pair.root.level; 2] {
                return Ok(Opened::Disturbed);
            }
            let grown = run.grow(table, pair.root)?;
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
        Ok(room || word == Word::Unborn && pair.root.growing)
    }
}

/// Removal: a longest token that covers the item.
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
            let before = run.version(item.head)?;
            let pair = run.pair(table, item)?;
            let Some(longest) = run.longest(pair, item) else {
                let certain = run.is(Mutant::FailedRemoveNotValidated);
                let missed = certain || run.version(item.head)? == before;
                return Ok(if missed { Done(false) } else { Again(bumped) });
            };
            let Longest { side, lane, class } = longest;
            let [live, other] = [pair.words[side], pair.words[1 - side]];
            let levels = run.world.levels_at(live.number);
            let is_full_length = class.len == levels.full_length(live.level());
            let sure = is_full_length || run.is(Mutant::ShortTokenNotValidated);
            if !sure && run.version(item.head)? != before {
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

/// Relocation: a token goes from one of its words to the other, of the same level.
/// What a hop does: what moves, from where, and what is placed there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    pub moved: Lane,
    pub placed: Lane,
    pub item: u8,
    pub source: u8,
    /// The level of the root by which the source was found.
    pub level: u8,
}

impl Run<'_> {
    /// Moves a token that covers the item from one side to the other, the longest if there are several.
    pub(super) fn hop(&mut self, item: Item, side: u8) -> Step<bool> {
        let level = self.root(0)?.level;
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
            let Hop { moved, source, .. } = hop;
            let mut destination = alternate(source, head_of(moved));
            if level_of(source) > hop.level && !run.is_below_gone(&mut destination)? {
                // One end is still at the old level.
                return Ok(false);
            }
            let old_source = run.settle(source)?;
            let old_destination = run.settle(destination)?;
            if old_destination == Word::Gone {
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
                placed: hop.placed,
                item: hop.item,
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
            if self.load(*number)? == Word::Unborn {
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
        let ends = [transfer.source, transfer.destination];
        let (lower, higher) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
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
            transfer.moved != 0 && level_of(lower) == level_of(higher)
                || self.world.mutant.is_some()
        );
        for number in ends {
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
