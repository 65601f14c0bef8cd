//! The rate of false positives.
//!
//! 1. Measured with random items it is within 10 % of what `false_positive_rate` tells, where a few million lookups are
//!    enough to measure it.
//! 2. Where they are not, and for all: of items that agree in all bits of the fingerprint but twelve, the rate is that of
//!    fingerprints of twelve bits, whichever twelve. So each bit is stored and compared, in each slot, and the rate is the
//!    product.

use lockfree_cuckoo::{CuckooFilter, Filter, Fixed, Layout};
use model::hashers::AsGiven;
use model::mix;

use crate::common::model_of;

/// Nearly full, of random items that `place` makes of numbers.
fn full<L: Layout>(place: impl Fn(u64) -> u64) -> Filter<Fixed<L>, AsGiven> {
    let builder = CuckooFilter::builder().layout::<L>().buckets(1 << 12);
    let filter = builder.hasher(AsGiven).build().expect("memory");
    let items = (0..filter.capacity() as u64).map(|item| place(mix(item)));
    // Few fingerprints make classes of many copies.
    items.for_each(|hash| _ = filter.insert_hash(hash));
    assert!(filter.len() * 20 > filter.capacity() * 19, "{filter:?}");
    filter
}

#[track_caller]
fn is_near(measured: f64, expected: f64, what: &str) {
    let share = measured / expected;
    assert!(
        (0.9..1.1).contains(&share),
        "{what}: {measured} instead of {expected}"
    );
}

/// The share of other items that are found.
fn measured<L: Layout>(
    filter: &Filter<Fixed<L>, AsGiven>,
    lookups: u64,
    place: impl Fn(u64) -> u64,
) -> f64 {
    let others = (0..lookups).map(|item| place(mix(!item)));
    let found = others.filter(|&hash| filter.contains_hash(hash)).count();
    found as f64 / lookups as f64
}

pub(crate) fn the_rate_is_the_one_that_the_filter_tells<L: Layout>() {
    let filter = full::<L>(|hash| hash);
    let told = filter.false_positive_rate();
    // As documented, from the fingerprints that a lookup compares.
    let values = f64::from(*model_of::<L>().fingerprints().end());
    let compared = 2.0 * L::SLOTS as f64 * filter.load_factor();
    let formula = -((-1.0 / values).ln_1p() * compared).exp_m1();
    assert!(
        (told / formula - 1.0).abs() < 1e-9,
        "{told} instead of {formula}"
    );
    // So many that chance alone is no more than three per cent.
    let lookups = (1_500.0 / told) as u64;
    if lookups < 40_000_000 {
        is_near(measured(&filter, lookups, |hash| hash), told, "at random");
    }
}

pub(crate) fn every_part_of_a_fingerprint_counts<L: Layout>() {
    const WINDOW: u32 = 12;
    let bits = L::FINGERPRINT_BITS;
    let Some(most) = bits.checked_sub(WINDOW) else {
        return;
    };
    for shift in [0, most / 2, most] {
        let window = ((1 << WINDOW) - 1) << shift;
        // All other bits of the fingerprint are ones, so that none is 0.
        let fixed = u64::from(*model_of::<L>().fingerprints().end()) & !window;
        let place = |hash: u64| hash & !fixed | fixed;
        let filter = full::<L>(place);
        let values = f64::from(1 << WINDOW);
        let compared = 2.0 * L::SLOTS as f64 * filter.load_factor();
        let expected = -((-1.0 / values).ln_1p() * compared).exp_m1();
        let found = measured(&filter, 2_000_000, place);
        is_near(
            found,
            expected,
            &format!("bits {shift} to {}", shift + WINDOW),
        );
    }
}
