//! How many buckets a number of items needs.
//!
//! Two things decide how full a table gets. A range takes its share of the items by chance, and the fullest range
//! fails first: its excess is a few times `1 / sqrt(slots of a range)`. And a small range can fail because of a few
//! unlucky buckets. The margins for both are those of the layout ([`Fit`](crate::layout::Fit)), fitted to the load
//! at the first refused insert, so that a filter refuses one of the items it is sized for less than once in a
//! million fillings.

use super::Geometry;
use crate::layout::Layout;

/// Most items a filter can be asked to hold. They would fit into half of the largest table.
pub(crate) const fn max_items<L: Layout>() -> usize {
    Geometry::<L>::MAX_BUCKETS
}

/// The smallest geometry that holds this many items, at most [`max_items`].
pub(crate) fn geometry_for<L: Layout>(items: usize) -> Geometry<L> {
    smallest(|geometry| items_for(geometry) >= items)
        .expect("`max_items` fit into less than the address space")
}

/// The smallest geometry that will do. With each number of ranges, all that are larger than one that will do must do too.
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

/// The items that a table of this geometry takes without refusing one.
pub(crate) fn items_for<L: Layout>(geometry: Geometry<L>) -> usize {
    let slots = geometry.buckets().saturating_mul(L::SLOTS);
    let range_slots = slots / geometry.ranges();
    let margin = if geometry.ranges() == 1 {
        L::FIT.range_margin
    } else {
        L::FIT.share_margin
    };
    let root = sqrt_of_power_of_two(range_slots.ilog2());
    let load = (L::FIT.large_table_load - margin / root).min(L::FIT.highest_load);
    // A pair of buckets takes any items, as many as it has slots.
    ((slots as f64 * load) as usize).max(pair_slots::<L>())
}

/// The slots of two buckets: the most copies of one item, and the fewest slots of a table.
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

/// The number of buckets nearest to a refused one that a geometry can have.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Lanes;

    type Geometry = super::Geometry<Lanes<4, 16>>;

    const MAX_ITEMS: usize = max_items::<Lanes<4, 16>>();

    fn geometry_for(items: usize) -> Geometry {
        super::geometry_for(items)
    }

    #[test]
    fn holds_what_was_asked_for_in_little_more() {
        for items in (0..100_000)
            .step_by(37)
            .chain([1_000_000, 1_100_000, 10_700_000, MAX_ITEMS])
        {
            let geometry = geometry_for(items);
            assert!(items_for(geometry) >= items, "{items}");
            if items >= 500_000 {
                let bits = (geometry.buckets() as f64 * 64.0) / items as f64;
                assert!(bits < 17.8, "{items} items: {bits} bits each");
            }
        }
    }

    #[test]
    fn no_large_table_is_sized_for_more_than_the_highest_load() {
        fn check<L: Layout>() {
            let geometry = super::Geometry::<L>::with_buckets(1 << 30).expect("a power of two");
            let load = items_for(geometry) as f64 / geometry.slots() as f64;
            let below = L::FIT.highest_load - load;
            assert!((0.0..1e-6).contains(&below), "{load}");
        }
        check::<Lanes<8, 8>>();
        check::<Lanes<4, 16>>();
        check::<Lanes<2, 31>>();
    }

    #[test]
    fn the_square_root_is_the_standard_library_s() {
        for exponent in 0..u64::BITS {
            let root = sqrt_of_power_of_two(exponent);
            assert_eq!(root, 2f64.powi(exponent as i32).sqrt(), "2^{exponent}");
        }
    }

    #[test]
    fn starts_with_one_pair() {
        assert_eq!(geometry_for(0).buckets(), 2);
        assert_eq!(geometry_for(8).buckets(), 2);
        assert_eq!(geometry_for(9).buckets(), 8);
    }

    #[test]
    fn the_nearest_number_of_buckets_is_accepted_and_near() {
        assert_eq!(
            nearest_buckets::<Lanes<4, 16>>(usize::MAX),
            Geometry::MAX_BUCKETS
        );
        for buckets in (0..5_000).chain([Geometry::MAX_BUCKETS - 1, (1 << 26) + 12_345]) {
            let nearest = nearest_buckets::<Lanes<4, 16>>(buckets);
            assert!(
                Geometry::with_buckets(nearest).is_some(),
                "{buckets}: {nearest}"
            );
            assert!(
                nearest.abs_diff(buckets) <= (buckets / 32).max(2),
                "{buckets}: {nearest}"
            );
        }
    }
}
