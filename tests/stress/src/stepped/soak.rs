//! Soak: churn at high load for as long as there is time, by now many and now few threads.
//!
//! When the threads of a stretch have ended, the filter must hold exactly what they say; a snapshot must agree; the filter
//! is written and read back, and what was read goes on in its place.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use lockfree_cuckoo::testing::hooks::{Event, stepping, tally};
use lockfree_cuckoo::{Filter, Fixed, Layout, SnapshotError};
use model::geometry::{Class, Geometry};
use model::mix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::layout::{self, of_the_layout};
use super::run::{Counts, Course, Pace, Sum, Watchdog, demand};

/// One set of threads.
const STRETCH: Duration = Duration::from_millis(500);

/// The numbers of threads go up to this, and down again.
const MOST_THREADS: u64 = 16;

/// What the process may grow by once each number of threads has been there.
const GROWTH_KIB: u64 = 16 << 10;

const PACE: Pace = Pace::of(1 << 10, 4);

/// How many items a thread handles between two looks at the time.
const TURNS: usize = 64;

/// Fifteen ranges.
const BUCKETS: usize = 15 << 8;

/// Without these the run is worth nothing.
const NEEDED: &[Event] = &[
    Event::Kick,
    Event::Hop,
    Event::Broken,
    Event::Help,
    Event::Abort,
];

struct Soak<L: Layout> {
    filter: Filter<Fixed<L>>,
    permanent: Vec<u64>,
    /// The rest of what is in.
    passing: Vec<u64>,
    /// All items, at most.
    most: usize,
    done: Counts,
    seed: u64,
}

pub(crate) fn run(time: Duration, seed: u64) -> Result<(), String> {
    of_the_layout!(soak(time, seed))
}

fn soak<L: Layout>(time: Duration, seed: u64) -> Result<(), String> {
    let (watchdog, start) = (Watchdog::new(), tally());
    let mut course = Course::new(time, GROWTH_KIB);
    let mut soak = Soak::<L>::new(seed)?;
    let mut stretches = 0;
    while course.has_time() {
        // 1, 2, ..., 16, 15, ..., 2, and again.
        let turn = stretches % (2 * MOST_THREADS - 2);
        let threads = 1 + turn.min(2 * MOST_THREADS - 2 - turn);
        let what = format!("stretch {stretches}, {threads} threads, seed {seed}");
        watchdog
            .watch(&what, || {
                soak.churn(threads as usize, stretches)?;
                soak.check()
            })
            .and_then(|()| course.look_at_memory(stretches + 1 == MOST_THREADS))
            .map_err(|why| format!("{what}: {why}"))?;
        stretches += 1;
        if course.reports() {
            let (done, events) = (&soak.done, Sum::since(&start));
            println!("soak: {stretches} stretches, {course}, {done}; {events}");
        }
    }
    Sum::since(&start).demand(NEEDED)
}

impl<L: Layout> Soak<L> {
    fn new(seed: u64) -> Result<Self, String> {
        let builder = Filter::<Fixed<L>>::builder().buckets(BUCKETS);
        let filter = builder.search_budget(256).seed(seed).build();
        let filter = filter.map_err(|error| error.to_string())?;
        let slots = filter.slots();
        let permanent = (0..slots as u64 * 30 / 100).map(|at| mix(mix(seed) ^ mix(at)));
        let permanent: Vec<u64> = permanent.collect();
        let mut hashes = permanent.iter();
        let inserted = hashes.try_for_each(|&hash| filter.insert_hash(hash));
        inserted.map_err(|error| format!("far from full: {error}"))?;
        let percent = match L::SLOTS {
            2 => 85,
            3 => 92,
            _ => 95,
        };
        Ok(Self {
            filter,
            permanent,
            passing: Vec::new(),
            most: slots * percent / 100,
            done: Counts::default(),
            seed,
        })
    }

    /// One stretch. Each thread has its share of what passes.
    fn churn(&mut self, threads: usize, stretch: u64) -> Result<(), String> {
        let quota = (self.most - self.permanent.len()) / threads;
        let share = self.passing.len().div_ceil(threads).max(1);
        let mut shares: Vec<Vec<u64>> = self.passing.chunks(share).map(<[u64]>::to_vec).collect();
        shares.resize_with(threads, Vec::new);
        let end = Instant::now() + STRETCH;
        let soak = &*self;
        let (worked, copied) = thread::scope(|scope| {
            let workers = (0..).zip(shares).map(|(number, share)| {
                let seed = mix(soak.seed ^ mix(stretch << 16 | number));
                let work = move || soak.work(share, quota, end, seed);
                scope.spawn(move || stepping(PACE.hook(seed), work).0)
            });
            let workers: Vec<_> = workers.collect();
            let copied = soak.copy_until(end);
            let worked: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
            (worked, copied)
        });
        self.passing.clear();
        copied?;
        for worked in worked {
            let worked = worked.map_err(|_| "a thread panicked")?;
            self.passing.extend(worked.ok_or("a thread died")??);
        }
        Ok(())
    }

    fn work(
        &self,
        mut own: Vec<u64>,
        quota: usize,
        end: Instant,
        seed: u64,
    ) -> Result<Vec<u64>, String> {
        let filter = &self.filter;
        let mut rng = SmallRng::seed_from_u64(seed);
        let (mut operations, mut refused) = (0, 0);
        while Instant::now() < end {
            for _ in 0..TURNS {
                let permanent = self.permanent[rng.random_range(0..self.permanent.len())];
                let is_in = filter.contains_hash(permanent);
                demand(is_in, "a permanent item is missed", permanent)?;
                if !own.is_empty() && (own.len() >= quota || rng.random_ratio(1, 8)) {
                    let hash = own.swap_remove(rng.random_range(0..own.len()));
                    demand(filter.contains_hash(hash), "an own item is missed", hash)?;
                    demand(filter.remove_hash(hash), "an own item is lost", hash)?;
                    operations += 2;
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
                    refused += 1;
                }
                operations += 2;
            }
        }
        self.done.add("operations", operations);
        self.done.add("inserts refused or superfluous", refused);
        Ok(own)
    }

    /// Takes snapshots while others write. What is permanent is in each.
    fn copy_until(&self, end: Instant) -> Result<(), String> {
        while Instant::now() < end {
            match self.filter.snapshot() {
                Ok(copy) => {
                    for &hash in &self.permanent {
                        let is_in = copy.contains_hash(hash);
                        demand(is_in, "a snapshot lacks a permanent item", hash)?;
                    }
                    self.done.add("snapshots", 1);
                }
                Err(SnapshotError::Disturbed) => self.done.add("snapshots given up", 1),
                Err(error) => return Err(error.to_string()),
            }
            thread::sleep(STRETCH / 10);
        }
        Ok(())
    }

    /// With nobody else at work, everything is exact.
    fn check(&mut self) -> Result<(), String> {
        self.agrees(&self.filter, "the filter")?;
        let copy = self.filter.snapshot().map_err(|error| error.to_string())?;
        self.agrees(&copy, "a snapshot at rest")?;
        let read = Filter::from_bytes(&self.filter.to_bytes());
        let read = read.map_err(|error| error.to_string())?;
        self.agrees(&read, "the filter that was read back")?;
        self.filter = read;
        Ok(())
    }

    /// The copies of each class are exact.
    fn agrees(&self, filter: &Filter<Fixed<L>>, what: &str) -> Result<(), String> {
        let geometry = Geometry::with_slots(layout::chosen(), filter.slots());
        let mut model: BTreeMap<Class, usize> = BTreeMap::new();
        for &hash in self.permanent.iter().chain(&self.passing) {
            *model.entry(geometry.class(hash)).or_default() += 1;
        }
        for (&class, &copies) in &model {
            let [hash, other] = geometry.both_orders(class);
            let counted = filter.count_hash(hash);
            if counted != copies || !filter.contains_hash(other) {
                return Err(format!(
                    "{what} has {counted}, not {copies} copies of {class:?}"
                ));
            }
        }
        let (len, all) = (filter.len(), self.permanent.len() + self.passing.len());
        if len == all {
            Ok(())
        } else {
            Err(format!("{what} says {len}, of {all} tokens"))
        }
    }
}
