//! Processes that are killed at random, while others go on. Journals say what they had done.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::os::fd::AsFd;
use std::process::{Child, Stdio};
use std::time::Duration;
use std::{env, io, process, thread};

use lockfree_cuckoo::SharedFilter;
use lockfree_cuckoo::filter::Fixed;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::{filter, memory, this_program, with_memory};

/// The items of one process. No other process has these.
const EACH: u64 = 400;

/// The processes at once.
const PROCESSES: usize = 3;

/// How often one is killed, and another one begins.
const DEATHS: usize = 60;

/// What a process writes to its journal: what it is about to do with an item, and the answer.
const ADD: u64 = 1 << 60;
const TAKE: u64 = 2 << 60;
const YES: u64 = 3 << 60;
const NO: u64 = 4 << 60;
const ITEM: u64 = (1 << 60) - 1;

/// How many processes have begun before.
const BEFORE: &str = "LOCKFREE_CUCKOO_TEST_BEFORE";

/// Adds and takes items of its own until it is killed.
pub(crate) fn work() {
    let filter = SharedFilter::<Fixed>::attach(memory()).expect("a filter");
    let before = env::var(BEFORE).expect("given");
    let before: u64 = before.parse().expect("a number");
    let mut rng = SmallRng::seed_from_u64(before);
    // Without a buffer, which would die with the process.
    let journal = std::io::stdout();
    let mut write = |entry: u64| nix::unistd::write(&journal, &entry.to_le_bytes()) == Ok(8);
    journal_start(&mut write);
    let base = before * EACH;
    let mut own = HashSet::new();
    loop {
        let item = base + rng.random_range(0..EACH);
        // An item that is not stored may collide with one that is.
        let adds = !own.contains(&item);
        if !write(item | if adds { ADD } else { TAKE }) {
            return;
        }
        let done = if adds {
            filter.insert_unique(&item).expect("room")
        } else {
            own.remove(&item);
            filter.remove(&item)
        };
        if adds && done {
            own.insert(item);
        }
        write(if done { YES } else { NO });
    }
}

/// Gives the next child a namespace of its own for the numbers of processes: as a container has.
/// Fails if this machine has no such namespaces.
pub(crate) fn part() {
    // A user who may not do it alone may with a namespace for the numbers of users.
    let pids = CloneFlags::CLONE_NEWPID;
    let parted = unshare(pids).or_else(|_| unshare(pids | CloneFlags::CLONE_NEWUSER));
    parted.expect("a namespace");
}

/// [`work`] as the process number 1 of a namespace, until the standard input ends.
pub(crate) fn work_apart() {
    if process::id() == 1 {
        return work();
    }
    part();
    let mut worker = this_program("work apart").stdin(Stdio::null()).spawn();
    let worker = worker.as_mut().expect("a process");
    while worker.try_wait().expect("a child").is_none() {
        let input = io::stdin();
        let mut ends = [PollFd::new(input.as_fd(), PollFlags::POLLIN)];
        if poll(&mut ends, PollTimeout::from(10u8)).expect("a pipe") > 0 {
            worker.kill().expect("it is there");
        }
    }
    // Write no other word into the journal.
    process::exit(0);
}

/// What separates the journal from what is printed before it.
const START: [u8; 8] = *b"\n\0START\n";

fn journal_start(write: &mut impl FnMut(u64) -> bool) {
    write(u64::from_le_bytes(START));
}

/// The copies that are stored for certain, and those that may be, by item.
type Stored = HashMap<u64, (i64, i64)>;

/// Reads what a dead process has written. An entry that is cut was about to be made.
fn read(journal: &[u8], stored: &mut Stored) {
    let entries = journal.chunks_exact(8);
    let entries = entries.map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight")));
    let mut begun = None;
    for entry in entries {
        match entry & !ITEM {
            ADD | TAKE => begun = Some(entry),
            answer => {
                let entry: u64 = begun.take().expect("a call before its answer");
                let (certain, _) = stored.entry(entry & ITEM).or_default();
                match (entry & !ITEM, answer) {
                    (ADD, YES) => *certain += 1,
                    (TAKE, YES) => *certain -= 1,
                    _ => {}
                }
            }
        }
    }
    // The last call may have taken effect.
    if let Some(entry) = begun {
        let (_, perhaps) = stored.entry(entry & ITEM).or_default();
        *perhaps += if entry & ADD == ADD { 1 } else { -1 };
    }
}

/// Starts a worker, and waits until it has the filter. All that are apart have the number 1.
fn begin(filter: &SharedFilter, before: u64, apart: bool) -> Child {
    let mut command = with_memory(if apart { "work apart" } else { "work" }, filter);
    if apart {
        command.stdin(Stdio::piped());
    }
    let worker = command.env(BEFORE, before.to_string()).spawn();
    let mut worker = worker.expect("a process");
    let output = worker.stdout.as_mut().expect("piped");
    let (mut last, mut next) = ([0; START.len()], [0]);
    while last != START {
        output.read_exact(&mut next).expect("it begins");
        last.rotate_left(1);
        last[START.len() - 1] = next[0];
    }
    worker
}

/// Kills a worker, and reads its journal.
fn kill(mut worker: Child, stored: &mut Stored) {
    match worker.stdin.take() {
        // Its parent kills it, and waits for it.
        Some(input) => drop(input),
        None => worker.kill().expect("it is there"),
    }
    let mut journal = Vec::new();
    let mut output = worker.stdout.take().expect("piped");
    // Only this process has written it: read it to the end.
    output.read_to_end(&mut journal).expect("a pipe");
    worker.wait().expect("it is dead");
    read(&journal, stored);
}

fn kill_at_random(apart: bool, deaths: usize) {
    let filter = filter((PROCESSES + deaths) * EACH as usize);
    let mut rng = SmallRng::seed_from_u64(46);
    let mut workers = (0..).map(|before| begin(&filter, before, apart));
    let mut alive: Vec<_> = workers.by_ref().take(PROCESSES).collect();
    let mut stored = Stored::new();
    for _ in 0..deaths {
        thread::sleep(Duration::from_millis(rng.random_range(0..40)));
        kill(alive.remove(rng.random_range(0..alive.len())), &mut stored);
        filter.recover();
        alive.extend(workers.next());
    }
    for worker in alive {
        kill(worker, &mut stored);
    }
    filter.recover();
    assert_eq!(filter.recover(), 0, "all was taken back");
    let held = filter.snapshot().expect("no one scans").len() as i64;
    let certain: i64 = stored.values().map(|(certain, _)| certain).sum();
    let perhaps: i64 = stored.values().map(|(_, perhaps)| perhaps.abs()).sum();
    assert!(certain > 0, "they worked");
    assert!(
        (held - certain).abs() <= perhaps,
        "{held} of {certain}, or {perhaps} more or less"
    );
    for (item, &(certain, perhaps)) in &stored {
        let least = certain + perhaps.min(0);
        assert!(least <= 0 || filter.contains(item), "item {item} is lost");
        if certain + perhaps.max(0) > 0 && filter.contains(item) {
            filter.remove(item);
        }
    }
    let left = filter.snapshot().expect("no one scans");
    assert_eq!(left.len(), 0, "invented");
}

/// Nothing is lost or invented, and no one is blocked.
#[test]
fn killed_processes_lose_and_invent_nothing() {
    kill_at_random(false, DEATHS);
}

/// The same of processes in several containers, which all have one number there.
#[test]
fn killed_processes_of_one_number_lose_and_invent_nothing() {
    let probe = this_program("part").stdout(Stdio::null()).status();
    if !probe.expect("a process").success() {
        eprintln!("skipped: this machine lets no process have a namespace of its own");
        return;
    }
    kill_at_random(true, DEATHS / 2);
}
