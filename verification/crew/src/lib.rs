//! A crew of threads that start together, meet between rounds, and stop together, even if one of
//! them panics; jobs shared by all processors; and the environment variables and output of the
//! suites.

use std::env;
use std::hint;
use std::num::NonZero;
use std::panic;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

/// The environment variable that is set while a mutant is checked: a mutant may end a test early,
/// or take more schedules to find.
pub const CHECKING_A_MUTANT: &str = "CHECKING_A_MUTANT";

/// Whether a mutant is checked.
pub fn checking_a_mutant() -> bool {
    env::var_os(CHECKING_A_MUTANT).is_some()
}

/// Returns the number in an environment variable, if it is set.
pub fn set_by<T: FromStr>(variable: &str) -> Option<T> {
    env::var(variable).ok()?.parse().ok()
}

/// Returns the name of the running test, which the harness gives to its thread.
pub fn name_of_the_test() -> String {
    thread::current().name().unwrap_or("a test").to_owned()
}

/// Does the jobs with one worker per processor, in about their order. Each worker begins with its
/// number, and keeps what it makes of it. Returns the results in the order of the jobs. The first
/// error ends it, after the jobs under way are done.
pub fn share<J: Sync, S, T: Send, E: Send>(
    jobs: &[J],
    begin: impl Fn(usize) -> S + Sync,
    make: impl Fn(&mut S, &J) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let next = AtomicUsize::new(0);
    let worker = |number| {
        let (mut state, mut made) = (begin(number), Vec::new());
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else {
                return Ok(made);
            };
            let result = make(&mut state, job);
            let result = result.inspect_err(|_| next.store(jobs.len(), Ordering::Relaxed));
            made.push((at, result?));
        }
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let workers = workers.min(jobs.len());
    let made = Crew::workers(workers, |_, number| worker(number));
    let made = made.into_iter().collect::<Result<Vec<_>, E>>()?;
    let mut made: Vec<(usize, T)> = made.into_iter().flatten().collect();
    made.sort_unstable_by_key(|&(at, _)| at);
    Ok(made.into_iter().map(|(_, made)| made).collect())
}

/// A crew of workers and helpers. Workers have a bounded task; helpers repeat theirs while any
/// worker is at work.
pub struct Crew {
    workers: usize,
    all: usize,
    started: AtomicUsize,
    arrived: AtomicUsize,
    working: AtomicUsize,
    broken: AtomicBool,
    /// For long waits: on a busy machine the threads waited for need the processor.
    asleep: Mutex<()>,
    wake: Condvar,
}

/// The number of checks before a waiting thread goes to sleep. Threads that all run meet within
/// nanoseconds.
const LOOKS: usize = 2_000;

/// A guard that records that a worker is done, or that the crew is broken if it panicked.
struct Shift<'a> {
    crew: &'a Crew,
    worker: bool,
}

impl Crew {
    /// Runs the workers and the helpers, each with its number, and returns their results.
    pub fn run<W: Send, H: Send>(
        workers: usize,
        work: impl Fn(&Self, usize) -> W + Sync,
        helpers: usize,
        help: impl Fn(&Self, usize) -> H + Sync,
    ) -> (Vec<W>, Vec<H>) {
        let crew = Self {
            workers,
            all: workers + helpers,
            started: AtomicUsize::new(0),
            arrived: AtomicUsize::new(0),
            working: AtomicUsize::new(workers),
            broken: AtomicBool::new(false),
            asleep: Mutex::new(()),
            wake: Condvar::new(),
        };
        let (crew, work, help) = (&crew, &work, &help);
        thread::scope(|scope| {
            let workers: Vec<_> = (0..workers)
                .map(|number| {
                    scope.spawn(move || {
                        let _shift = crew.start(true);
                        work(crew, number)
                    })
                })
                .collect();
            let helpers: Vec<_> = (0..helpers)
                .map(|number| {
                    scope.spawn(move || {
                        let _shift = crew.start(false);
                        help(crew, number)
                    })
                })
                .collect();
            (collect(workers), collect(helpers))
        })
    }

    /// Runs workers without helpers.
    pub fn workers<W: Send>(workers: usize, work: impl Fn(&Self, usize) -> W + Sync) -> Vec<W> {
        Self::run(workers, work, 0, |_, _| ()).0
    }

    fn start(&self, worker: bool) -> Shift<'_> {
        let shift = Shift { crew: self, worker };
        let started = self.started.fetch_add(1, Ordering::AcqRel) + 1;
        self.gather(started == self.all, || {
            self.started.load(Ordering::Acquire) == self.all
        });
        shift
    }

    /// Whether a worker is still at work.
    pub fn at_work(&self) -> bool {
        self.working.load(Ordering::Acquire) > 0 && !self.broken.load(Ordering::Acquire)
    }

    /// Waits until all workers are here: the start of a race.
    pub fn meet(&self) {
        let arrived = self.arrived.fetch_add(1, Ordering::AcqRel) + 1;
        let complete = arrived.next_multiple_of(self.workers);
        self.gather(arrived == complete, || {
            self.arrived.load(Ordering::Acquire) >= complete
        });
    }

    /// Waits until the crew is complete. The last one wakes the others.
    fn gather(&self, last: bool, complete: impl Fn() -> bool) {
        if last {
            self.wake_all();
            return;
        }
        for _ in 0..LOOKS {
            if complete() {
                return;
            }
            hint::spin_loop();
        }
        let mut guard = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
        while !complete() {
            assert!(
                !self.broken.load(Ordering::Acquire),
                "another thread of the crew panicked"
            );
            guard = self
                .wake
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn wake_all(&self) {
        // The lock keeps this from falling between a sleeper's last check and its sleep.
        drop(self.asleep.lock().unwrap_or_else(PoisonError::into_inner));
        self.wake.notify_all();
    }
}

impl Drop for Shift<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.crew.broken.store(true, Ordering::Release);
            self.crew.wake_all();
        }
        if self.worker {
            self.crew.working.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

/// Joins all threads, and resumes a panic in the caller.
fn collect<T>(handles: Vec<thread::ScopedJoinHandle<'_, T>>) -> Vec<T> {
    handles
        .into_iter()
        .map(|handle| {
            handle
                .join()
                .unwrap_or_else(|payload| panic::resume_unwind(payload))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_thread_is_a_round_ahead() {
        const ROUNDS: usize = 200;
        let at = [0, 1, 2].map(|_| AtomicUsize::new(0));
        Crew::workers(at.len(), |crew, number| {
            for round in 0..ROUNDS {
                at[number].store(round, Ordering::Relaxed);
                crew.meet();
                for other in &at {
                    assert_eq!(other.load(Ordering::Relaxed), round);
                }
                crew.meet();
            }
        });
    }

    #[test]
    fn helpers_stop_with_the_last_worker() {
        let done = AtomicUsize::new(0);
        let (workers, helpers) = Crew::run(
            2,
            |_, number| {
                thread::sleep(std::time::Duration::from_millis(10 * number as u64));
                done.fetch_add(1, Ordering::Relaxed);
                number
            },
            1,
            |crew, number| {
                while crew.at_work() {
                    thread::yield_now();
                }
                (number, done.load(Ordering::Relaxed))
            },
        );
        assert_eq!((workers, helpers), (vec![0, 1], vec![(0, 2)]));
    }

    #[test]
    #[should_panic(expected = "panicked")]
    fn a_panic_wakes_waiting_threads() {
        Crew::workers(2, |crew, number| {
            assert!(number == 0, "the second panicked");
            crew.meet();
        });
    }
}
