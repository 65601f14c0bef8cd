//! Paths of many hops.

use std::collections::BTreeSet;

use lockfree_cuckoo::testing::hooks::Event;
use model::Layout;
use model::geometry::{Class, Geometry};
use shuttle_tests::explore::explore;
use shuttle_tests::threads::{choice, random_hash, together};

use crate::caravan::{Caravan, filter};

/// Buckets, and hops of the only path.
const ROADS: [(usize, usize); 3] = [(8, 3), (16, 4), (64, 6)];

/// Lookups of each thread that only looks.
const LOOKS: usize = 150;

/// What must happen where paths of several hops disturb each other and those who look.
const STORM: [Event; 6] = [
    Event::Hop,
    Event::Kick,
    Event::Broken,
    Event::Abort,
    Event::Help,
    Event::Arrival,
];

#[test]
fn riders_are_never_missed_in_a_storm_of_hops() {
    explore("riders in a storm of hops", 4_000, &STORM, || {
        let (buckets, hops) = ROADS[choice(ROADS.len())];
        let caravan = Caravan::new(buckets, hops, None);
        together(5, |number| match number {
            0..3 => caravan.keep_pushing(number, 16),
            _ => (0..12).for_each(|_| caravan.look_for_riders()),
        });
        caravan.check_complete();
    });
}

/// Residents stay; each thread replaces items of its own, at a load at which most inserts need a path.
#[test]
fn a_nearly_full_table_loses_nothing() {
    explore("nearly full tables", 8_000, &STORM, || {
        let buckets = [8, 12, 16, 24, 64][choice(5)];
        let filter = filter(buckets, None);
        let geometry = Geometry::with_slots(Layout::DEFAULT, filter.slots());
        let mut classes = BTreeSet::new();
        let mut fresh = || {
            (0..)
                .map(|_| random_hash())
                .find(|&hash| classes.insert(geometry.class(hash)))
                .expect("more classes than items")
        };
        let mut residents = Vec::new();
        while filter.len() < filter.slots() * 9 / 10 {
            let hash = fresh();
            if filter.insert_hash(hash).is_ok() {
                residents.push(hash);
            }
        }
        let items: Vec<Vec<u64>> = (0..3).map(|_| (0..20).map(|_| fresh()).collect()).collect();
        let left = together(5, |number| {
            let Some(items) = items.get(number) else {
                for _ in 0..LOOKS {
                    let resident = residents[choice(residents.len())];
                    assert!(filter.contains_hash(resident), "a resident was missed");
                }
                return Vec::new();
            };
            let mut own = Vec::new();
            for &hash in items {
                if filter.insert_hash(hash).is_ok() {
                    own.push(hash);
                }
                if own.len() > 2 {
                    let oldest = own.remove(0);
                    assert!(filter.contains_hash(oldest), "an own item was missed");
                    assert!(filter.remove_hash(oldest), "an own item was lost");
                }
            }
            own
        });
        let stored: BTreeSet<Class> = left
            .iter()
            .flatten()
            .chain(&residents)
            .map(|&hash| geometry.class(hash))
            .collect();
        assert_eq!(filter.len(), stored.len(), "the count is off");
        for &class in &classes {
            let [hash, other] = geometry.both_orders(class);
            let copies = usize::from(stored.contains(&class));
            assert_eq!(filter.count_hash(hash), copies, "copies of {class:?}");
            assert_eq!(filter.contains_hash(other), copies == 1, "{class:?}");
        }
    });
}
