//! The command line.

use clap::Parser;
use clap::builder::RangedU64ValueParser;
use std::path::{Path, PathBuf};

const DEFAULT_CAPTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/loopback.pcap");

/// Packets to work on unless `--repeat` says otherwise. Fewer would be done
/// before the clock could tell anything.
const DEFAULT_WORK: u32 = 1 << 18;

/// Find the flows of a packet capture with many threads and one shared filter
///
/// A pool of worker threads takes the packets of a capture file in batches. For
/// every packet a worker works out the flow (the IP protocol and the two
/// endpoints, whichever way the packet went) and adds it to one cuckoo filter
/// that all the workers share without a lock. The filter answers whether the
/// flow was seen first by this packet or is a duplicate.
#[derive(Parser)]
#[command(version, verbatim_doc_comment, after_long_help = DETAILS)]
pub(crate) struct Args {
    /// The capture file, pcap or pcapng [default: a small one that comes along]
    ///
    /// Without it the program reads examples/data/loopback.pcap, a small real
    /// capture. Ethernet, Linux cooked (both versions), BSD loopback and raw IP
    /// captures are read; packets of other link types are counted and left out.
    #[arg(verbatim_doc_comment)]
    pub(crate) capture: Option<PathBuf>,

    /// Number of worker threads, 1 to 1024 [default: one for each processor]
    ///
    /// They share the processors that the system gives to this program. More
    /// threads than processors do not make it faster.
    #[arg(short = 'j', long, value_name = "N", verbatim_doc_comment)]
    #[arg(value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub(crate) workers: Option<usize>,

    /// Number of flows that the filter is made for [default: the packets read]
    ///
    /// There are never more flows than packets, so the default is never too
    /// small. A smaller filter uses less memory and is more often wrong; one
    /// that is too small gets full and refuses new flows.
    #[arg(long, value_name = "FLOWS", verbatim_doc_comment)]
    #[arg(value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub(crate) capacity: Option<usize>,

    /// Number of passes over the packets, 1 to 1000000 [default: by their number]
    ///
    /// A flow is seen first only once, so that more passes add duplicates and
    /// make the measured throughput mean something. Without this option there
    /// are as many passes as it takes to work on 262144 packets: about a
    /// hundred for the small capture that comes along, one for a large capture.
    #[arg(long, value_name = "N", verbatim_doc_comment)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) repeat: Option<u32>,
}

const DETAILS: &str = "\
What it shows:
  packets      how many were read, and how many had no IP header (no flow)
  passes       how many times the workers go through the packets
  workers      a line for each worker: the packets it took, the flows it saw
               first, the duplicates, the flows the filter refused because it
               was full, and the packets it did a second
  throughput   the packets of all the passes, divided by the time from the
               start, when every worker is there and waits for it, to the last
               one's end; reading the file and the checks are not in it
  filter       its size and its load factor, the part of its slots in use
  flows        the distinct flows, from an exact set built apart from the pool,
               and how those the filter reported add up to them
  probes       how often the filter answers \"seen\" for flows that are not in
               the capture, next to how often its present load makes one expect

Memory: the first 256 bytes of every packet are held, so that the threads, and
not the disk, set the pace.

Exit status:
  0  all went well
  1  the file could not be read, or not to its end (what was read is reported)
  2  an option is wrong
  3  the filter was full and refused flows
  4  a check failed: the answers do not add up to the exact set, or there are
     more false positives than chance explains";

impl Args {
    /// The file to read, and the name to show for it.
    pub(crate) fn capture(&self) -> (&Path, String) {
        match &self.capture {
            Some(path) => (path, path.display().to_string()),
            None => (
                Path::new(DEFAULT_CAPTURE),
                "examples/data/loopback.pcap".to_owned(),
            ),
        }
    }

    /// How many times to go through a capture of this many packets.
    pub(crate) fn passes(&self, packets: u64) -> u32 {
        let by_number = match u32::try_from(packets) {
            Ok(packets) if packets > 0 => DEFAULT_WORK.div_ceil(packets),
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
