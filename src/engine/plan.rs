//! The plan of a filter: the builder's settings, and the resulting table.
//!
//! Also the layouts that keep to a rate of false positives, and the one among them that takes the
//! least memory.

use core::cmp::{Ordering, Reverse};

use crate::engine::kind::Kind;
use crate::engine::measures::Measures;
use crate::error::BuildError;
use crate::kernel::geometry::Geometry;
use crate::kernel::layout::{ForLayout, Layout, Shape};
use crate::kernel::pool::PoolSize;
use crate::kernel::search::sizes::{LONG_BUDGET, MIN_BUDGET};
use crate::kernel::sizing;
use crate::kernel::sizing::{any_of, compared};

/// The settings of an engine.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The number of items. None: the default.
    pub(crate) items: Option<usize>,
    /// The number of buckets, in place of a number of items.
    pub(crate) buckets: Option<usize>,
    /// The size that was chosen for a rate, in place of both.
    pub(crate) chosen: Option<Size>,
    /// The maximum number of buckets that a path search examines. None: the engine's default.
    pub(crate) search_budget: Option<usize>,
    /// The maximum rate of false positives.
    pub(crate) rate: Option<f64>,
    /// The maximum number of bytes, including those outside of the engine's heap.
    pub(crate) memory: Option<usize>,
    /// The number of descriptors. None: the default for the size.
    pub(crate) descriptors: Option<PoolSize>,
    /// The number of generations, if it rotates. None: two.
    pub(crate) generations: Option<usize>,
}

impl Plan {
    /// The defaults. No `Default`: with it, a program could build an engine through the hidden
    /// methods of `Buildable`.
    pub(crate) const fn new() -> Self {
        Self {
            items: None,
            buckets: None,
            chosen: None,
            search_budget: None,
            rate: None,
            memory: None,
            descriptors: None,
            generations: None,
        }
    }

    /// The size. Refuses two sizes: at most one of them could be kept to.
    pub(crate) fn size(&self) -> Result<Size, BuildError> {
        match (self.chosen, self.items, self.buckets) {
            (Some(size), ..) => Ok(size),
            (None, Some(capacity), Some(buckets)) => {
                Err(BuildError::CapacityAndBuckets { capacity, buckets })
            }
            (None, None, Some(buckets)) => Ok(Size::Buckets(buckets)),
            (None, items, None) => Ok(Size::Items(items.unwrap_or(DEFAULT_ITEMS))),
        }
    }

    /// The search budget, if it is in range.
    pub(crate) fn search_budget(&self, default: usize) -> Result<usize, BuildError> {
        let budget = self.search_budget.unwrap_or(default);
        let nearest = budget.clamp(MIN_BUDGET, LONG_BUDGET);
        if budget != nearest {
            return Err(BuildError::SearchBudget {
                requested: budget,
                nearest,
            });
        }
        Ok(budget)
    }

    /// The measures of a filter of this kind whose tables have this geometry, each sized for
    /// `capacity` items, with this number of bytes in all. Refuses one that exceeds a maximum.
    pub(crate) fn measures<L: Layout>(
        &self,
        kind: Kind,
        rated_load: RatedLoad,
        (geometry, capacity): (Geometry<L>, usize),
        bytes: usize,
    ) -> Result<Measures, BuildError> {
        let shape = Shape::of::<L>();
        let rate = rated_load.rate(geometry, capacity);
        self.check_rate(rate, shape)?;
        self.check_memory(bytes)?;
        let tables = rated_load.tables();
        Ok(Measures {
            kind,
            layout: shape,
            tables,
            buckets: geometry.buckets(),
            slots: tables * geometry.slots(),
            capacity,
            memory_usage: bytes,
            false_positive_rate: rate,
        })
    }

    fn check_rate(&self, rate: f64, shape: Shape) -> Result<(), BuildError> {
        let Some(most) = self.rate else {
            return Ok(());
        };
        check_range(most)?;
        if rate <= most {
            return Ok(());
        }
        Err(BuildError::FalsePositiveRate {
            requested: most,
            rate,
            shape,
        })
    }

    pub(crate) fn check_memory(&self, needed: usize) -> Result<(), BuildError> {
        match self.memory {
            Some(limit) if needed > limit => Err(BuildError::MemoryLimit { limit, needed }),
            _ => Ok(()),
        }
    }
}

/// The size of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Size {
    Items(usize),
    Buckets(usize),
    /// A table with this number of buckets, for fewer items than it could hold.
    Explicit {
        items: usize,
        buckets: usize,
    },
}

/// The items that a filter is sized for by default.
const DEFAULT_ITEMS: usize = 1024;

impl Size {
    /// The geometry of this size, and the items that it is for.
    pub(crate) fn geometry<L: Layout>(self) -> Result<(Geometry<L>, usize), BuildError> {
        match self {
            Self::Items(items) => {
                let max = sizing::max_items::<L>();
                if items > max {
                    return Err(BuildError::Capacity {
                        requested: items,
                        max,
                    });
                }
                Ok((sizing::geometry_for(items), items))
            }
            Self::Buckets(buckets) => {
                let geometry = with_buckets(buckets)?;
                Ok((geometry, sizing::items_for(geometry)))
            }
            Self::Explicit { items, buckets } => Ok((with_buckets(buckets)?, items)),
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
pub enum RatedLoad {
    /// Tables that each hold the number of items that they are sized for.
    Sized { tables: usize },
    /// One table without a vacant slot, whose tokens match others `weight` times as often as
    /// fingerprints of their size.
    Full { weight: f64 },
}

impl RatedLoad {
    fn tables(self) -> usize {
        match self {
            Self::Sized { tables } => tables,
            Self::Full { .. } => 1,
        }
    }

    /// The rate of tables of this geometry, each sized for this number of items.
    pub(crate) fn rate<L: Layout>(self, geometry: Geometry<L>, items: usize) -> f64 {
        let (tables, len) = match self {
            Self::Sized { tables } => (tables, items),
            Self::Full { weight } => {
                return any_of::<L>(weight * compared(geometry.slots(), geometry));
            }
        };
        any_of::<L>(tables as f64 * compared(len, geometry))
    }
}

/// The lowest rate that a table supports. A lower one would take ever larger tables.
const MIN_RATE: f64 = 1e-9;

/// Refuses a number that is not a rate, or does not limit anything.
fn check_range(rate: f64) -> Result<(), BuildError> {
    check(rate > 0.0 && rate < 1.0, rate, 0.0)
}

fn check(is_possible: bool, rate: f64, min: f64) -> Result<(), BuildError> {
    is_possible.then_some(()).ok_or(BuildError::RateOutOfRange {
        requested: rate,
        min,
    })
}

/// The layout without values, and the size, of the smallest table that keeps to a rate. For an
/// exact number of buckets: the layout that holds the most items.
pub(crate) fn smallest(
    size: Size,
    rated_load: RatedLoad,
    most: f64,
) -> Result<(Shape, Size), BuildError> {
    check((MIN_RATE..1.0).contains(&most), most, MIN_RATE)?;
    let tables = || {
        plain().map(|shape| {
            shape.call(Smallest {
                size,
                rated_load,
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
        return Ok((layout, Size::Explicit { items, buckets }));
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
    rated_load: RatedLoad,
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
        let rate = |geometry| self.rated_load.rate::<L>(geometry, items);
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
