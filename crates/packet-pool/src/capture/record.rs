//! The records of a capture, one after another.

use super::damage::{CaptureError, Fault};
use super::layout::Layout;
use super::sink::{Packet, Sink};
use super::stamp::Clock;
use pcap_parser::traits::{PcapNGPacketBlock, PcapReaderIterator};
use pcap_parser::{Block, PcapBlockOwned, PcapError};
use std::ops::ControlFlow;

/// A record that claims to be longer than this is damage, not a packet.
pub(crate) const MAX_RECORD_BYTES: u64 = 1 << 24;

/// More interfaces than this are damage, not a machine.
const MAX_INTERFACES: usize = 1 << 16;

/// A capture between two records.
pub(crate) struct Records<'a> {
    reader: Box<dyn PcapReaderIterator + 'a>,
    context: Context,
}

/// What the records so far say about the ones that follow.
struct Context {
    layout: Layout,
    /// One for a pcap file, any number of them for a section of a pcapng file.
    interfaces: Vec<Interface>,
    /// The time of the last packet, for those that have none.
    time: u64,
}

/// Where packets were captured.
#[derive(Clone, Copy)]
struct Interface {
    link: i32,
    /// Bytes captured of a packet at most; 0 for all.
    limit: u32,
    clock: Clock,
}

impl<'a> Records<'a> {
    pub(crate) fn new(reader: Box<dyn PcapReaderIterator + 'a>, layout: Layout) -> Self {
        let context = Context {
            layout,
            interfaces: Vec::new(),
            time: 0,
        };
        Self { reader, context }
    }

    /// Reads up to the end, to the first damage, or until the sink breaks off.
    pub(crate) fn read_into(&mut self, sink: &mut dyn Sink) -> Result<(), CaptureError> {
        // Counted from 1, without the header of a pcap file, which comes first.
        let mut number = u64::from(self.context.layout.is_pcapng());
        loop {
            let consumed = self.reader.consumed() as u64;
            let taken = match self.reader.next() {
                Ok((size, block)) => self
                    .context
                    .take(&block, sink)
                    .map(|flow| Some((size, flow))),
                Err(PcapError::Eof) => return Ok(()),
                Err(PcapError::Incomplete(_) | PcapError::BufferTooSmall) => Ok(None),
                Err(PcapError::UnexpectedEof) => Err(Fault::Cut),
                Err(_) => Err(Fault::Inconsistent),
            };
            let done = match taken {
                Ok(Some((size, flow))) => {
                    self.reader.consume(size);
                    number += 1;
                    Ok(flow)
                }
                Ok(None) => match sink.pause(consumed) {
                    ControlFlow::Continue(()) => self.fill().map(ControlFlow::Continue),
                    broken => Ok(broken),
                },
                Err(fault) => Err(fault),
            };
            let flow = done.map_err(|fault| CaptureError::Damage {
                number,
                offset: self.reader.consumed() as u64,
                present: self.reader.data().len() as u64,
                claimed: self.context.layout.claimed(self.reader.data()),
                fault,
            })?;
            if flow.is_break() {
                return Ok(());
            }
        }
    }

    /// Bytes read and understood.
    pub(crate) fn bytes(&self) -> u64 {
        self.reader.consumed() as u64
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
            self.reader.grow(2 * present);
        }
        Ok(())
    }
}

impl Context {
    fn take(
        &mut self,
        block: &PcapBlockOwned<'_>,
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<()>, Fault> {
        match block {
            PcapBlockOwned::LegacyHeader(header) => self.describe(Interface {
                // The upper half of the field holds flags.
                link: header.network.0 & 0xffff,
                limit: 0,
                clock: if header.is_nanosecond_precision() {
                    Clock::NANOSECONDS
                } else {
                    Clock::MICROSECONDS
                },
            })?,
            PcapBlockOwned::Legacy(record) => {
                let Interface { link, clock, .. } = self.interface(0)?;
                self.time = clock.split(record.ts_sec, record.ts_usec);
                return Ok(sink.packet(Packet {
                    link,
                    time: self.time,
                    length: record.origlen,
                    frame: record.data,
                }));
            }
            PcapBlockOwned::NG(Block::SectionHeader(section)) => {
                self.layout.big_endian = section.big_endian();
                self.interfaces.clear();
            }
            PcapBlockOwned::NG(Block::InterfaceDescription(interface)) => {
                self.describe(Interface {
                    link: interface.linktype.0,
                    limit: interface.snaplen,
                    clock: Clock::of_options(interface.if_tsresol, interface.if_tsoffset),
                })?;
            }
            PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
                let Interface { link, clock, .. } = self.interface(packet.if_id)?;
                let units = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
                self.time = clock.units(units);
                return Ok(sink.packet(Packet {
                    link,
                    time: self.time,
                    length: packet.origlen,
                    frame: packet.packet_data(),
                }));
            }
            PcapBlockOwned::NG(Block::SimplePacket(packet)) => {
                let Interface { link, limit, .. } = self.interface(0)?;
                let data = packet.packet_data();
                // Beyond the limit there is only padding.
                let kept = match usize::try_from(limit) {
                    Ok(limit) if limit > 0 => data.len().min(limit),
                    _ => data.len(),
                };
                return Ok(sink.packet(Packet {
                    link,
                    time: self.time,
                    length: packet.origlen,
                    frame: &data[..kept],
                }));
            }
            // Names, statistics, comments, and whatever the format adds.
            PcapBlockOwned::NG(_) => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    fn describe(&mut self, interface: Interface) -> Result<(), Fault> {
        if self.interfaces.len() >= MAX_INTERFACES {
            return Err(Fault::TooManyInterfaces);
        }
        self.interfaces.push(interface);
        Ok(())
    }

    fn interface(&self, number: u32) -> Result<Interface, Fault> {
        usize::try_from(number)
            .ok()
            .and_then(|index| self.interfaces.get(index).copied())
            .ok_or(Fault::NoInterface)
    }
}
