//! The fixed filter: one table of atomic words, whose tokens threads add, find and remove without a
//! lock.
//!
//! From the bottom up; each module imports only from those above it in this list, from the
//! [kernel](crate::kernel), where hops are executed ([`relocate`](crate::kernel::relocate)), and
//! from what all filters share: `engine`, `codec`, `error`, `sync`.
//!
//! | module | contents |
//! |---|---|
//! | `tokens` | `TokenTable`: the words with their descriptors, stripes and hints, and the count |
//! | `witness` | what decides an admission |
//! | `help` | how a writer handles a frozen word |
//! | `recover` | taking back what dead processes held |
//! | `claims` | what one owner at a time has |
//! | `ops` | lookup, insert and remove, each from its fast path to its slow path |
//! | `unique` | adding the only token of a class |
//! | `snapshot` | the whole table, while others write |
//! | `stored` | its stored form |

mod claims;
mod help;
pub(crate) mod ops;
#[cfg(feature = "shared")]
mod recover;
mod snapshot;
pub(crate) mod stored;
pub(crate) mod tokens;
mod unique;
mod witness;

use alloc::boxed::Box;

use crate::allocate;
use crate::codec::manifest::Manifest;
use crate::codec::reading::Input;
use crate::engine::buildable::Buildable;
#[cfg(any(test, feature = "_testing"))]
use crate::engine::internals::Internals;
use crate::engine::kind::Kind;
use crate::engine::measures::Measures;
use crate::engine::operations::{RawFilter, StoresValues, check_lengths, insert_each};
use crate::engine::plan::{Plan, RatedLoad};
use crate::engine::values::{MAX_COPIES, Values};
use crate::error::{
    BuildError, InsertError, InsertManyError, OutOfMemory, ReadError, SnapshotError, ValueError,
};
use crate::fixed::tokens::TokenTable;
use crate::kernel::layout::{Lanes, Layout, Shape};
use crate::kernel::prefetch::is_near;
use crate::kernel::search::sizes::LONG_BUDGET;
use crate::kernel::sizing::{any_of, compared};

/// The engine of a [`CuckooFilter`](crate::CuckooFilter): one table of a fixed size, with buckets
/// of the layout `L`.
#[derive(Debug)]
pub struct Fixed<L: Layout = Lanes<4, 16>> {
    pub(crate) table: TokenTable<L>,
    /// The items that it was sized for.
    pub(crate) capacity: usize,
}

/// With it, large filters reach a load of 0.96 to 0.975. Searches of this length are rare below
/// 0.95.
pub(crate) const DEFAULT_BUDGET: usize = LONG_BUDGET;

impl<L: Layout> Buildable for Fixed<L> {
    type With<M: Layout> = Fixed<M>;
    const KIND: Kind = Kind::Fixed;
    type Layout = L;

    fn rated_load(_: &Plan) -> RatedLoad {
        RatedLoad::Sized { tables: 1 }
    }

    fn measures(plan: &Plan, outside: usize) -> Result<Measures, BuildError> {
        let (geometry, capacity) = plan.size()?.geometry::<L>()?;
        plan.search_budget(DEFAULT_BUDGET)?;
        let bytes = outside + TokenTable::bytes_for(geometry, plan.descriptors);
        let rated_load = Self::rated_load(plan);
        plan.measures(Self::KIND, rated_load, (geometry, capacity), bytes)
    }

    fn build(plan: &Plan, outside: usize) -> Result<Self, BuildError> {
        // Refuses before anything is allocated.
        Self::measures(plan, outside)?;
        let (geometry, capacity) = plan.size()?.geometry()?;
        let budget = plan.search_budget(DEFAULT_BUDGET)?;
        let table = TokenTable::new(geometry, budget, plan.descriptors)?;
        Ok(Self { table, capacity })
    }

    fn empty_like(&self) -> Result<Self, OutOfMemory> {
        Ok(Self {
            table: self.table.empty_like()?,
            capacity: self.capacity,
        })
    }

    fn snapshot(&self) -> Result<Self, SnapshotError> {
        Ok(Self {
            table: self.table.snapshot()?,
            capacity: self.capacity,
        })
    }

    fn restore(input: Input<'_>, _: usize) -> Result<Self, ReadError> {
        let (table, capacity) = stored::restore(input)?;
        Ok(Self { table, capacity })
    }
}

impl<L: Layout> RawFilter for Fixed<L> {
    fn kind(&self) -> Kind {
        Self::KIND
    }

    fn shape(&self) -> Shape {
        Shape::of::<L>()
    }

    fn clear(&mut self) {
        self.table.clear();
    }

    /// The table is the same for as long as the filter is borrowed.
    fn manifest(&self) -> Manifest<'_> {
        Manifest::new(
            [self.capacity as u64, 0],
            self.table.search_budget(),
            [stored::stored_table(&self.table)],
            self.list_version(),
        )
    }

    fn boxed_empty_like(&self) -> Result<Box<dyn RawFilter>, OutOfMemory> {
        Ok(allocate::boxed(self.empty_like()?)?)
    }

    fn boxed_snapshot(&self) -> Result<Box<dyn RawFilter>, SnapshotError> {
        Ok(allocate::boxed(self.snapshot()?)?)
    }

    #[cfg(feature = "shared")]
    fn recover(&self) -> usize {
        self.table.recover()
    }

    fn valued(&self) -> Option<&dyn StoresValues> {
        if L::VALUE_BITS == 0 {
            return None;
        }
        Some(self)
    }

    fn len(&self) -> usize {
        self.table.len()
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn slots(&self) -> usize {
        self.table.slots()
    }

    fn tables(&self) -> usize {
        1
    }

    fn heap_bytes(&self) -> usize {
        self.table.bytes()
    }

    fn false_positive_rate(&self) -> f64 {
        any_of::<L>(compared(self.len(), self.table.geometry()))
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.table.contains(hash)
    }

    #[inline]
    fn insert(&self, hash: u64) -> Result<(), InsertError> {
        match self.table.insert(hash, 0) {
            Ok(()) => Ok(()),
            Err(failure) => Err(self.table.refused(failure)),
        }
    }

    #[inline]
    fn insert_unique(&self, hash: u64) -> Result<bool, InsertError> {
        match self.table.insert_unique(hash) {
            Ok(inserted) => Ok(inserted),
            Err(failure) => Err(self.table.refused(failure)),
        }
    }

    // See `Filter::remove_hash`.
    #[inline(always)]
    fn remove(&self, hash: u64) -> bool {
        self.table.remove(hash)
    }

    fn count(&self, hash: u64) -> usize {
        self.table.count(hash)
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        self.table.prefetch(hash);
    }

    #[inline]
    fn is_near(&self) -> bool {
        is_near(self.table.buckets())
    }

    #[inline]
    fn insert_many(&self, hashes: &[u64]) -> Result<(), InsertManyError> {
        if self.is_near() {
            insert_each(self, hashes.iter().copied())
        } else {
            insert_each(self, self.table.prefetching_alternates(hashes))
        }
    }

    #[cfg(any(test, feature = "_testing"))]
    fn internals(&self) -> &dyn Internals {
        self
    }
}

#[cfg(any(test, feature = "_testing"))]
impl<L: Layout> Internals for Fixed<L> {
    fn relocate_hash(&self, hash: u64) -> bool {
        self.table.relocate_one(hash)
    }

    fn taken(&self) -> usize {
        self.table.taken()
    }

    #[cfg(feature = "shared")]
    fn claimed(&self) -> usize {
        self.table.pool.claimed().count()
    }
}

/// Only layouts with values call these: `valued` returns none of the others.
impl<L: Layout> StoresValues for Fixed<L> {
    #[inline]
    fn max_value(&self) -> u16 {
        ((1 << L::VALUE_BITS) - 1) as u16
    }

    fn insert_value_hash(&self, hash: u64, value: u16) -> Result<(), InsertError> {
        self.check_value(value)?;
        let inserted = self.table.insert(hash, value);
        inserted.map_err(|failure| self.table.refused(failure))
    }

    fn insert_unique_value_hash(&self, hash: u64, value: u16) -> Result<Option<u16>, InsertError> {
        self.check_value(value)?;
        let found = self.table.find_or_insert(hash, value);
        found.map_err(|failure| self.table.refused(failure))
    }

    #[inline]
    fn value_hash(&self, hash: u64) -> Option<u16> {
        self.table.value(hash)
    }

    fn values_hash(&self, hash: u64) -> Values {
        const { assert!(L::VALUE_BITS == 0 || 2 * L::SLOTS <= MAX_COPIES) };
        let (mut values, mut count) = ([0; MAX_COPIES], 0);
        self.table.values(hash, |value| {
            values[count] = value;
            count += 1;
        });
        Values::first(values, count)
    }

    fn replace_value_hash(&self, hash: u64, old: u16, new: u16) -> Result<bool, ValueError> {
        self.check_value(new)?;
        Ok(old <= self.max_value() && self.table.replace_value(hash, old, new))
    }

    fn remove_value_hash(&self, hash: u64, value: u16) -> bool {
        value <= self.max_value() && self.table.remove_value(hash, value)
    }

    #[track_caller]
    fn value_many_hash(&self, hashes: &[u64], values: &mut [Option<u16>]) {
        check_lengths(hashes, values);
        let tokens = &self.table;
        for (value, hash) in values.iter_mut().zip(tokens.prefetching(hashes)) {
            *value = tokens.value(hash);
        }
    }
}

impl<L: Layout> Fixed<L> {
    fn check_value(&self, value: u16) -> Result<(), ValueError> {
        let max = self.max_value();
        if value > max {
            return Err(ValueError::new(value, max));
        }
        Ok(())
    }
}
