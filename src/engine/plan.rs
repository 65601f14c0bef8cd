//! The plan of a filter: what a builder was told, and the table that follows from it.

use crate::error::{BuildError, Cause, OutOfMemory};
use crate::layout::{LONG_BUDGET, Layout, MIN_BUDGET};
use crate::table::{Geometry, sizing};

/// What an engine is to be, with the options `O` that only that engine has.
#[derive(Clone, Debug, Default)]
pub struct Plan<O> {
    pub(crate) size: Size,
    /// Most buckets that a path search examines. None: what suits the engine.
    pub(crate) search_budget: Option<usize>,
    /// Most bytes, those outside of the engine included.
    pub(crate) memory: Option<usize>,
    /// The bytes of a filter outside of its engine's heap.
    pub(crate) outside: usize,
    /// The number of descriptors. None: what suits the size.
    pub(crate) descriptors: Option<usize>,
    pub(crate) options: O,
}

/// How large a table is to be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Size {
    Items(usize),
    Buckets(usize),
}

/// The items that a filter is sized for unless set.
const DEFAULT_ITEMS: usize = 1024;

impl Default for Size {
    fn default() -> Self {
        Self::Items(DEFAULT_ITEMS)
    }
}

impl Size {
    /// The geometry of this size, and the items that it is for.
    pub(super) fn geometry<L: Layout>(self) -> Result<(Geometry<L>, usize), BuildError> {
        match self {
            Self::Items(items) => {
                let most = sizing::max_items::<L>();
                if items > most {
                    return Err(BuildError(Cause::Capacity { items, most }));
                }
                Ok((sizing::geometry_for(items), items))
            }
            Self::Buckets(buckets) => {
                let geometry = Geometry::with_buckets(buckets).ok_or_else(|| {
                    let nearest = sizing::nearest_buckets::<L>(buckets);
                    let ranges = Geometry::<L>::MAX_RANGES;
                    BuildError(Cause::Buckets {
                        buckets,
                        nearest,
                        ranges,
                    })
                })?;
                Ok((geometry, sizing::items_for(geometry)))
            }
        }
    }
}

impl<O> Plan<O> {
    /// The search budget, if it is in range.
    pub(super) fn search_budget(&self, unless_told: usize) -> Result<usize, BuildError> {
        let budget = self.search_budget.unwrap_or(unless_told);
        let nearest = budget.clamp(MIN_BUDGET, LONG_BUDGET);
        if budget != nearest {
            return Err(BuildError(Cause::SearchBudget { budget, nearest }));
        }
        Ok(budget)
    }

    /// Refuses a filter that begins with so many bytes, if that is more than it may have.
    pub(super) fn check_memory(
        &self,
        heap: impl FnOnce() -> Result<usize, OutOfMemory>,
    ) -> Result<(), BuildError> {
        let Some(most) = self.memory else {
            return Ok(());
        };
        let least = self.outside + heap().map_err(BuildError::out_of_memory)?;
        if least > most {
            return Err(BuildError(Cause::Memory { most, least }));
        }
        Ok(())
    }
}
