//! An engine that grows: a table that doubles ten times, and then another one after it.

mod growth;
mod tables;
mod walks;

pub(crate) use tables::{LATER, Tables};

use super::{Build, Filling, Operations, Plan, Size};
use crate::allocate;
use crate::counted::{GrowingTable, compared_when_first_full, geometry};
use crate::error::{BuildError, InsertError, OutOfMemory, SnapshotError};
use crate::layout::{Kind, LONG_BUDGET, Shape};
use crate::sync::{AtomicU64, Ordering};
use crate::table::doubling::{DEEPEST, Lanes16};
use crate::table::sizing::{any_of, items_for};
use crate::tokens::is_near;

/// The engine of a [`GrowingCuckooFilter`](crate::GrowingCuckooFilter): a table that doubles, with buckets of 4 slots
/// of 16 bits.
///
/// A lookup loads two words of the table, however often it has doubled. After ten doublings there is another table, and
/// a lookup of an absent item reads both.
#[derive(Debug)]
pub struct Growing {
    tables: Tables,
    /// The maximum rate of false positives, with no vacant slot left.
    rate: f64,
    /// The maximum number of bytes of the filter.
    memory: usize,
    /// A temporary maximum, which any thread may set. Not stored: it depends on other memory in use.
    memory_for_now: Box<AtomicU64>,
    /// The bytes of the filter outside of this engine's heap.
    outside: usize,
}

/// The bound of a search. A longer search, as in a filter that cannot grow, fills a table by 2 % more of its slots
/// before it doubles, at twice the time of all its inserts.
const DEFAULT_BUDGET: usize = if LONG_BUDGET < 256 { LONG_BUDGET } else { 256 };

/// A rate that no filter exceeds.
const NO_LIMIT: f64 = 1.0;

/// The rate of the first table with no vacant slot left: no limit is lower.
pub(crate) fn lowest_rate() -> f64 {
    any_of::<Lanes16>(compared_when_first_full())
}

impl Growing {
    /// Makes an engine of unused tables, from the finest to the coarsest. There must be one.
    pub(crate) fn of_tables(
        tables: Vec<GrowingTable>,
        rate: f64,
        memory: usize,
        outside: usize,
    ) -> Self {
        Self {
            tables: Tables::of(tables),
            rate,
            memory,
            memory_for_now: Box::new(AtomicU64::new(u64::MAX)),
            outside,
        }
    }

    /// An engine with the same settings and other tables.
    fn with(&self, tables: Vec<GrowingTable>) -> Self {
        Self::of_tables(tables, self.rate, self.memory, self.outside)
    }

    pub(crate) fn list(&self) -> &Tables {
        &self.tables
    }

    pub(crate) fn rate(&self) -> f64 {
        self.rate
    }

    pub(crate) fn memory(&self) -> usize {
        self.memory
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

impl Build for Growing {
    const KIND: Kind = Kind::Growing;
    type Layout = Lanes16;

    /// Full: it fills up before it doubles.
    fn filling(_: &Plan) -> Filling {
        Filling::Full
    }

    fn build(plan: &Plan, outside: usize) -> Result<Self, BuildError> {
        let (level, items) = first_level(plan.size)?;
        plan.check_rate(geometry(level), items, Self::filling(plan))?;
        let budget = plan.search_budget(DEFAULT_BUDGET)?;
        plan.check_memory(outside, || {
            Ok(GrowingTable::bytes_for(level)? + Tables::BESIDES + size_of::<AtomicU64>())
        })?;
        let home = GrowingTable::new(level, budget)?;
        let rate = plan.rate.unwrap_or(NO_LIMIT);
        let memory = plan.memory.unwrap_or(usize::MAX);
        Ok(Self::of_tables(vec![home], rate, memory, outside))
    }

    fn empty_like(&self) -> Result<Self, OutOfMemory> {
        let home = self.tables.home().tokens();
        let table = GrowingTable::new(home.first(), home.search_budget())?;
        Ok(self.with(vec![table]))
    }

    /// A token never changes its table, and the tables are copied in the order of a lookup: the argument for a lookup
    /// holds for the copy.
    fn snapshot(&self) -> Result<Self, SnapshotError> {
        let mut copies = Vec::new();
        allocate::grow(&mut copies, LATER + 1)?;
        for table in self.tables.all() {
            copies.push(table.snapshot()?);
        }
        Ok(self.with(copies))
    }
}

// The methods of the same names are in `walks`.
impl Operations for Growing {
    fn kind(&self) -> Kind {
        Self::KIND
    }

    fn shape(&self) -> Shape {
        Shape::of::<Lanes16>()
    }

    fn clear(&mut self) {
        self.tables.clear();
    }

    fn shrink_to_fit(&mut self) {
        self.contract();
    }

    fn finish_doubling(&self) -> bool {
        self.finish_growth()
    }

    fn limit_memory_usage(&self, bytes: usize) {
        let bytes = bytes as u64;
        // Do not write an equal value: threads that repeat the call share the line.
        if self.memory_for_now.load(Ordering::Relaxed) != bytes {
            self.memory_for_now.store(bytes, Ordering::Relaxed);
        }
    }

    fn set_max_memory_usage(&mut self, bytes: usize) {
        self.memory = bytes;
    }

    fn len(&self) -> usize {
        self.tables.sum(GrowingTable::len)
    }

    fn capacity(&self) -> usize {
        // A coarser table receives no more tokens.
        let mut tables = self.tables.all();
        let target = tables.next().map(|table| items_for(table.geometry()));
        target.unwrap_or(0) + tables.map(GrowingTable::len).sum::<usize>()
    }

    fn slots(&self) -> usize {
        self.tables.sum(GrowingTable::slots)
    }

    fn tables(&self) -> usize {
        self.tables.count()
    }

    fn heap_bytes(&self) -> usize {
        self.tables.bytes() + size_of::<AtomicU64>()
    }

    fn false_positive_rate(&self) -> f64 {
        any_of::<Lanes16>(self.tables.all().map(GrowingTable::compared).sum())
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains(hash)
    }

    #[inline]
    fn insert(&self, hash: u64) -> Result<(), InsertError> {
        self.insert(hash)
    }

    #[inline]
    fn insert_unique(&self, hash: u64) -> Result<bool, InsertError> {
        self.insert_unique(hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.remove(hash)
    }

    fn count(&self, hash: u64) -> usize {
        self.tables.sum(|table| table.tokens().count(hash))
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        self.prefetch(hash);
    }

    #[inline]
    fn is_near(&self) -> bool {
        let root = self.tables.home().tokens().root();
        root.is_alone() && is_near(1 << root.level())
    }

    fn relocate_one(&self, hash: u64) -> bool {
        self.tables.target().tokens().relocate_one(hash)
    }

    fn begin_to_double(&self) -> bool {
        let target = self.tables.target();
        let root = target.tokens().root();
        target.tokens().can_grow() && target.begin_to_grow(root).is_ok()
    }

    fn add_table(&self) -> bool {
        let (count, target) = (self.tables.count(), self.tables.target());
        let tokens = target.tokens();
        !tokens.can_grow() && self.add(target, count, tokens.last()).is_ok()
    }

    fn doubled(&self) -> Option<f64> {
        self.tables.target().tokens().doubled()
    }
}

/// The first level of a table of this size, and the items that it is for. Tables that double have a power of two of
/// buckets. A capacity is rounded up, a number of buckets is not.
fn first_level(size: Size) -> Result<(u32, usize), BuildError> {
    match size {
        Size::Items(items) | Size::Roomy { items, .. } => {
            let level = (1..=DEEPEST).find(|&level| items_for(geometry(level)) >= items);
            let most = items_for(geometry(DEEPEST));
            let level = level.ok_or(BuildError::Capacity {
                requested: items,
                most,
            })?;
            Ok((level, items))
        }
        Size::Buckets(buckets) => {
            let level = (1..=DEEPEST)
                .find(|&level| 1 << level >= buckets)
                .unwrap_or(DEEPEST);
            if buckets != 1 << level {
                return Err(BuildError::Buckets {
                    requested: buckets,
                    nearest: 1 << level,
                    factor: 1,
                });
            }
            Ok((level, items_for(geometry(level))))
        }
    }
}

/// The number of slots of a full table at this level.
fn full(level: u32) -> usize {
    geometry(level).slots()
}
