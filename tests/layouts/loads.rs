//! How full tables get.

use lockfree_cuckoo::{CuckooFilter, Filter, Fixed, Layout};
use model::mix;

use crate::common::model_of;

/// The load of a large table at the first refusal, of so many slots, with the default search budget. More bits change
/// nothing about it.
fn expected(slots: usize) -> f64 {
    match slots {
        8 => 0.996,
        6 => 0.991,
        5 => 0.986,
        4 => 0.976,
        3 => 0.954,
        2 => 0.890,
        _ => unreachable!("no layout has {slots} slots"),
    }
}

fn seeded<L: Layout>(capacity: usize, seed: u64) -> Filter<Fixed<L>> {
    let builder = CuckooFilter::builder().layout::<L>().capacity(capacity);
    builder.seed(mix(seed)).build().expect("memory")
}

pub(crate) fn the_first_refusal_comes_at_the_load_of_the_table<L: Layout>() {
    let builder = CuckooFilter::builder().layout::<L>().buckets(1 << 16);
    let filter = builder.seed(1).build().expect("memory");
    let taken = (0..).take_while(|item: &u64| filter.insert(item).is_ok());
    assert_eq!(taken.count(), filter.len());
    let (load, expected) = (filter.load_factor(), expected(L::SLOTS));
    assert!(
        (load - expected).abs() < 0.006,
        "{load} instead of {expected}"
    );
}

pub(crate) fn a_filter_takes_what_it_is_sized_for<L: Layout>() {
    assert_eq!(model_of::<L>().slots, L::SLOTS);
    for (capacity, seeds) in [(1, 100), (10, 300), (100, 300), (1_000, 100), (20_000, 10)] {
        for seed in 0..seeds {
            let filter = seeded::<L>(capacity, seed);
            let refused = (0..capacity).find(|item| filter.insert(item).is_err());
            assert_eq!(refused, None, "capacity {capacity}, seed {seed}");
        }
    }
}
