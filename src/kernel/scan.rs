//! Attempts of a scan: how often a copy is begun again, and in how many passes.

use crate::error::{OutOfMemory, SnapshotError};
use crate::kernel::hints::NoScan;
use crate::sync;

/// Why an attempt failed.
pub(crate) enum Disturbance {
    /// More tokens moved than the log of hints holds.
    Hints,
    /// The copy is full, because it has both tokens removed during the scan and tokens inserted
    /// during it. Or the words were replaced twice.
    Other,
    OutOfMemory(OutOfMemory),
}

/// Attempts, each in several passes if too many tokens moved in the one before.
const MAX_SNAPSHOT_ATTEMPTS: usize = if sync::MODEL { 2 } else { 8 };

/// The factor by which the number of passes grows.
const PASSES_FACTOR: usize = 4;

impl From<OutOfMemory> for Disturbance {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory(error)
    }
}

impl From<NoScan> for SnapshotError {
    fn from(error: NoScan) -> Self {
        match error {
            NoScan::Busy => Self::Busy,
            NoScan::OutOfMemory(error) => Self::OutOfMemory(error),
        }
    }
}

/// Calls `attempt` until it succeeds or the attempts run out, with a number of passes that rises if
/// too many tokens moved.
pub(crate) fn in_attempts<T>(
    stripes: usize,
    mut attempt: impl FnMut(usize) -> Result<T, Disturbance>,
) -> Result<T, SnapshotError> {
    let mut passes = 1;
    for _ in 0..MAX_SNAPSHOT_ATTEMPTS {
        match attempt(passes) {
            Ok(copy) => return Ok(copy),
            Err(Disturbance::Hints) => passes = (passes * PASSES_FACTOR).min(stripes),
            Err(Disturbance::Other) => {}
            Err(Disturbance::OutOfMemory(error)) => return Err(error.into()),
        }
    }
    Err(SnapshotError::Disturbed)
}
