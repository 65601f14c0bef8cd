//! Accounts: record what threads did to a filter, and check what it holds afterwards.

use std::collections::BTreeMap;

use lockfree_cuckoo::DynFilter;
use model::geometry::Class;
use model::mix;
use rand::SeedableRng;
use rand::rngs::SmallRng;

use crate::door::geometry_of;

/// The number of copies of each class that a thread added, minus those that it removed.
pub(crate) type Ledger = BTreeMap<Class, i64>;

pub(crate) fn rng(seed: usize) -> SmallRng {
    SmallRng::seed_from_u64(mix(seed as u64))
}

pub(crate) fn note(ledger: &mut Ledger, class: Class, change: i64) {
    *ledger.entry(class).or_default() += change;
}

/// Checks an idle fixed filter against the ledgers of all threads, and empties it.
pub(crate) fn settle_accounts<S>(filter: &DynFilter<S>, ledgers: impl IntoIterator<Item = Ledger>) {
    let geometry = geometry_of(filter);
    let mut balance = Ledger::new();
    for (class, change) in ledgers.into_iter().flatten() {
        note(&mut balance, class, change);
    }
    assert_eq!(filter.len() as i64, balance.values().sum::<i64>(), "len");
    for (&class, &copies) in &balance {
        for hash in geometry.both_orders(class) {
            let counted = filter.count_hash(hash) as i64;
            assert_eq!(counted, copies, "copies of {class:?}");
            assert_eq!(filter.contains_hash(hash), copies > 0, "{class:?}");
        }
    }
    for (&class, &copies) in &balance {
        let orders = geometry.both_orders(class);
        for at in 0..copies {
            let hash = orders[at as usize % 2];
            assert!(filter.remove_hash(hash), "a copy of {class:?} is lost");
        }
        for hash in orders {
            assert!(!filter.remove_hash(hash), "a copy of {class:?} too many");
        }
    }
    assert!(filter.is_empty());
    // No slot holds a token of an unknown item: copies can fill each pair of buckets.
    let fill: Vec<u64> = (0..geometry.buckets)
        .flat_map(|bucket| vec![geometry.hash(bucket, 4_711, 0); geometry.layout.slots])
        .collect();
    filter.insert_many_hash(&fill).expect("each pair has room");
    assert_eq!(filter.len(), filter.slots());
    assert_eq!(filter.remove_many_hash(&fill), fill.len(), "of the refill");
    assert!(filter.is_empty());
}
