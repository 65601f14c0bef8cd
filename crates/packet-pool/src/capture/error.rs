//! What can be wrong with a capture, in words.

use std::{error, fmt, io};

/// Why a file could not be read, or not to its end.
#[derive(Debug)]
pub(crate) enum CaptureError {
    /// The operating system refused.
    Io(io::Error),
    /// The compression is damaged, or the file ends inside it.
    Gzip(io::Error),
    /// The path names a directory.
    Directory,
    /// There is not one byte in the file.
    Empty,
    /// The first bytes are not those of a capture.
    NotACapture(Vec<u8>),
    /// The file ends inside its own header.
    CutInHeader,
    /// The header starts well and goes on badly.
    BadHeader,
    /// A record is damaged.
    Damage {
        /// Which one, counted from 1.
        number: u64,
        /// Where it starts in the file.
        offset: u64,
        /// What is wrong with it.
        fault: Fault,
    },
}

/// What is wrong with a record.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// The file ends inside it.
    Cut,
    /// Its length is beyond any packet's.
    TooLong,
    /// Its inner lengths do not fit together.
    Inconsistent,
    /// It names an interface that the file has not described.
    NoInterface,
    /// It describes one interface more than there can be.
    TooManyInterfaces,
}

impl CaptureError {
    /// A read that failed; of compressed input the compression may be at fault, and not the system.
    pub(super) fn of_read(error: io::Error, compressed: bool) -> Self {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        match error.kind() {
            InvalidData | InvalidInput | UnexpectedEof if compressed => Self::Gzip(error),
            _ => Self::Io(error),
        }
    }

    /// Whether there would only have to be more of the file.
    pub(crate) fn is_cut(&self) -> bool {
        match self {
            Self::Damage { fault, .. } => matches!(fault, Fault::Cut),
            Self::Gzip(error) => error.kind() == io::ErrorKind::UnexpectedEof,
            _ => false,
        }
    }
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot read the file: {error}"),
            Self::Gzip(_) if self.is_cut() => {
                write!(f, "the file ends inside its gzip compression")
            }
            Self::Gzip(error) => write!(f, "the gzip compression is damaged: {error}"),
            Self::Directory => write!(f, "this is a directory, not a capture file"),
            Self::Empty => write!(f, "the file is empty"),
            Self::NotACapture(magic) => {
                write!(f, "not a pcap or pcapng file: it starts with the bytes")?;
                magic.iter().try_for_each(|byte| write!(f, " {byte:02x}"))
            }
            Self::CutInHeader => write!(f, "the file ends inside its own header"),
            Self::BadHeader => write!(f, "the header of the file is damaged"),
            Self::Damage {
                number,
                offset,
                fault,
            } => {
                let record = format!("record {number} at byte {offset}");
                let words = match fault {
                    Fault::Cut => return write!(f, "the file ends inside {record}"),
                    Fault::TooLong => "it claims to be longer than any packet is",
                    Fault::Inconsistent => "the lengths in it do not fit together",
                    Fault::NoInterface => "it names an interface that the file does not describe",
                    Fault::TooManyInterfaces => "it describes more interfaces than any machine has",
                };
                write!(f, "{record} is damaged: {words}")
            }
        }
    }
}

impl error::Error for CaptureError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Io(error) | Self::Gzip(error) => Some(error),
            _ => None,
        }
    }
}
