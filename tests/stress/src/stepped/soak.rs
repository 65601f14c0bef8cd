//! Soak: churn at high load for as long as there is time, by now many and now few threads.
//!
//! Each second is a stretch, half of it for each of the [filters](super::soaked). When its threads have ended, the filter
//! must hold exactly what they say; a snapshot must agree; the filter is written and read back, and what was read goes on in
//! its place.

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use lockfree_cuckoo::testing::hooks::{stepping, tally};
use lockfree_cuckoo::{Filter, Fixed, Growing, Hashed, Layout, SnapshotError};
use model::mix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::events::Sum;
use super::layout::of_the_layout;
use super::memory;
use super::pace::Pace;
use super::soaked::Soaked;
use super::watchdog::Watchdog;

/// Of one filter.
const STRETCH: Duration = Duration::from_millis(500);

/// The numbers of threads go up to this, and down again.
const MOST_THREADS: u64 = 16;

/// What the process may grow by once each number of threads has been there.
const GROWTH_KIB: u64 = 16 << 10;

const PACE: Pace = Pace {
    one_in: 1 << 10,
    turns: 4,
};

/// How many items a thread handles between two looks at the time.
const TURNS: usize = 64;

#[derive(Clone, Copy, Debug, Default)]
struct Done {
    operations: u64,
    refused: u64,
    /// Taken while others wrote, and given up.
    snapshots: u64,
    disturbed: u64,
}

struct Soak<E: Soaked> {
    filter: Filter<E>,
    permanent: Vec<u64>,
    /// The rest of what is in.
    passing: Vec<u64>,
    done: Done,
    events: Sum,
    seed: u64,
}

pub(crate) fn run(time: Duration, seed: u64) -> Result<(), String> {
    of_the_layout!(soak(time, seed))
}

fn soak<L: Layout>(time: Duration, seed: u64) -> Result<(), String> {
    let start = Instant::now();
    let watchdog = Watchdog::new();
    let mut fixed = Soak::<Fixed<L>>::new(seed)?;
    let mut doubling = Soak::<Growing>::new(seed)?;
    let mut settled = None;
    let mut reported = Instant::now();
    let mut stretches = 0;
    while start.elapsed() < time {
        // 1, 2, ..., 16, 15, ..., 2, and again.
        let turn = stretches % (2 * MOST_THREADS - 2);
        let threads = 1 + turn.min(2 * MOST_THREADS - 2 - turn);
        let what = format!("stretch {stretches}, {threads} threads, seed {seed}");
        watchdog
            .watch(&what, || {
                fixed.stretch(threads as usize, stretches)?;
                doubling.stretch(threads as usize, stretches)
            })
            .map_err(|why| format!("{what}: {why}"))?;
        stretches += 1;
        let resident = memory::resident();
        if stretches == MOST_THREADS {
            settled = resident;
        }
        if let (Some(settled), Some(now)) = (settled, resident)
            && now > settled + GROWTH_KIB
        {
            return Err(format!("{what}: memory grew from {settled} to {now} KiB"));
        }
        if reported.elapsed() >= Duration::from_secs(60) || start.elapsed() >= time {
            reported = Instant::now();
            println!("soak: {stretches} stretches, {}", grown(settled, resident));
            println!("soak: {fixed}");
            println!("soak: {doubling}");
        }
    }
    fixed.events.demand(Fixed::<L>::NEEDED)?;
    doubling.events.demand(Growing::NEEDED)
}

fn grown(settled: Option<u64>, resident: Option<u64>) -> String {
    match (settled, resident) {
        (Some(settled), Some(now)) => format!("{now} KiB in memory, {settled} at the first peak"),
        (None, Some(now)) => format!("{now} KiB in memory"),
        (_, None) => "memory unknown".into(),
    }
}

impl<E: Soaked> fmt::Display for Soak<E> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Done {
            operations,
            refused,
            snapshots,
            disturbed,
        } = self.done;
        write!(
            out,
            "{}: {operations} operations, {refused} inserts refused or superfluous, {snapshots} snapshots, {disturbed} \
             given up; {}",
            E::TITLE,
            self.events
        )
    }
}

impl<E: Soaked> Soak<E> {
    fn new(seed: u64) -> Result<Self, String> {
        let mut soak = Self {
            filter: E::empty(seed),
            permanent: Vec::new(),
            passing: Vec::new(),
            done: Done::default(),
            events: Sum::default(),
            seed,
        };
        soak.add_permanent(0)?;
        Ok(soak)
    }

    fn add_permanent(&mut self, life: u64) -> Result<(), String> {
        let seed = mix(self.seed ^ mix(life));
        self.permanent = (0..E::items().0 as u64)
            .map(|at| mix(seed ^ mix(at)))
            .collect();
        let mut hashes = self.permanent.iter();
        let inserted = hashes.try_for_each(|&hash| self.filter.insert_hash(hash));
        inserted.map_err(|error| format!("far from full: {error}"))
    }

    fn stretch(&mut self, threads: usize, stretch: u64) -> Result<(), String> {
        let start = tally();
        let mut run = || {
            if stretch > 0 && stretch.is_multiple_of(E::STRETCHES) {
                self.begin_anew(stretch)?;
            }
            self.churn(threads, stretch)?;
            self.check()
        };
        let outcome = run();
        self.events.add(&start);
        outcome.map_err(|why| format!("{}: {why}", E::TITLE))
    }

    /// Empties the filter, which must then be as small as it was.
    fn begin_anew(&mut self, stretch: u64) -> Result<(), String> {
        let all = self.passing.drain(..).chain(self.permanent.drain(..));
        let lost: Vec<u64> = all.filter(|&hash| !self.filter.remove_hash(hash)).collect();
        if !lost.is_empty() || !self.filter.is_empty() {
            return Err(format!(
                "of all items {} are lost, and {} left",
                lost.len(),
                self.filter.len()
            ));
        }
        let before = E::empty(self.seed).slots();
        self.filter.shrink_to_fit();
        let slots = self.filter.slots();
        if slots != before {
            return Err(format!("it is empty, and has {slots} slots, not {before}"));
        }
        self.add_permanent(stretch)
    }

    /// One stretch. Each thread has its share of what passes.
    fn churn(&mut self, threads: usize, stretch: u64) -> Result<(), String> {
        let (permanent, all) = E::items();
        let quota = (all - permanent) / threads;
        let shares = self
            .passing
            .chunks(self.passing.len().div_ceil(threads).max(1));
        let mut shares: Vec<Vec<u64>> = shares.map(<[u64]>::to_vec).collect();
        shares.resize_with(threads, Vec::new);
        let end = Instant::now() + STRETCH;
        let soak = &*self;
        let (worked, copied) = thread::scope(|scope| {
            let workers: Vec<_> = shares
                .into_iter()
                .enumerate()
                .map(|(number, share)| {
                    let seed = mix(soak.seed ^ mix(stretch << 16 | number as u64));
                    scope.spawn(move || {
                        let work = || soak.work(share, quota, end, seed);
                        stepping(PACE.hook(seed), work).0
                    })
                })
                .collect();
            let copied = soak.copy_until(end);
            let worked: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
            (worked, copied)
        });
        self.passing.clear();
        let (taken, disturbed) = copied?;
        self.done.snapshots += taken;
        self.done.disturbed += disturbed;
        for worked in worked {
            let worked = worked.map_err(|_| "a thread panicked")?;
            let (share, done) = worked.ok_or("a thread died")??;
            self.passing.extend(share);
            self.done.operations += done.operations;
            self.done.refused += done.refused;
        }
        Ok(())
    }

    fn work(
        &self,
        mut own: Vec<u64>,
        quota: usize,
        end: Instant,
        seed: u64,
    ) -> Result<(Vec<u64>, Done), String> {
        let filter = &self.filter;
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut done = Done::default();
        let demand = |answer: bool, what: &str, hash: u64| {
            if answer {
                Ok(())
            } else {
                Err(format!("{what}: {hash:#x}"))
            }
        };
        while Instant::now() < end {
            for _ in 0..TURNS {
                let permanent = self.permanent[rng.random_range(0..self.permanent.len())];
                demand(
                    filter.contains_hash(permanent),
                    "a permanent item is missed",
                    permanent,
                )?;
                if !own.is_empty() && (own.len() >= quota || rng.random_ratio(1, 8)) {
                    let hash = own.swap_remove(rng.random_range(0..own.len()));
                    demand(filter.contains_hash(hash), "an own item is missed", hash)?;
                    demand(filter.remove_hash(hash), "an own item is lost", hash)?;
                    done.operations += 2;
                }
                let (hash, inserted) = match rng.random_range(0..8) {
                    // A second copy.
                    0 if !own.is_empty() => {
                        let hash = own[rng.random_range(0..own.len())];
                        (hash, filter.insert_hash(hash).is_ok())
                    }
                    1 | 2 => {
                        let hash = rng.random();
                        (hash, filter.insert_unique_hash(hash) == Ok(true))
                    }
                    _ => {
                        let hash = rng.random();
                        (hash, filter.insert_hash(hash).is_ok())
                    }
                };
                if inserted {
                    own.push(hash);
                } else {
                    done.refused += 1;
                }
                done.operations += 2;
            }
        }
        Ok((own, done))
    }

    /// Takes snapshots while others write. What is permanent is in each.
    fn copy_until(&self, end: Instant) -> Result<(u64, u64), String> {
        let (mut taken, mut disturbed) = (0, 0);
        while Instant::now() < end {
            match self.filter.snapshot() {
                Ok(copy) => {
                    for &hash in &self.permanent {
                        if !copy.contains_hash(hash) {
                            return Err(format!("a snapshot lacks a permanent item: {hash:#x}"));
                        }
                    }
                    taken += 1;
                }
                Err(SnapshotError::Disturbed) => disturbed += 1,
                Err(error) => return Err(error.to_string()),
            }
            thread::sleep(STRETCH / 10);
        }
        Ok((taken, disturbed))
    }

    /// With nobody else at work, everything is exact.
    fn check(&mut self) -> Result<(), String> {
        let items = [&self.permanent[..], &self.passing].concat();
        let agrees = |filter: &Filter<E>, what: &str| {
            let (len, all) = (filter.len(), items.len());
            if len != all {
                return Err(format!("{what} says {len}, of {all} tokens"));
            }
            E::agree(filter, &items).map_err(|why| format!("{what} has {why}"))
        };
        agrees(&self.filter, "the filter")?;
        let copy = self.filter.snapshot().map_err(|error| error.to_string())?;
        agrees(&copy, "a snapshot at rest")?;
        let bytes = self.filter.to_bytes();
        let read = Filter::<E>::from_bytes(&bytes).map_err(|error| error.to_string())?;
        agrees(&read, "the filter that was read back")?;
        self.filter = read;
        Ok(())
    }
}
