//! Flow keys: what makes two packets belong to the same flow.

use etherparse::{Ipv6ExtensionSlice, LaxIpPayloadSlice, LaxNetSlice};

/// The protocol numbers that this module tells apart.
pub(crate) mod protocol {
    pub(crate) const ICMP: u8 = 1;
    pub(crate) const TCP: u8 = 6;
    pub(crate) const UDP: u8 = 17;
    pub(crate) const DCCP: u8 = 33;
    pub(crate) const ICMPV6: u8 = 58;
    pub(crate) const SCTP: u8 = 132;
    pub(crate) const UDP_LITE: u8 = 136;
}

/// One flow, the same value for both of its directions.
///
/// Four integers, so that hashing a key is four short writes and the hash
/// depends on nothing but the flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlowKey {
    /// The address of the lower endpoint. IPv4 addresses take the low 32 bits.
    low: u128,
    /// The address of the higher endpoint.
    high: u128,
    /// IP version, protocol, and one 16-bit label for each endpoint.
    rest: u64,
    /// The VLANs around the packet, as `tags` packs them.
    tags: u64,
}

impl FlowKey {
    /// The key of an IP packet within VLANs; `None` for ARP, which has no
    /// endpoints.
    pub(crate) fn of_packet(net: &LaxNetSlice<'_>, tags: u64) -> Option<Self> {
        let (version, source, destination, payload) = match net {
            LaxNetSlice::Ipv4(ip) => {
                let header = ip.header();
                let [source, destination] = [header.source(), header.destination()]
                    .map(|address| u128::from(u32::from_be_bytes(address)));
                (4, source, destination, ip.payload())
            }
            LaxNetSlice::Ipv6(ip) => {
                let header = ip.header();
                let [source, destination] =
                    [header.source(), header.destination()].map(u128::from_be_bytes);
                (6, source, destination, ip.payload())
            }
            LaxNetSlice::Arp(_) => return None,
        };
        let later = is_later_fragment(net);
        let key = Self::of_payload(version, source, destination, later, payload);
        Some(Self { tags, ..key })
    }

    /// A key for a packet that was never captured: a TCP flow between two
    /// addresses of the documentation prefix `2001:db8::/32`.
    pub(crate) fn made_up(number: u64) -> Self {
        const PREFIX: u128 = 0x2001_0db8 << 96;
        let client = (PREFIX | u128::from(number), 49152);
        Self::between(6, protocol::TCP, client, (PREFIX | 1 << 64, 443))
    }

    /// The IP protocol number.
    pub fn protocol(self) -> u8 {
        self.rest.to_be_bytes()[3]
    }

    fn of_payload(
        version: u8,
        source: u128,
        destination: u128,
        later_fragment: bool,
        payload: &LaxIpPayloadSlice<'_>,
    ) -> Self {
        let number = payload.ip_number.0;
        // A later fragment starts in the middle of a datagram: the bytes where
        // the ports would be are data. It is keyed by its addresses alone.
        let bytes = if later_fragment { &[] } else { payload.payload };
        match number {
            _ if has_ports(number) => {
                let source = (source, be16(bytes, 0));
                let destination = (destination, be16(bytes, 2));
                Self::between(version, number, source, destination)
            }
            protocol::ICMP | protocol::ICMPV6 => {
                let (low, high) = ordered(source, destination);
                let (kind, id) = icmp_labels(number, bytes);
                Self::pack(version, number, (low, kind), (high, id))
            }
            _ => Self::between(version, number, (source, 0), (destination, 0)),
        }
    }

    /// The key of a flow between two endpoints, in either order.
    fn between(version: u8, number: u8, one: (u128, u16), other: (u128, u16)) -> Self {
        let (low, high) = ordered(one, other);
        Self::pack(version, number, low, high)
    }

    fn pack(version: u8, number: u8, low: (u128, u16), high: (u128, u16)) -> Self {
        let [l1, l0] = low.1.to_be_bytes();
        let [h1, h0] = high.1.to_be_bytes();
        Self {
            low: low.0,
            high: high.0,
            rest: u64::from_be_bytes([0, 0, version, number, l1, l0, h1, h0]),
            tags: 0,
        }
    }
}

/// Whether a protocol begins with two ports.
pub(crate) fn has_ports(number: u8) -> bool {
    matches!(
        number,
        protocol::TCP | protocol::UDP | protocol::DCCP | protocol::SCTP | protocol::UDP_LITE
    )
}

pub(crate) fn is_later_fragment(net: &LaxNetSlice<'_>) -> bool {
    match net {
        LaxNetSlice::Ipv4(ip) => ip.header().fragments_offset().value() != 0,
        LaxNetSlice::Ipv6(ip) => ip.extensions().clone().into_iter().any(|extension| {
            matches!(extension, Ipv6ExtensionSlice::Fragment(fragment)
                if fragment.fragment_offset().value() != 0)
        }),
        LaxNetSlice::Arp(_) => false,
    }
}

/// What tells ICMP flows between the same two hosts apart. A request and its
/// reply share the request's type and an identifier; everything else, such as
/// "port unreachable", is told apart by type and code.
fn icmp_labels(number: u8, bytes: &[u8]) -> (u16, u16) {
    let kind = be16(bytes, 0);
    let request = match (number, kind >> 8) {
        // Echo, timestamp, information, address mask, extended echo.
        (protocol::ICMP, 0 | 8) => 8,
        (protocol::ICMP, request @ (13 | 15 | 17 | 42)) => request,
        (protocol::ICMP, reply @ (14 | 16 | 18 | 43)) => reply - 1,
        (protocol::ICMPV6, request @ (128 | 160)) => request,
        (protocol::ICMPV6, reply @ (129 | 161)) => reply - 1,
        _ => return (kind, 0),
    };
    (request << 8, be16(bytes, 4))
}

/// The big-endian number at `at`, or 0 where the capture cut the packet off.
pub(crate) fn be16(bytes: &[u8], at: usize) -> u16 {
    match bytes.get(at..at + 2) {
        Some(&[high, low]) => u16::from_be_bytes([high, low]),
        _ => 0,
    }
}

fn ordered<T: PartialOrd>(one: T, other: T) -> (T, T) {
    if one <= other {
        (one, other)
    } else {
        (other, one)
    }
}
