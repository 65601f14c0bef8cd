//! Captures for the tests: the included ones, and generated ones.

use crate::PACKETS;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) const MICROSECONDS: u32 = 0xa1b2_c3d4;
pub(crate) const NANOSECONDS: u32 = 0xa1b2_3c4d;

pub(crate) const A: [u8; 4] = [192, 0, 2, 1];
pub(crate) const B: [u8; 4] = [198, 51, 100, 7];

pub(crate) fn data(name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/captures");
    Path::new(folder).join(name)
}

/// Returns the default capture as bytes.
pub(crate) fn loopback() -> Vec<u8> {
    fs::read(data("loopback.pcap")).expect("the capture is there")
}

fn field(file: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes"))
}

/// Returns the packets of the default capture, and where their records start.
pub(crate) fn packets(file: &[u8]) -> Vec<(usize, &[u8])> {
    let mut packets = Vec::new();
    let mut at = 24;
    while at < file.len() {
        let end = at + 16 + field(file, at + 8) as usize;
        packets.push((at, &file[at + 16..end]));
        at = end;
    }
    assert_eq!(packets.len() as u64, PACKETS);
    packets
}

/// Returns the packets of the default capture.
pub(crate) fn frames(file: &[u8]) -> Vec<&[u8]> {
    packets(file).into_iter().map(|packet| packet.1).collect()
}

/// A packet of a pcap file: its time in nanoseconds, its original length, and its bytes.
pub(crate) type Record = (u64, u32, Vec<u8>);

/// Returns the link type and the packets of a little-endian pcap file, with times in nanoseconds or
/// microseconds.
pub(crate) fn records(file: &[u8]) -> (u32, Vec<Record>) {
    let unit = match field(file, 0) {
        NANOSECONDS => 1,
        MICROSECONDS => 1000,
        magic => panic!("{magic:x}"),
    };
    assert_eq!(file[4..8], [2, 0, 4, 0]);
    let mut records = Vec::new();
    let mut at = 24;
    while at < file.len() {
        let time =
            u64::from(field(file, at)) * 1_000_000_000 + u64::from(field(file, at + 4)) * unit;
        let end = at + 16 + field(file, at + 8) as usize;
        records.push((time, field(file, at + 12), file[at + 16..end].to_vec()));
        at = end;
    }
    (field(file, 20), records)
}

/// A writer of captures in either byte order.
#[derive(Clone, Copy)]
pub(crate) struct Order {
    pub(crate) big: bool,
}

pub(crate) const LITTLE: Order = Order { big: false };
pub(crate) const BIG: Order = Order { big: true };

impl Order {
    fn u16(self, out: &mut Vec<u8>, values: &[u16]) {
        let bytes = |value: &u16| match self.big {
            true => value.to_be_bytes(),
            false => value.to_le_bytes(),
        };
        out.extend(values.iter().flat_map(bytes));
    }

    fn u32(self, out: &mut Vec<u8>, values: &[u32]) {
        let bytes = |value: &u32| match self.big {
            true => value.to_be_bytes(),
            false => value.to_le_bytes(),
        };
        out.extend(values.iter().flat_map(bytes));
    }

    /// Makes a pcap file of packets with one time.
    pub(crate) fn pcap(self, magic: u32, link: u32, packets: &[impl AsRef<[u8]>]) -> Vec<u8> {
        let at_once: Vec<_> = packets.iter().map(|packet| (0, packet)).collect();
        self.pcap_at(magic, link, &at_once)
    }

    /// Makes a pcap file of packets with their times, in milliseconds.
    pub(crate) fn pcap_at(
        self,
        magic: u32,
        link: u32,
        packets: &[(u32, impl AsRef<[u8]>)],
    ) -> Vec<u8> {
        let units = [1_000, 1_000_000][usize::from(magic == NANOSECONDS)];
        let mut file = Vec::new();
        self.u32(&mut file, &[magic]);
        self.u16(&mut file, &[2, 4]);
        self.u32(&mut file, &[0, 0, 65535, link]);
        for (time, packet) in packets {
            let packet = packet.as_ref();
            let length = packet.len() as u32;
            let seconds = 1_700_000_000 + time / 1000;
            self.u32(&mut file, &[seconds, time % 1000 * units, length, length]);
            file.extend(packet);
        }
        file
    }

    /// Makes a section of a pcapng file with two interfaces: the packets alternate between both,
    /// and every third one is in a simple packet block.
    pub(crate) fn pcapng(self, packets: &[&[u8]]) -> Vec<u8> {
        let mut file = self.section();
        self.interface(&mut file, &[]);
        self.interface(&mut file, &[]);
        for (number, packet) in (0..).zip(packets) {
            if number % 3 == 0 {
                let mut body = Vec::new();
                self.u32(&mut body, &[packet.len() as u32]);
                body.extend(*packet);
                self.block(&mut file, 3, &body);
            } else {
                self.packet(&mut file, number % 2, 0, packet);
            }
        }
        // The program skips a block of an unknown kind.
        self.block(&mut file, 0x0bad, b"unknown");
        file
    }

    /// Makes a pcapng file of Ethernet packets with their times, in milliseconds, by a clock with
    /// this resolution (the option of the format) and this many units in a millisecond.
    pub(crate) fn pcapng_at(
        self,
        resolution: u8,
        units: u64,
        packets: &[(u32, impl AsRef<[u8]>)],
    ) -> Vec<u8> {
        let mut file = self.section();
        // if_tsresol, and the end of the options.
        let mut options = Vec::new();
        self.u16(&mut options, &[9, 1]);
        options.extend([resolution, 0, 0, 0, 0, 0, 0, 0]);
        self.interface(&mut file, &options);
        for (time, packet) in packets {
            self.packet(&mut file, 0, u64::from(*time) * units, packet.as_ref());
        }
        file
    }

    fn section(self) -> Vec<u8> {
        let mut section = Vec::new();
        self.u32(&mut section, &[0x1a2b_3c4d]);
        self.u16(&mut section, &[1, 0]);
        section.extend([0xff; 8]);
        let mut file = Vec::new();
        self.block(&mut file, 0x0a0d_0d0a, &section);
        file
    }

    fn interface(self, file: &mut Vec<u8>, options: &[u8]) {
        let mut body = Vec::new();
        self.u16(&mut body, &[1, 0]);
        self.u32(&mut body, &[65535]);
        body.extend(options);
        self.block(file, 1, &body);
    }

    fn packet(self, file: &mut Vec<u8>, interface: u32, time: u64, packet: &[u8]) {
        let mut body = Vec::new();
        let length = packet.len() as u32;
        self.u32(
            &mut body,
            &[interface, (time >> 32) as u32, time as u32, length, length],
        );
        body.extend(packet);
        self.block(file, 6, &body);
    }

    fn block(self, file: &mut Vec<u8>, kind: u32, body: &[u8]) {
        let padded = body.len().next_multiple_of(4);
        let total = padded as u32 + 12;
        self.u32(file, &[kind, total]);
        file.extend(body);
        file.resize(file.len() + padded - body.len(), 0);
        self.u32(file, &[total]);
    }
}

/// Makes an Ethernet frame with VLAN tags, each a tag protocol and its two bytes.
pub(crate) fn ethernet(tags: &[(u16, u16)], ether_type: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![2; 12];
    for &(protocol, tag) in tags {
        BIG.u16(&mut frame, &[protocol, tag]);
    }
    BIG.u16(&mut frame, &[ether_type]);
    frame.extend(payload);
    frame
}

/// Makes an IPv4 packet; `fragment` is the field of flags and offset.
pub(crate) fn ipv4(protocol: u8, ends: [[u8; 4]; 2], fragment: u16, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x45, 0];
    BIG.u16(&mut packet, &[20 + payload.len() as u16]);
    packet.extend([0, 1]);
    BIG.u16(&mut packet, &[fragment]);
    packet.extend([64, protocol, 0, 0]);
    packet.extend(ends.concat());
    packet.extend(payload);
    packet
}

/// Makes an IPv6 packet between `2001:db8::from` and `2001:db8::to`.
pub(crate) fn ipv6(next: u8, ends: [u8; 2], payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x60, 0, 0, 0];
    BIG.u16(&mut packet, &[payload.len() as u16]);
    packet.extend([next, 64]);
    for last in ends {
        let address = 0x2001_0db8_u128 << 96 | u128::from(last);
        packet.extend(address.to_be_bytes());
    }
    packet.extend(payload);
    packet
}

/// Makes the payload of an IPv6 fragment of UDP.
pub(crate) fn fragment(id: u8, offset: u16, payload: &[u8]) -> Vec<u8> {
    let mut header = vec![17, 0];
    BIG.u16(&mut header, &[offset << 3]);
    header.extend([0, 0, 0, id]);
    ipv6(44, [1, 2], &[&header, payload].concat())
}

/// Makes the start of a TCP or UDP header.
pub(crate) fn ports(from: u16, to: u16) -> Vec<u8> {
    let mut header = [from.to_be_bytes(), to.to_be_bytes()].concat();
    header.resize(20, 0);
    header
}

/// Makes a UDP packet of the flow with this number.
pub(crate) fn udp(number: u16) -> Vec<u8> {
    ipv4(17, [A, B], 0, &ports(number, 53))
}

/// Makes the same packet on Ethernet.
pub(crate) fn udp_frame(number: u16) -> Vec<u8> {
    ethernet(&[], 0x0800, &udp(number))
}
