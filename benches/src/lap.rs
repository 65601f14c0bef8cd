//! Laps: how long a piece of work took, with and without the waiting for a processor.
//!
//! On a busy machine a thread loses its processor for milliseconds, which is the work of a million lookups.
//! Linux counts for each thread how long it was ready to run and was not running; that time is taken off.
//! Where nobody counts it, nothing is taken off.

use std::fs;
use std::iter::Sum;
use std::ops::{Add, AddAssign};
use std::time::{Duration, Instant};

/// The time of one piece of work, done by one thread or by several at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lap {
    /// The time that the slowest thread had a processor.
    pub busy: Duration,
    /// The time from the first start to the last end.
    pub wall: Duration,
}

impl Lap {
    /// The share of the time in which the slowest thread had no processor.
    #[must_use]
    pub fn idle(self) -> f64 {
        1.0 - self.busy.as_secs_f64() / self.wall.as_secs_f64()
    }
}

impl Add for Lap {
    type Output = Self;

    /// One after the other.
    fn add(self, next: Self) -> Self {
        Self {
            busy: self.busy + next.busy,
            wall: self.wall + next.wall,
        }
    }
}

impl AddAssign for Lap {
    fn add_assign(&mut self, next: Self) {
        *self = *self + next;
    }
}

impl Sum for Lap {
    fn sum<I: Iterator<Item = Self>>(laps: I) -> Self {
        laps.fold(Self::default(), Add::add)
    }
}

/// One thread's part of a lap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) start: Instant,
    pub(crate) end: Instant,
    pub(crate) busy: Duration,
}

impl Run {
    /// Does the work and says when it was done.
    pub(crate) fn of<T>(work: impl FnOnce() -> T) -> (Self, T) {
        let waited_before = waited();
        let start = Instant::now();
        let result = work();
        let end = Instant::now();
        let waited = waited().saturating_sub(waited_before);
        let busy = without(end - start, waited);
        (Self { start, end, busy }, result)
    }
}

/// The time without the waiting. The two come from different clocks, so that of a short time there may be nothing
/// left; then the waiting is not known well enough to be taken off.
fn without(time: Duration, waited: Duration) -> Duration {
    match time.checked_sub(waited) {
        None | Some(Duration::ZERO) => time.max(Duration::from_nanos(1)),
        Some(rest) => rest,
    }
}

/// How long the calling thread has waited for a processor since it began.
#[must_use]
pub fn waited() -> Duration {
    // Three numbers: nanoseconds on a processor, nanoseconds waiting for one, time slices.
    fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().nth(1)?.parse().ok())
        .map_or(Duration::ZERO, Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_is_nothing() {
        let [none, some, more] = [0, 5, 8].map(Duration::from_nanos);
        assert_eq!(without(more, some), Duration::from_nanos(3));
        assert_eq!([without(some, more), without(some, some)], [some; 2]);
        assert!(without(none, none) > none);
    }

    #[test]
    fn nobody_is_busy_for_longer_than_it_takes() {
        let (run, result) = Run::of(|| (0..1_000_000u64).map(std::hint::black_box).sum::<u64>());
        assert_eq!(result, 499_999_500_000);
        assert!(run.busy <= run.end - run.start);
    }
}
