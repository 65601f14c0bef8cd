//! An engine of one table, whose size is fixed.

use super::{Filling, Operations, Plan};
use crate::counted::CountedTable;
use crate::error::{BuildError, InsertError, OutOfMemory, SnapshotError};
use crate::layout::{LONG_BUDGET, Lanes, Layout};
use crate::table::sizing::{any_of, compared};

/// The engine of a [`CuckooFilter`](crate::CuckooFilter): one table of a fixed size, with buckets of the layout `L`.
#[derive(Debug)]
pub struct Fixed<L = Lanes<4, 16>> {
    pub(crate) table: CountedTable<L>,
    /// The items that it was sized for.
    pub(crate) capacity: usize,
}

/// Lets large filters reach a load of 0.96 to 0.975. Searches of this length are rare below 0.95.
const DEFAULT_BUDGET: usize = LONG_BUDGET;

impl<L: Layout> Operations for Fixed<L> {
    type Layout = L;
    type Options = ();

    const NAME: &'static str = "CuckooFilter";

    fn filling((): &()) -> Filling {
        Filling::Sized { tables: 1 }
    }

    fn build(plan: &Plan<()>) -> Result<Self, BuildError> {
        let (geometry, capacity) = plan.size.geometry()?;
        plan.check_rate(geometry, capacity, Self::filling(&()))?;
        let budget = plan.search_budget(DEFAULT_BUDGET)?;
        plan.check_memory(|| CountedTable::bytes_for(geometry, plan.descriptors))?;
        let table = CountedTable::new(geometry, budget, plan.descriptors)
            .map_err(BuildError::out_of_memory)?;
        Ok(Self { table, capacity })
    }

    fn fresh(&self) -> Result<Self, OutOfMemory> {
        Ok(Self {
            table: self.table.fresh()?,
            capacity: self.capacity,
        })
    }

    fn quiescent_copy(&mut self) -> Result<Self, OutOfMemory> {
        Ok(Self {
            table: self.table.quiescent_copy()?,
            capacity: self.capacity,
        })
    }

    fn snapshot(&self) -> Result<Self, SnapshotError> {
        Ok(Self {
            table: self.table.snapshot()?,
            capacity: self.capacity,
        })
    }

    fn clear(&mut self) {
        self.table.clear();
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
        self.table.tokens().contains(hash)
    }

    #[inline]
    fn insert(&self, hash: u64) -> Result<(), InsertError> {
        match self.table.insert(hash, 0) {
            Ok(()) => Ok(()),
            Err(refusal) => Err(self.table.refused(refusal)),
        }
    }

    #[inline]
    fn insert_unique(&self, hash: u64) -> Result<bool, InsertError> {
        match self.table.insert_unique(hash) {
            Ok(inserted) => Ok(inserted),
            Err(refusal) => Err(self.table.refused(refusal)),
        }
    }

    // See `Filter::remove_hash`.
    #[inline(always)]
    fn remove(&self, hash: u64) -> bool {
        self.table.remove(hash)
    }

    fn count(&self, hash: u64) -> usize {
        self.table.tokens().count(hash)
    }

    #[inline]
    fn ahead(&self, hashes: &[u64]) -> impl Iterator<Item = u64> {
        self.table.tokens().ahead(hashes)
    }

    #[inline]
    fn ahead_of_inserts(&self, hashes: &[u64]) -> impl Iterator<Item = u64> {
        self.ahead(hashes)
    }
}
