//! A contender and the limit, with the same keys, taking turns.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lockfree_cuckoo_benches::contender::Contender;
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::lap::Lap;
use lockfree_cuckoo_benches::limit::Limit;
use lockfree_cuckoo_benches::machine::cores;
use lockfree_cuckoo_benches::quartiles::Quartiles;
use lockfree_cuckoo_benches::rig::Rig;
use lockfree_cuckoo_benches::work::OPS_PER_BLOCK;

use crate::job::Work;
use crate::results::Cell;

/// Lookups a slice and thread. A millisecond or some, so that most slices of a busy machine are undisturbed;
/// longer ones would all be disturbed, by chance more or less.
pub(crate) const LOOKUPS: usize = 1 << 17;

/// The most threads that each add to the length of a slice. Enough to keep two cores busy for several turns
/// of the scheduler.
const MOST_SHARES: usize = 16;

/// Inserts a slice and thread: filling from empty is one measurement, done in turns of this size.
const INSERTS: usize = 250_000;

/// What one contender did in its turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice {
    pub(crate) ops: usize,
    pub(crate) lap: Lap,
}

impl Slice {
    /// Operations per second: with a processor, if there is one for each thread. If there is not, waiting for
    /// one is part of the work, and so is waiting for a thread that holds a lock and waits for one.
    pub(crate) fn rate(self, threads: usize) -> f64 {
        let time = if threads > cores() {
            self.lap.wall
        } else {
            self.lap.busy
        };
        self.ops as f64 / time.as_secs_f64()
    }
}

pub(crate) struct Duel<C> {
    pub(crate) one: Rig<C>,
    pub(crate) limit: Rig<Limit>,
    /// Who began last; it alternates.
    limit_first: bool,
}

impl<C: Contender> Duel<C> {
    /// Both empty.
    pub(crate) fn new(keys: &Arc<Keys>) -> Self {
        Self {
            one: Rig::empty(keys),
            limit: Rig::empty(keys),
            limit_first: false,
        }
    }

    /// Fills both, from empty.
    pub(crate) fn fill(&mut self, threads: usize) -> (Slice, Slice) {
        self.one.clear();
        self.limit.clear();
        let ops = self.one.items();
        let (one, limit) = self.fill_on(0..ops, threads);
        (Slice { ops, lap: one }, Slice { ops, lap: limit })
    }

    /// Inserts a part of the items into both, a slice in turn.
    pub(crate) fn fill_on(&mut self, part: Range<usize>, threads: usize) -> (Lap, Lap) {
        let mut laps = (Lap::default(), Lap::default());
        let step = INSERTS * threads;
        for start in part.clone().step_by(step) {
            let part = start..part.end.min(start + step);
            let (one, limit) = self.turns(
                |rig| rig.insert(part.clone(), threads),
                |rig| rig.insert(part.clone(), threads),
            );
            laps.0 += one;
            laps.1 += limit;
        }
        laps
    }

    /// Something for each.
    pub(crate) fn turns<T>(
        &mut self,
        of_one: impl FnOnce(&mut Rig<C>) -> T,
        of_limit: impl FnOnce(&mut Rig<Limit>) -> T,
    ) -> (T, T) {
        self.limit_first = !self.limit_first;
        if self.limit_first {
            let limit = of_limit(&mut self.limit);
            (of_one(&mut self.one), limit)
        } else {
            (of_one(&mut self.one), of_limit(&mut self.limit))
        }
    }

    /// Pairs until the time is up.
    pub(crate) fn cell(
        &mut self,
        work: Work,
        threads: usize,
        time: Duration,
        fewest: usize,
    ) -> Cell {
        let start = Instant::now();
        let mut rates = Vec::new();
        let mut sum = Lap::default();
        while rates.len() < fewest || start.elapsed() < time {
            let (one, limit) = if work == Work::Insert {
                self.fill(threads)
            } else {
                self.turns(
                    |rig| slice(rig, work, threads),
                    |rig| slice(rig, work, threads),
                )
            };
            sum += one.lap + limit.lap;
            rates.push((one.rate(threads), limit.rate(threads)));
        }
        let quartiles = |of: fn(&(f64, f64)) -> f64| Quartiles::of(rates.iter().map(of).collect());
        Cell {
            contender: C::NAME.to_owned(),
            work,
            threads,
            ratio: quartiles(|(one, limit)| one / limit),
            pairs: rates.len(),
            rate: quartiles(|pair| pair.0).median,
            limit: quartiles(|pair| pair.1).median,
            idle: 1.0 - sum.busy.as_secs_f64() / sum.wall.as_secs_f64(),
        }
    }
}

/// A slice of work that leaves a table as full as it was.
fn slice<C: Contender>(rig: &mut Rig<C>, work: Work, threads: usize) -> Slice {
    let ops = LOOKUPS * threads.min(MOST_SHARES);
    let of = |lap| Slice { ops, lap };
    match work {
        Work::Hit => of(rig.hit(ops, threads)),
        Work::Miss => of(rig.miss(ops, threads).0),
        Work::HitMany => of(rig.hit_many(ops, threads)),
        Work::MissMany => of(rig.miss_many(ops, threads).0),
        Work::Remove => {
            let (ops, lap) = rig.remove(threads);
            Slice { ops, lap }
        }
        Work::Mixed => {
            let blocks = ops / OPS_PER_BLOCK;
            let lap = rig.mix(blocks, threads);
            let ops = blocks * OPS_PER_BLOCK;
            Slice { ops, lap }
        }
        Work::Insert | Work::Curve | Work::Latency => unreachable!("not a work of slices"),
    }
}
