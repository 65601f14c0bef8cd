//! Random programs, and an order of their calls that explains what the threads saw.
//!
//! Linearizability is a property of each object by itself (Herlihy and Wing 1990), so it is enough that the
//! calls on each class have such an order.

use std::sync::atomic::{AtomicU64, Ordering};

use lockfree_cuckoo::testing::Relocate;
use lockfree_cuckoo::testing::hooks::Event::{
    self as Happened, Abort, Arrival, Broken, Help, Hop, Kick, Rejected, Repeat, Twin,
};
use model::Layout;
use model::geometry::Geometry;
use model::history::{Call, Event, linearizable};
use shuttle_tests::{choice, explore, together};

use crate::caravan::{Caravan, Filter, filter};

/// One class of a program: two hashes, and its copies at the start.
struct Class {
    hashes: [u64; 2],
    copies: i64,
}

/// A filter and the classes that a program works on.
struct Scene {
    filter: Filter,
    classes: Vec<Class>,
    /// Tokens of no class of the program.
    others: usize,
}

/// Calls of one thread.
const CALLS: usize = 16;

const NEEDED: [Happened; 9] = [
    Kick, Hop, Broken, Abort, Help, Arrival, Repeat, Twin, Rejected,
];

#[test]
fn every_class_on_a_road_has_an_order() {
    explore(20_000, &NEEDED, || {
        let descriptors = [None, Some(1), Some(2)][choice(3)];
        run(&on_a_road(descriptors));
    });
}

#[test]
fn every_class_of_a_tiny_table_has_an_order() {
    let needed = [Twin, Rejected, Repeat];
    explore(16_000, &needed, || {
        let buckets = [2, 4, 6][choice(3)];
        run(&in_a_tiny_table(buckets));
    });
}

/// Two riders and the pushes that move them: every insert needs the one or two vacant slots.
fn on_a_road(descriptors: Option<usize>) -> Scene {
    let caravan = Caravan::road(8, 2, descriptors);
    caravan
        .filter
        .insert_hash(caravan.riders[0][0])
        .expect("three vacant slots");
    let mut classes: Vec<Class> = (caravan.riders.iter().zip([1, 0]))
        .map(|(&hashes, copies)| Class { hashes, copies })
        .collect();
    let both = |hash| caravan.geometry.both_orders(caravan.geometry.class(hash));
    classes.extend(caravan.push.map(|hash| Class {
        hashes: both(hash),
        copies: 0,
    }));
    Scene {
        filter: caravan.filter,
        classes,
        others: caravan.ballast.len(),
    }
}

/// A few classes in the same pair of buckets, which is nearly full or nearly empty.
fn in_a_tiny_table(buckets: usize) -> Scene {
    let filter = filter(buckets, None);
    let geometry = Geometry::with_slots(Layout::DEFAULT, filter.slots());
    let [low, high] = [0, 1].map(|bucket| geometry.range() / 2 * bucket);
    let of_the_pair = |to: usize| to == high;
    let fingerprints = geometry.fingerprints(low, 1, 3, of_the_pair);
    let others = choice(2 * Layout::DEFAULT.slots - 1);
    let ballast = geometry.fingerprints(low, 20_000, others, of_the_pair);
    for &f in &ballast {
        let hash = geometry.hash(low, f, 0);
        filter.insert_hash(hash).expect("room for eight");
    }
    let classes = fingerprints.into_iter().map(|f| Class {
        hashes: geometry.both_orders(geometry.class(geometry.hash(low, f, 0))),
        copies: 0,
    });
    Scene {
        classes: classes.collect(),
        filter,
        others,
    }
}

/// Runs a random program of a few threads, and looks for the orders.
fn run(scene: &Scene) {
    let filter = &scene.filter;
    // One thread runs at a time and is switched only in the filter: whatever ends before another begins has
    // the smaller number.
    let clock = AtomicU64::new(0);
    let now = || clock.fetch_add(1, Ordering::Relaxed);
    let threads = together(3 + choice(2), |_| {
        let mut seen: Vec<Vec<Event>> = scene.classes.iter().map(|_| Vec::new()).collect();
        for _ in 0..CALLS {
            let class = choice(scene.classes.len());
            let hash = scene.classes[class].hashes[choice(2)];
            let what = choice(10);
            let began = now();
            let call = match what {
                0..2 => Call::Insert(filter.insert_hash(hash).is_ok()),
                2 | 3 => Call::InsertUnique(filter.insert_unique_hash(hash).ok()),
                4 | 5 => Call::Remove(filter.remove_hash(hash)),
                6 | 7 => {
                    // No operation of the object: it makes others do what they do for a token that moves.
                    filter.relocate_hash(hash);
                    continue;
                }
                _ => Call::Contains(filter.contains_hash(hash)),
            };
            let ended = now();
            seen[class].push(Event { call, began, ended });
        }
        seen
    });
    let mut stored = scene.others as i64;
    for (at, class) in scene.classes.iter().enumerate() {
        let history: Vec<&[Event]> = threads.iter().map(|seen| &seen[at][..]).collect();
        assert!(
            linearizable(&history, class.copies),
            "no order explains these calls on {} copies: {history:#?}",
            class.copies
        );
        let calls = history.iter().copied().flatten();
        let copies = class.copies + calls.map(|event| event.call.change()).sum::<i64>();
        for hash in class.hashes {
            assert_eq!(filter.count_hash(hash) as i64, copies, "copies at the end");
            assert_eq!(filter.contains_hash(hash), copies > 0, "at the end");
        }
        stored += copies;
    }
    assert_eq!(filter.len() as i64, stored, "the count is off");
}
