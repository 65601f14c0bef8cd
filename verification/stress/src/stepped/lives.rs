//! Lives of filters: threads that own items fill a filter, churn and empty it, repeatedly.
//!
//! Filters that double begin with a few buckets, and grow to their last level or beyond. In most of
//! their lives there are so few index bits that prefixes are nested, within a thread and across
//! threads. Fixed filters reach the load at which inserts need paths, sometimes with many threads
//! and sometimes with few.
//!
//! Each thread has items of its own. It must find and remove them, whatever the others do. If
//! threads add the same item at the same time, one of them succeeds. In the end the filter is
//! empty.
//!
//! After each round one thread has exclusive access. The filter must hold exactly the items that
//! the threads own, and so must a snapshot. It is written and read, and the copy replaces it. Half
//! of the filters that double are shrunk with these items in them, and grow again in the next
//! round. Between lives, filters that hold exactly the capacity of a size are shrunk.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crew::Crew;
use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::testing::hooks::Event::{
    self, Abort, Broken, DuplicateSeen, Growth, Help, Hint, Hop, InsertByPath, Split,
};
use lockfree_cuckoo::testing::hooks::{stepping, tally};
use lockfree_cuckoo::{InsertError, SnapshotError};
use model::geometry::Geometry;
use model::mix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::layout::{self, Subject};
use super::run::{Counts, Happened, Memory, Pace, Watchdog, demand};

/// The number of items that all threads try to add in each round.
const CONTESTED: usize = 64;

/// The time between two reports.
const REPORTS: Duration = Duration::from_secs(60);

/// The number of lives between two filters that are shrunk at the capacity of a size.
const LIVES_FOR_A_SIZE: u64 = 16;

/// All bits of a hash: index bits and head.
const ALL: u32 = 64;

/// The parameters of all lives of a kind.
pub(crate) struct Kind {
    name: &'static str,
    grows: bool,
    /// The KiB by which the process may grow after the first lives.
    growth_kib: u64,
    settled_after: u64,
    /// The minimum number of lives. These first ones are short.
    fewest: u64,
    /// The events that must happen.
    needed: &'static [Event],
}

pub(crate) const FIXED: Kind = Kind {
    name: "soak",
    grows: false,
    growth_kib: 16 << 10,
    settled_after: 8,
    fewest: 0,
    needed: &[InsertByPath, Hop, Broken, Help, Abort],
};

pub(crate) const GROWING: Kind = Kind {
    name: "lives",
    grows: true,
    growth_kib: 64 << 10,
    settled_after: 64,
    fewest: 32,
    needed: &[
        InsertByPath,
        Hop,
        Broken,
        Help,
        DuplicateSeen,
        Hint,
        Growth,
        Split,
    ],
};

/// The buckets of a fixed filter: fifteen ranges.
const BUCKETS: usize = 15 << 8;

/// The parameters that vary from one life to the next.
#[derive(Clone, Copy, Debug)]
struct Life {
    seed: u64,
    threads: usize,
    /// The capacity of a growing filter.
    capacity: Option<usize>,
    /// The number of index bits. The fewer, the more prefixes are nested.
    bits: u32,
    /// The number of items that are stored throughout.
    residents: usize,
    /// The most items of all threads.
    items: usize,
    rounds: u64,
    /// Whether it is shrunk after each round.
    shrinks: bool,
    /// One item of this many is left after a round; none if this is 0.
    left: usize,
    /// Whether the helper ends doublings.
    finishes: bool,
    pace: Pace,
    /// The pause of the helper.
    pause: Duration,
}

pub(crate) fn run(kind: &Kind, time: Duration, seed: u64) -> Result<(), String> {
    let (watchdog, start) = (Watchdog::new(), tally());
    let (mut memory, done, mut lives) = (Memory::default(), Counts::default(), 0);
    let (end, mut report) = (Instant::now() + time, Instant::now() + REPORTS);
    while Instant::now() < end || lives < kind.fewest {
        let seed_of_life = mix(seed ^ mix(lives));
        let life = if kind.grows {
            Life::growing(seed_of_life, lives < kind.fewest)
        } else {
            Life::fixed(seed_of_life)
        };
        let what = format!("life {lives} of seed {seed}: {life:?}");
        watchdog
            .watch(&what, || life.live(&done))
            .and_then(|()| memory.look(lives + 1 == kind.settled_after, kind.growth_kib))
            .map_err(|why| format!("{what}: {why}"))?;
        if kind.grows && lives % LIVES_FOR_A_SIZE == 0 {
            let most = if lives < kind.fewest { 17 } else { 20 };
            let what = format!("the capacity of a size, with seed {seed_of_life}");
            watchdog
                .watch(&what, || shrink_at_a_capacity(seed_of_life, most, &done))
                .map_err(|why| format!("{what}: {why}"))?;
        }
        lives += 1;
        if Instant::now() >= report.min(end) {
            report = Instant::now() + REPORTS;
            let events = Happened::since(&start);
            println!("{}: {lives} lives, {memory}, {done}; {events}", kind.name);
        }
    }
    if kind.grows && done.of("times smaller") == 0 {
        return Err("no filter was made smaller while it held items".into());
    }
    Happened::since(&start).demand(kind.needed)
}

fn one_of<T: Copy>(rng: &mut SmallRng, choices: &[T]) -> T {
    choices[rng.random_range(0..choices.len())]
}

/// A thread in a round of a life.
struct Worker<'a> {
    life: Life,
    filter: &'a Subject,
    residents: &'a [u64],
    /// The items of the thread.
    own: Vec<u64>,
    rng: SmallRng,
    operations: u64,
    refused: u64,
}

impl Life {
    fn growing(seed: u64, short: bool) -> Self {
        let mut rng = SmallRng::seed_from_u64(seed);
        let bits = one_of(&mut rng, &[ALL, ALL, 12, 14, 16, 18, 22]);
        // With few bits there are few items. From a few thousand items on, the first table is not
        // enough.
        let most = if short { 10 } else { bits.min(14) };
        let left = one_of(&mut rng, &[0, 4, 16, 64]);
        Self {
            seed,
            threads: one_of(&mut rng, &[2, 2, 3, 4, 4, 8, 16]),
            capacity: Some(one_of(&mut rng, &[1, 1, 8, 20, 60])),
            bits,
            // Some lives without items between rounds have no residents either.
            residents: if left == 0 { 0 } else { 48 },
            items: 1 << rng.random_range(7..=most),
            rounds: rng.random_range(1..=4),
            shrinks: rng.random(),
            left,
            finishes: rng.random_ratio(1, 4),
            pace: Pace::of(one_of(&mut rng, &[1 << 6, 1 << 10, 1 << 16]), 8),
            pause: Duration::from_micros(one_of(&mut rng, &[0, 100, 1_000, 10_000])),
        }
    }

    fn fixed(seed: u64) -> Self {
        let mut rng = SmallRng::seed_from_u64(seed);
        let slots = layout::chosen().slots;
        let percent = match slots {
            2 => 85,
            3 => 92,
            _ => 95,
        };
        let residents = BUCKETS * slots * 30 / 100;
        Self {
            seed,
            threads: rng.random_range(1..=16),
            capacity: None,
            bits: ALL,
            residents,
            items: BUCKETS * slots * percent / 100 - residents,
            rounds: rng.random_range(1..=4),
            shrinks: false,
            left: one_of(&mut rng, &[0, 1, 2, 4]),
            finishes: false,
            pace: Pace::of(1 << 10, 4),
            pause: Duration::from_millis(50),
        }
    }

    fn begin(self) -> Subject {
        match self.capacity {
            Some(capacity) => layout::growing(capacity),
            None => layout::empty(Geometry::with_buckets(layout::chosen(), BUCKETS), 64),
        }
    }

    /// Returns an item with as many bits as the life has, and with one of two heads unless it has
    /// all bits.
    fn item(self, number: u64) -> u64 {
        let hash = mix(number);
        if self.bits == ALL {
            hash
        } else {
            hash & u64::MAX << (64 - self.bits) | (hash & 1 | 2) << 10
        }
    }

    fn live(self, done: &Counts) -> Result<(), String> {
        let mut filter = self.begin();
        let smallest = filter.slots();
        let numbers = (0..self.residents as u64).map(|number| self.item(self.seed ^ mix(number)));
        let residents: Vec<u64> = numbers
            .filter(|&hash| filter.insert_hash(hash).is_ok())
            .collect();
        let mut owned = vec![Vec::new(); self.threads];
        for round in 0..self.rounds {
            owned = self.round(round, &filter, &residents, &owned, done)?;
            let mut all = BTreeMap::new();
            for &hash in owned.iter().flatten().chain(&residents) {
                *all.entry(hash).or_default() += 1;
            }
            check_copies(&mut filter, &all)?;
            done.add("tables", filter.tables() as u64);
            let doublings = filter.slots().ilog2().saturating_sub(smallest.ilog2());
            done.add("doublings", u64::from(doublings));
            if self.shrinks {
                shrink(&mut filter, smallest, done)?;
                check(&filter, &all)?;
            }
        }
        for &hash in owned.iter().flatten().chain(&residents) {
            demand(filter.remove_hash(hash), "an item is lost", hash)?;
        }
        if !filter.is_empty() {
            return Err(format!("nothing is in, but {filter:?}"));
        }
        shrink(&mut filter, smallest, done)
    }

    fn round(
        self,
        round: u64,
        filter: &Subject,
        residents: &[u64],
        owned: &[Vec<u64>],
        done: &Counts,
    ) -> Result<Vec<Vec<u64>>, String> {
        let winners: Vec<AtomicUsize> = (0..CONTESTED).map(|_| AtomicUsize::new(0)).collect();
        let (workers, helpers) = Crew::run(
            self.threads,
            |crew, thread| {
                let seed = mix(self.seed ^ mix(round << 8 | thread as u64));
                let mut worker = Worker {
                    life: self,
                    filter,
                    residents,
                    own: owned[thread].clone(),
                    rng: SmallRng::seed_from_u64(seed),
                    operations: 0,
                    refused: 0,
                };
                let hook = self.pace.hook(seed);
                let live = || worker.live(crew, round, &winners);
                let outcome = stepping(hook, live).0.expect("no thread dies");
                done.add("operations", worker.operations);
                done.add("inserts refused", worker.refused);
                outcome.map(|()| worker.own)
            },
            1,
            |crew, _| {
                while crew.at_work() {
                    self.help(filter, residents, done)?;
                    thread::sleep(self.pause);
                }
                Ok(())
            },
        );
        helpers.into_iter().collect::<Result<(), String>>()?;
        workers.into_iter().collect()
    }

    /// Moves the residents, makes the filter grow early, and takes snapshots.
    fn help(self, filter: &Subject, residents: &[u64], done: &Counts) -> Result<(), String> {
        for &hash in residents.iter().take(48) {
            filter.relocate_hash(hash);
            demand(filter.contains_hash(hash), "a resident is missed", hash)?;
        }
        if filter.len() * 3 > filter.slots() {
            filter.begin_to_double();
        }
        if self.finishes {
            filter.finish_doubling();
        }
        match filter.snapshot() {
            Ok(copy) => {
                for &hash in residents {
                    demand(copy.contains_hash(hash), "a copy lacks a resident", hash)?;
                }
                done.add("snapshots", 1);
            }
            Err(SnapshotError::Disturbed) => done.add("snapshots given up", 1),
            Err(error) => return Err(error.to_string()),
        }
        Ok(())
    }
}

/// Checks, without other threads, that the filter holds a token for each owned item, and no more in
/// total. A token may cover other items too.
fn check(filter: &Subject, all: &BTreeMap<u64, usize>) -> Result<(), String> {
    for (&hash, &copies) in all {
        let is_in = filter.contains_hash(hash) && filter.count_hash(hash) >= copies;
        demand(is_in, "an item at rest is missed", hash)?;
    }
    match (filter.len(), all.values().sum::<usize>()) {
        (len, all) if len != all => Err(format!("it says {len}, of {all} items")),
        (len, _) if len != filter.taken() => Err(format!("{len} tokens, not {}", filter.taken())),
        _ => Ok(()),
    }
}

/// Checks the same for a snapshot, and for a filter that is read, which replaces the original.
fn check_copies(filter: &mut Subject, all: &BTreeMap<u64, usize>) -> Result<(), String> {
    check(filter, all)?;
    let copy = filter.snapshot().map_err(|error| error.to_string())?;
    check(&copy, all).map_err(|why| format!("a snapshot at rest: {why}"))?;
    *filter = layout::reread(filter).map_err(|error| error.to_string())?;
    check(filter, all).map_err(|why| format!("read back: {why}"))
}

/// Shrinks the filter. An empty one must get its first size.
fn shrink(filter: &mut Subject, smallest: usize, done: &Counts) -> Result<(), String> {
    let (slots, tables) = (filter.slots(), filter.tables());
    filter.shrink_to_fit();
    if filter.slots() > slots || filter.is_empty() && filter.slots() != smallest {
        return Err(format!("it had {slots} slots, and is {filter:?} now"));
    }
    if !filter.is_empty() {
        done.add("times smaller", u64::from(filter.slots() < slots));
        done.add("times fewer tables", u64::from(filter.tables() < tables));
    }
    Ok(())
}

/// Checks sizes of up to `2^most` buckets: as many items as the capacity of a size get that size,
/// and one more gets the next one. With copies this is not exact, but a filter that has been shrunk
/// must not shrink again.
fn shrink_at_a_capacity(seed: u64, most: u32, done: &Counts) -> Result<(), String> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let level = rng.random_range(9..=most);
    let filter = layout::growing((4 << level) * 9 / 10);
    let (slots, capacity) = (filter.slots(), filter.capacity());
    let copies = one_of(&mut rng, &[1, 1, 1, 2]);
    let mut hashes: Vec<u64> = (0..2 * capacity / copies).map(|_| rng.random()).collect();
    for &hash in &hashes {
        for _ in 0..copies {
            filter
                .insert_hash(hash)
                .map_err(|error| error.to_string())?;
        }
    }
    for (items, size) in [
        (capacity + 1, 2 * slots),
        (capacity, slots),
        (capacity - 1, slots),
    ] {
        for hash in hashes.drain(items / copies..) {
            for _ in 0..copies {
                demand(filter.remove_hash(hash), "an item is lost", hash)?;
            }
        }
        let mut filter = filter.snapshot().map_err(|error| error.to_string())?;
        filter.shrink_to_fit();
        let small = filter.slots();
        filter.shrink_to_fit();
        if filter.slots() != small || copies == 1 && small != size {
            return Err(format!(
                "{items} items in {small} slots, and then {filter:?}"
            ));
        }
        for &hash in &hashes {
            let is_in = filter.count_hash(hash) >= copies;
            demand(is_in, "an item is missed", hash)?;
        }
        if filter.len() != filter.taken() || filter.len() != copies * hashes.len() {
            return Err(format!("not conserved: {filter:?}"));
        }
        done.add("times smaller at a capacity", 1);
    }
    Ok(())
}

impl Worker<'_> {
    fn live(&mut self, crew: &Crew, round: u64, winners: &[AtomicUsize]) -> Result<(), String> {
        let quota = self.life.items / self.life.threads;
        // An error is kept to the end: the other threads wait at the meetings.
        let mut verdict = self.grow(quota).and_then(|()| self.churn(quota));
        crew.meet();
        verdict = verdict.and_then(|()| self.contend(round, winners));
        crew.meet();
        let left = quota.checked_div(self.life.left).unwrap_or(0);
        verdict.and_then(|()| self.shrink(left))
    }

    fn insert(&mut self, hash: u64) -> Result<(), String> {
        self.operations += 1;
        match when_there_is_one(|| self.filter.insert_hash(hash)) {
            Ok(()) => self.own.push(hash),
            // With few bits, items have few buckets.
            Err(InsertError::TooManyCopies { .. } | InsertError::Full { .. }) => self.refused += 1,
            Err(error) => return Err(error.to_string()),
        }
        Ok(())
    }

    fn look(&mut self) -> Result<(), String> {
        if !self.residents.is_empty() {
            let hash = self.residents[self.rng.random_range(0..self.residents.len())];
            self.operations += 1;
            demand(
                self.filter.contains_hash(hash),
                "a resident is missed",
                hash,
            )?;
        }
        if !self.own.is_empty() {
            let hash = self.own[self.rng.random_range(0..self.own.len())];
            self.operations += 1;
            demand(
                self.filter.contains_hash(hash),
                "an own item is missed",
                hash,
            )?;
        }
        Ok(())
    }

    fn remove(&mut self) -> Result<(), String> {
        if self.own.is_empty() {
            return Ok(());
        }
        let at = self.rng.random_range(0..self.own.len());
        let hash = self.own.swap_remove(at);
        self.operations += 1;
        demand(self.filter.remove_hash(hash), "an own item is lost", hash)
    }

    fn grow(&mut self, quota: usize) -> Result<(), String> {
        // If items are refused it does not get that far.
        for _ in 0..4 * quota {
            if self.own.len() >= quota {
                break;
            }
            let hash = match self.rng.random_range(0..8) {
                0 if !self.own.is_empty() => self.own[self.rng.random_range(0..self.own.len())],
                _ => self.life.item(self.rng.random()),
            };
            self.insert(hash)?;
            self.look()?;
            if self.rng.random_ratio(1, 4) {
                self.remove()?;
            }
        }
        Ok(())
    }

    /// Replaces items, at the load that the filter has reached.
    fn churn(&mut self, times: usize) -> Result<(), String> {
        for _ in 0..times {
            self.remove()?;
            let hash = self.life.item(self.rng.random());
            self.insert(hash)?;
        }
        Ok(())
    }

    /// Tries to add the same items as all other threads, in an order of its own.
    fn contend(&mut self, round: u64, winners: &[AtomicUsize]) -> Result<(), String> {
        let start = self.rng.random_range(0..CONTESTED);
        for turn in 0..CONTESTED {
            let number = (start + turn) % CONTESTED;
            let unique = (round as usize * CONTESTED + number) as u64;
            let hash = self.life.item(mix(self.life.seed) ^ unique << 8);
            self.operations += 2;
            match when_there_is_one(|| self.filter.insert_unique_hash(hash)) {
                Ok(true) => {
                    self.own.push(hash);
                    let others = winners[number].fetch_add(1, Ordering::Relaxed);
                    // In this life items are distinct. In others, another item with the same bits
                    // counts separately.
                    let alone = others == 0 || self.life.bits != ALL;
                    demand(alone, "two were told that they added it", hash)?;
                }
                Ok(false) => {}
                Err(InsertError::TooManyCopies { .. } | InsertError::Full { .. }) => {
                    self.refused += 1;
                    continue;
                }
                Err(error) => return Err(error.to_string()),
            }
            demand(
                self.filter.contains_hash(hash),
                "an added item is missed",
                hash,
            )?;
        }
        Ok(())
    }

    fn shrink(&mut self, most: usize) -> Result<(), String> {
        while self.own.len() > most {
            self.look()?;
            self.remove()?;
        }
        Ok(())
    }
}

/// Tries again while other threads hold all descriptors. A small filter has few, and here threads
/// sleep while they hold one.
fn when_there_is_one<T>(insert: impl Fn() -> Result<T, InsertError>) -> Result<T, InsertError> {
    loop {
        match insert() {
            Err(InsertError::NoDescriptor) => thread::yield_now(),
            other => return other,
        }
    }
}
