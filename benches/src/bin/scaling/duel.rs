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
/// longer ones would all be disturbed, by chance more or less. Fewer of a table that is too small to measure anything.
pub(crate) fn lookups(items: usize) -> usize {
    (4 * items).min(1 << 17)
}

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
    pub(crate) fn fill(&mut self, work: Work, threads: usize) -> (Slice, Slice) {
        self.one.clear();
        self.limit.clear();
        let ops = self.one.items();
        let (one, limit) = self.fill_on(work, 0..ops, threads);
        (Slice { ops, lap: one }, Slice { ops, lap: limit })
    }

    /// Inserts a part of the items into both, a slice in turn.
    pub(crate) fn fill_on(&mut self, work: Work, part: Range<usize>, threads: usize) -> (Lap, Lap) {
        let mut laps = (Lap::default(), Lap::default());
        let step = INSERTS * threads;
        for start in part.clone().step_by(step) {
            let part = start..part.end.min(start + step);
            let (one, limit) = self.turns(
                |rig| insert(rig, work, part.clone(), threads),
                |rig| insert(rig, work, part.clone(), threads),
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
        let mut pairs = Vec::new();
        let mut sum = Lap::default();
        while pairs.len() < fewest || start.elapsed() < time {
            let (one, limit) = if matches!(work, Work::Insert | Work::InsertMany) {
                self.fill(work, threads)
            } else {
                self.turns(
                    |rig| slice(rig, work, threads),
                    |rig| slice(rig, work, threads),
                )
            };
            sum += one.lap + limit.lap;
            let waited = (one.lap + limit.lap).idle();
            pairs.push((waited, (one.rate(threads), limit.rate(threads))));
        }
        let all = pairs.len();
        if threads <= cores() {
            leave_out_disturbed(&mut pairs, fewest);
        }
        let rates: Vec<(f64, f64)> = pairs.into_iter().map(|(_, rates)| rates).collect();
        let quartiles = |of: fn(&(f64, f64)) -> f64| Quartiles::of(rates.iter().map(of).collect());
        Cell {
            contender: C::NAME.to_owned(),
            work,
            threads,
            ratio: quartiles(|(one, limit)| one / limit),
            pairs: rates.len(),
            rate: quartiles(|pair| pair.0).median,
            limit: quartiles(|pair| pair.1).median,
            idle: sum.idle(),
            disturbed: all - rates.len(),
        }
    }
}

/// A share of the time without a processor from which on a pair counts as disturbed.
const DISTURBED: f64 = 0.05;

/// Leaves out the pairs, each behind its share of the time without a processor, in which a thread waited for long; if
/// enough are left.
fn leave_out_disturbed<T>(pairs: &mut Vec<(f64, T)>, fewest: usize) {
    let is_calm = |(waited, _): &(f64, T)| *waited < DISTURBED;
    let calm = pairs.iter().filter(|pair| is_calm(pair)).count();
    if calm >= fewest.max(pairs.len() / 4).max(1) {
        pairs.retain(is_calm);
    }
}

fn insert<C: Contender>(rig: &mut Rig<C>, work: Work, part: Range<usize>, threads: usize) -> Lap {
    if work.is_batched() {
        rig.insert_many(part, threads)
    } else {
        rig.insert(part, threads)
    }
}

/// A slice of work that leaves a table as full as it was.
fn slice<C: Contender>(rig: &mut Rig<C>, work: Work, threads: usize) -> Slice {
    let ops = lookups(rig.items()) * threads.min(MOST_SHARES);
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
        Work::RemoveMany => {
            let (ops, lap) = rig.remove_many(threads);
            Slice { ops, lap }
        }
        Work::Mixed => {
            let blocks = ops / OPS_PER_BLOCK;
            let lap = rig.mix(blocks, threads);
            let ops = blocks * OPS_PER_BLOCK;
            Slice { ops, lap }
        }
        Work::Insert | Work::InsertMany | Work::Curve | Work::Latency => {
            unreachable!("not a work of slices")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disturbed_pairs_are_left_out_if_enough_are_left() {
        let left = |waits: &[f64], fewest| {
            let mut pairs: Vec<(f64, ())> = waits.iter().map(|&waited| (waited, ())).collect();
            leave_out_disturbed(&mut pairs, fewest);
            pairs.len()
        };
        assert_eq!(left(&[0.0, 0.5, 0.01], 1), 2);
        assert_eq!(left(&[0.0, 0.5, 0.01], 3), 3);
        assert_eq!(left(&[0.5], 0), 1);
        assert_eq!(left(&[0.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], 1), 9);
    }
}
