//! Storm: processes that share a filter are killed at any instruction, while others go on.
//!
//! Each worker is a child that keeps a journal in memory that outlives it. The parent kills some
//! workers at a time, at random, often all of them. The next worker of the same place recovers, and
//! goes on with the journal. No two items have the same fingerprint, so the answer of a lookup is
//! certain.
//!
//! There is a storm over a fixed filter and one over a window: [`items`], [`window`].

mod items;
mod window;

#[allow(
    clippy::disallowed_types,
    reason = "the journals of this program, not of the filter"
)]
use std::sync::atomic::AtomicU64;

use std::process::ExitCode;
use std::slice;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Parser;
use model::mix;
use nix::libc;
use nix::sys::mman::{MapFlags, ProtFlags, mmap_anonymous};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork};

/// The processes at once.
const WORKERS: u64 = 8;

/// After so many deaths all workers must go on.
const PAUSE: u64 = 1_000;

/// Hundredths of a second in which a worker makes a call, however busy the machine is.
const MOST_WAITS: usize = 3_000;

#[derive(Parser)]
#[command(about = "Kills processes that share a filter")]
struct Cli {
    /// Only this part and `signals` run in a build that cannot stop threads before an access
    #[arg(value_parser = ["storm"])]
    part: String,
    /// About how many seconds to run
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Seed of the first worker
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Zeros that all workers have, and the parent.
type Cells = &'static [AtomicU64];

fn cells(number: u64) -> Cells {
    let number = number as usize;
    let size = (number * size_of::<u64>()).try_into().expect("not 0");
    #[allow(unsafe_code, reason = "memory that outlives processes")]
    // SAFETY: new memory of zeros, which is never unmapped. Words of it are atomics.
    unsafe {
        let protection = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        let memory = mmap_anonymous(None, size, protection, MapFlags::MAP_SHARED);
        slice::from_raw_parts(memory.expect("memory").cast().as_ptr(), number)
    }
}

/// Numbers of a worker.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(1);
        mix(self.0) % limit
    }
}

/// An item as its hash: a fingerprint of its own, and any bucket.
fn hash(item: u64) -> u64 {
    mix(item) << 16 | (item + 1)
}

/// What workers do with a filter.
trait Work {
    /// Goes on where the last worker of this place was killed.
    fn begin(&self, place: u64);
    /// One call, and the check of its answer.
    fn call(&self, place: u64, numbers: &mut Numbers);
    /// Checks all, when no worker is left. Returns what there is to say.
    fn end(&self, deaths: u64) -> String;
}

/// Ends a worker that has found a violation.
fn fail(why: &str) -> ! {
    eprintln!("{why}");
    #[allow(
        unsafe_code,
        reason = "a child must not run the destructors of its parent"
    )]
    // SAFETY: nothing is left to be done.
    unsafe {
        libc::_exit(1)
    }
}

/// One storm: the work, and the processes that do it.
struct Storm<'a> {
    work: &'a dyn Work,
    /// The calls of each worker.
    calls: Cells,
    workers: Vec<Pid>,
}

impl<'a> Storm<'a> {
    fn new(work: &'a dyn Work, seed: u64) -> Self {
        let calls = cells(WORKERS);
        let workers = (0..WORKERS).map(|place| start(work, &calls[place as usize], place, seed));
        Self {
            work,
            calls,
            workers: workers.collect(),
        }
    }

    /// Kills the workers of these places. Returns false if one had ended by itself: then it has
    /// said why.
    fn kill(&self, places: &[u64]) -> bool {
        let workers = || places.iter().map(|&place| self.workers[place as usize]);
        workers().for_each(|worker| kill(worker, Signal::SIGKILL).expect("it is there"));
        // Wait for each, even if one has failed.
        let deaths = workers()
            .map(|it| waitpid(it, None) == Ok(WaitStatus::Signaled(it, Signal::SIGKILL, false)));
        deaths.fold(true, |all, killed| all & killed)
    }

    fn restart(&mut self, places: &[u64], seed: u64) {
        for &place in places {
            let calls = &self.calls[place as usize];
            self.workers[place as usize] = start(self.work, calls, place, seed);
        }
    }

    /// The calls so far, by worker.
    fn calls(&self) -> Vec<u64> {
        let calls = self.calls.iter();
        calls.map(|calls| calls.load(Ordering::Relaxed)).collect()
    }

    /// Whether each worker makes calls, while none is killed.
    fn goes_on(&self) -> bool {
        let before = self.calls();
        (0..MOST_WAITS).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            let mut both = before.iter().zip(self.calls());
            both.all(|(&before, now)| now > before)
        })
    }
}

/// Starts the worker of a place.
fn start(work: &dyn Work, calls: &AtomicU64, place: u64, seed: u64) -> Pid {
    #[allow(unsafe_code, reason = "a fork")]
    // SAFETY: this process has one thread.
    match unsafe { fork() }.expect("a process") {
        ForkResult::Child => {
            take_short_turns();
            let mut numbers = Numbers(mix(seed ^ place << 48));
            work.begin(place);
            loop {
                work.call(place, &mut numbers);
                calls.fetch_add(1, Ordering::Relaxed);
            }
        }
        ForkResult::Parent { child } => child,
    }
}

/// Lets other processes run often, where Linux can do that (6.12): a process that was killed must
/// have its turn before it is dead, and the turns of the others are long.
fn take_short_turns() {
    #[allow(unsafe_code, reason = "a call of the system")]
    // SAFETY: the system only reads the attributes, and knows their size. All zeros are some.
    unsafe {
        let mut attributes: libc::sched_attr = std::mem::zeroed();
        attributes.size = size_of_val(&attributes) as u32;
        attributes.sched_policy = libc::SCHED_OTHER as u32;
        attributes.sched_runtime = Duration::from_micros(100).as_nanos() as u64;
        // Without it the storm kills less often.
        let _ = libc::syscall(libc::SYS_sched_setattr, 0, &attributes, 0);
    }
}

/// Lets a storm pass. Returns false after a violation, which has been said.
fn pass(name: &str, work: &dyn Work, time: Duration, seed: u64) -> bool {
    let mut storm = Storm::new(work, seed);
    let mut numbers = Numbers(mix(seed));
    let (begun, mut deaths) = (Instant::now(), 0);
    while begun.elapsed() < time || deaths < 100 {
        std::thread::sleep(Duration::from_micros(numbers.below(400)));
        // Kill any of them: one in two, or all.
        let mask = numbers.below(1 << WORKERS) | if numbers.below(8) == 0 { !0 } else { 0 };
        let places: Vec<u64> = (0..WORKERS)
            .filter(|place| mask >> place & 1 == 1)
            .collect();
        if !storm.kill(&places) {
            return false;
        }
        let before = deaths;
        deaths += places.len() as u64;
        storm.restart(&places, seed ^ deaths << 20);
        if before / PAUSE != deaths / PAUSE && !storm.goes_on() {
            eprintln!("a worker is blocked after {deaths} deaths, seeds from {seed}");
            return false;
        }
    }
    let all: Vec<u64> = (0..WORKERS).collect();
    if !storm.kill(&all) {
        return false;
    }
    deaths += WORKERS;
    let says = work.end(deaths);
    let calls: u64 = storm.calls().iter().sum();
    println!(
        "storm, {name}: {deaths} processes were killed in {calls} calls, seeds from {seed}: \
         nothing is lost, invented or blocked{says}"
    );
    true
}

pub(crate) fn main() -> ExitCode {
    let Cli { seconds, seed, .. } = Cli::parse();
    let each = Duration::from_secs(seconds) / 2;
    let passed = pass("items", &items::Items::new(), each, seed)
        && pass("window", &window::Window::new(), each, seed);
    ExitCode::from(u8::from(!passed))
}
