//! The sizes of a path search: how many buckets it examines, and how many nodes it keeps. Pure
//! numbers: the layouts have arrays of these lengths.

use crate::sync;

/// The two candidates themselves. A filter with this budget relocates nothing.
pub(crate) const MIN_BUDGET: usize = 2;

/// Maximum number of buckets that a short search examines. Nearly all searches end within it; a
/// small frame is cheap.
pub(crate) const SHORT_BUDGET: usize = if sync::MODEL { 12 } else { 128 };

/// Number of full buckets whose tokens of one slot a search follows together: as many cache lines
/// as a processor waits for at a time, at least.
pub(crate) const FRONTIER_WIDTH: usize = 8;

/// Maximum number of buckets that any search examines.
pub(crate) const LONG_BUDGET: usize = if sync::MODEL { 32 } else { 4096 };

/// In a table of up to this many buckets a search remembers where it was, so that with the largest
/// budget it finds a path if there is one. In larger ones it seldom comes to a bucket twice.
pub(crate) const VISITED_LIMIT: usize = 1024;

/// Room for the nodes of a search within `budget`. A node that is expanded has `slots - 1` or
/// `slots` buckets examined, seldom fewer: so fewer nodes than buckets use up the budget. The
/// alternates of both candidates are nodes always, and those examined last have places that are not
/// kept.
const fn nodes(slots: usize, budget: usize) -> usize {
    let (expanded, near) = (budget.div_ceil(slots - 1), 2 * slots);
    2 + if expanded > near { expanded } else { near } + FRONTIER_WIDTH
}

/// Room for the nodes of a short search.
pub(crate) const fn short_nodes(slots: usize) -> usize {
    nodes(slots, SHORT_BUDGET)
}

/// Room for those of a long search, which comes to all buckets that it remembers.
pub(crate) const fn long_nodes(slots: usize) -> usize {
    let (nodes, all) = (nodes(slots, LONG_BUDGET), VISITED_LIMIT + FRONTIER_WIDTH);
    if sync::MODEL || nodes > all {
        nodes
    } else {
        all
    }
}
