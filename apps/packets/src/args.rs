//! The command line: its options, and the settings that follow from them.

use crate::capture;
use crate::keys::Mode;
use crate::results::{Format, Target};
use clap::builder::RangedU64ValueParser;
use clap::{CommandFactory, FromArgMatches, Parser};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Passes over the example. Fewer would be over before the clock could measure them.
const PASSES_OVER_EXAMPLE: u32 = 100;

/// The bytes of a file from which on it is streamed.
const LARGE_FILE: u64 = 64 << 20;

/// The same for compressed files: captures become up to this many times smaller.
const COMPRESSION: u64 = 16;

/// Find new flows or duplicate packets with many threads and one shared filter
///
/// A pool of worker threads takes the packets of a capture in batches. For every
/// packet a worker computes a key and asks one cuckoo filter whether the key was
/// seen before. All workers share the filter without a lock. If several workers
/// race for a new key, one of them is told. With --window, old keys are forgotten.
///
///   tcpdump -U -w - | lockfree-cuckoo-packets - --window 30 --print text
///   lockfree-cuckoo-packets --mode packets --window 1 copies.pcap.gz --write without.pcap
#[derive(Debug, Parser)]
#[command(version, verbatim_doc_comment, after_long_help = DETAILS)]
pub struct Args {
    /// The capture, pcap or pcapng; - is standard input [default: a built-in example]
    ///
    /// The example is a small real capture. Ethernet, Linux cooked (both versions), BSD
    /// loopback and raw IP captures are read; packets of other link types are counted
    /// and skipped.
    ///
    /// Files compressed with gzip are read as they are. Standard input, pipes and
    /// files of more than 64 MiB (compressed 4 MiB) are streamed: packets are
    /// handled as they come, and not kept, until the input ends.
    #[arg(verbatim_doc_comment)]
    pub(crate) capture: Option<PathBuf>,

    /// The key of a packet: its flow, or the packet itself
    #[arg(long, value_enum, default_value_t = Mode::Flows, verbatim_doc_comment)]
    pub(crate) mode: Mode,

    /// Forget keys that were not seen for this time, by the times in the capture
    ///
    /// A key stays known for one to two windows after its last packet. For
    /// copies of packets one second is enough; flows can pause for a minute.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, verbatim_doc_comment)]
    pub(crate) window: Option<Duration>,

    /// Print a line to standard output for each new flow or packet, as it is found
    ///
    /// A line has the time of the packet (UTC), the protocol, the sender, the
    /// receiver, VLANs and the length in bytes. The report goes to standard error.
    /// Lines come in the order of the capture, unless a worker stands still for long.
    #[arg(long, value_enum, value_name = "FORMAT", verbatim_doc_comment)]
    #[arg(conflicts_with_all = ["repeat", "sweep"])]
    pub(crate) print: Option<Format>,

    /// Write the new packets, or the first packet of each flow, to a pcap file
    ///
    /// With --mode packets this is the capture without its copies. Timestamps (in
    /// nanoseconds), link type and original lengths are kept. Packets without a
    /// key are left out, and the few that the filter takes for copies by mistake.
    /// - is standard output; then the report goes to standard error.
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    #[arg(conflicts_with_all = ["repeat", "sweep"])]
    write: Option<PathBuf>,

    /// Number of worker threads, 1 to 1024 [default: one for each processor]
    ///
    /// They share the processors that the system gives to this program. More
    /// threads than processors do not make it faster.
    #[arg(short = 'j', long, value_name = "N", verbatim_doc_comment)]
    #[arg(value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub(crate) workers: Option<usize>,

    /// Keys that the filter has room for [default: the packets of the file]
    ///
    /// With a window, this is the number of keys of one window. A smaller filter
    /// uses less memory and is wrong more often. A filter that is too small gets
    /// full and refuses new keys. A million keys take 2.1 MB, three times that with a window.
    /// Without this option, a file that is streamed is read twice, to count its packets
    /// first. The filter for a pipe or standard input grows (--growing), or has room for
    /// 4000000 keys of each window.
    #[arg(long, value_name = "KEYS", verbatim_doc_comment)]
    #[arg(value_parser = keys)]
    pub(crate) capacity: Option<usize>,

    /// Let the filter grow, from --capacity keys [default: 1000000]
    ///
    /// A filter that grows refuses no key as long as there is memory, unless --rate ends
    /// that. Each time it grows its size doubles, and it is wrong more often. It forgets
    /// nothing, so the memory grows with the keys.
    #[arg(long, conflicts_with_all = ["sweep", "window"], verbatim_doc_comment)]
    pub(crate) growing: bool,

    /// Most wrong answers about new keys, from 1e-9 to less than 1 [default: about 0.000116]
    ///
    /// The filter takes as little memory as it can for this rate: at 0.01 two thirds
    /// of what it takes without this option, at 0.000001 more than twice as much. It is
    /// the rate of a filter that is full, with a window of both generations together. A
    /// filter that grows takes what it takes without this option: it grows until its rate
    /// would be more than this, and then refuses keys. It must be 0.000126 at least for it.
    #[arg(
        long,
        value_name = "RATE",
        conflicts_with = "sweep",
        verbatim_doc_comment
    )]
    #[arg(value_parser = rate)]
    pub(crate) rate: Option<f64>,

    /// Compare every answer with exact sets; this keeps all keys in memory
    #[arg(long)]
    pub(crate) verify: bool,

    /// Number of passes over the packets, 1 to 1000000 [default: 1]
    ///
    /// For measuring; keeps the packets in memory. A key is new only once, so
    /// more passes add duplicates; with a window, time continues from pass to pass.
    /// Without this option there are 100 passes over the built-in example, but only one
    /// with --window, --print or --write.
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
}

impl Args {
    /// Parses the options of this process. Ends it if they are wrong.
    pub fn of_this_process() -> Self {
        // Otherwise a negative number would be reported as an unknown option, with advice that does
        // not help.
        let command = Self::command().mut_args(|arg| {
            let has_value = arg.get_long().is_some() && arg.get_action().takes_values();
            arg.allow_negative_numbers(has_value)
        });
        let args = Self::from_arg_matches(&command.get_matches());
        args.unwrap_or_else(|error| error.exit())
    }

    /// Returns the name of the capture in reports.
    pub(crate) fn name(&self) -> String {
        match &self.capture {
            None => "the built-in example".to_owned(),
            Some(path) if path == Path::new("-") => "standard input".to_owned(),
            Some(path) => path.display().to_string(),
        }
    }

    /// Returns whether packets are handled as they come.
    pub(crate) fn streams(&self) -> bool {
        if self.repeat.is_some() || self.sweep || self.made_up.is_some() {
            return false;
        }
        let Some(path) = &self.capture else {
            return false;
        };
        let is_large = |bytes| {
            bytes > LARGE_FILE || bytes > LARGE_FILE / COMPRESSION && capture::is_gzip(path)
        };
        match path.metadata() {
            _ if path == Path::new("-") => true,
            Ok(file) if file.is_file() => is_large(file.len()),
            Ok(file) => !file.is_dir(),
            Err(_) => false,
        }
    }

    /// Returns whether the input can be read twice.
    pub(crate) fn reads_file(&self) -> bool {
        let path = self.capture.as_deref();
        path.is_some_and(|path| path != Path::new("-") && path.is_file())
    }

    /// Returns where to write the new packets.
    pub(crate) fn target(&self) -> Option<Target> {
        self.write.clone().map(Target)
    }

    /// Returns whether standard output is for new packets, and not for the report.
    pub(crate) fn fills_standard_output(&self) -> bool {
        let target = self.target();
        self.print.is_some() || target.is_some_and(|target| target.is_standard_output())
    }

    /// Returns how many times to go through the capture.
    pub(crate) fn passes(&self) -> u32 {
        let is_example = self.capture.is_none() && self.made_up.is_none();
        let is_shown = self.window.is_some() || self.print.is_some() || self.write.is_some();
        let unless_set = if is_example && !is_shown {
            PASSES_OVER_EXAMPLE
        } else {
            1
        };
        self.repeat.unwrap_or(unless_set)
    }

    /// Returns the number of threads to start.
    pub(crate) fn workers(&self) -> usize {
        self.workers.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, |count| count.get().min(1024))
        })
    }
}

fn keys(text: &str) -> Result<usize, &'static str> {
    let keys = text.parse().ok().filter(|&keys| keys > 0);
    keys.ok_or("it must be a number of keys, 1 at least")
}

fn rate(text: &str) -> Result<f64, &'static str> {
    let rate = text.parse().ok().filter(|rate| (1e-9..1.0).contains(rate));
    rate.ok_or("it must be from 0.000000001 to less than 1")
}

fn seconds(text: &str) -> Result<Duration, &'static str> {
    // A century: longer than any run.
    let seconds = text
        .parse()
        .ok()
        .filter(|seconds| (1e-6..=3.2e9).contains(seconds));
    let seconds = seconds.map(Duration::from_secs_f64);
    seconds.ok_or("it must be between 0.000001 and 3200000000")
}

/// The end of `--help`.
const DETAILS: &str = "\
Keys:
  flows    VLAN identifiers, IP version and protocol, and both endpoints, whichever
           way the packet went: addresses with ports for TCP, UDP, UDP-Lite, SCTP
           and DCCP, with the identifier for ICMP and ICMPv6 requests and replies,
           with type and code for other ICMP, and alone for other protocols. Of a
           fragmented datagram only the first fragment has ports; the others count
           as one flow of their addresses and protocol.
  packets  a hash of the parts that a mirrored copy shares with the packet, up to
           64 KiB: addresses, protocol, length, identification, fragment offset
           and everything after the IP headers. It leaves out TTL, hop limit, header
           checksum, traffic class, IP options, link header and tags. So a packet that
           was sent again and is equal in every byte counts as a copy.

Output of --verify:
  sum          how the flows that the filter reported add up to the distinct flows
  rotations    the periods with packets, and the batches that a worker was so late with
               that they count for a later window
  missing      keys that should be known but are not
  probes       how often the filter answers \"known\" for keys that are not in
               the capture, and how often that is expected at its current load

Window: one filter with two generations. Workers ask both, and put new and known keys
into the younger one. After every window it forgets the older one. No worker waits for
that. A late packet counts as a packet of the current window.

Lines of --print:
  text  2026-01-31T12:00:00.000000001Z TCP 192.0.2.1:1234 > 198.51.100.7:443 length 60
        Where a packet has no IP addresses, there are those of Ethernet, or a hyphen.
  json  an object with time, protocol, source, source_port, destination,
        destination_port, vlans and length; fields that a packet does not have are left out
  If the reader of standard output goes away, the run ends, without a report.

A signal (Ctrl-C, SIGTERM) ends the reading, and the program shows the totals. A second
signal ends the program at once.

Exit status:
  0  success, also if a signal ended the reading
  1  the capture could not be read, or not to its end (what was read is
     reported), or a file could not be written, or not all of it
  2  an option is wrong, or asks for more memory or threads than there are
  3  the filter was full and refused keys
  4  a check failed: answers do not agree with the exact sets, or there are
     more false positives than chance explains";
