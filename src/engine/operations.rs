//! What an engine must be able to do, and the calls for many hashes made of it. And the simplest engine: one table, whose
//! size is fixed.

use super::{Filling, Plan};
use crate::counted::CountedTable;
use crate::error::{BuildError, InsertError, InsertManyError, OutOfMemory, SnapshotError};
use crate::layout::{LONG_BUDGET, Lanes, Layout};
use crate::table::sizing::{any_of, compared};

/// The operations of an engine, by hash.
pub trait Operations: Sized + Send + Sync + 'static {
    /// The layout of its buckets.
    type Layout: Layout;
    /// The options that only this engine has.
    type Options: Clone + core::fmt::Debug + Default;

    /// What filters with this engine are called.
    const NAME: &'static str;

    /// What is in a filter with these options when its rate of false positives is judged.
    fn filling(options: &Self::Options) -> Filling;
    /// Builds an empty one.
    fn build(plan: &Plan<Self::Options>) -> Result<Self, BuildError>;
    /// Builds an empty one like this.
    fn fresh(&self) -> Result<Self, OutOfMemory>;
    /// A copy, exact because nobody writes meanwhile.
    fn quiescent_copy(&mut self) -> Result<Self, OutOfMemory>;
    /// A copy that holds every token that is in from the call to the return.
    fn snapshot(&self) -> Result<Self, SnapshotError>;
    /// Removes all tokens.
    fn clear(&mut self);
    /// Makes it as small as its tokens let it, if it grows.
    fn shrink_to_fit(&mut self) {}
    /// Ends a doubling that is under way. Returns false if it cannot.
    fn finish_doubling(&self) -> bool {
        true
    }
    /// Sets the bytes that it refuses to grow beyond for now, if it grows, while others use it.
    fn limit_memory_usage(&self, _bytes: usize) {}
    /// Sets the bytes that it refuses to grow beyond, if it grows, and frees what it has kept.
    fn set_max_memory_usage(&mut self, _bytes: usize) {}

    /// The number of tokens.
    fn len(&self) -> usize;
    /// The number of items that it is sized for.
    fn capacity(&self) -> usize;
    /// The number of items that it is still sized for.
    fn remaining(&self) -> usize {
        self.capacity().saturating_sub(self.len())
    }
    /// The number of slots.
    fn slots(&self) -> usize;
    /// The number of tables that hold items.
    fn tables(&self) -> usize;
    /// The heap bytes in use.
    fn heap_bytes(&self) -> usize;
    /// The expected rate of false positives.
    fn false_positive_rate(&self) -> f64;

    /// Whether a token of the class is in.
    fn contains(&self, hash: u64) -> bool;
    /// Adds a token.
    fn insert(&self, hash: u64) -> Result<(), InsertError>;
    /// Adds a token if none of its class is in.
    fn insert_unique(&self, hash: u64) -> Result<bool, InsertError>;
    /// Removes a token.
    fn remove(&self, hash: u64) -> bool;
    /// The number of tokens of the class.
    fn count(&self, hash: u64) -> usize;
    /// The hashes in order, with the memory of the next ones on its way: that which lookups and removes read first.
    fn ahead(&self, hashes: &[u64]) -> impl Iterator<Item = u64>;
    /// The same for inserts.
    fn ahead_of_inserts(&self, hashes: &[u64]) -> impl Iterator<Item = u64>;

    /// Looks up many hashes. The slices are of one length.
    #[inline]
    fn contains_many(&self, hashes: &[u64], found: &mut [bool]) {
        for (found, hash) in found.iter_mut().zip(self.ahead(hashes)) {
            *found = self.contains(hash);
        }
    }

    /// The answers for at most 64 hashes, a bit for each.
    #[inline]
    fn contains_burst(&self, hashes: &[u64]) -> u64 {
        let answers = self.ahead(hashes).zip(0..);
        answers.fold(0, |found, (hash, bit)| {
            found | u64::from(self.contains(hash)) << bit
        })
    }

    /// Inserts many hashes, up to the first that is refused.
    #[inline]
    fn insert_many(&self, hashes: &[u64]) -> Result<(), InsertManyError> {
        for (turn, hash) in self.ahead_of_inserts(hashes).enumerate() {
            self.insert(hash)
                .map_err(|error| InsertManyError::new(turn, error))?;
        }
        Ok(())
    }

    /// Adds those that are absent, up to the first that is refused. The slices are of one length, and `added` is false.
    #[inline]
    fn insert_unique_many(
        &self,
        hashes: &[u64],
        added: &mut [bool],
    ) -> Result<(), InsertManyError> {
        let turns = added.iter_mut().zip(self.ahead_of_inserts(hashes));
        for (turn, (added, hash)) in turns.enumerate() {
            *added = self
                .insert_unique(hash)
                .map_err(|error| InsertManyError::new(turn, error))?;
        }
        Ok(())
    }

    /// Removes one token for each hash. Returns how many were in.
    #[inline]
    fn remove_many(&self, hashes: &[u64]) -> usize {
        self.ahead(hashes).filter(|&hash| self.remove(hash)).count()
    }
}

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
