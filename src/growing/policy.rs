//! An insert that finds no room: it tries again, doubles the newest table or adds one after it, or
//! is refused.
//!
//! | the table says | answer |
//! |---|---|
//! | disturbed | try again; after very many attempts as if the table were full |
//! | full, while it grows | refuse if there will be no room; otherwise split the next words |
//! | full, below the capacity | search further, once |
//! | full | double it, or add a table, if the limits allow it and there will be room |
//! | too many copies, no descriptor | refuse |
//!
//! If no other thread writes, a refused insert has changed nothing: whatever refuses it comes
//! before anything is begun. [Why](crate::design::doubling#looking-ahead) that matters.

use core::mem;

use crate::error::{GrowthError, InsertError};
use crate::growing::item::MAX_LEVEL;
use crate::growing::lane::Depth;
use crate::growing::levels::Root;
use crate::growing::memory::{FLUSHES, flush};
use crate::growing::several::Tables;
use crate::growing::table::{CountedGrowingTable, compared_when_first_full, full, geometry};
use crate::growing::word::Lanes16;
use crate::kernel::outcome::{Failure, MAX_ATTEMPTS};
use crate::kernel::search::sizes::LONG_BUDGET;
use crate::kernel::sizing::{any_of, items_for, pair_slots};

/// The bound of a search. A longer search, as in a filter that cannot grow, fills a table by 2 %
/// more of its slots before it doubles, at twice the time of all its inserts.
pub(crate) const DEFAULT_BUDGET: usize = if LONG_BUDGET < 256 { LONG_BUDGET } else { 256 };

/// The number of disturbed attempts after which an insert treats the table as full.
const MAX_RETRIES: usize = 16 * MAX_ATTEMPTS;

/// An insert's record of its failed attempts.
#[derive(Debug)]
pub(crate) struct RetryState {
    hash: u64,
    attempts: usize,
    /// Whether searches for a path go as far as those of a fixed-size filter.
    searches_far: bool,
    /// The state of the growth when the insert last ran out of retries.
    progress: Option<(u32, usize)>,
    /// Whether there will be room in a size that is allowed.
    foreseen: bool,
}

// At the level where a table begins its tails are longer than those of the table before it, which
// ends there.
const _: () = assert!(Depth::First.full_tail() > Depth::Deeper.full_tail());

/// A table counts as full only if at least one of this many slots is in use.
const MIN_LOAD_DIVISOR: usize = 8;

/// Tables of at most this many slots are counted slot by slot before a refusal: threads that
/// stopped before they counted can make the counter too low. In a larger table they would have to
/// be thousands.
const RECOUNTED: usize = 1 << 14;

impl Tables {
    /// Adds a token to the newest table, and makes room for it as long as that is of use.
    #[cold]
    #[inline(never)]
    pub(crate) fn insert_or_grow(&self, hash: u64) -> Result<(), InsertError> {
        let mut retries = RetryState::of(hash);
        loop {
            // Find the newest table anew each time: one may have been added.
            let newest = self.newest();
            let root = newest.tokens().root();
            match newest.insert(root, hash, retries.budget(newest)) {
                Ok(()) => return Ok(()),
                Err(refusal) => self.retry_or_grow(newest, root, refusal, &mut retries)?,
            }
        }
    }

    /// After a refusal by the newest table when it was like `root`: makes another attempt useful,
    /// or returns why it would be useless.
    #[cold]
    pub(crate) fn retry_or_grow(
        &self,
        newest: &CountedGrowingTable,
        root: Root,
        refusal: Failure,
        retries: &mut RetryState,
    ) -> Result<(), InsertError> {
        match refusal {
            Failure::TooManyCopies => Err(InsertError::TooManyCopies {
                copies: pair_slots::<Lanes16>(),
            }),
            // A larger table could not have more descriptors either.
            Failure::NoDescriptor => Err(InsertError::NoDescriptor),
            // Count all the attempts that the table has made for one.
            Failure::Disturbed => {
                retries.attempts += MAX_ATTEMPTS - 1;
                self.retry(newest, root, retries)
            }
            // Make room: split the next words, if there will be room after the growth.
            Failure::Full if newest.tokens().is_growing(root) => {
                match self.foresee(newest, root.level() + 1, 0, retries) {
                    Err(refusal) if !self.has_grown(newest, root) => return Err(refusal),
                    _ => {}
                }
                let _ = newest.tokens().help_to_grow();
                self.retry(newest, root, retries)
            }
            Failure::Full => {
                let (mut len, slots) = (newest.len(), full(root.level()));
                // Search further, once, below the capacity: there the table must find room, as one
                // of a fixed size does.
                if !retries.searches_far && len < items_for(newest.geometry()) {
                    retries.searches_far = true;
                    return Ok(());
                }
                // Let the insert come here three times.
                retries.attempts += MAX_RETRIES / 2;
                let is_last = retries.attempts > MAX_RETRIES;
                if is_last {
                    len = newest.recounted(slots);
                }
                // Double, unless the table is nearly empty: then copies of few items fill their
                // buckets, and no size would have room for them.
                if len >= slots / MIN_LOAD_DIVISOR {
                    return self.grow(newest, root, retries);
                }
                // Refuse at the third time. Before that, try again: the table may have been full
                // when no path was found, and emptied since.
                if is_last {
                    return Err(InsertError::Full { len, slots });
                }
                Ok(())
            }
        }
    }

    /// After an attempt that may succeed next time.
    pub(crate) fn retry(
        &self,
        newest: &CountedGrowingTable,
        root: Root,
        retries: &mut RetryState,
    ) -> Result<(), InsertError> {
        retries.attempts += 1;
        if retries.attempts < MAX_RETRIES {
            return Ok(());
        }
        // Look, after many attempts in vain, whether anything advances.
        let attempts = mem::take(&mut retries.attempts);
        let progress = newest.tokens().progress();
        let is_growing = newest.tokens().is_growing(root);
        let stands_still = retries.progress.replace(progress) == Some(progress);
        // Treat the table as full if it is not growing.
        if !is_growing {
            return self.grow(newest, root, retries);
        }
        // Refuse if the growth does not advance. (No other one can begin. Without memory to pin, a
        // thread cannot split, and would loop without end.)
        if stands_still {
            return Err(InsertError::Disturbed { attempts });
        }
        // Make it advance, as an insert that finds no room does.
        let _ = newest.tokens().help_to_grow();
        Ok(())
    }

    /// Enlarges the newest table, unless it has grown since it was like `root`.
    #[cold]
    fn grow(
        &self,
        newest: &CountedGrowingTable,
        root: Root,
        retries: &mut RetryState,
    ) -> Result<(), InsertError> {
        match self.double_or_add(newest, root, retries) {
            Ok(()) => Ok(()),
            // Another thread has grown it.
            Err(_) if self.has_grown(newest, root) => Ok(()),
            Err(refusal) => Err(refusal),
        }
    }

    /// Doubles the newest table, as long as its oldest tokens have a bit left in their tails. After
    /// that, adds a table. Does neither if the newest has grown since it was like `root`.
    fn double_or_add(
        &self,
        newest: &CountedGrowingTable,
        root: Root,
        retries: &mut RetryState,
    ) -> Result<(), InsertError> {
        // Count before the check: a table that is added after this takes the place that this call
        // would use.
        let tables = self.count();
        if self.has_grown(newest, root) {
            return Ok(());
        }
        // Add a table after one that cannot double.
        if !newest.tokens().can_grow() {
            let last = newest.tokens().last();
            let added = self.check_next_table(newest, 0);
            let added = added.and_then(|()| self.add(newest, tables, last));
            return added.map_err(InsertError::CannotGrow);
        }
        // Refuse before anything is allocated or begun: by the limits, or because there will be no
        // room.
        let level = root.level() + 1;
        let more = self
            .check_doubling(newest, level, 0)
            .map_err(InsertError::CannotGrow)?;
        self.foresee(newest, level, more, retries)?;
        // Begin. One of several threads does.
        let begun = newest.begin_doubling(root);
        begun.map_err(|error| InsertError::CannotGrow(error.into()))
    }

    /// Whether an insert that finds no room now will find it at this level, or after the growths
    /// from there that are allowed. Otherwise returns why it is refused, now that nothing is begun:
    /// a refused insert must leave the filter as it was. `bytes` is the memory of growths that were
    /// checked and not begun.
    ///
    /// Exact if no other thread writes. An insert asks once. If other threads write, it may then
    /// need a growth that was not foreseen: that is checked when it begins.
    fn foresee(
        &self,
        newest: &CountedGrowingTable,
        mut level: u32,
        mut bytes: usize,
        retries: &mut RetryState,
    ) -> Result<(), InsertError> {
        let tokens = newest.tokens();
        while !retries.foreseen {
            let slots = full(level);
            // Search as far as the insert will.
            let searches_far = retries.searches_far || newest.len() < items_for(geometry(level));
            let budget = tokens.search_budget();
            let budget = if searches_far { far(budget) } else { budget };
            if tokens.will_have_room(retries.hash, level, budget) {
                retries.foreseen = true;
                break;
            }
            // Refuse if the table would be nearly empty: copies of few items fill their buckets.
            let len = newest.recounted(slots);
            if len < slots / MIN_LOAD_DIVISOR {
                return Err(InsertError::Full { len, slots });
            }
            // Look at the next size, if the limits allow it.
            if level < tokens.last() {
                level += 1;
                let more = self.check_doubling(newest, level, bytes);
                bytes = more.map_err(InsertError::CannotGrow)?;
            } else {
                // After the last size a table is added, which is empty.
                let checked = self.check_next_table(newest, bytes);
                checked.map_err(InsertError::CannotGrow)?;
                retries.foreseen = true;
            }
        }
        Ok(())
    }

    /// Whether the newest table may double to this level, after growths that take `bytes`. Returns
    /// the bytes of all.
    fn check_doubling(
        &self,
        newest: &CountedGrowingTable,
        level: u32,
        bytes: usize,
    ) -> Result<usize, GrowthError> {
        self.check_rate(newest.compared_when_full(level))?;
        let bytes = bytes.saturating_add(newest.bytes_to_grow(level));
        self.check_memory(bytes)?;
        Ok(bytes)
    }

    /// Whether a table may be added when the newest is at its last level, after growths that take
    /// `bytes`.
    fn check_next_table(
        &self,
        newest: &CountedGrowingTable,
        bytes: usize,
    ) -> Result<(), GrowthError> {
        // It begins at the last level of the one before: its tokens are one bit longer there.
        let last = newest.tokens().last();
        self.check_rate(newest.compared_when_full(last) + compared_when_first_full())?;
        if last == MAX_LEVEL {
            return Err(GrowthError::Buckets);
        }
        let more = size_of::<CountedGrowingTable>() + CountedGrowingTable::bytes_for(last);
        self.check_memory(bytes.saturating_add(more))
    }

    /// The rate when all tables are full, the newest and any after it with this weight.
    fn check_rate(&self, newest: f64) -> Result<(), GrowthError> {
        let others = self.all().skip(1);
        let others: f64 = others
            .map(|table| table.compared_when_full(table.size()))
            .sum();
        let rate = any_of::<Lanes16>(newest + others);
        if rate > self.limits().rate {
            return Err(GrowthError::FalsePositiveRate {
                rate,
                limit: self.limits().rate,
            });
        }
        Ok(())
    }

    /// Whether this many more bytes are allowed. The old words stay until their content is in the
    /// new ones.
    fn check_memory(&self, more: usize) -> Result<(), GrowthError> {
        let bytes = || self.filter_bytes().saturating_add(more);
        // Give back old words of earlier growths, before the growth is refused for them.
        let limit = self.limits().memory_now();
        for _ in 0..FLUSHES {
            if bytes() <= limit {
                return Ok(());
            }
            flush();
            self.release_outgrown();
        }
        match bytes() {
            needed if needed <= limit => Ok(()),
            needed => Err(GrowthError::MemoryLimit { needed, limit }),
        }
    }
}

impl CountedGrowingTable {
    /// The number of tokens, before a refusal of a table with this many slots. Looks at the slots
    /// themselves: threads that stopped after they had stored, and before they counted, may have
    /// filled a small table.
    fn recounted(&self, slots: usize) -> usize {
        if slots <= RECOUNTED {
            self.tokens().taken()
        } else {
            self.len()
        }
    }
}

impl RetryState {
    /// Of an insert that has not tried yet.
    pub(crate) fn of(hash: u64) -> Self {
        Self {
            hash,
            attempts: 0,
            searches_far: false,
            progress: None,
            foreseen: false,
        }
    }

    /// The maximum number of buckets that the next path search in a table examines.
    pub(crate) fn budget(&self, table: &CountedGrowingTable) -> usize {
        let budget = table.tokens().search_budget();
        if self.searches_far {
            far(budget)
        } else {
            budget
        }
    }
}

/// The bound of a search below the capacity, in a filter with this search budget.
pub(crate) fn far(budget: usize) -> usize {
    // A user who sets a smaller budget gets shorter searches.
    if budget >= DEFAULT_BUDGET {
        LONG_BUDGET
    } else {
        budget
    }
}
