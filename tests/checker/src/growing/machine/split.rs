//! The split of a word: its tokens go to its two children.

use super::{Again, Done, Run, Step};
use crate::growing::geometry::{Item, level_of, side_of};
use crate::growing::memory::{Kind, Transfer};
use crate::growing::mutants::Mutant;
use crate::growing::word::Word;

impl Run<'_> {
    /// Splits the live word of an item. False if it must not be split.
    pub(super) fn split_live(&mut self, item: Item, side: u8) -> Step<bool> {
        let hint = self.hint(0)?;
        let live = self.live(item, side, hint.level)?;
        if !hint.growing || live.level() != hint.level {
            return Ok(false);
        }
        self.split(live.number)
    }

    /// Returns when the word has been split. False if a token has no tail, or the word is none any more.
    pub(super) fn split(&mut self, number: u8) -> Step<bool> {
        self.repeat((), move |run, ()| {
            let word = run.settle(number)?;
            if !word.is_plain() {
                return Ok(Done(word == Word::GONE));
            }
            let Some(parts) = run.parts(number, word) else {
                return Ok(Done(false));
            };
            if run.is(Mutant::SplitWithoutFreezing) {
                run.fill(number, parts)?;
                let done = run.exchange(number, word, Word::GONE)?;
                return Ok(if done { Done(true) } else { Again(()) });
            }
            let reference = run.publish(Transfer {
                kind: Kind::Split,
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
                run.exchange(number, reference, Word::GONE)?;
                run.fill(number, parts)?;
                return run.unpin();
            }
            run.fill(number, parts)?;
            if run.is(Mutant::UnpinnedBeforeTheEnd) {
                run.unpin()?;
                run.fill(number, parts)?;
            }
            run.exchange(number, reference, Word::GONE)?;
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
            let born = self.exchange(child, Word::UNBORN, part)?;
            if !born && self.is(Mutant::EmptyChildFilledAgain) {
                self.exchange(child, Word::EMPTY, part)?;
            }
        }
        debug_assert!(level_of(number) < crate::growing::geometry::DEEPEST);
        Ok(())
    }
}
