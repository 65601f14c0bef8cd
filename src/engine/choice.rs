//! Which layouts keep to a rate of false positives.

use super::{Filling, Size};
use crate::error::{BuildError, Cause, Rate, Shapes};
use crate::layout::{ForLayout, Layout, Shape};

/// Refuses what is no rate, or one that says nothing.
pub(super) fn check_range(rate: f64) -> Result<(), BuildError> {
    // Also false for NaN.
    if rate > 0.0 && rate < 1.0 {
        Ok(())
    } else {
        let rate = Rate::new(rate);
        Err(BuildError(Cause::RateOutOfRange { rate }))
    }
}

/// The layouts besides `L` that keep to a rate in a table for so many items. Those without values, unless `L` has values:
/// then those whose values have as many bits or more.
pub(super) fn layouts_for<L: Layout>(items: usize, filling: Filling, most: f64) -> Shapes {
    let shape = Shape::of::<L>();
    let has_values = |other: Shape| match shape.value_bits() {
        0 => other.value_bits() == 0,
        bits => other.value_bits() >= bits,
    };
    Shape::ALL
        .into_iter()
        .filter(|&other| other != shape && has_values(other))
        .filter(|other| {
            let rate = other.call(RateFor { items, filling });
            rate.is_some_and(|rate| rate <= most)
        })
        .collect()
}

/// The rate in a table for so many items, if there can be one.
struct RateFor {
    items: usize,
    filling: Filling,
}

impl ForLayout for RateFor {
    type Output = Option<f64>;

    fn call<L: Layout>(self) -> Option<f64> {
        let (geometry, items) = Size::Items(self.items).geometry::<L>().ok()?;
        Some(self.filling.rate(geometry, items))
    }
}
