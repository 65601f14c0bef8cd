//! Duels: two contenders with the same keys take turns. A disturbance of the machine meets both, so
//! the paired ratios hold where the rates do not.

use std::time::{Duration, Instant};

use harness::median;
use harness::race::Slice;
use serde::{Deserialize, Serialize};

use crate::contender::Contender;
use crate::rig::Rig;
use crate::work::Work;

/// A slice of each contender, of the same work.
pub type Pair = [Slice; 2];

/// The result of some pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The work.
    pub work: Work,
    /// The number of threads.
    pub threads: usize,
    /// The median over the pairs of the rate of the one divided by the rate of the other.
    pub ratio: f64,
    /// The median rate of the one, in operations per second.
    pub rate: f64,
    /// The median rate of the other.
    pub other: f64,
}

impl Cell {
    /// Summarizes pairs.
    ///
    /// # Panics
    ///
    /// If there are none.
    #[must_use]
    pub fn of(work: Work, threads: usize, pairs: &[Pair]) -> Self {
        let rates = |pair: &Pair| pair.map(|slice| slice.rate(threads));
        let rates: Vec<[f64; 2]> = pairs.iter().map(rates).collect();
        let median_of =
            |of: fn(&[f64; 2]) -> f64| median(rates.iter().map(of)).expect("a pair of slices");
        Self {
            work,
            threads,
            ratio: median_of(|[one, other]| one / other),
            rate: median_of(|pair| pair[0]),
            other: median_of(|pair| pair[1]),
        }
    }
}

/// Returns the operations of a slice on one thread. They take about a millisecond, so that most
/// slices of a busy machine are undisturbed, where all longer ones would be disturbed. Tables too
/// small to measure anything get fewer.
fn ops(items: usize) -> usize {
    (4 * items).min(1 << 17)
}

/// The most threads that each add to the length of a slice: enough to keep two cores busy for
/// several turns of the scheduler.
const MOST_SHARES: usize = 16;

/// The inserts of a slice, per thread. Filling from empty is one measurement, done in turns of this
/// size.
const INSERTS: usize = 250_000;

/// Two contenders that take turns.
#[derive(Debug)]
pub struct Duel<'a, C, D> {
    /// The contender that is measured.
    pub one: &'a mut Rig<C>,
    /// The contender that it is compared with.
    pub other: &'a mut Rig<D>,
    /// Whether the other began last; it alternates.
    other_first: bool,
}

impl<'a, C: Contender, D: Contender> Duel<'a, C, D> {
    /// Makes a duel.
    pub fn new(one: &'a mut Rig<C>, other: &'a mut Rig<D>) -> Self {
        Self {
            one,
            other,
            other_first: false,
        }
    }

    /// Runs a slice of each.
    pub fn pair(&mut self, work: Work, ops: usize, threads: usize) -> Pair {
        self.other_first = !self.other_first;
        if self.other_first {
            let other = self.other.slice(work, ops, threads);
            [self.one.slice(work, ops, threads), other]
        } else {
            let one = self.one.slice(work, ops, threads);
            [one, self.other.slice(work, ops, threads)]
        }
    }

    /// Inserts all items into both, which are empty, in turns.
    pub fn fill(&mut self, work: Work, threads: usize) -> Pair {
        let mut sums = Pair::default();
        let items = self.one.items();
        for _ in (0..items).step_by(INSERTS * threads) {
            let [one, other] = self.pair(work, INSERTS * threads, threads);
            sums[0] += one;
            sums[1] += other;
        }
        sums
    }

    /// Runs a pair of slices of some work. Slices of inserts are whole fillings.
    fn slices(&mut self, work: Work, threads: usize) -> Pair {
        if work.fills() {
            self.one.clear();
            self.other.clear();
            return self.fill(work, threads);
        }
        let ops = ops(self.one.items()) * threads.min(MOST_SHARES);
        self.pair(work, ops, threads)
    }

    /// Runs pairs until the time is up.
    pub fn cell(&mut self, work: Work, threads: usize, time: Duration, fewest: usize) -> Cell {
        let start = Instant::now();
        let mut pairs = Vec::new();
        while pairs.len() < fewest.max(1) || start.elapsed() < time {
            pairs.push(self.slices(work, threads));
        }
        Cell::of(work, threads, &pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_time_is_twice_the_rate() {
        let slice = |milliseconds| {
            let (ops, busy) = (1_000, Duration::from_millis(milliseconds));
            Slice {
                ops,
                busy,
                wall: busy,
            }
        };
        let pairs = [(1, 2), (2, 4), (500, 4)].map(|(one, other)| [slice(one), slice(other)]);
        let cell = Cell::of(Work::Hit, 1, &pairs);
        assert_eq!((cell.rate, cell.ratio), (500_000.0, 2.0));
    }
}
