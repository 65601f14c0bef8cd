//! How far the search for a path may go, and how much room its nodes need.

use crate::sync;

/// The two candidates themselves. A filter with this budget relocates nothing.
pub(crate) const MIN_BUDGET: usize = 2;

/// Most buckets that a short search examines. Nearly all searches end within it; a small frame is cheap to have.
pub(crate) const SHORT_BUDGET: usize = if sync::MODEL { 8 } else { 256 };

/// Most buckets that any search examines.
pub(crate) const LONG_BUDGET: usize = if sync::MODEL { 32 } else { 4096 };

/// Room for the nodes of a search within `budget`. A node that is expanded has `slots - 1` or `slots` buckets
/// examined, seldom fewer: so many fewer nodes than buckets use up the budget.
pub(super) const fn nodes(slots: usize, budget: usize) -> usize {
    budget.div_ceil(slots - 1) + 2
}
