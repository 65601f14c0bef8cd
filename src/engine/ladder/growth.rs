//! Growth: doubling the finest table, or adding one behind it.

use core::ptr;

use once_cell::race::OnceBox;

use super::{Ladder, full};
use crate::engine::Operations;
use crate::error::{GrowthError, InsertError, Limit, Rate};
use crate::segment::Rung;
use crate::sync::{self, Event};
use crate::table::doubling::{Blocks, DEEPEST, Hint, Lanes16};
use crate::table::rate::any_of;
use crate::table::sizing::pair_slots;
use crate::tokens::{ATTEMPTS, Refusal};

/// The number of disturbed attempts after which an insert treats the table as full.
const PERSEVERANCE: usize = 16 * ATTEMPTS;

/// A table counts as full only if at least one of this many slots is in use.
const LEAST_LOAD: usize = 8;

/// How often a thread must be seen unpinned before what waits for it is done.
const FLUSHES: usize = 4;

impl Ladder {
    /// After a refusal by the target, which was like `hint` before: makes another attempt useful, or returns why it would
    /// be useless.
    #[cold]
    pub(super) fn make_room(
        &self,
        target: &Rung,
        hint: Hint,
        refusal: Refusal,
        disturbed: &mut usize,
    ) -> Result<(), InsertError> {
        match refusal {
            Refusal::AllCopies => Err(InsertError::TooManyCopies {
                copies: pair_slots::<Lanes16>(),
            }),
            Refusal::Disturbed | Refusal::Starved => {
                *disturbed += ATTEMPTS - 1;
                self.go_on(target, hint, disturbed)
            }
            Refusal::NoPath if hint.is_growing() => self.go_on(target, hint, disturbed),
            Refusal::NoPath => {
                let (len, slots) = (target.len(), full(hint.level()));
                if len >= slots / LEAST_LOAD {
                    return self.grow(target, hint);
                }
                // The table may have been full when no path was found, and emptied since.
                *disturbed += PERSEVERANCE / 2;
                if *disturbed > PERSEVERANCE {
                    return Err(InsertError::Full { len, slots });
                }
                Ok(())
            }
        }
    }

    /// After an attempt that others disturbed.
    pub(super) fn go_on(
        &self,
        target: &Rung,
        hint: Hint,
        disturbed: &mut usize,
    ) -> Result<(), InsertError> {
        *disturbed += 1;
        if *disturbed < PERSEVERANCE {
            return Ok(());
        }
        *disturbed = 0;
        self.grow(target, hint)
    }

    /// Makes the target larger, unless it has grown since it was like `hint`.
    #[cold]
    fn grow(&self, target: &Rung, hint: Hint) -> Result<(), InsertError> {
        match self.try_to_grow(target, hint) {
            Ok(()) => Ok(()),
            // It has grown after all.
            Err(_) if self.has_grown(target, hint) => Ok(()),
            Err(limit) => Err(InsertError::CannotGrow {
                error: GrowthError {
                    segments: self.rungs().count(),
                    limit,
                },
            }),
        }
    }

    fn has_grown(&self, target: &Rung, hint: Hint) -> bool {
        target.tokens().hint() != hint || !ptr::eq(self.target(), target)
    }

    fn try_to_grow(&self, target: &Rung, hint: Hint) -> Result<(), Limit> {
        if self.has_grown(target, hint) {
            return Ok(());
        }
        let grown = target.tokens().can_grow();
        self.check_rate(grown)?;
        let level = if grown {
            hint.level() + 1
        } else {
            target.tokens().last() + 1
        };
        if level > DEEPEST {
            return Err(Limit::Buckets);
        }
        let more = if grown {
            Blocks::bytes_for(level)
        } else {
            size_of::<Rung>() + Rung::bytes_for(level)?
        };
        self.check_memory(more)?;
        if grown {
            return Ok(target.tokens().begin_to_grow(hint)?);
        }
        self.add(target, level)
    }

    /// The rate with one doubling more, or one table more, when all are full.
    fn check_rate(&self, grown: bool) -> Result<(), Limit> {
        let mut rungs = self.rungs();
        let target = rungs
            .next()
            .map_or(0.0, |target| target.compared_when_full(grown));
        let others: f64 = rungs.map(|rung| rung.compared_when_full(false)).sum();
        let more = if grown {
            0.0
        } else {
            pair_slots::<Lanes16>() as f64
        };
        let rate = any_of::<Lanes16>(target + others + more);
        if rate > self.limits.false_positive_rate {
            return Err(Limit::FalsePositiveRate {
                rate: Rate::new(rate),
                most: Rate::new(self.limits.false_positive_rate),
            });
        }
        Ok(())
    }

    /// Whether there may be so many bytes more. What a table grows out of stays until all is in the new words.
    fn check_memory(&self, more: usize) -> Result<(), Limit> {
        let bytes = || (self.outside + self.heap_bytes()).saturating_add(more);
        // What was left behind before may not have been given back yet.
        let most = self.memory_now();
        for _ in 0..FLUSHES {
            if bytes() <= most {
                return Ok(());
            }
            crossbeam_epoch::pin().flush();
        }
        match bytes() {
            bytes if bytes <= most => Ok(()),
            bytes => Err(Limit::Memory { bytes, most }),
        }
    }

    /// Adds a table behind the target, of which all tokens are longer than those of the target.
    fn add(&self, target: &Rung, level: u32) -> Result<(), Limit> {
        // The place behind the target, whatever was added meanwhile: of all who found this one full, one succeeds.
        let is_target = |rung: &OnceBox<Rung>| rung.get().is_some_and(|rung| ptr::eq(rung, target));
        let place = self.later.iter().position(is_target);
        let Some(vacant) = self.later.get(place.map_or(0, |place| place + 1)) else {
            return Err(Limit::Segments);
        };
        let rung = Rung::lazy(level, target.tokens().search_budget())?;
        let added = vacant.set(Box::new(rung)).is_ok();
        sync::happened(if added { Event::Growth } else { Event::Vain });
        Ok(())
    }
}
