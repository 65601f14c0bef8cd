//! The table of what each worker did.

use super::amount;
use crate::keys::Mode;
use crate::pool::Tally;
use std::io::{self, Write};
use std::time::Duration;

/// A line for each worker, one for all, and the throughput.
pub(crate) fn workers(out: &mut dyn Write, mode: Mode, tallies: &[Tally]) -> io::Result<()> {
    let no_key = match mode {
        Mode::Flows => "no flow",
        Mode::Packets => "no data",
    };
    writeln!(
        out,
        "\n{:>6} {:>12} {:>11} {:>12} {:>9} {:>9} {:>11} {:>11}",
        "worker", "packets", "seen first", "duplicates", "refused", no_key, "time", "packets/s",
    )?;
    let mut total = Row::default();
    for (number, tally) in tallies.iter().enumerate() {
        let row = Row {
            packets: tally.packets,
            firsts: tally.firsts,
            duplicates: tally.duplicates,
            refused: tally.refused,
            no_key: tally.no_key,
            time: tally.ended - tally.started,
        };
        row.print(out, &number.to_string())?;
        total.add(&row);
    }
    total.time = elapsed(tallies);
    total.print(out, "all")?;
    writeln!(
        out,
        "\nthroughput  {} ({} in {})",
        amount::rate(total.rate(), "packets"),
        amount::count(total.packets, "packet"),
        amount::time(total.time),
    )
}

/// From the first worker's start to the last one's end. A worker that woke up
/// too late to get a batch did not take part.
pub(crate) fn elapsed(tallies: &[Tally]) -> Duration {
    let busy = || tallies.iter().filter(|tally| tally.packets > 0);
    let started = busy().map(|tally| tally.started).min();
    let ended = busy().map(|tally| tally.ended).max();
    started
        .zip(ended)
        .map_or(Duration::ZERO, |(started, ended)| ended - started)
}

/// A line of the table.
#[derive(Default)]
struct Row {
    packets: u64,
    firsts: u64,
    duplicates: u64,
    refused: u64,
    no_key: u64,
    time: Duration,
}

impl Row {
    /// Adds up the counts. The times overlap and are left alone.
    fn add(&mut self, other: &Self) {
        self.packets += other.packets;
        self.firsts += other.firsts;
        self.duplicates += other.duplicates;
        self.refused += other.refused;
        self.no_key += other.no_key;
    }

    /// Packets a second.
    fn rate(&self) -> f64 {
        if self.packets == 0 {
            return 0.0;
        }
        self.packets as f64 / self.time.as_secs_f64().max(1e-9)
    }

    fn print(&self, out: &mut dyn Write, name: &str) -> io::Result<()> {
        writeln!(
            out,
            "{name:>6} {:>12} {:>11} {:>12} {:>9} {:>9} {:>11} {:>11.0}",
            self.packets,
            self.firsts,
            self.duplicates,
            self.refused,
            self.no_key,
            amount::time(self.time),
            self.rate(),
        )
    }
}
