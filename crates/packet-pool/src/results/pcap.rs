//! A pcap file of new packets, with timestamps in nanoseconds.

use super::ordered::Output;
use crate::capture::Packet;
use std::io;

/// Bytes of a packet that are written at most: `tcpdump` and Wireshark refuse files with longer ones.
pub(crate) const MOST_BYTES: usize = 262_144;

/// In little-endian order, as all that follows.
const MAGIC: u32 = 0xa1b2_3c4d;
const VERSION: [u16; 2] = [2, 4];

/// The link type of a file without packets.
const ETHERNET: i32 = 1;

const NANOS: u64 = 1_000_000_000;

/// The records of a batch, divided by link type in the order of the capture.
#[derive(Default)]
pub(super) struct Runs(Vec<Run>);

struct Run {
    link: i32,
    packets: u64,
    bytes: Vec<u8>,
}

impl Runs {
    /// Appends the record of a packet.
    pub(super) fn push(&mut self, packet: &Packet<'_>) {
        if self.0.last().is_none_or(|run| run.link != packet.link) {
            self.0.push(Run {
                link: packet.link,
                packets: 0,
                bytes: Vec::new(),
            });
        }
        let Some(run) = self.0.last_mut() else {
            return;
        };
        let frame = &packet.frame[..packet.frame.len().min(MOST_BYTES)];
        // The format ends in 2106, as do its 32 bits.
        let seconds = u32::try_from(packet.time / NANOS).unwrap_or(u32::MAX);
        let nanos = (packet.time % NANOS) as u32;
        let captured = frame.len() as u32;
        for field in [seconds, nanos, captured, packet.length.max(captured)] {
            run.bytes.extend(field.to_le_bytes());
        }
        run.bytes.extend(frame);
        run.packets += 1;
    }
}

/// A file that is being written. It has one link type, that of its first packet.
pub(super) struct Pcap {
    out: Box<dyn io::Write + Send>,
    link: Option<i32>,
    packets: u64,
    of_other_links: u64,
}

impl Pcap {
    pub(super) fn new(out: Box<dyn io::Write + Send>) -> Self {
        Self {
            out,
            link: None,
            packets: 0,
            of_other_links: 0,
        }
    }

    /// The packets written.
    pub(super) fn packets(&self) -> u64 {
        self.packets
    }

    /// Those left out, because the format has one link type for all of a file.
    pub(super) fn of_other_links(&self) -> u64 {
        self.of_other_links
    }

    /// A file without packets is a capture, too.
    pub(super) fn close(&mut self) -> io::Result<()> {
        if self.link.is_none() {
            self.start(ETHERNET)?;
        }
        self.out.flush()
    }

    fn start(&mut self, link: i32) -> io::Result<()> {
        self.link = Some(link);
        let mut header = Vec::from(MAGIC.to_le_bytes());
        header.extend(VERSION.into_iter().flat_map(u16::to_le_bytes));
        // Time zone and accuracy, which nobody uses, and the longest packet.
        for field in [0, 0, MOST_BYTES as u32, link as u32] {
            header.extend(field.to_le_bytes());
        }
        self.out.write_all(&header)
    }
}

impl Output for Pcap {
    type Piece = Runs;

    fn bytes(Runs(runs): &Runs) -> usize {
        runs.iter().map(|run| run.bytes.len()).sum()
    }

    fn write(&mut self, Runs(runs): Runs) -> io::Result<()> {
        let any = !runs.is_empty();
        for run in runs {
            if self.link.is_none() {
                self.start(run.link)?;
            }
            if self.link == Some(run.link) {
                self.out.write_all(&run.bytes)?;
                self.packets += run.packets;
            } else {
                self.of_other_links += run.packets;
            }
        }
        if any { self.out.flush() } else { Ok(()) }
    }
}
