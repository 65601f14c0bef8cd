//! How far a filter may grow.

use crate::table::doubling::Lanes16;
use crate::table::sizing::{any_of, pair_slots};

/// How far a filter may grow, its memory aside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The highest rate of false positives, with no vacant slot left.
    pub(crate) false_positive_rate: f64,
}

/// A rate that no filter exceeds.
pub(super) const NO_LIMIT: f64 = 1.0;

/// The rate of the first table with no vacant slot left: no limit is lower.
pub(crate) fn lowest_rate() -> f64 {
    any_of::<Lanes16>(pair_slots::<Lanes16>() as f64)
}
