//! Results: the new packets as lines, and as a pcap file with timestamps in nanoseconds.

mod line;
mod ordered;

pub(crate) use line::Format;

use crate::batches::Batch;
use crate::capture::Packet;
use crate::filter::{Answer, Scratch};
use crate::keys::Link;
use ordered::Ordered;
use parking_lot::Mutex;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const STANDARD_OUTPUT: &str = "standard output";

/// The file that a capture is written to, or standard output if it is called `-`.
#[derive(Clone, Debug)]
pub(crate) struct Target(pub(crate) PathBuf);

impl Target {
    pub(crate) fn standard_output() -> Self {
        Self(PathBuf::from("-"))
    }

    pub(crate) fn is_standard_output(&self) -> bool {
        self.0 == Path::new("-")
    }

    /// Returns its name in reports.
    pub(crate) fn name(&self) -> String {
        if self.is_standard_output() {
            STANDARD_OUTPUT.to_owned()
        } else {
            self.0.display().to_string()
        }
    }

    /// Returns whether it is the file that is read: opening it would empty it.
    pub(crate) fn is(&self, capture: &Path) -> bool {
        let both = [&*self.0, capture].map(fs::canonicalize);
        matches!(&both, [Ok(one), Ok(other)] if one == other && one.is_file())
    }

    /// Checks that it can be opened. Leaves an existing file as it is, and creates none.
    pub(crate) fn check(&self) -> io::Result<()> {
        let is_there = self.0.exists();
        // The reader of a pipe would take this for the end.
        if self.is_standard_output() || is_there && !self.0.is_file() && !self.0.is_dir() {
            return Ok(());
        }
        File::options().create(true).append(true).open(&self.0)?;
        if is_there {
            Ok(())
        } else {
            fs::remove_file(&self.0)
        }
    }

    fn open(&self) -> io::Result<Output> {
        Ok(Output {
            name: self.name(),
            out: if self.is_standard_output() {
                Box::new(io::stdout())
            } else {
                Box::new(File::create(&self.0)?)
            },
            failure: None,
        })
    }
}

/// An output, until a write to it fails.
struct Output {
    name: String,
    out: Box<dyn Write + Send>,
    failure: Option<io::Error>,
}

impl Output {
    /// Writes at once, because a reader may wait for it. Returns whether that succeeded.
    fn write(&mut self, bytes: &[u8]) -> bool {
        if self.failure.is_none() && !bytes.is_empty() {
            let written = self.out.write_all(bytes).and_then(|()| self.out.flush());
            self.failure = written.err();
        }
        self.failure.is_none()
    }
}

/// The outputs for the new packets of a run.
pub(crate) struct Results {
    format: Option<Format>,
    writes: bool,
    /// Taken once for a batch.
    writer: Mutex<Writer>,
    /// Set when they cannot be written any more, to end the run.
    stop: Arc<AtomicBool>,
}

struct Writer {
    ordered: Ordered<Piece>,
    lines: Output,
    pcap: Option<Pcap>,
}

/// The new packets of a batch.
#[derive(Default)]
struct Piece {
    lines: Vec<u8>,
    records: Vec<Record>,
}

/// The outcome of writing.
#[derive(Default)]
pub(crate) struct Written {
    /// The name of the capture of new packets, and how many it has.
    pub(crate) file: Option<(String, u64)>,
    /// Packets left out of it, because their link type is not that of the first.
    pub(crate) of_other_links: u64,
    /// The outputs that failed, and why.
    pub(crate) failures: Vec<(String, io::Error)>,
    /// Whether the reader of standard output has gone, as in
    /// `lockfree-cuckoo-packets --print text | head -1`.
    pub(crate) unread: bool,
}

impl Results {
    /// Opens the file.
    pub(crate) fn open(
        format: Option<Format>,
        target: Option<&Target>,
        stop: &Arc<AtomicBool>,
    ) -> io::Result<Self> {
        let pcap = |out| Pcap {
            out,
            link: None,
            packets: 0,
            of_other_links: 0,
        };
        let pcap = target.map(Target::open).transpose()?.map(pcap);
        Ok(Self {
            format,
            writes: pcap.is_some(),
            writer: Mutex::new(Writer {
                ordered: Ordered::default(),
                lines: Target::standard_output().open()?,
                pcap,
            }),
            stop: Arc::clone(stop),
        })
    }

    /// Takes the new packets of the batch with this number.
    pub(crate) fn take(&self, number: u64, batch: &Batch, scratch: &Scratch) {
        let mut piece = Piece::default();
        if scratch.answers.contains(&Answer::New) {
            for (link, packet) in news(batch, scratch) {
                if let Some(format) = self.format {
                    format.append(&mut piece.lines, link, &packet);
                }
                if self.writes {
                    piece.records.push(record(&packet));
                }
            }
        }
        let records = piece.records.iter().map(|record| record.1.len());
        let bytes = piece.lines.len() + records.sum::<usize>();
        let mut writer = self.writer.lock();
        let ready = writer.ordered.put(number, piece, bytes);
        if !writer.write(ready) {
            // Relaxed: a worker that sees it late does unneeded work, and no harm.
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Writes the pieces that wait for batches that will not come.
    pub(crate) fn finish(self) -> Written {
        let mut writer = self.writer.into_inner();
        let rest = writer.ordered.rest();
        writer.write(rest);
        let Writer { lines, pcap, .. } = writer;
        let mut written = Written::default();
        let mut outputs = vec![lines];
        if let Some(mut pcap) = pcap {
            pcap.close();
            written.file = Some((pcap.out.name.clone(), pcap.packets));
            written.of_other_links = pcap.of_other_links;
            outputs.push(pcap.out);
        }
        for Output { name, failure, .. } in outputs {
            match failure {
                None => {}
                Some(error)
                    if name == STANDARD_OUTPUT && error.kind() == io::ErrorKind::BrokenPipe =>
                {
                    written.unread = true;
                }
                Some(error) => written.failures.push((name, error)),
            }
        }
        written
    }
}

impl Writer {
    /// Writes the pieces. Returns whether all of them could be written.
    fn write(&mut self, pieces: Vec<Piece>) -> bool {
        pieces.into_iter().fold(true, |all, piece| {
            let lines = self.lines.write(&piece.lines);
            let records = self
                .pcap
                .as_mut()
                .is_none_or(|pcap| pcap.write(&piece.records));
            all && lines && records
        })
    }
}

/// Returns the new packets of a batch, with their links.
fn news<'a>(batch: &'a Batch, scratch: &'a Scratch) -> impl Iterator<Item = (Link, Packet<'a>)> {
    let mut without_key = scratch.without_key.iter().peekable();
    let packets = batch.packets().enumerate();
    // The answers are those of the packets that have a key.
    let with_key = packets.filter(move |(place, _)| without_key.next_if_eq(&place).is_none());
    let answered = with_key.zip(&scratch.answers);
    answered
        .filter(|(_, answer)| **answer == Answer::New)
        .map(|((_, packet), _)| packet)
}

/// The most bytes of a packet that are written: `tcpdump` and Wireshark refuse files with longer
/// ones.
pub(crate) const MOST_BYTES: usize = 262_144;

/// The magic number, little-endian as all that follows.
const MAGIC: u32 = 0xa1b2_3c4d;
const VERSION: [u16; 2] = [2, 4];

/// The link type of a file without packets.
const ETHERNET: i32 = 1;

const NANOS: u64 = 1_000_000_000;

/// A packet in the format of the file, with its link type.
type Record = (i32, Vec<u8>);

fn record(packet: &Packet<'_>) -> Record {
    let frame = &packet.frame[..packet.frame.len().min(MOST_BYTES)];
    // The format's 32 bits end in 2106.
    let seconds = u32::try_from(packet.time / NANOS).unwrap_or(u32::MAX);
    let nanos = (packet.time % NANOS) as u32;
    let captured = frame.len() as u32;
    let fields = [seconds, nanos, captured, packet.length.max(captured)];
    let mut bytes = fields.map(u32::to_le_bytes).concat();
    bytes.extend(frame);
    (packet.link, bytes)
}

/// A pcap file that is being written. Its link type is that of its first packet.
struct Pcap {
    out: Output,
    link: Option<i32>,
    /// The number of packets written.
    packets: u64,
    /// The number of packets left out, because the file has one link type.
    of_other_links: u64,
}

impl Pcap {
    /// Writes records. Returns whether that succeeded.
    fn write(&mut self, records: &[Record]) -> bool {
        let Some((first, _)) = records.first() else {
            return true;
        };
        let link = *self
            .link
            .get_or_insert_with(|| start(&mut self.out, *first));
        let fit = records.iter().filter(|record| record.0 == link);
        let bytes: Vec<&[u8]> = fit.map(|record| &*record.1).collect();
        self.of_other_links += (records.len() - bytes.len()) as u64;
        let written = self.out.write(&bytes.concat());
        self.packets += if written { bytes.len() as u64 } else { 0 };
        written
    }

    /// Closes the file. One without packets is a capture too.
    fn close(&mut self) {
        self.link
            .get_or_insert_with(|| start(&mut self.out, ETHERNET));
    }
}

/// Writes the header of a file with this link type.
fn start(out: &mut Output, link: i32) -> i32 {
    let mut header = Vec::from(MAGIC.to_le_bytes());
    header.extend(VERSION.into_iter().flat_map(u16::to_le_bytes));
    // The time zone and the accuracy are unused; then the longest packet.
    for field in [0, 0, MOST_BYTES as u32, link as u32] {
        header.extend(field.to_le_bytes());
    }
    out.write(&header);
    link
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, channel};

    /// A sink that takes all bytes but this one.
    struct But(u8, Sender<u8>);

    impl Write for But {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match bytes.first() {
                Some(&byte) if byte == self.0 => Err(io::ErrorKind::StorageFull.into()),
                Some(&byte) => self.1.send(byte).map(|()| 1).map_err(io::Error::other),
                None => Ok(0),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn writes_nothing_after_an_error() {
        let (sender, taken) = channel();
        let mut output = Output {
            name: "file".to_owned(),
            out: Box::new(But(3, sender)),
            failure: None,
        };
        assert_eq!(
            [[1, 2], [3, 4], [5, 6]].map(|bytes| output.write(&bytes)),
            [true, false, false]
        );
        assert_eq!(taken.try_iter().collect::<Vec<u8>>(), [1, 2]);
        let failure = output.failure.expect("it is full");
        assert_eq!(failure.kind(), io::ErrorKind::StorageFull);
    }
}
