//! Periods: the parts of a capture that one pair of filters serves.

use std::time::Duration;

/// Numbers the periods of a capture, one window long each, by the timestamps
/// of the packets in the order in which they come.
///
/// The numbers never go back. A packet that comes late, with a timestamp of an
/// earlier period, belongs to the present one. After a pause of two windows or
/// more the number grows by two, not by what the clock says: that is enough
/// for everything to be forgotten, so nobody has to make the filters between.
///
/// A clock that was set back would make all packets late for ever. So after
/// [`LATE`] of them in a row the period goes on from where they are.
pub(crate) struct Periods {
    /// In nanoseconds; `None` makes everything one period.
    window: Option<u64>,
    /// When the present period began; `None` before the first packet.
    began: Option<u64>,
    number: u64,
    /// Packets in a row that were more than a window late.
    late: u32,
}

/// One packet with a wild timestamp, or two interfaces whose clocks differ, must
/// not pass for a clock that was set.
const LATE: u32 = 1000;

impl Periods {
    pub(crate) fn new(window: Option<Duration>) -> Self {
        let nanos = |window: Duration| u64::try_from(window.as_nanos()).unwrap_or(u64::MAX);
        Self {
            window: window.map(|window| nanos(window).max(1)),
            began: None,
            number: 0,
            late: 0,
        }
    }

    /// The period of a packet with this timestamp, in nanoseconds.
    pub(crate) fn of(&mut self, time: u64) -> u64 {
        let Some(window) = self.window else {
            return 0;
        };
        let began = *self.began.get_or_insert(time);
        match time.checked_sub(began) {
            Some(age) => {
                let passed = age / window;
                self.number += passed.min(2);
                self.began = Some(began + passed * window);
                self.late = 0;
            }
            None if began - time <= window => self.late = 0,
            None if self.late < LATE => self.late += 1,
            None => self.began = Some(time),
        }
        self.number
    }
}
