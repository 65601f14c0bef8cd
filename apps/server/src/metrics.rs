//! Metrics: the counts of commands, connections and snapshots. [`openmetrics`](crate::openmetrics)
//! writes the page.
//!
//! A connection counts in its own [`Tally`], and adds that to the shared counts once per batch of
//! replies, so that threads do not write to one counter at every command.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

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

    pub(crate) fn value(&self) -> f64 {
        self.get() as f64
    }
}

#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// The names of the commands, by their numbers.
    names: Vec<&'static str>,
    /// The counts of the commands, by their numbers.
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

/// The counts of one command.
#[derive(Debug, Default)]
pub(crate) struct OfCommand<N> {
    /// The calls that took no longer than each of the [`BOUNDS`] and longer than the one before,
    /// and those that took longer than all.
    pub(crate) took: [N; BOUNDS.len() + 1],
    pub(crate) nanoseconds: N,
    pub(crate) errors: N,
}

/// The bounds, from the time of a lookup to that of a snapshot: nanoseconds, and how Prometheus
/// writes them in seconds.
pub(crate) const BOUNDS: [(u128, &str); 12] = [
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
    /// Makes counts of commands with these names.
    pub(crate) fn new(names: Vec<&'static str>) -> Self {
        Self {
            commands: names.iter().map(|_| OfCommand::default()).collect(),
            names,
            ..Self::default()
        }
    }

    /// Returns the commands that were called, and their counts.
    pub(crate) fn asked(
        &self,
    ) -> impl Iterator<Item = (&'static str, &OfCommand<Counter>)> + Clone {
        let all = self.names.iter().copied().zip(&self.commands);
        all.filter(|(_, counts)| counts.all() > 0)
    }
}

/// The counts of one connection since the last [`flush`](Self::flush).
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
