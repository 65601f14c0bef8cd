//! As many workers as there are processors, for jobs that are processes of their own.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does the jobs, each by the worker of some number, in about their order. The first error ends it, once the jobs
/// that are under way are done.
pub(crate) fn work<J: Sync>(
    jobs: &[J],
    does: impl Fn(usize, &J) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let next = AtomicUsize::new(0);
    let outcome = Mutex::new(Ok(()));
    let failed = |error| {
        next.store(jobs.len(), Ordering::Relaxed);
        let mut outcome = outcome.lock().unwrap_or_else(|poison| poison.into_inner());
        *outcome = outcome.clone().and(Err(error));
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for worker in 0..workers.min(jobs.len()) {
            let (next, does, failed) = (&next, &does, &failed);
            scope.spawn(move || {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = does(worker, job) {
                        failed(error);
                    }
                }
            });
        }
    });
    outcome
        .into_inner()
        .unwrap_or_else(|poison| poison.into_inner())
}
