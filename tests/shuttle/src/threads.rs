//! Threads of one schedule.

use shuttle::rand::{Rng, thread_rng};
use shuttle::thread;

/// Runs that many threads, each told its number, and returns what they returned.
///
/// # Panics
///
/// If one of them does.
pub fn together<R: Send>(threads: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let work = &work;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|number| scope.spawn(move || work(number)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a panic ends the schedule"))
            .collect()
    })
}

/// A number below `bound`, chosen with the schedule and repeated with it.
#[must_use]
pub fn choice(bound: usize) -> usize {
    thread_rng().gen_range(0..bound)
}

/// A hash, chosen likewise.
#[must_use]
pub fn random_hash() -> u64 {
    thread_rng().r#gen()
}
