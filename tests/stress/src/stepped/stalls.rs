//! Stalls: what a few stopped threads mean for the many others, in completed operations.
//!
//! Each figure comes from a process of its own, because nothing can end threads that have stopped. It is no
//! measure of speed, since the filter is built to be stopped at each access; what counts is what is left of the
//! first column in the others, and zero for locks.

use std::process::{self, Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use lockfree_cuckoo::testing::hooks::{Fate, stepping};
use model::mix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::halt;
use super::subject::{FIRST_OF_THREADS, Name, Subject};

/// Many more than there are processors, so that threads are preempted in the middle of operations all the time.
const THREADS: usize = 64;

const STALLED: [usize; 3] = [0, 1, 4];

/// Items that stay.
const PERMANENT: u64 = 900;

/// With those of the threads they nearly fill the filter.
const ITEMS: usize = 1024;

/// How long to wait for the threads that are to stop, at most.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the others have, once these have stopped, to run into the locks they hold.
const AFTERMATH: Duration = Duration::from_millis(200);

/// What one process measures.
#[derive(Args, Clone, Copy)]
pub(crate) struct Row {
    #[arg(long)]
    subject: Name,
    #[arg(long)]
    stalled: usize,
    #[arg(long)]
    milliseconds: u64,
    #[arg(long)]
    seed: u64,
}

pub(crate) fn run(time: Duration, seed: u64) -> Result<(), String> {
    let subjects = Name::value_variants();
    let runs = (subjects.len() * STALLED.len()) as u32;
    let each = (time / runs).saturating_sub(AFTERMATH).max(AFTERMATH);
    println!(
        "stalls: operations that {THREADS} threads completed in {} ms, of which so many were to stop before:",
        each.as_millis()
    );
    println!(
        "stalls: {:28}{:>12}{:>12}{:>12}",
        "", STALLED[0], STALLED[1], STALLED[2]
    );
    let mut wrong = Vec::new();
    for &subject in subjects {
        let mut cells = String::new();
        for stalled in STALLED {
            let operations = in_a_process(Row {
                subject,
                stalled,
                milliseconds: each.as_millis() as u64,
                seed,
            })?;
            cells += &format!("{operations:>12}");
            if (operations == 0) != (stalled > 0 && subject.has_locks()) {
                wrong.push(format!(
                    "{}, {stalled} threads stopped: {operations} operations",
                    subject.title()
                ));
            }
        }
        println!("stalls: {:28}{cells}", subject.title());
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("; "))
    }
}

fn in_a_process(row: Row) -> Result<u64, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let subject = row.subject.to_possible_value().ok_or("a hidden subject")?;
    let output = Command::new(program)
        .args(["stalled", "--subject", subject.get_name()])
        .args(["--stalled", &row.stalled.to_string()])
        .args(["--milliseconds", &row.milliseconds.to_string()])
        .args(["--seed", &row.seed.to_string()])
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let figure = String::from_utf8_lossy(&output.stdout);
    figure
        .trim()
        .parse()
        .map_err(|error| format!("{figure:?}: {error}"))
}

/// The process of one figure. The main thread touches the subject before the others do, and never again.
pub(crate) fn measure(row: Row) -> ExitCode {
    let subject: Arc<dyn Subject> = row.subject.subject(ITEMS).into();
    for key in 0..PERMANENT {
        assert!(subject.insert(key), "there is room");
    }
    let completed: Arc<[AtomicU64]> = (0..THREADS).map(|_| AtomicU64::new(0)).collect();
    for number in 0..THREADS {
        let (subject, completed) = (Arc::clone(&subject), Arc::clone(&completed));
        thread::spawn(move || {
            let mut rng = SmallRng::seed_from_u64(mix(row.seed ^ mix(number as u64)));
            if number < row.stalled {
                halt::after(rng.random_range(100..1000));
            }
            let hook = |_| {
                halt::point();
                Fate::Goes
            };
            stepping(hook, || {
                work(&*subject, number, &completed[number], &mut rng)
            });
        });
    }
    // The first that stops with a lock keeps the others from coming to the points where they would stop.
    let wanted = if row.subject.has_locks() {
        row.stalled.min(1)
    } else {
        row.stalled
    };
    let start = Instant::now();
    while halt::halted() < wanted {
        if start.elapsed() > PATIENCE {
            eprintln!("{} of {wanted} threads have stopped", halt::halted());
            return ExitCode::FAILURE;
        }
        thread::sleep(Duration::from_millis(1));
    }
    thread::sleep(AFTERMATH);
    let sum = || {
        completed
            .iter()
            .map(|c| c.load(Ordering::Relaxed))
            .sum::<u64>()
    };
    let before = sum();
    thread::sleep(Duration::from_millis(row.milliseconds));
    println!("{}", sum() - before);
    ExitCode::SUCCESS
}

/// Adds, finds and removes an item of its own, and looks for one that stays; for ever.
fn work(subject: &dyn Subject, number: usize, completed: &AtomicU64, rng: &mut SmallRng) {
    let demand = |answer: bool, what: &str| {
        if !answer {
            eprintln!("thread {number}: {what}");
            process::exit(1);
        }
        completed.fetch_add(1, Ordering::Relaxed);
    };
    for turn in 1.. {
        let key = ((number as u64) << 32) + turn * FIRST_OF_THREADS;
        // Sixty-four at once may be one too many for a filter.
        if subject.insert(key) {
            completed.fetch_add(1, Ordering::Relaxed);
            demand(subject.contains(key), "an item of its own is not found");
            demand(subject.remove(key), "an item of its own is lost");
        }
        let permanent = rng.random_range(0..PERMANENT);
        demand(
            subject.contains(permanent),
            "an item that stays is not found",
        );
    }
}
