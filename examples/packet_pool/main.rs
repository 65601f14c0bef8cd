//! A pool of threads finds the flows of a packet capture with one shared
//! cuckoo filter.
//!
//! Run it with `cargo run --release --example packet_pool -- --help`.
//!
//! The packets are read into batches first. The workers then take batches from
//! an atomic cursor, and ask the filter about the flow of every packet with
//! [`CuckooFilter::insert_unique`], which answers "new" to one thread only,
//! however many ask at once. No lock is taken on the way of a packet. At the
//! end the answers are compared with an exact set.

mod args;
mod batch;
mod capture;
mod chance;
mod check;
mod damage;
mod flow;
mod link;
mod pool;
mod progress;
mod record;
mod report;

use args::Args;
use capture::Capture;
use clap::Parser;
use lockfree_cuckoo::CuckooFilter;
use std::io::{self, Write};
use std::process::ExitCode;

/// The exit statuses other than 0, as `--help` lists them.
const UNREADABLE: u8 = 1;
const BAD_OPTION: u8 = 2;
const REFUSED: u8 = 3;
const CHECK_FAILED: u8 = 4;

fn main() -> ExitCode {
    let mut problems = Vec::new();
    match run(&Args::parse(), &mut problems) {
        // Nobody reads the report any more, as in `packet_pool | head -1`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(error) => problems.push((UNREADABLE, format!("cannot write the report: {error}"))),
        Ok(()) => {}
    }
    for (_, words) in &problems {
        // If there is no standard error left, the status still tells.
        let _ = writeln!(io::stderr(), "packet_pool: {words}");
    }
    problems
        .first()
        .map_or(ExitCode::SUCCESS, |&(status, _)| ExitCode::from(status))
}

/// Does the work and writes the report. What went wrong is added to
/// `problems`, the worst first.
fn run(args: &Args, problems: &mut Vec<(u8, String)>) -> io::Result<()> {
    let (path, name) = args.capture();
    let bar = progress::reading(path.metadata().map_or(0, |file| file.len()));
    let read = Capture::read(path, |bytes| bar.set_position(bytes));
    bar.finish_and_clear();
    let capture = match read {
        Ok(capture) => capture,
        Err(error) => {
            problems.push((UNREADABLE, format!("{name}: {error}")));
            return Ok(());
        }
    };

    let packets = usize::try_from(capture.packets).unwrap_or(usize::MAX);
    let capacity = args.capacity.unwrap_or(packets.max(1));
    let filter = match CuckooFilter::try_with_capacity(capacity) {
        Ok(filter) => filter,
        Err(error) => {
            let words = format!("cannot make a filter for {capacity} flows: {error}");
            problems.push((BAD_OPTION, words));
            return Ok(());
        }
    };

    let passes = args.passes(capture.packets);
    let bar = progress::working(capture.packets.saturating_mul(passes.into()));
    let show = bar.as_ref().map(|bar| {
        |done, total| {
            bar.set_length(total);
            bar.set_position(done);
        }
    });
    let ran = pool::run(
        &filter,
        &capture.batches,
        args.workers(),
        passes,
        show.as_ref().map(|show| show as &dyn Fn(u64, u64)),
    );
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    let tallies = match ran {
        Ok(tallies) => tallies,
        Err(error) => {
            let words = format!("cannot start {} threads: {error}", args.workers());
            problems.push((BAD_OPTION, words));
            return Ok(());
        }
    };

    let exact = check::exact_set(&capture.batches);
    let findings = check::compare(&exact, &tallies, &filter);
    let probes = check::probe(&exact, &filter);

    let failures = findings.failures.iter().cloned().chain(probes.failure());
    problems.extend(failures.map(|words| (CHECK_FAILED, format!("check failed: {words}"))));
    if let Some(damage) = &capture.damage {
        problems.push((UNREADABLE, format!("{name}: {damage}")));
    } else if capture.packets == 0 && !capture.left_out.is_empty() {
        let words = format!("{name}: no packet has a link type that this program reads");
        problems.push((UNREADABLE, words));
    }
    if let Some(refusal) = tallies.iter().find_map(|tally| tally.refusal.as_ref()) {
        let packets: u64 = tallies.iter().map(|tally| tally.refused).sum();
        let words = format!(
            "the filter refused {} flows in {packets} packets: {refusal} (raise --capacity)",
            findings.refused
        );
        problems.push((REFUSED, words));
    }

    let out = &mut io::stdout().lock();
    report::capture(out, &name, &capture)?;
    report::passes(out, passes, capture.packets)?;
    report::workers(out, &tallies)?;
    report::filter(out, &filter)?;
    report::findings(out, &exact, &findings)?;
    report::probes(out, &probes)?;
    out.flush()
}
