//! Runs a test under many random schedules, and refuses one in which the races it is about did not happen.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use lockfree_cuckoo::testing::hooks::{Event, Tally, tally};
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, MaxSteps, PortfolioRunner, Runner};

use crate::bursts::Bursts;
use crate::counted::{Counted, Counts};

/// The environment variable that sets another number of schedules for every test.
const SET_SCHEDULES: &str = "SHUTTLE_ITERATIONS";

/// The environment variable that is set while a mutant is checked.
const CHECKING_A_MUTANT: &str = "CHECKING_A_MUTANT";

/// How many times the schedules of a test a mutant gets. Where few schedules bring a mutant to light, one run of
/// the test would often miss it; the first that does ends the run.
const TIMES_FOR_A_MUTANT: usize = 8;

/// Places at which the preferred thread changes in a schedule of the third kind (Burckhardt et al., ASPLOS
/// 2010): few, so that each is likely to be where it matters.
const DEPTHS: [usize; 2] = [3, 5];

/// Far more accesses than any schedule makes; reaching it means that a thread goes round for ever.
const MOST_STEPS: usize = 1_000_000;

/// The longest path search keeps its nodes on the stack.
const STACK: usize = 256 << 10;

/// Events are counted in the whole process, so there is one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

const EVENTS: [Event; 14] = [
    Event::Hop,
    Event::Kick,
    Event::Broken,
    Event::Abort,
    Event::Help,
    Event::Arrival,
    Event::Repeat,
    Event::Twin,
    Event::Starved,
    Event::Rejected,
    Event::Hint,
    Event::Growth,
    Event::Vain,
    Event::Split,
];

/// Runs `test` under so many schedules: half of them switch at every access, a quarter in bursts, a quarter by
/// priorities. A failure is printed with its schedule, which `shuttle::replay` repeats.
///
/// # Panics
///
/// If `test` does under some schedule, or if one of the `needed` events never happened: then it tests nothing.
#[track_caller]
pub fn explore(
    name: &str,
    schedules: usize,
    needed: &[Event],
    test: impl Fn() + Send + Sync + 'static,
) {
    measured(name, schedules, needed, |schedules, counts| {
        let mut portfolio = PortfolioRunner::new(true, config());
        for scheduler in schedulers(schedules, counts) {
            portfolio.add(scheduler);
        }
        portfolio.run(test);
    });
}

/// The same for a `test` that retires something through the epoch.
///
/// The epoch is the whole process's: what one schedule retires, another would drop, and touch its atomics. So they
/// run one after the other, and what one has retired is dropped before it ends.
///
/// # Panics
///
/// As [`explore`] does.
#[track_caller]
pub fn explore_with_epochs(
    name: &str,
    schedules: usize,
    needed: &[Event],
    test: impl Fn() + Send + Sync + 'static,
) {
    let test = Arc::new(move || {
        test();
        drop_what_is_retired();
    });
    measured(name, schedules, needed, |schedules, counts| {
        for scheduler in schedulers(schedules, counts) {
            let test = Arc::clone(&test);
            Runner::new(scheduler, config()).run(move || test());
        }
    });
}

fn drop_what_is_retired() {
    let dropped = Arc::new(AtomicBool::new(false));
    let last = Arc::clone(&dropped);
    // The epoch drops in order.
    crossbeam_epoch::pin().defer(move || last.store(true, Ordering::Relaxed));
    while !dropped.load(Ordering::Relaxed) {
        crossbeam_epoch::pin().flush();
    }
}

fn config() -> Config {
    let mut config = Config::new();
    config.stack_size = STACK;
    config.max_steps = MaxSteps::FailAfter(MOST_STEPS);
    // It warns that weak memory is not explored.
    config.silence_warnings = true;
    config
}

fn schedulers(schedules: usize, counts: &Arc<Counts>) -> Vec<Box<dyn Scheduler + Send>> {
    let mut schedulers: Vec<Box<dyn Scheduler + Send>> = vec![
        Box::new(Counted::new(
            RandomScheduler::new(schedules.div_ceil(2)),
            counts,
        )),
        Box::new(Counted::new(Bursts::new(schedules.div_ceil(4)), counts)),
    ];
    for depth in DEPTHS {
        let scheduler = PctScheduler::new(depth, schedules.div_ceil(8));
        schedulers.push(Box::new(Counted::new(scheduler, counts)));
    }
    schedulers
}

/// Runs so many schedules, says what happened in them, and demands what had to.
#[track_caller]
fn measured(name: &str, schedules: usize, needed: &[Event], run: impl FnOnce(usize, &Arc<Counts>)) {
    let schedules = std::env::var(SET_SCHEDULES)
        .ok()
        .and_then(|number| number.parse().ok())
        .unwrap_or(schedules);
    let schedules = match std::env::var_os(CHECKING_A_MUTANT) {
        Some(_) => schedules * TIMES_FOR_A_MUTANT,
        None => schedules,
    };
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let counts = Arc::new(Counts::default());
    let (start, before) = (Instant::now(), tally());
    run(schedules, &counts);
    let happened = tally().since(&before);
    println!(
        "{:>9} schedules: {name} ({:.1} million steps, {:.1} s;{})",
        counts.schedules(),
        counts.steps() as f64 / 1e6,
        start.elapsed().as_secs_f64(),
        list(&happened)
    );
    for &event in needed {
        assert!(happened.of(event) > 0, "{event:?} never happened in {name}");
    }
}

fn list(happened: &Tally) -> String {
    EVENTS
        .iter()
        .map(|&event| (event, happened.of(event)))
        .filter(|&(_, count)| count > 0)
        .map(|(event, count)| format!(" {event:?} {count}"))
        .collect()
}
