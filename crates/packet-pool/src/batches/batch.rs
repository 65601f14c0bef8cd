//! Batches of packets, the unit of work that a worker takes.

use crate::keys::Link;

/// Packets in a full batch: enough work for taking it to cost nothing, little
/// enough for the workers to finish together.
pub(crate) const PACKETS: usize = 256;

/// Bytes after which a batch of long packets is full.
const BYTES: usize = 1 << 18;

/// Some packets of a capture, their bytes end to end.
#[derive(Default)]
pub(crate) struct Batch {
    bytes: Vec<u8>,
    /// For each packet its link type and where its bytes end.
    packets: Vec<(Link, usize)>,
    /// The period that all of them belong to.
    period: u64,
}

impl Batch {
    pub(crate) fn of_period(period: u64) -> Self {
        Self {
            period,
            ..Self::default()
        }
    }

    pub(crate) fn push(&mut self, link: Link, frame: &[u8]) {
        self.bytes.extend_from_slice(frame);
        self.packets.push((link, self.bytes.len()));
    }

    /// The packets, in the order of the capture.
    pub(crate) fn packets(&self) -> impl Iterator<Item = (Link, &[u8])> {
        let mut start = 0;
        self.packets.iter().map(move |&(link, end)| {
            let frame = &self.bytes[start..end];
            start = end;
            (link, frame)
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.packets.len()
    }

    pub(crate) fn period(&self) -> u64 {
        self.period
    }

    pub(crate) fn is_full(&self) -> bool {
        self.packets.len() >= PACKETS || self.bytes.len() >= BYTES
    }
}
