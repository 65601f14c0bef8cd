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

#[cfg(feature = "std")]
use once_cell::race::OnceBox;

use crate::allocate;
use crate::error::OutOfMemory;
use crate::sync::{self, AtomicU64, Ordering};

#[derive(Debug)]
pub(super) struct Counter {
    /// One cell in the middle of each `APART` words; or a single cell, which is shared.
    cells: Box<[AtomicU64]>,
    /// Only the thread with the same index writes each of these cells, which come first.
    own: u32,
    /// The other cells are for the threads with higher indexes.
    shared: u32,
}

const MOST_CELLS: usize = 64;

/// As many words are two cache lines, which processors fetch together: so none shares its line with anything.
const APART: usize = if sync::PLAIN { 16 } else { 1 };

/// The position of the cell of an index, if there are several.
#[inline]
fn word(index: usize) -> usize {
    index * APART + APART / 2
}

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
    /// A small table has fewer cells. A quarter of them is shared, or more: every cell that no thread can own is
    /// shared.
    pub(super) fn new(buckets: usize) -> Result<Self, OutOfMemory> {
        let all = cells_for(buckets);
        let nobodys = all.saturating_sub(sync::EXCLUSIVE);
        let shared = (all / 4).max(1).max(nobodys);
        // A small filter has no bytes to spare for lines that are not shared.
        let words = if all == 1 { 1 } else { all * APART };
        Ok(Self {
            cells: allocate::slice(words, || AtomicU64::new(0))?,
            own: (all - shared) as u32,
            shared: shared as u32,
        })
    }

    pub(super) fn bytes(&self) -> usize {
        allocate::bytes(&self.cells)
    }

    pub(super) fn place(&self) -> Range<usize> {
        allocate::place(&self.cells)
    }

    #[inline]
    fn own(&self) -> usize {
        self.own as usize
    }

    /// The number of cells.
    fn all(&self) -> usize {
        self.own() + self.shared as usize
    }

    fn cell(&self, index: usize) -> &AtomicU64 {
        let word = if self.cells.len() == 1 {
            0
        } else {
            word(index)
        };
        &self.cells[word]
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
        if index >= self.own() {
            return self.change_shared(index, by);
        }
        // There are several, because one is shared.
        change_own(&self.cells[word(index)], by);
    }

    /// Separate, so that the code of every write is small enough to be inlined.
    #[inline(never)]
    fn change_shared(&self, index: usize, by: u64) {
        let cell = self.own() + index % self.shared as usize;
        self.cell(cell).fetch_add(by, Ordering::Relaxed);
    }

    fn cells(&self) -> impl Iterator<Item = &AtomicU64> {
        (0..self.all()).map(|index| self.cell(index))
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
        self.cell(self.own()).store(items as u64, Ordering::Relaxed);
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
pub(super) struct GrowingCounter(Box<Cells>);

#[cfg(feature = "std")]
#[derive(Debug)]
struct Cells {
    /// The last of them is for the threads with indexes above those of the others.
    few: [AtomicU64; FEW],
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
        let counter = Self(Box::new(Cells {
            few: few.map(AtomicU64::new),
            more: OnceBox::new(),
            most: OnceBox::new(),
        }));
        counter.grow(buckets / 2)?;
        Ok(counter)
    }

    pub(super) fn bytes(&self) -> usize {
        let bytes = |counter: &Counter| size_of::<Counter>() + counter.bytes();
        size_of::<Cells>() + self.added().map(bytes).sum::<usize>()
    }

    /// The bytes that [`grow`](Self::grow) would add.
    pub(super) fn bytes_to_grow(&self, buckets: usize) -> usize {
        let cells = cells_for(buckets) * APART * size_of::<AtomicU64>();
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
        let Cells { more, most, .. } = &*self.0;
        match cells_for(buckets) {
            MOST_CELLS => most.get().is_none().then_some(most),
            MORE.. => self.last().is_none().then_some(more),
            _ => None,
        }
    }

    fn added(&self) -> impl Iterator<Item = &Counter> {
        [&self.0.more, &self.0.most]
            .into_iter()
            .filter_map(OnceBox::get)
    }

    /// The cells that threads write to, unless those are the few.
    #[inline]
    fn last(&self) -> Option<&Counter> {
        self.0.most.get().or_else(|| self.0.more.get())
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

    #[inline]
    fn change_few(&self, by: u64) {
        let [own @ .., shared] = &self.0.few;
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
        let few = self.0.few.iter().map(|cell| cell.load(Ordering::Relaxed));
        let totals = few.chain(self.added().map(Counter::total));
        within(totals.fold(0, u64::wrapping_add), most)
    }

    /// Restarts at 0.
    pub(super) fn reset(&mut self) {
        let added = self.added().flat_map(Counter::cells);
        let cells = self.0.few.iter().chain(added);
        cells.for_each(|cell| cell.store(0, Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of other threads' cells, and of what else there is in memory, are others.
    #[test]
    fn each_cell_has_its_line() {
        const LINE: usize = 64;
        for buckets in [512, 1 << 10, 1 << 20] {
            let counter = Counter::new(buckets).expect("memory");
            let Range { start, end } = counter.place();
            let cells = counter.cells().map(core::ptr::from_ref);
            let lines: Vec<usize> = cells.map(|cell| cell.addr() / LINE).collect();
            assert_eq!(lines.len(), cells_for(buckets));
            assert!(lines.windows(2).all(|pair| pair[0] + 1 < pair[1]));
            let inside = |line: &usize| start <= line * LINE && (line + 1) * LINE <= end;
            assert!(lines.iter().all(inside));
        }
        let single = Counter::new(256).expect("memory");
        assert_eq!(single.bytes(), size_of::<u64>());
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
            let added: Vec<_> = counter.added().map(Counter::all).collect();
            assert_eq!(added, [8, MOST_CELLS]);
            counter.reset();
            assert_eq!(counter.sum(usize::MAX), 0);
        }
    }
}
