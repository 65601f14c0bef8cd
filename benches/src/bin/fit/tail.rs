//! The lower tail: the probability that a table refuses one of its first items.
//!
//! In a table of one range it is counted down to the lowest hundred of the fillings. Below, it is
//! extrapolated as a power of the number of items, estimated from the lowest hundred (Hill's
//! estimator): the probability that `k` buckets have one item too many is a power whose exponent is
//! the slots of `k` buckets, plus one. A normal tail falls faster than that. The flattest part is
//! one pair of buckets with an item too many. The fillings may not have reached it, so it is
//! computed too, and the larger of the two values holds. For few items, where only two or three
//! buckets can have too many, everything is computed.
//!
//! In a table of several ranges each range is a table of its own, whose share of the items is
//! binomial. The sum over the ranges is an upper bound.

use std::f64::consts::{PI, TAU};

use lockfree_cuckoo::layout::Layout;

use crate::Fillings;

/// The distribution of the items before the first refusal, in a table of one range.
#[derive(Debug)]
pub(crate) struct Tail {
    /// The logarithm of the buckets of the range.
    pub(crate) log: u32,
    taken: Vec<u32>,
    /// The number of items below which it is extrapolated.
    from: f64,
    /// The probability of fewer items.
    part: f64,
    /// The power of the number of items.
    power: f64,
    pairs: Pairs,
}

/// Euler's constant: the distance of mean and mode of a Gumbel distribution, in scales.
const GAMMA: f64 = 0.577_215_664_9;

impl Tail {
    pub(crate) fn of<L: Layout>(fillings: &Fillings) -> Self {
        let taken = &fillings.taken;
        let lowest = (taken.len() / 100).clamp(10, 100);
        let (from, part, power) = if taken.len() < 10 * lowest {
            // A large table has few fillings. Its first failing search is the minimum of many: a
            // Gumbel distribution.
            let (mean, deviation) = fillings.moments();
            let scale = deviation * 6f64.sqrt() / PI;
            (mean, (-GAMMA).exp(), mean / scale)
        } else {
            let from = f64::from(taken[lowest]);
            let below = taken.partition_point(|&t| f64::from(t) < from);
            let distance = |&t: &u32| (from / f64::from(t)).ln();
            let sum: f64 = taken[..below].iter().map(distance).sum();
            // In the smallest tables all of the lowest hundred may be equal.
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

    /// Returns the probability that a table of `ranges` ranges refuses one of its first `items`.
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

    /// Returns the fewest items that are refused with a given probability, at most one more than
    /// the slots.
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

/// The pairs of candidate buckets in one range.
#[derive(Debug)]
struct Pairs {
    number: f64,
    /// The number of two pairs that share a bucket.
    threes: f64,
    /// The number of slots of one pair.
    slots: usize,
}

impl Pairs {
    fn of<L: Layout>(range: usize) -> Self {
        // The number of offsets that a fingerprint can have.
        let offsets = (range / 2).min((1 << L::FINGERPRINT_BITS) - 1) as f64;
        Self {
            number: range as f64 * offsets / 2.0,
            threes: range as f64 * offsets * (offsets - 1.0) / 2.0,
            slots: 2 * L::SLOTS,
        }
    }

    /// Returns the expected number of pairs that are chosen by more items than fit.
    fn overfull(&self, items: usize) -> f64 {
        self.number * ways(items, self.slots + 1, 1.0 / self.number)
    }

    /// Returns the expected number of such sets of three buckets.
    fn overfull_threes(&self, items: usize) -> f64 {
        self.threes * ways(items, self.slots * 3 / 2 + 1, 2.0 / self.number)
    }
}

/// Returns the expected number of sets of `some` items that have all chosen the same part.
fn ways(items: usize, some: usize, part: f64) -> f64 {
    let choose =
        |ways: f64, i: usize| ways * items.saturating_sub(i) as f64 / (i + 1) as f64 * part;
    (0..some).fold(1.0, choose)
}

fn log_choose(n: usize, k: usize) -> f64 {
    log_factorial(n) - log_factorial(k) - log_factorial(n - k)
}

/// Computes the logarithm of a factorial by Stirling's series.
fn log_factorial(n: usize) -> f64 {
    if n < 16 {
        return (1..=n).map(|i| (i as f64).ln()).sum();
    }
    let n = n as f64;
    (n + 0.5) * n.ln() - n + 0.5 * TAU.ln() + 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3))
}
