//! Batches of packets, the unit of work that a worker takes.

use crate::capture::Packet;
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
    packets: Vec<Entry>,
    /// The period that all of them belong to.
    period: u64,
}

/// What a batch has of a packet beside its bytes.
struct Entry {
    /// Where its bytes end.
    end: usize,
    time: u64,
    length: u32,
    /// The link type as the capture has it, and what it means.
    number: u16,
    link: Link,
}

impl Batch {
    pub(crate) fn of_period(period: u64) -> Self {
        Self {
            period,
            ..Self::default()
        }
    }

    /// Adds a packet, with as many of its bytes as are to be kept.
    pub(crate) fn push(&mut self, link: Link, packet: &Packet<'_>, kept: usize) {
        let frame = &packet.frame[..packet.frame.len().min(kept)];
        self.bytes.extend_from_slice(frame);
        self.packets.push(Entry {
            end: self.bytes.len(),
            time: packet.time,
            length: packet.length,
            // Captures have 16 bits for it.
            number: packet.link as u16,
            link,
        });
    }

    /// The packets and their links, in the order of the capture.
    pub(crate) fn packets(&self) -> impl Iterator<Item = (Link, Packet<'_>)> {
        let mut start = 0;
        self.packets.iter().map(move |entry| {
            let frame = &self.bytes[start..entry.end];
            start = entry.end;
            let packet = Packet {
                link: entry.number.into(),
                time: entry.time,
                length: entry.length,
                frame,
            };
            (entry.link, packet)
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
