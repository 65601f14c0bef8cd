//! Signals: stop threads permanently at any instruction of the shipping code.
//!
//! Each round is a process of its own. Threads work on one filter. After a random time some of them
//! get a signal whose handler never returns, and the others work on. Then the main thread checks
//! the filter:
//!
//! * no item that was stored throughout is missed;
//! * a snapshot has descriptors of its own, so it is the filter without stopped threads. The same
//!   calls on both get the same answers, until both are full, have doubled, or have let all items
//!   expire: stopped threads cause no refusal;
//! * a filter that does not grow allocates exactly the number of bytes that it reports.
//!
//! The allocator takes no lock and does not reuse memory, because a thread may stop in the middle
//! of an allocation. Each thread first works on another filter, because its first write registers
//! it with the C runtime, which may take a lock.

#![allow(
    clippy::disallowed_types,
    reason = "the counters of this program, not of the filter"
)]

use std::alloc::{GlobalAlloc, Layout};
use std::ops::Range;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use lockfree_cuckoo::{
    CuckooFilter, Filter, GrowingCuckooFilter, InsertError, RotatingCuckooFilter, filter::Engine,
};
use model::mix;

/// The environment variable that makes this process one round, with the seed as its value.
const ROUND: &str = "LOCKFREE_CUCKOO_ROUND";

/// The numbers of items that filters are made for.
const CAPACITIES: [usize; 5] = [8, 60, 1_000, 30_000, 1_000_000];

/// The numbers of threads to stop.
const STOPPED: [usize; 4] = [1, 2, 8, 64];

/// The bytes that a stopped thread with a descriptor may cost.
const MOST_BYTES: usize = 160;

/// The number of threads that are not stopped.
const OTHERS: usize = 2;

#[derive(Parser)]
#[command(about = "Stops threads by signals, for good")]
struct Cli {
    /// Only this part runs in a build that cannot stop threads before an access
    #[arg(value_parser = ["signals"])]
    part: String,
    /// About how many seconds to run
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Seed of the first round
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn main() -> ExitCode {
    if let Ok(seed) = std::env::var(ROUND) {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |why| {
            print(why);
            std::process::exit(101);
        }));
        round(seed.parse().expect("a seed"));
        // The stopped threads never end.
        std::process::exit(0);
    }
    let Cli { seconds, seed, .. } = Cli::parse();
    let start = Instant::now();
    let mut rounds = 0;
    while start.elapsed() < Duration::from_secs(seconds) || rounds < 20 {
        if let Err(why) = in_a_process(seed + rounds) {
            eprintln!("seed {}: {why}", seed + rounds);
            return ExitCode::FAILURE;
        }
        rounds += 1;
    }
    println!(
        "signals: {rounds} rounds, seeds from {seed}: nothing is lost, nothing is refused for the dead"
    );
    ExitCode::SUCCESS
}

/// Runs one round, which must end: no thread may wait for a stopped one.
fn in_a_process(seed: u64) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut child = Command::new(program)
        .env(ROUND, seed.to_string())
        .stdin(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let start = Instant::now();
    loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(format!("the round failed: {status}")),
            None if start.elapsed() > Duration::from_secs(300) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("a call has no end".into());
            }
            None => thread::sleep(Duration::from_millis(1)),
        }
    }
}

fn round(seed: u64) {
    let mut random = (0..).map(|turn| mix(seed << 20 | turn));
    let mut below = |limit: usize| (random.next().expect("no end") % limit as u64) as usize;
    let capacity = CAPACITIES[below(CAPACITIES.len())];
    let stopped = STOPPED[below(STOPPED.len())];
    let wait = Duration::from_micros(below(1_000) as u64);
    let kind = below(4);
    let claims = below(2) == 0;
    let one_by_one = below(2) == 0;
    let scene = Scene {
        claims,
        one_by_one,
        seed,
        capacity,
        stopped,
        wait,
    };
    // The first write of this thread allocates too.
    let warm = GrowingCuckooFilter::with_capacity(8);
    warm.insert(&0).expect("room");
    let before = ALLOCATED.load(Ordering::Relaxed);
    match kind {
        0 | 1 => {
            let builder = CuckooFilter::builder().capacity(capacity).seed(seed);
            let filter = scene.play(builder.build().expect("memory"), before, None);
            scene.compare(&filter, &filter.snapshot().expect("one at a time"));
        }
        2 => {
            let builder = GrowingCuckooFilter::builder().capacity(capacity).seed(seed);
            let filter = scene.play(builder.build().expect("memory"), before, None);
            let slots = filter.slots();
            scene.compare(&filter, &filter.snapshot().expect("one at a time"));
            assert!(filter.slots() >= 2 * slots, "it has not grown");
            assert!(filter.finish_doubling(), "it stays between two sizes");
        }
        _ => {
            let builder = RotatingCuckooFilter::builder()
                .capacity(capacity)
                .seed(seed);
            let rotate: fn(&RotatingCuckooFilter) = |filter| {
                let _ = filter.rotate();
            };
            let filter = scene.play(builder.build().expect("memory"), before, Some(rotate));
            let copy = filter.snapshot().expect("one at a time");
            scene.compare(&filter, &copy);
            scene.forget(&filter);
        }
    }
}

/// One round.
struct Scene {
    /// Whether most calls need a descriptor.
    claims: bool,
    /// Whether each victim is stopped before the next one begins.
    one_by_one: bool,
    seed: u64,
    capacity: usize,
    stopped: usize,
    wait: Duration,
}

impl Scene {
    /// Returns the items that are stored throughout.
    fn stored(&self) -> impl Iterator<Item = u64> + use<> {
        (0..self.capacity as u64 / 4).map(|item| mix(1 << 40 | item))
    }

    /// Lets threads work on a filter, and stops some. Returns the filter without active threads.
    fn play<E: Engine + 'static>(
        &self,
        filter: Filter<E>,
        before: usize,
        rarely: Option<fn(&Filter<E>)>,
    ) -> Arc<Filter<E>> {
        for item in self.stored() {
            filter.insert(&item).expect("room");
        }
        let is_whole = rarely.is_none();
        let built = ALLOCATED.load(Ordering::Relaxed) - before;
        let (outside, slots) = (size_of::<Filter<E>>(), filter.slots());
        let counted = filter.memory_usage() - outside;
        let filter = Arc::new(filter);
        let warm = Arc::new(GrowingCuckooFilter::with_capacity(8));
        let (ready, over) = (
            Arc::new(AtomicUsize::new(0)),
            Arc::new(AtomicBool::new(false)),
        );
        let share = (self.capacity as u64 / 4 / (self.stopped + OTHERS) as u64).max(1);
        let work = |number: u64| {
            let (filter, warm) = (Arc::clone(&filter), Arc::clone(&warm));
            let (ready, over) = (Arc::clone(&ready), Arc::clone(&over));
            let stored: Vec<u64> = self.stored().step_by(17).collect();
            let (seed, claims) = (self.seed, self.claims);
            move || {
                // Registers the thread, with the epochs too.
                for item in 0..50 {
                    let _ = warm.insert(&(number, item));
                }
                let mut own_items = vec![false; share as usize];
                ready.fetch_add(1, Ordering::Relaxed);
                for turn in 0u64.. {
                    if over.load(Ordering::Relaxed) {
                        return;
                    }
                    let chosen = mix(seed ^ number << 32 ^ turn << 1);
                    let own = (number, chosen % share);
                    let is_in = &mut own_items[own.1 as usize];
                    let kind = if claims {
                        chosen >> 60 & 3
                    } else {
                        chosen >> 60
                    };
                    match kind {
                        // An item that it has not added may be a false positive.
                        0..10 if *is_in => {
                            assert!(filter.remove(&own) || !is_whole, "an added item is missed");
                            *is_in = false;
                        }
                        0..6 => *is_in = filter.insert_unique(&own) == Ok(true),
                        6..10 => *is_in = filter.insert(&own).is_ok(),
                        10..14 => drop(filter.contains(&own)),
                        14 if turn % 64 == 0 => drop(rarely.map(|call| call(&filter))),
                        _ => {
                            let item = stored.get(chosen as usize % stored.len().max(1));
                            let there = item.is_none_or(|item| filter.contains(item));
                            assert!(there || !is_whole, "a stored item is missed");
                        }
                    }
                }
            }
        };
        let begin = |numbers: Range<usize>| {
            let last = numbers.end;
            let threads: Vec<_> = numbers.map(|n| thread::spawn(work(n as u64))).collect();
            while ready.load(Ordering::Relaxed) < last {
                thread::yield_now();
            }
            thread::sleep(self.wait);
            threads
        };
        let stopped_now = |number| {
            while STOPPED_NOW.load(Ordering::SeqCst) < number {
                thread::yield_now();
            }
        };
        let others = begin(0..OTHERS);
        let victims = OTHERS..OTHERS + self.stopped;
        if self.one_by_one {
            // Only as many threads as there are descriptors hold one at a time, so of many victims
            // only a few do.
            for (turn, victim) in (1..).zip(victims) {
                begin(victim..victim + 1).iter().for_each(stop);
                stopped_now(turn);
            }
        } else {
            begin(victims).iter().for_each(stop);
            stopped_now(self.stopped);
        }
        thread::sleep(Duration::from_millis(2));
        over.store(true, Ordering::Relaxed);
        for other in others {
            other.join().expect("it panicked");
        }
        if is_whole {
            let lost = self.stored().find(|item| !filter.contains(item));
            assert_eq!(lost, None, "a stored item is lost");
        }
        // The shared levels of a growing filter are preceded by two counts. Large levels come from
        // the system.
        let is_counted = built.abs_diff(counted) <= 16 || counted > 1 << 20;
        assert!(is_counted, "{built} bytes, {counted} are counted");
        // A growing filter may have grown.
        if filter.slots() == slots {
            let cost = filter.memory_usage() - outside - counted;
            assert!(cost <= MOST_BYTES * (self.stopped + OTHERS), "{cost} bytes");
        }
        filter
    }

    /// Makes the same calls on the filter and on one without stopped threads.
    fn compare<E: Engine>(&self, filter: &Filter<E>, copy: &Filter<E>) {
        let dead = |answer: &Result<bool, InsertError>| {
            matches!(
                answer,
                Err(InsertError::NoDescriptor | InsertError::Disturbed { .. })
            )
        };
        let mut refused = 0;
        for item in 0..4 * self.capacity as u64 + 100 {
            let item = mix(1 << 50 | item);
            let (answer, expected) = (filter.insert_unique(&item), copy.insert_unique(&item));
            assert!(!dead(&answer), "refused for the dead: {answer:?}");
            assert_eq!(answer.is_ok(), expected.is_ok(), "{answer:?}, {expected:?}");
            refused += usize::from(answer.is_err());
            if refused > 20 {
                break;
            }
        }
        let lost = self
            .stored()
            .find(|item| copy.contains(item) && !filter.contains(item));
        assert_eq!(lost, None, "a stored item is lost");
    }

    /// Rotates until all items have expired.
    fn forget(&self, filter: &RotatingCuckooFilter) {
        for _ in 0..3 {
            filter.rotate().expect("it does not forget");
            for item in 0..self.capacity as u64 / 2 {
                filter.insert_unique(&(7, item)).expect("room");
            }
        }
        let left = self.stored().filter(|item| filter.contains(item)).count();
        assert!(
            left <= 2 + self.capacity / 1_000,
            "{left} forgotten items are found"
        );
    }
}

/// The number of threads in the handler.
static STOPPED_NOW: AtomicUsize = AtomicUsize::new(0);

extern "C" fn never_return(_: libc::c_int) {
    STOPPED_NOW.fetch_add(1, Ordering::SeqCst);
    loop {
        #[allow(unsafe_code, reason = "a system call")]
        // SAFETY: it takes no argument, and is allowed in a handler.
        unsafe {
            libc::pause();
        }
    }
}

/// Stops a thread permanently.
fn stop<T>(victim: &thread::JoinHandle<T>) {
    use std::os::unix::thread::JoinHandleExt;

    #[allow(unsafe_code, reason = "system calls")]
    // SAFETY: the action is zeroed except for a handler that makes only async-signal-safe calls;
    // the thread has not been joined.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = never_return as *const () as usize;
        assert_eq!(
            libc::sigaction(libc::SIGUSR1, &action, std::ptr::null_mut()),
            0
        );
        assert_eq!(libc::pthread_kill(victim.as_pthread_t(), libc::SIGUSR1), 0);
    }
}

/// The number of bytes allocated.
static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

/// An allocator that takes memory from one area, and frees none.
struct Endless;

#[global_allocator]
static ALLOCATOR: Endless = Endless;

/// More bytes than any round needs. Only pages that are written to take memory.
const AREA: usize = 8 << 30;

/// The next free address; 0 before the area is mapped.
static NEXT: AtomicUsize = AtomicUsize::new(0);

#[allow(unsafe_code, reason = "an allocator")]
// SAFETY: each call gets a part of the area that no other call gets, with the alignment that it
// needs.
unsafe impl GlobalAlloc for Endless {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if NEXT.load(Ordering::Relaxed) == 0 {
            // SAFETY: a new private mapping.
            let area = unsafe {
                libc::mmap(
                    std::ptr::null_mut(),
                    AREA,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                    -1,
                    0,
                )
            };
            assert_ne!(area, libc::MAP_FAILED, "no room for the allocator");
            // The first allocation comes before the first thread.
            NEXT.store(area as usize, Ordering::Relaxed);
        }
        ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed);
        let size = layout.size() + layout.align();
        let start = NEXT.fetch_add(size, Ordering::Relaxed);
        start.next_multiple_of(layout.align()) as *mut u8
    }

    unsafe fn dealloc(&self, _: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Ordering::Relaxed);
    }
}
