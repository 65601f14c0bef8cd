//! The number of stored items, in cells that threads do not share.
//!
//! A counter that all threads write would cost more than the insert itself. A locked instruction on
//! a thread's own cell would still cost half of that. So each of the first live threads has its own
//! cell, and writes it with a plain load and a plain store. All other threads share the remaining
//! cells. (So a signal handler must not write to a filter that its thread may be writing to; it
//! could lose a count.) A reader sums the cells. A token may be counted in on one cell and out on
//! another, so cells wrap and only the sum means anything.
//!
//! Without the standard library no thread has its own number, and all cells are shared.

use alloc::boxed::Box;
use core::ops::Range;

use crossbeam_utils::CachePadded;

use crate::allocate;
use crate::error::OutOfMemory;
use crate::sync;
use crate::sync::{AtomicU64, Ordering};

#[derive(Debug)]
pub(crate) struct Counter {
    /// Only the thread with the same index writes each of these.
    own: Padded,
    /// For the threads with higher indexes.
    shared: Padded,
    /// The only cell of a small table, which has no bytes to spare for lines that are not shared.
    single: AtomicU64,
}

type Padded = Box<[CachePadded<AtomicU64>]>;

pub(crate) const MAX_CELLS: usize = 64;

/// For a cell that no other thread writes: two plain accesses replace a locked one.
#[inline]
pub(crate) fn change_own(cell: &AtomicU64, by: u64) {
    let count = cell.load(Ordering::Relaxed);
    cell.store(count.wrapping_add(by), Ordering::Relaxed);
}

/// The number of cells of a table with this many buckets.
pub(crate) fn cells_for(buckets: usize) -> usize {
    let affordable = if sync::MODEL {
        8
    } else {
        (buckets / 256).next_power_of_two()
    };
    affordable.min(MAX_CELLS)
}

impl Counter {
    /// A quarter of several cells is shared, or more: every cell that no thread can own is shared.
    pub(crate) fn new(buckets: usize) -> Result<Self, OutOfMemory> {
        let (own, shared) = match cells_for(buckets) {
            1 => (0, 0),
            all => {
                let shared = all.saturating_sub(sync::EXCLUSIVE).max(all / 4).max(1);
                (all - shared, shared)
            }
        };
        let cells = |count| allocate::slice(count, || CachePadded::new(AtomicU64::new(0)));
        Ok(Self {
            own: cells(own)?,
            shared: cells(shared)?,
            single: AtomicU64::new(0),
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        allocate::bytes(&self.own) + allocate::bytes(&self.shared)
    }

    /// The heap bytes of a new counter.
    pub(crate) fn bytes_for(buckets: usize) -> usize {
        match cells_for(buckets) {
            1 => 0,
            all => all * size_of::<CachePadded<AtomicU64>>(),
        }
    }

    pub(crate) fn places(&self) -> [Range<usize>; 2] {
        [&self.own, &self.shared].map(|cells| allocate::place(cells))
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
    pub(crate) fn change(&self, by: u64) {
        // Relaxed, here and below: the count orders nothing. Joining the writers makes the sum
        // exact.
        let index = sync::thread_index();
        match self.own.get(index) {
            Some(cell) => change_own(cell, by),
            None => self.change_shared(index, by),
        }
    }

    /// Separate, so that the code of every write is small enough to be inlined.
    #[inline(never)]
    fn change_shared(&self, index: usize, by: u64) {
        let cell = match self.shared.len() {
            0 => &self.single,
            cells => &self.shared[index % cells],
        };
        cell.fetch_add(by, Ordering::Relaxed);
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = &AtomicU64> {
        let several = self.own.iter().chain(&self.shared);
        several.map(|cell| &**cell).chain([&self.single])
    }

    /// The sum of the cells.
    pub(crate) fn total(&self) -> u64 {
        self.cells().fold(0u64, |sum, cell| {
            sum.wrapping_add(cell.load(Ordering::Relaxed))
        })
    }

    /// Returns the sum of the cells, limited to 0 to `most`.
    pub(crate) fn sum(&self, most: usize) -> usize {
        within(self.total(), most)
    }

    /// Restarts at `items`.
    pub(crate) fn reset(&mut self, items: usize) {
        for cell in self.cells() {
            cell.store(0, Ordering::Relaxed);
        }
        self.single.store(items as u64, Ordering::Relaxed);
    }
}

/// A sum of cells, limited to 0 to `most`. Cells change while they are read, so during writes the
/// plain sum can be outside these limits.
pub(crate) fn within(sum: u64, most: usize) -> usize {
    usize::try_from((sum as i64).max(0)).map_or(most, |sum| sum.min(most))
}

#[cfg(test)]
mod tests {
    use core::ptr;
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_small_table_has_a_single_cell() {
        const CELL: usize = size_of::<CachePadded<AtomicU64>>();
        for (buckets, bytes) in [(1, 0), (511, 0), (512, 2 * CELL), (1 << 20, 64 * CELL)] {
            let mut counter = Counter::new(buckets).expect("memory");
            assert_eq!(counter.bytes(), bytes);
            counter.reset(2);
            counter.add(3);
            assert_eq!((counter.sum(9), counter.sum(4)), (5, 4));
            counter.subtract(6);
            assert_eq!(counter.sum(9), 0);
            counter.reset(7);
            assert_eq!(counter.sum(9), 7, "of {buckets} buckets");
        }
    }

    /// Lines of other threads' cells are others.
    #[test]
    fn each_cell_has_its_line() {
        for buckets in [512, 1 << 10, 1 << 20] {
            let counter = Counter::new(buckets).expect("memory");
            let cells = counter.own.iter().chain(&counter.shared);
            let lines: HashSet<usize> = cells.map(|cell| ptr::from_ref(cell).addr() / 64).collect();
            assert_eq!(lines.len(), cells_for(buckets));
            let next = |line: &usize| lines.contains(&(line + 1));
            assert!(
                !lines.iter().any(next),
                "processors fetch two lines together"
            );
        }
    }
}
