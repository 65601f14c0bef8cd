//! The number of buckets for a number of items, and the resulting rate of false positives.
//!
//! Three things decide how full a table gets. A range takes its share of the items by chance, and
//! the fullest range fails first: its excess is a few times `1 / sqrt(slots of a range)`. A small
//! range is uneven within. And in a table of few buckets more items can have one pair of candidates
//! than fit into it, whatever else is vacant. The margins for the first two are those of the layout
//! ([`LOAD_LIMITS`](crate::kernel::layout::words::Words)), fitted to the load at the first refused
//! insert; the third is computed. So a filter refuses one of the items it is sized for less than
//! once in a million fillings.

use crate::kernel::geometry::Geometry;
use crate::kernel::layout::{Fingerprint, Layout};

/// Maximum number of items that a filter can be built for. They would fit into half of the largest
/// table.
pub(crate) fn max_items<L: Layout>() -> usize {
    let buckets = Geometry::<L>::MAX_BUCKETS;
    let largest = Geometry::<L>::with_buckets(buckets).map_or(0, items_for);
    largest.min(buckets)
}

/// The smallest geometry that holds this many items, at most [`max_items`].
pub(crate) fn geometry_for<L: Layout>(items: usize) -> Geometry<L> {
    smallest(|geometry| items_for(geometry) >= items)
        .expect("`max_items` fit into less than the address space")
}

/// The smallest sufficient geometry. With each number of ranges, all larger ones must be sufficient
/// too.
pub(crate) fn smallest<L: Layout>(will_do: impl Fn(Geometry<L>) -> bool) -> Option<Geometry<L>> {
    let odd_ranges = (1..=Geometry::<L>::MAX_RANGES).step_by(2);
    odd_ranges
        .filter_map(|ranges| {
            (1..usize::BITS)
                .map_while(|log| ranges.checked_mul(1 << log))
                .filter_map(Geometry::with_buckets)
                .find(|&geometry| will_do(geometry))
        })
        .min_by_key(Geometry::buckets)
}

/// The number of items that a table of this geometry takes without refusing one.
pub(crate) fn items_for<L: Layout>(geometry: Geometry<L>) -> usize {
    let slots = geometry.buckets().saturating_mul(L::SLOTS);
    let range_slots = slots / geometry.ranges();
    let margin = if geometry.ranges() == 1 {
        L::LOAD_LIMITS.range_margin
    } else {
        L::LOAD_LIMITS.share_margin
    };
    let root = sqrt_of_power_of_two(range_slots.ilog2());
    let load = (L::LOAD_LIMITS.large_table_load - margin / root).min(L::LOAD_LIMITS.highest_load);
    fit_their_pairs(geometry, (slots as f64 * load) as usize)
}

/// The accepted expected number of pairs of buckets that are the candidates of more items than fit.
const OVERFULL_PAIRS: f64 = 6e-7;

/// The most of this number of items that hardly ever are too many for a pair of buckets.
fn fit_their_pairs<L: Layout>(geometry: Geometry<L>, items: usize) -> usize {
    let pairs = geometry.pairs();
    let overfull = |items: usize| {
        let choose = |ways: f64, i| ways * (items - i) as f64 / ((i + 1) as f64 * pairs);
        (0..=pair_slots::<L>()).fold(pairs, choose)
    };
    // A pair takes any items, up to its number of slots.
    let (mut few, mut many) = (pair_slots::<L>(), items.max(pair_slots::<L>()) + 1);
    if overfull(many - 1) <= OVERFULL_PAIRS {
        return many - 1;
    }
    while many - few > 1 {
        let items = few.midpoint(many);
        if overfull(items) <= OVERFULL_PAIRS {
            few = items;
        } else {
            many = items;
        }
    }
    few
}

/// The slots of two buckets: the maximum copies of one item, and the minimum slots of a table.
pub(crate) const fn pair_slots<L: Layout>() -> usize {
    2 * L::SLOTS
}

/// The square root of `2^exponent`, correctly rounded; the general one needs the standard library.
fn sqrt_of_power_of_two(exponent: u32) -> f64 {
    let whole = (1u64 << (exponent / 2)) as f64;
    if exponent.is_multiple_of(2) {
        whole
    } else {
        whole * core::f64::consts::SQRT_2
    }
}

/// The valid number of buckets nearest to a refused one.
pub(crate) fn nearest_buckets<L: Layout>(buckets: usize) -> usize {
    let buckets = buckets.min(Geometry::<L>::MAX_BUCKETS);
    let log = (buckets.max(2).ilog2() + 1)
        .saturating_sub(Geometry::<L>::MAX_RANGES.ilog2() + 1)
        .max(1);
    let below = (buckets >> log) << log;
    match below.checked_add(1 << log) {
        Some(above) if below < 2 || above - buckets < buckets - below => above,
        _ => below,
    }
}

/// The number of fingerprints that a lookup compares, in a table that holds `len` tokens.
///
/// A lookup looks at the slots of two buckets (Fan et al. 2014, section 5.1).
pub(crate) fn compared<L: Layout>(len: usize, geometry: Geometry<L>) -> f64 {
    pair_slots::<L>() as f64 * (len as f64 / geometry.slots() as f64)
}

/// The probability that at least one of `compared` fingerprints is a given one:
/// `1 - (1 - 1/values)^compared`.
///
/// As a binomial series, because powers need the standard library. The series is for one table; of
/// more, which compare more fingerprints, it is taken for a part.
pub(crate) fn any_of<L: Layout>(compared: f64) -> f64 {
    if compared > pair_slots::<L>() as f64 {
        let half = any_of::<L>(compared / 2.0);
        return half * (2.0 - half);
    }
    let e = 1.0 / f64::from(Fingerprint::values::<L>());
    // Horner's scheme, from the last term: each is `-e (compared - k) / (k + 1)` times the one
    // before.
    let series = (1..const { terms::<L>() })
        .rev()
        .map(f64::from)
        .fold(1.0, |rest, k| 1.0 - e * (compared - k) / (k + 1.0) * rest);
    compared * e * series
}

/// The number of terms after which the next one is less than half a unit in the last place; 4 for 4
/// x 16.
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
    use crate::kernel::layout::{Lanes, SemiSorted};

    /// All geometries of at most this many buckets.
    fn geometries<L: Layout>(most: usize) -> impl Iterator<Item = Geometry<L>> {
        (2..=most).filter_map(Geometry::with_buckets)
    }

    /// The sizes of stored filters must not change.
    #[test]
    fn pairs_do_not_bind_four_by_sixteen() {
        for geometry in geometries::<Lanes<4, 16>>(1 << 14) {
            let (slots, single) = (geometry.slots(), geometry.ranges() == 1);
            let range = (slots / geometry.ranges()) as f64;
            let load = (0.97 - if single { 3.0 } else { 5.0 } / range.sqrt()).min(0.955);
            let items = (slots as f64 * load) as usize;
            assert_eq!(items_for(geometry), items.max(8), "{geometry:?}");
        }
    }

    fn the_largest_sizes_are_possible<L: Layout>() {
        let most = max_items::<L>();
        for items in [most, most - 1, most / 3, most / 31 * 17] {
            let geometry = geometry_for::<L>(items);
            assert!(items_for(geometry) >= items);
            assert!(geometry.buckets() <= Geometry::<L>::MAX_BUCKETS);
            // A bucket and a fingerprint fit 64 bits.
            let last = geometry.class(u64::MAX);
            let bits = usize::BITS - (geometry.buckets() - 1).leading_zeros();
            assert!(bits + L::FINGERPRINT_BITS <= 64, "{geometry:?}");
            assert!(last.first.max(last.second) < geometry.buckets());
        }
        for geometry in geometries::<L>(1 << 10) {
            let items = items_for(geometry);
            assert!((pair_slots::<L>()..=geometry.slots()).contains(&items));
            let load = items as f64 / geometry.slots() as f64;
            assert!(geometry.buckets() == 2 || load <= L::LOAD_LIMITS.highest_load);
        }
    }

    #[test]
    fn the_largest_sizes_of_all_layouts_are_possible() {
        model::of_every_layout!(the_largest_sizes_are_possible);
    }

    /// Of one table, and of up to a thousand.
    fn the_series_is_the_power<L: Layout>() {
        let e = 1.0 / f64::from(Fingerprint::values::<L>());
        let pair = pair_slots::<L>() as f64;
        let loads = (0..=2_000).map(|thousandths| f64::from(thousandths) / 2_000.0);
        let tables = (1..=1_000).map(f64::from);
        for compared in loads.chain(tables).map(|part| part * pair) {
            let sum = any_of::<L>(compared);
            // The power itself is known to the last place of 1, the two functions to that of the
            // result.
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
