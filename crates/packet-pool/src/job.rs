//! A run over a capture, from its first packet to the report.

mod outputs;
mod sizing;

pub(crate) use sizing::maker;

use crate::args::Args;
use crate::batches::{self, Batch, Intake, Packer, Periods};
use crate::filters::{self, Filters, Maker, Window};
use crate::keys::Keys;
use crate::pool::{Clock, Done, Held, Outcome, Pool, Source, Stream, StreamError};
use crate::report::progress::{self, Streaming};
use crate::report::{self, Problems, Run, Status};
use crate::results::{self, Results};
use crate::verify;
use lockfree_cuckoo::BuildError;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Does the work and writes the report.
pub(crate) fn run(args: &Args, stop: &Arc<AtomicBool>, problems: &mut Problems) -> io::Result<()> {
    if let Some((status, words)) = outputs::bad_target(args) {
        problems.add(status, words);
        return Ok(());
    }
    let run = if args.streams() {
        streamed(args, stop, problems)
    } else {
        held(args, stop, problems)
    };
    let Some(run) = run else {
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
    report::write(&mut out, &run)?;
    out.flush()
}

/// The batches to hold, and what was read. Nothing if it gave nothing.
pub(crate) fn batches(
    args: &Args,
    stop: &AtomicBool,
    problems: &mut Problems,
) -> Option<(Vec<Arc<Batch>>, Intake)> {
    let packer = packer(args);
    if let Some(flows) = args.made_up {
        return Some(batches::made_up(flows, packer));
    }
    let (path, name) = args.capture();
    let bar = progress::reading(path.metadata().map_or(0, |file| file.len()));
    let read = batches::load(path, packer, stop, &|bytes| bar.set_position(bytes));
    bar.finish_and_clear();
    read.map_err(|error| problems.add(Status::Unreadable, format!("{name}: {error}")))
        .ok()
}

/// Says why there is no filter, and what to do.
pub(crate) fn no_filter(args: &Args, maker: &Maker, error: &BuildError) -> (Status, String) {
    let (keys, capacity) = (args.mode.plural(), maker.room().keys());
    let words = match error.false_positive_rate() {
        Some(least) if maker.room().grows() => {
            let (least, two) = match args.window {
                Some(_) => (2.0 * least, " two"),
                None => (least, ""),
            };
            // Rounded up, so that it will do.
            let least = (least * 1e6).ceil() / 1e6;
            format!(
                "--rate is too low for{two} filters that grow: raise --rate to {least} at least, or give --capacity without \
                 --growing"
            )
        }
        _ => format!("cannot make a filter for {capacity} {keys}: {error}"),
    };
    (Status::BadOption, words)
}

fn packer(args: &Args) -> Packer {
    let kept = match args.target() {
        Some(_) => results::MOST_BYTES,
        None => args.mode.kept_bytes(),
    };
    Packer::new(Periods::new(args.window), kept)
}

fn held(args: &Args, stop: &Arc<AtomicBool>, problems: &mut Problems) -> Option<Run> {
    let (batches, intake) = batches(args, stop, problems)?;
    let results = outputs::open(args, stop, problems)?;
    let maker = maker(args, &batches);
    let passes = args.passes(intake.packets);
    let source = Held::new(&batches, passes, args.workers(), &maker, stop)
        .map_err(|error| no_filter(args, &maker, &error))
        .map_err(|(status, words)| problems.add(status, words))
        .ok()?;
    let bar = progress::working(intake.packets.saturating_mul(passes.into()));
    let watch = bar
        .as_ref()
        .map(|bar| |done: &Done| progress::show(bar, done));
    let watch = watch.as_ref().map(|watch| watch as &dyn Fn(&Done));
    let mut run = work(args, &source, &maker, results, watch, problems)?;
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    if let Some(error) = source.failure() {
        let (status, words) = no_filter(args, &maker, error);
        problems.add(status, words);
    }
    run.passes = Some(passes);
    run.intake = intake;
    Some(run)
}

fn streamed(args: &Args, stop: &Arc<AtomicBool>, problems: &mut Problems) -> Option<Run> {
    let maker = sizing::stream_maker(args, stop);
    let results = outputs::open(args, stop, problems)?;
    let (path, name) = args.capture();
    let (path, packer) = (path.to_owned(), packer(args));
    let stream = Stream::start(path, packer, &maker, args.workers(), stop)
        .map_err(|error| match error {
            StreamError::Filter(error) => no_filter(args, &maker, &error),
            StreamError::Thread(error) => {
                (Status::BadOption, format!("cannot start a thread: {error}"))
            }
        })
        .map_err(|(status, words)| problems.add(status, words))
        .ok()?;
    let line = Streaming::new(args.mode, args.fills_standard_output());
    let watch = |done: &Done| line.show(done);
    let watch = (!line.is_hidden()).then_some(&watch as &dyn Fn(&Done));
    let mut run = work(args, &stream, &maker, results, watch, problems)?;
    line.clear();
    let mut intake = stream.finish();
    if let Some(error) = intake.failure.take() {
        let (status, words) = no_filter(args, &maker, &error);
        problems.add(status, words);
    }
    if intake.format.is_empty() {
        // Not even a header: there is nothing to report, but what is wrong.
        if let Some(error) = intake.damage {
            problems.add(Status::Unreadable, format!("{name}: {error}"));
            return None;
        }
        intake.format = "no packet was read";
    }
    if stop.load(Ordering::Relaxed) {
        // The signal ended the one who wrote into the pipe, too.
        intake.damage.take_if(|damage| damage.is_cut());
    }
    // Those that were read, but not worked on before the stop, do not count.
    intake.packets = run.tallies.iter().map(|tally| tally.packets).sum();
    run.intake = intake;
    Some(run)
}

/// Lets the workers work, and checks what they did.
fn work(
    args: &Args,
    source: &dyn Source,
    maker: &Maker,
    results: Option<Results>,
    watch: Option<&dyn Fn(&Done)>,
    problems: &mut Problems,
) -> Option<Run> {
    let keys = Keys::new(args.mode);
    let clock = args.verify.then(Clock::default);
    let pool = Pool {
        workers: args.workers(),
        keys: &keys,
        decide: &filters::in_batches,
        source,
        clock: clock.as_ref(),
        results: results.as_ref(),
    };
    let outcomes = pool.run(watch);
    let written = results.map(Results::finish).unwrap_or_default();
    let outcomes = outcomes
        .map_err(|error| format!("cannot start {} threads: {error}", args.workers()))
        .map_err(|words| problems.add(Status::BadOption, words))
        .ok()?;
    let (mut tallies, mut records) = (Vec::new(), Vec::new());
    for Outcome {
        tally,
        records: own,
    } in outcomes
    {
        tallies.push(tally);
        records.extend(own);
    }
    let last = tallies.iter().filter_map(|tally| tally.last.clone());
    let last = match last.max_by_key(|filters| filters.generation()) {
        Some(last) => last,
        // Nobody had anything to do.
        None => Window::first(maker)
            .and_then(|mut window| window.advance(0))
            .map_err(|error| no_filter(args, maker, &error))
            .map_err(|(status, words)| problems.add(status, words))
            .ok()?,
    };
    let verify = |last: &dyn Filters| verify::verify(&keys, &tallies, records, last, maker);
    Some(Run {
        name: args.capture().1,
        mode: args.mode,
        window: args.window,
        verdict: args.verify.then(|| verify(&*last)),
        intake: Intake::default(),
        passes: None,
        tallies,
        last,
        grows: maker.room().grows(),
        written,
    })
}
