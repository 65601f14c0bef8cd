//! Processes that are killed at random, while others go on. Journals say what they had done.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::time::Duration;

use lockfree_cuckoo::SharedFilter;
use lockfree_cuckoo::filter::Fixed;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::{filter, memory, spawn};

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

/// Adds and takes items of its own until it is killed.
pub(crate) fn work() {
    let filter = SharedFilter::<Fixed>::attach(memory()).expect("a filter");
    let mut rng = SmallRng::seed_from_u64(u64::from(std::process::id()));
    // Without a buffer, which would die with the process.
    let journal = std::io::stdout();
    let mut write = |entry: u64| nix::unistd::write(&journal, &entry.to_le_bytes()) == Ok(8);
    journal_start(&mut write);
    let base = u64::from(std::process::id()) * EACH;
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

/// What separates the journal from what is printed before it.
const START: [u8; 8] = *b"\n\0START\n";

fn journal_start(write: &mut impl FnMut(u64) -> bool) {
    write(u64::from_le_bytes(START));
}

/// The copies that are stored for certain, and those that may be, by item.
type Stored = HashMap<u64, (i64, i64)>;

/// Reads what a dead process has written. An entry that is cut was about to be made.
fn read(journal: &[u8], stored: &mut Stored) {
    let Some(start) = journal.windows(8).position(|bytes| bytes == START) else {
        return;
    };
    let entries = journal[start + 8..].chunks_exact(8);
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

/// Nothing is lost or invented, and no one is blocked.
#[test]
fn killed_processes_lose_and_invent_nothing() {
    let filter = filter((PROCESSES + DEATHS) * EACH as usize);
    let mut rng = SmallRng::seed_from_u64(46);
    let mut alive: Vec<_> = (0..PROCESSES).map(|_| spawn("work", &filter)).collect();
    let mut stored = Stored::new();
    for _ in 0..DEATHS {
        std::thread::sleep(Duration::from_millis(rng.random_range(0..40)));
        let mut victim = alive.remove(rng.random_range(0..alive.len()));
        victim.kill().expect("it lives");
        let mut journal = Vec::new();
        let output = victim.stdout.take().expect("piped");
        // Only this process has written it: read it to the end.
        { output }.read_to_end(&mut journal).expect("a pipe");
        victim.wait().expect("it is dead");
        read(&journal, &mut stored);
        filter.recover();
        alive.push(spawn("work", &filter));
    }
    for mut victim in alive {
        victim.kill().expect("it lives");
        let mut journal = Vec::new();
        { victim.stdout.take().expect("piped") }
            .read_to_end(&mut journal)
            .expect("a pipe");
        victim.wait().expect("it is dead");
        read(&journal, &mut stored);
    }
    filter.recover();
    assert_eq!(filter.recover(), 0, "all was taken back");
    let held = filter.snapshot().expect("no one scans").len() as i64;
    let certain: i64 = stored.values().map(|(certain, _)| certain).sum();
    let perhaps: i64 = stored.values().map(|(_, perhaps)| perhaps.abs()).sum();
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
    assert_eq!(
        filter.snapshot().expect("no one scans").len(),
        0,
        "invented"
    );
}
