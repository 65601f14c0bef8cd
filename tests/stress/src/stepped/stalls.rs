//! Stalls: what a few stopped threads mean for the many others, in completed operations.
//!
//! A signal to stop would stop the whole process, and two processes do not share a filter. So a thread stops itself, for
//! good, at a point of an operation that was chosen beforehand: in a filter before an access, in a set behind a lock where
//! it holds the lock. Nothing can end it, nor those who wait for its lock: they sleep until the process ends.
//!
//! It is no measure of speed, since the filter is built to be stopped at each access; what counts is what is left of the
//! first column in the others, and zero for locks.

use std::cell::Cell;
use std::collections::HashSet;
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::testing::hooks::{Fate, stepping};
use model::geometry::Geometry;
use model::mix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::layout::{self, Subject};

/// Many more than there are processors, so that threads are preempted in the middle of operations all the time.
const THREADS: usize = 64;

const STALLED: [usize; 3] = [0, 1, 4];

/// Items that stay.
const PERMANENT: u64 = 900;

/// With those of the threads they nearly fill a filter of so many slots, so that inserts relocate.
const SLOTS: usize = 1024;

/// Lower keys are of items that stay, which are put in before.
const FIRST_OF_THREADS: u64 = 1 << 16;

/// How long to wait for the threads that are to stop, at most.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the others have, once these have stopped, to run into the locks they hold.
const AFTERMATH: Duration = Duration::from_millis(200);

thread_local! {
    static POINTS_LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The number of threads that have stopped.
static HALTED: AtomicUsize = AtomicUsize::new(0);

/// A point at which the calling thread may stop.
fn point() {
    match POINTS_LEFT.get() {
        None => {}
        Some(0) => {
            HALTED.fetch_add(1, Ordering::Relaxed);
            loop {
                thread::park();
            }
        }
        Some(left) => POINTS_LEFT.set(Some(left - 1)),
    }
}

/// A set that many threads use.
enum Set {
    Filter(Subject),
    /// Exact.
    Locked(Mutex<HashSet<u64>>),
}

impl Set {
    fn has_locks(&self) -> bool {
        matches!(self, Self::Locked(_))
    }

    fn lock(set: &Mutex<HashSet<u64>>) -> MutexGuard<'_, HashSet<u64>> {
        let set = set.lock().expect("nobody panics");
        point();
        set
    }

    /// False if there is no room. A filter that doubles does so from the first item of a thread on, up to its last level, so
    /// that threads stop in the midst of that.
    fn insert(&self, key: u64) -> bool {
        match self {
            Self::Filter(filter) => {
                if key >= FIRST_OF_THREADS {
                    filter.begin_to_double();
                }
                filter.insert_hash(mix(key)).is_ok()
            }
            Self::Locked(set) => Self::lock(set).insert(key),
        }
    }

    fn contains(&self, key: u64) -> bool {
        match self {
            Self::Filter(filter) => filter.contains_hash(mix(key)),
            Self::Locked(set) => Self::lock(set).contains(&key),
        }
    }

    fn remove(&self, key: u64) -> bool {
        match self {
            Self::Filter(filter) => filter.remove_hash(mix(key)),
            Self::Locked(set) => Self::lock(set).remove(&key),
        }
    }
}

/// Makes an empty set.
type Begin = fn() -> Set;

/// What is compared: filters, and a set behind a lock.
const SETS: [(&str, Begin); 3] = [
    ("lockfree-cuckoo", || {
        let geometry = Geometry::with_slots(layout::chosen(), SLOTS);
        Set::Filter(layout::empty(geometry, 64))
    }),
    ("lockfree-cuckoo, doubling", || {
        Set::Filter(layout::growing(8))
    }),
    ("a HashSet in a Mutex", || Set::Locked(Mutex::default())),
];

pub(crate) fn run(time: Duration, seed: u64) -> Result<(), String> {
    let runs = (SETS.len() * STALLED.len()) as u32;
    let each = (time / runs).saturating_sub(AFTERMATH).max(AFTERMATH);
    println!(
        "stalls: operations that {THREADS} threads completed in {} ms, of which so many were to stop before:",
        each.as_millis()
    );
    println!(
        "stalls: {:28}{:>12}{:>12}{:>12}",
        "", STALLED[0], STALLED[1], STALLED[2]
    );
    let mut wrong = Vec::new();
    for (name, set) in SETS {
        let mut cells = String::new();
        for stalled in STALLED {
            let set = Arc::new(set());
            let blocks = stalled > 0 && set.has_locks();
            let operations = measure(set, stalled, each, seed)?;
            cells += &format!("{operations:>12}");
            if (operations == 0) != blocks {
                wrong.push(format!(
                    "{name}, {stalled} stopped: {operations} operations"
                ));
            }
        }
        println!("stalls: {name:28}{cells}");
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("; "))
    }
}

/// The operations that the threads complete in that time, of which so many have stopped before. This thread touches the set
/// before the others do, and never again.
fn measure(set: Arc<Set>, stalled: usize, time: Duration, seed: u64) -> Result<u64, String> {
    for key in 0..PERMANENT {
        assert!(set.insert(key), "there is room");
    }
    // The first that stops with a lock keeps the others from coming to the points where they would stop.
    let stop = if set.has_locks() {
        stalled.min(1)
    } else {
        stalled
    };
    let wanted = HALTED.load(Ordering::Relaxed) + stop;
    let completed: Arc<[AtomicU64]> = (0..THREADS).map(|_| AtomicU64::new(0)).collect();
    let over = Arc::new(AtomicBool::new(false));
    for number in 0..THREADS {
        let (set, completed, over) = (Arc::clone(&set), Arc::clone(&completed), Arc::clone(&over));
        thread::spawn(move || {
            let mut rng = SmallRng::seed_from_u64(mix(seed ^ mix(number as u64)));
            if number < stalled {
                POINTS_LEFT.set(Some(rng.random_range(100..1000)));
            }
            let hook = |_| {
                point();
                Fate::Goes
            };
            stepping(hook, || {
                work(&set, number, &completed[number], &over, &mut rng)
            });
        });
    }
    let start = Instant::now();
    while HALTED.load(Ordering::Relaxed) < wanted {
        if start.elapsed() > PATIENCE {
            return Err(format!("not all of {stalled} threads have stopped"));
        }
        thread::sleep(Duration::from_millis(1));
    }
    thread::sleep(AFTERMATH);
    let sum = || -> u64 { completed.iter().map(|c| c.load(Ordering::Relaxed)).sum() };
    let before = sum();
    thread::sleep(time);
    let operations = sum() - before;
    over.store(true, Ordering::Relaxed);
    Ok(operations)
}

/// Adds, finds and removes an item of its own, and looks for one that stays.
fn work(set: &Set, number: usize, completed: &AtomicU64, over: &AtomicBool, rng: &mut SmallRng) {
    let demand = |answer: bool, what: &str| {
        if !answer {
            eprintln!("stalls: FAILED: thread {number}: {what}");
            process::exit(1);
        }
        completed.fetch_add(1, Ordering::Relaxed);
    };
    let mut key = (number as u64) << 32;
    while !over.load(Ordering::Relaxed) {
        key += FIRST_OF_THREADS;
        // Sixty-four at once may be one too many for a filter.
        if set.insert(key) {
            completed.fetch_add(1, Ordering::Relaxed);
            demand(set.contains(key), "an item of its own is not found");
            demand(set.remove(key), "an item of its own is lost");
        }
        let permanent = rng.random_range(0..PERMANENT);
        demand(set.contains(permanent), "an item that stays is not found");
    }
}
