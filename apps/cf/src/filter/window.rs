//! Windows: rotations, which forget the oldest items, and the age of the youngest.
//!
//! A filter never rotates by itself. Its owner rotates it when that is due, by
//! [`Filter::rotate_if_due`], and then lets some thread empty the forgotten generation, by
//! [`Filter::clean`].
//!
//! A rotation that comes late makes its period longer. The next one is due a whole period after it,
//! because items may have come until it: an item stays for its time, whatever happens.

#[cfg(test)]
mod tests;

use std::sync::MutexGuard;
use std::time::{Duration, Instant};

use lockfree_cuckoo::{DynFilter, SnapshotError, filter::Rotates};

use super::{Filter, patiently};
use crate::clock::Clock;
use crate::error::Error;

/// The rotations of a filter with a window. The others refuse them, or have none.
impl Filter {
    /// Returns the number of rotations so far; 0 without a window.
    pub fn rotations(&self) -> u64 {
        let filter = self.engine.access();
        filter.rotating().map_or(0, Rotates::rotations)
    }

    /// Returns the age of the youngest generation. `None` without a window.
    pub fn age(&self) -> Option<Duration> {
        let clock = self.clock.as_ref()?;
        Some(clock.age(Instant::now()))
    }

    /// Returns the time when the next rotation is due. `None` without a window.
    pub fn next_rotation(&self) -> Option<Instant> {
        let clock = self.clock.as_ref()?;
        clock.due()
    }

    /// Rotates if it is due at this time. Returns whether it did.
    ///
    /// It forgets nothing before its time, even if it comes late: see [`catch_up`](Self::catch_up)
    /// for a filter that was stored meanwhile.
    ///
    /// # Errors
    ///
    /// As [`rotate`](Self::rotate).
    pub fn rotate_if_due(&self, now: Instant) -> Result<bool, Error> {
        let clock = self.clock()?;
        if !clock.is_due(now) {
            return Ok(false);
        }
        self.prepare()?;
        let Some(turn) = clock.try_turn() else {
            return Ok(false);
        };
        // Another thread may have rotated meanwhile.
        if !clock.is_due(now) {
            return Ok(false);
        }
        self.turn(clock, &turn)?;
        Ok(true)
    }

    /// Forgets the oldest generation, and begins another one. Returns the number of rotations.
    ///
    /// It takes effect at one moment. [`clean`](Self::clean) should follow, which takes longer. If
    /// it has not been called since the last rotation, this does the same work first.
    ///
    /// # Errors
    ///
    /// If the filter has no window, or other threads disturb it. Nothing has changed then.
    pub fn rotate(&self) -> Result<u64, Error> {
        let clock = self.clock()?;
        self.prepare()?;
        self.turn(clock, &clock.take_turn())
    }

    /// Rotates if this is the rotation of that number, counted from 1. Does nothing if it was made
    /// before. Returns whether this call rotated.
    ///
    /// # Errors
    ///
    /// As [`rotate`](Self::rotate), and if a rotation before it is missing.
    pub fn rotate_as(&self, number: u64) -> Result<bool, Error> {
        let clock = self.clock()?;
        if number > self.rotations() {
            self.prepare()?;
        }
        let turn = clock.take_turn();
        let rotations = self.rotations();
        if number <= rotations {
            Ok(false)
        } else if number == rotations + 1 {
            self.turn(clock, &turn)?;
            Ok(true)
        } else {
            Err(Error::NotTheNext {
                asked: number,
                rotations,
            })
        }
    }

    /// Empties the generation that the last rotation forgot, so that the next one is quick. Other
    /// threads may use the filter.
    ///
    /// It takes time linear in the size of one generation. It does nothing if that was done before.
    /// If other threads disturb it, the next rotation does it.
    pub fn clean(&self) {
        // A failure has no effect: the next rotation does it.
        let _ = self.prepare();
    }

    /// Returns whether the next rotation is quick: the generation that the last one forgot is
    /// emptied. True without a window.
    pub fn is_clean(&self) -> bool {
        let clock = self.clock.as_ref();
        clock.is_none_or(|clock| clock.is_clean(self.rotations()))
    }

    /// Makes the youngest generation older, by the time for which the filter was stored.
    pub fn elapse(&self, time: Duration) {
        if let Some(clock) = &self.clock {
            clock.young().elapse(time);
        }
    }

    /// Makes all rotations that are due, for a filter that was stored in the meantime: so that it
    /// forgets what it would have forgotten. The age of the youngest generation is then what it
    /// would have been. Returns the number of rotations that were made: at most as many as there
    /// are generations, for then nothing is left.
    ///
    /// For a filter that was in use, [`rotate_if_due`](Self::rotate_if_due) is right: items may
    /// have come until now.
    ///
    /// # Errors
    ///
    /// As [`rotate`](Self::rotate).
    pub fn catch_up(&self, now: Instant) -> Result<usize, Error> {
        let clock = self.clock()?;
        let _turn = clock.take_turn();
        let filter = self.engine.access();
        let rotating = filter.rotating().ok_or(Error::NoWindow)?;
        let mut young = clock.young();
        Ok(rotating.catch_up(&mut young, clock.time(now))?)
    }

    pub(super) fn clock(&self) -> Result<&Clock, Error> {
        self.clock.as_deref().ok_or(Error::NoWindow)
    }

    /// Copies the filter of the library. Returns the copy, and the age of its youngest generation.
    ///
    /// A rotation meanwhile voids the copy. If that happens, the next try prevents rotations:
    /// otherwise a large filter with a short period could never be copied.
    pub(super) fn copy_with_age(&self) -> Result<(DynFilter, Duration), SnapshotError> {
        let Some(clock) = &self.clock else {
            let copy = patiently(|| self.engine.access().snapshot())?;
            return Ok((copy, Duration::ZERO));
        };
        let copy = self.engine.access().snapshot();
        let turn = clock.take_turn();
        let is_current =
            |copy: &DynFilter| copy.rotating().map(Rotates::rotations) == Some(self.rotations());
        let copy = match copy {
            Ok(copy) if is_current(&copy) => copy,
            _ => patiently(|| self.engine.access().snapshot())?,
        };
        let age = clock.age(Instant::now());
        drop(turn);
        Ok((copy, age))
    }

    /// Makes the next rotation quick.
    fn prepare(&self) -> Result<(), Error> {
        let filter = self.engine.access();
        let rotating = filter.rotating().ok_or(Error::NoWindow)?;
        let rotations = rotating.rotations();
        rotating.clean_spare()?;
        self.clock()?.has_cleaned(rotations);
        Ok(())
    }

    /// Rotates, for the thread whose turn it is.
    fn turn(&self, clock: &Clock, _turn: &MutexGuard<'_, ()>) -> Result<u64, Error> {
        let filter = self.engine.access();
        let rotating = filter.rotating().ok_or(Error::NoWindow)?;
        // No other thread rotates meanwhile: the caller has the lock.
        rotating.turn_if(rotating.rotations())?;
        let rotations = rotating.rotations();
        // Read after it, so that no item leaves before its time.
        clock.young().observe(rotations, clock.time(Instant::now()));
        Ok(rotations)
    }
}
