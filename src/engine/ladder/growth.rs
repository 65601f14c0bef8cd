//! Growth: doubling the finest table, or adding one behind it.

use core::mem;

use super::generation::Generation;
use super::{Ladder, full};
use crate::error::{GrowthError, InsertError, Limit, Rate};
use crate::layout::prefix::Depth;
use crate::segment::Rung;
use crate::sync::{self, Event};
use crate::table::doubling::{DEEPEST, Hint, Lanes16};
use crate::table::rate::any_of;
use crate::table::sizing::pair_slots;
use crate::tokens::doubling::FLUSHES;
use crate::tokens::{ATTEMPTS, Refusal};

/// The number of disturbed attempts after which an insert treats the table as full.
const PERSEVERANCE: usize = 16 * ATTEMPTS;

/// What an insert remembers of the attempts that came to nothing.
#[derive(Debug, Default)]
pub(super) struct Patience {
    attempts: usize,
    /// Where the growth was when there had last been as many attempts as it has patience for.
    progress: Option<(u32, usize)>,
}

// So the tokens of a table are longer than those that a table before it has at the same level.
const _: () = assert!(Depth::First.full_tail() > Depth::Deeper.full_tail());

/// A table counts as full only if at least one of this many slots is in use.
const LEAST_LOAD: usize = 8;

impl Ladder {
    /// After a refusal by the target, which was like `hint` before: makes another attempt useful, or returns why it would
    /// be useless.
    #[cold]
    pub(super) fn make_room(
        &self,
        generation: &Generation,
        target: &Rung,
        hint: Hint,
        refusal: Refusal,
        patience: &mut Patience,
    ) -> Result<(), InsertError> {
        match refusal {
            Refusal::AllCopies => Err(InsertError::TooManyCopies {
                copies: pair_slots::<Lanes16>(),
            }),
            Refusal::Disturbed | Refusal::Starved => {
                patience.attempts += ATTEMPTS - 1;
                self.go_on(generation, target, hint, refusal, patience)
            }
            Refusal::NoPath if hint.is_growing() => {
                self.go_on(generation, target, hint, refusal, patience)
            }
            Refusal::NoPath => {
                let (len, slots) = (target.len(), full(hint.level()));
                if len >= slots / LEAST_LOAD {
                    return self.grow(generation, target, hint);
                }
                // The table may have been full when no path was found, and emptied since.
                patience.attempts += PERSEVERANCE / 2;
                if patience.attempts > PERSEVERANCE {
                    return Err(InsertError::Full { len, slots });
                }
                Ok(())
            }
        }
    }

    /// After an attempt that may go better next time.
    pub(super) fn go_on(
        &self,
        generation: &Generation,
        target: &Rung,
        hint: Hint,
        refusal: Refusal,
        patience: &mut Patience,
    ) -> Result<(), InsertError> {
        patience.attempts += 1;
        if patience.attempts < PERSEVERANCE {
            return Ok(());
        }
        let attempts = mem::take(&mut patience.attempts);
        let progress = target.tokens().progress();
        let stands_still = patience.progress.replace(progress) == Some(progress);
        match refusal {
            // A larger table has no more of them.
            Refusal::Starved if stands_still || !hint.is_growing() => {
                Err(InsertError::NoDescriptor { attempts })
            }
            _ if !hint.is_growing() => self.grow(generation, target, hint),
            // No growth can be begun, and the one under way does not go on: alone, a thread would go round for ever.
            _ if stands_still => Err(InsertError::Disturbed { attempts }),
            _ => Ok(()),
        }
    }

    /// Makes the target larger, unless it has grown since it was like `hint`.
    #[cold]
    fn grow(&self, generation: &Generation, target: &Rung, hint: Hint) -> Result<(), InsertError> {
        match self.try_to_grow(generation, target, hint) {
            Ok(()) => Ok(()),
            // It has grown after all.
            Err(_) if has_grown(generation, target, hint) => Ok(()),
            Err(limit) => Err(InsertError::CannotGrow {
                error: GrowthError {
                    segments: generation.tables(),
                    limit,
                },
            }),
        }
    }

    fn try_to_grow(&self, generation: &Generation, target: &Rung, hint: Hint) -> Result<(), Limit> {
        // Before it looks: a table that is added from here on has the place of the one that this would add.
        let tables = generation.tables();
        if has_grown(generation, target, hint) {
            return Ok(());
        }
        let grown = target.tokens().can_grow();
        self.check_rate(generation, grown)?;
        let last = target.tokens().last();
        if !grown && last == DEEPEST {
            return Err(Limit::Buckets);
        }
        // As large as the one before: its tokens are longer by a bit all the same.
        let level = if grown { hint.level() + 1 } else { last };
        let more = if grown {
            target.bytes_to_grow(level)
        } else {
            size_of::<Rung>() + Rung::bytes_for(level)?
        };
        self.check_memory(more)?;
        if grown {
            return Ok(target.begin_to_grow(hint)?);
        }
        self.add(generation, tables, level)
    }

    /// The rate with one doubling more, or one table more, when all are full.
    fn check_rate(&self, generation: &Generation, grown: bool) -> Result<(), Limit> {
        let mut rungs = generation.rungs();
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
        let bytes = || self.bytes().saturating_add(more);
        // What was left behind before may not have been given back yet.
        let most = self.memory_now();
        for _ in 0..FLUSHES {
            if bytes() <= most {
                return Ok(());
            }
            crossbeam_epoch::pin().flush();
            self.give_back_rest();
        }
        match bytes() {
            bytes if bytes <= most => Ok(()),
            bytes => Err(Limit::Memory { bytes, most }),
        }
    }

    /// Adds a table behind so many, of which all tokens are longer than those before.
    fn add(&self, generation: &Generation, tables: usize, level: u32) -> Result<(), Limit> {
        let Some(place) = generation.place_behind(tables) else {
            return Err(Limit::Segments);
        };
        // It may be there already, and not count yet: who put it there may have stopped, or closed the generation.
        if place.get().is_none() {
            let budget = generation.home().tokens().search_budget();
            let mut rung = Rung::lazy(level, budget)?;
            generation.join(&mut rung);
            let added = place.set(Box::new(rung)).is_ok();
            sync::happened(if added { Event::Growth } else { Event::Vain });
        }
        generation.count_place_behind(tables);
        Ok(())
    }
}

fn has_grown(generation: &Generation, target: &Rung, hint: Hint) -> bool {
    target.tokens().hint() != hint || !generation.is_target(target)
}
