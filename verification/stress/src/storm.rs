//! Storm: processes that share a filter are killed at any instruction, while others go on.
//!
//! Each worker is a child that writes what it is about to do with an item, and the answer, to a
//! journal in memory that outlives it. No two items have the same fingerprint, so the answer of a
//! lookup is certain. The parent kills workers at random times. The next worker of the same place
//! recovers, and checks each item against the journal: an item with an answer is there or not, as
//! that says; the item of the last call may be either. All workers also race for some common items, by
//! check-and-inserts and removes: of each there is one at most.

#![allow(
    clippy::disallowed_types,
    reason = "the journal of this program, not of the filter"
)]

use std::process::ExitCode;
use std::slice;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use lockfree_cuckoo::testing::{Internals, claimed};
use lockfree_cuckoo::{CuckooFilter, SharedFilter};
use model::mix;
use nix::libc;
use nix::sys::mman::{MapFlags, ProtFlags, mmap_anonymous};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork};

/// The processes at once.
const WORKERS: u64 = 8;

/// The items of one worker, and those of all.
const OWN: u64 = 40;
const COMMON: u64 = 8;

const ITEMS: u64 = WORKERS * OWN + COMMON;

/// So many that an item in two finds a full pair.
const BUCKETS: usize = 96;

/// After so many deaths all workers must go on.
const PAUSE: u64 = 1_000;

/// Hundredths of a second in which a worker makes a call, however busy the machine is.
const MOST_WAITS: usize = 3_000;

/// What a journal says of an item.
const ABSENT: u8 = 0;
const STORED: u8 = 1;
const ADDING: u8 = 2;
const REMOVING: u8 = 3;

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

/// Memory that all workers have, and the parent.
struct Journal {
    items: &'static [AtomicU8],
    /// The calls of each worker.
    calls: &'static [AtomicU64],
}

impl Journal {
    fn new() -> Self {
        let calls = size_of::<[AtomicU64; WORKERS as usize]>();
        let size = (calls + ITEMS as usize).try_into().expect("not 0");
        #[allow(unsafe_code, reason = "memory that outlives processes")]
        // SAFETY: new memory of zeros, which is never unmapped. Bytes and words of it are atomics.
        unsafe {
            let protection = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
            let memory = mmap_anonymous(None, size, protection, MapFlags::MAP_SHARED);
            let memory = memory.expect("memory");
            let items = memory.byte_add(calls).cast().as_ptr();
            let items = slice::from_raw_parts(items, ITEMS as usize);
            let calls = slice::from_raw_parts(memory.cast().as_ptr(), WORKERS as usize);
            Self { items, calls }
        }
    }

    fn says(&self, item: u64) -> u8 {
        self.items[item as usize].load(Ordering::SeqCst)
    }

    fn note(&self, item: u64, what: u8) {
        self.items[item as usize].store(what, Ordering::SeqCst);
    }

    /// The calls so far, by worker.
    fn calls(&self) -> Vec<u64> {
        let calls = self.calls.iter();
        calls.map(|calls| calls.load(Ordering::Relaxed)).collect()
    }
}

/// An item as its hash: a fingerprint of its own, and any bucket.
fn hash(item: u64) -> u64 {
    mix(item) << 16 | (item + 1)
}

/// Numbers of a worker.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(1);
        mix(self.0) % limit
    }
}

/// Compares the items of a place with its journal, and completes that.
fn check(filter: &SharedFilter, journal: &Journal, items: impl Iterator<Item = u64>) {
    for item in items {
        let stored = filter.contains_hash(hash(item));
        match (journal.says(item), stored) {
            (STORED, false) => fail(&format!("item {item} is lost")),
            (ABSENT, true) => fail(&format!("item {item} was invented, or not removed")),
            (STORED, true) | (ABSENT, false) => {}
            (_, stored) => journal.note(item, if stored { STORED } else { ABSENT }),
        }
    }
}

fn fail(why: &str) {
    eprintln!("{why}");
    exit(1);
}

fn exit(code: i32) -> ! {
    #[allow(
        unsafe_code,
        reason = "a child must not run the destructors of its parent"
    )]
    // SAFETY: nothing is left to be done.
    unsafe {
        libc::_exit(code)
    }
}

/// The work of one process, until it is killed.
fn work(filter: &SharedFilter, journal: &Journal, place: u64, seed: u64) -> ! {
    let own = place * OWN..(place + 1) * OWN;
    // The last call of the dead one may take effect as long as a word is frozen by it: afterwards
    // it has, or never will.
    filter.recover();
    check(filter, journal, own.clone());
    let mut numbers = Numbers(mix(seed));
    loop {
        let item = own.start + numbers.below(OWN);
        match (journal.says(item), numbers.below(8)) {
            (ABSENT, turn) => {
                journal.note(item, ADDING);
                let added = if turn == 0 {
                    filter.insert_hash(hash(item)).map(|()| true)
                } else {
                    filter.insert_unique_hash(hash(item))
                };
                match added {
                    Ok(true) => journal.note(item, STORED),
                    Ok(false) => fail(&format!("item {item} was there already")),
                    // The table is nearly full.
                    Err(_) => journal.note(item, ABSENT),
                }
            }
            (_, 0..2) => {
                journal.note(item, REMOVING);
                if !filter.remove_hash(hash(item)) {
                    fail(&format!("item {item} cannot be removed"));
                }
                journal.note(item, ABSENT);
            }
            (_, 2) => drop(filter.relocate_hash(hash(item))),
            (_, 3) => {
                let common = hash(WORKERS * OWN + numbers.below(COMMON));
                let _ = filter.insert_unique_hash(common);
            }
            (_, 4) => {
                let common = hash(WORKERS * OWN + numbers.below(COMMON));
                let _ = filter.remove_hash(common);
            }
            (_, 5) if numbers.below(32) == 0 => drop(filter.recover()),
            (_, 5) if numbers.below(32) == 0 => drop(filter.snapshot()),
            _ if !filter.contains_hash(hash(item)) => fail(&format!("item {item} is missed")),
            _ => {}
        }
        journal.calls[place as usize].fetch_add(1, Ordering::Relaxed);
    }
}

fn start(filter: &SharedFilter, journal: &Journal, place: u64, seed: u64) -> Pid {
    #[allow(unsafe_code, reason = "a fork")]
    // SAFETY: this process has one thread.
    match unsafe { fork() }.expect("a process") {
        ForkResult::Child => work(filter, journal, place, seed),
        ForkResult::Parent { child } => child,
    }
}

/// Kills a worker. Returns false if it had ended by itself: then it has said why.
fn end(worker: Pid) -> bool {
    kill(worker, Signal::SIGKILL).expect("it lives, or waits for this");
    waitpid(worker, None) == Ok(WaitStatus::Signaled(worker, Signal::SIGKILL, false))
}

/// Whether each worker makes calls, while none is killed.
fn goes_on(journal: &Journal) -> bool {
    let before = journal.calls();
    (0..MOST_WAITS).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        let mut both = before.iter().zip(journal.calls());
        both.all(|(&before, now)| now > before)
    })
}

pub(crate) fn main() -> ExitCode {
    let Cli { seconds, seed, .. } = Cli::parse();
    let builder = CuckooFilter::builder().buckets(BUCKETS).seed(1);
    let filter = builder.build_shared().expect("memory");
    let journal = Journal::new();
    let mut numbers = Numbers(mix(seed));
    let mut workers: Vec<Pid> = (0..WORKERS)
        .map(|place| start(&filter, &journal, place, seed + place))
        .collect();
    let (begun, mut deaths) = (Instant::now(), 0);
    while begun.elapsed() < Duration::from_secs(seconds) || deaths < 100 {
        std::thread::sleep(Duration::from_micros(numbers.below(400)));
        let place = numbers.below(WORKERS);
        let worker = &mut workers[place as usize];
        if !end(*worker) {
            return ExitCode::FAILURE;
        }
        deaths += 1;
        *worker = start(&filter, &journal, place, seed ^ deaths << 20);
        if deaths % PAUSE == 0 && !goes_on(&journal) {
            eprintln!("a worker is blocked after {deaths} deaths, seeds from {seed}");
            return ExitCode::FAILURE;
        }
    }
    if !workers.into_iter().all(end) {
        return ExitCode::FAILURE;
    }
    // No one is left: whatever the dead held is taken back, and the rest is exact.
    filter.recover();
    assert_eq!(claimed(&filter), 0, "descriptors that no one uses");
    check(&filter, &journal, 0..WORKERS * OWN);
    let common = (WORKERS * OWN..ITEMS).map(|item| filter.count_hash(hash(item)));
    let common: Vec<usize> = common.collect();
    assert!(common.iter().all(|&copies| copies <= 1), "{common:?}");
    let own = (0..WORKERS * OWN).filter(|&item| journal.says(item) == STORED);
    let stored = own.count() + common.iter().sum::<usize>();
    assert_eq!(filter.taken(), stored, "lost or invented");
    let copy = filter.snapshot().expect("no one scans");
    assert_eq!((copy.len(), copy.taken()), (stored, stored));
    println!(
        "storm: {deaths} processes were killed in {} calls, seeds from {seed}: nothing is lost, invented or blocked",
        journal.calls().iter().sum::<u64>()
    );
    ExitCode::SUCCESS
}
