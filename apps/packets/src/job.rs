//! The job: a run over a capture, from its first packet to the report.

use crate::args::Args;
use crate::batches::{self, Batch, Busiest, Intake, Packer, Periods};
use crate::filter::{Filter, Kind, Plan};
use crate::keys::Keys;
use crate::pool::{Clock, Held, Pool, Source, Stream, Tally};
use crate::report::{Problems, Run, Status};
use crate::results::{self, Results, Target};
use crate::verify;
use lockfree_cuckoo::BuildError;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The keys that a growing filter has room for at first.
const GROWING_CAPACITY: usize = 1_000_000;

/// The keys of a window that a filter for a pipe has room for, in 25 MB, because the length of a
/// pipe is unknown.
const WINDOW_CAPACITY: usize = 4_000_000;

/// The least keys that a filter has room for: a signal may end the count of the packets before the
/// first.
const LEAST_CAPACITY: usize = 1024;

/// The reason why a run ends before there is anything to report.
pub(crate) type Failure = (Status, String);

/// Runs the job, and writes the report.
pub(crate) fn run(args: &Args, stop: &Arc<AtomicBool>, problems: &mut Problems) -> io::Result<()> {
    let run = if args.streams() {
        streamed(args, stop)
    } else {
        held(args, stop)
    };
    let Some(run) = problems.note(run) else {
        return Ok(());
    };
    run.problems(problems);
    if run.written.unread {
        return Ok(());
    }
    let mut out: Box<dyn Write> = if args.fills_standard_output() {
        Box::new(io::stderr().lock())
    } else {
        Box::new(io::stdout().lock())
    };
    out.write_all(run.text().as_bytes())?;
    out.flush()
}

fn held(args: &Args, stop: &Arc<AtomicBool>) -> Result<Run, Failure> {
    check_target(args)?;
    let (batches, intake) = batches(args, stop)?;
    let plan = plan_of(args, &batches);
    let filter = filter(args, plan)?;
    let results = results(args, stop)?;
    let passes = args.passes();
    let source = Held::new(&batches, passes, plan.kind, stop);
    let mut run = work(args, &source, stop, plan, filter, results)?;
    run.passes = Some(passes);
    run.intake = intake;
    Ok(run)
}

fn streamed(args: &Args, stop: &Arc<AtomicBool>) -> Result<Run, Failure> {
    check_target(args)?;
    let path = args.capture.as_deref();
    // Count the packets first, so that the filter has room for their keys.
    let count = || {
        let mut busiest = Busiest::default();
        let packer = Packer::new(Periods::new(args.window), 0);
        // Ignore damage here: it ends the second reading too, which reports it.
        batches::read(path, packer, stop, |batch| busiest.add(&batch));
        busiest.most
    };
    let plan = plan(args, args.reads_file().then_some(&count));
    let filter = filter(args, plan)?;
    let results = results(args, stop)?;
    let stream = Stream::start(args.capture.clone(), packer(args), args.workers(), stop)
        .map_err(|error| no_thread(1, &error))?;
    let mut run = work(args, &stream, stop, plan, filter, results)?;
    let mut intake = readable(args, stream.finish())?;
    if intake.format.is_empty() {
        intake.format = "no packet was read";
    }
    if stop.load(Ordering::Relaxed) {
        // The signal has also ended the program that wrote into the pipe.
        intake.damage.take_if(|damage| damage.is_cut());
    }
    // Count only the packets that were handled before the stop.
    intake.counts.packets = run.all.packets;
    run.intake = intake;
    Ok(run)
}

/// Fails if the new packets cannot be written to their target, before time is spent on finding
/// them.
fn check_target(args: &Args) -> Result<(), Failure> {
    let Some(target) = args.target() else {
        return Ok(());
    };
    let capture = args.capture.as_deref();
    let words = if args.print.is_some() && target.is_standard_output() {
        "--print and --write - would both use standard output".to_owned()
    } else if args.made_up.is_none() && capture.is_some_and(|capture| target.is(capture)) {
        format!(
            "cannot write {}: it is the capture that is read",
            target.name()
        )
    } else {
        return target
            .check()
            .map_err(|error| cannot_write(&target, &error));
    };
    Err((Status::BadOption, words))
}

fn cannot_write(target: &Target, error: &io::Error) -> Failure {
    let words = format!("cannot write {}: {error}", target.name());
    (Status::Unreadable, words)
}

/// Opens the targets of the new packets, if there are any.
fn results(args: &Args, stop: &Arc<AtomicBool>) -> Result<Option<Results>, Failure> {
    let target = args.target();
    if args.print.is_none() && target.is_none() {
        return Ok(None);
    }
    let opened = Results::open(args.print, target.as_ref(), stop);
    let opened = opened.map_err(|error| {
        let standard_output = Target::standard_output();
        cannot_write(target.as_ref().unwrap_or(&standard_output), &error)
    });
    opened.map(Some)
}

fn packer(args: &Args) -> Packer {
    let kept = match args.target() {
        Some(_) => results::MOST_BYTES,
        None => args.mode.kept_bytes(),
    };
    Packer::new(Periods::new(args.window), kept)
}

/// Returns the batches to hold in memory, so that the threads, and not the disk, set the pace; and
/// the intake.
pub(crate) fn batches(
    args: &Args,
    stop: &AtomicBool,
) -> Result<(Vec<Arc<Batch>>, Intake), Failure> {
    if let Some(flows) = args.made_up {
        return Ok(batches::made_up(flows, packer(args)));
    }
    let mut batches = Vec::new();
    let keep = |batch| batches.push(Arc::new(batch));
    let intake = batches::read(args.capture.as_deref(), packer(args), stop, keep);
    Ok((batches, readable(args, intake)?))
}

/// Fails if there is not even a header: then there is nothing to report but the error.
fn readable(args: &Args, intake: Intake) -> Result<Intake, Failure> {
    match &intake.damage {
        Some(error) if intake.format.is_empty() => {
            Err((Status::Unreadable, format!("{}: {error}", args.name())))
        }
        _ => Ok(intake),
    }
}

/// Plans the filter for these batches.
pub(crate) fn plan_of(args: &Args, batches: &[Arc<Batch>]) -> Plan {
    let mut busiest = Busiest::default();
    batches.iter().for_each(|batch| busiest.add(batch));
    plan(args, Some(&|| busiest.most))
}

/// Plans the filter. `count` returns the packets of the period that has the most, if they can be
/// counted.
fn plan(args: &Args, count: Option<&dyn Fn() -> usize>) -> Plan {
    // The packets that come late to a generation: all workers but one may have a batch of an
    // earlier period.
    let late = match args.window {
        Some(_) => (args.workers() - 1) * batches::PACKETS,
        None => 0,
    };
    let (kind, keys) = match (args.capacity, count) {
        (capacity, _) if args.growing => (Kind::Growing, capacity.unwrap_or(GROWING_CAPACITY)),
        (Some(capacity), _) => (Kind::Fixed, capacity),
        (None, Some(count)) => (Kind::Fixed, count().max(LEAST_CAPACITY) + late),
        (None, None) if args.window.is_some() => (Kind::Fixed, WINDOW_CAPACITY),
        (None, None) => (Kind::Growing, GROWING_CAPACITY),
    };
    Plan {
        kind: if args.window.is_some() {
            Kind::Rotating
        } else {
            kind
        },
        keys,
        rate: args.rate,
    }
}

/// Makes the filter. If that is impossible, says why, and what to do.
pub(crate) fn filter(args: &Args, plan: Plan) -> Result<Filter, Failure> {
    let why = |error: BuildError| match error {
        BuildError::FalsePositiveRate { rate: least, .. } if plan.kind == Kind::Growing => {
            // Round up, so that this rate is possible.
            let least = (least * 1e6).ceil() / 1e6;
            format!(
                "--rate is too low for a filter that grows: raise --rate to {least} at least, or give --capacity without \
                 --growing"
            )
        }
        _ => {
            let (noun, capacity) = (args.mode.noun(), plan.keys);
            format!("cannot make a filter for {capacity} {noun}s: {error}")
        }
    };
    Filter::new(plan).map_err(|error| (Status::BadOption, why(error)))
}

pub(crate) fn no_thread(threads: usize, error: &io::Error) -> Failure {
    (
        Status::BadOption,
        format!("cannot start {threads} threads: {error}"),
    )
}

/// Runs the workers, and checks their answers.
fn work(
    args: &Args,
    source: &dyn Source,
    stop: &AtomicBool,
    plan: Plan,
    filter: Filter,
    results: Option<Results>,
) -> Result<Run, Failure> {
    let keys = Keys::new(args.mode);
    let clock = args.verify.then(Clock::default);
    let pool = Pool {
        workers: args.workers(),
        keys: &keys,
        filter: &filter,
        decide: &Filter::in_batches,
        source,
        stop,
        clock: clock.as_ref(),
        results: results.as_ref(),
    };
    let outcomes = pool.run();
    let written = results.map(Results::finish).unwrap_or_default();
    let (mut tallies, mut records) = (Vec::new(), Vec::new());
    for outcome in outcomes.map_err(|error| no_thread(args.workers(), &error))? {
        tallies.push(outcome.tally);
        records.extend(outcome.records);
    }
    let all = Tally::of_all(&tallies);
    let verify = || verify::verify(&keys, &all, &records, &filter, plan);
    Ok(Run {
        name: args.name(),
        mode: args.mode,
        window: args.window,
        verdict: args.verify.then(verify),
        intake: Intake::default(),
        passes: None,
        tallies,
        all,
        filter,
        grows: plan.kind == Kind::Growing,
        written,
    })
}
