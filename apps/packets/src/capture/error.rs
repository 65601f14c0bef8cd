//! Errors of captures, as sentences.

use std::io;
use thiserror::Error;

/// The reason why a file could not be read, or not to its end.
#[derive(Debug, Error)]
pub(crate) enum CaptureError {
    #[error("cannot read the file: {0}")]
    Io(#[source] io::Error),
    #[error("the file ends inside its gzip compression")]
    CutInGzip,
    #[error("the gzip compression is damaged: {0}")]
    BadGzip(#[source] io::Error),
    #[error("this is a directory, not a capture file")]
    Directory,
    #[error("the file is empty")]
    Empty,
    /// With the first bytes in hexadecimal digits.
    #[error("not a pcap or pcapng file: it starts with the bytes {0}")]
    NotACapture(String),
    #[error("the file ends inside its own header")]
    CutInHeader,
    #[error("the header of the file is damaged")]
    BadHeader,
    /// Records are counted from 1.
    #[error("the file ends inside record {number} at byte {offset}")]
    CutInRecord { number: u64, offset: u64 },
    #[error("record {number} at byte {offset} is damaged: {fault}")]
    Damage {
        number: u64,
        offset: u64,
        fault: Fault,
    },
}

/// The fault of a record.
#[derive(Clone, Copy, Debug, Error)]
pub(crate) enum Fault {
    #[error("it claims to be longer than any packet is")]
    TooLong,
    #[error("the lengths in it do not fit together")]
    Inconsistent,
    #[error("it names an interface that the file does not describe")]
    NoInterface,
    #[error("it describes more interfaces than any machine has")]
    TooManyInterfaces,
}

impl CaptureError {
    /// Makes an error of a failed read. If the input is compressed, the compression may be at
    /// fault, and not the system.
    pub(super) fn of_read(error: io::Error, compressed: bool) -> Self {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        match error.kind() {
            UnexpectedEof if compressed => Self::CutInGzip,
            InvalidData | InvalidInput if compressed => Self::BadGzip(error),
            _ => Self::Io(error),
        }
    }

    pub(super) fn not_a_capture(magic: &[u8]) -> Self {
        let bytes: Vec<String> = magic.iter().map(|byte| format!("{byte:02x}")).collect();
        Self::NotACapture(bytes.join(" "))
    }

    /// Returns whether only the end of the file is missing.
    pub(crate) fn is_cut(&self) -> bool {
        matches!(self, Self::CutInRecord { .. } | Self::CutInGzip)
    }
}
