//! A pcap file of new packets, with timestamps in nanoseconds.

use super::Output;
use crate::capture::Packet;

/// Bytes of a packet that are written at most: `tcpdump` and Wireshark refuse files with longer ones.
pub(crate) const MOST_BYTES: usize = 262_144;

/// In little-endian order, as all that follows.
const MAGIC: u32 = 0xa1b2_3c4d;
const VERSION: [u16; 2] = [2, 4];

/// The link type of a file without packets.
const ETHERNET: i32 = 1;

const NANOS: u64 = 1_000_000_000;

/// A packet as it is written, with its link type.
pub(super) type Record = (i32, Vec<u8>);

pub(super) fn record(packet: &Packet<'_>) -> Record {
    let frame = &packet.frame[..packet.frame.len().min(MOST_BYTES)];
    // The format ends in 2106, as do its 32 bits.
    let seconds = u32::try_from(packet.time / NANOS).unwrap_or(u32::MAX);
    let nanos = (packet.time % NANOS) as u32;
    let captured = frame.len() as u32;
    let fields = [seconds, nanos, captured, packet.length.max(captured)];
    let mut bytes = fields.map(u32::to_le_bytes).concat();
    bytes.extend(frame);
    (packet.link, bytes)
}

/// A file that is being written. It has one link type, that of its first packet.
pub(super) struct Pcap {
    pub(super) out: Output,
    link: Option<i32>,
    /// The packets written.
    pub(super) packets: u64,
    /// Those left out, because the format has one link type for all of a file.
    pub(super) of_other_links: u64,
}

impl Pcap {
    pub(super) fn new(out: Output) -> Self {
        Self {
            out,
            link: None,
            packets: 0,
            of_other_links: 0,
        }
    }

    /// Returns whether they could be written.
    pub(super) fn write(&mut self, records: &[Record]) -> bool {
        let Some((first, _)) = records.first() else {
            return true;
        };
        let link = *self
            .link
            .get_or_insert_with(|| start(&mut self.out, *first));
        let fit = records.iter().filter(|record| record.0 == link);
        let bytes: Vec<&[u8]> = fit.map(|record| &*record.1).collect();
        self.of_other_links += (records.len() - bytes.len()) as u64;
        let written = self.out.write(&bytes.concat());
        self.packets += if written { bytes.len() as u64 } else { 0 };
        written
    }

    /// A file without packets is a capture, too.
    pub(super) fn close(&mut self) {
        self.link
            .get_or_insert_with(|| start(&mut self.out, ETHERNET));
    }
}

/// Writes the header of a file with this link type.
fn start(out: &mut Output, link: i32) -> i32 {
    let mut header = Vec::from(MAGIC.to_le_bytes());
    header.extend(VERSION.into_iter().flat_map(u16::to_le_bytes));
    // Time zone and accuracy, which nobody uses, and the longest packet.
    for field in [0, 0, MOST_BYTES as u32, link as u32] {
        header.extend(field.to_le_bytes());
    }
    out.write(&header);
    link
}
