//! Batches: packets of one period of time, the unit of work that a worker takes.

mod periods;

pub(crate) use periods::Periods;

use crate::capture::{self, Capture, CaptureError, Event, Packet};
use crate::keys::Link;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The packets of a full batch: enough work that taking it costs nothing, little enough that the
/// workers finish together.
pub(crate) const PACKETS: usize = 256;

/// The bytes after which a batch of long packets is full.
const BYTES: usize = 1 << 18;

/// Some packets of a capture, their bytes end to end.
#[derive(Default)]
pub(crate) struct Batch {
    bytes: Vec<u8>,
    packets: Vec<Entry>,
    /// The period of all its packets.
    pub(crate) period: u64,
}

/// A packet of a batch, without its bytes.
struct Entry {
    /// The end of its bytes.
    end: usize,
    time: u64,
    length: u32,
    /// The link type: its number in the capture, and its meaning.
    number: i32,
    link: Link,
}

impl Batch {
    /// Returns the packets and their links, in the order of the capture.
    pub(crate) fn packets(&self) -> impl Iterator<Item = (Link, Packet<'_>)> {
        let mut start = 0;
        self.packets.iter().map(move |entry| {
            let frame = &self.bytes[start..entry.end];
            start = entry.end;
            let packet = Packet {
                link: entry.number,
                time: entry.time,
                length: entry.length,
                frame,
            };
            (entry.link, packet)
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.packets.len()
    }
}

/// A search for the period with the most packets. No period can have more keys.
#[derive(Default)]
pub(crate) struct Busiest {
    period: u64,
    packets: usize,
    pub(crate) most: usize,
}

impl Busiest {
    pub(crate) fn add(&mut self, batch: &Batch) {
        if batch.period != self.period {
            (self.period, self.packets) = (batch.period, 0);
        }
        self.packets += batch.len();
        self.most = self.most.max(self.packets);
    }
}

/// A packer of packets into batches. A batch has one period, so that one filter judges all of it.
pub(crate) struct Packer {
    periods: Periods,
    /// The bytes kept of each packet.
    kept: usize,
    batch: Batch,
    counts: Counts,
}

/// Counts of packed packets.
#[derive(Clone, Default)]
pub(crate) struct Counts {
    /// The packets whose link type the program reads.
    pub(crate) packets: u64,
    /// Packets left out, by the number of their link type.
    pub(crate) left_out: BTreeMap<i32, u64>,
    /// The bytes of the input that were read and understood.
    pub(crate) bytes: u64,
}

impl Packer {
    pub(crate) fn new(periods: Periods, kept: usize) -> Self {
        Self {
            periods,
            kept,
            batch: Batch::default(),
            counts: Counts::default(),
        }
    }

    /// Adds a packet. Returns a batch if that had no room for it.
    fn push(&mut self, packet: &Packet<'_>) -> Option<Batch> {
        let Some(link) = Link::from_number(packet.link) else {
            *self.counts.left_out.entry(packet.link).or_default() += 1;
            return None;
        };
        let period = self.periods.of(packet.time);
        let batch = &self.batch;
        let is_full = batch.len() >= PACKETS || batch.bytes.len() >= BYTES;
        let done = (is_full || batch.period != period).then(|| self.flush());
        self.batch.period = period;
        let kept = packet.frame.len().min(self.kept);
        self.batch.bytes.extend_from_slice(&packet.frame[..kept]);
        self.batch.packets.push(Entry {
            end: self.batch.bytes.len(),
            time: packet.time,
            length: packet.length,
            number: packet.link,
            link,
        });
        self.counts.packets += 1;
        done.flatten()
    }

    /// Returns the packets that are not in a batch yet.
    fn flush(&mut self) -> Option<Batch> {
        let done = std::mem::take(&mut self.batch);
        (done.len() > 0).then_some(done)
    }
}

/// A reading of a capture, and how it ended.
#[derive(Default)]
pub(crate) struct Intake {
    /// The format of the capture; empty until the header is there.
    pub(crate) format: &'static str,
    pub(crate) counts: Counts,
    /// The damage that ended the reading before the end of the input.
    pub(crate) damage: Option<CaptureError>,
}

/// A reader of a capture, which hands its batches on.
pub(crate) struct Reader<'a> {
    pub(crate) packer: Packer,
    /// Whether each pause hands on the packets that have come, because more may come much later.
    pub(crate) live: bool,
    /// Set to end the reading at the next pause.
    pub(crate) stop: &'a AtomicBool,
    /// Updated before each batch, and at the end.
    pub(crate) intake: &'a Mutex<Intake>,
    /// Takes the batches, and may stop the reading.
    pub(crate) take: &'a mut dyn FnMut(Batch) -> ControlFlow<()>,
}

impl Reader<'_> {
    /// Reads to the end, or to the first damage.
    pub(crate) fn read(mut self, path: Option<&Path>) {
        let read = capture::open(path)
            .and_then(Capture::new)
            .and_then(|mut capture| {
                self.intake.lock().format = capture.format();
                let read = capture.read(&mut |bytes, event| self.handle(bytes, event));
                self.packer.counts.bytes = capture.bytes();
                let rest = self.packer.flush();
                let _ = self.hand_on(rest);
                read
            });
        let mut intake = self.intake.lock();
        intake.counts = self.packer.counts;
        intake.damage = read.err();
    }

    fn handle(&mut self, bytes: u64, event: Event<'_>) -> ControlFlow<()> {
        self.packer.counts.bytes = bytes;
        let batch = match event {
            Event::Packet(packet) => self.packer.push(&packet),
            Event::Pause => {
                if self.stop.load(Ordering::Relaxed) {
                    return ControlFlow::Break(());
                }
                self.live.then(|| self.packer.flush()).flatten()
            }
        };
        self.hand_on(batch)
    }

    fn hand_on(&mut self, batch: Option<Batch>) -> ControlFlow<()> {
        let Some(batch) = batch else {
            return ControlFlow::Continue(());
        };
        self.intake.lock().counts.clone_from(&self.packer.counts);
        (self.take)(batch)
    }
}

/// Reads a whole file.
pub(crate) fn read(
    path: Option<&Path>,
    packer: Packer,
    stop: &AtomicBool,
    mut each: impl FnMut(Batch),
) -> Intake {
    let intake = Mutex::default();
    let reader = Reader {
        packer,
        live: false,
        stop,
        intake: &intake,
        take: &mut |batch| {
            each(batch);
            ControlFlow::Continue(())
        },
    };
    reader.read(path);
    intake.into_inner()
}

/// The packets of a generated flow, the first included; the first flows have fewer.
const FLOW_PACKETS: u64 = 8;

/// The flows that are alive at the same time: a multiple of the packets.
const ALIVE: u64 = 4096;

/// A million packets a second.
const NANOS: u64 = 1_000;

/// Ethernet.
const LINK: i32 = 1;

/// Generates a capture, to measure with more flows than the included files have: TCP packets of
/// this many flows. Flows begin and end all the time, as on a line with many users: thousands are
/// alive at once, and take turns.
pub(crate) fn made_up(flows: u32, mut packer: Packer) -> (Vec<Arc<Batch>>, Intake) {
    let flows = u64::from(flows);
    let mut batches = Vec::new();
    let mut time = 0;
    for round in 0..flows.div_ceil(ALIVE) * FLOW_PACKETS {
        for place in 0..ALIVE {
            // Places change to their next flow in different rounds.
            let turn = (round + place % FLOW_PACKETS) / FLOW_PACKETS;
            let flow = turn * ALIVE + place;
            if flow < flows {
                let frame = frame(flow, round);
                let full = packer.push(&Packet {
                    link: LINK,
                    time,
                    length: frame.len() as u32,
                    frame: &frame,
                });
                batches.extend(full.map(Arc::new));
                time += NANOS;
            }
        }
    }
    batches.extend(packer.flush().map(Arc::new));
    let intake = Intake {
        format: "generated",
        counts: packer.counts,
        damage: None,
    };
    (batches, intake)
}

/// Makes a frame of Ethernet, IPv4 and TCP.
fn frame(flow: u64, round: u64) -> [u8; 54] {
    let mut frame = [0; 54];
    let port = 1024 + (flow % 60_000) as u16;
    let [.., host2, host1, host0] = (flow / 60_000 + 1).to_be_bytes();
    frame[12..14].copy_from_slice(&[0x08, 0x00]);
    frame[14..18].copy_from_slice(&[0x45, 0, 0, 40]);
    frame[18..20].copy_from_slice(&(round as u16).to_be_bytes());
    frame[22..24].copy_from_slice(&[64, 6]);
    frame[26..30].copy_from_slice(&[10, host2, host1, host0]);
    frame[30..34].copy_from_slice(&[192, 0, 2, 1]);
    frame[34..36].copy_from_slice(&port.to_be_bytes());
    frame[36..38].copy_from_slice(&443_u16.to_be_bytes());
    frame[46] = 0x50;
    frame
}
