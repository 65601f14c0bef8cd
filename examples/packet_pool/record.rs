//! The records of a capture file, one after another.

use crate::batch::Batch;
use crate::capture::{BUFFER_BYTES, Capture};
use crate::damage::{CaptureError, Fault};
use crate::link::Link;
use pcap_parser::traits::{PcapNGPacketBlock, PcapReaderIterator};
use pcap_parser::{Block, PcapBlockOwned, PcapError};

/// A record that claims to be longer than this is damage, not a packet.
const MAX_RECORD_BYTES: u64 = 1 << 24;

/// The first bytes of a pcapng section.
const SECTION: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

/// Where a record says how long it is.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    big_endian: bool,
    /// Bytes before the data of a pcap record; 0 for a pcapng block, whose
    /// length counts its header.
    header: u64,
}

impl Layout {
    pub(crate) const PCAPNG: Self = Self::new(false, 0);
    pub(crate) const PCAP: Self = Self::new(false, 16);
    pub(crate) const PCAP_BIG_ENDIAN: Self = Self::new(true, 16);
    /// The variant that some old Linux systems wrote.
    pub(crate) const PCAP_MODIFIED: Self = Self::new(false, 24);

    const fn new(big_endian: bool, header: u64) -> Self {
        Self { big_endian, header }
    }

    pub(crate) fn is_pcapng(self) -> bool {
        self.header == 0
    }

    /// The length of the record that starts here, once enough of it is there.
    fn claimed(self, data: &[u8]) -> Option<u64> {
        let (at, big_endian) = if !self.is_pcapng() {
            (8, self.big_endian)
        } else if data.starts_with(&SECTION) {
            // A section sets the byte order, its own length included.
            (4, *data.get(8)? == 0x1a)
        } else {
            (4, self.big_endian)
        };
        let field = *data.get(at..)?.first_chunk::<4>()?;
        let length = if big_endian {
            u32::from_be_bytes(field)
        } else {
            u32::from_le_bytes(field)
        };
        Some(self.header + u64::from(length))
    }
}

/// A file between two records.
pub(crate) struct Records<'a> {
    reader: Box<dyn PcapReaderIterator + 'a>,
    context: Context,
}

/// What the records so far say about the ones that follow.
struct Context {
    layout: Layout,
    /// Link types and length limits: one for a pcap file, any number of them
    /// for a section of a pcapng file.
    interfaces: Vec<(i32, u32)>,
}

impl<'a> Records<'a> {
    pub(crate) fn new(reader: Box<dyn PcapReaderIterator + 'a>, layout: Layout) -> Self {
        let interfaces = Vec::new();
        Self {
            reader,
            context: Context { layout, interfaces },
        }
    }

    /// Reads up to the end of the file, or to the first damage.
    pub(crate) fn read_into(
        mut self,
        capture: &mut Capture,
        progress: impl Fn(u64),
    ) -> Result<(), CaptureError> {
        // Counted from 1, without the header of a pcap file, which comes first.
        let mut number = u64::from(self.context.layout.is_pcapng());
        loop {
            let taken = match self.reader.next() {
                Ok((size, block)) => self.context.take(&block, capture).map(|()| Some(size)),
                Err(PcapError::Eof) => return Ok(()),
                Err(PcapError::Incomplete(_) | PcapError::BufferTooSmall) => Ok(None),
                Err(PcapError::UnexpectedEof) => Err(Fault::Cut),
                Err(_) => Err(Fault::Inconsistent),
            };
            let done = match taken {
                Ok(Some(size)) => {
                    self.reader.consume(size);
                    number += 1;
                    capture.bytes = self.reader.consumed() as u64;
                    if number % 4096 == 0 {
                        progress(capture.bytes);
                    }
                    Ok(())
                }
                Ok(None) => self.fill(),
                Err(fault) => Err(fault),
            };
            done.map_err(|fault| CaptureError::Damage {
                number,
                offset: self.reader.consumed() as u64,
                present: self.reader.data().len() as u64,
                claimed: self.context.layout.claimed(self.reader.data()),
                fault,
            })?;
        }
    }

    /// Reads more of the file, after a look at what the next record claims:
    /// with a damaged length the parser would ask for gigabytes.
    fn fill(&mut self) -> Result<(), Fault> {
        let present = self.reader.data().len();
        if let Some(claimed) = self.context.layout.claimed(self.reader.data()) {
            if claimed > MAX_RECORD_BYTES {
                return Err(Fault::TooLong);
            }
            // All of it is there and the parser still wants more: the lengths
            // inside the record do not agree with its own.
            if claimed <= present as u64 {
                return Err(Fault::Inconsistent);
            }
        }
        self.reader.refill().map_err(|_| Fault::Cut)?;
        if self.reader.data().len() == present && !self.reader.reader_exhausted() {
            // No room for more. Records are bounded, and so is the buffer.
            self.reader.grow(2 * present.max(BUFFER_BYTES));
        }
        Ok(())
    }
}

impl Context {
    fn take(&mut self, block: &PcapBlockOwned<'_>, capture: &mut Capture) -> Result<(), Fault> {
        match block {
            // The upper half of the field holds flags.
            PcapBlockOwned::LegacyHeader(header) => {
                self.interfaces.push((header.network.0 & 0xffff, 0));
            }
            PcapBlockOwned::Legacy(record) => {
                keep(capture, self.interface(0)?.0, record.data);
            }
            PcapBlockOwned::NG(Block::SectionHeader(section)) => {
                self.layout.big_endian = section.big_endian();
                self.interfaces.clear();
            }
            PcapBlockOwned::NG(Block::InterfaceDescription(interface)) => {
                let link = interface.linktype.0;
                self.interfaces.push((link, interface.snaplen));
            }
            PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
                let (link, _) = self.interface(packet.if_id)?;
                keep(capture, link, packet.packet_data());
            }
            PcapBlockOwned::NG(Block::SimplePacket(packet)) => {
                let (link, limit) = self.interface(0)?;
                let data = packet.packet_data();
                // Beyond the limit there is only padding; 0 means no limit.
                let kept = match usize::try_from(limit) {
                    Ok(limit) if limit > 0 => data.len().min(limit),
                    _ => data.len(),
                };
                keep(capture, link, &data[..kept]);
            }
            // Names, statistics, comments, and whatever the format adds.
            PcapBlockOwned::NG(_) => {}
        }
        Ok(())
    }

    fn interface(&self, number: u32) -> Result<(i32, u32), Fault> {
        usize::try_from(number)
            .ok()
            .and_then(|index| self.interfaces.get(index).copied())
            .ok_or(Fault::NoInterface)
    }
}

fn keep(capture: &mut Capture, number: i32, frame: &[u8]) {
    if let Some(link) = Link::from_number(number) {
        Batch::push(&mut capture.batches, link, frame);
        capture.packets += 1;
    } else {
        *capture.left_out.entry(number).or_default() += 1;
    }
}
