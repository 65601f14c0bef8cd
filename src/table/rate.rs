//! The rate of false positives: how likely a stored fingerprint is the one that is looked up.

use super::Geometry;
use super::sizing::pair_slots;
use crate::layout::{Fingerprint, Layout};

/// The number of fingerprints that a lookup compares, in a table that holds `len` tokens.
///
/// A lookup looks at the slots of two buckets (Fan et al. 2014, section 5.1).
pub(crate) fn compared<L: Layout>(len: usize, geometry: Geometry<L>) -> f64 {
    pair_slots::<L>() as f64 * (len as f64 / geometry.slots() as f64)
}

/// The probability that at least one of `compared` fingerprints is a given one: `1 - (1 - 1/values)^compared`.
///
/// As a binomial series, because powers need the standard library. The series is for one table; of more, which compare
/// more fingerprints, it is taken for a part.
pub(crate) fn any_of<L: Layout>(compared: f64) -> f64 {
    if compared > pair_slots::<L>() as f64 {
        let half = any_of::<L>(compared / 2.0);
        return half * (2.0 - half);
    }
    let e = 1.0 / f64::from(Fingerprint::values::<L>());
    // Horner's scheme, from the last term: each is `-e (compared - k) / (k + 1)` times the one before.
    let series = (1..const { terms::<L>() })
        .rev()
        .map(f64::from)
        .fold(1.0, |rest, k| 1.0 - e * (compared - k) / (k + 1.0) * rest);
    compared * e * series
}

/// So many terms that the next one is less than half a unit in the last place; 4 for 4 x 16.
const fn terms<L: Layout>() -> u32 {
    let (most, e) = (
        pair_slots::<L>() as f64,
        1.0 / Fingerprint::values::<L>() as f64,
    );
    let (mut terms, mut next) = (1, (most - 1.0) / 2.0 * e);
    while next > f64::EPSILON / 4.0 {
        terms += 1;
        next *= (most - terms as f64) / (terms as f64 + 1.0) * e;
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Lanes, SemiSorted};

    /// Of one table, and of up to a thousand.
    fn the_series_is_the_power<L: Layout>() {
        let e = 1.0 / f64::from(Fingerprint::values::<L>());
        let pair = pair_slots::<L>() as f64;
        let loads = (0..=2_000).map(|thousandths| f64::from(thousandths) / 2_000.0);
        let tables = (1..=1_000).map(f64::from);
        for compared in loads.chain(tables).map(|part| part * pair) {
            let sum = any_of::<L>(compared);
            // The power itself is known to the last place of 1, the two functions to that of the result.
            let power = 1.0 - (1.0 - e).powf(compared);
            let exact = -((-e).ln_1p() * compared).exp_m1();
            // Each doubling of the tables rounds once more.
            let roundings = 2.0 + (compared / pair).max(1.0).log2();
            assert!(
                (sum - exact).abs() <= roundings * f64::EPSILON * exact,
                "{compared}: {sum} and not {exact}"
            );
            assert!(
                (sum - power).abs() <= (compared + 1.0) * f64::EPSILON,
                "{compared}: {sum} and not {power}"
            );
            assert!((0.0..=1.0).contains(&sum), "{compared}: {sum}");
        }
    }

    #[test]
    fn the_series_is_the_power_in_all_layouts() {
        model::of_every_layout!(the_series_is_the_power);
    }
}
