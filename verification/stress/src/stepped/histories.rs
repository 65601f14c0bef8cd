//! Histories: random calls race on a small table, and some order must explain each class.
//!
//! Threads meet, make a few calls each, and meet again. Then one of them counts every class, so
//! that each round begins with known numbers of copies. The results are checked at the end of the
//! batch.

use std::time::{Duration, Instant};

use crew::Crew;
use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::testing::hooks::{Event, stepping, tally};
use model::mix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::calls::{Clock, Record};
use super::explanation::History;
use super::growing::Extras;
use super::layout;
use super::run::{Happened, Watchdog};
use super::stage::Stage;
use super::workload::{WORKLOADS, Workload};

/// The totals of one workload.
#[derive(Default)]
struct Done {
    batches: u64,
    rounds: usize,
    calls: usize,
    time: Duration,
}

/// The calls of one thread in each round, and the counts of the first thread.
#[derive(Default)]
struct Part {
    rounds: Vec<Vec<Record>>,
    counts: Vec<Vec<usize>>,
}

pub(crate) fn run(time: Duration, seed: u64) -> Result<(), String> {
    layout::has_many_fingerprints()?;
    let watchdog = Watchdog::new();
    let start = (Instant::now(), tally());
    let mut done: Vec<Done> = WORKLOADS.iter().map(|_| Done::default()).collect();
    // Each at least once, however busy the machine is.
    while start.0.elapsed() < time || done.iter().any(|done| done.batches == 0) {
        // Equal time for all, not equal numbers of calls.
        let Some(at) = (0..done.len()).min_by_key(|&at| done[at].time) else {
            break;
        };
        let (workload, done) = (&WORKLOADS[at], &mut done[at]);
        let what = format!("{}, batch {} of seed {seed}", workload.name, done.batches);
        let seed = mix(seed ^ mix((at as u64) << 32 | done.batches));
        watchdog
            .watch(&what, || batch(workload, seed, done))
            .map_err(|why| format!("{what}: {why}"))?;
    }
    for (workload, done) in WORKLOADS.iter().zip(&done) {
        println!(
            "histories: {}: {} threads, {} rounds, {} calls",
            workload.name, workload.threads, done.rounds, done.calls,
        );
    }
    let all = Happened::since(&start.1);
    println!(
        "histories: {} calls in all; {all}",
        done.iter().map(|done| done.calls).sum::<usize>()
    );
    // These tables are too small for a second one.
    let mut needed = Event::WITHOUT_ROTATIONS.to_vec();
    needed.retain(|&event| event != Event::LostAllocation);
    all.demand(&needed)
}

fn batch(workload: &Workload, seed: u64, done: &mut Done) -> Result<(), String> {
    let start = Instant::now();
    let stage = (workload.stage)(seed);
    let clock = Clock::default();
    let pace = workload.pace.varied(seed);
    let parts = Crew::workers(workload.threads, |crew, thread| {
        let seed = mix(seed ^ thread as u64);
        let hook = pace.hook(seed);
        stepping(hook, || play(workload, &stage, &clock, crew, thread, seed)).0
    });
    let parts = parts.into_iter().flatten();
    let parts: Vec<Part> = parts.collect::<Result<_, String>>()?;
    // The copies after each round, as counted by the first thread.
    let mut initial = stage.initial.clone();
    for (round, counted) in parts[0].counts.iter().enumerate() {
        let history = History {
            stage: &stage,
            initial: &initial,
            threads: parts.iter().map(|part| &*part.rounds[round]).collect(),
        };
        let explained = history
            .explain()
            .map_err(|why| format!("round {round}: {why}"))?;
        for (class, (&expected, &copies)) in explained.iter().zip(counted).enumerate() {
            if expected != copies as i64 {
                return Err(format!(
                    "round {round}: of {} there are {copies} copies, and there should be {expected}",
                    stage.name(class)
                ));
            }
        }
        initial.clone_from(counted);
        if workload.ends_empty(round) {
            initial.fill(0);
        }
    }
    stage.audit(&initial)?;
    done.rounds += workload.rounds;
    done.batches += 1;
    let rounds = parts.iter().flat_map(|part| &part.rounds);
    done.calls += rounds.map(Vec::len).sum::<usize>();
    done.time += start.elapsed();
    Ok(())
}

fn play(
    workload: &Workload,
    stage: &Stage,
    clock: &Clock,
    crew: &Crew,
    thread: usize,
    seed: u64,
) -> Result<Part, String> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut part = Part::default();
    let filter = &stage.filter;
    let mut extras = Extras::default();
    // An error is kept to the end: the other threads wait at the meetings.
    let mut verdict = Ok(());
    for round in 0..workload.rounds {
        crew.meet();
        let mut records = Vec::with_capacity(workload.calls);
        if thread == 0 && workload.grows {
            filter.begin_to_double();
        }
        for _ in 0..workload.calls_of(thread) {
            if workload.grows && rng.random_ratio(1, 4) {
                verdict = verdict.and(extras.vary(filter, &mut rng));
                continue;
            }
            let request = workload.next(stage, thread, &mut rng);
            records.push(stage.perform(clock, request));
        }
        let ends_empty = workload.ends_empty(round);
        if ends_empty || round + 1 == workload.rounds {
            verdict = verdict.and(extras.shrink_to(filter, 0));
        }
        part.rounds.push(records);
        crew.meet();
        if thread == 0 {
            let counts = (0..stage.classes()).map(|class| filter.count_hash(stage.hash(class, 0)));
            let counts: Vec<usize> = counts.collect();
            if ends_empty {
                verdict = verdict.and(stage.empty(&counts));
            }
            part.counts.push(counts);
        }
    }
    verdict.map(|()| part)
}
