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

#[cfg(feature = "std")]
use once_cell::race::OnceBox;

use crate::allocate;
use crate::error::OutOfMemory;
use crate::sync::{self, AtomicU64, Ordering};

#[derive(Debug)]
pub(super) struct Counter {
    /// Only the thread with the same index writes each of these.
    own: Padded,
    /// For the threads with higher indexes.
    shared: Padded,
    /// The only cell of a small table, which has no bytes to spare for lines that are not shared.
    single: AtomicU64,
}

type Padded = Box<[CachePadded<AtomicU64>]>;

const MOST_CELLS: usize = 64;

/// For a cell that no other thread writes: two plain accesses replace a locked one.
#[inline]
fn change_own(cell: &AtomicU64, by: u64) {
    let count = cell.load(Ordering::Relaxed);
    cell.store(count.wrapping_add(by), Ordering::Relaxed);
}

/// The number of cells of a table with this many buckets.
fn cells_for(buckets: usize) -> usize {
    let affordable = if sync::MODEL {
        8
    } else {
        (buckets / 256).next_power_of_two()
    };
    affordable.min(MOST_CELLS)
}

impl Counter {
    /// A quarter of several cells is shared, or more: every cell that no thread can own is shared.
    pub(super) fn new(buckets: usize) -> Result<Self, OutOfMemory> {
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

    fn cells(&self) -> impl Iterator<Item = &AtomicU64> {
        let several = self.own.iter().chain(&self.shared);
        several.map(|cell| &**cell).chain([&self.single])
    }

    /// The sum of the cells.
    fn total(&self) -> u64 {
        self.cells().fold(0u64, |sum, cell| {
            sum.wrapping_add(cell.load(Ordering::Relaxed))
        })
    }

    /// Returns the sum of the cells, limited to 0 to `most`.
    pub(super) fn sum(&self, most: usize) -> usize {
        within(self.total(), most)
    }

    /// Restarts at `items`.
    pub(super) fn reset(&mut self, items: usize) {
        for cell in self.cells() {
            cell.store(0, Ordering::Relaxed);
        }
        self.single.store(items as u64, Ordering::Relaxed);
    }
}

/// A sum of cells, limited to 0 to `most`. Cells change while they are read, so during writes the plain sum can be
/// outside these limits.
fn within(sum: u64, most: usize) -> usize {
    usize::try_from((sum as i64).max(0)).map_or(most, |sum| sum.min(most))
}

/// The counter of a table that grows: a few cells that are close together at first, and more when it has grown.
///
/// Threads write to the cells added last. Earlier cells keep their values, which are parts of the sum. So a thread may
/// still write to one of them: it does so as before, and no other does if the cell is its own.
#[cfg(feature = "std")]
#[derive(Debug)]
pub(super) struct GrowingCounter {
    /// The last of them is for the threads with indexes above those of the others.
    few: Box<[AtomicU64; FEW]>,
    /// Used before the maximum number of cells.
    more: OnceBox<Counter>,
    most: OnceBox<Counter>,
}

/// As many are half of a line.
#[cfg(feature = "std")]
const FEW: usize = 4;

/// The least that is more.
#[cfg(feature = "std")]
const MORE: usize = 8;

#[cfg(feature = "std")]
impl GrowingCounter {
    /// For a table with this many buckets and items: the cells that a table of half the size has after it has grown.
    pub(super) fn new(buckets: usize, items: usize) -> Result<Self, OutOfMemory> {
        let mut few = [0; FEW];
        few[0] = items as u64;
        let counter = Self {
            few: Box::new(few.map(AtomicU64::new)),
            more: OnceBox::new(),
            most: OnceBox::new(),
        };
        counter.grow(buckets / 2)?;
        Ok(counter)
    }

    pub(super) fn bytes(&self) -> usize {
        let bytes = |counter: &Counter| size_of::<Counter>() + counter.bytes();
        size_of_val(&*self.few) + self.added().map(bytes).sum::<usize>()
    }

    /// The bytes that [`grow`](Self::grow) would add.
    pub(super) fn bytes_to_grow(&self, buckets: usize) -> usize {
        let cells = cells_for(buckets) * size_of::<CachePadded<AtomicU64>>();
        self.missing(buckets)
            .map_or(0, |_| size_of::<Counter>() + cells)
    }

    /// Adds cells, if a table of this many buckets has many more.
    pub(super) fn grow(&self, buckets: usize) -> Result<(), OutOfMemory> {
        if let Some(missing) = self.missing(buckets) {
            missing.get_or_try_init(|| Counter::new(buckets).map(Box::new))?;
        }
        Ok(())
    }

    /// The cells that a table of this many buckets has in addition to the present ones.
    fn missing(&self, buckets: usize) -> Option<&OnceBox<Counter>> {
        let Self { more, most, .. } = self;
        match cells_for(buckets) {
            MOST_CELLS => most.get().is_none().then_some(most),
            MORE.. => self.last().is_none().then_some(more),
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
    pub(super) fn add(&self, items: usize) {
        self.change(items as u64);
    }

    #[inline]
    pub(super) fn subtract(&self, items: usize) {
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
    pub(super) fn sum(&self, most: usize) -> usize {
        let few = self.few.iter().map(|cell| cell.load(Ordering::Relaxed));
        let totals = few.chain(self.added().map(Counter::total));
        within(totals.fold(0, u64::wrapping_add), most)
    }

    /// Restarts at 0.
    pub(super) fn reset(&mut self) {
        let added = self.added().flat_map(Counter::cells);
        let cells = self.few.iter().chain(added);
        cells.for_each(|cell| cell.store(0, Ordering::Relaxed));
    }
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

    /// They write to one set of cells while another is added, and some of them to the old one after that.
    #[cfg(feature = "std")]
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
            let cells = |counter: &Counter| counter.own.len() + counter.shared.len();
            let added: Vec<_> = counter.added().map(cells).collect();
            assert_eq!(added, [8, MOST_CELLS]);
            counter.reset();
            assert_eq!(counter.sum(usize::MAX), 0);
        }
    }
}
