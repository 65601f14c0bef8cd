//! Who takes snapshots, and when.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio_util::sync::CancellationToken;

use crate::catalogue::Catalogue;
use crate::metrics::Metrics;
use crate::snapshot::{self, SaveError};

#[derive(Debug)]
pub(crate) struct Saver {
    path: Option<PathBuf>,
    /// One snapshot at a time: they have one file.
    turn: Mutex<Outcome>,
    /// Snapshots that have begun since the start.
    number: AtomicU64,
    /// Whether the last try failed.
    failed: AtomicBool,
    /// Snapshots that are being taken or wait for their turn.
    begun: AtomicUsize,
    /// After that, only the last one is still taken.
    end: CancellationToken,
    /// Seconds since 1970.
    last: AtomicI64,
}

/// What came of the last try, for those who waited for it.
type Outcome = Result<(), String>;

#[derive(Debug, thiserror::Error)]
pub(crate) enum NotSaved {
    #[error("the server has no snapshot file: start it with --snapshot")]
    NoFile,
    #[error("the server is shutting down, and saves a last snapshot")]
    Closed,
    #[error("the thread that saves failed")]
    Failed,
    #[error(transparent)]
    Save(#[from] SaveError),
    /// As it was told to the one who tried.
    #[error("{0}")]
    Shared(String),
}

/// A snapshot that has begun, until it is dropped.
#[derive(Debug)]
struct Begun<'a>(&'a Saver);

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.0.begun.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Saver {
    pub(crate) fn new(path: Option<PathBuf>, end: CancellationToken) -> Self {
        Self {
            path,
            turn: Mutex::new(Ok(())),
            number: AtomicU64::new(0),
            failed: AtomicBool::new(false),
            begun: AtomicUsize::new(0),
            end,
            last: AtomicI64::new(now()),
        }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(crate) fn is_saving(&self) -> bool {
        self.begun.load(Ordering::Relaxed) > 0
    }

    /// Says that a snapshot begins, for [`save_alone`](Self::save_alone), if none has.
    pub(crate) fn begin_alone(&self) -> bool {
        let begun = self
            .begun
            .compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed);
        begun.is_ok()
    }

    /// What [`begin_alone`](Self::begin_alone) began.
    pub(crate) fn save_alone(&self, catalogue: &Catalogue, metrics: &Metrics) {
        let _begun = Begun(self);
        // What went wrong was logged and counted.
        let _ = self.save_begun(catalogue, metrics, false);
    }

    /// When the last snapshot was saved or, before the first one, the server started.
    pub(crate) fn last(&self) -> i64 {
        self.last.load(Ordering::Relaxed)
    }

    /// Seconds since then.
    pub(crate) fn age(&self) -> i64 {
        now().saturating_sub(self.last()).max(0)
    }

    /// Whether the last try to save failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Saves all filters. Takes its time, and waits for others who do. Those who wait at the same time share one
    /// snapshot: any that begins after they came has all that they want saved.
    pub(crate) fn save(&self, catalogue: &Catalogue, metrics: &Metrics) -> Result<(), NotSaved> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        let _begun = Begun(self);
        self.save_begun(catalogue, metrics, false)
    }

    /// Saves all filters when nobody uses them any more.
    pub(crate) fn save_last(
        &self,
        catalogue: &Catalogue,
        metrics: &Metrics,
    ) -> Result<(), NotSaved> {
        self.save_begun(catalogue, metrics, true)
    }

    fn save_begun(
        &self,
        catalogue: &Catalogue,
        metrics: &Metrics,
        is_last: bool,
    ) -> Result<(), NotSaved> {
        let path = self.path().ok_or(NotSaved::NoFile)?;
        let seen = self.number.load(Ordering::SeqCst);
        let mut outcome = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_last && self.number.load(Ordering::SeqCst) > seen {
            // It has begun since, and is over: nobody else has the turn.
            return outcome.clone().map_err(NotSaved::Shared);
        }
        if !is_last && self.end.is_cancelled() {
            return Err(NotSaved::Closed);
        }
        self.number.fetch_add(1, Ordering::SeqCst);
        let saved = self.try_to_save(path, catalogue, metrics);
        self.failed.store(saved.is_err(), Ordering::Relaxed);
        *outcome = saved.as_ref().copied().map_err(SaveError::to_string);
        Ok(saved?)
    }

    fn try_to_save(
        &self,
        path: &Path,
        catalogue: &Catalogue,
        metrics: &Metrics,
    ) -> Result<(), SaveError> {
        let start = Instant::now();
        let started = now();
        let saved = snapshot::save(catalogue, path);
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
                tracing::error!(path = %path.display(), %error, "snapshot not saved");
                Err(error)
            }
        }
    }
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or(Duration::ZERO).as_secs()).unwrap_or(i64::MAX)
}
