//! Packs the packets of a capture into batches.

use super::batch::Batch;
use super::period::Periods;
use crate::capture::Packet;
use crate::keys::Link;
use std::collections::BTreeMap;

/// Fills one batch after the other. A batch is of one period, so that all of
/// it is judged by one pair of filters.
pub(crate) struct Packer {
    periods: Periods,
    /// Bytes kept of each packet.
    kept: usize,
    batch: Batch,
    /// The packets packed so far.
    pub(crate) packets: u64,
    /// Packets left out, by the number of their link type.
    pub(crate) left_out: BTreeMap<i32, u64>,
}

impl Packer {
    pub(crate) fn new(periods: Periods, kept: usize) -> Self {
        Self {
            periods,
            kept,
            batch: Batch::default(),
            packets: 0,
            left_out: BTreeMap::new(),
        }
    }

    /// Adds a packet, and gives the batch that had no room for it, if so.
    pub(crate) fn push(&mut self, packet: &Packet<'_>) -> Option<Batch> {
        let Some(link) = Link::from_number(packet.link) else {
            *self.left_out.entry(packet.link).or_default() += 1;
            return None;
        };
        let period = self.periods.of(packet.time);
        let done = if self.batch.is_full() || self.batch.period() != period {
            self.swap(period)
        } else {
            None
        };
        self.batch.push(link, packet, self.kept);
        self.packets += 1;
        done
    }

    /// The packets that are not in a batch yet.
    pub(crate) fn flush(&mut self) -> Option<Batch> {
        self.swap(self.batch.period())
    }

    fn swap(&mut self, period: u64) -> Option<Batch> {
        let done = std::mem::replace(&mut self.batch, Batch::of_period(period));
        (done.len() > 0).then_some(done)
    }
}
