//! What the server counts, and how it is written for Prometheus, in OpenMetrics 1.0.
//!
//! A connection counts for itself, in a [`Tally`], and adds that to everybody's once for each batch of replies: so
//! threads do not write to one counter at every command.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use cf::Filter;

use crate::catalogue::bytes_of;
use crate::commands;
use crate::saver::Saver;
use crate::server::Server;

/// A number that all threads add to.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    pub(crate) fn set(&self, number: u64) {
        self.0.store(number, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn value(&self) -> f64 {
        self.get() as f64
    }
}

#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// By the numbers of the commands.
    commands: Vec<OfCommand<Counter>>,
    pub(crate) connected: Counter,
    pub(crate) rejected: Counter,
    pub(crate) protocol_errors: Counter,
    pub(crate) timeouts: Counter,
    pub(crate) evicted_clients: Counter,
    pub(crate) refused_passwords: Counter,
    pub(crate) bytes_read: Counter,
    pub(crate) bytes_written: Counter,
    pub(crate) snapshots: Counter,
    pub(crate) failed_snapshots: Counter,
    pub(crate) snapshot_nanoseconds: Counter,
    pub(crate) snapshot_bytes: Counter,
}

/// What is counted of one command.
#[derive(Debug, Default)]
struct OfCommand<N> {
    /// How many took no longer than each of the [`BOUNDS`] and longer than the one before, and how many took longer
    /// than all.
    took: [N; BOUNDS.len() + 1],
    nanoseconds: N,
    errors: N,
}

/// From what a lookup takes to what a snapshot does: nanoseconds, and how Prometheus writes them in seconds.
const BOUNDS: [(u128, &str); 12] = [
    (500, "5e-07"),
    (1_000, "1e-06"),
    (2_000, "2e-06"),
    (5_000, "5e-06"),
    (10_000, "1e-05"),
    (20_000, "2e-05"),
    (50_000, "5e-05"),
    (100_000, "0.0001"),
    (1_000_000, "0.001"),
    (10_000_000, "0.01"),
    (100_000_000, "0.1"),
    (1_000_000_000, "1.0"),
];

impl OfCommand<Counter> {
    fn all(&self) -> u64 {
        self.took.iter().map(Counter::get).sum()
    }
}

impl Metrics {
    pub(crate) fn new() -> Self {
        Self {
            commands: (0..=commands::unknown_name())
                .map(|_| OfCommand::default())
                .collect(),
            ..Self::default()
        }
    }
}

/// What one connection has counted since the last [`flush`](Self::flush).
#[derive(Debug, Default)]
pub(crate) struct Tally(Vec<(usize, OfCommand<u64>)>);

impl Tally {
    pub(crate) fn count(&mut self, command: usize, time: Duration, is_error: bool) {
        let Self(commands) = self;
        let known = commands.iter().position(|(other, _)| *other == command);
        let at = known.unwrap_or_else(|| {
            commands.push((command, OfCommand::default()));
            commands.len() - 1
        });
        let counts = &mut commands[at].1;
        let nanoseconds = time.as_nanos();
        counts.took[BOUNDS.partition_point(|(bound, _)| *bound < nanoseconds)] += 1;
        counts.nanoseconds += u64::try_from(nanoseconds).unwrap_or(u64::MAX);
        counts.errors += u64::from(is_error);
    }

    pub(crate) fn flush(&mut self, metrics: &Metrics) {
        for (command, new) in self.0.drain(..) {
            let all = &metrics.commands[command];
            let took = all.took.iter().zip(new.took);
            let others = [
                (&all.nanoseconds, new.nanoseconds),
                (&all.errors, new.errors),
            ];
            for (counter, more) in took.chain(others) {
                if more > 0 {
                    counter.add(more);
                }
            }
        }
    }
}

/// Type, name and help of a metric, and its value for one of something.
type Metric<T> = (&'static str, fn(&T) -> f64);

#[rustfmt::skip]
const OF_SERVER: [Metric<Server>; 17] = [
    ("gauge start_time_seconds When the server started, since 1970", started),
    ("gauge connections Open connections", |server| server.clients.number() as f64),
    ("counter accepted_connections_total Connections accepted so far", |server| server.metrics.connected.value()),
    ("counter rejected_connections_total Connections refused because of the limit", |server| server.metrics.rejected.value()),
    ("counter protocol_errors_total Connections closed because of an invalid or too long request", |server| server.metrics.protocol_errors.value()),
    ("counter timeouts_total Connections closed because the client was too slow", |server| server.metrics.timeouts.value()),
    ("counter evicted_clients_total Connections closed because all clients together held more than --max-client-memory", |server| server.metrics.evicted_clients.value()),
    ("counter refused_passwords_total Wrong passwords", |server| server.metrics.refused_passwords.value()),
    ("counter read_bytes_total Bytes from clients", |server| server.metrics.bytes_read.value()),
    ("counter written_bytes_total Bytes to clients", |server| server.metrics.bytes_written.value()),
    ("counter snapshots_total Snapshots that were saved", |server| server.metrics.snapshots.value()),
    ("counter failed_snapshots_total Snapshots that could not be saved", |server| server.metrics.failed_snapshots.value()),
    ("gauge snapshot_seconds Duration of the last snapshot", |server| server.metrics.snapshot_nanoseconds.value() / 1e9),
    ("gauge snapshot_bytes Size of the last snapshot", |server| server.metrics.snapshot_bytes.value()),
    ("gauge client_memory_bytes Bytes that all clients hold in requests and replies", |server| server.clients.held() as f64),
    ("gauge max_client_memory_bytes Bytes that all clients can hold (--max-client-memory)", |server| server.clients.most() as f64),
    ("gauge reserved_memory_bytes Bytes reserved for all filters, whether allocated yet or not", |server| server.catalogue.reserved() as f64),
];

/// Of one that has a file: without it there are no snapshots that could be late or fail.
#[rustfmt::skip]
const OF_SNAPSHOTS: [Metric<Saver>; 2] = [
    ("gauge snapshot_age_seconds Seconds since the last snapshot began that was saved, or since the start", |saver| saver.age() as f64),
    ("gauge snapshot_failing 1 if the last snapshot could not be saved, otherwise 0", |saver| saver.has_failed().into()),
];

/// The same of a filter under its key.
type OfFilter = (&'static str, fn(&[u8], &Filter) -> f64);

#[rustfmt::skip]
const OF_FILTERS: [OfFilter; 6] = [
    ("gauge filter_items Items in the filter", |_, filter| filter.items() as f64),
    ("gauge filter_deleted_items Items deleted from the filter so far", |_, filter| filter.deleted() as f64),
    ("gauge filter_load_factor Share of the slots in use", |_, filter| filter.load_factor()),
    ("gauge filter_false_positive_rate Expected share of absent items that get the answer yes, at the current load", |_, filter| filter.false_positive_rate()),
    ("gauge filter_memory_bytes Bytes of memory of the filter", |key, filter| bytes_of(key, filter) as f64),
    ("gauge filter_tables Tables of the filter", |_, filter| filter.tables() as f64),
];

const SECONDS: &str = "histogram command_seconds Time from a complete request to its reply, without the network; _count is the number of commands";
const ERRORS: &str = "counter command_errors_total Error replies";
const BUILD: &str = "info build_info 1, with the version of the server";
const VERSION: &str = concat!("{version=\"", env!("CARGO_PKG_VERSION"), "\"}");

fn started(server: &Server) -> f64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let since = since.unwrap_or_default();
    since.saturating_sub(server.started.elapsed()).as_secs_f64()
}

/// What the format is called in an HTTP response.
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// All metrics as they are now.
pub(crate) fn text(server: &Server) -> String {
    let mut page = Page(String::new());
    page.metric(BUILD, [(VERSION.to_owned(), 1.0)]);
    for (about, value) in OF_SERVER {
        page.metric(about, [(String::new(), value(server))]);
    }
    if server.saver.path().is_some() {
        for (about, value) in OF_SNAPSHOTS {
            page.metric(about, [(String::new(), value(&server.saver))]);
        }
    }
    let asked = server.metrics.commands.iter().enumerate();
    let asked = asked.filter(|(_, counts)| counts.all() > 0);
    let asked = asked.map(|(command, counts)| (commands::name(command), counts));
    page.metric(SECONDS, asked.clone().flat_map(histogram));
    let errors = |(name, counts): (&str, &OfCommand<Counter>)| {
        (format!("{{command=\"{name}\"}}"), counts.errors.value())
    };
    page.metric(ERRORS, asked.map(errors));
    let filters = server.catalogue.filters();
    // One that is made smaller just now is back the next time.
    let here = filters
        .iter()
        .filter_map(|(key, place)| Some((key, place.here()?)));
    for (about, value) in OF_FILTERS {
        let samples = here.clone().map(|(key, filter)| {
            let label = format!("{{filter=\"{}\"}}", label(key));
            (label, value(key, filter))
        });
        page.metric(about, samples);
    }
    page.0.push_str("# EOF\n");
    page.0
}

/// What is behind the name of a metric, such as its labels in braces, and a value.
type Sample = (String, f64);

struct Page(String);

impl Page {
    fn metric(&mut self, about: &str, samples: impl IntoIterator<Item = Sample>) {
        let (kind, rest) = about.split_once(' ').unwrap_or_default();
        let (name, help) = rest.split_once(' ').unwrap_or_default();
        // A family is named without it.
        let suffix = if kind == "info" { "_info" } else { "_total" };
        let family = name.strip_suffix(suffix).unwrap_or(name);
        let out = &mut self.0;
        // Into a string it does not fail.
        let _ = writeln!(out, "# TYPE membership_{family} {kind}");
        let _ = writeln!(out, "# HELP membership_{family} {help}");
        for (labels, value) in samples {
            let _ = writeln!(out, "membership_{name}{labels} {value}");
        }
    }
}

fn histogram((command, counts): (&str, &OfCommand<Counter>)) -> Vec<Sample> {
    let label = format!("command=\"{command}\"");
    let bounds = BOUNDS.iter().map(|(_, bound)| *bound).chain(["+Inf"]);
    let mut up_to = 0.0;
    let buckets = bounds.zip(&counts.took).map(|(bound, took)| {
        up_to += took.value();
        (format!("_bucket{{{label},le=\"{bound}\"}}"), up_to)
    });
    let mut samples: Vec<_> = buckets.collect();
    let seconds = counts.nanoseconds.value() / 1e9;
    // As many as are in the buckets, whoever counts meanwhile.
    samples.push((format!("_count{{{label}}}"), up_to));
    samples.push((format!("_sum{{{label}}}"), seconds));
    samples
}

/// A key in printable characters, as the format escapes them. A long one is cut, and told from others by a checksum.
fn label(key: &[u8]) -> String {
    const LONGEST: usize = 64;
    let mut label = String::new();
    for &byte in key.iter().take(LONGEST) {
        match byte {
            b'"' | b'\\' => label.extend(['\\', char::from(byte)]),
            b' '..=b'~' => label.push(char::from(byte)),
            _ => drop(write!(label, "\\\\x{byte:02x}")),
        }
    }
    if key.len() > LONGEST {
        let _ = write!(label, "...{:08x}", crc32fast::hash(key));
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_printable_and_told_apart() {
        assert_eq!(label(b"a \"b\"\\\n"), r#"a \"b\"\\\\x0a"#);
        let [one, other] =
            [b'x', b'y'].map(|last| label(&[&[b'k'; 64], [last].as_slice()].concat()));
        assert!(
            one.starts_with(&"k".repeat(64)) && one != other,
            "{one} {other}"
        );
    }
}
