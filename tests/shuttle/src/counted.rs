//! A scheduler that counts what another one does.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};

/// How much was explored, by all schedulers that share it.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    schedules: AtomicUsize,
    steps: AtomicUsize,
}

#[derive(Debug)]
pub(crate) struct Counted<S> {
    scheduler: S,
    counts: Arc<Counts>,
}

impl Counts {
    pub(crate) fn schedules(&self) -> usize {
        self.schedules.load(Ordering::Relaxed)
    }

    /// Choices of a thread: one before each access to a shared word.
    pub(crate) fn steps(&self) -> usize {
        self.steps.load(Ordering::Relaxed)
    }
}

impl<S> Counted<S> {
    pub(crate) fn new(scheduler: S, counts: &Arc<Counts>) -> Self {
        Self {
            scheduler,
            counts: counts.clone(),
        }
    }
}

impl<S: Scheduler> Scheduler for Counted<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        let schedule = self.scheduler.new_execution()?;
        self.counts.schedules.fetch_add(1, Ordering::Relaxed);
        Some(schedule)
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        self.counts.steps.fetch_add(1, Ordering::Relaxed);
        self.scheduler.next_task(runnable, current, is_yielding)
    }

    fn next_u64(&mut self) -> u64 {
        self.scheduler.next_u64()
    }
}
