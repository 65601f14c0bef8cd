//! An engine of one table, whose size is fixed.

use super::{Filling, Operations, Plan};
use crate::error::{BuildError, InsertError, OutOfMemory, SnapshotError};
use crate::layout::{LONG_BUDGET, Lanes, Layout};
use crate::segment::Segment;
use crate::table::rate::{any_of, compared};

/// The engine of a [`CuckooFilter`](crate::CuckooFilter): one table of a fixed size, with buckets of the layout `L`.
#[derive(Debug)]
pub struct Fixed<L = Lanes<4, 16>> {
    pub(crate) segment: Segment<L>,
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
        plan.check_memory(|| Segment::bytes_for(geometry, plan.descriptors))?;
        let segment =
            Segment::new(geometry, budget, plan.descriptors).map_err(BuildError::out_of_memory)?;
        Ok(Self { segment, capacity })
    }

    fn fresh(&self) -> Result<Self, OutOfMemory> {
        Ok(Self {
            segment: self.segment.fresh()?,
            capacity: self.capacity,
        })
    }

    fn quiescent_copy(&mut self) -> Result<Self, OutOfMemory> {
        Ok(Self {
            segment: self.segment.quiescent_copy()?,
            capacity: self.capacity,
        })
    }

    fn snapshot(&self) -> Result<Self, SnapshotError> {
        Ok(Self {
            segment: self.segment.snapshot()?,
            capacity: self.capacity,
        })
    }

    fn clear(&mut self) {
        self.segment.clear();
    }

    fn len(&self) -> usize {
        self.segment.len()
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn slots(&self) -> usize {
        self.segment.slots()
    }

    fn segments(&self) -> usize {
        1
    }

    fn heap_bytes(&self) -> usize {
        self.segment.bytes()
    }

    fn false_positive_rate(&self) -> f64 {
        any_of::<L>(compared(self.len(), self.segment.geometry()))
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.segment.tokens().contains(hash)
    }

    #[inline]
    fn insert(&self, hash: u64) -> Result<(), InsertError> {
        match self.segment.insert(hash, 0) {
            Ok(()) => Ok(()),
            Err(refusal) => Err(self.segment.refused(refusal)),
        }
    }

    #[inline]
    fn insert_unique(&self, hash: u64) -> Result<bool, InsertError> {
        match self.segment.insert_unique(hash) {
            Ok(inserted) => Ok(inserted),
            Err(refusal) => Err(self.segment.refused(refusal)),
        }
    }

    // See `Filter::remove_hash`.
    #[inline(always)]
    fn remove(&self, hash: u64) -> bool {
        self.segment.remove(hash)
    }

    fn count(&self, hash: u64) -> usize {
        self.segment.tokens().count(hash)
    }

    #[inline]
    fn ahead(&self, hashes: &[u64]) -> impl Iterator<Item = u64> {
        self.segment.tokens().ahead(hashes)
    }

    #[inline]
    fn ahead_of_inserts(&self, hashes: &[u64]) -> impl Iterator<Item = u64> {
        self.ahead(hashes)
    }
}
