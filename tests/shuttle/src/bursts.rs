//! A scheduler that lets each thread run for a while.
//!
//! A switch at every access keeps all threads at about the same place. Here one may stand still between two
//! accesses while another finishes whole operations: what a lookup must survive.

use shuttle::scheduler::{
    DataSource, RandomDataSource, RandomScheduler, Schedule, Scheduler, Task, TaskId,
};

/// Chooses at random how long the present thread goes on, and at random who is next.
#[derive(Debug)]
pub(crate) struct Bursts {
    next: RandomScheduler,
    coins: RandomDataSource,
    /// Accesses between two switches, on average, in this schedule.
    length: u64,
}

/// From about a step of an operation to a whole snapshot.
const LENGTHS: [u64; 4] = [4, 16, 64, 512];

impl Bursts {
    pub(crate) fn new(schedules: usize) -> Self {
        Self {
            next: RandomScheduler::new(schedules),
            coins: RandomDataSource::initialize(0),
            length: LENGTHS[0],
        }
    }
}

impl Scheduler for Bursts {
    fn new_execution(&mut self) -> Option<Schedule> {
        let schedule = self.next.new_execution()?;
        self.coins = RandomDataSource::initialize(self.next.next_u64());
        let choice = self.coins.next_u64() % LENGTHS.len() as u64;
        self.length = LENGTHS[choice as usize];
        Some(schedule)
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        let ends = is_yielding || self.coins.next_u64().is_multiple_of(self.length);
        let goes_on = runnable.iter().find(|task| Some(task.id()) == current);
        match goes_on {
            Some(task) if !ends => Some(task.id()),
            _ => self.next.next_task(runnable, current, is_yielding),
        }
    }

    fn next_u64(&mut self) -> u64 {
        self.next.next_u64()
    }
}
