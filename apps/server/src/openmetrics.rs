//! OpenMetrics: writes the page of the metrics, in version 1.0, which Prometheus reads.

use std::fmt::Write;
use std::time::{Duration, SystemTime};

use cf::Filter;

use crate::catalogue::bytes_of;
use crate::metrics::{BOUNDS, Counter, OfCommand};
use crate::saver::Saver;
use crate::server::Server;

/// A metric: its type, name and help, and a function for its value.
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

/// The metrics of a server with a snapshot file: without one, no snapshot can be late or fail.
#[rustfmt::skip]
const OF_SNAPSHOTS: [Metric<Saver>; 2] = [
    ("gauge snapshot_age_seconds Seconds since the last snapshot began that was saved, or since the start", |saver| saver.age() as f64),
    ("gauge snapshot_failing 1 if the last snapshot could not be saved, otherwise 0", |saver| saver.has_failed().into()),
];

/// A metric of a filter under its key.
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

/// The metrics of a filter with a window.
#[rustfmt::skip]
const OF_WINDOWS: [OfFilter; 3] = [
    ("gauge filter_window_seconds Time for which the filter knows an item at least", |_, filter| seconds(filter.settings().window.map(|window| window.length()))),
    ("gauge filter_youngest_generation_seconds Time since the last rotation", |_, filter| seconds(filter.age())),
    ("counter filter_rotations_total Rotations: times when the filter has forgotten its oldest items", |_, filter| filter.rotations() as f64),
];

fn seconds(time: Option<Duration>) -> f64 {
    time.unwrap_or_default().as_secs_f64()
}

const SECONDS: &str = "histogram command_seconds Time from a complete request to its reply, without the network; _count is the number of commands";
const ERRORS: &str = "counter command_errors_total Error replies";
const BUILD: &str = "info build_info 1, with the version of the server";
const VERSION: &str = concat!("{version=\"", env!("CARGO_PKG_VERSION"), "\"}");

fn started(server: &Server) -> f64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let since = since.unwrap_or_default();
    since.saturating_sub(server.started.elapsed()).as_secs_f64()
}

/// The name of the format in an HTTP response.
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Returns all metrics at this moment.
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
    let asked = server.metrics.asked();
    page.metric(SECONDS, asked.clone().flat_map(histogram));
    let errors = |(name, counts): (&str, &OfCommand<Counter>)| {
        (format!("{{command=\"{name}\"}}"), counts.errors.value())
    };
    page.metric(ERRORS, asked.map(errors));
    let filters = server.catalogue.filters();
    // A filter that is away, to be made smaller, is back the next time.
    let here = filters
        .iter()
        .filter_map(|(key, place)| Some((key, place.here()?)));
    let sample = |key, value| (format!("{{filter=\"{}\"}}", label(key)), value);
    for (about, value) in OF_FILTERS {
        let samples = here
            .clone()
            .map(|(key, filter)| sample(key, value(key, filter)));
        page.metric(about, samples);
    }
    let windows = here.filter(|(_, filter)| filter.settings().window.is_some());
    for (about, value) in OF_WINDOWS {
        let samples = windows
            .clone()
            .map(|(key, filter)| sample(key, value(key, filter)));
        page.metric(about, samples);
    }
    page.0.push_str("# EOF\n");
    page.0
}

/// The labels of a metric, in braces and with any suffix of its name, and a value.
type Sample = (String, f64);

struct Page(String);

impl Page {
    fn metric(&mut self, about: &str, samples: impl IntoIterator<Item = Sample>) {
        let (kind, rest) = about.split_once(' ').unwrap_or_default();
        let (name, help) = rest.split_once(' ').unwrap_or_default();
        // The name of a family has no suffix.
        let suffix = if kind == "info" { "_info" } else { "_total" };
        let family = name.strip_suffix(suffix).unwrap_or(name);
        let out = &mut self.0;
        // Writing into a string does not fail.
        let _ = writeln!(out, "# TYPE lockfree_cuckoo_{family} {kind}");
        let _ = writeln!(out, "# HELP lockfree_cuckoo_{family} {help}");
        for (labels, value) in samples {
            let _ = writeln!(out, "lockfree_cuckoo_{name}{labels} {value}");
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
    // The sum of the buckets, although other threads count meanwhile.
    samples.push((format!("_count{{{label}}}"), up_to));
    samples.push((format!("_sum{{{label}}}"), seconds));
    samples
}

/// Returns a key in printable characters, as the format escapes them. A long one is cut, and
/// distinguished by a checksum.
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
    fn keys_are_printable_and_distinct() {
        assert_eq!(label(b"a \"b\"\\\n"), r#"a \"b\"\\\\x0a"#);
        let [one, other] =
            [b'x', b'y'].map(|last| label(&[&[b'k'; 64], [last].as_slice()].concat()));
        assert!(
            one.starts_with(&"k".repeat(64)) && one != other,
            "{one} {other}"
        );
    }
}
