//! Snapshots: a copy of a filter that grows, while others are using it.

use std::sync::Arc;

use super::GrowingCuckooFilter;
use super::chain::Chain;
use super::operations::pinned;
use super::segment::Segment;
use crate::published::{Guard, Published};
use crate::scan::NoSnapshot;
use crate::snapshot::SnapshotError;

/// Walks over a list that was replaced on the way. That is rare: each growth takes as many inserts as are in.
const WALKS: usize = 8;

impl<S: Clone> GrowingCuckooFilter<S> {
    /// Copies the filter while others read and write it, and it grows.
    ///
    /// Every item that is in from before the call until after it is in the copy. Of what is inserted or removed
    /// during the call any part may be in the copy. So it is no single instant of the whole filter, but one for
    /// each class of items in each segment. The copy has the limits and the hasher of the filter.
    ///
    /// Copies one segment after the other, each as [`CuckooFilter::snapshot`](crate::CuckooFilter::snapshot) does,
    /// from the finest to the coarsest, and all again if a segment came or went meanwhile. Writers are not held
    /// up, but memory that they give up is not freed before a walk over the segments is done.
    ///
    /// # Errors
    ///
    /// [`SnapshotError`]: [`Busy`](SnapshotError::Busy) if another snapshot of this filter is under way (if its
    /// thread died, [`clear`](Self::clear) makes room again), [`Disturbed`](SnapshotError::Disturbed) if too much
    /// changed meanwhile, or the memory cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    /// use std::thread;
    ///
    /// let filter = GrowingCuckooFilter::with_capacity(1_000);
    /// filter.insert("a")?;
    /// let copy = thread::scope(|scope| {
    ///     scope.spawn(|| (0..5_000).all(|n| filter.insert(&n).is_ok()));
    ///     filter.snapshot()
    /// })?;
    /// assert!(copy.contains("a"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot(&self) -> Result<Self, SnapshotError> {
        Ok(Self {
            chain: Published::new(self.copy_of_chain()?),
            hasher: self.hasher.clone(),
            ..*self
        })
    }
}

impl<S> GrowingCuckooFilter<S> {
    /// A copy of every token that is in from the call to the return.
    ///
    /// A token never changes its segment. So the copy of a segment says of each class what a lookup there would
    /// say at some moment; the moments come in the order in which a lookup looks, from the finest segment on; and
    /// if the list has changed all of it is void, as for a lookup. What such a copy misses, a lookup that takes as
    /// long could miss too, and why it cannot is in [`growth`](crate::design::growth).
    pub(crate) fn copy_of_chain(&self) -> Result<Chain, NoSnapshot> {
        for _ in 0..WALKS {
            // Pinned anew, so that what was given up meanwhile can be freed.
            if let Some(copy) = pinned(|guard| self.walk(guard))? {
                return Ok(copy);
            }
        }
        Err(NoSnapshot::Disturbed)
    }

    /// One walk; nothing if the list was replaced.
    fn walk(&self, guard: &Guard) -> Result<Option<Chain>, NoSnapshot> {
        let chain = self.chain.load(guard);
        let mut segments = Vec::with_capacity(chain.segments().len());
        for segment in chain.segments() {
            let (tokens, len) = segment.tokens.snapshot()?;
            segments.push(Arc::new(Segment::with_tokens(tokens, len)?));
            // After the coarsest this has to be asked; before, it saves the rest of a walk in vain.
            if !self.is_current(chain, guard) {
                return Ok(None);
            }
        }
        Ok(Some(Chain::at_rest(segments, chain.target_index())))
    }
}
