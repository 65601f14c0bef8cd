//! Accounts: what threads did to a filter together, and whether it holds what is left.

use std::collections::BTreeMap;

use lockfree_cuckoo::testing::Descriptors;
use lockfree_cuckoo::{CuckooFilter, Filter, Fixed, Layout};
use model::geometry::{Class, Geometry};
use model::hashers::AsGiven;
use model::mix;
use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::model_of;

/// Plenty, and the fewest there can be.
pub(crate) const DESCRIPTORS: [Option<usize>; 2] = [None, Some(1)];

/// How many copies of each class a thread added, less those that it removed.
pub(crate) type Ledger = BTreeMap<Class, i64>;

/// A filter of so many buckets.
pub(crate) fn filter<L: Layout>(
    buckets: usize,
    budget: usize,
    descriptors: Option<usize>,
) -> Filter<Fixed<L>, AsGiven> {
    let builder = CuckooFilter::builder().layout::<L>().buckets(buckets);
    let mut builder = builder.search_budget(budget);
    if let Some(descriptors) = descriptors {
        builder = builder.descriptors(descriptors);
    }
    let filter = builder.hasher(AsGiven).build();
    filter.expect("a possible geometry")
}

pub(crate) fn rng(seed: usize) -> SmallRng {
    SmallRng::seed_from_u64(mix(seed as u64))
}

pub(crate) fn note(ledger: &mut Ledger, class: Class, change: i64) {
    *ledger.entry(class).or_default() += change;
}

/// Checks the filter, with nobody at work, against what all threads did together, and empties it.
pub(crate) fn settle_accounts<L: Layout>(
    filter: &Filter<Fixed<L>, AsGiven>,
    ledgers: impl IntoIterator<Item = Ledger>,
) {
    let geometry = Geometry::with_slots(model_of::<L>(), filter.slots());
    let mut balance = Ledger::new();
    for (class, change) in ledgers.into_iter().flatten() {
        note(&mut balance, class, change);
    }
    assert_eq!(filter.len() as i64, balance.values().sum::<i64>(), "len");
    for (&class, &copies) in &balance {
        for hash in geometry.both_orders(class) {
            assert_eq!(
                filter.count_hash(hash) as i64,
                copies,
                "copies of {class:?}"
            );
            assert_eq!(filter.contains_hash(hash), copies > 0, "{class:?}");
        }
    }
    for (&class, &copies) in &balance {
        let [one, other] = geometry.both_orders(class);
        for at in 0..copies {
            let hash = if at % 2 == 0 { one } else { other };
            assert!(filter.remove_hash(hash), "a copy of {class:?} is lost");
        }
        for hash in [one, other] {
            assert!(!filter.remove_hash(hash), "a copy of {class:?} too many");
        }
    }
    assert!(filter.is_empty());
    // No slot is taken by a token that nobody can name: copies fill each pair of buckets.
    let fill: Vec<u64> = (0..geometry.buckets)
        .flat_map(|bucket| vec![geometry.hash(bucket, 4_711, 0); L::SLOTS])
        .collect();
    for &hash in &fill {
        filter.insert_hash(hash).expect("the pair has room");
    }
    assert_eq!(filter.len(), filter.slots());
    for &hash in &fill {
        assert!(filter.remove_hash(hash), "a token of the refill");
    }
    assert!(filter.is_empty());
}
