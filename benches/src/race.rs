//! Threads that start together, timed until the slowest is done.

use std::hint::{self, black_box};
use std::iter::Sum;
use std::ops::Range;
use std::sync::Barrier;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use crate::lap::{Lap, Run};
use crate::machine::cores;

/// Runs `work` once on each of so many threads at the same time, after `warm_up`; it is told the number of
/// its thread. The time that it took, and the sum of what the threads returned.
///
/// # Panics
///
/// If one of the two panics, or there are no threads.
pub fn race<T: Sum + Send>(
    threads: usize,
    warm_up: impl Fn() + Sync,
    work: impl Fn(usize) -> T + Sync,
) -> (Lap, T) {
    let timed = |thread| Run::of(|| black_box(work(thread)));
    if threads == 1 {
        warm_up();
        let (run, result) = timed(0);
        return (lap(&[run]), result);
    }
    let line = StartLine::new(threads);
    let (runs, results): (Vec<Run>, Vec<T>) = thread::scope(|scope| {
        let (line, timed, warm_up) = (&line, &timed, &warm_up);
        let runners: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || {
                    warm_up();
                    line.wait();
                    timed(thread)
                })
            })
            .collect();
        runners
            .into_iter()
            .map(|runner| runner.join().expect("the work does not panic"))
            .unzip()
    });
    (lap(&runs), results.into_iter().sum())
}

fn lap(runs: &[Run]) -> Lap {
    let start = runs.iter().map(|run| run.start).min();
    let end = runs.iter().map(|run| run.end).max();
    let busy = runs.iter().map(|run| run.busy).max();
    let (Some(start), Some(end), Some(busy)) = (start, end, busy) else {
        panic!("a race needs at least one thread");
    };
    Lap {
        busy,
        wall: end - start,
    }
}

/// The part of `range` that is this thread's.
#[must_use]
pub fn share(range: &Range<usize>, thread: usize, threads: usize) -> Range<usize> {
    let at =
        |part: usize| range.start + (range.len() as u128 * part as u128 / threads as u128) as usize;
    at(thread)..at(thread + 1)
}

/// A barrier that is left by all at once, if there is a processor for each. The standard one alone wakes its
/// sleepers one after the other, and a wake-up takes as long as thousands of lookups.
struct StartLine {
    barrier: Barrier,
    threads: usize,
    awake: Awake,
}

#[allow(
    clippy::disallowed_types,
    reason = "the harness is no part of the library"
)]
type Awake = std::sync::atomic::AtomicUsize;

impl StartLine {
    fn new(threads: usize) -> Self {
        Self {
            barrier: Barrier::new(threads),
            threads,
            awake: Awake::new(0),
        }
    }

    fn wait(&self) {
        self.barrier.wait();
        if self.threads > cores() {
            return;
        }
        // Relaxed: only the time matters.
        self.awake.fetch_add(1, Ordering::Relaxed);
        let deadline = Instant::now() + Duration::from_millis(1);
        while self.awake.load(Ordering::Relaxed) < self.threads {
            hint::spin_loop();
            if Instant::now() > deadline {
                // A processor is taken: let the others run.
                thread::yield_now();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_up_what_all_threads_return() {
        assert_eq!(race(1, || (), |thread| thread + 7).1, 7);
        assert_eq!(race(5, || (), |thread| 1 << thread).1, 0b11111);
    }

    #[test]
    fn shares_cover_the_range() {
        for threads in 1..5 {
            let all = (0..threads).flat_map(|thread| share(&(3..10), thread, threads));
            assert!(all.eq(3..10), "{threads}");
        }
    }
}
