//! Histories: random calls race on a small table, and each class must have a history that makes sense.
//!
//! Threads meet, make a few calls each, and meet again; then one of them counts every class, so that each round
//! begins with a known number of copies. What they saw is explained, or not, when the batch is over. Filters that
//! [grow](super::growing) take their turn with the others.

use std::ops::Range;
use std::time::{Duration, Instant};

use crew::Crew;
use lockfree_cuckoo::testing::hooks::{Event, stepping, tally};
use model::mix;
use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::events::{self, Sum};
use super::explanation::History;
use super::growing;
use super::layout;
use super::request::{Clock, Record};
use super::stage::Stage;
use super::watchdog::Watchdog;
use super::workload::{WORKLOADS, Workload};

/// Rounds on one table.
const ROUNDS: usize = 100;

/// What was done with one workload.
#[derive(Default)]
struct Done {
    batches: u64,
    rounds: usize,
    calls: usize,
    snapshots: (usize, usize),
    time: Duration,
    events: Sum,
}

/// Rounds of one filter that grows: longer than it takes to come to its last level.
const ROUNDS_OF_A_GROWING_ONE: usize = 20;

/// A workload on a table, or one on a filter that grows.
#[derive(Clone, Copy)]
enum Choice {
    Table(&'static Workload),
    Growing,
}

impl Choice {
    fn name(self) -> &'static str {
        match self {
            Self::Table(workload) => workload.name,
            Self::Growing => growing::TITLE,
        }
    }

    fn threads(self) -> usize {
        match self {
            Self::Table(workload) => workload.threads,
            Self::Growing => growing::THREADS,
        }
    }

    fn batch(self, seed: u64, done: &mut Done) -> Result<(), String> {
        match self {
            Self::Table(workload) => batch(workload, seed, done),
            Self::Growing => (0..ROUNDS / ROUNDS_OF_A_GROWING_ONE).try_for_each(|turn| {
                growing_batch(ROUNDS_OF_A_GROWING_ONE, mix(seed ^ turn as u64), done)
            }),
        }
    }
}

/// What one thread did: its records, and where each round begins; and what the first thread counted.
struct Part {
    records: Vec<Record>,
    rounds: Vec<Range<usize>>,
    counts: Vec<Vec<usize>>,
}

pub(crate) fn run(time: Duration, seed: u64) -> Result<(), String> {
    layout::has_many_fingerprints()?;
    let watchdog = Watchdog::new();
    let start = (Instant::now(), tally());
    let choices: Vec<Choice> = WORKLOADS
        .iter()
        .map(Choice::Table)
        .chain([Choice::Growing])
        .collect();
    let mut done: Vec<Done> = choices.iter().map(|_| Done::default()).collect();
    while start.0.elapsed() < time {
        // Equal time for all, not equal numbers of calls.
        let Some(at) = (0..done.len()).min_by_key(|&at| done[at].time) else {
            break;
        };
        let (choice, done) = (choices[at], &mut done[at]);
        let what = format!("{}, batch {} of seed {seed}", choice.name(), done.batches);
        let seed = mix(seed ^ mix((at as u64) << 32 | done.batches));
        watchdog
            .watch(&what, || choice.batch(seed, done))
            .map_err(|why| format!("{what}: {why}"))?;
    }
    for (&choice, done) in choices.iter().zip(&done) {
        let (taken, asked) = done.snapshots;
        let snapshots = match asked {
            0 => String::new(),
            _ => format!(", {taken} of {asked} snapshots"),
        };
        println!(
            "histories: {}: {} threads, {} rounds, {} calls{snapshots}; {}",
            choice.name(),
            choice.threads(),
            done.rounds,
            done.calls,
            done.events,
        );
    }
    let all = Sum::since(&start.1);
    println!(
        "histories: {} calls in all; {all}",
        done.iter().map(|done| done.calls).sum::<usize>()
    );
    // These tables are too small for a second one.
    let mut needed = events::ALL.to_vec();
    needed.retain(|&event| event != Event::Vain);
    all.demand(&needed)
}

fn growing_batch(rounds: usize, seed: u64, done: &mut Done) -> Result<(), String> {
    let start = (Instant::now(), tally());
    done.calls += growing::batch(rounds, seed)?;
    done.rounds += rounds;
    done.batches += 1;
    done.time += start.0.elapsed();
    done.events.add(&start.1);
    Ok(())
}

fn batch(workload: &Workload, seed: u64, done: &mut Done) -> Result<(), String> {
    let start = (Instant::now(), tally());
    let stage = (workload.stage)(seed);
    let clock = Clock::default();
    let pace = workload.pace.varied(seed);
    let parts = Crew::workers(workload.threads, |crew, thread| {
        let seed = mix(seed ^ thread as u64);
        let hook = pace.hook(seed);
        stepping(hook, || play(workload, &stage, &clock, crew, thread, seed)).0
    });
    let parts: Vec<Part> = parts.into_iter().flatten().collect();
    // The copies after each round, by the counts of the first thread.
    let mut initial = stage.initial.as_slice();
    for (round, counted) in parts[0].counts.iter().enumerate() {
        let history = History {
            stage: &stage,
            initial,
            threads: parts
                .iter()
                .map(|part| &part.records[part.rounds[round].clone()])
                .collect(),
            pending: Vec::new(),
        };
        let possible = history
            .explain()
            .map_err(|why| format!("round {round}: {why}"))?;
        for (class, (possible, &copies)) in possible.iter().zip(counted).enumerate() {
            if !possible.contains(&(copies as i64)) {
                return Err(format!(
                    "round {round}: of {} there are {copies} copies, and there should be {possible:?}",
                    stage.name(class)
                ));
            }
        }
        let (taken, asked) = history.snapshots();
        done.snapshots.0 += taken;
        done.snapshots.1 += asked;
        initial = counted;
    }
    let exactly: Vec<Vec<i64>> = initial.iter().map(|&copies| vec![copies as i64]).collect();
    stage.audit(&exactly, 0)?;
    done.rounds += ROUNDS;
    done.batches += 1;
    done.calls += parts.iter().map(|part| part.records.len()).sum::<usize>();
    done.time += start.0.elapsed();
    done.events.add(&start.1);
    Ok(())
}

fn play(
    workload: &Workload,
    stage: &Stage,
    clock: &Clock,
    crew: &Crew,
    thread: usize,
    seed: u64,
) -> Part {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut part = Part {
        records: Vec::with_capacity(ROUNDS * workload.calls),
        rounds: Vec::with_capacity(ROUNDS),
        counts: Vec::new(),
    };
    for _ in 0..ROUNDS {
        crew.meet();
        let first = part.records.len();
        for _ in 0..workload.calls_of(thread) {
            let request = workload.next(stage, thread, &mut rng);
            part.records.push(stage.perform(clock, request));
        }
        part.rounds.push(first..part.records.len());
        crew.meet();
        if thread == 0 {
            let counts =
                (0..stage.classes()).map(|class| stage.filter.count_hash(stage.hash(class, 0)));
            part.counts.push(counts.collect());
        }
    }
    part
}
