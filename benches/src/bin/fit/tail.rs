//! How likely a table refuses one of its first items.
//!
//! In a table of one range: down to the lowest hundred of the fillings it is counted. Below, it is taken to go with a
//! power of the number of items, which the lowest hundred tell (Hill's estimator): `k` buckets with one item too many go
//! with the power of the slots of `k` and one. A normal tail falls faster than that. The flattest part is one pair of
//! buckets with an item too many; the fillings may not have come to it, so it is computed: the larger of the two counts.
//! Of so few items that nothing but two or three buckets can have too many, all is computed.
//!
//! In a table of several ranges each range is a table of its own, whose share of the items is binomial. So much is an
//! upper bound: the sum over the ranges.

use std::f64::consts::{PI, TAU};

use lockfree_cuckoo::Layout;

use crate::Fillings;

/// The distribution of the items before the first refusal, in a table of one range.
#[derive(Debug)]
pub(crate) struct Tail {
    /// The range has `2^log` buckets.
    pub(crate) log: u32,
    taken: Vec<u32>,
    /// Below this number of items it is not counted, but extrapolated.
    from: f64,
    /// How likely fewer are.
    part: f64,
    /// The power of the number of items.
    power: f64,
    pairs: Pairs,
}

/// Euler's constant: by so many scales the mean of a Gumbel distribution is below its mode.
const GAMMA: f64 = 0.577_215_664_9;

impl Tail {
    pub(crate) fn of<L: Layout>(fillings: &Fillings) -> Self {
        let taken = &fillings.taken;
        let lowest = (taken.len() / 100).clamp(10, 100);
        let (from, part, power) = if taken.len() < 10 * lowest {
            // Few, of a large table. The first search that fails is the lowest of many: a Gumbel distribution.
            let (mean, deviation) = fillings.moments();
            let scale = deviation * 6f64.sqrt() / PI;
            (mean, (-GAMMA).exp(), mean / scale)
        } else {
            let from = f64::from(taken[lowest]);
            let below = taken.partition_point(|&t| f64::from(t) < from);
            let distance = |&t: &u32| (from / f64::from(t)).ln();
            let sum: f64 = taken[..below].iter().map(distance).sum();
            // All of the lowest may be equal, in the smallest tables.
            let power = if below == 0 { from } else { below as f64 / sum };
            let part = below.max(1) as f64 / taken.len() as f64;
            (from, part, power)
        };
        Self {
            log: fillings.shape.log,
            taken: taken.clone(),
            from,
            part,
            power,
            pairs: Pairs::of::<L>(1 << fillings.shape.log),
        }
    }

    /// How likely one of the first `items` of a table of so many ranges is refused.
    pub(crate) fn chance(&self, ranges: usize, items: usize) -> f64 {
        if ranges == 1 {
            return self.chance_of_one(items);
        }
        let part = 1.0 / ranges as f64;
        let mean = items as f64 * part;
        let reach = 9.0 * (mean * (1.0 - part)).sqrt() + 12.0;
        let least = (mean - reach).max(0.0) as usize;
        let most = ((mean + reach) as usize).min(items);
        let weigh = |share: usize| {
            let log = log_choose(items, share) - share as f64 * (ranges as f64).ln()
                + (items - share) as f64 * (-part).ln_1p();
            log.exp() * self.chance_of_one(share)
        };
        ranges as f64 * (least..=most).map(weigh).sum::<f64>()
    }

    /// The fewest items, at most one more than there are slots, that are refused with a chance.
    pub(crate) fn first_above(&self, ranges: usize, chance: f64, slots: usize) -> usize {
        let (mut least, mut most) = (0, slots + 1);
        while least < most {
            let items = least.midpoint(most);
            if self.chance(ranges, items) < chance {
                least = items + 1;
            } else {
                most = items;
            }
        }
        least
    }

    fn chance_of_one(&self, items: usize) -> f64 {
        if items <= self.pairs.slots {
            return 0.0;
        }
        if items <= 2 * self.pairs.slots {
            return self.pairs.overfull(items) + self.pairs.overfull_threes(items);
        }
        let extrapolated = self.part * (items as f64 / self.from).powf(self.power);
        if extrapolated > self.part {
            let below = self.taken.partition_point(|&t| (t as usize) < items);
            return below as f64 / self.taken.len() as f64;
        }
        extrapolated.max(self.pairs.overfull(items))
    }
}

/// The pairs of buckets of one range that items can have as their candidates.
#[derive(Debug)]
struct Pairs {
    number: f64,
    /// Two pairs that share a bucket.
    threes: f64,
    /// The slots of one pair.
    slots: usize,
}

impl Pairs {
    fn of<L: Layout>(range: usize) -> Self {
        // A fingerprint has one of so many offsets.
        let offsets = (range / 2).min((1 << L::FINGERPRINT_BITS) - 1) as f64;
        Self {
            number: range as f64 * offsets / 2.0,
            threes: range as f64 * offsets * (offsets - 1.0) / 2.0,
            slots: 2 * L::SLOTS,
        }
    }

    /// How many pairs are expected to be chosen by more items than fit.
    fn overfull(&self, items: usize) -> f64 {
        self.number * ways(items, self.slots + 1, 1.0 / self.number)
    }

    /// How many sets of three buckets are.
    fn overfull_threes(&self, items: usize) -> f64 {
        self.threes * ways(items, self.slots * 3 / 2 + 1, 2.0 / self.number)
    }
}

/// How many sets of `some` of the items are expected of which each item has chosen the same part of all.
fn ways(items: usize, some: usize, part: f64) -> f64 {
    let choose =
        |ways: f64, i: usize| ways * items.saturating_sub(i) as f64 / (i + 1) as f64 * part;
    (0..some).fold(1.0, choose)
}

fn log_choose(n: usize, k: usize) -> f64 {
    log_factorial(n) - log_factorial(k) - log_factorial(n - k)
}

/// Stirling's series.
fn log_factorial(n: usize) -> f64 {
    if n < 16 {
        return (1..=n).map(|i| (i as f64).ln()).sum();
    }
    let n = n as f64;
    (n + 0.5) * n.ln() - n + 0.5 * TAU.ln() + 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3))
}
