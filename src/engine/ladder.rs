//! An engine that grows: a table that doubles, ten times, and then another one behind it.

mod growth;
mod walks;

use once_cell::race::OnceBox;

use super::growing::{Limits, NO_LIMIT};
use super::{Filling, Operations, Plan, Size};
use crate::allocate;
use crate::error::{BuildError, Cause, InsertError, OutOfMemory, SnapshotError};
use crate::layout::LONG_BUDGET;
use crate::segment::{Rung, geometry};
use crate::sync::{AtomicU64, Ordering};
use crate::table::doubling::{DEEPEST, Lanes16};
use crate::table::rate::any_of;
use crate::table::sizing;

/// The engine of a [`GrowingCuckooFilter`](crate::GrowingCuckooFilter): a table that doubles, of buckets with 4 slots of 16
/// bits.
///
/// A lookup loads two words of the table, however often it has doubled. After ten doublings there is another table, and a
/// lookup of what is absent looks at both.
#[derive(Debug)]
pub struct Ladder {
    home: Rung,
    /// The tables that were added when the one before could not double any more, each finer than those before.
    ///
    /// Behind a pointer: without atomics inside, the engine is a value that does not change, so the compiler keeps its
    /// pointers in registers from one lookup to the next.
    later: Box<[OnceBox<Rung>; LATER]>,
    limits: Limits,
    /// Most bytes of the filter.
    memory: usize,
    /// Most bytes for now, which any thread may set. Not stored: it is about what else there is beside the filter. Behind
    /// a pointer as the later tables are.
    memory_for_now: Box<AtomicU64>,
    /// The bytes of the filter outside of this engine's heap.
    outside: usize,
}

/// As many as there can be up to the deepest level.
pub(crate) const LATER: usize = DEEPEST as usize / 11;

/// The bound of a search: see `engine::growing`.
const DEFAULT_BUDGET: usize = if LONG_BUDGET < 256 { LONG_BUDGET } else { 256 };

/// The doublings that a filter whose layout is chosen for it may have.
const DOUBLINGS_TO_CHOOSE_FOR: usize = 8;

impl Ladder {
    /// Of tables that nobody has used yet, from the finest to the coarsest. There must be one.
    pub(crate) fn of_rungs(
        mut rungs: Vec<Rung>,
        limits: Limits,
        memory: usize,
        outside: usize,
    ) -> Self {
        let home = rungs.pop().expect("a table");
        let mut later = rungs.into_iter().rev().map(Box::new);
        Self {
            home,
            later: Box::new(core::array::from_fn(|_| {
                later.next().map_or_else(OnceBox::new, OnceBox::with_value)
            })),
            limits,
            memory,
            memory_for_now: Box::new(AtomicU64::new(u64::MAX)),
            outside,
        }
    }

    /// The same with other tables.
    fn with(&self, rungs: Vec<Rung>) -> Self {
        Self::of_rungs(rungs, self.limits, self.memory, self.outside)
    }

    /// The same with a copy of each table, made from the finest to the coarsest.
    fn copied<E: From<OutOfMemory>>(
        &self,
        copy: impl Fn(&Rung) -> Result<Rung, E>,
    ) -> Result<Self, E> {
        let mut copies = Vec::new();
        allocate::grow(&mut copies, LATER + 1)?;
        for rung in self.rungs() {
            copies.push(copy(rung)?);
        }
        Ok(self.with(copies))
    }

    /// The tables, from the finest to the coarsest.
    #[inline]
    pub(crate) fn rungs(&self) -> impl Iterator<Item = &Rung> {
        let later = self.later.iter().rev().filter_map(OnceBox::get);
        later.chain(Some(&self.home))
    }

    /// The finest, which takes the inserts.
    #[inline]
    fn target(&self) -> &Rung {
        // Tables are added in order.
        match self.later[0].get() {
            None => &self.home,
            Some(_) => self.rungs().next().unwrap_or(&self.home),
        }
    }

    /// Moves one token of the finest table. For checks that want it at will.
    pub(crate) fn relocate_one(&self, hash: u64) -> bool {
        self.target().tokens().relocate_one(hash)
    }

    /// Begins to double the finest table. For checks that want it at will.
    pub(crate) fn begin_to_double(&self) -> bool {
        let tokens = self.target().tokens();
        let hint = tokens.hint();
        hint.level() < tokens.last() && tokens.begin_to_grow(hint).is_ok()
    }

    /// The share of the finest table's buckets that were split, while it doubles. For checks.
    pub(crate) fn doubled(&self) -> Option<f64> {
        self.target().tokens().doubled()
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
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

    fn sum(&self, of: impl Fn(&Rung) -> usize) -> usize {
        self.rungs().map(of).sum()
    }
}

impl Operations for Ladder {
    type Layout = Lanes16;
    /// Inserts need none: only what ends a split pins.
    type Pin = ();
    type Options = Limits;

    const NAME: &'static str = "GrowingCuckooFilter";
    const PER_PIN: usize = usize::MAX;

    /// It fills up before it doubles.
    fn filling(_: &Limits) -> Filling {
        Filling::Full { tables: 1 }
    }

    /// A layout that leaves no room for growth would be of no use. Each doubling adds as much to the rate as a table.
    fn filling_to_choose_for(_: &Limits) -> Filling {
        Filling::Full {
            tables: DOUBLINGS_TO_CHOOSE_FOR,
        }
    }

    fn build(plan: &Plan<Limits>) -> Result<Self, BuildError> {
        let (start, items) = plan.size.geometry::<Lanes16>()?;
        demand_power_of_two(plan.size)?;
        plan.check_rate(start, items, Self::filling(&plan.options))?;
        let budget = plan.search_budget(DEFAULT_BUDGET)?;
        let level = start.buckets().next_power_of_two().ilog2().min(DEEPEST);
        plan.check_memory(|| Rung::bytes_for(level))?;
        let home = Rung::new(level, budget).map_err(BuildError::out_of_memory)?;
        let limits = Limits {
            false_positive_rate: plan.rate.unwrap_or(NO_LIMIT),
            ..plan.options
        };
        let memory = plan.memory.unwrap_or(usize::MAX);
        Ok(Self::of_rungs(vec![home], limits, memory, plan.outside))
    }

    fn fresh(&self) -> Result<Self, OutOfMemory> {
        let (first, budget) = (
            self.home.tokens().first(),
            self.home.tokens().search_budget(),
        );
        Ok(self.with(vec![Rung::new(first, budget)?]))
    }

    fn quiescent_copy(&mut self) -> Result<Self, OutOfMemory> {
        self.copied(Rung::quiescent_copy)
    }

    fn snapshot(&self) -> Result<Self, SnapshotError> {
        self.copy()
    }

    fn clear(&mut self) {
        *self.later = core::array::from_fn(|_| OnceBox::new());
        self.home.clear();
    }

    /// Ends a growth that is under way, which else goes on with each insert.
    fn shrink_to_fit(&self) {
        for rung in self.rungs() {
            rung.tokens().finish_growth();
        }
    }

    fn limit_memory_usage(&self, bytes: usize) {
        let bytes = bytes as u64;
        // Threads that set the same again and again share the line.
        if self.memory_for_now.load(Ordering::Relaxed) != bytes {
            self.memory_for_now.store(bytes, Ordering::Relaxed);
        }
    }

    fn set_max_memory_usage(&mut self, bytes: usize) {
        self.memory = bytes;
    }

    fn len(&self) -> usize {
        self.sum(Rung::len)
    }

    fn capacity(&self) -> usize {
        self.sum(|rung| sizing::items_for(rung.geometry()))
    }

    fn slots(&self) -> usize {
        self.sum(Rung::slots)
    }

    fn segments(&self) -> usize {
        self.sum(|_| 1)
    }

    fn heap_bytes(&self) -> usize {
        let later = self.rungs().count() - 1;
        self.sum(Rung::bytes) + later * size_of::<Rung>()
    }

    fn false_positive_rate(&self) -> f64 {
        any_of::<Lanes16>(self.rungs().map(Rung::compared).sum())
    }

    #[inline]
    fn pin(&self) {}

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.lookup(hash)
    }

    #[inline]
    fn insert(&self, hash: u64, (): &()) -> Result<(), InsertError> {
        self.insert_in_target(hash)
    }

    #[inline]
    fn insert_unique(&self, hash: u64, (): &()) -> Result<bool, InsertError> {
        self.insert_if_absent(hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.remove_finest(hash)
    }

    fn count(&self, hash: u64) -> usize {
        self.sum(|rung| rung.tokens().count(hash))
    }

    #[inline]
    fn ahead(&self, hashes: &[u64]) -> impl Iterator<Item = u64> {
        self.target().tokens().ahead(hashes)
    }

    #[inline]
    fn ahead_of_inserts(&self, hashes: &[u64]) -> impl Iterator<Item = u64> {
        self.ahead(hashes)
    }
}

/// Tables that double have a power of two of buckets. A capacity is rounded up, a number of buckets is not.
fn demand_power_of_two(size: Size) -> Result<(), BuildError> {
    match size {
        Size::Buckets(buckets) if !buckets.is_power_of_two() => {
            let nearest = buckets.next_power_of_two();
            let ranges = 1;
            Err(BuildError(Cause::Buckets {
                buckets,
                nearest,
                ranges,
            }))
        }
        _ => Ok(()),
    }
}

/// The slots that a table of this level has when it is full.
fn full(level: u32) -> usize {
    geometry(level).slots()
}
