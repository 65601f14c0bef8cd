//! How likely a table of several ranges refuses one of its first items: each range is a table of its own, whose share of
//! the items is binomial. So much is an upper bound: the sum over the ranges.

use crate::tail::Tail;

/// How likely a table of so many ranges like this refuses one of its first `items`.
pub(crate) fn chance(range: &Tail, ranges: usize, items: usize) -> f64 {
    if ranges == 1 {
        return range.chance(items);
    }
    let mean = items as f64 / ranges as f64;
    let deviation = (mean * (1.0 - 1.0 / ranges as f64)).sqrt();
    let reach = 9.0 * deviation + 12.0;
    let (least, most) = (
        (mean - reach).max(0.0) as usize,
        ((mean + reach) as usize).min(items),
    );
    let weigh = |share: usize| {
        let log = log_choose(items, share) - share as f64 * (ranges as f64).ln()
            + (items - share) as f64 * (-1.0 / ranges as f64).ln_1p();
        log.exp() * range.chance(share)
    };
    ranges as f64 * (least..=most).map(weigh).sum::<f64>()
}

/// The most items that are refused less than once in a million fillings.
pub(crate) fn possible(range: &Tail, ranges: usize, slots: usize) -> usize {
    let (mut possible, mut refused) = (0, slots + 1);
    while refused - possible > 1 {
        let items = possible.midpoint(refused);
        if chance(range, ranges, items) < 1e-6 {
            possible = items;
        } else {
            refused = items;
        }
    }
    possible
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
    (n + 0.5) * n.ln() - n + 0.5 * std::f64::consts::TAU.ln() + 1.0 / (12.0 * n)
        - 1.0 / (360.0 * n.powi(3))
}
