//! Snapshots of filters that double, under others that let tokens hop, words split, and items come and go.

use std::sync::Arc;
use std::thread;

use lockfree_cuckoo::testing::{Double, Relocate};
use step_tests::{Led, at_each_step, bounded, overtaken};

use crate::doubling::{Doubling, double, filter_at, items};

const LEVEL: u32 = 4;

/// Accesses of a snapshot before it reads the words of so small a table: it empties the log, and tells all stripes.
const ANNOUNCING: usize = 60;

/// Before each access of a snapshot others do something. A copy must have every item once; few snapshots may fail.
fn copied_at_each_step(name: &str, others: impl Fn(&Doubling, &[u64]) + Copy + 'static) {
    let stored: Vec<u64> = items().take(24).collect();
    let mut copies = 0;
    let steps = at_each_step(|step| {
        let filter = Arc::new(filter_at(LEVEL));
        for &item in &stored {
            filter.insert_hash(item).expect("room");
        }
        let (shared, items) = (Arc::clone(&filter), stored.clone());
        let act = move || others(&shared, &items);
        let (copy, reached) = overtaken(step, act, || filter.snapshot());
        let Ok(copy) = copy else {
            return reached;
        };
        copies += 1;
        for &item in &stored {
            let there = bounded(|| copy.count_hash(item));
            assert_eq!(there, 1, "{name}, access {step}: not copied once");
        }
        assert_eq!(copy.len(), stored.len(), "{name}, access {step}: {copy:?}");
        reached
    });
    println!("{steps} scenes: a snapshot, and {name}");
    assert!(copies > 100, "{copies} copies, {steps} accesses");
}

fn hop_all(filter: &Doubling, items: &[u64]) {
    for &item in items {
        filter.relocate_hash(item);
    }
}

#[test]
fn a_copy_has_what_hops() {
    copied_at_each_step("hops", hop_all);
}

#[test]
fn a_copy_has_what_is_in_while_words_are_split() {
    copied_at_each_step("a growth", |filter, _| double(filter));
    copied_at_each_step("the begin of a growth", |filter, _| {
        filter.begin_to_double();
    });
}

#[test]
fn a_copy_has_what_hops_while_words_are_split() {
    copied_at_each_step("hops, a growth and hops", |filter, items| {
        hop_all(filter, items);
        double(filter);
        hop_all(filter, items);
    });
    // Hops into buckets whose parents have to be split first.
    copied_at_each_step("hops in a growth", |filter, items| {
        filter.begin_to_double();
        let extra = 0x5555_5555_5555;
        filter.insert_hash(extra).expect("room");
        hop_all(filter, items);
        assert!(filter.remove_hash(extra), "a stored item was not removed");
    });
}

/// Between two accesses of a snapshot, each of them, a hop begins. It stands still at each access until the snapshot has
/// ended.
#[test]
fn a_copy_has_what_hops_at_each_step() {
    const ITEM: u64 = 3 << 60 | 5 << 10;
    let mut scenes = 0;
    at_each_step(|hop_at| {
        let mut hop_stops = false;
        at_each_step(|scan_at| {
            let filter = filter_at(2);
            filter.insert_hash(ITEM).expect("room");
            // To the second bucket, so that it hops to the first, which the scan has read.
            assert!(filter.relocate_hash(ITEM), "nobody is in the way");
            let (copy, reached) = thread::scope(|scope| {
                let scan = Led::begin(scope, [ANNOUNCING + scan_at], || filter.snapshot());
                let reached = scan.has_stopped();
                let hop = Led::begin(scope, [hop_at], || filter.relocate_hash(ITEM));
                hop_stops |= hop.has_stopped();
                let copy = scan.finish();
                hop.finish();
                (copy, reached)
            });
            scenes += 1;
            if let Ok(copy) = copy {
                let there = copy.count_hash(ITEM);
                assert_eq!(there, 1, "accesses {hop_at} and {scan_at}: not copied once");
            }
            reached
        });
        hop_stops
    });
    println!("{scenes} scenes: a hop and a snapshot, both stopped");
    assert!(scenes > 500, "{scenes} scenes");
}

/// Between two accesses of a snapshot an item hops, and between two later ones it hops back: it is on neither side when that
/// is read.
#[test]
fn a_copy_has_what_hops_and_hops_back() {
    const ITEM: u64 = 3 << 60 | 5 << 10;
    let mut scenes = 0;
    at_each_step(|first| {
        let mut is_reached = false;
        at_each_step(|second| {
            let filter = filter_at(2);
            filter.insert_hash(ITEM).expect("room");
            assert!(filter.relocate_hash(ITEM), "nobody is in the way");
            let hop_at = [ANNOUNCING + first, ANNOUNCING + first + 1 + second];
            let (copy, goes_on) = thread::scope(|scope| {
                let mut scan = Led::begin(scope, hop_at, || filter.snapshot());
                is_reached |= scan.has_stopped();
                filter.relocate_hash(ITEM);
                let goes_on = scan.go_on();
                filter.relocate_hash(ITEM);
                (scan.finish(), goes_on)
            });
            scenes += 1;
            if let Ok(copy) = copy {
                let there = copy.count_hash(ITEM);
                assert_eq!(there, 1, "accesses {hop_at:?}: not copied once");
            }
            goes_on
        });
        is_reached
    });
    println!("{scenes} scenes: a snapshot, and two hops");
    assert!(scenes > 1_000, "{scenes} scenes");
}
