//! The report that the program prints.

mod amount;
mod problem;
pub(crate) mod progress;
mod recent;
mod run;
pub(crate) mod table;

pub use problem::{Problems, Status};
pub(crate) use run::Run;

use crate::batches::Intake;
use crate::keys::Mode;
use crate::verify::{Price, Verdict};
use std::io::{self, Write};

/// Writes all of it.
pub(crate) fn write(out: &mut dyn Write, run: &Run) -> io::Result<()> {
    capture(out, run)?;
    table::workers(out, run.mode, &run.tallies)?;
    filter(out, run)?;
    if let Some(file) = &run.written.file {
        let packets = amount::count(file.packets, "packet");
        writeln!(out, "written     {packets} to {}", file.name)?;
    }
    match &run.verdict {
        None => {
            let kinds = [0, 1, 2, 3].map(|kind| run.tallies.iter().map(|t| t.kinds[kind]).sum());
            keys(
                out,
                run.mode,
                "seen first",
                run.total(|tally| tally.firsts),
                kinds,
            )
        }
        Some(verdict) => checks(out, run, verdict),
    }
}

/// What was read, and how much work it makes.
fn capture(out: &mut dyn Write, run: &Run) -> io::Result<()> {
    let Intake {
        format,
        packets,
        bytes,
        left_out,
        ..
    } = &run.intake;
    writeln!(out, "capture     {} ({format})", run.name)?;
    writeln!(out, "packets     {packets} ({bytes} bytes read)")?;
    for (link, count) in left_out {
        writeln!(
            out,
            "left out    {} of link type {link}, which this program does not read",
            amount::count(*count, "packet")
        )?;
    }
    if let Some(passes) = run.passes {
        let all = packets.saturating_mul(passes.into());
        writeln!(
            out,
            "passes      {passes} over the packets, {} in all",
            amount::count(all, "packet")
        )?;
    }
    if let Some(window) = run.window {
        let window = window.as_secs_f64();
        writeln!(
            out,
            "window      {window} s: a key is known for one to two windows"
        )?;
    }
    Ok(())
}

/// The filters after the work.
fn filter(out: &mut dyn Write, run: &Run) -> io::Result<()> {
    let filters = run.last.filters();
    if let Some(young) = filters.first() {
        let each = match filters.len() {
            1 if run.window.is_some() => ", for all windows",
            1 => "",
            _ => ", and one more",
        };
        writeln!(
            out,
            "filter      room for {}{}: {} slots in {} bytes{each}",
            amount::count(young.capacity() as u64, run.mode.singular()),
            if run.grows { ", and it grows" } else { "" },
            young.slots(),
            young.memory_usage(),
        )?;
    }
    for filter in filters {
        writeln!(
            out,
            "load        {} of {} slots in use, load factor {:.4}",
            filter.len(),
            filter.slots(),
            filter.load_factor(),
        )?;
    }
    Ok(())
}

/// How many flows there are, or packets.
fn keys(
    out: &mut dyn Write,
    mode: Mode,
    what: &str,
    count: u64,
    [tcp, udp, icmp, other]: [u64; 4],
) -> io::Result<()> {
    match mode {
        Mode::Flows => writeln!(
            out,
            "flows       {count} {what}: {tcp} TCP, {udp} UDP, {icmp} ICMP, {other} other"
        ),
        Mode::Packets => writeln!(out, "unique      {count} packets {what}"),
    }
}

/// How the answers of the filters add up to the exact sets.
fn checks(out: &mut dyn Write, run: &Run, verdict: &Verdict) -> io::Result<()> {
    let Verdict {
        findings,
        probes,
        missing,
        ..
    } = verdict;
    keys(out, run.mode, "distinct", findings.distinct, findings.kinds)?;
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
        "            about {:.3} false positives expected among the new {}",
        findings.expected,
        run.mode.plural(),
    )?;
    if run.window.is_some() {
        write!(
            out,
            "rotations   {} periods with packets; ",
            findings.periods
        )?;
        let keys = run.mode.plural();
        match findings.price {
            Price::Twice(count) => writeln!(out, "{count} {keys} new on both sides of a rotation"),
            Price::Late(count) => writeln!(out, "{count} batches judged after a later rotation"),
        }?;
    }
    writeln!(
        out,
        "missing     {} (false negatives)",
        missing + findings.forgotten
    )?;
    let rate = |count: f64| 100.0 * count / probes.asked.max(1) as f64;
    writeln!(
        out,
        "probes      {} {} that are not in the capture: {} answered \"known\" ({:.5} %), \
         {:.1} expected ({:.5} %)",
        probes.asked,
        run.mode.plural(),
        probes.seen,
        rate(probes.seen as f64),
        probes.expected,
        rate(probes.expected),
    )
}
