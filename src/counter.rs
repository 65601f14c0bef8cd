//! The number of stored items, in cells that threads do not share.
//!
//! A counter that all threads write would cost more than the insert itself. Each thread adds to a cell of
//! its own choosing by its index; a reader sums the cells. A token may be counted in on one cell and out on
//! another, so cells wrap and only the sum means anything.

use crossbeam_utils::CachePadded;

use crate::allocate::{self, OutOfMemory};
use crate::sync::{self, AtomicU64, Ordering};

#[derive(Debug)]
pub(crate) struct Counter {
    cells: Box<[CachePadded<AtomicU64>]>,
}

const MAX_CELLS: usize = 64;

impl Counter {
    /// As many cells as the machine has threads, fewer for a small table.
    pub(crate) fn new(buckets: usize) -> Result<Self, OutOfMemory> {
        let wanted = sync::parallelism().next_power_of_two().clamp(16, MAX_CELLS);
        let affordable = if sync::MODEL {
            8
        } else {
            (buckets / 64).next_power_of_two()
        };
        let cells = allocate::slice(wanted.min(affordable), || {
            CachePadded::new(AtomicU64::new(0))
        })?;
        Ok(Self { cells })
    }

    pub(crate) fn bytes(&self) -> usize {
        allocate::bytes(&self.cells)
    }

    #[inline]
    fn cell(&self) -> &AtomicU64 {
        &self.cells[sync::thread_index() & (self.cells.len() - 1)]
    }

    #[inline]
    pub(crate) fn add(&self, items: usize) {
        // Relaxed, here and below: the count orders nothing. Joining the writers makes the sum exact.
        self.cell().fetch_add(items as u64, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn subtract(&self, items: usize) {
        self.cell()
            .fetch_add((items as u64).wrapping_neg(), Ordering::Relaxed);
    }

    /// The sum of the cells, between 0 and `most`. Cells move while they are read, so in the midst of
    /// writes the sum can pass either end.
    pub(crate) fn sum(&self, most: usize) -> usize {
        let sum = self.cells.iter().fold(0u64, |sum, cell| {
            sum.wrapping_add(cell.load(Ordering::Relaxed))
        });
        usize::try_from((sum as i64).max(0)).map_or(most, |sum| sum.min(most))
    }

    /// Starts over at `items`.
    pub(crate) fn reset(&mut self, items: usize) {
        for cell in &self.cells {
            cell.store(0, Ordering::Relaxed);
        }
        self.cells[0].store(items as u64, Ordering::Relaxed);
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
            for _ in 0..4 {
                scope.spawn(|| (0..1_000).for_each(|_| counter.add(1)));
            }
        });
        assert_eq!(counter.sum(usize::MAX), 4_000);
        std::thread::scope(|scope| {
            scope.spawn(|| (0..3_999).for_each(|_| counter.subtract(1)));
        });
        assert_eq!(counter.sum(usize::MAX), 1);
        counter.reset(7);
        assert_eq!(counter.sum(usize::MAX), 7);
    }
}
