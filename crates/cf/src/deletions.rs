//! How many items were deleted: the one count that the filter does not keep.

use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

const CELLS: usize = 16;

/// Cells for callers by their numbers, so that those that delete at the same time seldom share one.
#[derive(Debug, Default)]
pub(crate) struct Deletions([CachePadded<AtomicU64>; CELLS]);

impl Deletions {
    pub(crate) fn starting_at(number: u64) -> Self {
        let deletions = Self::default();
        deletions.0[0].store(number, Ordering::Relaxed);
        deletions
    }

    pub(crate) fn add_one(&self, caller: u64) {
        // Relaxed: it orders nothing. Below `CELLS`, so that the cast cuts nothing off.
        let cell = (caller % CELLS as u64) as usize;
        self.0[cell].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn sum(&self) -> u64 {
        self.0.iter().fold(0, |sum, cell| {
            sum.wrapping_add(cell.load(Ordering::Relaxed))
        })
    }
}
