//! Growth: doubling the finest table, or adding one after it. Contraction: fewer and smaller tables for the remaining
//! items.

use core::mem;

use super::{DEFAULT_BUDGET, Growing, full};
use crate::counted::{GrowingTable, compared_when_first_full};
use crate::error::{GrowthError, InsertError, OutOfMemory};
use crate::layout::LONG_BUDGET;
use crate::layout::prefix::Depth;
use crate::sync::{self, Event};
use crate::table::doubling::{DEEPEST, Lanes16, Root};
use crate::table::sizing::{any_of, items_for, pair_slots};
use crate::tokens::doubling::FLUSHES;
use crate::tokens::{ATTEMPTS, Refusal};

/// The number of disturbed attempts after which an insert treats the table as full.
const PERSEVERANCE: usize = 16 * ATTEMPTS;

/// An insert's record of its failed attempts.
#[derive(Debug, Default)]
pub(super) struct Patience {
    attempts: usize,
    /// Whether searches for a path go as far as those of a fixed-size filter.
    searches_far: bool,
    /// The state of the growth when the insert last ran out of patience.
    progress: Option<(u32, usize)>,
}

// So a table's tokens are longer than those of the table before it at the same level.
const _: () = assert!(Depth::First.full_tail() > Depth::Deeper.full_tail());

/// A table counts as full only if at least one of this many slots is in use.
const LEAST_LOAD: usize = 8;

impl Growing {
    /// After a refusal by the target when it was like `root`: makes another attempt useful, or returns why it would be
    /// useless.
    #[cold]
    pub(super) fn make_room(
        &self,
        target: &GrowingTable,
        root: Root,
        refusal: Refusal,
        patience: &mut Patience,
    ) -> Result<(), InsertError> {
        match refusal {
            Refusal::AllCopies => Err(InsertError::TooManyCopies {
                copies: pair_slots::<Lanes16>(),
            }),
            Refusal::Disturbed | Refusal::Starved => {
                patience.attempts += ATTEMPTS - 1;
                self.go_on(target, root, refusal, patience)
            }
            Refusal::NoPath if target.tokens().is_growing(root) => {
                self.go_on(target, root, refusal, patience)
            }
            Refusal::NoPath => {
                let (len, slots) = (target.len(), full(root.level()));
                // Below its capacity it must find room, as a fixed-size table does.
                if !patience.searches_far && len < items_for(target.geometry()) {
                    patience.searches_far = true;
                    return Ok(());
                }
                if len >= slots / LEAST_LOAD {
                    return self.grow(target, root);
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

    /// After an attempt that may succeed next time.
    pub(super) fn go_on(
        &self,
        target: &GrowingTable,
        root: Root,
        refusal: Refusal,
        patience: &mut Patience,
    ) -> Result<(), InsertError> {
        patience.attempts += 1;
        if patience.attempts < PERSEVERANCE {
            return Ok(());
        }
        let attempts = mem::take(&mut patience.attempts);
        let progress = target.tokens().progress();
        let is_growing = target.tokens().is_growing(root);
        let stands_still = patience.progress.replace(progress) == Some(progress);
        match refusal {
            // A larger table need not have more descriptors.
            Refusal::Starved if stands_still || !is_growing => {
                Err(InsertError::NoDescriptor { attempts })
            }
            _ if !is_growing => self.grow(target, root),
            // No growth can begin, and the one in progress does not advance: alone, a thread would loop without end.
            _ if stands_still => Err(InsertError::Disturbed { attempts }),
            _ => Ok(()),
        }
    }

    /// Enlarges the target, unless it has grown since it was like `root`.
    #[cold]
    fn grow(&self, target: &GrowingTable, root: Root) -> Result<(), InsertError> {
        match self.try_to_grow(target, root) {
            Ok(()) => Ok(()),
            // Another thread has grown it.
            Err(_) if self.has_grown(target, root) => Ok(()),
            Err(error) => Err(InsertError::CannotGrow(error)),
        }
    }

    fn try_to_grow(&self, target: &GrowingTable, root: Root) -> Result<(), GrowthError> {
        // Count before the check: a table that is added after this takes the place that this call would use.
        let tables = self.tables.count();
        if self.has_grown(target, root) {
            return Ok(());
        }
        let grown = target.tokens().can_grow();
        self.check_rate(grown)?;
        let last = target.tokens().last();
        if !grown && last == DEEPEST {
            return Err(GrowthError::Buckets);
        }
        // Same size as the table before: its tokens are still one bit longer.
        let level = if grown { root.level() + 1 } else { last };
        let more = if grown {
            target.bytes_to_grow(level)
        } else {
            size_of::<GrowingTable>() + GrowingTable::bytes_for(level)?
        };
        self.check_memory(more)?;
        if grown {
            return Ok(target.begin_to_grow(root)?);
        }
        self.add(target, tables, level)
    }

    /// The rate after one more doubling, or one more table, when all are full.
    fn check_rate(&self, grown: bool) -> Result<(), GrowthError> {
        let mut tables = self.tables.all();
        let target = tables
            .next()
            .map_or(0.0, |target| target.compared_when_full(grown));
        let others: f64 = tables.map(|table| table.compared_when_full(false)).sum();
        let more = if grown {
            0.0
        } else {
            compared_when_first_full()
        };
        let rate = any_of::<Lanes16>(target + others + more);
        if rate > self.rate {
            return Err(GrowthError::FalsePositiveRate {
                rate,
                limit: self.rate,
            });
        }
        Ok(())
    }

    /// Whether this many more bytes are allowed. The old words stay until their content is in the new ones.
    fn check_memory(&self, more: usize) -> Result<(), GrowthError> {
        let bytes = || self.bytes().saturating_add(more);
        // Old words of earlier growths may not have been given back yet.
        let limit = self.memory_now();
        for _ in 0..FLUSHES {
            if bytes() <= limit {
                return Ok(());
            }
            crossbeam_epoch::pin().flush();
        }
        match bytes() {
            needed if needed <= limit => Ok(()),
            needed => Err(GrowthError::MemoryLimit { needed, limit }),
        }
    }

    /// Adds a table after this many, the last of which is the target. Its tokens are longer than all before.
    pub(super) fn add(
        &self,
        target: &GrowingTable,
        tables: usize,
        level: u32,
    ) -> Result<(), GrowthError> {
        let Some(place) = self.tables.place_after(tables) else {
            return Err(GrowthError::Tables);
        };
        // It may be there already, but not counted yet: the thread that put it there may have stopped.
        if place.get().is_none() {
            let table = GrowingTable::lazy(level, target.tokens().search_budget())?;
            let added = place.set(Box::new(table)).is_ok();
            sync::happened(if added { Event::Growth } else { Event::Vain });
        }
        target.tokens().follow();
        Ok(())
    }

    fn has_grown(&self, target: &GrowingTable, root: Root) -> bool {
        target.tokens().root() != root || !self.tables.is_target(target)
    }

    /// Completes a growth in progress, and gives back the old words of tables, if no thread may still be splitting into
    /// them. Returns false if other threads have all descriptors.
    pub(super) fn finish_growth(&self) -> bool {
        // Coarser tables no longer grow.
        self.tables.target().tokens().finish_growth()
    }
}

impl Patience {
    /// The maximum number of buckets that the next path search in a table examines.
    pub(super) fn budget(&self, table: &GrowingTable) -> usize {
        let budget = table.tokens().search_budget();
        // A user who sets a smaller budget gets shorter searches.
        if self.searches_far && budget >= DEFAULT_BUDGET {
            LONG_BUDGET
        } else {
            budget
        }
    }
}

impl Growing {
    /// Puts all tokens into the fewest and smallest tables that hold them, but none smaller than its initial size. If
    /// there is not enough memory, they stay as they are.
    pub(super) fn contract(&mut self) {
        self.tables.all().for_each(|table| {
            table.tokens().settle_all();
        });
        if let Ok(Some((kept, merged))) = self.contracted() {
            self.tables.replace_all_but(kept, merged);
        }
        // A table that could not be made smaller does not stay between two sizes.
        self.finish_growth();
        self.tables.forget_behind();
    }

    /// Merges all tables but the coarsest `kept` into one smaller table, with the least possible `kept`.
    fn contracted(&self) -> Result<Option<(usize, GrowingTable)>, OutOfMemory> {
        let tables: Vec<&GrowingTable> = self.tables.all().collect();
        for kept in 0..tables.len() {
            if let Some(merged) = GrowingTable::contracted(&tables[..tables.len() - kept])? {
                return Ok(Some((kept, merged)));
            }
        }
        Ok(None)
    }
}
