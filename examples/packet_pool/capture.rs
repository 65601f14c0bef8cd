//! Capture files: opens pcap and pcapng and reads them into batches.

use crate::batch::Batch;
use crate::damage::CaptureError;
use crate::record::{Layout, Records};
use pcap_parser::traits::PcapReaderIterator;
use pcap_parser::{LegacyPcapReader, PcapError, PcapNGReader};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::rc::Rc;

/// The parser's buffer at first; it grows for larger records.
pub(crate) const BUFFER_BYTES: usize = 1 << 20;

/// What a capture file held.
#[derive(Default)]
pub(crate) struct Capture {
    /// "pcap" or "pcapng".
    pub(crate) format: &'static str,
    /// The packets whose link type the program reads.
    pub(crate) batches: Vec<Batch>,
    /// How many packets those are.
    pub(crate) packets: u64,
    /// Packets left out, by the number of their link type.
    pub(crate) left_out: BTreeMap<i32, u64>,
    /// Bytes of the file that were read and understood.
    pub(crate) bytes: u64,
    /// What ended the reading before the end of the file.
    pub(crate) damage: Option<CaptureError>,
}

impl Capture {
    /// Reads a capture file, telling `progress` now and then how many bytes of
    /// it are done.
    ///
    /// An error means that the file gave nothing. Damage further on ends the
    /// reading; what came before it is in the capture.
    pub(crate) fn read(path: &Path, progress: impl Fn(u64)) -> Result<Self, CaptureError> {
        let mut file = File::open(path).map_err(CaptureError::Io)?;
        if file.metadata().map_err(CaptureError::Io)?.is_dir() {
            return Err(CaptureError::Directory);
        }
        let mut magic = Vec::new();
        file.by_ref()
            .take(4)
            .read_to_end(&mut magic)
            .map_err(CaptureError::Io)?;
        let failure = Rc::default();
        let source = Source {
            inner: Cursor::new(magic.clone()).chain(file),
            failure: Rc::clone(&failure),
        };

        let layout = match magic[..] {
            [] => return Err(CaptureError::Empty),
            [0x0a, 0x0d, 0x0d, 0x0a] => Layout::PCAPNG,
            [0xd4, 0xc3, 0xb2, 0xa1] | [0x4d, 0x3c, 0xb2, 0xa1] => Layout::PCAP,
            [0xa1, 0xb2, 0xc3, 0xd4] | [0xa1, 0xb2, 0x3c, 0x4d] => Layout::PCAP_BIG_ENDIAN,
            [0x34, 0xcd, 0xb2, 0xa1] => Layout::PCAP_MODIFIED,
            _ => return Err(CaptureError::NotACapture(magic)),
        };
        let opened: Result<Box<dyn PcapReaderIterator>, _> = if layout.is_pcapng() {
            PcapNGReader::new(BUFFER_BYTES, source).map(|reader| Box::new(reader) as _)
        } else {
            LegacyPcapReader::new(BUFFER_BYTES, source).map(|reader| Box::new(reader) as _)
        };
        let reader = opened.map_err(|error| match (failure.take(), error) {
            (Some(error), _) => CaptureError::Io(error),
            (None, PcapError::Incomplete(_)) => CaptureError::CutInHeader,
            (None, _) => CaptureError::BadHeader,
        })?;

        let mut capture = Self {
            format: if layout.is_pcapng() { "pcapng" } else { "pcap" },
            ..Self::default()
        };
        let read = Records::new(reader, layout).read_into(&mut capture, progress);
        // The parser says no more than "read error"; the source knows which.
        capture.damage = failure.take().map(CaptureError::Io).or(read.err());
        Ok(capture)
    }
}

/// A file that fills the whole buffer whenever it can, so that a pipe reads
/// like a file, and that keeps the error of a failed read.
struct Source<R> {
    inner: R,
    failure: Rc<RefCell<Option<io::Error>>>,
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.inner.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let kind = error.kind();
                    self.failure.replace(Some(error));
                    // What came before the error is used first: the parser
                    // asks again and then meets the end of the file.
                    if filled == 0 {
                        return Err(kind.into());
                    }
                    break;
                }
            }
        }
        Ok(filled)
    }
}
