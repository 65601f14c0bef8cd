//! The saver: takes snapshots one at a time, and tells the waiting tasks the outcome.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::task::spawn_blocking;

use crate::catalogue::Catalogue;
use crate::event::Event;
use crate::metrics::Metrics;
use crate::snapshot;

#[derive(Clone, Debug)]
pub(crate) struct Saver(Arc<State>);

#[derive(Debug)]
struct State {
    path: Option<PathBuf>,
    catalogue: Arc<Catalogue>,
    metrics: Arc<Metrics>,
    /// Held by the task that takes a snapshot, because all snapshots have one file.
    turn: Arc<Mutex<Outcome>>,
    /// The snapshots that have begun since the start.
    number: AtomicU64,
    /// Whether the last try failed.
    failed: AtomicBool,
    /// Shared with each task that takes a snapshot or waits for one.
    begun: Arc<()>,
    /// After this event, only the last snapshot is taken.
    end: Event,
    /// The time of the last snapshot, in seconds since 1970.
    last: AtomicI64,
}

/// The outcome of the last try, for tasks that waited for it.
type Outcome = Result<(), String>;

#[derive(Debug, thiserror::Error)]
pub(crate) enum NotSaved {
    #[error("the server has no snapshot file: start it with --snapshot")]
    NoFile,
    #[error("the server is shutting down, and saves a last snapshot")]
    Closed,
    #[error("the thread that saves failed")]
    Failed,
    #[error("{0}")]
    Save(String),
}

impl Saver {
    pub(crate) fn new(
        path: Option<PathBuf>,
        catalogue: Arc<Catalogue>,
        metrics: Arc<Metrics>,
        end: Event,
    ) -> Self {
        Self(Arc::new(State {
            path,
            catalogue,
            metrics,
            turn: Arc::new(Mutex::new(Ok(()))),
            number: AtomicU64::new(0),
            failed: AtomicBool::new(false),
            begun: Arc::default(),
            end,
            last: AtomicI64::new(now()),
        }))
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    pub(crate) fn is_saving(&self) -> bool {
        Arc::strong_count(&self.0.begun) > 1
    }

    /// Returns the time of the last saved snapshot or, before the first one, of the server's start.
    pub(crate) fn last(&self) -> i64 {
        self.0.last.load(Ordering::Relaxed)
    }

    /// Returns the seconds since then.
    pub(crate) fn age(&self) -> i64 {
        now().saturating_sub(self.last()).max(0)
    }

    /// Returns whether the last try to save failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.0.failed.load(Ordering::Relaxed)
    }

    /// Starts to save all filters, and returns at once. Returns false if a snapshot is under way or
    /// awaited.
    pub(crate) fn save_alone(&self) -> bool {
        if self.is_saving() {
            return false;
        }
        let (saver, begun) = (self.clone(), Arc::clone(&self.0.begun));
        // The outcome is logged, counted, and shown by LASTSAVE.
        tokio::spawn(async move { saver.save_begun(begun).await });
        true
    }

    /// Saves all filters. Takes long, and waits for other snapshots. Tasks that wait at the same
    /// time share one snapshot: any that begins after they came has all their changes.
    pub(crate) async fn save(&self) -> Result<(), NotSaved> {
        self.save_begun(Arc::clone(&self.0.begun)).await
    }

    async fn save_begun(&self, begun: Arc<()>) -> Result<(), NotSaved> {
        let state = &self.0;
        if state.path.is_none() {
            return Err(NotSaved::NoFile);
        }
        let seen = state.number.load(Ordering::SeqCst);
        let outcome = Arc::clone(&state.turn).lock_owned().await;
        if state.number.load(Ordering::SeqCst) > seen {
            // A snapshot has begun and ended since this task came: its outcome holds for this task.
            return outcome.clone().map_err(NotSaved::Save);
        }
        if state.end.has_happened() {
            return Err(NotSaved::Closed);
        }
        self.save_now(outcome, Some(begun)).await
    }

    /// Saves all filters after the last client.
    pub(crate) async fn save_last(&self) -> Result<(), NotSaved> {
        if self.0.path.is_none() {
            return Err(NotSaved::NoFile);
        }
        let outcome = Arc::clone(&self.0.turn).lock_owned().await;
        self.save_now(outcome, None).await
    }

    /// Saves, and runs to the end even if no task waits for it any more.
    async fn save_now(
        &self,
        outcome: OwnedMutexGuard<Outcome>,
        begun: Option<Arc<()>>,
    ) -> Result<(), NotSaved> {
        let state = Arc::clone(&self.0);
        let saved = spawn_blocking(move || {
            let _begun = begun;
            state.save(outcome)
        });
        saved.await.unwrap_or(Err(NotSaved::Failed))
    }
}

impl State {
    /// Takes a snapshot. The caller has the turn.
    fn save(&self, mut outcome: OwnedMutexGuard<Outcome>) -> Result<(), NotSaved> {
        let path = self.path.as_deref().ok_or(NotSaved::NoFile)?;
        self.number.fetch_add(1, Ordering::SeqCst);
        // The outcome if it panics.
        *outcome = Err(NotSaved::Failed.to_string());
        let (metrics, start, started) = (&self.metrics, Instant::now(), now());
        let saved = snapshot::save(&self.catalogue, path);
        let path = path.display();
        match &saved {
            Ok(bytes) => {
                let time = start.elapsed();
                self.last.store(started, Ordering::Relaxed);
                metrics.snapshots.add(1);
                metrics.snapshot_nanoseconds.set(time.as_nanos() as u64);
                metrics.snapshot_bytes.set(*bytes);
                let seconds = time.as_secs_f64();
                log::info!(path:%, bytes, seconds; "snapshot saved");
            }
            Err(error) => {
                metrics.failed_snapshots.add(1);
                log::error!(path:%, error:%; "snapshot not saved");
            }
        }
        self.failed.store(saved.is_err(), Ordering::Relaxed);
        *outcome = saved.map(drop).map_err(|error| error.to_string());
        outcome.clone().map_err(NotSaved::Save)
    }
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or(Duration::ZERO).as_secs()).unwrap_or(i64::MAX)
}
