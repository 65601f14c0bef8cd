//! The command line.

mod details;

use crate::keys::Mode;
use clap::Parser;
use clap::builder::RangedU64ValueParser;
use details::DETAILS;
use std::path::{Path, PathBuf};
use std::time::Duration;

const DEFAULT_CAPTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/captures/loopback.pcap");

/// Packets to work on unless `--repeat` says otherwise. Fewer would be done
/// before the clock could tell anything.
const DEFAULT_WORK: u32 = 1 << 18;

/// Files of more bytes are streamed.
const LARGE_FILE: u64 = 64 << 20;

/// Find new flows or duplicate packets with many threads and one shared filter
///
/// A pool of worker threads takes the packets of a capture in batches. For every
/// packet a worker computes a key and asks one cuckoo filter whether the key was
/// seen before. All workers share the filter without a lock. If several workers
/// race for a new key, one of them is told. With --window, old keys are forgotten.
///
///   tcpdump -w - | packet-pool - --window 30
#[derive(Debug, Parser)]
#[command(version, verbatim_doc_comment, after_long_help = DETAILS)]
pub struct Args {
    /// The capture, pcap or pcapng; - is standard input [default: a small file]
    ///
    /// Without it the program reads crates/packet-pool/captures/loopback.pcap, a small real
    /// capture. Ethernet, Linux cooked (both versions), BSD loopback and raw IP
    /// captures are read; packets of other link types are counted and skipped.
    ///
    /// Standard input, pipes and files of more than 64 MiB are streamed: packets
    /// are handled as they come, in bounded memory, until the input ends.
    #[arg(verbatim_doc_comment)]
    pub(crate) capture: Option<PathBuf>,

    /// What makes two packets equal
    #[arg(long, value_enum, default_value_t = Mode::Flows, verbatim_doc_comment)]
    pub(crate) mode: Mode,

    /// Forget keys that were not seen for this time, by the times in the capture
    ///
    /// A key stays known for one to two windows after its last packet. For
    /// copies of packets one second is enough; flows can pause for a minute.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, verbatim_doc_comment)]
    pub(crate) window: Option<Duration>,

    /// Number of worker threads, 1 to 1024 [default: one for each processor]
    ///
    /// They share the processors that the system gives to this program. More
    /// threads than processors do not make it faster.
    #[arg(short = 'j', long, value_name = "N", verbatim_doc_comment)]
    #[arg(value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub(crate) workers: Option<usize>,

    /// Keys that a filter has room for [default: the packets, streamed: 1000000]
    ///
    /// With a window, this is the number of keys of one window. A smaller filter
    /// uses less memory and is wrong more often. A filter that is too small gets
    /// full and refuses new keys. A million keys take 2.1 MB, twice that with a window.
    #[arg(long, value_name = "KEYS", verbatim_doc_comment)]
    #[arg(value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub(crate) capacity: Option<usize>,

    /// Compare every answer with exact sets; this keeps all keys in memory
    #[arg(long)]
    pub(crate) verify: bool,

    /// Number of passes over the packets, 1 to 1000000 [default: by their number]
    ///
    /// For measuring; keeps the packets in memory. A key is new only once, so
    /// more passes add duplicates; with a window, time continues from pass to pass.
    /// Without this option there are enough passes to handle 262144 packets, but only
    /// one pass for streamed input, and with a window.
    #[arg(long, value_name = "N", verbatim_doc_comment)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) repeat: Option<u32>,

    /// Generate a capture of this many flows, up to eight packets each, for measuring
    #[arg(long, value_name = "FLOWS", conflicts_with = "capture")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4_000_000))]
    pub(crate) made_up: Option<u32>,

    /// Measure 1 to N workers, and compare with a set in a lock and with no filter
    #[arg(long, conflicts_with_all = ["verify", "window"])]
    pub(crate) sweep: bool,

    /// Measure as --sweep does, and draw the result into an SVG file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["verify", "window"])]
    pub(crate) svg: Option<PathBuf>,
}

impl Args {
    /// The file to read, and the name to show for it.
    pub(crate) fn capture(&self) -> (&Path, String) {
        match &self.capture {
            Some(path) if path == Path::new("-") => (path, "standard input".to_owned()),
            Some(path) => (path, path.display().to_string()),
            None => (
                Path::new(DEFAULT_CAPTURE),
                "crates/packet-pool/captures/loopback.pcap".to_owned(),
            ),
        }
    }

    /// Whether packets are worked on as they come.
    pub(crate) fn streams(&self) -> bool {
        if self.repeat.is_some() || self.sweeps() || self.made_up.is_some() {
            return false;
        }
        let (path, _) = self.capture();
        let is_large = |path: &Path| {
            let file = path.metadata();
            file.is_ok_and(|file| !file.is_dir() && (!file.is_file() || file.len() > LARGE_FILE))
        };
        path == Path::new("-") || is_large(path)
    }

    /// Whether to measure, in the place of one run.
    pub(crate) fn sweeps(&self) -> bool {
        self.sweep || self.svg.is_some()
    }

    /// How many times to go through a capture of this many packets.
    pub(crate) fn passes(&self, packets: u64) -> u32 {
        let by_number = match u32::try_from(packets) {
            Ok(packets) if packets > 0 && self.window.is_none() => DEFAULT_WORK.div_ceil(packets),
            _ => 1,
        };
        self.repeat.unwrap_or(by_number)
    }

    /// The number of threads to start.
    pub(crate) fn workers(&self) -> usize {
        self.workers.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, |count| count.get().min(1024))
        })
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|error| format!("{error}"))?;
    // A century, in which nobody waits for a rotation.
    if (1e-6..=3.2e9).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("it must be between 0.000001 and 3200000000".to_owned())
    }
}
