//! An engine that grows: a table that doubles, ten times, and then another one behind it.

mod closing;
mod current;
mod generation;
mod growth;
mod slot;
mod turns;
mod walks;

use current::Current;
pub(crate) use generation::{Generation, LATER};

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
use crate::tokens::ahead;

/// The engine of a [`GrowingCuckooFilter`](crate::GrowingCuckooFilter): a table that doubles, of buckets with 4 slots of 16
/// bits.
///
/// A lookup loads two words of the table, however often it has doubled. After ten doublings there is another table, and a
/// lookup of what is absent looks at both.
#[derive(Debug)]
pub struct Ladder {
    /// The first generation, which is in use until it is sealed.
    home: Generation,
    /// Those after it. Behind a pointer, as all that changes: see [`Generation`].
    current: Box<Current>,
    limits: Limits,
    /// Most bytes of the filter.
    memory: usize,
    /// Most bytes for now, which any thread may set. Not stored: it is about what else there is beside the filter.
    memory_for_now: Box<AtomicU64>,
    /// The bytes of the filter outside of this engine's heap.
    outside: usize,
}

/// The bound of a search: see `engine::growing`.
const DEFAULT_BUDGET: usize = if LONG_BUDGET < 256 { LONG_BUDGET } else { 256 };

/// The doublings that a filter whose layout is chosen for it may have.
const DOUBLINGS_TO_CHOOSE_FOR: usize = 8;

impl Ladder {
    /// Of tables that nobody has used yet, from the finest to the coarsest. There must be one.
    pub(crate) fn of_rungs(
        rungs: Vec<Rung>,
        limits: Limits,
        memory: usize,
        outside: usize,
    ) -> Self {
        Self {
            home: Generation::of_rungs(rungs),
            current: Box::new(Current::new()),
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

    /// Moves one token of the finest table. For checks that want it at will.
    pub(crate) fn relocate_one(&self, hash: u64) -> bool {
        self.of_current(|generation| generation.target().tokens().relocate_one(hash))
    }

    /// Begins to double the finest table. For checks that want it at will.
    pub(crate) fn begin_to_double(&self) -> bool {
        self.of_current(|generation| {
            let target = generation.target();
            let hint = target.tokens().hint();
            target.tokens().can_grow() && target.begin_to_grow(hint).is_ok()
        })
    }

    /// The share of the finest table's buckets that were split, while it doubles. For checks.
    pub(crate) fn doubled(&self) -> Option<f64> {
        self.of_current(|generation| generation.target().tokens().doubled())
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

    /// The heap bytes besides those of the generations.
    const BESIDES: usize = size_of::<Current>() + size_of::<AtomicU64>();

    /// The bytes of the filter.
    fn bytes(&self) -> usize {
        self.outside + self.heap_bytes()
    }

    fn sum(&self, of: impl Fn(&Rung) -> usize) -> usize {
        self.of_current(|generation| generation.sum(&of))
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
        plan.check_memory(|| Ok(Generation::bytes_for(level)? + Self::BESIDES))?;
        let home = Rung::new(level, budget).map_err(BuildError::out_of_memory)?;
        let limits = Limits {
            false_positive_rate: plan.rate.unwrap_or(NO_LIMIT),
            ..plan.options
        };
        let memory = plan.memory.unwrap_or(usize::MAX);
        Ok(Self::of_rungs(vec![home], limits, memory, plan.outside))
    }

    fn fresh(&self) -> Result<Self, OutOfMemory> {
        let home = self.home.home().tokens();
        let rung = Rung::new(home.first(), home.search_budget())?;
        Ok(self.with(vec![rung]))
    }

    fn quiescent_copy(&mut self) -> Result<Self, OutOfMemory> {
        let copies = copies(self.alone(), Rung::quiescent_copy)?;
        Ok(self.with(copies))
    }

    fn snapshot(&self) -> Result<Self, SnapshotError> {
        self.copy()
    }

    fn clear(&mut self) {
        self.alone().clear();
    }

    fn shrink_to_fit(&self) {
        self.shrink();
    }

    fn limit_memory_usage(&self, bytes: usize) {
        let bytes = bytes as u64;
        // Threads that set the same again and again share the line.
        if self.memory_for_now.load(Ordering::Relaxed) != bytes {
            self.memory_for_now.store(bytes, Ordering::Relaxed);
        }
    }

    fn set_max_memory_usage(&mut self, bytes: usize) {
        self.alone();
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
        let guard = crossbeam_epoch::pin();
        let current = self.current.load(&guard);
        let current = current.map_or(0, |current| current.bytes(&guard) + size_of::<Generation>());
        self.home.bytes(&guard) + current + self.current.left_bytes() + Self::BESIDES
    }

    fn false_positive_rate(&self) -> f64 {
        let compared = |generation: &Generation| generation.rungs().map(Rung::compared).sum();
        any_of::<Lanes16>(self.of_current(compared))
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
        ahead(hashes, |hash| self.prefetch(hash))
    }

    #[inline]
    fn ahead_of_inserts(&self, hashes: &[u64]) -> impl Iterator<Item = u64> {
        self.ahead(hashes)
    }
}

/// A copy of each table, made from the finest to the coarsest.
fn copies<E: From<OutOfMemory>>(
    generation: &Generation,
    copy: impl Fn(&Rung) -> Result<Rung, E>,
) -> Result<Vec<Rung>, E> {
    let mut copies = Vec::new();
    allocate::grow(&mut copies, LATER + 1)?;
    for rung in generation.rungs() {
        copies.push(copy(rung)?);
    }
    Ok(copies)
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
