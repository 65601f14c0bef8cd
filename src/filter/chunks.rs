//! Storing a filter a chunk at a time.

use core::hash::BuildHasher;

use super::{Engine, Filter};
use crate::error::SnapshotError;
use crate::stored::{Chunks, Identity};

impl<E: Engine, S: BuildHasher + 'static> Filter<E, S> {
    /// The stored form, a chunk at a time: the bytes that [`write_to`](Self::write_to) writes, in pieces as large as the
    /// caller asks for. For callers who share the filter, and know that nobody writes to it meanwhile: a server that runs
    /// one command at a time, or the child of a fork.
    ///
    /// No copy of the filter is made. The call reads the whole table once, because the header says how many items there
    /// are. The words are read when their chunk is asked for.
    ///
    /// If other threads do write, each chunk either fails with [`Changed`](SnapshotError::Changed), at the latest the
    /// last one; or all of them together are a filter that holds what a [`snapshot`](Self::snapshot) holds: every item
    /// that was in from this call to the last chunk, and any part of what was inserted or removed meanwhile. Expect an
    /// error: a filter to which others write all the time is stored by
    /// [`snapshot_to_writer`](Self::snapshot_to_writer).
    ///
    /// Lookups by other threads do no harm, and are not disturbed.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::OutOfMemory`], if the memory for the header could not be allocated: 64 bytes, and of a growing
    /// filter some dozen for each table.
    ///
    /// # Panics
    ///
    /// If the hasher panics when it is given bytes.
    ///
    /// # Examples
    ///
    /// [`Chunks`] shows how a filter is stored. Here, somebody writes before the first chunk:
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, SnapshotError};
    ///
    /// let filter = CuckooFilter::with_capacity(100_000);
    /// let mut chunks = filter.chunks()?;
    /// filter.insert("a")?;
    ///
    /// // The header says that there is nothing in.
    /// let mut stored = vec![0; usize::try_from(chunks.bytes())?];
    /// assert_eq!(chunks.next_chunk(&mut stored), Err(SnapshotError::Changed));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn chunks(&self) -> Result<Chunks<'_>, SnapshotError> {
        Ok(self.engine.chunks(&Identity::of(&self.hasher))?)
    }
}
