//! Checks: run a model over every schedule within a bound, and fail if there are too few.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use loom::cell::UnsafeCell;
use loom::thread;

use crew::{checking_a_mutant, name_of_the_test, set_by};

/// The number of preemptive switches that a schedule may have. A bound finds errors, and proves
/// nothing beyond itself.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// Two switches find the known races in seconds. Three take hours for all models.
    Usual = 2,
    /// One switch, for models that would take minutes with two.
    Large = 1,
}

/// The environment variable that sets another bound for all models.
const SET_PREEMPTIONS: &str = "LOOM_MAX_PREEMPTIONS";

/// Far more accesses than any model makes. Only a thread in an endless loop reaches it.
const MAX_BRANCHES: usize = 20_000;

/// Checks that the writes of a thread before `insert` are visible to a thread for which `is_in`
/// found the item.
#[track_caller]
pub fn publishes<F: Send + Sync + 'static>(
    least: usize,
    filter: impl Fn() -> F + Send + Sync + 'static,
    insert: impl Fn(&F) + Copy + Send + Sync + 'static,
    is_in: impl Fn(&F) -> bool + Send + Sync + 'static,
) {
    check(Bound::Usual, least, move || {
        let shared = loom::sync::Arc::new((filter(), UnsafeCell::new(0)));
        let others = shared.clone();
        let writer = thread::spawn(move || {
            others.1.with_mut(|_| {});
            insert(&others.0);
        });
        if is_in(&shared.0) {
            shared.1.with(|_| {});
        }
        writer.join().expect("the writer");
    });
}

/// Checks `model` over all schedules within the bound. Panics if they are fewer than `least`: then
/// the model does not explore what it should.
#[track_caller]
pub fn check(bound: Bound, least: usize, model: impl Fn() + Send + Sync + 'static) {
    let name = name_of_the_test();
    let preemptions = set_by(SET_PREEMPTIONS).unwrap_or(bound as usize);
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = MAX_BRANCHES;
    let executions = Arc::new(AtomicUsize::new(0));
    let counted = executions.clone();
    let start = Instant::now();
    builder.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        model();
    });
    let executions = executions.load(Ordering::Relaxed);
    let seconds = start.elapsed().as_secs_f64();
    println!("{executions:>9} executions: {name} ({preemptions} preemptions, {seconds:.1} s)");
    assert!(
        executions >= least || checking_a_mutant(),
        "only {executions} executions of {name}, at least {least} expected"
    );
}
