//! The counter of a table that grows: a few cells that are close together at first, and more when
//! it has grown.
//!
//! Threads write to the cells added last. Earlier cells keep their values, which are parts of the
//! sum. So a thread may still write to one of them: it does so as before, and no other does if the
//! cell is its own.

use once_cell::race::OnceBox;

use crate::allocate;
use crate::error::OutOfMemory;
use crate::kernel::counter::{Counter, MAX_CELLS, cells_for, change_own, within};
use crate::sync;
use crate::sync::{AtomicU64, Ordering};

#[derive(Debug)]
pub(crate) struct GrowingCounter {
    /// The last of them is for the threads with indexes above those of the others.
    few: Box<[AtomicU64; FIRST_CELLS]>,
    /// Used before the maximum number of cells.
    more: OnceBox<Counter>,
    most: OnceBox<Counter>,
}

/// As many are half of a line.
const FIRST_CELLS: usize = 4;

/// The least that is more.
const MIN_ADDED: usize = 8;

impl GrowingCounter {
    /// For a table with this many buckets and items: the cells that a table of half the size has
    /// after it has grown.
    pub(crate) fn new(buckets: usize, items: usize) -> Result<Self, OutOfMemory> {
        let mut few = [0; FIRST_CELLS];
        few[0] = items as u64;
        let counter = Self {
            few: allocate::boxed(few.map(AtomicU64::new))?,
            more: OnceBox::new(),
            most: OnceBox::new(),
        };
        counter.grow(buckets / 2)?;
        Ok(counter)
    }

    pub(crate) fn bytes(&self) -> usize {
        let bytes = |counter: &Counter| size_of::<Counter>() + counter.bytes();
        size_of_val(&*self.few) + self.added().map(bytes).sum::<usize>()
    }

    /// The heap bytes of a new counter.
    pub(crate) fn bytes_for(buckets: usize) -> usize {
        let added = match cells_for(buckets / 2) {
            MIN_ADDED.. => size_of::<Counter>() + Counter::bytes_for(buckets / 2),
            _ => 0,
        };
        size_of::<[AtomicU64; FIRST_CELLS]>() + added
    }

    /// The bytes that [`grow`](Self::grow) would add.
    pub(crate) fn bytes_to_grow(&self, buckets: usize) -> usize {
        self.missing(buckets)
            .map_or(0, |_| size_of::<Counter>() + Counter::bytes_for(buckets))
    }

    /// Adds cells, if a table of this many buckets has many more.
    pub(crate) fn grow(&self, buckets: usize) -> Result<(), OutOfMemory> {
        if let Some(missing) = self.missing(buckets) {
            missing.get_or_try_init(|| allocate::boxed(Counter::new(buckets)?))?;
        }
        Ok(())
    }

    /// The cells that a table of this many buckets has in addition to the present ones.
    fn missing(&self, buckets: usize) -> Option<&OnceBox<Counter>> {
        let Self { more, most, .. } = self;
        match cells_for(buckets) {
            MAX_CELLS => most.get().is_none().then_some(most),
            MIN_ADDED.. => self.last().is_none().then_some(more),
            _ => None,
        }
    }

    fn added(&self) -> impl Iterator<Item = &Counter> {
        [&self.more, &self.most]
            .into_iter()
            .filter_map(OnceBox::get)
    }

    /// The cells that threads write to, unless those are the few.
    #[inline]
    fn last(&self) -> Option<&Counter> {
        self.most.get().or_else(|| self.more.get())
    }

    #[inline]
    pub(crate) fn add(&self, items: usize) {
        self.change(items as u64);
    }

    #[inline]
    pub(crate) fn subtract(&self, items: usize) {
        self.change((items as u64).wrapping_neg());
    }

    #[inline]
    fn change(&self, by: u64) {
        match self.last() {
            Some(last) => last.change(by),
            None => self.change_few(by),
        }
    }

    /// Separate, as [`Counter::change_shared`].
    #[inline(never)]
    fn change_few(&self, by: u64) {
        let [own @ .., shared] = &*self.few;
        let own = &own[..own.len().min(sync::EXCLUSIVE)];
        match own.get(sync::thread_index()) {
            Some(cell) => change_own(cell, by),
            None => {
                shared.fetch_add(by, Ordering::Relaxed);
            }
        }
    }

    /// As [`Counter::sum`].
    pub(crate) fn sum(&self, most: usize) -> usize {
        let few = self.few.iter().map(|cell| cell.load(Ordering::Relaxed));
        let totals = few.chain(self.added().map(Counter::total));
        within(totals.fold(0, u64::wrapping_add), most)
    }

    /// Restarts at 0.
    pub(crate) fn reset(&mut self) {
        let added = self.added().flat_map(Counter::cells);
        let cells = self.few.iter().chain(added);
        cells.for_each(|cell| cell.store(0, Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// They write to one set of cells while another is added, and some of them to the old one after
    /// that.
    #[test]
    fn nothing_is_lost_while_cells_are_added() {
        const THREADS: usize = 6;
        const EACH: usize = 20_000;
        for _ in 0..20 {
            let mut counter = GrowingCounter::new(2, 3).expect("memory");
            crew::Crew::workers(THREADS, |_, thread| {
                for turn in 0..EACH {
                    // Some grow at the same time, some later.
                    if turn % 1_000 == 0 {
                        let buckets = 2 << (turn / 1_000).min(16);
                        counter.grow(buckets).expect("memory");
                    }
                    counter.add(if turn % 2 == 0 { 2 } else { 0 });
                    if turn % THREADS == thread {
                        counter.subtract(1);
                    }
                }
            });
            // As many were subtracted as each has turns.
            assert_eq!(counter.sum(usize::MAX), 3 + THREADS * EACH - EACH);
            // With the single one that each set has besides.
            let cells = |counter: &Counter| counter.cells().count() - 1;
            let added: Vec<_> = counter.added().map(cells).collect();
            assert_eq!(added, [8, MAX_CELLS]);
            counter.reset();
            assert_eq!(counter.sum(usize::MAX), 0);
        }
    }
}
