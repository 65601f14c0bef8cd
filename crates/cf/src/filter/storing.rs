//! What there is to store of a filter.

use std::io::{self, Write};

use lockfree_cuckoo::{Chunks, SnapshotError};

use super::Filter;

impl Filter {
    /// The stored form of the library, for a caller who knows that nobody writes meanwhile: see
    /// [`lockfree_cuckoo::Filter::chunks`]. It does not wait for the [mutex](Self::behind_a_mutex), if there is one.
    ///
    /// # Errors
    ///
    /// If the few bytes that it takes could not be allocated.
    pub fn chunks(&self) -> Result<Chunks<'_>, SnapshotError> {
        self.engine.chunks()
    }

    /// Writes all items that were in when it was called, and perhaps some that came since, while others go on. What
    /// else there is to keep of a filter is its [`Entry`](crate::Entry).
    ///
    /// # Errors
    ///
    /// If there is no memory for a copy of it, others disturb each try to make one, or the sink fails.
    pub fn write(&self, mut sink: impl Write) -> Result<(), WriteError> {
        let copy = patiently(|| self.engine.snapshot())?;
        Ok(copy(&mut sink)?)
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
