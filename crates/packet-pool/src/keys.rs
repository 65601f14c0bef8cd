//! Keys: what the filter is asked about, by the mode of the run.

mod flow;
mod headers;
mod packet;

pub use flow::FlowKey;
pub use headers::Link;
pub(crate) use headers::{Ip, protocol, vlans};
pub use packet::PacketKey;

use packet::Digest;

/// What counts as the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Mode {
    /// The first packet of every flow is new
    Flows,
    /// Every packet is new, but copies of it are not
    Packets,
}

impl Mode {
    /// What a report calls one of them. Several have an "s".
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Flows => "flow",
            Self::Packets => "packet",
        }
    }

    /// Bytes to keep of a captured packet: the headers make the flow; a packet is all of it, and IP packets are shorter than
    /// this.
    pub(crate) fn kept_bytes(self) -> usize {
        match self {
            Self::Flows => 256,
            Self::Packets => 66_000,
        }
    }
}

/// A flow or a packet. A run has keys of one kind only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A key of [`Mode::Flows`].
    Flow(FlowKey),
    /// A key of [`Mode::Packets`].
    Packet(PacketKey),
}

impl Key {
    /// The place of a key in counts of TCP, UDP, ICMP and other flows.
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

/// Makes the keys of one run.
#[derive(Debug)]
pub struct Keys {
    mode: Mode,
    digest: Digest,
}

impl Keys {
    /// Keys of packets have random seeds: other `Keys` give other ones.
    pub fn new(mode: Mode) -> Self {
        let digest = Digest::new();
        Self { mode, digest }
    }

    /// The key of a captured frame; `None` if it has no readable IP header, or, for packets, nothing behind the link header.
    #[inline]
    pub fn of_frame(&self, link: Link, frame: &[u8]) -> Option<Key> {
        // No key depends on whether somebody else wanted more of the packet.
        let packet = link.slice(&frame[..frame.len().min(self.mode.kept_bytes())])?;
        match self.mode {
            Mode::Flows => {
                let ip = Ip::of(packet.net.as_ref()?)?;
                // Two packets in different VLANs may have the same addresses and be strangers.
                let tags = vlans(&packet).fold(0, |tags, tag| tags << 12 | u64::from(tag));
                Some(Key::Flow(FlowKey::of_packet(&ip, tags)))
            }
            Mode::Packets => self.digest.of_packet(&packet).map(Key::Packet),
        }
    }

    /// A key that no captured frame has.
    pub fn made_up(&self, number: u64) -> Key {
        match self.mode {
            Mode::Flows => Key::Flow(FlowKey::made_up(number)),
            Mode::Packets => Key::Packet(PacketKey::made_up(number)),
        }
    }
}
