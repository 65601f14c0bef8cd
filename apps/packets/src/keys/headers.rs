//! Headers of captured frames: find IP, the VLANs around it, and its fields.

use etherparse::{EtherType, Ipv6ExtensionSlice, LaxLinkExtSlice, LaxNetSlice, LaxSlicedPacket};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The protocol numbers that this program distinguishes.
pub(crate) mod protocol {
    pub(crate) const ICMP: u8 = 1;
    pub(crate) const TCP: u8 = 6;
    pub(crate) const UDP: u8 = 17;
    pub(crate) const DCCP: u8 = 33;
    pub(crate) const ICMPV6: u8 = 58;
    pub(crate) const SCTP: u8 = 132;
    pub(crate) const UDP_LITE: u8 = 136;
}

/// The link types that this program reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Ethernet, with or without VLAN tags.
    Ethernet,
    /// Linux "cooked" capture, version 1.
    LinuxSll,
    /// Linux "cooked" capture, version 2.
    LinuxSll2,
    /// BSD loopback: an address family of four bytes, then IP.
    Loopback,
    /// IP without a link header.
    RawIp,
}

impl Link {
    /// Returns the link type with this number in the registry of capture files.
    pub fn from_number(number: i32) -> Option<Self> {
        match number {
            1 => Some(Self::Ethernet),
            113 => Some(Self::LinuxSll),
            276 => Some(Self::LinuxSll2),
            0 | 108 => Some(Self::Loopback),
            // Older systems wrote 12 and 14 for 101.
            12 | 14 | 101 | 228 | 229 => Some(Self::RawIp),
            _ => None,
        }
    }

    /// Parses the headers of a captured frame; `None` if not even the first is complete.
    pub(crate) fn slice(self, frame: &[u8]) -> Option<LaxSlicedPacket<'_>> {
        let cooked = |length, at| {
            let (header, rest) = frame.split_at_checked(length)?;
            let kind = EtherType(be16(header, at));
            Some(LaxSlicedPacket::from_ether_type(kind, rest))
        };
        match self {
            Self::Ethernet => LaxSlicedPacket::from_ethernet(frame).ok(),
            Self::LinuxSll => cooked(16, 14),
            Self::LinuxSll2 => cooked(20, 0),
            Self::Loopback => {
                let (&family, rest) = frame.split_first_chunk::<4>()?;
                // The byte order is that of the capturing machine. Only the low byte is set, at one
                // end or the other.
                match u32::from_be_bytes(family).min(u32::from_le_bytes(family)) {
                    2 | 10 | 24 | 28 | 30 => LaxSlicedPacket::from_ip(rest).ok(),
                    _ => None,
                }
            }
            Self::RawIp => LaxSlicedPacket::from_ip(frame).ok(),
        }
    }
}

/// Returns the VLAN identifiers of a packet, the outermost first.
///
/// They are without the priority and drop bits, which change from packet to packet. Identifier 0
/// means "no VLAN, only a priority" and is skipped.
pub(crate) fn vlans(packet: &LaxSlicedPacket<'_>) -> impl Iterator<Item = u16> {
    let extensions = packet.link_exts.iter();
    let tags = extensions.filter_map(|extension| match extension {
        LaxLinkExtSlice::Vlan(tag) => Some(tag.vlan_identifier().value()),
        LaxLinkExtSlice::Macsec(_) => None,
    });
    tags.filter(|&tag| tag != 0)
}

/// The fields of an IP packet that identify sender and receiver.
pub(crate) struct Ip<'a> {
    pub(crate) version: u8,
    /// IPv4 addresses take the low 32 bits.
    pub(crate) source: u128,
    pub(crate) destination: u128,
    pub(crate) protocol: u8,
    /// The length in the header.
    pub(super) length: u16,
    /// The place in a datagram, of IPv4 packets and of fragments of IPv6.
    pub(super) part: Option<Part>,
    pub(super) payload: &'a [u8],
}

#[derive(Clone, Copy, Hash)]
pub(super) struct Part {
    identification: u32,
    offset: u16,
    more_follow: bool,
}

impl<'a> Ip<'a> {
    /// Returns the fields of a packet; `None` if it is not IP.
    pub(crate) fn of(net: &LaxNetSlice<'a>) -> Option<Self> {
        let (version, [source, destination], length, part, payload) = match net {
            LaxNetSlice::Ipv4(ip) => {
                let header = ip.header();
                let ends = [header.source(), header.destination()];
                let ends = ends.map(|address| u128::from(u32::from_be_bytes(address)));
                let part = Part {
                    identification: header.identification().into(),
                    offset: header.fragments_offset().value(),
                    more_follow: header.more_fragments(),
                };
                (4, ends, header.total_len(), Some(part), ip.payload())
            }
            LaxNetSlice::Ipv6(ip) => {
                let header = ip.header();
                let ends = [header.source(), header.destination()].map(u128::from_be_bytes);
                let mut extensions = ip.extensions().clone().into_iter();
                let part = extensions.find_map(|extension| match extension {
                    Ipv6ExtensionSlice::Fragment(fragment) => Some(Part {
                        identification: fragment.identification(),
                        offset: fragment.fragment_offset().value(),
                        more_follow: fragment.more_fragments(),
                    }),
                    _ => None,
                });
                (6, ends, header.payload_length(), part, ip.payload())
            }
            LaxNetSlice::Arp(_) => return None,
        };
        Some(Self {
            version,
            source,
            destination,
            protocol: payload.ip_number.0,
            length,
            part,
            payload: payload.payload,
        })
    }

    /// Returns the captured part of the header of the next protocol. A later fragment starts in the
    /// middle of a datagram: it has data in place of the ports.
    pub(crate) fn transport(&self) -> &'a [u8] {
        match self.part {
            Some(Part { offset: 1.., .. }) => &[],
            _ => self.payload,
        }
    }

    /// Returns the sender and the receiver.
    pub(crate) fn addresses(&self) -> [IpAddr; 2] {
        [self.source, self.destination].map(|address| match self.version {
            4 => Ipv4Addr::from(address as u32).into(),
            _ => Ipv6Addr::from(address).into(),
        })
    }

    /// Returns their ports, if the protocol has any and they were captured.
    pub(crate) fn ports(&self) -> Option<[u16; 2]> {
        let bytes = self.transport();
        let has_ports = has_ports(self.protocol) && bytes.len() >= 4;
        has_ports.then(|| [0, 2].map(|at| be16(bytes, at)))
    }
}

/// Returns whether a protocol begins with two ports.
pub(super) fn has_ports(number: u8) -> bool {
    use protocol::{DCCP, SCTP, TCP, UDP, UDP_LITE};
    matches!(number, TCP | UDP | DCCP | SCTP | UDP_LITE)
}

/// Returns the big-endian number at `at`, or 0 where the packet was cut off.
pub(super) fn be16(bytes: &[u8], at: usize) -> u16 {
    match bytes.get(at..at + 2) {
        Some(&[high, low]) => u16::from_be_bytes([high, low]),
        _ => 0,
    }
}
