//! Captures: the one that comes along, and made ones.

use crate::PACKETS;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn data(name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/captures");
    Path::new(folder).join(name)
}

/// The default capture as bytes.
pub(crate) fn loopback() -> Vec<u8> {
    fs::read(data("loopback.pcap")).expect("the capture is there")
}

/// The packets of the default capture, and where their records start.
pub(crate) fn packets(file: &[u8]) -> Vec<(usize, &[u8])> {
    let mut packets = Vec::new();
    let mut at = 24;
    while at < file.len() {
        let length = u32::from_le_bytes(file[at + 8..at + 12].try_into().expect("four bytes"));
        let end = at + 16 + length as usize;
        packets.push((at, &file[at + 16..end]));
        at = end;
    }
    assert_eq!(packets.len() as u64, PACKETS);
    packets
}

/// A packet of a pcap file: its time in nanoseconds, its original length, and its bytes.
pub(crate) type Record = (u64, u32, Vec<u8>);

/// The link type and the packets of a little-endian pcap file with nanoseconds.
pub(crate) fn records(file: &[u8]) -> (u32, Vec<Record>) {
    let field = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes"));
    assert_eq!(field(0), NANOSECONDS);
    assert_eq!(file[4..8], [2, 0, 4, 0]);
    let mut records = Vec::new();
    let mut at = 24;
    while at < file.len() {
        let time = u64::from(field(at)) * 1_000_000_000 + u64::from(field(at + 4));
        let end = at + 16 + field(at + 8) as usize;
        records.push((time, field(at + 12), file[at + 16..end].to_vec()));
        at = end;
    }
    (field(20), records)
}

/// The IP packets of the default capture, without their Ethernet headers.
pub(crate) fn ip_packets(file: &[u8]) -> Vec<&[u8]> {
    packets(file)
        .iter()
        .map(|(_, frame)| &frame[14..])
        .collect()
}

/// Writes numbers in either byte order.
#[derive(Clone, Copy)]
pub(crate) struct Order {
    pub(crate) big: bool,
}

pub(crate) const LITTLE: Order = Order { big: false };
pub(crate) const BIG: Order = Order { big: true };

impl Order {
    pub(crate) fn u16(self, out: &mut Vec<u8>, value: u16) {
        out.extend(if self.big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        });
    }

    pub(crate) fn u32(self, out: &mut Vec<u8>, value: u32) {
        out.extend(if self.big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        });
    }

    pub(crate) fn length(self, out: &mut Vec<u8>, value: usize) {
        self.u32(out, value.try_into().expect("a short length"));
    }

    /// A pcap file of packets that all came at one time.
    pub(crate) fn pcap(self, magic: u32, link: u32, packets: &[impl AsRef<[u8]>]) -> Vec<u8> {
        let at_once: Vec<_> = packets.iter().map(|packet| (0, packet)).collect();
        self.pcap_at(magic, link, &at_once)
    }

    /// A pcap file of packets with their times, in milliseconds.
    pub(crate) fn pcap_at(
        self,
        magic: u32,
        link: u32,
        packets: &[(u32, impl AsRef<[u8]>)],
    ) -> Vec<u8> {
        let units = if magic == NANOSECONDS {
            1_000_000
        } else {
            1_000
        };
        let mut file = Vec::new();
        self.u32(&mut file, magic);
        self.u16(&mut file, 2);
        self.u16(&mut file, 4);
        for field in [0, 0, 65535, link] {
            self.u32(&mut file, field);
        }
        for (time, packet) in packets {
            let packet = packet.as_ref();
            self.u32(&mut file, 1_700_000_000 + time / 1000);
            self.u32(&mut file, time % 1000 * units);
            self.length(&mut file, packet.len());
            self.length(&mut file, packet.len());
            file.extend(packet);
        }
        file
    }

    /// A pcapng file of Ethernet packets with their times, in milliseconds, by a
    /// clock with this resolution (the option of the format) and so many units
    /// in a millisecond.
    pub(crate) fn pcapng_at(
        self,
        resolution: u8,
        units: u64,
        packets: &[(u32, impl AsRef<[u8]>)],
    ) -> Vec<u8> {
        let mut file = Vec::new();
        self.section(&mut file);
        let mut interface = Vec::new();
        self.u16(&mut interface, 1);
        self.u16(&mut interface, 0);
        self.u32(&mut interface, 65535);
        // if_tsresol, and the end of the options.
        self.u16(&mut interface, 9);
        self.u16(&mut interface, 1);
        interface.extend([resolution, 0, 0, 0, 0, 0, 0, 0]);
        self.block(&mut file, 1, &interface);
        for (time, packet) in packets {
            let packet = packet.as_ref();
            let time = u64::from(*time) * units;
            let mut body = Vec::new();
            self.u32(&mut body, 0);
            self.u32(&mut body, u32::try_from(time >> 32).expect("32 bits"));
            self.u32(
                &mut body,
                u32::try_from(time & 0xffff_ffff).expect("32 bits"),
            );
            self.length(&mut body, packet.len());
            self.length(&mut body, packet.len());
            body.extend(packet);
            self.block(&mut file, 6, &body);
        }
        file
    }

    fn section(self, file: &mut Vec<u8>) {
        let mut section = Vec::new();
        self.u32(&mut section, 0x1a2b_3c4d);
        self.u16(&mut section, 1);
        self.u16(&mut section, 0);
        section.extend([0xff; 8]);
        self.block(file, 0x0a0d_0d0a, &section);
    }

    /// A block of a pcapng file.
    pub(crate) fn block(self, file: &mut Vec<u8>, kind: u32, body: &[u8]) {
        let padding = body.len().next_multiple_of(4) - body.len();
        let total = body.len() + padding + 12;
        self.u32(file, kind);
        self.length(file, total);
        file.extend(body);
        file.extend(&[0; 3][..padding]);
        self.length(file, total);
    }

    /// A section of a pcapng file with two interfaces: the packets alternate
    /// between both, and every third one is in a simple packet block.
    pub(crate) fn pcapng(self, packets: &[&[u8]]) -> Vec<u8> {
        let mut file = Vec::new();
        self.section(&mut file);
        for _ in 0..2 {
            let mut interface = Vec::new();
            self.u16(&mut interface, 1);
            self.u16(&mut interface, 0);
            self.u32(&mut interface, 65535);
            self.block(&mut file, 1, &interface);
        }
        for (number, packet) in (0..).zip(packets) {
            let mut body = Vec::new();
            if number % 3 == 0 {
                self.length(&mut body, packet.len());
                body.extend(*packet);
                self.block(&mut file, 3, &body);
            } else {
                for field in [number % 2, 0, 0] {
                    self.u32(&mut body, field);
                }
                self.length(&mut body, packet.len());
                self.length(&mut body, packet.len());
                body.extend(*packet);
                self.block(&mut file, 6, &body);
            }
        }
        // A block of a kind that the program does not know is passed over.
        self.block(&mut file, 0x0bad, b"unknown");
        file
    }
}

pub(crate) const MICROSECONDS: u32 = 0xa1b2_c3d4;
pub(crate) const NANOSECONDS: u32 = 0xa1b2_3c4d;
