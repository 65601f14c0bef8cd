//! Two contenders with the same keys, taking turns: one, and another that it is compared with.
//!
//! A disturbance of the machine meets both, so the paired ratios hold where the rates do not.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::contender::Contender;
use crate::race::Slice;
use crate::rig::Rig;
use crate::work::Work;

/// The median of what there is: what is left of a sample whose outliers are the machine's, not the program's.
pub fn median(sample: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sample: Vec<f64> = sample.collect();
    sample.sort_by(f64::total_cmp);
    let last = sample.len().checked_sub(1)?;
    Some(sample[last / 2].midpoint(sample[sample.len() / 2]))
}

/// A slice of the one and a slice of the other, of the same work.
pub type Pair = [Slice; 2];

/// What pairs say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// What was done.
    pub work: Work,
    /// On so many threads.
    pub threads: usize,
    /// The rate of the one by that of the other, pair by pair, the median.
    pub ratio: f64,
    /// Operations per second, the median.
    pub rate: f64,
    /// Those of the other.
    pub other: f64,
}

impl Cell {
    /// What these pairs say.
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

/// Operations of a slice on one thread. A millisecond or some, so that most slices of a busy machine are undisturbed;
/// longer ones would all be disturbed, by chance more or less. Fewer of a table that is too small to measure anything.
fn ops(items: usize) -> usize {
    (4 * items).min(1 << 17)
}

/// The most threads that each add to the length of a slice. Enough to keep two cores busy for several turns
/// of the scheduler.
const MOST_SHARES: usize = 16;

/// Inserts a slice and thread: filling from empty is one measurement, done in turns of this size.
const INSERTS: usize = 250_000;

/// The two.
#[derive(Debug)]
pub struct Duel<'a, C, D> {
    /// The one.
    pub one: &'a mut Rig<C>,
    /// The other.
    pub other: &'a mut Rig<D>,
    /// Who began last; it alternates.
    other_first: bool,
}

impl<'a, C: Contender, D: Contender> Duel<'a, C, D> {
    /// One and another.
    pub fn new(one: &'a mut Rig<C>, other: &'a mut Rig<D>) -> Self {
        Self {
            one,
            other,
            other_first: false,
        }
    }

    /// A slice of each.
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

    /// A pair of slices of some work, of which those that insert are whole fillings.
    fn slices(&mut self, work: Work, threads: usize) -> Pair {
        if work.fills() {
            self.one.clear();
            self.other.clear();
            return self.fill(work, threads);
        }
        let ops = ops(self.one.items()) * threads.min(MOST_SHARES);
        self.pair(work, ops, threads)
    }

    /// Pairs until the time is up.
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
    fn medians_are_interpolated() {
        let median = |sample: &[f64]| median(sample.iter().copied());
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7.0]), Some(7.0));
        assert_eq!(median(&[5.0, 1.0, 3.0, 2.0, 4.0]), Some(3.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
    }

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
