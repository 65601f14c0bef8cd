//! Flow keys: VLANs, protocol and both endpoints of a packet, the same for both directions.

use super::headers::{Ip, be16, has_ports, protocol};

/// The key of a flow, the same for both of its directions.
///
/// Four integers, so that hashing a key is four short writes and the hash depends on nothing but
/// the flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlowKey {
    /// The address of the lower endpoint. IPv4 addresses take the low 32 bits.
    low: u128,
    /// The address of the higher endpoint.
    high: u128,
    /// IP version, protocol, and one 16-bit label for each endpoint.
    rest: u64,
    /// The VLANs around the packet, the outermost first. Each has twelve bits and none is 0, so
    /// different sequences differ.
    tags: u64,
}

impl FlowKey {
    /// Returns the key of an IP packet within VLANs.
    pub(super) fn of_packet(ip: &Ip<'_>, tags: u64) -> Self {
        let &Ip {
            version,
            source,
            destination,
            protocol: number,
            ..
        } = ip;
        let bytes = ip.transport();
        let key = match number {
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
        };
        Self { tags, ..key }
    }

    /// Makes a key for a packet that was never captured: a TCP flow between two addresses of the
    /// documentation prefix `2001:db8::/32`.
    pub(super) fn made_up(number: u64) -> Self {
        const PREFIX: u128 = 0x2001_0db8 << 96;
        let client = (PREFIX | u128::from(number), 49152);
        Self::between(6, protocol::TCP, client, (PREFIX | 1 << 64, 443))
    }

    /// Returns the IP protocol number.
    pub fn protocol(self) -> u8 {
        self.rest.to_be_bytes()[3]
    }

    /// Returns the key of a flow between two endpoints, in either order.
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

/// Returns labels that distinguish ICMP flows between the same two hosts. A request and its reply
/// share the request's type and an identifier. All other messages, such as "port unreachable", are
/// distinguished by type and code.
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

fn ordered<T: PartialOrd>(one: T, other: T) -> (T, T) {
    if one <= other {
        (one, other)
    } else {
        (other, one)
    }
}
