//! The report that the program prints.

use crate::capture::Capture;
use crate::check::{Findings, Probes};
use crate::flow::{FlowKey, protocol};
use crate::pool::Tally;
use lockfree_cuckoo::CuckooFilter;
use std::collections::HashSet;
use std::io::{self, Write};
use std::time::Duration;

/// What was read.
pub(crate) fn capture(out: &mut dyn Write, name: &str, capture: &Capture) -> io::Result<()> {
    let Capture {
        format,
        packets,
        bytes,
        left_out,
        ..
    } = capture;
    writeln!(out, "capture     {name} ({format})")?;
    writeln!(
        out,
        "packets     {packets} ({bytes} bytes of the file read)"
    )?;
    for (link, count) in left_out {
        writeln!(
            out,
            "left out    {count} packets of link type {link}, which this program does not read"
        )?;
    }
    Ok(())
}

/// How much work the packets make.
pub(crate) fn passes(out: &mut dyn Write, passes: u32, packets: u64) -> io::Result<()> {
    writeln!(
        out,
        "passes      {passes} over the packets, {} packets in all",
        packets.saturating_mul(passes.into()),
    )
}

/// What each worker did, and all of them together.
pub(crate) fn workers(out: &mut dyn Write, tallies: &[Tally]) -> io::Result<()> {
    let mut total = Row::default();
    writeln!(
        out,
        "\n{:>6} {:>12} {:>11} {:>12} {:>9} {:>9} {:>11} {:>11}",
        "worker", "packets", "seen first", "duplicates", "refused", "no flow", "time", "packets/s",
    )?;
    for (number, tally) in tallies.iter().enumerate() {
        let row = Row {
            packets: tally.packets,
            firsts: tally.firsts.len() as u64,
            duplicates: tally.duplicates,
            refused: tally.refused,
            no_flow: tally.no_flow,
            time: tally.ended - tally.started,
        };
        row.print(out, &number.to_string())?;
        total.add(&row);
    }
    // A worker that woke up too late to get a batch did not take part.
    let busy = || tallies.iter().filter(|tally| tally.packets > 0);
    let started = busy().map(|tally| tally.started).min();
    let ended = busy().map(|tally| tally.ended).max();
    total.time = started
        .zip(ended)
        .map_or(Duration::ZERO, |(started, ended)| ended - started);
    total.print(out, "all")?;
    writeln!(
        out,
        "\nthroughput  {:.2} million packets a second ({} packets in {:.3} ms)",
        total.rate() / 1e6,
        total.packets,
        total.time.as_secs_f64() * 1e3,
    )
}

/// The filter after the work.
pub(crate) fn filter(out: &mut dyn Write, filter: &CuckooFilter) -> io::Result<()> {
    writeln!(
        out,
        "filter      made for {} flows: {} slots in {} bytes",
        filter.capacity(),
        filter.slots(),
        filter.memory_usage(),
    )?;
    writeln!(
        out,
        "load        {} of {} slots in use, load factor {:.4}",
        filter.len(),
        filter.slots(),
        filter.load_factor(),
    )
}

/// The flows, and how the answers of the filter add up to them.
pub(crate) fn findings(
    out: &mut dyn Write,
    exact: &HashSet<FlowKey>,
    findings: &Findings,
) -> io::Result<()> {
    let count = |wanted: &[u8]| {
        let of_kind = |flow: &&FlowKey| wanted.contains(&flow.protocol());
        exact.iter().filter(of_kind).count()
    };
    let (tcp, udp) = (count(&[protocol::TCP]), count(&[protocol::UDP]));
    let icmp = count(&[protocol::ICMP, protocol::ICMPV6]);
    writeln!(
        out,
        "flows       {} distinct: {tcp} TCP, {udp} UDP, {icmp} ICMP, {} other",
        findings.distinct,
        exact.len() - tcp - udp - icmp,
    )?;
    writeln!(
        out,
        "sum         {} seen first + {} false positives + {} refused = {} (exact set: {})",
        findings.firsts,
        findings.false_positives,
        findings.refused,
        findings.firsts + findings.false_positives + findings.refused,
        findings.distinct,
    )?;
    writeln!(
        out,
        "            about {:.3} false positives expected among the new flows",
        findings.expected,
    )?;
    writeln!(
        out,
        "missing     {} (false negatives)",
        findings.false_negatives
    )
}

/// The answers for flows that are not in the filter.
pub(crate) fn probes(out: &mut dyn Write, probes: &Probes) -> io::Result<()> {
    let rate = |count: f64| 100.0 * count / probes.asked as f64;
    writeln!(
        out,
        "probes      {} flows that are not in the capture: {} answered \"seen\" ({:.5} %), \
         {:.1} expected ({:.5} %)",
        probes.asked,
        probes.seen,
        rate(probes.seen as f64),
        probes.expected,
        rate(probes.expected),
    )
}

/// A line of the table.
#[derive(Default)]
struct Row {
    packets: u64,
    firsts: u64,
    duplicates: u64,
    refused: u64,
    no_flow: u64,
    time: Duration,
}

impl Row {
    /// Adds up the counts. The times overlap and are left alone.
    fn add(&mut self, other: &Self) {
        self.packets += other.packets;
        self.firsts += other.firsts;
        self.duplicates += other.duplicates;
        self.refused += other.refused;
        self.no_flow += other.no_flow;
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
            "{name:>6} {:>12} {:>11} {:>12} {:>9} {:>9} {:>8.3} ms {:>11.0}",
            self.packets,
            self.firsts,
            self.duplicates,
            self.refused,
            self.no_flow,
            self.time.as_secs_f64() * 1e3,
            self.rate(),
        )
    }
}
