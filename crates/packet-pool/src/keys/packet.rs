//! Packet keys: what makes two captured packets copies of one packet.
//!
//! A switch that mirrors its ports, or two taps before and behind a router, deliver one packet several times, not quite the
//! same each time. So a key is made of the parts that stay, as in the hash-based selection of RFC 5475 (section 6.2), by
//! which distant observers choose the same packets:
//!
//! | in the key | not in it, because |
//! |---|---|
//! | addresses, protocol, length | link header, VLAN and MACsec tags: every hop writes its own |
//! | IPv4 identification, IPv6 fragment identification | TTL, hop limit: routers count them down |
//! | fragment offset, "more fragments" | IPv4 header checksum: changes with the TTL |
//! | all captured bytes behind the IP headers | traffic class (DSCP, ECN), flow label: routers may mark |
//! | | IPv4 options, IPv6 hop-by-hop and routing headers: routers write into them |
//!
//! What pads a short Ethernet frame is not part of the packet. Address translation makes another packet of it. A packet
//! without an IP header is all that follows the link header and the tags, with the EtherType.
//!
//! Packets that are alike to the last byte cannot be told from copies. TCP over IPv4 mostly gives a retransmission a new
//! identification; over IPv6, or where the sender sets the identification to 0 (RFC 6864 allows it), it is the TCP timestamp
//! that differs, and if that is missing too, the retransmission counts as a copy. Copies come within milliseconds, so a short
//! window tells most apart.

use super::headers::Ip;
use etherparse::LaxSlicedPacket;
use lockfree_cuckoo::RandomState;
use std::hash::{BuildHasher, Hash};

/// One packet, the same value for all of its copies: 128 bits of two keyed hashes, so that the exact set of `--verify` is
/// exact for all one can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PacketKey(u128);

/// Makes the keys. The seeds are random, so nobody can aim at them.
#[derive(Debug)]
pub(crate) struct Digest([RandomState; 2]);

impl Digest {
    pub(crate) fn new() -> Self {
        Self([RandomState::new(), RandomState::new()])
    }

    /// The key of a packet; `None` if there is no more of it than link headers.
    pub(crate) fn of_packet(&self, packet: &LaxSlicedPacket<'_>) -> Option<PacketKey> {
        let halves = match packet.net.as_ref().and_then(Ip::of) {
            Some(ip) => {
                let ends = (ip.source, ip.destination);
                let header = (ip.version, ip.protocol, ip.length, ends, ip.part);
                self.hash((header, ip.payload))
            }
            None => {
                let payload = packet.ether_payload()?;
                self.hash((payload.ether_type.0, payload.payload))
            }
        };
        Some(PacketKey(halves[0] << 64 | halves[1]))
    }

    fn hash(&self, packet: impl Hash) -> [u128; 2] {
        let half = |state: &RandomState| state.hash_one(&packet).into();
        self.0.each_ref().map(half)
    }
}

impl PacketKey {
    /// A key for a packet that was never captured.
    pub(crate) fn made_up(number: u64) -> Self {
        Self(u128::from(number))
    }
}
