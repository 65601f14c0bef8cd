//! The command line: its options and their limits.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::RangedU64ValueParser;
use clap::{CommandFactory, FromArgMatches, Parser, ValueEnum};

/// The exit status if an option is wrong.
pub(crate) const WRONG: u8 = 2;

/// Shared cuckoo filters behind the Redis protocol
///
/// Speaks RESP2 and RESP3, so redis-cli, redis-benchmark and the client libraries work unchanged.
/// Supports the CF commands, with the arguments and replies that RedisBloom documents, and the
/// commands that clients need to connect. All connections use the same filters from all threads,
/// and an item command takes no lock.
#[derive(Clone, Debug, Parser)]
#[command(version, after_long_help = DETAILS)]
pub(crate) struct Args {
    /// The address for Redis clients. A host name is looked up once, when the server starts; the
    /// server listens on the first of its addresses that it can. An address that is not a loopback
    /// address needs --password-file
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:6379")]
    pub(crate) bind: String,

    /// The address for GET /metrics and GET /healthz; without it, there is no HTTP. If it is not a
    /// loopback address, it needs --password-file, and GET /metrics asks for the password, as a
    /// bearer token
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) http: Option<String>,

    /// Lets everyone who reaches the address of --http read the metrics
    #[arg(long, requires = "http")]
    pub(crate) http_without_password: bool,

    /// A file whose first line is the password that clients must give
    #[arg(long, value_name = "FILE", env = "LOCKFREE_CUCKOO_PASSWORD_FILE")]
    pub(crate) password_file: Option<PathBuf>,

    /// Threads that serve connections [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = up_to(1_024))]
    pub(crate) threads: Option<usize>,

    #[command(flatten)]
    pub(crate) filters: Filters,

    #[command(flatten)]
    pub(crate) storage: Storage,

    #[command(flatten)]
    pub(crate) limits: Limits,

    /// Format of the logs on standard error
    #[arg(long, value_enum, default_value_t = LogFormat::Text, help_heading = "Logs")]
    pub(crate) log_format: LogFormat,

    /// Lowest level of messages that are logged: error, warn, info, debug or trace
    #[arg(
        long,
        value_name = "LEVEL",
        default_value = "info",
        help_heading = "Logs"
    )]
    pub(crate) log_level: log::Level,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Filters")]
pub(crate) struct Filters {
    /// Items for which a filter is made at first, if the command that creates it gives no capacity
    #[arg(long, value_name = "ITEMS", default_value = "1024", value_parser = capacity)]
    pub(crate) default_capacity: usize,

    /// Puts a mutex around each filter. For comparisons: it shows the cost of a lock
    #[arg(long)]
    pub(crate) behind_a_mutex: bool,

    /// Adds the lines of this file, or the strings of a JSON array, to a filter before the server
    /// accepts clients
    #[arg(long, value_name = "FILE")]
    pub(crate) load: Option<PathBuf>,

    /// The key of the filter that --load adds to
    #[arg(long, value_name = "KEY", default_value = "loaded", requires = "load")]
    pub(crate) load_key: String,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Storage")]
pub(crate) struct Storage {
    /// The file that all filters are saved to, and restored from at the start. Each server needs
    /// its own file
    #[arg(long, value_name = "FILE")]
    pub(crate) snapshot: Option<PathBuf>,

    /// Seconds between two snapshots; with 0, only SAVE, BGSAVE and the end of the server take one
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds, requires = "snapshot")]
    pub(crate) snapshot_interval: Duration,

    /// Refuses commands that change filters while the last snapshot could not be saved
    #[arg(long, requires = "snapshot")]
    pub(crate) stop_writes_on_save_error: bool,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct Limits {
    /// Most connections at a time; further ones get an error and are closed
    #[arg(long, value_name = "N", default_value_t = 1_024, value_parser = up_to(1_000_000))]
    pub(crate) max_connections: usize,

    /// Most bytes of an item or a key
    #[arg(long, value_name = "BYTES", default_value = "16K", value_parser = |text: &str| bytes(text, 1..=1 << 29))]
    pub(crate) max_item: usize,

    /// Most bytes of one request, with all its arguments
    #[arg(long, value_name = "BYTES", default_value = "16M", value_parser = |text: &str| bytes(text, 1 << 10..=1 << 30))]
    pub(crate) max_request: usize,

    /// Most requests that a client can send ahead of their replies. The next ones wait until these
    /// are answered and the replies are sent
    #[arg(long, value_name = "N", default_value_t = 1_024, value_parser = up_to(1_000_000))]
    pub(crate) max_pipeline: usize,

    /// Most commands of a transaction. Together they can have as many bytes as a request
    #[arg(long, value_name = "N", default_value_t = 1 << 18, value_parser = up_to(1 << 24))]
    pub(crate) max_transaction: usize,

    /// Most filters at a time
    #[arg(long, value_name = "N", default_value_t = 1_024, value_parser = up_to(1_000_000))]
    pub(crate) max_filters: usize,

    /// Most bytes of all filters together, with those that are being loaded or dumped
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = |text: &str| bytes(text, 1..=usize::MAX))]
    pub(crate) max_memory: usize,

    /// Most bytes that all clients together can hold in requests that are incomplete, queued or
    /// being answered, and in replies that are not sent. Beyond that, the client that holds most is
    /// disconnected
    #[arg(long, value_name = "BYTES", default_value = "256M", value_parser = |text: &str| bytes(text, 0..=usize::MAX))]
    pub(crate) max_client_memory: usize,

    /// Most bytes that one growing filter can take [default: --max-memory]
    #[arg(long, value_name = "BYTES", value_parser = |text: &str| bytes(text, 1..=usize::MAX))]
    max_growth: Option<usize>,

    /// Seconds after which an idle client is disconnected; 0: never
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = seconds)]
    pub(crate) idle_timeout: Duration,

    /// Seconds that a client has to complete a request, to read its replies, and to give its
    /// password
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = nonzero_seconds)]
    pub(crate) request_timeout: Duration,

    /// Seconds that connections have to finish when the server ends
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub(crate) drain_timeout: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

const DETAILS: &str = "\
Storage: a snapshot holds every item whose CF.ADD was answered before the snapshot began. It replaces the last one only
when it is complete on disk, so a crash at any moment leaves a readable snapshot. SIGTERM and SIGINT end the server: it
stops listening, answers the requests it has read, takes a last snapshot and exits.

Exit status:
  0  ended by SIGTERM, SIGINT or SHUTDOWN
  1  the last snapshot could not be written, or a second signal came
  2  an option is wrong
  3  could not start: an address, a file or memory was not available";

impl Limits {
    pub(crate) fn max_growth(&self) -> usize {
        self.max_growth.unwrap_or(self.max_memory)
    }
}

impl Args {
    /// Parses the options of this process. Ends it if they are wrong.
    pub(crate) fn of_this_process() -> Self {
        // Otherwise a negative number would be reported as an unknown option.
        let command = Self::command().mut_args(|arg| {
            let has_value = arg.get_action().takes_values();
            arg.allow_negative_numbers(has_value)
        });
        let args = Self::from_arg_matches(&command.get_matches());
        args.unwrap_or_else(|error| error.exit())
    }

    /// Returns a message about options that contradict each other, if any do.
    pub(crate) fn contradiction(&self) -> Option<&'static str> {
        let limits = &self.limits;
        // A buffer can be twice as large as its content, and each client has one for requests and
        // one for replies.
        let words = if limits.max_growth() > limits.max_memory {
            "--max-growth is more than --max-memory: lower it, or raise --max-memory"
        } else if limits.max_client_memory / 4 < limits.max_request {
            "--max-client-memory is less than four times --max-request: raise it, or lower --max-request"
        } else if limits.max_item > limits.max_request {
            "--max-item is more than --max-request: lower it, or raise --max-request"
        } else {
            return None;
        };
        Some(words)
    }

    pub(crate) fn threads(&self) -> usize {
        let processors =
            || std::thread::available_parallelism().map_or(1, |number| number.get().min(1024));
        self.threads.unwrap_or_else(processors)
    }
}

fn up_to(most: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=most)
}

/// Parses a capacity as a client can give it without a bucket size.
fn capacity(text: &str) -> Result<usize, &'static str> {
    let items = text.parse().ok().filter(|&items| items >= 4);
    items.ok_or("it must be a number of items, 4 at least: two buckets of two")
}

/// Parses a number of bytes. K, M and G multiply it by powers of 1,024.
fn bytes(text: &str, bounds: RangeInclusive<usize>) -> Result<usize, String> {
    let (number, shift) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 20),
        Some(b'G' | b'g') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number: usize = number
        .parse()
        .map_err(|_| "not a number of bytes, such as 1000, 16K, 64M or 1G".to_owned())?;
    number
        .checked_mul(1 << shift)
        .filter(|bytes| bounds.contains(bytes))
        .ok_or_else(|| {
            let (least, most) = (bounds.start(), bounds.end());
            format!("not from {least} to {most} bytes")
        })
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if duration <= Duration::from_secs(1 << 32) => Ok(duration),
        _ => Err("not a number of seconds from 0 to 4294967296".to_owned()),
    }
}

fn nonzero_seconds(text: &str) -> Result<Duration, String> {
    match seconds(text)? {
        Duration::ZERO => Err("must be more than 0".to_owned()),
        duration => Ok(duration),
    }
}
