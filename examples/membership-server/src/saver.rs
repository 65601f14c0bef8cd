//! Who takes snapshots, and when.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::catalogue::Catalogue;
use crate::metrics::Metrics;
use crate::snapshot::{self, SaveError};

#[derive(Debug)]
pub(crate) struct Saver {
    path: Option<PathBuf>,
    /// One snapshot at a time: they have one file.
    turn: Mutex<()>,
    is_saving: AtomicBool,
    /// Seconds since 1970.
    last: AtomicI64,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum NotSaved {
    #[error("no --snapshot file to save to")]
    NoFile,
    #[error(transparent)]
    Save(#[from] SaveError),
}

impl Saver {
    pub(crate) fn new(path: Option<PathBuf>) -> Self {
        Self {
            path,
            turn: Mutex::new(()),
            is_saving: AtomicBool::new(false),
            last: AtomicI64::new(now()),
        }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(crate) fn is_saving(&self) -> bool {
        self.is_saving.load(Ordering::Relaxed)
    }

    /// When the last snapshot was saved or, before the first one, the server started.
    pub(crate) fn last(&self) -> i64 {
        self.last.load(Ordering::Relaxed)
    }

    /// Saves all filters. Takes its time.
    pub(crate) fn save(&self, catalogue: &Catalogue, metrics: &Metrics) -> Result<(), NotSaved> {
        let path = self.path().ok_or(NotSaved::NoFile)?;
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let start = Instant::now();
        let started = now();
        self.is_saving.store(true, Ordering::Relaxed);
        let saved = snapshot::save(catalogue, path);
        self.is_saving.store(false, Ordering::Relaxed);
        match saved {
            Ok(bytes) => {
                self.last.store(started, Ordering::Relaxed);
                let seconds = start.elapsed().as_secs_f64();
                metrics.snapshots.inc();
                metrics.snapshot_seconds.set(seconds);
                metrics
                    .snapshot_bytes
                    .set(i64::try_from(bytes).unwrap_or(i64::MAX));
                tracing::info!(path = %path.display(), bytes, seconds, "snapshot saved");
                Ok(())
            }
            Err(error) => {
                metrics.failed_snapshots.inc();
                tracing::error!(path = %path.display(), %error, "snapshot not saved; the last one is as it was");
                Err(error.into())
            }
        }
    }
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or(Duration::ZERO).as_secs()).unwrap_or(i64::MAX)
}
