//! Keys: the items in the filter, made by the mode of the run.

mod flow;
mod headers;
mod packet;

pub use flow::FlowKey;
pub use headers::Link;
pub(crate) use headers::{Ip, protocol, vlans};
pub use packet::PacketKey;

use packet::Digest;

/// The things that are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Mode {
    /// The first packet of every flow is new
    Flows,
    /// Every packet is new, but copies of it are not
    Packets,
}

impl Mode {
    /// Returns the noun for one of them in a report. The plural has an "s".
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Flows => "flow",
            Self::Packets => "packet",
        }
    }

    /// Returns the bytes to keep of a captured packet. The headers make a flow. A packet is all of
    /// its bytes, and IP packets are shorter than this.
    pub(crate) fn kept_bytes(self) -> usize {
        match self {
            Self::Flows => 256,
            Self::Packets => 66_000,
        }
    }
}

/// The key of a flow or a packet. A run has keys of one kind only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A key of [`Mode::Flows`].
    Flow(FlowKey),
    /// A key of [`Mode::Packets`].
    Packet(PacketKey),
}

impl Key {
    /// Returns the place of a key in the counts of TCP, UDP, ICMP and other flows.
    pub(crate) fn kind(&self) -> usize {
        let Self::Flow(flow) = self else {
            return 3;
        };
        match flow.protocol() {
            protocol::TCP => 0,
            protocol::UDP => 1,
            protocol::ICMP | protocol::ICMPV6 => 2,
            _ => 3,
        }
    }
}

/// The maker of the keys of one run.
#[derive(Debug)]
pub struct Keys {
    mode: Mode,
    digest: Digest,
}

impl Keys {
    /// Makes the keys of a run. Keys of packets have random seeds: other `Keys` make other ones.
    pub fn new(mode: Mode) -> Self {
        let digest = Digest::new();
        Self { mode, digest }
    }

    /// Returns the key of a captured frame; `None` if it has no readable IP header, or, for
    /// packets, nothing behind the link header.
    #[inline]
    pub fn of_frame(&self, link: Link, frame: &[u8]) -> Option<Key> {
        // Cut all packets to one length, so that no key depends on how much was captured for
        // another purpose.
        let packet = link.slice(&frame[..frame.len().min(self.mode.kept_bytes())])?;
        match self.mode {
            Mode::Flows => {
                let ip = Ip::of(packet.net.as_ref()?)?;
                // Two packets in different VLANs may have the same addresses and be unrelated.
                let tags = vlans(&packet).fold(0, |tags, tag| tags << 12 | u64::from(tag));
                Some(Key::Flow(FlowKey::of_packet(&ip, tags)))
            }
            Mode::Packets => self.digest.of_packet(&packet).map(Key::Packet),
        }
    }

    /// Returns a key that no captured frame has.
    pub fn made_up(&self, number: u64) -> Key {
        match self.mode {
            Mode::Flows => Key::Flow(FlowKey::made_up(number)),
            Mode::Packets => Key::Packet(PacketKey::made_up(number)),
        }
    }
}
