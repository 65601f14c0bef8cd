//! Which layouts keep to a rate of false positives, and which of them takes the least memory.

use core::cmp::Reverse;

use super::{Filling, Size};
use crate::error::{BuildError, Cause, Rate, Shapes, TooManyFalsePositives};
use crate::layout::{ForLayout, Layout, Shape};
use crate::table::sizing;

/// The lowest rate that a table is made for. A lower one would take ever larger tables.
const LEAST: f64 = 1e-9;

/// Refuses what is no rate, or one that says nothing.
pub(super) fn check_range(rate: f64) -> Result<(), BuildError> {
    check(rate > 0.0 && rate < 1.0, rate, 0.0)
}

fn check(is_possible: bool, rate: f64, least: f64) -> Result<(), BuildError> {
    is_possible
        .then_some(())
        .ok_or(BuildError(Cause::RateOutOfRange {
            rate: Rate::new(rate),
            least: Rate::new(least),
        }))
}

/// The layouts besides `L` that keep to a rate in a table for so many items. Those without values, unless `L` has values:
/// then those whose values have as many bits or more.
pub(super) fn layouts_for<L: Layout>(items: usize, filling: Filling, most: f64) -> Shapes {
    let shape = Shape::of::<L>();
    let has_values = |other: Shape| match shape.value_bits() {
        0 => other.value_bits() == 0,
        bits => other.value_bits() >= bits,
    };
    let size = Size::Items(items);
    Shape::ALL
        .into_iter()
        .filter(|&other| other != shape && has_values(other))
        .filter(|other| {
            let rate = other.call(RateOf { size, filling });
            rate.is_ok_and(|(rate, _)| rate <= most)
        })
        .collect()
}

/// The layout without values, and the size, of the smallest table that keeps to a rate. Of exactly so many buckets: the
/// one that takes the most items.
pub(crate) fn smallest(
    size: Size,
    filling: Filling,
    most: f64,
) -> Result<(Shape, Size), BuildError> {
    check((LEAST..1.0).contains(&most), most, LEAST)?;
    let tables = plain().filter_map(|shape| {
        let table = shape.call(Smallest {
            size,
            filling,
            most,
        })?;
        Some((shape, table))
    });
    // Of equal ones, those without a code to decode are faster.
    let key = |(shape, table): &(Shape, Table)| {
        (table.buckets, Reverse(table.items), shape.is_semi_sorted())
    };
    let equal = |a: &(Shape, Table), b: &(Shape, Table)| {
        let by_rate = || a.1.rate.total_cmp(&b.1.rate);
        key(a).cmp(&key(b)).then_with(by_rate)
    };
    if let Some((shape, Table { items, buckets, .. })) = tables.min_by(equal) {
        return Ok((shape, Size::Roomy { items, buckets }));
    }
    Err(too_low(size, filling, most))
}

/// Why no table keeps to a rate: the size is impossible, no table is so large, or the rate does not depend on the size.
fn too_low(size: Size, filling: Filling, most: f64) -> BuildError {
    let rate_of = |shape: Shape| shape.call(RateOf { size, filling });
    let rates = plain().filter_map(|shape| Some((shape, rate_of(shape).ok()?)));
    let lowest = rates.min_by(|(_, (a, _)), (_, (b, _))| a.total_cmp(b));
    let impossible = || plain().find_map(|shape| rate_of(shape).err());
    match lowest {
        Some((shape, (rate, items))) => BuildError(Cause::FalsePositives(TooManyFalsePositives {
            most: Rate::new(most),
            rate: Rate::new(rate),
            shape,
            content: filling.content(items),
            others: None,
        })),
        None => impossible().expect("a rate, or why there is none"),
    }
}

/// The layouts without values.
fn plain() -> impl Iterator<Item = Shape> {
    let all = Shape::ALL.into_iter();
    all.filter(|shape| shape.value_bits() == 0)
}

/// The rate in a table of a size, and the items that it is for.
struct RateOf {
    size: Size,
    filling: Filling,
}

impl ForLayout for RateOf {
    type Output = Result<(f64, usize), BuildError>;

    fn call<L: Layout>(self) -> Self::Output {
        let (geometry, items) = self.size.geometry::<L>()?;
        Ok((self.filling.rate(geometry, items), items))
    }
}

/// The smallest table that keeps to a rate, if there is one.
struct Smallest {
    size: Size,
    filling: Filling,
    most: f64,
}

struct Table {
    buckets: usize,
    items: usize,
    rate: f64,
}

impl ForLayout for Smallest {
    type Output = Option<Table>;

    fn call<L: Layout>(self) -> Option<Table> {
        let (least, items) = self.size.geometry::<L>().ok()?;
        let rate = |geometry| self.filling.rate::<L>(geometry, items);
        let geometry = match self.size {
            // The more buckets, the fewer fingerprints a lookup compares.
            Size::Items(_) => sizing::smallest(|geometry| {
                sizing::items_for(geometry) >= items && rate(geometry) <= self.most
            })?,
            _ => least,
        };
        let rate = rate(geometry);
        (rate <= self.most).then_some(Table {
            buckets: geometry.buckets(),
            items,
            rate,
        })
    }
}
