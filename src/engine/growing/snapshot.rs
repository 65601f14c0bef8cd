//! Snapshots: a copy of a chain, while others are using it.

use super::Growing;
use super::published::Published;
use crate::allocate;
use crate::error::SnapshotError;
use crate::layout::Layout;

/// The number of walks that may find the list replaced. That is rare: each growth needs as many inserts as there
/// are items.
const WALKS: usize = 8;

impl<L: Layout> Growing<L> {
    /// A copy of every token that is in from the call to the return.
    ///
    /// A token never changes its segment. So the copy of a segment says of each class what a lookup there would
    /// say at some moment; the moments come in the order in which a lookup looks, from the finest segment on; and
    /// if the list has changed all of it is void, as for a lookup. What such a copy misses, a lookup that takes as
    /// long could miss too, and why it cannot is in [`growth`](crate::design::growth).
    pub(super) fn copy_of_segments(&self) -> Result<Published<L>, SnapshotError> {
        for _ in 0..WALKS {
            if let Some(copy) = self.walk()? {
                return Ok(copy);
            }
        }
        Err(SnapshotError::Disturbed)
    }

    /// One walk; nothing if the list was replaced.
    fn walk(&self) -> Result<Option<Published<L>>, SnapshotError> {
        let look = self.published.look();
        let target = look.chain.target_index();
        let mut links = Vec::new();
        let count = look.chain.links().count();
        allocate::grow(&mut links, count)?;
        // The chain may hold a longer list by now. Then the check fails.
        for link in look.chain.links().take(count) {
            links.push(link.snapshot()?);
            // This check is necessary after the coarsest segment. Before it, the check saves the rest of a useless
            // walk.
            if !self.is_current(&look) {
                return Ok(None);
            }
        }
        Ok(target.map(|target| Published::at_rest(links, target)))
    }
}
