//! Faults: answers that a correct contender does not give.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// How often a contender failed, counted while it is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Faults {
    /// Inserts that were refused, though the contender was made for all items.
    pub refused: usize,
    /// False negatives: lookups of keys that were in, and were not found.
    pub missed: usize,
    /// Removes of keys that were in, and were not found.
    pub unremoved: usize,
}

impl Faults {
    /// Whether there are none.
    #[must_use]
    pub fn are_none(self) -> bool {
        self == Self::default()
    }
}

impl Add for Faults {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            refused: self.refused + other.refused,
            missed: self.missed + other.missed,
            unremoved: self.unremoved + other.unremoved,
        }
    }
}

impl AddAssign for Faults {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Faults {
    fn sum<I: Iterator<Item = Self>>(faults: I) -> Self {
        faults.fold(Self::default(), Add::add)
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            refused,
            missed,
            unremoved,
        } = self;
        write!(
            out,
            "{refused} inserts refused, {missed} keys missed, {unremoved} not removed"
        )
    }
}
