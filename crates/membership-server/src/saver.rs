//! Who takes snapshots, and when.

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
    /// One snapshot at a time: they have one file.
    turn: Arc<Mutex<Outcome>>,
    /// Snapshots that have begun since the start.
    number: AtomicU64,
    /// Whether the last try failed.
    failed: AtomicBool,
    /// Whoever takes a snapshot or waits for one holds this too.
    begun: Arc<()>,
    /// After that, only the last one is still taken.
    end: Event,
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

    /// When the last snapshot was saved or, before the first one, the server started.
    pub(crate) fn last(&self) -> i64 {
        self.0.last.load(Ordering::Relaxed)
    }

    /// Seconds since then.
    pub(crate) fn age(&self) -> i64 {
        now().saturating_sub(self.last()).max(0)
    }

    /// Whether the last try to save failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.0.failed.load(Ordering::Relaxed)
    }

    /// Saves all filters unless somebody else does, or waits for it. Returns false in that case, otherwise at once.
    pub(crate) fn save_alone(&self) -> bool {
        if self.is_saving() {
            return false;
        }
        let (saver, begun) = (self.clone(), Arc::clone(&self.0.begun));
        // What becomes of it is logged, counted, and seen in LASTSAVE.
        tokio::spawn(async move { saver.save_begun(begun).await });
        true
    }

    /// Saves all filters. Takes its time, and waits for others who do. Those who wait at the same time share one
    /// snapshot: any that begins after they came has all that they want saved.
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
            // It has begun since, and is over: nobody else has the turn.
            return outcome.clone().map_err(NotSaved::Save);
        }
        if state.end.has_happened() {
            return Err(NotSaved::Closed);
        }
        self.save_now(outcome, Some(begun)).await
    }

    /// Saves all filters when nobody uses them any more.
    pub(crate) async fn save_last(&self) -> Result<(), NotSaved> {
        if self.0.path.is_none() {
            return Err(NotSaved::NoFile);
        }
        let outcome = Arc::clone(&self.0.turn).lock_owned().await;
        self.save_now(outcome, None).await
    }

    /// Once begun it comes to its end, whether somebody waits for it or not.
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
    /// Takes a snapshot, for the one who has the turn.
    fn save(&self, mut outcome: OwnedMutexGuard<Outcome>) -> Result<(), NotSaved> {
        let path = self.path.as_deref().ok_or(NotSaved::NoFile)?;
        self.number.fetch_add(1, Ordering::SeqCst);
        // Unless it comes to its end.
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
