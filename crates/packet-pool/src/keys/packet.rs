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

use arrayvec::ArrayVec;
use etherparse::{Ipv6ExtensionSlice, LaxNetSlice, LaxSlicedPacket};
use lockfree_cuckoo::RandomState;
use std::hash::{BuildHasher, Hasher};

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
        // The fields of an IP header that stay.
        let mut header = ArrayVec::<u8, 48>::new();
        let mut push = |field: &[u8]| {
            let pushed = header.try_extend_from_slice(field);
            pushed.expect("43 bytes at most");
        };
        let bytes = match &packet.net {
            Some(LaxNetSlice::Ipv4(ip)) => {
                let fields = ip.header();
                push(&[4, ip.payload().ip_number.0]);
                push(&fields.total_len().to_be_bytes());
                push(&fields.identification().to_be_bytes());
                push(&fields.fragments_offset().value().to_be_bytes());
                push(&[u8::from(fields.more_fragments())]);
                push(&fields.source());
                push(&fields.destination());
                ip.payload().payload
            }
            Some(LaxNetSlice::Ipv6(ip)) => {
                let fields = ip.header();
                push(&[6, ip.payload().ip_number.0]);
                push(&fields.payload_length().to_be_bytes());
                push(&fields.source());
                push(&fields.destination());
                for extension in ip.extensions().clone() {
                    if let Ipv6ExtensionSlice::Fragment(fragment) = extension {
                        push(&fragment.identification().to_be_bytes());
                        push(&fragment.fragment_offset().value().to_be_bytes());
                        push(&[u8::from(fragment.more_fragments())]);
                        break; // a second one is nonsense
                    }
                }
                ip.payload().payload
            }
            Some(LaxNetSlice::Arp(_)) | None => {
                let payload = packet.ether_payload()?;
                push(&payload.ether_type.0.to_be_bytes());
                payload.payload
            }
        };
        let halves = self.0.each_ref().map(|state| {
            let mut hasher = state.build_hasher();
            hasher.write(&header);
            hasher.write(bytes);
            u128::from(hasher.finish())
        });
        Some(PacketKey(halves[0] << 64 | halves[1]))
    }
}

impl PacketKey {
    /// A key for a packet that was never captured.
    pub(crate) fn made_up(number: u64) -> Self {
        Self(u128::from(number))
    }
}
