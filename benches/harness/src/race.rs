//! Races: threads start together, and are timed until the slowest is done, with and without the
//! waiting for a processor.
//!
//! On a busy machine a thread loses its processor for milliseconds, the time of a million lookups.
//! Linux counts for each thread how long it was ready to run and was not running; that time is
//! subtracted. On other systems nothing is.

use std::fs;
use std::hint::{self, black_box};
use std::iter;
use std::ops::{AddAssign, Range};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::machine::cores;
use crate::median::median;

/// One piece of work, done by one thread or by several at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// The number of operations.
    pub ops: usize,
    /// The time that the slowest thread had a processor.
    pub busy: Duration,
    /// The time from the first start to the last end.
    pub wall: Duration,
}

impl Slice {
    /// Runs `work`, of this many operations, on this thread. Returns the time and the result.
    pub fn of<T>(ops: usize, work: impl FnOnce() -> T) -> (Self, T) {
        let (time, busy, result) = timed(work);
        let wall = time.end - time.start;
        (Self { ops, busy, wall }, result)
    }

    /// Returns the operations per second with a processor, if there is one for each thread.
    /// Otherwise waiting for one is part of the work, and so is waiting for a thread that holds a
    /// lock and waits for one.
    #[must_use]
    pub fn rate(self, threads: usize) -> f64 {
        let time = if threads > cores() {
            self.wall
        } else {
            self.busy
        };
        self.ops as f64 / time.as_secs_f64()
    }
}

impl AddAssign for Slice {
    /// Adds a slice that came after this one.
    fn add_assign(&mut self, next: Self) {
        self.ops += next.ops;
        self.busy += next.busy;
        self.wall += next.wall;
    }
}

/// The run of one thread: its start and end, the time that it had a processor, and the result.
type Run<T> = (Range<Instant>, Duration, T);

fn timed<T>(work: impl FnOnce() -> T) -> Run<T> {
    let waited_before = waited();
    let start = Instant::now();
    let result = work();
    let end = Instant::now();
    let waited = waited().saturating_sub(waited_before);
    (start..end, without(end - start, waited), result)
}

/// Subtracts the waiting from a time. The two come from different clocks. If nothing would be left
/// of a short time, the waiting is not known well enough and is not subtracted.
fn without(time: Duration, waited: Duration) -> Duration {
    match time.checked_sub(waited) {
        None | Some(Duration::ZERO) => time.max(Duration::from_nanos(1)),
        Some(rest) => rest,
    }
}

/// Returns the time that the calling thread has waited for a processor since it began.
#[must_use]
pub fn waited() -> Duration {
    // Three numbers: nanoseconds on a processor, nanoseconds waiting for one, time slices.
    fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().nth(1)?.parse().ok())
        .map_or(Duration::ZERO, Duration::from_nanos)
}

/// Runs `work`, of `ops` operations in all, once on each of `threads` threads at the same time,
/// after `warm_up`. It gets the number of its thread. Returns the time, and the sum of the results.
///
/// # Panics
///
/// If one of the two panics.
pub fn race<T: AddAssign + Send>(
    ops: usize,
    threads: usize,
    warm_up: impl Fn() + Sync,
    work: impl Fn(usize) -> T + Sync,
) -> (Slice, T) {
    let (barrier, asleep) = (Barrier::new(threads), AtomicUsize::new(threads));
    let run = |thread| {
        warm_up();
        wait_for_all(&barrier, &asleep, threads);
        timed(|| black_box(work(thread)))
    };
    let runs: Vec<Run<T>> = thread::scope(|scope| {
        let run = &run;
        let others = (1..threads).map(|thread| scope.spawn(move || run(thread)));
        let others: Vec<_> = others.collect();
        let others = others.into_iter().map(|other| other.join());
        let others = others.map(|run| run.expect("the work does not panic"));
        iter::once(run(0)).chain(others).collect()
    });
    let mut runs = runs.into_iter();
    let (mut time, mut busy, mut sum) = runs.next().expect("a thread");
    for (other, of_other, result) in runs {
        time = time.start.min(other.start)..time.end.max(other.end);
        busy = busy.max(of_other);
        sum += result;
    }
    let wall = time.end - time.start;
    (Slice { ops, busy, wall }, sum)
}

/// Waits until all threads can leave at once, if there is a processor for each. The standard
/// barrier alone wakes its sleepers one after the other, and a wake-up takes as long as thousands
/// of lookups.
fn wait_for_all(barrier: &Barrier, asleep: &AtomicUsize, threads: usize) {
    barrier.wait();
    // Relaxed: only the time matters.
    asleep.fetch_sub(1, Ordering::Relaxed);
    let deadline = Instant::now() + Duration::from_millis(1);
    while threads <= cores() && asleep.load(Ordering::Relaxed) > 0 {
        hint::spin_loop();
        if Instant::now() > deadline {
            // A processor is taken: let the others run.
            thread::yield_now();
        }
    }
}

/// Returns the part of `range` for this thread.
#[must_use]
pub fn share(range: &Range<usize>, thread: usize, threads: usize) -> Range<usize> {
    let at =
        |part: usize| range.start + (range.len() as u128 * part as u128 / threads as u128) as usize;
    at(thread)..at(thread + 1)
}

/// A watch on the cores during measurements: on a shared machine two virtual processors can be one.
/// Arithmetic without memory runs on two threads as fast as on one, if each has a core of its own.
#[derive(Debug, Default)]
pub struct Watch {
    speedups: Vec<f64>,
}

impl Watch {
    /// Measures the cores now.
    pub fn look(&mut self) {
        const TRIES: usize = 5;
        let wall = |threads| race(0, threads, || (), spin).0.wall.as_secs_f64();
        let speedups = (0..TRIES).map(|_| 2.0 * wall(1) / wall(2));
        self.speedups.extend(speedups);
    }

    /// Measures the cores a last time. Returns the speed of two threads that do arithmetic, divided
    /// by that of one, the median of all tries: 2 if both had a core.
    #[must_use]
    pub fn speedup(mut self) -> f64 {
        self.look();
        median(self.speedups.into_iter()).expect("it has looked")
    }
}

/// Does arithmetic in which each step needs the result of the last.
fn spin(_thread: usize) -> u64 {
    const STEPS: u64 = 2_000_000;
    (0..STEPS).fold(black_box(1), |sum: u64, step| {
        black_box(sum.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ step)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_subtracts_a_whole_time() {
        let [none, some, more] = [0, 5, 8].map(Duration::from_nanos);
        assert_eq!(without(more, some), Duration::from_nanos(3));
        assert_eq!([without(some, more), without(some, some)], [some; 2]);
        assert!(without(none, none) > none);
    }

    #[test]
    fn busy_time_is_at_most_the_wall_time() {
        let (time, busy, sum) = timed(|| (0..1_000_000u64).map(black_box).sum::<u64>());
        assert_eq!(sum, 499_999_500_000);
        assert!(busy <= time.end - time.start);
    }

    #[test]
    fn adds_up_the_results_of_all_threads() {
        assert_eq!(race(0, 1, || (), |thread| thread + 7).1, 7);
        assert_eq!(race(0, 5, || (), |thread| 1 << thread).1, 0b11111);
    }

    #[test]
    fn shares_cover_the_range() {
        for threads in 1..5 {
            let all = (0..threads).flat_map(|thread| share(&(3..10), thread, threads));
            assert!(all.eq(3..10), "{threads}");
        }
    }
}
