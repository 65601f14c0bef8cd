//! Shared parts of a run: random preemption, counts of events, a watchdog, and the memory in use.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::hint;
use std::process;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use lockfree_cuckoo::testing::hooks::{Event, Fate, Tally, tally};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// The frequency and length of the pauses of a thread.
///
/// Two threads that run freely on two processors meet within a window of nanoseconds. A thread that
/// yields in the middle of an operation leaves a window of many operations of the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// One step of this many yields.
    pub(crate) one_in: u32,
    /// The maximum number of turns of the others.
    pub(crate) turns: u32,
}

/// The number of spins that takes about as long as a call.
const SPINS: u32 = 32;

/// The factors of a pace, so that some batches are fast and some make little progress.
const FACTORS: [f64; 4] = [0.5, 1.0, 2.0, 8.0];

impl Pace {
    pub(crate) const fn of(one_in: u32, turns: u32) -> Self {
        Self { one_in, turns }
    }

    /// Returns the pace with more frequent or rarer pauses.
    pub(crate) fn varied(self, seed: u64) -> Self {
        let factor = FACTORS[seed as usize % FACTORS.len()];
        Self {
            one_in: (f64::from(self.one_in) * factor) as u32,
            ..self
        }
    }

    pub(crate) fn hook(self, seed: u64) -> impl FnMut(usize) -> Fate + 'static {
        let mut rng = SmallRng::seed_from_u64(seed);
        move |_| {
            if rng.random_ratio(1, self.one_in) {
                // Mostly short pauses, so that long ones overlap with short ones.
                let turns = rng.random_range(1..=self.turns);
                let turns = rng.random_range(1..=turns);
                // A thread that spins lets those on other processors pass. One that yields lets all
                // pass, but on a busy machine it comes back late.
                if rng.random_ratio(1, 4) {
                    (0..turns).for_each(|_| thread::yield_now());
                } else {
                    (0..turns * SPINS).for_each(|_| hint::spin_loop());
                }
            }
            Fate::Goes
        }
    }
}

/// The events since a certain time.
pub(crate) struct Happened(Tally);

impl Happened {
    pub(crate) fn since(start: &Tally) -> Self {
        Self(tally().since(start))
    }

    /// Returns an error unless all of these events happened.
    pub(crate) fn demand(&self, events: &[Event]) -> Result<(), String> {
        let missing = events.iter().filter(|&&event| self.0.of(event) == 0);
        match &*missing.collect::<Vec<_>>() {
            [] => Ok(()),
            missing => Err(format!(
                "the run is worth nothing, because these never happened: {missing:?}"
            )),
        }
    }
}

impl fmt::Display for Happened {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = Event::WITHOUT_ROTATIONS.map(|event| (event, self.0.of(event)));
        let counts = counts.into_iter().filter(|&(_, count)| count > 0);
        let named: Vec<String> = counts
            .map(|(event, count)| format!("{event:?} {count}"))
            .collect();
        out.write_str(&named.join(", "))
    }
}

/// Far longer than anything watched takes.
const DEADLINE: Duration = Duration::from_secs(120);

/// A watchdog that ends the process after a timeout: threads that hang cannot be ended in another
/// way.
pub(crate) struct Watchdog {
    watched: Arc<Mutex<String>>,
    alive: mpsc::Sender<()>,
}

impl Watchdog {
    pub(crate) fn new() -> Self {
        let watched = Arc::new(Mutex::new(String::from("nothing yet")));
        let (alive, signs_of_life) = mpsc::channel();
        let what = Arc::clone(&watched);
        thread::spawn(move || {
            loop {
                match signs_of_life.recv_timeout(DEADLINE) {
                    Ok(()) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => return,
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        let what = what.lock().unwrap_or_else(PoisonError::into_inner);
                        eprintln!("FAILED: hangs since {} s: {what}", DEADLINE.as_secs());
                        process::exit(1);
                    }
                }
            }
        });
        Self { watched, alive }
    }

    /// Runs something that must end.
    pub(crate) fn watch<R>(&self, what: &str, run: impl FnOnce() -> R) -> R {
        what.clone_into(&mut self.watched.lock().unwrap_or_else(PoisonError::into_inner));
        let sign = || self.alive.send(()).expect("the watchdog is awake");
        sign();
        let result = run();
        sign();
        result
    }
}

/// Returns the resident memory in KiB, where the system reports it.
pub(crate) fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// The memory of a process over a long time, to find out whether it keeps growing. In KiB, where
/// the system reports it.
#[derive(Default)]
pub(crate) struct Memory {
    /// The memory at the time when it had settled.
    settled: Option<u64>,
    now: Option<u64>,
}

impl Memory {
    /// Checks that the memory has grown by at most `growth` since it had settled.
    pub(crate) fn look(&mut self, settles: bool, growth: u64) -> Result<(), String> {
        self.now = resident();
        if settles {
            self.settled = self.now;
        }
        match (self.settled, self.now) {
            (Some(settled), Some(now)) if now > settled + growth => {
                Err(format!("memory grew from {settled} to {now} KiB"))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.settled, self.now) {
            (Some(settled), Some(now)) => {
                write!(out, "{now} KiB in memory, {settled} at the first peak")
            }
            (None, Some(now)) => write!(out, "{now} KiB in memory"),
            (_, None) => write!(out, "memory unknown"),
        }
    }
}

/// Returns an error with the item unless the answer is true.
pub(crate) fn demand(answer: bool, what: &str, hash: u64) -> Result<(), String> {
    if answer {
        Ok(())
    } else {
        Err(format!("{what}: {hash:#x}"))
    }
}

/// Counts of completed operations.
#[derive(Debug, Default)]
pub(crate) struct Counts(Mutex<BTreeMap<&'static str, u64>>);

impl Counts {
    pub(crate) fn add(&self, what: &'static str, times: u64) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(what).or_default() += times;
    }

    pub(crate) fn of(&self, what: &str) -> u64 {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.get(what).copied().unwrap_or(0)
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let written: Vec<String> = counts
            .iter()
            .map(|(what, n)| format!("{n} {what}"))
            .collect();
        out.write_str(&written.join(", "))
    }
}
