//! Packets made by hand.

use crate::files::BIG;

pub(crate) const A: [u8; 4] = [192, 0, 2, 1];
pub(crate) const B: [u8; 4] = [198, 51, 100, 7];

/// An Ethernet frame with VLAN tags, each a tag protocol and its two bytes.
pub(crate) fn ethernet(tags: &[(u16, u16)], ether_type: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![2; 12];
    for &(protocol, tag) in tags {
        BIG.u16(&mut frame, protocol);
        BIG.u16(&mut frame, tag);
    }
    BIG.u16(&mut frame, ether_type);
    frame.extend(payload);
    frame
}

/// An IPv4 packet; `fragment` is the field of flags and offset.
pub(crate) fn ipv4(
    protocol: u8,
    [from, to]: [[u8; 4]; 2],
    fragment: u16,
    payload: &[u8],
) -> Vec<u8> {
    let mut packet = vec![0x45, 0];
    BIG.u16(
        &mut packet,
        u16::try_from(20 + payload.len()).expect("a short packet"),
    );
    packet.extend([0, 1]);
    BIG.u16(&mut packet, fragment);
    packet.extend([64, protocol, 0, 0]);
    packet.extend(from);
    packet.extend(to);
    packet.extend(payload);
    packet
}

/// An IPv6 packet between `2001:db8::from` and `2001:db8::to`.
pub(crate) fn ipv6(next: u8, [from, to]: [u8; 2], payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x60, 0, 0, 0];
    BIG.u16(
        &mut packet,
        u16::try_from(payload.len()).expect("a short packet"),
    );
    packet.extend([next, 64]);
    for last in [from, to] {
        packet.extend([
            0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last,
        ]);
    }
    packet.extend(payload);
    packet
}

/// The start of a TCP or UDP header.
pub(crate) fn ports(from: u16, to: u16) -> Vec<u8> {
    let mut header = [from.to_be_bytes(), to.to_be_bytes()].concat();
    header.resize(20, 0);
    header
}
