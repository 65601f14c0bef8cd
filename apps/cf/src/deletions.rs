//! Deletions: counts deleted items, which the library does not count.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

const CELLS: usize = 16;

type Cells = [CachePadded<AtomicU64>; CELLS];

/// One count until two callers contend for it. From then on there are cells, selected by the
/// numbers of callers, so that callers that delete at the same time seldom share one. Most filters
/// never have them.
#[derive(Debug, Default)]
pub(crate) struct Deletions {
    first: AtomicU64,
    cells: OnceLock<Box<Cells>>,
}

impl Deletions {
    pub(crate) fn starting_at(number: u64) -> Self {
        Self {
            first: number.into(),
            cells: OnceLock::new(),
        }
    }

    pub(crate) fn add_one(&self, caller: u64) {
        match self.cells.get() {
            Some(cells) => add_to(cells, caller),
            // Relaxed, here and below: it orders nothing.
            None => self.add_behind(self.first.load(Ordering::Relaxed), caller),
        }
    }

    /// Adds one to the first count, unless it has changed meanwhile: then others add to it too.
    fn add_behind(&self, seen: u64, caller: u64) {
        let (next, order) = (seen.wrapping_add(1), Ordering::Relaxed);
        let added = self.first.compare_exchange(seen, next, order, order);
        if added.is_err() {
            add_to(self.cells.get_or_init(Box::default), caller);
        }
    }

    pub(crate) fn sum(&self) -> u64 {
        let cells = self.cells.get().into_iter().flat_map(|cells| &cells[..]);
        cells.fold(self.first.load(Ordering::Relaxed), |sum, cell| {
            sum.wrapping_add(cell.load(Ordering::Relaxed))
        })
    }

    /// Returns the bytes of the cells, if there are any.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.cells.get().map_or(0, |_| size_of::<Cells>())
    }
}

fn add_to(cells: &Cells, caller: u64) {
    // The cast is exact: the number is below `CELLS`.
    let cell = (caller % CELLS as u64) as usize;
    cells[cell].fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrent_callers_lose_no_deletion() {
        let deletions = Deletions::starting_at(5);
        deletions.add_one(3);
        assert_eq!((deletions.sum(), deletions.heap_bytes()), (6, 0));
        std::thread::scope(|scope| {
            for caller in 0..4 {
                let deletions = &deletions;
                scope.spawn(move || (0..10_000).for_each(|_| deletions.add_one(caller)));
            }
        });
        assert_eq!(deletions.sum(), 40_006);
    }

    #[test]
    fn contending_callers_get_cells() {
        let deletions = Deletions::starting_at(5);
        // Another caller has added one since.
        deletions.add_behind(4, CELLS as u64 + 2);
        assert_eq!(deletions.sum(), 6);
        assert!(deletions.heap_bytes() >= CELLS * size_of::<AtomicU64>());
        deletions.add_one(1);
        assert_eq!(deletions.sum(), 7);
        assert_eq!(deletions.first.load(Ordering::Relaxed), 5);
    }
}
