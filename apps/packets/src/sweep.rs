//! The sweep: measures throughput by the number of workers, beside rivals and the limit.
//!
//! One process measures all, in alternating slices, so that a disturbance of the machine meets all
//! of them. Each figure is the median of its slices.

use crate::args::Args;
use crate::batches::Batch;
use crate::filter::{Answer, Decide, Filter, Plan, Scratch};
use crate::job::{self, Failure};
use crate::keys::{Key, Keys};
use crate::pool::{Held, Pool, Tally};
use crate::report::{Problems, Status};
use lockfree_cuckoo::RandomState;
use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of slices of each figure.
const ROUNDS: usize = 9;

/// The packets of a slice, unless `--repeat` says otherwise: a tenth of a second.
const SLICE: u64 = 1 << 20;

/// A function that starts a way to find new keys, with room for this many.
type Start = fn(usize) -> Box<Decide>;

/// The ways, each with the heading of its column.
const RIVALS: [(&str, Start); 5] = [
    ("filter", |_| Box::new(Filter::in_batches)),
    ("filter, single calls", |_| Box::new(Filter::one_by_one)),
    ("set, a lock per batch", |keys| {
        let set = set(keys);
        Box::new(move |_, scratch| {
            let mut set = lock(&set);
            judge(scratch, |key| set.insert(key));
        })
    }),
    ("set, a lock per packet", |keys| {
        let set = set(keys);
        Box::new(move |_, scratch| judge(scratch, |key| lock(&set).insert(key)))
    }),
    // No set at all: only the packets are read, which is not the job.
    ("headers only (limit)", |_| {
        Box::new(|_, scratch| judge(scratch, |_| false))
    }),
];
const LIMIT: usize = RIVALS.len() - 1;

/// The figures of each rival, by the number of workers.
type Figures = [Vec<f64>; RIVALS.len()];

/// Measures, and prints the figures.
pub(crate) fn run(args: &Args, stop: &AtomicBool, problems: &mut Problems) -> io::Result<()> {
    let Some((batches, packets)) = problems.note(prepare(args, stop)) else {
        return Ok(());
    };
    let passes = SLICE.div_ceil(packets).try_into().unwrap_or(1);
    let passes = args.repeat.unwrap_or(passes);
    let name = match args.made_up {
        Some(flows) => format!("{flows} generated flows"),
        None => args.name(),
    };
    let packets = packets.saturating_mul(passes.into()) as f64 / 1e6;
    let mode = args.mode.noun();
    let what = format!("{name}, {packets:.1} million packets per slice, --mode {mode}s");
    let out = &mut io::stdout().lock();
    writeln!(
        out,
        "{what}\nmillion packets per second, medians of {ROUNDS} slices\n"
    )?;
    out.flush()?;

    let workers = steps(args.workers.unwrap_or_else(|| (2 * args.workers()).max(4)));
    let slices = measure(args, &batches, passes, &workers, stop);
    let Some([figures, parts]) = problems.note(slices).flatten() else {
        return Ok(());
    };
    print(out, &workers, &figures)?;
    writeln!(
        out,
        "\nthe same, divided by the limit, medians of slices side by side\n"
    )?;
    print(out, &workers, &parts)?;
    out.flush()
}

/// Returns the batches to measure with, and the number of their packets.
fn prepare(args: &Args, stop: &AtomicBool) -> Result<(Vec<Arc<Batch>>, u64), Failure> {
    let (batches, intake) = job::batches(args, stop)?;
    if intake.counts.packets == 0 {
        return Err((Status::Unreadable, "there is nothing to measure".to_owned()));
    }
    Ok((batches, intake.counts.packets))
}

/// Prints a table with a column for each rival.
fn print(out: &mut dyn Write, workers: &[usize], figures: &Figures) -> io::Result<()> {
    let names = RIVALS.map(|(name, _)| name);
    writeln!(out, "workers  {}", names.join("  "))?;
    for (row, workers) in workers.iter().enumerate() {
        write!(out, "{workers:>7}")?;
        for (name, figures) in names.iter().zip(figures) {
            write!(out, "  {:>width$.2}", figures[row], width = name.len())?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Returns million packets per second, and the same as parts of the limit; nothing if it was
/// stopped.
fn measure(
    args: &Args,
    batches: &[Arc<Batch>],
    passes: u32,
    workers: &[usize],
    stop: &AtomicBool,
) -> Result<Option<[Figures; 2]>, Failure> {
    let plan = job::plan_of(args, batches);
    let mut slices = RIVALS.map(|_| vec![Vec::new(); workers.len()]);
    for round in 0..ROUNDS {
        for (column, &workers) in workers.iter().enumerate() {
            // Begin every round with another rival.
            for turn in 0..RIVALS.len() {
                let row = (round + turn) % RIVALS.len();
                let source = Held::new(batches, passes, plan.kind, stop);
                let decide = RIVALS[row].1(plan.keys);
                let measured = slice(args, plan, &source, &*decide, workers, stop)?;
                slices[row][column].push(measured);
                if stop.load(Ordering::Relaxed) {
                    return Ok(None);
                }
            }
        }
    }
    let medians = |figures: &Vec<Vec<f64>>| figures.iter().cloned().map(median).collect();
    let figures = slices.each_ref().map(medians);
    // A disturbance hits neighbouring slices about equally, so their quotient tells more than their
    // values.
    let limits = slices[LIMIT].clone();
    for (figure, limit) in slices
        .iter_mut()
        .flat_map(|rival| rival.iter_mut().zip(&limits))
    {
        figure
            .iter_mut()
            .zip(limit)
            .for_each(|(figure, limit)| *figure /= limit);
    }
    Ok(Some([figures, slices.each_ref().map(medians)]))
}

/// Measures one slice.
fn slice(
    args: &Args,
    plan: Plan,
    source: &Held<'_>,
    decide: &Decide,
    workers: usize,
    stop: &AtomicBool,
) -> Result<f64, Failure> {
    let pool = Pool {
        workers,
        keys: &Keys::new(args.mode),
        filter: &job::filter(args, plan)?,
        decide,
        source,
        stop,
        clock: None,
        results: None,
    };
    let outcomes = pool.run();
    let outcomes = outcomes.map_err(|error| job::no_thread(workers, &error))?;
    let tallies: Vec<_> = outcomes.into_iter().map(|outcome| outcome.tally).collect();
    Ok(Tally::of_all(&tallies).rate() / 1e6)
}

/// Returns 1 to 4, and then growing steps.
fn steps(most: usize) -> Vec<usize> {
    let next = |&last: &usize| (last < most).then(|| (last + (last / 2).max(1)).min(most));
    std::iter::successors(Some(1), next).collect()
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_unstable_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn judge(scratch: &mut Scratch, mut insert: impl FnMut(Key) -> bool) {
    let Scratch { keys, answers, .. } = scratch;
    answers.clear();
    answers.extend(keys.iter().map(|&key| match insert(key) {
        true => Answer::New,
        false => Answer::Known,
    }));
}

fn set(keys: usize) -> Mutex<HashSet<Key, RandomState>> {
    Mutex::new(HashSet::with_capacity_and_hasher(keys, RandomState::new()))
}

fn lock<T>(set: &Mutex<T>) -> MutexGuard<'_, T> {
    set.lock().unwrap_or_else(PoisonError::into_inner)
}
