//! What the server counts, as Prometheus reads it.
//!
//! A connection counts for itself, in a [`Tally`], and adds that to everybody's once for each batch of replies: so
//! threads do not write to one counter at every command.

use std::time::{SystemTime, UNIX_EPOCH};

use prometheus::core::Collector;
use prometheus::local::{LocalHistogram, LocalIntCounter};
use prometheus::proto::MetricFamily;
use prometheus::{
    Encoder, Gauge, GaugeVec, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge,
    Opts, Registry, TextEncoder,
};

use crate::catalogue::{Catalogue, bytes_of};
use crate::clients::Clients;
use crate::saver::Saver;

#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    seconds: HistogramVec,
    errors: IntCounterVec,
    pub(crate) connections: IntGauge,
    pub(crate) connected: IntCounter,
    pub(crate) rejected: IntCounter,
    pub(crate) protocol_errors: IntCounter,
    pub(crate) timeouts: IntCounter,
    pub(crate) evicted_clients: IntCounter,
    pub(crate) refused_passwords: IntCounter,
    pub(crate) bytes_read: IntCounter,
    pub(crate) bytes_written: IntCounter,
    pub(crate) snapshots: IntCounter,
    pub(crate) failed_snapshots: IntCounter,
    pub(crate) snapshot_seconds: Gauge,
    pub(crate) snapshot_bytes: IntGauge,
}

/// Seconds, from what a lookup takes to what a snapshot does.
const BOUNDS: [f64; 12] = [
    0.000_000_5,
    0.000_001,
    0.000_002,
    0.000_005,
    0.000_01,
    0.000_02,
    0.000_05,
    0.000_1,
    0.001,
    0.01,
    0.1,
    1.0,
];

impl Metrics {
    /// # Errors
    ///
    /// If two have one name.
    pub(crate) fn new() -> prometheus::Result<Self> {
        let registry = Registry::new_custom(Some("membership".to_owned()), None)?;
        let counter = |name, help| registered(&registry, IntCounter::new(name, help)?);
        let gauge = |name, help| registered(&registry, IntGauge::new(name, help)?);
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let started = Gauge::new("start_time_seconds", "When the server started, since 1970")?;
        registered(&registry, started)?.set(since.unwrap_or_default().as_secs_f64());
        let build = GaugeVec::new(
            Opts::new("build_info", "1, with the version of the server"),
            &["version"],
        )?;
        registered(&registry, build)?
            .with_label_values(&[env!("CARGO_PKG_VERSION")])
            .set(1.0);
        let seconds = HistogramOpts::new(
            "command_seconds",
            "Time from a complete request to its reply, without the network; _count is the number of commands",
        );
        let errors = Opts::new("command_errors_total", "Error replies");
        let snapshot_seconds = Gauge::new("snapshot_seconds", "Duration of the last snapshot")?;
        Ok(Self {
            seconds: registered(
                &registry,
                HistogramVec::new(seconds.buckets(BOUNDS.to_vec()), &["command"])?,
            )?,
            errors: registered(&registry, IntCounterVec::new(errors, &["command"])?)?,
            connections: gauge("connections", "Open connections")?,
            connected: counter("accepted_connections_total", "Connections accepted so far")?,
            rejected: counter(
                "rejected_connections_total",
                "Connections refused because of the limit",
            )?,
            protocol_errors: counter(
                "protocol_errors_total",
                "Connections closed because of an invalid or too long request",
            )?,
            timeouts: counter(
                "timeouts_total",
                "Connections closed because the client was too slow",
            )?,
            evicted_clients: counter(
                "evicted_clients_total",
                "Connections closed because all clients together held more than --max-client-memory",
            )?,
            refused_passwords: counter("refused_passwords_total", "Wrong passwords")?,
            bytes_read: counter("read_bytes_total", "Bytes from clients")?,
            bytes_written: counter("written_bytes_total", "Bytes to clients")?,
            snapshots: counter("snapshots_total", "Snapshots that were saved")?,
            failed_snapshots: counter(
                "failed_snapshots_total",
                "Snapshots that could not be saved",
            )?,
            snapshot_seconds: registered(&registry, snapshot_seconds)?,
            snapshot_bytes: gauge("snapshot_bytes", "Size of the last snapshot")?,
            registry,
        })
    }

    /// All of it, with the filters as they are now.
    pub(crate) fn all(
        &self,
        clients: &Clients,
        catalogue: &Catalogue,
        saver: &Saver,
    ) -> prometheus::Result<Vec<MetricFamily>> {
        let mut families = self.registry.gather();
        families.extend(measured(clients, catalogue, saver)?);
        Ok(families)
    }
}

/// In the text format of Prometheus.
pub(crate) fn text(families: &[MetricFamily]) -> prometheus::Result<String> {
    let mut text = Vec::new();
    TextEncoder::new().encode(families, &mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn registered<C: Collector + Clone + 'static>(
    registry: &Registry,
    collector: C,
) -> prometheus::Result<C> {
    registry.register(Box::new(collector.clone()))?;
    Ok(collector)
}

/// What is measured for each time that somebody looks: filters come and go.
fn measured(
    clients: &Clients,
    catalogue: &Catalogue,
    saver: &Saver,
) -> prometheus::Result<Vec<MetricFamily>> {
    let registry = Registry::new_custom(Some("membership".to_owned()), None)?;
    let set = |name, help, value: f64| -> prometheus::Result<()> {
        registered(&registry, Gauge::new(name, help)?)?.set(value);
        Ok(())
    };
    let held = "Bytes that all clients hold in requests and replies";
    set("client_memory_bytes", held, clients.held() as f64)?;
    let most = "Bytes that all clients can hold (--max-client-memory)";
    set("max_client_memory_bytes", most, clients.most() as f64)?;
    let reserved = "Bytes reserved for all filters, whether allocated yet or not";
    set(
        "reserved_memory_bytes",
        reserved,
        catalogue.reserved() as f64,
    )?;
    if saver.path().is_some() {
        let age = "Seconds since the last snapshot began that was saved, or since the start";
        set("snapshot_age_seconds", age, saver.age() as f64)?;
        let failed = "1 if the last snapshot could not be saved, otherwise 0";
        set("snapshot_failing", failed, saver.has_failed().into())?;
    }
    let rate = "Expected share of absent items that get the answer yes, at the current load";
    let gauges = [
        ("filter_items", "Items in the filter"),
        (
            "filter_deleted_items",
            "Items deleted from the filter so far",
        ),
        ("filter_load_factor", "Share of the slots in use"),
        ("filter_false_positive_rate", rate),
        ("filter_memory_bytes", "Bytes of memory of the filter"),
        ("filter_tables", "Tables of the filter"),
    ];
    let gauges = gauges.into_iter().map(|(name, help)| {
        let gauge = GaugeVec::new(Opts::new(name, help), &["filter"])?;
        registered(&registry, gauge)
    });
    let gauges = gauges.collect::<prometheus::Result<Vec<_>>>()?;
    for (key, place) in catalogue.filters().iter() {
        // One that is made smaller just now is back the next time.
        let Some(filter) = place.here() else {
            continue;
        };
        let label = label(key);
        let values = [
            filter.items() as f64,
            filter.deleted() as f64,
            filter.load_factor(),
            filter.false_positive_rate(),
            bytes_of(key, filter) as f64,
            filter.tables() as f64,
        ];
        for (gauge, value) in gauges.iter().zip(values) {
            gauge.with_label_values(&[label.as_str()]).set(value);
        }
    }
    Ok(registry.gather())
}

/// A key in printable characters. A long one is cut, and told from others by a checksum.
fn label(key: &[u8]) -> String {
    const LONGEST: usize = 64;
    match key.get(..LONGEST) {
        Some(start) if key.len() > LONGEST => {
            let sum = crc32fast::hash(key);
            format!("{}...{sum:08x}", printable(start))
        }
        _ => printable(key),
    }
}

/// Without what the text format escapes itself.
fn printable(bytes: &[u8]) -> String {
    let characters = bytes.iter().map(|&byte| match byte {
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    });
    characters.collect()
}

/// What one connection has counted since the last [`flush`](Self::flush).
#[derive(Debug)]
pub(crate) struct Tally {
    commands: Vec<Option<OfCommand>>,
    touched: Vec<usize>,
}

#[derive(Debug)]
struct OfCommand {
    seconds: LocalHistogram,
    errors: LocalIntCounter,
    is_touched: bool,
}

impl Tally {
    pub(crate) fn new(commands: usize) -> Self {
        Self {
            commands: (0..commands).map(|_| None).collect(),
            touched: Vec::new(),
        }
    }

    pub(crate) fn count(
        &mut self,
        metrics: &Metrics,
        (index, name): (usize, &str),
        seconds: f64,
        is_error: bool,
    ) {
        let of_command = self.commands[index].get_or_insert_with(|| OfCommand {
            seconds: metrics.seconds.with_label_values(&[name]).local(),
            errors: metrics.errors.with_label_values(&[name]).local(),
            is_touched: false,
        });
        of_command.seconds.observe(seconds);
        if is_error {
            of_command.errors.inc();
        }
        if !of_command.is_touched {
            of_command.is_touched = true;
            self.touched.push(index);
        }
    }

    pub(crate) fn flush(&mut self) {
        for index in self.touched.drain(..) {
            if let Some(of_command) = &mut self.commands[index] {
                of_command.seconds.flush();
                of_command.errors.flush();
                of_command.is_touched = false;
            }
        }
    }
}
