//! Who sent a packet to whom, for people and programs that read it.

use super::flow::{be16, has_ports, is_later_fragment};
use super::link::Link;
use super::tags;
use etherparse::{IpNumber, LaxNetSlice, LaxSlicedPacket, LinkSlice};
use std::fmt;
use std::net::IpAddr;

/// The two ends of a packet, the sender first, and what they speak.
pub(crate) struct Endpoints {
    pub(crate) protocol: Protocol,
    /// `None` if the headers that the program reads do not say.
    pub(crate) addresses: Option<[Address; 2]>,
    pub(crate) ports: Option<[u16; 2]>,
    /// The VLANs around the packet, the outermost first.
    pub(crate) vlans: Vec<u16>,
}

/// An address of the highest layer that has one.
pub(crate) enum Address {
    Ip(IpAddr),
    Mac([u8; 6]),
}

/// A protocol. Its text is one word.
pub(crate) enum Protocol {
    Ip(IpNumber),
    Arp,
    /// Any other that follows a link header.
    EtherType(u16),
    Unknown,
}

impl Endpoints {
    /// Those of a captured frame.
    pub(crate) fn of_frame(link: Link, frame: &[u8]) -> Self {
        let nobody = Self {
            protocol: Protocol::Unknown,
            addresses: None,
            ports: None,
            vlans: Vec::new(),
        };
        let Some(packet) = link.slice(frame) else {
            return nobody;
        };
        let vlans = tags::identifiers(&packet).collect();
        match &packet.net {
            Some(net @ (LaxNetSlice::Ipv4(_) | LaxNetSlice::Ipv6(_))) => Self {
                vlans,
                ..Self::of_ip(net).unwrap_or(nobody)
            },
            net => Self {
                protocol: match (net, packet.ether_payload()) {
                    (Some(_), _) => Protocol::Arp,
                    (None, Some(payload)) => Protocol::EtherType(payload.ether_type.0),
                    (None, None) => Protocol::Unknown,
                },
                addresses: stations(&packet),
                ports: None,
                vlans,
            },
        }
    }

    fn of_ip(net: &LaxNetSlice<'_>) -> Option<Self> {
        let payload = net.ip_payload_ref()?;
        let addresses: [IpAddr; 2] = match net {
            LaxNetSlice::Ipv4(ip) => {
                let header = ip.header();
                [
                    header.source_addr().into(),
                    header.destination_addr().into(),
                ]
            }
            LaxNetSlice::Ipv6(ip) => {
                let header = ip.header();
                [
                    header.source_addr().into(),
                    header.destination_addr().into(),
                ]
            }
            LaxNetSlice::Arp(_) => return None,
        };
        let number = payload.ip_number;
        // A capture may be cut before the ports.
        let whole = payload.payload.len() >= 4 && !is_later_fragment(net);
        let ports = [0, 2].map(|at| be16(payload.payload, at));
        Some(Self {
            protocol: Protocol::Ip(number),
            addresses: Some(addresses.map(Address::Ip)),
            ports: (whole && has_ports(number.0)).then_some(ports),
            vlans: Vec::new(),
        })
    }
}

/// The addresses of the Ethernet header.
fn stations(packet: &LaxSlicedPacket<'_>) -> Option<[Address; 2]> {
    match &packet.link {
        Some(LinkSlice::Ethernet2(header)) => {
            Some([header.source(), header.destination()].map(Address::Mac))
        }
        _ => None,
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(address) => address.fmt(f),
            Self::Mac([a, b, c, d, e, g]) => {
                write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
            }
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(IpNumber::IPV6_ICMP) => f.write_str("ICMPv6"),
            Self::Ip(number) => {
                // The registry has remarks behind some names.
                let name = number.keyword_str().and_then(|name| name.split(' ').next());
                match name {
                    Some(name) => f.write_str(name),
                    None => write!(f, "IP-{}", number.0),
                }
            }
            Self::Arp => f.write_str("ARP"),
            Self::EtherType(number) => write!(f, "0x{number:04x}"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}
