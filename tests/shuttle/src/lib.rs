//! What the tests of random schedules share: how schedules are drawn, and threads that race.
//!
//! [shuttle](https://docs.rs/shuttle) runs the shipping code one thread at a time and chooses, before each
//! access to a shared word, which thread goes on. A checker that goes through all schedules stops at a few
//! dozen accesses; these programs make thousands, so paths of many hops, a pool that runs dry and six threads
//! at once are within reach. But schedules are sampled: a pass is evidence, no proof. And every access is
//! sequentially consistent here, whatever its ordering says: weak memory is for the models under loom.
//!
//! Everything here and in `tests/` is compiled only with `--cfg lockfree_cuckoo_shuttle`; `cargo suite shuttle`
//! sees to that.
#![cfg(lockfree_cuckoo_shuttle)]

mod schedulers;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crew::{checking_a_mutant, name_of_the_test, set_by};
use lockfree_cuckoo::testing::hooks::{Event, Tally, tally};
use shuttle::rand::{Rng, thread_rng};
use shuttle::{Config, MaxSteps, Runner, thread};

/// The environment variable that sets another number of schedules for every test.
const SET_SCHEDULES: &str = "SHUTTLE_ITERATIONS";

/// How many times the schedules of a test a mutant gets. Where few schedules bring a mutant to light, one run of
/// the test would often miss it; the first that does ends the run.
const TIMES_FOR_A_MUTANT: usize = 8;

/// Far more accesses than any schedule makes; reaching it means that a thread goes round for ever.
const MOST_STEPS: usize = 1_000_000;

/// The longest path search keeps its nodes on the stack.
const STACK: usize = 256 << 10;

/// Events are counted in the whole process, and so is the epoch: there is one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs `test` under so many schedules, one after the other. A failure is printed with its schedule, which
/// `shuttle::replay` repeats. A test in which one of the `needed` events never happened tests nothing, and fails.
#[track_caller]
pub fn explore(schedules: usize, needed: &[Event], test: impl Fn() + Send + Sync + 'static) {
    let name = name_of_the_test();
    let mut schedules = set_by(SET_SCHEDULES).unwrap_or(schedules);
    if checking_a_mutant() {
        schedules *= TIMES_FOR_A_MUTANT;
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (start, before) = (Instant::now(), tally());
    let (test, explored) = (Arc::new(test), Arc::new(AtomicUsize::new(0)));
    for scheduler in schedulers::all(schedules) {
        let mut config = Config::new();
        config.stack_size = STACK;
        config.max_steps = MaxSteps::FailAfter(MOST_STEPS);
        // It warns that weak memory is not explored.
        config.silence_warnings = true;
        let (test, explored) = (Arc::clone(&test), Arc::clone(&explored));
        Runner::new(scheduler, config).run(move || {
            explored.fetch_add(1, Ordering::Relaxed);
            test();
            drop_what_is_retired();
        });
    }
    let happened = tally().since(&before);
    println!(
        "{:>9} schedules: {name} ({:.1} s;{})",
        explored.load(Ordering::Relaxed),
        start.elapsed().as_secs_f64(),
        list(&happened)
    );
    for &event in needed {
        assert!(happened.of(event) > 0, "{event:?} never happened in {name}");
    }
}

/// What one schedule retires, another would drop, and touch its atomics.
fn drop_what_is_retired() {
    let dropped = Arc::new(AtomicBool::new(false));
    let last = Arc::clone(&dropped);
    // The epoch drops in order.
    crossbeam_epoch::pin().defer(move || last.store(true, Ordering::Relaxed));
    while !dropped.load(Ordering::Relaxed) {
        crossbeam_epoch::pin().flush();
    }
}

fn list(happened: &Tally) -> String {
    let events = Event::WITHOUT_ROTATIONS.map(|event| (event, happened.of(event)));
    events
        .into_iter()
        .filter(|&(_, count)| count > 0)
        .map(|(event, count)| format!(" {event:?} {count}"))
        .collect()
}

/// Runs that many threads, each told its number, and returns what they returned.
pub fn together<R: Send>(threads: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let work = &work;
    thread::scope(|scope| {
        let threads = (0..threads).map(|number| scope.spawn(move || work(number)));
        let threads: Vec<_> = threads.collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a panic ends the schedule"))
            .collect()
    })
}

/// A number below `bound`, chosen with the schedule and repeated with it.
pub fn choice(bound: usize) -> usize {
    thread_rng().gen_range(0..bound)
}

/// A hash, chosen likewise.
pub fn random_hash() -> u64 {
    thread_rng().r#gen()
}
