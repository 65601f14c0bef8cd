//! Opens captures, pcap and pcapng, compressed or not, from files and from pipes.

mod damage;
mod gzip;
mod layout;
mod record;
mod sink;
mod stamp;

pub(crate) use damage::CaptureError;
pub(crate) use gzip::is_gzip;
pub(crate) use sink::{Packet, Sink};

use layout::Layout;
use pcap_parser::traits::PcapReaderIterator;
use pcap_parser::{LegacyPcapReader, PcapError, PcapNGReader};
use record::{MAX_RECORD_BYTES, Records};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::rc::Rc;

/// The parser's buffer at first; it grows for larger records.
const BUFFER_BYTES: usize = 1 << 20;

/// Opens a file, or standard input if it is called `-`.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>, CaptureError> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).map_err(CaptureError::Io)?;
    if file.metadata().map_err(CaptureError::Io)?.is_dir() {
        return Err(CaptureError::Directory);
    }
    Ok(Box::new(file))
}

/// A capture whose header was read.
pub(crate) struct Capture<'a> {
    /// "pcap" or "pcapng", and whether it is compressed.
    pub(crate) format: &'static str,
    pub(crate) records: Records<'a>,
    failure: Rc<RefCell<Option<io::Error>>>,
    compressed: bool,
}

impl<'a> Capture<'a> {
    /// Reads the header, and no more than has come of the rest.
    pub(crate) fn new(mut input: impl Read + 'a) -> Result<Self, CaptureError> {
        let mut header = Vec::new();
        want(&mut input, 4, &mut header).map_err(CaptureError::Io)?;
        if !gzip::starts(&header) {
            return Self::of(Box::new(Cursor::new(header).chain(input)), false);
        }
        Self::of(gzip::decode(Cursor::new(header).chain(input)), true)
    }

    fn of(mut input: Box<dyn Read + 'a>, compressed: bool) -> Result<Self, CaptureError> {
        // The parsers look for the whole header in their first read.
        let mut header = Vec::new();
        let mut want = |length, header: &mut Vec<u8>| {
            let read = want(&mut input, length, header);
            read.map_err(|error| CaptureError::of_read(error, compressed))
        };
        want(4, &mut header)?;
        let layout = match header[..] {
            [] => return Err(CaptureError::Empty),
            [0x0a, 0x0d, 0x0d, 0x0a] => Layout::PCAPNG,
            [0xd4, 0xc3, 0xb2, 0xa1] | [0x4d, 0x3c, 0xb2, 0xa1] => Layout::PCAP,
            [0xa1, 0xb2, 0xc3, 0xd4] | [0xa1, 0xb2, 0x3c, 0x4d] => Layout::PCAP_BIG_ENDIAN,
            [0x34, 0xcd, 0xb2, 0xa1] => Layout::PCAP_MODIFIED,
            _ => return Err(CaptureError::NotACapture(header)),
        };
        if layout.is_pcapng() {
            want(12, &mut header)?;
            let length = layout.claimed(&header).ok_or(CaptureError::CutInHeader)?;
            if length > MAX_RECORD_BYTES {
                return Err(CaptureError::BadHeader);
            }
            want(length, &mut header)?;
        } else {
            want(24, &mut header)?;
        }

        let failure = Rc::default();
        let source = Source {
            inner: Cursor::new(header).chain(input),
            failure: Rc::clone(&failure),
        };
        let opened: Result<Box<dyn PcapReaderIterator>, _> = if layout.is_pcapng() {
            PcapNGReader::new(BUFFER_BYTES, source).map(|reader| Box::new(reader) as _)
        } else {
            LegacyPcapReader::new(BUFFER_BYTES, source).map(|reader| Box::new(reader) as _)
        };
        let reader = opened.map_err(|error| match error {
            PcapError::Incomplete(_) => CaptureError::CutInHeader,
            _ => CaptureError::BadHeader,
        })?;
        Ok(Self {
            format: match (layout.is_pcapng(), compressed) {
                (false, false) => "pcap",
                (true, false) => "pcapng",
                (false, true) => "pcap, gzip",
                (true, true) => "pcapng, gzip",
            },
            records: Records::new(reader, layout),
            failure,
            compressed,
        })
    }

    /// What ended the reading: the parser says no more than "read error", the
    /// source knows which.
    pub(crate) fn cause(&self, error: CaptureError) -> CaptureError {
        let failure = self.failure.take();
        failure.map_or(error, |failure| {
            CaptureError::of_read(failure, self.compressed)
        })
    }
}

/// Reads until there are `length` bytes, or the input ends.
fn want(input: &mut dyn Read, length: u64, header: &mut Vec<u8>) -> io::Result<()> {
    let missing = length.saturating_sub(header.len() as u64);
    input.take(missing).read_to_end(header)?;
    Ok(())
}

/// Keeps the error of a failed read.
struct Source<R> {
    inner: R,
    failure: Rc<RefCell<Option<io::Error>>>,
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.inner.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let kind = error.kind();
                    self.failure.replace(Some(error));
                    return Err(kind.into());
                }
                read => return read,
            }
        }
    }
}
