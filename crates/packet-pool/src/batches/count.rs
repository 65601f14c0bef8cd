//! Counts the packets of a file before the work, so that the filters have room for them.

use super::period::Periods;
use super::watcher::Watcher;
use crate::capture::{self, Capture, CaptureError, Packet, Sink};
use crate::keys::Link;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The packets of the period that has the most. They cannot have more keys.
///
/// Damage ends the count, as it will end the reading, which names it.
pub(crate) fn most_in_a_period(
    path: &Path,
    periods: Periods,
    stop: &AtomicBool,
    progress: &dyn Fn(u64),
) -> usize {
    let mut counter = Counter {
        periods,
        watcher: Watcher { stop, progress },
        period: 0,
        packets: 0,
        most: 0,
    };
    let _ = counter.read(path);
    counter.most
}

struct Counter<'a> {
    periods: Periods,
    watcher: Watcher<'a>,
    period: u64,
    packets: usize,
    most: usize,
}

impl Counter<'_> {
    fn read(&mut self, path: &Path) -> Result<(), CaptureError> {
        let mut capture = Capture::new(capture::open(path)?)?;
        capture.records.read_into(self)
    }
}

impl Sink for Counter<'_> {
    fn packet(&mut self, packet: Packet<'_>) -> ControlFlow<()> {
        if Link::from_number(packet.link).is_some() {
            let period = self.periods.of(packet.time);
            if period != self.period {
                (self.period, self.packets) = (period, 0);
            }
            self.packets += 1;
            self.most = self.most.max(self.packets);
        }
        ControlFlow::Continue(())
    }

    fn pause(&mut self, bytes: u64) -> ControlFlow<()> {
        self.watcher.pause(bytes)
    }
}
