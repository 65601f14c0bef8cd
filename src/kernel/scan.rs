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

/// The maximum number of passes, however many stripes there are: a pass reads the whole table.
const MAX_PASSES: usize = 128;

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
            Err(Disturbance::Hints) => {
                passes = (passes * PASSES_FACTOR).min(stripes).min(MAX_PASSES);
            }
            Err(Disturbance::Other) => {}
            Err(Disturbance::OutOfMemory(error)) => return Err(error.into()),
        }
    }
    Err(SnapshotError::Disturbed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// Each group has a stripe, and no table is read more than 128 times in an attempt.
    #[test]
    fn passes_rise_to_the_stripes_or_the_maximum() {
        for (stripes, last) in [(4, 4), (64, 64), (4_096, 128)] {
            let mut all = Vec::new();
            let refused = in_attempts::<()>(stripes, |passes| {
                all.push(passes);
                Err(Disturbance::Hints)
            });
            assert_eq!(refused, Err(SnapshotError::Disturbed));
            assert!(all.is_sorted() && all.starts_with(&[1, 4]));
            assert_eq!(
                (all.len(), all.last()),
                (MAX_SNAPSHOT_ATTEMPTS, Some(&last))
            );
        }
    }
}
