//! Batches of packets, the unit of work that a worker takes.

use crate::link::Link;

/// Packets in a full batch: enough work for the shared cursor to cost nothing,
/// little enough for the workers to finish together.
const PACKETS: usize = 256;

/// Bytes kept of each packet: the headers, not the data they carry.
const KEPT_BYTES: usize = 256;

/// Some packets of a capture, their bytes end to end.
#[derive(Default)]
pub(crate) struct Batch {
    bytes: Vec<u8>,
    /// For each packet its link type and where its bytes end.
    packets: Vec<(Link, usize)>,
}

impl Batch {
    /// The packets, in the order of the file.
    pub(crate) fn packets(&self) -> impl Iterator<Item = (Link, &[u8])> {
        let mut start = 0;
        self.packets.iter().map(move |&(link, end)| {
            let frame = &self.bytes[start..end];
            start = end;
            (link, frame)
        })
    }

    /// Adds a packet to the last batch, or to a new one if that is full.
    pub(crate) fn push(batches: &mut Vec<Self>, link: Link, frame: &[u8]) {
        let mut batch = match batches.pop() {
            Some(batch) if batch.packets.len() < PACKETS => batch,
            full => {
                batches.extend(full);
                Self::default()
            }
        };
        batch
            .bytes
            .extend_from_slice(&frame[..frame.len().min(KEPT_BYTES)]);
        batch.packets.push((link, batch.bytes.len()));
        batches.push(batch);
    }
}
