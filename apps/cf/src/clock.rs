//! The clock of a filter with a window: how old its youngest generation is, when the next rotation
//! is due, and whether that will be quick.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use lockfree_cuckoo::RotationClock;

use crate::settings::Window;

/// The age of the youngest generation, and who may rotate.
#[derive(Debug)]
pub(crate) struct Clock {
    /// The moment from which the times of `young` are counted.
    start: Instant,
    /// Held by a thread that rotates, from the decision until the new age is known, and by one that
    /// copies the filter between two rotations.
    turn: Mutex<()>,
    /// Held for a moment only, or while a filter catches up.
    young: Mutex<RotationClock>,
    /// The number of rotations after which the forgotten generation was last emptied.
    cleaned: AtomicU64,
}

impl Clock {
    /// Makes the clock of a new filter after this number of rotations. It has forgotten nothing.
    pub(crate) fn new(window: Window, rotations: u64) -> Self {
        let mut young = RotationClock::new(window.period(), Duration::ZERO);
        young.observe(rotations, Duration::ZERO);
        Self {
            start: Instant::now(),
            turn: Mutex::default(),
            young: Mutex::new(young),
            cleaned: AtomicU64::new(rotations),
        }
    }

    /// Waits until no other thread rotates the filter, and prevents rotations.
    pub(crate) fn take_turn(&self) -> MutexGuard<'_, ()> {
        // Ignore poison: the mutex guards no data.
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the turn without waiting. `None` if another thread rotates or copies the filter.
    pub(crate) fn try_turn(&self) -> Option<MutexGuard<'_, ()>> {
        match self.turn.try_lock() {
            Ok(turn) => Some(turn),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Returns the clock of the youngest generation.
    pub(crate) fn young(&self) -> MutexGuard<'_, RotationClock> {
        // Ignore poison: nothing in it is ever half done.
        self.young.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that all generations that were forgotten by this number of rotations are emptied.
    pub(crate) fn has_cleaned(&self, rotations: u64) {
        // Relaxed, here and below: the library checks whether it is so.
        self.cleaned.fetch_max(rotations, Ordering::Relaxed);
    }

    pub(crate) fn is_clean(&self, rotations: u64) -> bool {
        self.cleaned.load(Ordering::Relaxed) >= rotations
    }

    /// Returns the time as `young` counts it.
    pub(crate) fn time(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.start)
    }

    pub(crate) fn age(&self, now: Instant) -> Duration {
        self.young().age(self.time(now))
    }

    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.young().until_due(self.time(now)).is_zero()
    }

    /// Returns the time when the next rotation is due; now if it is due.
    pub(crate) fn due(&self) -> Option<Instant> {
        let now = Instant::now();
        now.checked_add(self.young().until_due(self.time(now)))
    }
}
