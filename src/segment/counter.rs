//! The number of stored items, in cells that threads do not share.
//!
//! A counter that all threads write would cost more than the insert itself. A locked instruction on a thread's own
//! cell would still cost half of that. So each of the first live threads has its own cell, and writes it with a
//! plain load and a plain store. All other threads share the remaining cells. (So a signal handler must not write
//! to a filter that its thread may be writing to; it could lose a count.) A reader sums the cells. A token may be
//! counted in on one cell and out on another, so cells wrap and only the sum means anything.
//!
//! Without the standard library no thread has its own number, and all cells are shared.

use alloc::boxed::Box;
use core::ops::Range;
use crossbeam_utils::CachePadded;

use crate::allocate;
use crate::error::OutOfMemory;
use crate::sync::{self, AtomicU64, Ordering};

#[derive(Debug)]
pub(super) struct Counter {
    /// Only the thread with the same index writes each of these.
    own: Cells,
    /// For the threads with higher indexes.
    shared: Cells,
}

type Cells = Box<[CachePadded<AtomicU64>]>;

const MOST_CELLS: usize = 64;

impl Counter {
    /// A small table has fewer cells. A quarter of them is shared, or more: every cell that no thread can own is
    /// shared.
    pub(super) fn new(buckets: usize) -> Result<Self, OutOfMemory> {
        let affordable = if sync::MODEL {
            8
        } else {
            (buckets / 256).next_power_of_two()
        };
        let all = affordable.min(MOST_CELLS);
        let nobodys = all.saturating_sub(sync::EXCLUSIVE);
        let shared = (all / 4).max(1).max(nobodys);
        let cells = |count| allocate::slice(count, || CachePadded::new(AtomicU64::new(0)));
        Ok(Self {
            own: cells(all - shared)?,
            shared: cells(shared)?,
        })
    }

    pub(super) fn bytes(&self) -> usize {
        allocate::bytes(&self.own) + allocate::bytes(&self.shared)
    }

    pub(super) fn places(&self) -> [Range<usize>; 2] {
        [&self.own, &self.shared].map(|cells| allocate::place(cells))
    }

    #[inline]
    pub(super) fn add(&self, items: usize) {
        self.change(items as u64);
    }

    #[inline]
    pub(super) fn subtract(&self, items: usize) {
        self.change((items as u64).wrapping_neg());
    }

    #[inline]
    fn change(&self, by: u64) {
        // Relaxed, here and below: the count orders nothing. Joining the writers makes the sum exact.
        let index = sync::thread_index();
        match self.own.get(index) {
            // No other thread writes this cell: two plain accesses replace a locked one.
            Some(cell) => {
                let count = cell.load(Ordering::Relaxed);
                cell.store(count.wrapping_add(by), Ordering::Relaxed);
            }
            None => self.change_shared(index, by),
        }
    }

    /// Apart, so that the code of every write is small enough to be inlined.
    #[inline(never)]
    fn change_shared(&self, index: usize, by: u64) {
        self.shared[index % self.shared.len()].fetch_add(by, Ordering::Relaxed);
    }

    fn cells(&self) -> impl Iterator<Item = &AtomicU64> {
        self.own.iter().chain(&self.shared).map(|cell| &**cell)
    }

    /// Returns the sum of the cells, limited to 0 to `most`. Cells change while they are read, so during writes the
    /// plain sum can be outside these limits.
    pub(super) fn sum(&self, most: usize) -> usize {
        let sum = self.cells().fold(0u64, |sum, cell| {
            sum.wrapping_add(cell.load(Ordering::Relaxed))
        });
        usize::try_from((sum as i64).max(0)).map_or(most, |sum| sum.min(most))
    }

    /// Starts over at `items`.
    pub(super) fn reset(&mut self, items: usize) {
        for cell in self.cells() {
            cell.store(0, Ordering::Relaxed);
        }
        self.shared[0].store(items as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_leaves_its_bounds() {
        let counter = Counter::new(1 << 20).expect("memory");
        counter.subtract(3);
        assert_eq!(counter.sum(10), 0);
        counter.add(20);
        assert_eq!(counter.sum(10), 10);
        assert_eq!(counter.sum(100), 17);
    }

    #[test]
    fn adds_and_subtracts_across_threads() {
        let mut counter = Counter::new(1 << 20).expect("memory");
        std::thread::scope(|scope| {
            // More threads than there are cells, so that both kinds are used.
            for _ in 0..2 * MOST_CELLS {
                scope.spawn(|| (0..1_000).for_each(|_| counter.add(1)));
            }
        });
        assert_eq!(counter.sum(usize::MAX), 2_000 * MOST_CELLS);
        // One after the other, so that the same cell goes from hand to hand.
        for _ in 0..2 * MOST_CELLS {
            std::thread::scope(|scope| {
                scope.spawn(|| (0..1_000).for_each(|_| counter.subtract(1)));
            });
        }
        assert_eq!(counter.sum(usize::MAX), 0);
        counter.add(1);
        assert_eq!(counter.sum(usize::MAX), 1);
        counter.reset(7);
        assert_eq!(counter.sum(usize::MAX), 7);
    }
}
