//! A line for a new packet, as text or as JSON.

use super::ordered::Output;
use crate::capture::Packet;
use crate::keys::{Address, Endpoints, Link, Protocol};
use humantime::{Rfc3339Timestamp, format_rfc3339_nanos};
use serde::{Serialize, Serializer};
use std::fmt::Display;
use std::io::{self, Stdout, Write};
use std::time::{Duration, SystemTime};

/// How a line is written.
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
        let time = SystemTime::UNIX_EPOCH + Duration::from_nanos(packet.time);
        let (time, length) = (format_rfc3339_nanos(time), packet.length);
        let endpoints = Endpoints::of_frame(link, packet.frame);
        // Writing into memory does not fail.
        let _ = match self {
            Self::Text => append_text(text, &time, &endpoints, length),
            Self::Json => {
                let object = Object::of(time, &endpoints, length);
                serde_json::to_writer(&mut *text, &object).map_err(Into::into)
            }
        };
        text.push(b'\n');
    }
}

fn append_text(
    text: &mut Vec<u8>,
    time: &Rfc3339Timestamp,
    endpoints: &Endpoints,
    length: u32,
) -> io::Result<()> {
    write!(text, "{time} {}", endpoints.protocol)?;
    for (place, between) in [" ", " > "].into_iter().enumerate() {
        text.extend(between.bytes());
        let address = endpoints.addresses.as_ref().map(|both| &both[place]);
        let port = endpoints.ports.map(|both| both[place]);
        match (address, port) {
            (None, _) => text.push(b'-'),
            (Some(address), None) => write!(text, "{address}")?,
            // As in a URL: an IPv6 address has colons of its own.
            (Some(Address::Ip(address)), Some(port)) if address.is_ipv6() => {
                write!(text, "[{address}]:{port}")?;
            }
            (Some(address), Some(port)) => write!(text, "{address}:{port}")?,
        }
    }
    for vlan in &endpoints.vlans {
        write!(text, " vlan {vlan}")?;
    }
    write!(text, " length {length}")
}

/// What is not known is left out.
#[derive(Serialize)]
struct Object<'a> {
    #[serde(serialize_with = "as_text")]
    time: Rfc3339Timestamp,
    #[serde(serialize_with = "as_text")]
    protocol: &'a Protocol,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_port: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    destination: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    destination_port: Option<u16>,
    #[serde(skip_serializing_if = "<[u16]>::is_empty")]
    vlans: &'a [u16],
    length: u32,
}

impl<'a> Object<'a> {
    fn of(time: Rfc3339Timestamp, endpoints: &'a Endpoints, length: u32) -> Self {
        let address = |place: usize| {
            let both = endpoints.addresses.as_ref();
            both.map(|both| both[place].to_string())
        };
        let port = |place: usize| endpoints.ports.map(|both| both[place]);
        Self {
            time,
            protocol: &endpoints.protocol,
            source: address(0),
            source_port: port(0),
            destination: address(1),
            destination_port: port(1),
            vlans: &endpoints.vlans,
            length,
        }
    }
}

fn as_text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Standard output. A piece is the lines of a batch, which go out at once: somebody may wait for them.
pub(super) struct Lines(Stdout);

impl Lines {
    pub(super) fn new() -> Self {
        Self(io::stdout())
    }
}

impl Output for Lines {
    type Piece = Vec<u8>;

    fn bytes(piece: &Vec<u8>) -> usize {
        piece.len()
    }

    fn write(&mut self, piece: Vec<u8>) -> io::Result<()> {
        if piece.is_empty() {
            return Ok(());
        }
        self.0.write_all(&piece)?;
        self.0.flush()
    }
}
