//! The plan of a filter: what a builder was told, and the table that follows from it.

use super::{Filling, Size, choice};
use crate::error::{BuildError, Cause, OutOfMemory, Rate, Shapes, TooManyFalsePositives};
use crate::layout::{LONG_BUDGET, Layout, MIN_BUDGET, Shape};
use crate::table::Geometry;

/// What an engine is to be, with the options `O` that only that engine has.
#[derive(Clone, Debug, Default)]
pub struct Plan<O> {
    pub(crate) size: Size,
    /// Most buckets that a path search examines. None: what suits the engine.
    pub(crate) search_budget: Option<usize>,
    /// The rate of false positives that it may have at most.
    pub(crate) rate: Option<f64>,
    /// Most bytes, those outside of the engine included.
    pub(crate) memory: Option<usize>,
    /// The bytes of a filter outside of its engine's heap.
    pub(crate) outside: usize,
    /// The number of descriptors. None: what suits the size.
    pub(crate) descriptors: Option<usize>,
    pub(crate) options: O,
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

    /// Refuses a filter whose rate of false positives, filled like this, is more than it may be.
    pub(super) fn check_rate<L: Layout>(
        &self,
        geometry: Geometry<L>,
        items: usize,
        filling: Filling,
    ) -> Result<(), BuildError> {
        let Some(most) = self.rate else {
            return Ok(());
        };
        choice::check_range(most)?;
        let rate = filling.rate(geometry, items);
        if rate <= most {
            return Ok(());
        }
        let others = match filling {
            Filling::Sized { .. } => choice::layouts_for::<L>(items, filling, most),
            // It grows, and has no other layout.
            Filling::Full => Shapes::default(),
        };
        Err(BuildError(Cause::FalsePositives(TooManyFalsePositives {
            most: Rate::new(most),
            rate: Rate::new(rate),
            shape: Shape::of::<L>(),
            content: filling.content(items),
            others: Some(others),
        })))
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
