//! Captures: reads the packets of pcap and pcapng, compressed or not, from files and pipes.

mod clock;
mod error;

pub(crate) use error::CaptureError;

use clock::Clock;
use error::Fault;
use flate2::read::MultiGzDecoder;
use pcap_parser::nom::{Err as Stop, IResult, Needed};
use pcap_parser::{
    Block, LegacyPcapBlock, PcapError, parse_block_be, parse_block_le, parse_pcap_frame,
    parse_pcap_frame_be, parse_pcap_frame_modified, parse_pcap_header, parse_sectionheaderblock,
};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::ops::ControlFlow;
use std::path::Path;

/// The size of the buffer at first; it grows for larger records.
const BUFFER_BYTES: usize = 1 << 20;

/// The longest record. One that claims to be longer is damaged.
const MAX_RECORD_BYTES: usize = 1 << 24;

/// The most interfaces. A file with more is damaged.
const MAX_INTERFACES: usize = 1 << 16;

const GZIP: [u8; 2] = [0x1f, 0x8b];
const SECTION: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

/// A captured packet.
#[derive(Clone, Copy)]
pub(crate) struct Packet<'a> {
    /// The number of its link type.
    pub(crate) link: i32,
    /// The time of the capture, in nanoseconds.
    pub(crate) time: u64,
    /// Its length on the line.
    pub(crate) length: u32,
    /// The captured bytes.
    pub(crate) frame: &'a [u8],
}

/// An event of reading.
pub(crate) enum Event<'a> {
    Packet(Packet<'a>),
    /// All that has come is delivered. Reading on may block without end.
    Pause,
}

/// The example capture, for users who have none yet.
const EXAMPLE: &[u8] = include_bytes!("../captures/loopback.pcap");

/// Opens a file, standard input for `-`, or the example if there is no path.
pub(crate) fn open(path: Option<&Path>) -> Result<Box<dyn Read>, CaptureError> {
    let Some(path) = path else {
        return Ok(Box::new(EXAMPLE));
    };
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).map_err(CaptureError::Io)?;
    if file.metadata().map_err(CaptureError::Io)?.is_dir() {
        return Err(CaptureError::Directory);
    }
    Ok(Box::new(file))
}

/// Returns whether a file is compressed with gzip; false for one that cannot be read.
pub(crate) fn is_gzip(path: &Path) -> bool {
    let mut bytes = [0; GZIP.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut bytes));
    read.is_ok() && bytes == GZIP
}

/// A capture between two records.
pub(crate) struct Capture<'a> {
    input: Input<'a>,
    records: Records,
}

impl<'a> Capture<'a> {
    /// Reads the header, and of the rest no more than has come.
    pub(crate) fn new(mut input: impl Read + 'a) -> Result<Self, CaptureError> {
        let mut start = Vec::new();
        let read = input.by_ref().take(4).read_to_end(&mut start);
        read.map_err(CaptureError::Io)?;
        let compressed = start.starts_with(&GZIP);
        let input = Cursor::new(start).chain(input);
        let mut input = Input {
            source: if compressed {
                Box::new(MultiGzDecoder::new(input))
            } else {
                Box::new(input)
            },
            compressed,
            buffer: vec![0; BUFFER_BYTES],
            start: 0,
            end: 0,
            consumed: 0,
        };
        loop {
            let data = input.data();
            let is_section = data.starts_with(&SECTION);
            match Records::start(data) {
                Ok((rest, records)) => {
                    let size = data.len() - rest.len();
                    input.consume(size);
                    return Ok(Self { input, records });
                }
                Err(Stop::Incomplete(needed)) if !is_too_long(needed, data) => {
                    if input.fill()? == 0 {
                        return Err(match input.data() {
                            [] => CaptureError::Empty,
                            magic if magic.len() < 4 => CaptureError::not_a_capture(magic),
                            _ => CaptureError::CutInHeader,
                        });
                    }
                }
                Err(Stop::Error(_)) if !is_section => {
                    return Err(CaptureError::not_a_capture(&data[..4]));
                }
                Err(_) => return Err(CaptureError::BadHeader),
            }
        }
    }

    /// Returns "pcap" or "pcapng", and whether it is compressed.
    pub(crate) fn format(&self) -> &'static str {
        match (self.records.is_pcapng(), self.input.compressed) {
            (false, false) => "pcap",
            (true, false) => "pcapng",
            (false, true) => "pcap, gzip",
            (true, true) => "pcapng, gzip",
        }
    }

    /// Returns the number of bytes read and understood.
    pub(crate) fn bytes(&self) -> u64 {
        self.input.consumed
    }

    /// Reads to the end, to the first damage, or until `take` stops it. `take` gets the number of
    /// bytes before each event, too.
    pub(crate) fn read(
        &mut self,
        take: &mut dyn FnMut(u64, Event<'_>) -> ControlFlow<()>,
    ) -> Result<(), CaptureError> {
        // Counted from 1. The header of a pcapng file is a record, that of a pcap file is none.
        let mut number = if self.records.is_pcapng() { 2 } else { 1 };
        loop {
            let (data, offset) = (self.input.data(), self.input.consumed);
            let damage = move |fault| CaptureError::Damage {
                number,
                offset,
                fault,
            };
            match self.records.next(data) {
                Ok((rest, packet)) => {
                    let size = data.len() - rest.len();
                    if let Some(packet) = packet.map_err(damage)?
                        && take(offset, Event::Packet(packet)).is_break()
                    {
                        return Ok(());
                    }
                    self.input.consume(size);
                    number += 1;
                }
                Err(Stop::Incomplete(needed)) => {
                    if let Some(fault) = self.records.format.fault(needed, data) {
                        return Err(damage(fault));
                    }
                    let is_between = data.is_empty();
                    if take(offset, Event::Pause).is_break() {
                        return Ok(());
                    }
                    if self.input.fill()? == 0 {
                        return if is_between {
                            Ok(())
                        } else {
                            Err(CaptureError::CutInRecord { number, offset })
                        };
                    }
                }
                Err(_) => return Err(damage(Fault::Inconsistent)),
            }
        }
    }
}

/// The bytes of a capture, those that were read and not consumed in a buffer.
struct Input<'a> {
    source: Box<dyn Read + 'a>,
    compressed: bool,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    consumed: u64,
}

impl Input<'_> {
    fn data(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    fn consume(&mut self, bytes: usize) {
        self.start += bytes;
        self.consumed += bytes as u64;
    }

    /// Reads what there is, and returns how much that was: nothing at the end.
    fn fill(&mut self) -> Result<usize, CaptureError> {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.end == self.buffer.len() {
            self.buffer.resize(2 * self.end, 0);
        }
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(read) => {
                    self.end += read;
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(CaptureError::of_read(error, self.compressed)),
            }
        }
    }
}

type Parsed<'a, T> = IResult<&'a [u8], T, PcapError<&'a [u8]>>;

/// The outcome of parsing a record: a packet, or nothing.
type Taken<'a> = Result<Option<Packet<'a>>, Fault>;

/// The format of the records.
#[derive(Clone, Copy)]
enum Format {
    Pcap(fn(&[u8]) -> Parsed<'_, LegacyPcapBlock<'_>>),
    PcapNg { big_endian: bool },
}

/// The state of the records so far that the following ones need.
struct Records {
    format: Format,
    /// One for a pcap file, any number of them for a section of a pcapng file.
    interfaces: Vec<Interface>,
    /// The time of the last packet, for those that have none.
    time: u64,
}

/// An interface on which packets were captured.
#[derive(Clone, Copy)]
struct Interface {
    link: i32,
    /// The most bytes captured of a packet; 0 for all.
    limit: u32,
    clock: Clock,
}

impl Records {
    /// Parses the header of a file.
    fn start(data: &[u8]) -> Parsed<'_, Self> {
        if data.starts_with(&SECTION) {
            let (rest, section) = parse_sectionheaderblock(data)?;
            let records = Self {
                format: Format::PcapNg {
                    big_endian: section.big_endian(),
                },
                interfaces: Vec::new(),
                time: 0,
            };
            return Ok((rest, records));
        }
        let (rest, header) = parse_pcap_header(data)?;
        let records = Self {
            format: Format::Pcap(if header.is_modified_format() {
                parse_pcap_frame_modified
            } else if header.is_bigendian() {
                parse_pcap_frame_be
            } else {
                parse_pcap_frame
            }),
            interfaces: vec![Interface {
                // The upper half of the field holds flags.
                link: header.network.0 & 0xffff,
                limit: 0,
                clock: if header.is_nanosecond_precision() {
                    Clock::NANOSECONDS
                } else {
                    Clock::MICROSECONDS
                },
            }],
            time: 0,
        };
        Ok((rest, records))
    }

    fn is_pcapng(&self) -> bool {
        matches!(self.format, Format::PcapNg { .. })
    }

    /// Parses the next record. Returns nothing for one that is not a packet.
    fn next<'a>(&mut self, data: &'a [u8]) -> Parsed<'a, Taken<'a>> {
        match self.format {
            Format::Pcap(parse) => {
                let (rest, record) = parse(data)?;
                let Interface { link, clock, .. } = self.interfaces[0];
                self.time = clock.split(record.ts_sec, record.ts_usec);
                let packet = self.packet(link, record.origlen, record.data, record.caplen);
                Ok((rest, packet))
            }
            Format::PcapNg { big_endian } => {
                let parse = if big_endian {
                    parse_block_be
                } else {
                    parse_block_le
                };
                let (rest, block) = parse(data)?;
                Ok((rest, self.take(&block)))
            }
        }
    }

    fn take<'a>(&mut self, block: &Block<'a>) -> Taken<'a> {
        match block {
            Block::SectionHeader(section) => {
                self.format = Format::PcapNg {
                    big_endian: section.big_endian(),
                };
                self.interfaces.clear();
                Ok(None)
            }
            Block::InterfaceDescription(interface) => {
                if self.interfaces.len() >= MAX_INTERFACES {
                    return Err(Fault::TooManyInterfaces);
                }
                self.interfaces.push(Interface {
                    link: interface.linktype.0,
                    limit: interface.snaplen,
                    clock: Clock::of_options(interface.if_tsresol, interface.if_tsoffset),
                });
                Ok(None)
            }
            Block::EnhancedPacket(packet) => {
                let Interface { link, clock, .. } = self.interface(packet.if_id)?;
                self.time = clock.units(u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low));
                self.packet(link, packet.origlen, packet.data, packet.caplen)
            }
            Block::SimplePacket(packet) => {
                let Interface { link, limit, .. } = self.interface(0)?;
                // Beyond the limit there is only padding.
                let limit = if limit > 0 { limit } else { u32::MAX };
                let captured = packet.origlen.min(limit);
                self.packet(link, packet.origlen, packet.data, captured)
            }
            // Skip names, statistics, comments, and future additions to the format.
            _ => Ok(None),
        }
    }

    fn interface(&self, number: u32) -> Result<Interface, Fault> {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        let interface = self.interfaces.get(number);
        interface.copied().ok_or(Fault::NoInterface)
    }

    /// Makes a packet with the current time; `data` is padded.
    fn packet<'a>(&self, link: i32, length: u32, data: &'a [u8], captured: u32) -> Taken<'a> {
        let captured = usize::try_from(captured).unwrap_or(usize::MAX);
        Ok(Some(Packet {
            link,
            time: self.time,
            length,
            frame: &data[..captured.min(data.len())],
        }))
    }
}

impl Format {
    /// Returns the fault of an incomplete record, if more data would not help.
    fn fault(self, needed: Needed, data: &[u8]) -> Option<Fault> {
        if is_too_long(needed, data) {
            return Some(Fault::TooLong);
        }
        // The record is complete and the parser still wants more: its lengths do not agree.
        let whole = self.block_length(data)? <= data.len();
        whole.then_some(Fault::Inconsistent)
    }

    /// Returns the length that a block of a pcapng file claims. A section, which sets the byte
    /// order, is parsed once it is complete.
    fn block_length(self, data: &[u8]) -> Option<usize> {
        let Self::PcapNg { big_endian } = self else {
            return None;
        };
        if data.starts_with(&SECTION) {
            return None;
        }
        let field = *data.get(4..)?.first_chunk::<4>()?;
        let length = match big_endian {
            true => u32::from_be_bytes(field),
            false => u32::from_le_bytes(field),
        };
        usize::try_from(length).ok()
    }
}

/// Returns whether the data and the missing part are more than a record can have.
fn is_too_long(needed: Needed, data: &[u8]) -> bool {
    let missing = match needed {
        Needed::Size(bytes) => bytes.get(),
        Needed::Unknown => 0,
    };
    data.len().saturating_add(missing) > MAX_RECORD_BYTES
}
