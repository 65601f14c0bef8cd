//! An engine that grows: a table that doubles ten times, and then another one after it.

mod contract;
mod grow;
pub(crate) mod item;
mod levels;
mod memory;
mod ops;
mod snapshot;
mod split;
mod stored;
mod sweep;
mod tables;
#[cfg(test)]
mod tests;
mod tokens;
mod unique;
mod walks;
mod word;

use crate::allocate;
use crate::codec::reading::Input;
use crate::engine::buildable::Buildable;
use crate::engine::kind::Kind;
use crate::engine::measures::Measures;
use crate::engine::operations::RawFilter;
use crate::engine::plan::{Plan, RatedLoad, Size};
use crate::error::{BuildError, OutOfMemory, ReadError, SnapshotError};
use crate::growing::item::MAX_LEVEL;
use crate::growing::tables::{CountedGrowingTable, MAX_ADDED, Tables, geometry};
use crate::growing::word::Lanes16;
use crate::kernel::layout::Layout;
use crate::kernel::search::sizes::LONG_BUDGET;
use crate::kernel::sizing::items_for;
use crate::sync::{AtomicU64, Ordering};

/// The engine of a [`GrowingCuckooFilter`](crate::GrowingCuckooFilter): a table that doubles, with
/// buckets of 4 slots of 16 bits.
///
/// A lookup loads two words of the table, however often it has doubled. After ten doublings there
/// is another table, and a lookup of an absent item reads both.
#[derive(Debug)]
pub struct Growing {
    tables: Tables,
    /// The maximum rate of false positives, with no vacant slot left.
    rate: f64,
    /// The maximum number of bytes of the filter.
    memory: usize,
    /// A temporary maximum, which any thread may set. Not stored: it depends on other memory in
    /// use.
    memory_for_now: Box<AtomicU64>,
    /// The bytes of the filter outside of this engine's heap.
    outside: usize,
}

/// The bound of a search. A longer search, as in a filter that cannot grow, fills a table by 2 %
/// more of its slots before it doubles, at twice the time of all its inserts.
const DEFAULT_BUDGET: usize = if LONG_BUDGET < 256 { LONG_BUDGET } else { 256 };

/// A rate that no filter exceeds.
const NO_LIMIT: f64 = 1.0;

impl Growing {
    /// Makes an engine of unused tables, from the oldest to the newest. There must be one.
    pub(crate) fn of_tables(
        tables: impl IntoIterator<Item = CountedGrowingTable>,
        rate: f64,
        memory: usize,
        outside: usize,
    ) -> Result<Self, OutOfMemory> {
        Ok(Self {
            tables: Tables::of(tables)?,
            rate,
            memory,
            memory_for_now: allocate::boxed(AtomicU64::new(u64::MAX))?,
            outside,
        })
    }

    /// An engine with the same settings and other tables.
    fn with(
        &self,
        tables: impl IntoIterator<Item = CountedGrowingTable>,
    ) -> Result<Self, OutOfMemory> {
        Self::of_tables(tables, self.rate, self.memory, self.outside)
    }

    /// The lower of both limits.
    fn memory_now(&self) -> usize {
        // Relaxed, here and where it is set: a limit orders nothing.
        let now = self.memory_for_now.load(Ordering::Relaxed);
        self.memory.min(usize::try_from(now).unwrap_or(usize::MAX))
    }

    /// The bytes of the filter.
    fn bytes(&self) -> usize {
        self.outside + self.heap_bytes()
    }
}

impl Buildable for Growing {
    type With<M: Layout> = Self;
    const KIND: Kind = Kind::Growing;
    type Layout = Lanes16;

    /// Full: it fills up before it doubles.
    fn rated_load(_: &Plan) -> RatedLoad {
        RatedLoad::Full
    }

    fn measures(plan: &Plan, outside: usize) -> Result<Measures, BuildError> {
        let level = first_level(plan.size()?)?;
        plan.search_budget(DEFAULT_BUDGET)?;
        let table = CountedGrowingTable::bytes_for(level);
        let bytes = outside + table + Tables::LIST_BYTES + size_of::<AtomicU64>();
        let sized = (geometry(level), items_for(geometry(level)));
        plan.measures(Self::KIND, Self::rated_load(plan), sized, bytes)
    }

    fn build(plan: &Plan, outside: usize) -> Result<Self, BuildError> {
        // Refuses before anything is allocated.
        Self::measures(plan, outside)?;
        let level = first_level(plan.size()?)?;
        let budget = plan.search_budget(DEFAULT_BUDGET)?;
        let mut oldest = CountedGrowingTable::new(level, budget)?;
        if let Some(size) = plan.descriptors {
            oldest = oldest.with_descriptors(size)?;
        }
        let rate = plan.rate.unwrap_or(NO_LIMIT);
        let memory = plan.memory.unwrap_or(usize::MAX);
        Ok(Self::of_tables([oldest], rate, memory, outside)?)
    }

    fn empty_like(&self) -> Result<Self, OutOfMemory> {
        let oldest = self.tables.oldest().tokens();
        let table = CountedGrowingTable::new(oldest.first(), oldest.search_budget())?;
        self.with([table])
    }

    /// A token never changes its table, and the tables are copied in the order of a lookup: the
    /// argument for a lookup holds for the copy.
    fn snapshot(&self) -> Result<Self, SnapshotError> {
        let mut copies = Vec::new();
        allocate::grow(&mut copies, MAX_ADDED + 1)?;
        for table in self.tables.all() {
            copies.push(table.snapshot()?);
        }
        Ok(self.with(copies.into_iter().rev())?)
    }

    fn restore(input: Input<'_>, outside: usize) -> Result<Self, ReadError> {
        let (tables, rate, memory) = stored::restore(input)?;
        Ok(Self::of_tables(tables, rate, memory, outside)?)
    }
}

/// The first level of a table of this size. Tables that double have a power of two of buckets. A
/// capacity is rounded up, a number of buckets is not.
fn first_level(size: Size) -> Result<u32, BuildError> {
    match size {
        Size::Items(items) | Size::Explicit { items, .. } => {
            let level = (1..=MAX_LEVEL).find(|&level| items_for(geometry(level)) >= items);
            let max = items_for(geometry(MAX_LEVEL));
            level.ok_or(BuildError::Capacity {
                requested: items,
                max,
            })
        }
        Size::Buckets(buckets) => {
            let level = nearest_level(buckets);
            if buckets != 1 << level {
                return Err(BuildError::Buckets {
                    requested: buckets,
                    nearest: 1 << level,
                    factor: 1,
                });
            }
            Ok(level)
        }
    }
}

/// The level whose number of buckets is nearest to this one, the upper of two.
fn nearest_level(buckets: usize) -> u32 {
    let below = buckets.max(2).ilog2();
    let is_nearer_above = buckets.saturating_sub(1 << below) >= 1 << (below - 1);
    (below + u32::from(is_nearer_above)).min(MAX_LEVEL)
}

/// The number of slots of a full table at this level.
fn full(level: u32) -> usize {
    geometry(level).slots()
}
