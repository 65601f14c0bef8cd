//! Jobs that have nothing to do with each other, on all processors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::monitor::Monitor;

/// Does `work` for each of `jobs`, and returns the results in their order. Each thread has a monitor of its own,
/// which gets better from job to job.
pub fn each<T: Sync, R: Send>(jobs: &[T], work: impl Fn(&mut Monitor, &T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut monitor = Monitor::default();
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else {
                return done;
            };
            done.push((at, work(&mut monitor, job)));
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut done = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        let results = workers
            .into_iter()
            .flat_map(|w| w.join().expect("a worker"));
        results.collect::<Vec<_>>()
    });
    done.sort_by_key(|&(at, _)| at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let jobs: Vec<usize> = (0..1_000).collect();
        assert_eq!(super::each(&jobs, |_, &job| job * 2)[999], 1_998);
    }
}
