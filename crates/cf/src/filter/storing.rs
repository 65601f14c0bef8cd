//! What there is to store of a filter.

use std::io::{self, Write};

use lockfree_cuckoo::{Chunks, Hashed, SnapshotError};

use super::Filter;
use crate::entry::Entry;

/// A copy of a filter, to be stored while others go on: [`Filter::copy`] makes it.
#[derive(Debug)]
pub struct Copied {
    entry: Entry,
    filter: Box<dyn Hashed>,
}

impl Filter {
    /// The stored form of the library, for a caller who knows that nobody writes meanwhile: see
    /// [`lockfree_cuckoo::Filter::chunks`]. It does not wait for the [mutex](Self::behind_a_mutex), if there is one.
    #[must_use]
    pub fn chunks(&self) -> Chunks<'_> {
        self.engine.chunks()
    }

    /// A copy of all items that were in when it was called, and perhaps of some that came since.
    ///
    /// # Errors
    ///
    /// If there is no memory for it, or others disturb each try to make one.
    pub fn copy(&self) -> Result<Copied, SnapshotError> {
        Ok(Copied {
            entry: Entry::of(self),
            filter: patiently(|| self.engine.access().snapshot())?,
        })
    }

    /// Writes a [`copy`](Self::copy).
    ///
    /// # Errors
    ///
    /// If none can be made, or the sink fails.
    pub fn write(&self, sink: impl Write) -> Result<(), WriteError> {
        Ok(self.copy()?.write(sink)?)
    }
}

impl Copied {
    /// What else there is to keep of the filter.
    pub fn entry(&self) -> Entry {
        self.entry
    }

    /// Writes the stored form of the library.
    ///
    /// # Errors
    ///
    /// If the sink fails.
    pub fn write(mut self, mut sink: impl Write) -> io::Result<()> {
        self.filter.write_to(&mut sink)
    }
}

/// Why a filter was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// No copy of it could be made.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The sink failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Another snapshot may be under way, for another file or another client, and others may disturb one so much that it
/// is given up: both pass.
fn patiently<T>(snapshot: impl Fn() -> Result<T, SnapshotError>) -> Result<T, SnapshotError> {
    const TRIES: usize = 1_000;
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(5);
    for _ in 1..TRIES {
        match snapshot() {
            Err(SnapshotError::Busy | SnapshotError::Disturbed) => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
    snapshot()
}
