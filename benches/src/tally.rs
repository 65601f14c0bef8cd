//! Tallies: count the successes and failures of contenders.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Makes a call for each item. Returns the number of calls that returned true.
///
/// Not inlined: the position of a loop, and the registers that are free there, cost up to a third
/// of a lookup.
#[inline(never)]
pub fn count<T>(items: &[T], call: impl Fn(&T) -> bool) -> usize {
    items.iter().map(|item| usize::from(call(item))).sum()
}

/// The failures of a contender while it is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Faults {
    /// Refused inserts, although the contender was made for all items.
    pub refused: usize,
    /// False negatives: lookups that did not find a stored key.
    pub missed: usize,
    /// Removes that did not find a stored key.
    pub unremoved: usize,
    /// Stored keys that were added again by a call that adds absent ones only.
    pub doubled: usize,
}

impl Faults {
    /// Returns the number of all failures.
    #[must_use]
    pub fn sum(self) -> usize {
        self.refused + self.missed + self.unremoved + self.doubled
    }
}

impl AddAssign for Faults {
    fn add_assign(&mut self, other: Self) {
        self.refused += other.refused;
        self.missed += other.missed;
        self.unremoved += other.unremoved;
        self.doubled += other.doubled;
    }
}

/// Counts the stored probes, one bit for each, that were not found.
#[inline]
pub(crate) fn missed(found: u32, stored: u32) -> usize {
    (stored & !found).count_ones() as usize
}
