//! The measures of a filter that is yet to be built.

use crate::engine::kind::Kind;
use crate::kernel::layout::Shape;

/// What a filter will take and hold: [`FilterBuilder::measure`](crate::FilterBuilder::measure)
/// returns it without building the filter.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{CuckooFilterBuilder, RandomState};
///
/// let builder = CuckooFilterBuilder::with_hasher(RandomState::with_seed(1)).capacity(1_000_000);
/// let measures = builder.measure_smallest(0.001)?;
/// println!("{} takes {} bytes", measures.layout, measures.memory_usage);
/// # Ok::<(), lockfree_cuckoo::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measures {
    /// What the filter does when it is full, and as time passes.
    pub kind: Kind,
    /// The layout of the buckets.
    pub layout: Shape,
    /// The number of tables that hold items: the generations of a rotating filter, which has one
    /// more table, and 1 for the others.
    pub tables: usize,
    /// The number of buckets of each table.
    pub buckets: usize,
    /// The number of slots of all these tables, as [`Filter::slots`](crate::Filter::slots).
    pub slots: usize,
    /// The number of items that the filter is sized for, as
    /// [`Filter::capacity`](crate::Filter::capacity): of each generation of a rotating filter, and
    /// before the first doubling of a growing one.
    pub capacity: usize,
    /// All bytes, as [`Filter::memory_usage`](crate::Filter::memory_usage) of the new filter.
    pub memory_usage: usize,
    /// The rate of false positives at capacity. For a rotating filter: with all generations full.
    /// For a growing filter: with no vacant slot before the first doubling, and each doubling adds
    /// as much.
    pub false_positive_rate: f64,
}
