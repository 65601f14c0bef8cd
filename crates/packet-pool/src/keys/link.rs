//! Link types: where the IP packet starts in a captured frame.

use etherparse::{EtherType, LaxSlicedPacket};

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
    /// The link type with this number in the registry of capture files.
    pub fn from_number(number: i32) -> Option<Self> {
        match number {
            1 => Some(Self::Ethernet),
            113 => Some(Self::LinuxSll),
            276 => Some(Self::LinuxSll2),
            0 | 108 => Some(Self::Loopback),
            // 12 and 14 are what older systems wrote for 101.
            12 | 14 | 101 | 228 | 229 => Some(Self::RawIp),
            _ => None,
        }
    }

    /// The headers of a captured frame; `None` if not even the first is whole.
    pub(crate) fn slice(self, frame: &[u8]) -> Option<LaxSlicedPacket<'_>> {
        match self {
            Self::Ethernet => LaxSlicedPacket::from_ethernet(frame).ok(),
            Self::LinuxSll => {
                let (header, rest) = frame.split_at_checked(16)?;
                let kind = ether_type(header[14], header[15]);
                Some(LaxSlicedPacket::from_ether_type(kind, rest))
            }
            Self::LinuxSll2 => {
                let (header, rest) = frame.split_at_checked(20)?;
                let kind = ether_type(header[0], header[1]);
                Some(LaxSlicedPacket::from_ether_type(kind, rest))
            }
            Self::Loopback => {
                let (&family, rest) = frame.split_first_chunk::<4>()?;
                // In the byte order of the machine that captured: only the
                // low byte is set, at one end or the other.
                match u32::from_be_bytes(family).min(u32::from_le_bytes(family)) {
                    2 | 10 | 24 | 28 | 30 => LaxSlicedPacket::from_ip(rest).ok(),
                    _ => None,
                }
            }
            Self::RawIp => LaxSlicedPacket::from_ip(frame).ok(),
        }
    }
}

fn ether_type(high: u8, low: u8) -> EtherType {
    EtherType(u16::from_be_bytes([high, low]))
}
