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
//!
//! The counter of a table that gets more words begins with a few cells that are close together, and
//! gets more when the table has more words. Threads write to the cells added last. Earlier cells
//! keep their values, which are parts of the sum. So a thread may still write to one of them: it
//! does so as before, and no other does if the cell is its own.

use alloc::boxed::Box;
use core::array;
use core::iter;
use core::ops::Range;

use crossbeam_utils::CachePadded;
use once_cell::race::OnceBox;

use crate::allocate;
use crate::allocate::Part;
use crate::error::OutOfMemory;
use crate::sync;
use crate::sync::{AtomicU64, Ordering};

/// The counter of a table that keeps its number of words, unless it has [`More`] cells.
#[derive(Debug)]
pub(crate) struct Counter<A = ()> {
    first: Cells,
    added: A,
}

/// What is added to the counter of a table that gets more words: first fewer than the maximum
/// number of cells, then as many.
pub(crate) type More = [OnceBox<Cells>; 2];

/// The cells that were added to a counter. A counter without any has no atomics inside, so that its
/// table is a constant value, whose pointers the compiler keeps in registers from one lookup to the
/// next.
pub(crate) trait Added {
    fn all(&self) -> &[OnceBox<Cells>];
    /// Those that were added last.
    fn last(&self) -> Option<&Cells>;
}

impl Added for () {
    fn all(&self) -> &[OnceBox<Cells>] {
        &[]
    }

    #[inline]
    fn last(&self) -> Option<&Cells> {
        None
    }
}

impl Added for More {
    fn all(&self) -> &[OnceBox<Cells>] {
        self
    }

    #[inline]
    fn last(&self) -> Option<&Cells> {
        let [more, most] = self;
        most.get().or_else(|| more.get())
    }
}

/// Cells that were allocated together.
#[derive(Debug)]
pub(crate) struct Cells {
    /// Only the thread with the same index writes each of these.
    own: Padded,
    /// For the threads with higher indexes.
    shared: Padded,
    /// Instead of both, for a table that has no bytes to spare for lines that are not shared. The
    /// last of them is for the threads with indexes above those of the others.
    few: Option<Box<[AtomicU64; FEW]>>,
}

type Padded = Part<CachePadded<AtomicU64>>;

pub(crate) const MAX_CELLS: usize = 64;

/// The least that a counter that grows adds.
#[cfg(feature = "growing")]
const MIN_ADDED: usize = 8;

/// As many are half of a line.
const FEW: usize = 4;

/// For a cell that no other thread writes: two plain accesses replace a locked one.
#[inline]
fn change_own(cell: &AtomicU64, by: u64) {
    let count = cell.load(Ordering::Relaxed);
    cell.store(count.wrapping_add(by), Ordering::Relaxed);
}

/// The number of padded cells of a table with this many buckets.
pub(crate) fn cells_for(buckets: usize) -> usize {
    let affordable = if sync::MODEL {
        8
    } else {
        (buckets / 256).next_power_of_two()
    };
    affordable.min(MAX_CELLS)
}

impl Cells {
    /// Cells for a table with this many buckets.
    fn new(buckets: usize) -> Result<Self, OutOfMemory> {
        match cells_for(buckets) {
            1 => Self::few(),
            cells => Self::padded(cells),
        }
    }

    fn few() -> Result<Self, OutOfMemory> {
        Ok(Self {
            own: Padded::default(),
            shared: Padded::default(),
            few: Some(allocate::boxed(array::from_fn(|_| AtomicU64::new(0)))?),
        })
    }

    /// A quarter is shared, or more: every cell that no thread can own is shared.
    fn padded(all: usize) -> Result<Self, OutOfMemory> {
        let shared = all.saturating_sub(sync::EXCLUSIVE).max(all / 4).max(1);
        let cells = |count| allocate::slice(count, || CachePadded::new(AtomicU64::new(0)));
        Ok(Self {
            own: cells(all - shared)?.into(),
            shared: cells(shared)?.into(),
            few: None,
        })
    }

    fn bytes(&self) -> usize {
        allocate::bytes(&self.own)
            + allocate::bytes(&self.shared)
            + self.few.as_deref().map_or(0, size_of_val)
    }

    /// The heap bytes of new ones.
    fn bytes_for(buckets: usize) -> usize {
        match cells_for(buckets) {
            1 => Self::BYTES_OF_FEW,
            all => all * size_of::<CachePadded<AtomicU64>>(),
        }
    }

    const BYTES_OF_FEW: usize = FEW * size_of::<AtomicU64>();

    #[inline]
    fn change(&self, by: u64) {
        // Relaxed, here and below: the count orders nothing. Joining the writers makes the sum
        // exact.
        let index = sync::thread_index();
        match self.own.get(index) {
            Some(cell) => change_own(cell, by),
            None => self.change_other(index, by),
        }
    }

    /// Separate, so that the code of every write is small enough to be inlined.
    #[inline(never)]
    #[allow(
        clippy::unnecessary_min_or_max,
        reason = "without the standard library no thread has a number of its own"
    )]
    fn change_other(&self, index: usize, by: u64) {
        let Some([own @ .., last]) = self.few.as_deref() else {
            self.shared[index % self.shared.len()].fetch_add(by, Ordering::Relaxed);
            return;
        };
        let own = &own[..own.len().min(sync::EXCLUSIVE)];
        match own.get(index) {
            Some(cell) => change_own(cell, by),
            None => {
                last.fetch_add(by, Ordering::Relaxed);
            }
        }
    }

    fn all(&self) -> impl Iterator<Item = &AtomicU64> {
        let padded = self.own.iter().chain(self.shared.iter());
        padded
            .map(|cell| &**cell)
            .chain(self.few.iter().flat_map(|few| few.iter()))
    }
}

impl<A: Added> Counter<A> {
    fn of(first: Cells, added: A, items: usize) -> Self {
        let mut counter = Self { first, added };
        counter.reset(items);
        counter
    }

    pub(crate) fn bytes(&self) -> usize {
        let added = self.added();
        let added: usize = added.map(|cells| size_of::<Cells>() + cells.bytes()).sum();
        self.first.bytes() + added
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
        // Write to the cells that were added last.
        match self.added.last() {
            Some(added) => added.change(by),
            None => self.first.change(by),
        }
    }

    fn added(&self) -> impl Iterator<Item = &Cells> {
        self.added.all().iter().filter_map(OnceBox::get)
    }

    fn all(&self) -> impl Iterator<Item = &AtomicU64> {
        let cells = iter::once(&self.first).chain(self.added());
        cells.flat_map(Cells::all)
    }

    /// The sum of the cells, limited to 0 to `most`. Cells change while they are read, so during
    /// writes the plain sum can be outside these limits.
    pub(crate) fn sum(&self, most: usize) -> usize {
        let sum = self.all().fold(0u64, |sum, cell| {
            sum.wrapping_add(cell.load(Ordering::Relaxed))
        });
        usize::try_from((sum as i64).max(0)).map_or(most, |sum| sum.min(most))
    }

    /// Restarts at `items`.
    pub(crate) fn reset(&mut self, items: usize) {
        self.all().for_each(|cell| cell.store(0, Ordering::Relaxed));
        if let Some(cell) = self.first.all().next() {
            cell.store(items as u64, Ordering::Relaxed);
        }
    }
}

impl Counter {
    /// For a table with this many buckets and items.
    pub(crate) fn new(buckets: usize, items: usize) -> Result<Self, OutOfMemory> {
        Ok(Self::of(Cells::new(buckets)?, (), items))
    }

    /// In cells that are there already. No thread has one of its own: those of other processes have
    /// the same numbers.
    #[cfg(feature = "shared")]
    pub(crate) fn of_processes(cells: Part<CachePadded<AtomicU64>>) -> Self {
        let first = Cells {
            own: Padded::default(),
            shared: cells,
            few: None,
        };
        Self { first, added: () }
    }

    /// The heap bytes of a new counter.
    pub(crate) fn bytes_for(buckets: usize) -> usize {
        Cells::bytes_for(buckets)
    }

    /// Where the cells are in memory.
    pub(crate) fn places(&self) -> [Range<usize>; 3] {
        let Cells { own, shared, few } = &self.first;
        [
            allocate::place(own),
            allocate::place(shared),
            few.as_deref().map_or(0..0, |few| allocate::place(few)),
        ]
    }
}

/// For a table that gets more words.
#[cfg(feature = "growing")]
impl Counter<More> {
    /// For a table with this many buckets and items: the cells that a table of half the size has
    /// after it has doubled.
    pub(crate) fn new(buckets: usize, items: usize) -> Result<Self, OutOfMemory> {
        let added = [const { OnceBox::new() }; 2];
        let counter = Self::of(Cells::few()?, added, items);
        counter.grow(buckets / 2)?;
        Ok(counter)
    }

    /// The heap bytes of a new counter.
    pub(crate) fn bytes_for(buckets: usize) -> usize {
        let added = match cells_for(buckets / 2) {
            MIN_ADDED.. => size_of::<Cells>() + Cells::bytes_for(buckets / 2),
            _ => 0,
        };
        Cells::BYTES_OF_FEW + added
    }

    /// The bytes that [`grow`](Self::grow) would add.
    pub(crate) fn bytes_to_grow(&self, buckets: usize) -> usize {
        self.missing(buckets)
            .map_or(0, |_| size_of::<Cells>() + Cells::bytes_for(buckets))
    }

    /// Adds cells, if a table of this many buckets has many more.
    pub(crate) fn grow(&self, buckets: usize) -> Result<(), OutOfMemory> {
        if let Some(missing) = self.missing(buckets) {
            missing.get_or_try_init(|| allocate::boxed(Cells::new(buckets)?))?;
        }
        Ok(())
    }

    /// The cells that a table of this many buckets has in addition to the present ones.
    fn missing(&self, buckets: usize) -> Option<&OnceBox<Cells>> {
        let [more, most] = &self.added;
        match cells_for(buckets) {
            MAX_CELLS => most.get().is_none().then_some(most),
            MIN_ADDED.. => self.added().next().is_none().then_some(more),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use core::ptr;
    use std::collections::HashSet;

    use super::*;

    /// A table too small for lines of its own has a few cells in one line.
    #[test]
    fn cells_of_a_small_table() {
        const CELL: usize = size_of::<CachePadded<AtomicU64>>();
        for (buckets, bytes) in [(1, 32), (511, 32), (512, 2 * CELL), (1 << 20, 64 * CELL)] {
            let mut counter = Counter::<()>::new(buckets, 2).expect("memory");
            assert_eq!(counter.bytes(), bytes);
            counter.add(3);
            assert_eq!((counter.sum(9), counter.sum(4)), (5, 4));
            counter.subtract(6);
            assert_eq!(counter.sum(9), 0);
            // As other threads do.
            counter.all().for_each(|cell| {
                cell.fetch_add(1, Ordering::Relaxed);
            });
            counter.reset(7);
            assert_eq!(counter.sum(9), 7, "of {buckets} buckets");
        }
    }

    /// Lines of other threads' cells are others.
    #[test]
    fn each_cell_has_its_line() {
        for buckets in [512, 1 << 10, 1 << 20] {
            let counter = Counter::<()>::new(buckets, 0).expect("memory");
            let lines: HashSet<usize> = counter
                .all()
                .map(|cell| ptr::from_ref(cell).addr() / 64)
                .collect();
            assert_eq!(lines.len(), cells_for(buckets));
            let next = |line: &usize| lines.contains(&(line + 1));
            assert!(
                !lines.iter().any(next),
                "processors fetch two lines together"
            );
        }
    }

    /// More threads than a small table has cells, some of them with cells of their own.
    #[test]
    fn a_few_cells_lose_nothing() {
        let counter = Counter::<()>::new(1, 0).expect("memory");
        crew::Crew::workers(6, |_, _| (0..20_000).for_each(|_| counter.add(1)));
        assert_eq!(counter.sum(usize::MAX), 6 * 20_000);
    }

    /// Threads write to one set of cells while another is added, and some of them to the old one
    /// after that.
    #[cfg(feature = "growing")]
    #[test]
    fn added_cells_lose_nothing() {
        const THREADS: usize = 6;
        const EACH: usize = 20_000;
        for _ in 0..20 {
            let mut counter = Counter::<More>::new(2, 3).expect("memory");
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
            let added: Vec<_> = counter.added().map(|cells| cells.all().count()).collect();
            assert_eq!(added, [8, MAX_CELLS]);
            counter.reset(0);
            assert_eq!(counter.sum(usize::MAX), 0);
        }
    }
}
