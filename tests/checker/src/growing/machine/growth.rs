//! Growth: the next level, the sweep that brings all tokens there, the split of a word, and the giving back of what they
//! left.

use super::Run;
use crate::growing::geometry::{DEEPEST, Item, WORDS, level_of, side_of};
use crate::growing::machine::{Change, Epoch, Root, Transfer, Word};
use crate::growing::mutants::Mutant;
use crate::replay::{Again, Done, Step};

impl Run<'_> {
    /// The next level, by a call of its own.
    pub(super) fn grow_once(&mut self) -> Step<bool> {
        let root = self.root(0)?;
        if root.growing {
            return Ok(false);
        }
        self.grow(0, root)
    }

    /// Adds the next level to a table that was seen not to grow. False if there can be none.
    pub(super) fn grow(&mut self, table: usize, seen: Root) -> Step<bool> {
        if seen.level >= self.world.levels(table).deepest {
            return Ok(false);
        }
        let grows = Root {
            growing: true,
            ..seen
        };
        self.routine(|run| {
            if run.is(Mutant::RootBeforeTheBlock) {
                run.set_root(table, Some(seen), grows)?;
                run.allocate(seen.level + 1)?;
                return Ok(true);
            }
            run.allocate(seen.level + 1)?;
            let (old, new) = match run.world.mutant {
                Some(Mutant::GrowingSetByOr) => {
                    let level = run.memory.roots[table].level;
                    (None, Root { level, ..grows })
                }
                Some(Mutant::RootStored) => (None, grows),
                _ => (Some(seen), grows),
            };
            run.set_root(table, old, new)?;
            Ok(true)
        })
    }

    /// One of those who allocate a block publishes it.
    fn allocate(&mut self, level: u8) -> Step<()> {
        self.other("blocks", |run| {
            run.memory.blocks |= 1 << level;
            (run.memory.blocks, true)
        })
        .map(drop)
    }

    /// Splits one word, if the table grows, or ends its growth. False if it does not.
    pub(super) fn sweep(&mut self) -> Step<bool> {
        self.sweep_in(0)
    }

    pub(super) fn sweep_in(&mut self, table: usize) -> Step<bool> {
        self.routine(|run| {
            let root = run.root(table)?;
            if !root.growing {
                return Ok(false);
            }
            let cursor = run.other("cursor", |run| (run.memory.cursors[table], false))?;
            let (first, end) = (1 << root.level, 2 << root.level);
            let grown = Root {
                level: root.level + 1,
                growing: false,
            };
            if !(first..=end).contains(&cursor) {
                // The root is an old one.
                return Ok(true);
            }
            if cursor == end {
                run.set_root(table, Some(root), grown)?;
                return Ok(true);
            }
            if cursor + 1 == end && run.is(Mutant::RootBeforeLastGone) {
                run.set_root(table, Some(root), grown)?;
            }
            let passes = run.is(Mutant::CursorBeforeGone);
            let skips = run.is(Mutant::SweepSkipsFrozenWords) && run.load(cursor)?.is_reference();
            if !passes && !skips && !run.split(cursor)? {
                return Ok(false);
            }
            run.other("cursor", |run| {
                let now = &mut run.memory.cursors[table];
                let done = *now == cursor;
                *now += u8::from(done);
                (*now, done)
            })?;
            if passes {
                run.split(cursor)?;
            }
            Ok(true)
        })
    }

    /// Sweeps until the table does not grow.
    pub(super) fn double(&mut self) -> Step<bool> {
        self.repeat((), |run, ()| {
            Ok(if run.sweep()? { Again(()) } else { Done(true) })
        })
    }

    /// Appends another table, whose first level is one deeper than the last of this one.
    pub(super) fn append(&mut self) -> Step<bool> {
        if self.read_list()? > 1 || !self.world.shape.several() {
            return Ok(false);
        }
        self.other("append", |run| {
            run.memory.tables = 2;
            (true, true)
        })
    }
}

/// Giving back.
impl Run<'_> {
    /// From here on nothing is given back that was not deferred before.
    pub(super) fn pin(&mut self) -> Step<()> {
        self.set_pin(true)
    }

    /// Lets go.
    pub(super) fn unpin(&mut self) -> Step<()> {
        self.set_pin(false)
    }

    fn set_pin(&mut self, pinned: bool) -> Step<()> {
        if !self.world.shape.release || self.is(Mutant::HelperNotPinned) {
            return Ok(());
        }
        let me = 1 << self.id;
        self.other("pinned", |run| {
            let epoch = &mut run.memory.epoch;
            if pinned {
                epoch.pinned |= me;
            } else {
                epoch.pinned &= !me;
                epoch.awaited &= !me;
            }
            (epoch.pinned, true)
        })
        .map(drop)
    }

    /// Gives back the blocks that the table has left, when nobody is pinned any more who was when it was seen to have
    /// left them.
    pub(super) fn release(&mut self) -> Step<bool> {
        let first = self.world.levels(0).first;
        self.repeat((), move |run, ()| {
            let level = run.root(0)?.level;
            let deferred = run.other("deferred", |run| {
                let epoch = &mut run.memory.epoch;
                let next = first + epoch.given.count_ones() as u8;
                let early = u8::from(run.world.mutant == Some(Mutant::GivenBackBeforeTheRoot));
                let begun = epoch.level == 0 && next < level + early;
                if begun {
                    epoch.level = next;
                    epoch.awaited = epoch.pinned;
                }
                if run.world.mutant == Some(Mutant::ReleasedAtOnce) {
                    epoch.awaited = 0;
                }
                (epoch.level, begun)
            })?;
            if deferred == 0 {
                return Ok(Done(true));
            }
            let taken = run.other("taken", |run| {
                let epoch = &mut run.memory.epoch;
                let ready = epoch.level == deferred && epoch.awaited == 0;
                if ready {
                    *epoch = Epoch {
                        pinned: epoch.pinned,
                        given: epoch.given | 1 << deferred,
                        ..Epoch::default()
                    };
                }
                (ready, ready)
            })?;
            if !taken {
                return Ok(Done(false));
            }
            run.wipe(1 << deferred)?;
            Ok(Again(()))
        })
    }

    /// Fresh memory in place of a level, word after word.
    fn wipe(&mut self, first: u8) -> Step<()> {
        self.repeat(first, move |run, number| {
            run.other("given back", |run| {
                run.memory.words[usize::from(number) % WORDS] = Word::Unborn;
                ((), true)
            })?;
            let next = number + 1;
            Ok(if next == 2 * first {
                Done(())
            } else {
                Again(next)
            })
        })
    }
}

/// The split of a word: its tokens go to its two children.
impl Run<'_> {
    /// Splits the live word of an item. False if it must not be split.
    pub(super) fn split_live(&mut self, item: Item, side: u8) -> Step<bool> {
        let root = self.root(0)?;
        let live = self.live(item, side, root.level)?;
        if !root.growing || live.level() != root.level {
            return Ok(false);
        }
        self.split(live.number)
    }

    /// Returns when the word has been split. False if a token has no tail, or the word is none any more.
    pub(super) fn split(&mut self, number: u8) -> Step<bool> {
        self.repeat((), move |run, ()| {
            let word = run.settle(number)?;
            if !word.is_plain() {
                return Ok(Done(word == Word::Gone));
            }
            let Some(parts) = run.parts(number, word) else {
                return Ok(Done(false));
            };
            if run.is(Mutant::SplitWithoutFreezing) {
                run.fill(number, parts)?;
                let done = run.exchange(number, word, Word::Gone)?;
                return Ok(if done { Done(true) } else { Again(()) });
            }
            let reference = run.publish(Transfer {
                kind: Change::Split,
                source: number,
                old_source: word,
                ..Transfer::default()
            })?;
            let frozen = run.exchange(number, word, reference)?;
            if !frozen && run.is(Mutant::SplitIgnoresItsExchange) {
                run.fill(number, parts)?;
            } else if !frozen {
                return Ok(Again(()));
            }
            run.finish(number, reference, word)?;
            Ok(Done(true))
        })
    }

    fn parts(&self, number: u8, word: Word) -> Option<[Word; 2]> {
        let parts = word.split(&self.world.levels_at(number), number);
        match (parts, side_of(number)) {
            (Some([first, second]), 1) if self.is(Mutant::SplitForgetsTheSide) => {
                Some([second, first])
            }
            _ => parts,
        }
    }

    /// Does what is left to do of a split. Anybody may, any number of times.
    pub(super) fn finish(&mut self, number: u8, reference: Word, old: Word) -> Step<()> {
        self.routine(|run| {
            let Some(parts) = run.parts(number, old) else {
                unreachable!("no such split is begun");
            };
            run.pin()?;
            if !run.is_there_still(number, reference)? {
                return run.unpin();
            }
            if run.is(Mutant::GoneBeforeTheChildren) {
                run.exchange(number, reference, Word::Gone)?;
                run.fill(number, parts)?;
                return run.unpin();
            }
            run.fill(number, parts)?;
            if run.is(Mutant::UnpinnedBeforeTheEnd) {
                run.unpin()?;
                run.fill(number, parts)?;
            }
            run.exchange(number, reference, Word::Gone)?;
            run.unpin()
        })
    }

    /// Where blocks are given back: whether the split was not over before the thread was pinned.
    fn is_there_still(&mut self, number: u8, reference: Word) -> Step<bool> {
        let blind = self.is(Mutant::PinnedTooLate);
        Ok(!self.world.shape.release || blind || self.load(number)? == reference)
    }

    /// Gives the children their parts, each once.
    fn fill(&mut self, number: u8, parts: [Word; 2]) -> Step<()> {
        for (child, part) in [2 * number, 2 * number + 1].into_iter().zip(parts) {
            let born = self.exchange(child, Word::Unborn, part)?;
            if !born && self.is(Mutant::EmptyChildFilledAgain) {
                self.exchange(child, Word::EMPTY, part)?;
            }
        }
        debug_assert!(level_of(number) < DEEPEST);
        Ok(())
    }
}
