//! Lines for new packets, as text or as JSON.

use crate::capture::Packet;
use crate::keys::{Ip, Link, vlans};
use etherparse::{IpNumber, LaxNetSlice, LaxSlicedPacket, LinkSlice};
use humantime::format_rfc3339_nanos;
use serde::Serialize;
use std::io::{self, Write};
use std::time::{Duration, SystemTime};

/// The format of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Words with spaces between them
    Text,
    /// A JSON object
    Json,
}

impl Format {
    /// Appends the line of a packet.
    pub(super) fn append(self, text: &mut Vec<u8>, link: Link, packet: &Packet<'_>) {
        let line = Line::of(link, packet);
        // Writing into memory does not fail.
        let _ = match self {
            Self::Text => line.write(text),
            Self::Json => serde_json::to_writer(&mut *text, &line).map_err(Into::into),
        };
        text.push(b'\n');
    }
}

/// The fields of a line. Unknown ones are left out.
#[derive(Default, Serialize)]
struct Line {
    time: String,
    /// One word.
    protocol: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_port: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    destination: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    destination_port: Option<u16>,
    /// The VLANs around the packet, the outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    vlans: Vec<u16>,
    length: u32,
}

impl Line {
    fn of(link: Link, packet: &Packet<'_>) -> Self {
        let time = SystemTime::UNIX_EPOCH + Duration::from_nanos(packet.time);
        let mut line = Self {
            time: format_rfc3339_nanos(time).to_string(),
            protocol: "unknown".to_owned(),
            length: packet.length,
            ..Self::default()
        };
        let Some(packet) = link.slice(packet.frame) else {
            return line;
        };
        line.vlans = vlans(&packet).collect();
        let ends = if let Some(ip) = packet.net.as_ref().and_then(Ip::of) {
            line.protocol = protocol(IpNumber(ip.protocol));
            let ports = ip.ports();
            line.source_port = ports.map(|[source, _]| source);
            line.destination_port = ports.map(|[_, destination]| destination);
            Some(ip.addresses().map(|address| address.to_string()))
        } else {
            match (&packet.net, packet.ether_payload()) {
                (Some(LaxNetSlice::Arp(_)), _) => line.protocol = "ARP".to_owned(),
                (_, Some(payload)) => line.protocol = format!("0x{:04x}", payload.ether_type.0),
                (_, None) => {}
            }
            stations(&packet)
        };
        if let Some([source, destination]) = ends {
            (line.source, line.destination) = (Some(source), Some(destination));
        }
        line
    }

    fn write(&self, text: &mut Vec<u8>) -> io::Result<()> {
        write!(text, "{} {}", self.time, self.protocol)?;
        for (between, address, port) in [
            (" ", &self.source, self.source_port),
            (" > ", &self.destination, self.destination_port),
        ] {
            let address = address.as_deref().unwrap_or("-");
            match port {
                None => write!(text, "{between}{address}")?,
                // Write brackets, as in a URL: an IPv6 address has colons of its own.
                Some(port) if address.contains(':') => write!(text, "{between}[{address}]:{port}")?,
                Some(port) => write!(text, "{between}{address}:{port}")?,
            }
        }
        for vlan in &self.vlans {
            write!(text, " vlan {vlan}")?;
        }
        write!(text, " length {}", self.length)
    }
}

/// Returns the name of a protocol.
fn protocol(number: IpNumber) -> String {
    if number == IpNumber::IPV6_ICMP {
        return "ICMPv6".to_owned();
    }
    // The registry has remarks behind some names.
    let name = number.keyword_str().and_then(|name| name.split(' ').next());
    name.map_or_else(|| format!("IP-{}", number.0), str::to_owned)
}

/// Returns the addresses of the Ethernet header.
fn stations(packet: &LaxSlicedPacket<'_>) -> Option<[String; 2]> {
    let Some(LinkSlice::Ethernet2(header)) = &packet.link else {
        return None;
    };
    let text = |bytes: [u8; 6]| bytes.map(|byte| format!("{byte:02x}")).join(":");
    Some([header.source(), header.destination()].map(text))
}
