//! VLAN tags: which virtual networks a frame was in.

use etherparse::{LaxLinkExtSlice, LaxSlicedPacket};

/// The VLAN identifiers of a packet in one number, the outermost first; 0 if it
/// has none.
///
/// Two packets in different VLANs may have the same addresses and be strangers.
/// Priority and drop bits are not in it, they change from packet to packet;
/// identifier 0 means "no VLAN, only a priority" and is passed over.
pub(crate) fn of_packet(packet: &LaxSlicedPacket<'_>) -> u64 {
    // Twelve bits each, none of them 0, so the sequence can be read back.
    identifiers(packet).fold(0, |tags, tag| tags << 12 | u64::from(tag))
}

/// The VLAN identifiers of a packet, the outermost first.
pub(crate) fn identifiers(packet: &LaxSlicedPacket<'_>) -> impl Iterator<Item = u16> {
    let tags = packet
        .link_exts
        .iter()
        .filter_map(|extension| match extension {
            LaxLinkExtSlice::Vlan(tag) => Some(tag.vlan_identifier().value()),
            LaxLinkExtSlice::Macsec(_) => None,
        });
    tags.filter(|&tag| tag != 0)
}
