//! Packet keys: equal for all copies of one packet.
//!
//! A switch that mirrors its ports, or two taps before and behind a router, deliver one packet
//! several times, with small changes. So a key is made of the unchanged parts, as in the hash-based
//! selection of RFC 5475 (section 6.2), by which distant observers choose the same packets:
//!
//! | in the key | not in it, because |
//! |---|---|
//! | addresses, protocol, length | link header, VLAN and MACsec tags: every hop writes its own |
//! | IPv4 identification, IPv6 fragment identification | TTL, hop limit: routers count them down |
//! | fragment offset, "more fragments" | IPv4 header checksum: changes with the TTL |
//! | all captured bytes behind the IP headers | traffic class (DSCP, ECN), flow label: routers may mark |
//! | | IPv4 options, IPv6 hop-by-hop and routing headers: routers write into them |
//!
//! The padding of a short Ethernet frame is not part of the packet. Address translation makes it
//! another packet. The key of a packet without an IP header is made of the EtherType and all bytes
//! behind the link header and the tags.
//!
//! Packets that are equal in every byte cannot be distinguished from copies. TCP over IPv4 mostly
//! gives a retransmission a new identification. Over IPv6, or where the sender sets the
//! identification to 0 (RFC 6864 allows it), the TCP timestamp differs. Without a timestamp, the
//! retransmission counts as a copy. Copies come within milliseconds, so a short window separates
//! most of them.

use super::headers::Ip;
use etherparse::LaxSlicedPacket;
use lockfree_cuckoo::RandomState;
use std::hash::{BuildHasher, Hash};

/// The key of a packet, equal for all of its copies: 128 bits of two keyed hashes, so that the
/// exact set of `--verify` is exact in practice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PacketKey(u128);

/// The maker of the keys. The seeds are random, so senders cannot aim at collisions.
#[derive(Debug)]
pub(crate) struct Digest([RandomState; 2]);

impl Digest {
    pub(crate) fn new() -> Self {
        Self([RandomState::new(), RandomState::new()])
    }

    /// Returns the key of a packet; `None` if it has only link headers.
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
    /// Makes a key for a packet that was never captured.
    pub(crate) fn made_up(number: u64) -> Self {
        Self(u128::from(number))
    }
}
