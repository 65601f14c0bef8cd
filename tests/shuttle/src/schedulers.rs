//! How schedules are drawn.

use shuttle::scheduler::{
    DataSource, PctScheduler, RandomDataSource, RandomScheduler, Schedule, Scheduler, Task, TaskId,
};

/// Places at which the preferred thread changes in a schedule of the third kind (Burckhardt et al., ASPLOS
/// 2010): few, so that each is likely to be where it matters.
const DEPTHS: [usize; 2] = [3, 5];

/// Half of so many schedules switch at every access, a quarter in bursts, a quarter by priorities.
pub(crate) fn all(schedules: usize) -> Vec<Box<dyn Scheduler + Send>> {
    let mut all: Vec<Box<dyn Scheduler + Send>> = vec![
        Box::new(RandomScheduler::new(schedules.div_ceil(2))),
        Box::new(Bursts::new(schedules.div_ceil(4))),
    ];
    for depth in DEPTHS {
        all.push(Box::new(PctScheduler::new(depth, schedules.div_ceil(8))));
    }
    all
}

/// Chooses at random how long the present thread goes on, and at random who is next.
///
/// A switch at every access keeps all threads at about the same place. Here one may stand still between two
/// accesses while another finishes whole operations: what a lookup must survive.
#[derive(Debug)]
struct Bursts {
    next: RandomScheduler,
    coins: RandomDataSource,
    /// Accesses between two switches, on average, in this schedule.
    length: u64,
}

/// From about a step of an operation to a whole snapshot.
const LENGTHS: [u64; 4] = [4, 16, 64, 512];

impl Bursts {
    fn new(schedules: usize) -> Self {
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
