//! Closing: an empty generation is sealed, and the filter goes on with one that is as small as it began.

use crossbeam_epoch::pin;

use super::Ladder;
use super::generation::Generation;
use crate::error::OutOfMemory;
use crate::tokens::doubling::FLUSHES;

impl Ladder {
    /// Ends growths that are under way, and begins anew if there is no token.
    pub(super) fn shrink(&self) {
        self.of_current(|generation| {
            for rung in generation.rungs() {
                rung.tokens().finish_growth();
            }
        });
        // A thread that is asleep while it is pinned must not make it keep one generation after the other.
        let nothing_is_left = self.nothing_is_left();
        self.give_back_rest();
        if !nothing_is_left {
            return;
        }
        {
            let guard = pin();
            let current = self.current.load(&guard);
            let generation = current.unwrap_or(&self.home);
            self.try_to_seal(generation);
            if generation.check().is_err() {
                self.leave(current, &guard);
            }
        }
        // What was left is given back now, if nobody is pinned.
        self.nothing_is_left();
    }

    /// Whether all generations that were left are freed.
    fn nothing_is_left(&self) -> bool {
        (0..FLUSHES).for_each(|_| pin().flush());
        self.current.left_bytes() == 0
    }

    /// Gives back what tables have grown out of, if no thread may be in the midst of a split into it.
    pub(super) fn give_back_rest(&self) {
        self.of_current(|generation| {
            generation
                .rungs()
                .for_each(|rung| rung.tokens().give_back_rest());
        });
    }

    fn try_to_seal(&self, generation: &Generation) {
        if !generation.has_grown() || !generation.rungs().all(|rung| rung.tokens().seems_empty()) {
            return;
        }
        // Before it is sealed: from then on it must be there.
        if self.prepare_successor(generation).is_err() || generation.successor().is_vacant() {
            return;
        }
        let gate = generation.gate();
        let Some(closing) = gate.begin() else {
            return;
        };
        let mut rungs = generation.first_rungs(closing.tables());
        if rungs.all(|rung| rung.tokens().close(closing)) {
            gate.seal(closing);
        } else {
            gate.cancel(closing);
        }
    }

    /// Makes the next generation, if it is not there yet, and there is memory for it. A filter at its limit may go beyond it
    /// for the next one, if that is at most half as large as what goes.
    fn prepare_successor(&self, generation: &Generation) -> Result<(), OutOfMemory> {
        if !generation.successor().is_vacant() {
            return Ok(());
        }
        let next = Box::new(generation.next()?);
        let guard = pin();
        let more = next.bytes(&guard) + size_of::<Generation>();
        let fits = self.bytes().saturating_add(more) <= self.memory_now();
        if fits || more <= generation.bytes(&guard) / 2 {
            generation.successor().put(next);
        }
        Ok(())
    }
}
