//! Compressed captures: any number of gzip members, one after the other.

use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Whether these are the first bytes of a compressed file.
pub(super) fn starts(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Whether it is a compressed file. One that cannot be read is none.
pub(crate) fn is_gzip(path: &Path) -> bool {
    let mut bytes = [0; MAGIC.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut bytes));
    read.is_ok() && starts(&bytes)
}

/// Reads what is in it.
pub(super) fn decode<'a>(input: impl Read + 'a) -> Box<dyn Read + 'a> {
    Box::new(MultiGzDecoder::new(input))
}

/// Whether an error says that the compression is at fault, and not the system.
pub(super) fn is_fault(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}
