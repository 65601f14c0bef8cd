//! The sweep: throughput against workers, beside rivals and the limit.
//!
//! One process measures all, in slices that alternate, so that what else the
//! machine does hits all of them alike; each figure is the median of its slices.

mod chart;
mod rivals;

use crate::args::Args;
use crate::batches::Batch;
use crate::filters::Maker;
use crate::job;
use crate::keys::Keys;
use crate::pool::{Held, Pool};
use crate::report::{Problems, Status, table};
use chart::Sweep;
use charts::machine::machine;
use rivals::Rival;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Slices of each figure.
const ROUNDS: usize = 9;

/// Packets of a slice, unless `--repeat` says otherwise: a tenth of a second.
const SLICE: u64 = 1 << 20;

/// Measures, and shows the figures.
pub(crate) fn run(args: &Args, stop: &Arc<AtomicBool>, problems: &mut Problems) -> io::Result<()> {
    // Measuring takes minutes.
    if let Some(path) = &args.svg
        && let Err(error) = File::options().create(true).append(true).open(path)
    {
        problems.add(Status::Unreadable, cannot_write(path, &error));
        return Ok(());
    }
    let Some((batches, intake)) = job::batches(args, stop, problems) else {
        return Ok(());
    };
    if intake.packets == 0 {
        problems.add(Status::Unreadable, "there is nothing to measure".to_owned());
        return Ok(());
    }
    let passes = SLICE.div_ceil(intake.packets).try_into().unwrap_or(1);
    let passes = args.repeat.unwrap_or(passes);
    let out = &mut io::stdout().lock();
    let (_, name) = args.capture();
    let name = args
        .made_up
        .map_or(name, |flows| format!("{flows} generated flows"));
    let packets = intake.packets.saturating_mul(passes.into()) as f64 / 1e6;
    let mode = args.mode.plural();
    let what = format!("{name}, {packets:.1} million packets per slice, --mode {mode}");
    writeln!(
        out,
        "{what}\n{}\nmillion packets per second, medians of {ROUNDS} slices\n",
        machine()
    )?;
    out.flush()?;

    let Some(sweep) = measure(args, &batches, passes, stop, problems) else {
        return Ok(());
    };
    print(out, &sweep.workers, &sweep.lines)?;
    writeln!(
        out,
        "\nthe same, divided by the limit, medians of slices side by side\n"
    )?;
    print(out, &sweep.workers, &sweep.parts)?;
    if let Some(path) = &args.svg
        && let Err(error) = chart::draw(&sweep, &what, path)
    {
        problems.add(Status::Unreadable, cannot_write(path, &error));
    }
    out.flush()
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}

/// A table with a column for each rival.
fn print(out: &mut dyn Write, workers: &[usize], lines: &[(Rival, Vec<f64>)]) -> io::Result<()> {
    write!(out, "{:>7}", "workers")?;
    for (rival, _) in lines {
        write!(out, "  {}", rival.name())?;
    }
    writeln!(out)?;
    for (row, workers) in workers.iter().enumerate() {
        write!(out, "{workers:>7}")?;
        for (rival, figures) in lines {
            let width = rival.name().len();
            write!(out, "  {:>width$.2}", figures[row])?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Nothing if a measurement could not be made, or was stopped.
fn measure(
    args: &Args,
    batches: &[Arc<Batch>],
    passes: u32,
    stop: &AtomicBool,
    problems: &mut Problems,
) -> Option<Sweep> {
    let maker = job::maker(args, batches);
    let workers = steps(args.workers.unwrap_or_else(|| (2 * args.workers()).max(4)));
    let mut slices = vec![vec![Vec::new(); workers.len()]; Rival::ALL.len()];
    for round in 0..ROUNDS {
        for (column, &workers) in workers.iter().enumerate() {
            // Every round begins with another one.
            for turn in 0..Rival::ALL.len() {
                let row = (round + turn) % Rival::ALL.len();
                let measured = slice(
                    args,
                    batches,
                    passes,
                    &maker,
                    Rival::ALL[row],
                    workers,
                    stop,
                );
                match measured {
                    Ok(figure) => slices[row][column].push(figure),
                    Err((status, words)) => {
                        problems.add(status, words);
                        return None;
                    }
                }
                if stop.load(Ordering::Relaxed) {
                    return None;
                }
            }
        }
    }
    // The last one is the limit. What else the machine does hits slices that are
    // side by side about alike, so their quotient tells more than they do.
    let limit = slices[Rival::ALL.len() - 1].clone();
    let quotients = |column: usize, figures: &[f64]| {
        let pairs = figures.iter().zip(&limit[column]);
        median(pairs.map(|(figure, limit)| figure / limit).collect())
    };
    let parts = |columns: &Vec<Vec<f64>>| {
        let columns = columns.iter().enumerate();
        columns
            .map(|(column, figures)| quotients(column, figures))
            .collect()
    };
    let medians = |columns: &Vec<Vec<f64>>| columns.iter().cloned().map(median).collect();
    let rivals = || Rival::ALL.into_iter().zip(&slices);
    Some(Sweep {
        lines: rivals()
            .map(|(rival, columns)| (rival, medians(columns)))
            .collect(),
        parts: rivals()
            .map(|(rival, columns)| (rival, parts(columns)))
            .collect(),
        workers,
    })
}

/// One measurement, in million packets a second.
fn slice(
    args: &Args,
    batches: &[Arc<Batch>],
    passes: u32,
    maker: &Maker,
    rival: Rival,
    workers: usize,
    stop: &AtomicBool,
) -> Result<f64, (Status, String)> {
    let source = Held::new(batches, passes, workers, maker, stop)
        .map_err(|error| job::no_filter(args, maker, &error))?;
    let pool = Pool {
        workers,
        keys: &Keys::new(args.mode),
        decide: &*rival.start(maker.room().keys()),
        source: &source,
        clock: None,
        results: None,
    };
    let outcomes = pool.run(None).map_err(|error| {
        let words = format!("cannot start {workers} threads: {error}");
        (Status::BadOption, words)
    })?;
    let tallies: Vec<_> = outcomes.into_iter().map(|outcome| outcome.tally).collect();
    let packets: u64 = tallies.iter().map(|tally| tally.packets).sum();
    Ok(packets as f64 / table::elapsed(&tallies).as_secs_f64().max(1e-9) / 1e6)
}

/// 1 to 4, and then in steps that grow.
fn steps(most: usize) -> Vec<usize> {
    let mut steps = vec![1];
    while let Some(&last) = steps.last()
        && last < most
    {
        steps.push((last + (last / 2).max(1)).min(most));
    }
    steps
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_unstable_by(f64::total_cmp);
    figures[figures.len() / 2]
}
