//! Periods: the parts of a capture between two rotations.

use std::time::Duration;

use lockfree_cuckoo::RotationClock;

/// Numbers the periods of a capture, one window long each, by the timestamps of the packets in the
/// order in which they come.
///
/// The numbers never go back. A packet that comes late, with a timestamp of an earlier period,
/// belongs to the present one. After a pause of two windows or more the number grows by two, not by
/// what the clock says: that is enough for everything to be forgotten.
///
/// A clock that was set back would make all later packets late. So after [`LATE`] of them in a row
/// the period goes on from where they are.
pub(crate) struct Periods {
    /// `None` makes everything one period.
    window: Option<Duration>,
    /// By the timestamps of the packets; `None` before the first one.
    clock: Option<RotationClock>,
    number: u64,
    /// Packets in a row that were more than a window late.
    late: u32,
}

/// More late packets than one wild timestamp, or two interfaces whose clocks differ, cause.
const LATE: u32 = 1000;

impl Periods {
    pub(crate) fn new(window: Option<Duration>) -> Self {
        Self {
            window,
            clock: None,
            number: 0,
            late: 0,
        }
    }

    /// Returns the period of a packet with this timestamp, in nanoseconds.
    pub(crate) fn of(&mut self, time: u64) -> u64 {
        let Some(window) = self.window else {
            return 0;
        };
        let time = Duration::from_nanos(time);
        let new = || RotationClock::new(window, time);
        let clock = self.clock.get_or_insert_with(new);
        if let Some(ended) = clock.periods(time) {
            self.number += ended.min(2);
            self.late = 0;
        } else if clock.periods(time.saturating_add(window)).is_some() {
            // Late by a window at most.
            self.late = 0;
        } else if self.late < LATE {
            self.late += 1;
        } else {
            *clock = new();
        }
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// Returns the periods of times in seconds, with a window of ten.
    fn of_seconds(times: &[u64]) -> Vec<u64> {
        let mut periods = Periods::new(Some(Duration::from_secs(10)));
        times.iter().map(|time| periods.of(time * SECOND)).collect()
    }

    /// Packets belong to the period of their times.
    #[test]
    fn times_decide_the_period() {
        // A period lasts a window from the first packet.
        assert_eq!(of_seconds(&[7, 8, 16, 17, 26, 27]), [0, 0, 0, 1, 1, 2]);
        // The next period begins on time, however far into the last one its last packet is.
        assert_eq!(of_seconds(&[0, 15, 19, 20, 29, 30]), [0, 1, 1, 2, 2, 3]);
        // A pause counts as two periods, however long.
        assert_eq!(
            of_seconds(&[0, 20, 1_000_000_000, 1_000_000_009]),
            [0, 2, 4, 4]
        );
        // Late packets belong to the present period.
        assert_eq!(of_seconds(&[0, 10, 9, 11, 3, 20, 0]), [0, 1, 1, 1, 1, 2, 2]);
        let extremes = [0, u64::MAX, 0, u64::MAX];
        for (window, numbers) in [
            (Some(Duration::from_nanos(1)), [0, 2, 2, 2]),
            (Some(Duration::MAX), [0; 4]),
            (None, [0; 4]),
        ] {
            let mut periods = Periods::new(window);
            assert_eq!(extremes.map(|time| periods.of(time)), numbers);
        }
    }

    /// A wild timestamp does not stop the rotations.
    #[test]
    fn a_wild_timestamp_stops_no_rotation() {
        let mut periods = Periods::new(Some(Duration::from_secs(10)));
        periods.of(0);
        assert_eq!(periods.of(1_000_000 * SECOND), 2);
        // The clock follows the other packets, once there are enough of them.
        let numbers: Vec<u64> = (0..5000).map(|time| periods.of(time * SECOND)).collect();
        assert_eq!(numbers[..1000], [2; 1000]);
        assert_eq!(numbers[4999], 2 + 399);
    }

    #[test]
    fn clocks_that_differ_do_not_fight() {
        let mut periods = Periods::new(Some(Duration::from_secs(10)));
        for time in 0..5000 {
            assert_eq!(periods.of((100_000 + time) * SECOND), time / 10);
            assert_eq!(periods.of(time * SECOND), time / 10);
        }
    }
}
