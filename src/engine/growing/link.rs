//! A link: one segment of a chain, and whether inserts can still come.

use crate::error::{OutOfMemory, SnapshotError};
use crate::layout::{Bucket, Layout};
use crate::segment::Segment;
use crate::sync::{AtomicU64, Ordering};
use crate::table::{Geometry, Table, sizing};

#[derive(Debug)]
pub(crate) struct Link<L> {
    pub(crate) segment: Segment<L>,
    /// 1 when no further insert can come.
    sealed: AtomicU64,
}

impl<L: Layout> Link<L> {
    pub(crate) fn new(geometry: Geometry<L>, search_budget: usize) -> Result<Self, OutOfMemory> {
        Ok(Self::of(Segment::new(geometry, search_budget, None)?))
    }

    /// Of a table that holds this number of tokens.
    pub(crate) fn with_table(
        table: Table<L>,
        len: usize,
        search_budget: usize,
    ) -> Result<Self, OutOfMemory> {
        Ok(Self::of(Segment::with_table(table, len, search_budget)?))
    }

    fn of(mut segment: Segment<L>) -> Self {
        // Only the owner of an admission knows the other segments.
        segment.tokens_mut().leave_admissions_to_their_owners();
        Self {
            segment,
            sealed: AtomicU64::new(0),
        }
    }

    /// Exact if no thread writes meanwhile.
    pub(super) fn quiescent_copy(&self) -> Result<Self, OutOfMemory> {
        Ok(Self::of(self.segment.quiescent_copy()?))
    }

    /// A copy that holds every token that is in from the call to the return.
    pub(super) fn snapshot(&self) -> Result<Self, SnapshotError> {
        Ok(Self::of(self.segment.snapshot()?))
    }

    pub(crate) fn geometry(&self) -> Geometry<L> {
        self.segment.geometry()
    }

    /// The items that it takes before it is full.
    pub(super) fn capacity(&self) -> usize {
        sizing::items_for(self.geometry())
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.segment.bytes()
    }

    /// The bytes of a link that is yet to be built.
    pub(super) fn bytes_for(geometry: Geometry<L>) -> Result<usize, OutOfMemory> {
        Ok(size_of::<Self>() + Segment::bytes_for(geometry, None)?)
    }

    /// Marks the segment as sealed: all inserts that could reach it have ended, in every pinned thread.
    pub(super) fn seal(&self) {
        // Release: pairs with the Acquire in `is_drained`; the inserts are behind whoever sees it.
        self.sealed.store(1, Ordering::Release);
    }

    /// Whether it is empty, and will be for ever.
    pub(super) fn is_drained(&self) -> bool {
        // The seal first: what is found empty before it can be filled until it comes.
        // Acquire: pairs with the Release in `seal`.
        self.sealed.load(Ordering::Acquire) == 1 && self.segment.len() == 0 && self.holds_nothing()
    }

    /// The count alone does not tell: a thread that stopped between its exchange and the count left it off.
    fn holds_nothing(&self) -> bool {
        // Settle the words, to finish the work of threads that stopped.
        let tokens = self.segment.tokens();
        (0..self.geometry().buckets()).all(|bucket| tokens.settle(bucket) == Bucket::EMPTY)
    }

    /// Returns whether the two buckets of a hash are empty. This indicates that few items are left.
    pub(super) fn is_bare_around(&self, hash: u64) -> bool {
        let class = self.geometry().candidates(hash);
        let empty = |bucket| self.segment.tokens().peek(bucket) == Bucket::EMPTY;
        empty(class.first) && empty(class.second)
    }

    /// Removes all tokens. No other thread uses the filter meanwhile.
    pub(super) fn empty(&self) {
        self.segment.empty();
    }
}
