//! The plan of a filter: the builder's settings, and the resulting table.
//!
//! Also the layouts that keep to a rate of false positives, and the one among them that takes the least memory.

use core::cmp::{Ordering, Reverse};

use crate::error::{BuildError, OutOfMemory};
use crate::layout::{ForLayout, LONG_BUDGET, Layout, MIN_BUDGET, Shape};
use crate::table::Geometry;
use crate::table::sizing::{self, HEADS_AGREE, any_of, compared};

/// The settings of an engine.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub(crate) size: Size,
    /// The maximum number of buckets that a path search examines. None: the engine's default.
    pub(crate) search_budget: Option<usize>,
    /// The maximum rate of false positives.
    pub(crate) rate: Option<f64>,
    /// The maximum number of bytes, including those outside of the engine's heap.
    pub(crate) memory: Option<usize>,
    /// The number of descriptors. None: the default for the size.
    pub(crate) descriptors: Option<usize>,
    /// The number of generations, if it rotates. None: two.
    pub(crate) generations: Option<usize>,
}

impl Plan {
    /// The search budget, if it is in range.
    pub(super) fn search_budget(&self, unless_told: usize) -> Result<usize, BuildError> {
        let budget = self.search_budget.unwrap_or(unless_told);
        let nearest = budget.clamp(MIN_BUDGET, LONG_BUDGET);
        if budget != nearest {
            return Err(BuildError::SearchBudget {
                requested: budget,
                nearest,
            });
        }
        Ok(budget)
    }

    /// Refuses a filter whose rate of false positives, with this content, exceeds the maximum.
    pub(super) fn check_rate<L: Layout>(
        &self,
        geometry: Geometry<L>,
        items: usize,
        filling: Filling,
    ) -> Result<(), BuildError> {
        let Some(most) = self.rate else {
            return Ok(());
        };
        check_range(most)?;
        let rate = filling.rate(geometry, items);
        if rate <= most {
            return Ok(());
        }
        Err(BuildError::FalsePositiveRate {
            requested: most,
            rate,
            shape: Shape::of::<L>(),
        })
    }

    /// Refuses a filter that begins with this number of bytes, if it exceeds the maximum.
    pub(super) fn check_memory(
        &self,
        outside: usize,
        heap: impl FnOnce() -> Result<usize, OutOfMemory>,
    ) -> Result<(), BuildError> {
        let Some(limit) = self.memory else {
            return Ok(());
        };
        let needed = outside + heap()?;
        if needed > limit {
            return Err(BuildError::MemoryLimit { limit, needed });
        }
        Ok(())
    }
}

/// The size of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Size {
    Items(usize),
    Buckets(usize),
    /// A table with this number of buckets, for fewer items than it could hold.
    Roomy {
        items: usize,
        buckets: usize,
    },
}

/// The items that a filter is sized for by default.
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
                    return Err(BuildError::Capacity {
                        requested: items,
                        most,
                    });
                }
                Ok((sizing::geometry_for(items), items))
            }
            Self::Buckets(buckets) => {
                let geometry = with_buckets(buckets)?;
                Ok((geometry, sizing::items_for(geometry)))
            }
            Self::Roomy { items, buckets } => Ok((with_buckets(buckets)?, items)),
        }
    }
}

fn with_buckets<L: Layout>(buckets: usize) -> Result<Geometry<L>, BuildError> {
    Geometry::with_buckets(buckets).ok_or_else(|| BuildError::Buckets {
        requested: buckets,
        nearest: sizing::nearest_buckets::<L>(buckets),
        factor: Geometry::<L>::MAX_RANGES,
    })
}

/// The content of a filter for which its rate of false positives is judged.
#[derive(Clone, Copy, Debug)]
pub enum Filling {
    /// Tables that each hold the number of items that they are sized for.
    Sized { tables: usize },
    /// One growing table without a vacant slot.
    Full,
}

impl Filling {
    /// The rate of tables of this geometry, each sized for this number of items.
    pub(super) fn rate<L: Layout>(self, geometry: Geometry<L>, items: usize) -> f64 {
        let (tables, len) = match self {
            Self::Sized { tables } => (tables, items),
            Self::Full => return any_of::<L>(HEADS_AGREE * compared(geometry.slots(), geometry)),
        };
        any_of::<L>(tables as f64 * compared(len, geometry))
    }
}

/// The lowest rate that a table supports. A lower one would take ever larger tables.
const LEAST: f64 = 1e-9;

/// Refuses a number that is not a rate, or does not limit anything.
fn check_range(rate: f64) -> Result<(), BuildError> {
    check(rate > 0.0 && rate < 1.0, rate, 0.0)
}

fn check(is_possible: bool, rate: f64, least: f64) -> Result<(), BuildError> {
    is_possible.then_some(()).ok_or(BuildError::RateOutOfRange {
        requested: rate,
        least,
    })
}

/// The layout without values, and the size, of the smallest table that keeps to a rate. For an exact number of buckets:
/// the layout that holds the most items.
pub(crate) fn smallest(
    size: Size,
    filling: Filling,
    most: f64,
) -> Result<(Shape, Size), BuildError> {
    check((LEAST..1.0).contains(&most), most, LEAST)?;
    let tables = || {
        plain().map(|shape| {
            shape.call(Smallest {
                size,
                filling,
                most,
            })
        })
    };
    let low = tables().flatten().filter(|table| table.rate <= most);
    // On a tie, prefer layouts without a code to decode: they are faster.
    let key = |table: &Table| {
        let is_slow = table.layout.is_semi_sorted();
        (table.buckets, Reverse(table.items), is_slow)
    };
    if let Some(Table {
        layout,
        items,
        buckets,
        ..
    }) = low.min_by(|a, b| key(a).cmp(&key(b)).then_with(|| by_rate(a, b)))
    {
        return Ok((layout, Size::Roomy { items, buckets }));
    }
    let Some(Table { layout, rate, .. }) = tables().flatten().min_by(by_rate) else {
        return Err(tables()
            .find_map(Result::err)
            .expect("a table, or why there is none"));
    };
    Err(BuildError::FalsePositiveRate {
        requested: most,
        rate,
        shape: layout,
    })
}

fn by_rate(a: &Table, b: &Table) -> Ordering {
    a.rate.total_cmp(&b.rate)
}

/// The layouts without values.
fn plain() -> impl Iterator<Item = Shape> {
    let all = Shape::ALL.iter().copied();
    all.filter(|shape| shape.value_bits() == 0)
}

/// The smallest table of a size that keeps to a rate. If none does, the table of that size.
struct Smallest {
    size: Size,
    filling: Filling,
    most: f64,
}

struct Table {
    layout: Shape,
    buckets: usize,
    items: usize,
    rate: f64,
}

impl ForLayout for Smallest {
    type Output = Result<Table, BuildError>;

    fn call<L: Layout>(self) -> Self::Output {
        let (least, items) = self.size.geometry::<L>()?;
        let rate = |geometry| self.filling.rate::<L>(geometry, items);
        let low = match self.size {
            // The more buckets, the fewer fingerprints a lookup compares.
            Size::Items(_) => sizing::smallest(|geometry| {
                sizing::items_for(geometry) >= items && rate(geometry) <= self.most
            }),
            _ => None,
        };
        let geometry = low.unwrap_or(least);
        Ok(Table {
            layout: Shape::of::<L>(),
            buckets: geometry.buckets(),
            items,
            rate: rate(geometry),
        })
    }
}
