//! A link: one segment of a chain, and whether inserts can still come.

use std::sync::Arc;

use crate::error::{OutOfMemory, SnapshotError};
use crate::layout::{Bucket, Layout};
use crate::segment::Segment;
use crate::sync::{AtomicU64, Ordering};
use crate::table::{Geometry, Table, sizing};

#[derive(Debug)]
pub(crate) struct Link<L> {
    pub(crate) segment: Segment<L>,
    /// By itself, because the seal may come when the filter is gone.
    state: Arc<AtomicU64>,
    /// The bytes that the system has got back while it is parked.
    released: AtomicU64,
}

/// The states. Each leads to the next, and the last to the first.
///
/// Inserts may come.
const OPEN: u64 = 0;
/// No insert comes.
const SEALED: u64 = 1;
/// It is empty, in no list that is or will be current, and waits for its next use.
const PARKED: u64 = 2;

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
            state: Arc::new(AtomicU64::new(OPEN)),
            released: AtomicU64::new(0),
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

    /// All its bytes, if the system has got none of them back.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.segment.bytes()
    }

    /// The bytes that it takes while it is parked; else 0.
    pub(super) fn parked_bytes(&self) -> usize {
        if self.is_parked() {
            self.bytes() - self.released_bytes()
        } else {
            0
        }
    }

    /// The bytes that the next use of a parked one adds.
    pub(super) fn released_bytes(&self) -> usize {
        // Relaxed: a measure, which orders nothing.
        self.released.load(Ordering::Relaxed) as usize
    }

    /// The bytes of a link that is yet to be built.
    pub(super) fn bytes_for(geometry: Geometry<L>) -> Result<usize, OutOfMemory> {
        Ok(size_of::<Self>() + Segment::bytes_for(geometry, None)?)
    }

    /// Marks the segment as sealed, while no other thread is about.
    pub(super) fn seal(&self) {
        self.sealing()();
    }

    /// What marks the segment as sealed, when all inserts that could reach it have ended, in every pinned thread.
    pub(super) fn sealing(&self) -> impl FnOnce() + Send + 'static + use<L> {
        let state = Arc::clone(&self.state);
        // Release: pairs with the Acquire in `is_drained`; the inserts are behind whoever sees it.
        move || state.store(SEALED, Ordering::Release)
    }

    /// Whether it is empty, and will be until it is used again.
    pub(super) fn is_drained(&self) -> bool {
        // The seal first: what is found empty before it can be filled until it comes.
        // Acquire: pairs with the Release in `sealing`.
        let sealed = self.state.load(Ordering::Acquire) == SEALED;
        sealed && self.segment.len() == 0 && self.holds_nothing()
    }

    /// The count alone does not tell: a thread that stopped between its exchange and the count left it off.
    fn holds_nothing(&self) -> bool {
        // Settle the words, to finish the work of threads that stopped.
        let tokens = self.segment.tokens();
        (0..self.geometry().buckets()).all(|bucket| tokens.settle(bucket) == Bucket::EMPTY)
    }

    /// Puts a drained one aside for its next use. Only for the thread that has taken it out of the list.
    ///
    /// There is no writer that could change a word now: inserts have ended, and removes find nothing. Late calls may
    /// read, and see that it is empty.
    pub(super) fn park(&self) {
        let released = self.segment.tokens().release_pages() as u64;
        // Relaxed: see `released_bytes`; and published by the state.
        self.released.store(released, Ordering::Relaxed);
        // Release: pairs with the Acquire in `take`; the pages are back before somebody fills them.
        self.state.store(PARKED, Ordering::Release);
    }

    /// Takes a parked one for its next use. Returns false if it is not parked.
    ///
    /// It is then as good as a new one. A call that is late by a list in which it was another segment of this size finds
    /// what is in it, or nothing, at its own moment, and that the list has changed.
    pub(super) fn take(&self) -> bool {
        // Acquire: pairs with the Release in `park`.
        self.state
            .compare_exchange(PARKED, OPEN, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    /// Puts it back, untouched: another thread has replaced the list.
    pub(super) fn put_back(&self) {
        self.state.store(PARKED, Ordering::Release);
    }

    pub(super) fn is_parked(&self) -> bool {
        self.state.load(Ordering::Relaxed) == PARKED
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
