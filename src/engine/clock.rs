//! The clock of a rotating filter: when its next rotation is due.

use core::time::Duration;

/// Says when a rotating filter is to rotate, so that every item stays for at least `n - 1` periods,
/// however late a rotation comes.
///
/// A period is counted from the moment when the last rotation had taken effect, whichever thread
/// made it. So a rotation that comes late is made once, and the next one is due a whole period
/// after it. A timer that makes up for missed ticks rotates twice at once instead: with two
/// generations, items then leave that were inserted a moment ago.
///
/// Times are durations since a moment that the caller chooses, by a clock that is never set: as
/// `start.elapsed()` of a [`std::time::Instant`]. If the clock is set back all the same, the period
/// begins again. If it is set forward, items leave by as much too early.
///
/// [`rotate_if_due`](crate::RotatingCuckooFilter::rotate_if_due) rotates by a clock.
/// [`catch_up`](crate::RotatingCuckooFilter::catch_up) makes the rotations that were due while the
/// filter was stored. Several threads may rotate one filter, each by a clock of its own: together
/// they rotate once per period.
///
/// # Examples
///
/// ```
/// # #[cfg(feature = "std")] {
/// use lockfree_cuckoo::{RotatingCuckooFilter, RotationClock};
/// use std::thread;
/// use std::time::{Duration, Instant};
///
/// let recent = RotatingCuckooFilter::with_capacity(1_000); // items of one period
/// let start = Instant::now();
/// let mut clock = RotationClock::new(Duration::from_millis(1), start.elapsed());
/// for _ in 0..10 {
///     thread::sleep(clock.until_due(start.elapsed()));
///     if let Err(error) = recent.rotate_if_due(&mut clock, || start.elapsed()) {
///         eprintln!("tried again at once: {error}");
///     }
/// }
/// assert!(recent.rotations() > 0);
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct RotationClock {
    /// In nanoseconds, at least 1.
    period: i128,
    /// The time in nanoseconds when the young generation began, or a later one. Before the caller's
    /// moment it is negative.
    began: i128,
    /// The rotation that began the young generation.
    rotations: u64,
}

impl RotationClock {
    /// A clock for a filter that was built now, and has not rotated yet. A period of 0 is taken for
    /// a nanosecond.
    ///
    /// For a filter that has rotated, the first period begins with the first call that gets this
    /// clock, unless this is [`catch_up`](crate::RotatingCuckooFilter::catch_up).
    ///
    /// To remember each item for at least a time `w`, the period is `w / (n - 1)`, where `n` is the
    /// number of generations.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use lockfree_cuckoo::RotationClock;
    ///
    /// let clock = RotationClock::new(Duration::from_secs(60), Duration::ZERO);
    /// assert_eq!(clock.until_due(Duration::from_secs(50)), Duration::from_secs(10));
    /// ```
    pub const fn new(period: Duration, now: Duration) -> Self {
        let period = nanos(period);
        Self {
            period: if period == 0 { 1 } else { period },
            began: nanos(now),
            rotations: 0,
        }
    }

    /// The time until the next rotation is due: zero if it is, and at most a period.
    ///
    /// # Examples
    ///
    /// See [`new`](Self::new).
    #[must_use]
    pub fn until_due(&self, now: Duration) -> Duration {
        duration(
            self.period
                .saturating_sub(self.signed_age(now))
                .min(self.period),
        )
    }

    /// The age of the young generation. To be stored with the filter, for
    /// [`elapse`](Self::elapse).
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use lockfree_cuckoo::RotationClock;
    ///
    /// let clock = RotationClock::new(Duration::from_secs(60), Duration::from_secs(1));
    /// assert_eq!(clock.age(Duration::from_secs(4)), Duration::from_secs(3));
    /// ```
    #[must_use]
    pub fn age(&self, now: Duration) -> Duration {
        duration(self.signed_age(now))
    }

    /// Makes the young generation older: by its age when it was stored, and the time for which it
    /// was. Then [`catch_up`](crate::RotatingCuckooFilter::catch_up) makes the filter forget what
    /// is due.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use lockfree_cuckoo::RotationClock;
    ///
    /// let mut clock = RotationClock::new(Duration::from_secs(60), Duration::ZERO);
    /// clock.elapse(Duration::from_secs(45));
    /// assert_eq!(clock.until_due(Duration::from_secs(5)), Duration::from_secs(10));
    /// ```
    pub fn elapse(&mut self, time: Duration) {
        self.began = self.began.saturating_sub(nanos(time));
    }

    /// Tells the clock that the filter had made this number of rotations before `now`. If there was
    /// one that the clock does not know of, the young generation begins now.
    ///
    /// Only for callers that rotate by other means than
    /// [`rotate_if_due`](crate::RotatingCuckooFilter::rotate_if_due), which does the same. Read the
    /// number before the time.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use lockfree_cuckoo::{RotatingCuckooFilter, RotationClock};
    ///
    /// let filter = RotatingCuckooFilter::with_capacity(100);
    /// let mut clock = RotationClock::new(Duration::from_secs(60), Duration::ZERO);
    /// filter.rotate()?; // because it was full
    /// clock.observe(filter.rotations(), Duration::from_secs(50));
    /// assert_eq!(clock.until_due(Duration::from_secs(60)), Duration::from_secs(50));
    /// # Ok::<(), lockfree_cuckoo::RotateError>(())
    /// ```
    pub fn observe(&mut self, rotations: u64, now: Duration) {
        let now = nanos(now);
        if rotations != self.rotations {
            self.rotations = rotations;
            self.began = now;
        }
        // Begin the period again if the clock was set back, which would delay the next rotation.
        self.began = self.began.min(now);
    }

    /// The periods that have ended by `now`; begins the present one when the last of them ended.
    /// `None` if `now` is before the present period.
    ///
    /// For items that carry their own times, in about the order of these: no item of the ended
    /// periods is still to come, so a rotation does not begin late, however late it is made. Make
    /// as many rotations, or as many as there are generations, which forget everything.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use lockfree_cuckoo::RotationClock;
    ///
    /// let mut clock = RotationClock::new(Duration::from_secs(10), Duration::ZERO);
    /// let periods = [5, 12, 9, 20, 45].map(|time| clock.periods(Duration::from_secs(time)));
    /// assert_eq!(periods, [Some(0), Some(1), None, Some(1), Some(2)]);
    /// ```
    pub fn periods(&mut self, now: Duration) -> Option<u64> {
        let age = self.signed_age(now);
        if age < 0 {
            return None;
        }
        let ended = age / self.period;
        self.began += ended * self.period;
        Some(u64::try_from(ended).unwrap_or(u64::MAX))
    }

    /// The age in nanoseconds, negative before the young generation begins.
    fn signed_age(&self, now: Duration) -> i128 {
        nanos(now).saturating_sub(self.began)
    }

    /// Whether a rotation is due.
    pub(crate) fn is_due(&self, now: Duration) -> bool {
        self.signed_age(now) >= self.period
    }

    /// Records a rotation that was due when the period ended, by its number.
    pub(crate) fn end_period(&mut self, rotations: u64) {
        self.began += self.period;
        self.rotations = rotations;
    }

    /// Records the number of rotations of a filter whose young generation has this clock's age.
    pub(crate) fn follow(&mut self, rotations: u64) {
        self.rotations = rotations;
    }
}

/// Less than 2^95.
const fn nanos(duration: Duration) -> i128 {
    duration.as_nanos().cast_signed()
}

/// Zero if it is negative, and the longest duration if it is longer.
fn duration(nanos: i128) -> Duration {
    const SECOND: i128 = 1_000_000_000;
    let nanos = nanos.max(0);
    match u64::try_from(nanos / SECOND) {
        Ok(seconds) => Duration::new(seconds, (nanos % SECOND) as u32),
        Err(_) => Duration::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn no_time_is_too_long() {
        let extremes = [Duration::ZERO, Duration::from_nanos(1), Duration::MAX];
        for period in extremes {
            for began in extremes {
                for now in extremes {
                    let mut clock = RotationClock::new(period, began);
                    assert!(clock.until_due(now) <= period.max(Duration::from_nanos(1)));
                    assert_eq!(clock.age(now), now.saturating_sub(began));
                    (0..3).for_each(|_| clock.elapse(Duration::MAX));
                    assert_eq!(clock.age(now), Duration::MAX);
                    assert_eq!(clock.until_due(now), Duration::ZERO);
                    let ended = clock.clone().periods(now);
                    assert!(ended.is_some_and(|ended| ended >= 1), "{clock:?}");
                    clock.observe(1, now);
                    assert_eq!(clock.age(now), Duration::ZERO);
                }
            }
        }
    }

    /// A clock that is set back begins the period again.
    #[test]
    fn a_clock_is_set_back() {
        let mut clock = RotationClock::new(seconds(10), seconds(100));
        assert_eq!(clock.until_due(seconds(5)), seconds(10));
        assert_eq!(clock.periods(seconds(5)), None);
        clock.observe(0, seconds(5));
        assert_eq!(clock.until_due(seconds(14)), seconds(1));
        // Go on with the period if the time goes on.
        clock.observe(0, seconds(14));
        assert_eq!(clock.until_due(seconds(14)), seconds(1));
    }
}
