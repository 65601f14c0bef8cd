//! Lookups in a filter that doubles which meet a token on its way, or a bucket that is being split.

use std::sync::Arc;
use std::thread;

use lockfree_cuckoo::testing::{Double, Relocate};
use step_tests::{Led, at_each_step, overtaken};

use crate::doubling::{filter_at, head};

const ITEM: u64 = head(5);

/// A hop from the second bucket to the first stands still at each access. A lookup finds it in the first bucket, and stands
/// still at each access. The hop ends meanwhile: then the token is not in the second bucket any more, and nothing else
/// tells the lookup, because the stripe was bumped before it began.
#[test]
fn a_lookup_that_sees_a_hop_begin_sees_it_end() {
    let mut scenes = 0;
    at_each_step(|hop_at| {
        let mut hop_stops = false;
        at_each_step(|look_at| {
            let filter = filter_at(2);
            filter.insert_hash(ITEM).expect("room");
            assert!(filter.relocate_hash(ITEM), "nobody is in the way");
            let reached = thread::scope(|scope| {
                let hop = Led::begin(scope, [hop_at], || filter.relocate_hash(ITEM));
                hop_stops |= hop.has_stopped();
                let lookup = Led::begin(scope, [look_at], || filter.contains_hash(ITEM));
                let reached = lookup.has_stopped();
                hop.finish();
                assert!(
                    lookup.finish(),
                    "accesses {hop_at} and {look_at}: a hopping item was missed"
                );
                reached
            });
            scenes += 1;
            reached
        });
        hop_stops
    });
    println!("{scenes} scenes: a hop, and a lookup that meets it");
    assert!(scenes > 100, "{scenes} scenes");
}

/// A thread that splits words stands still at each access. A lookup finds the reference of a split, and stands still at each
/// access. The thread goes on meanwhile, and its descriptor is of another split.
#[test]
fn a_lookup_that_meets_a_split_finds_what_it_splits() {
    let mut scenes = 0;
    at_each_step(|split_at| {
        let mut split_stops = false;
        at_each_step(|look_at| {
            let filter = filter_at(2);
            filter.insert_hash(ITEM).expect("room");
            assert!(filter.begin_to_double());
            let reached = thread::scope(|scope| {
                let split = Led::begin(scope, [split_at], || filter.finish_doubling());
                split_stops |= split.has_stopped();
                let lookup = Led::begin(scope, [look_at], || filter.contains_hash(ITEM));
                let reached = lookup.has_stopped();
                split.finish();
                assert!(
                    lookup.finish(),
                    "accesses {split_at} and {look_at}: a stored item was missed"
                );
                reached
            });
            scenes += 1;
            reached
        });
        split_stops
    });
    println!("{scenes} scenes: splits, and a lookup that meets one");
    assert!(scenes > 100, "{scenes} scenes");
}

/// Between two accesses of a count the item hops, in either direction.
#[test]
fn a_token_that_hops_is_counted_once() {
    for hops in 0..2 {
        let steps = at_each_step(|step| {
            let filter = Arc::new(filter_at(2));
            filter.insert_hash(ITEM).expect("room");
            (0..hops).for_each(|_| assert!(filter.relocate_hash(ITEM), "nobody is in the way"));
            let others = Arc::clone(&filter);
            let hop = move || assert!(others.relocate_hash(ITEM), "nobody is in the way");
            let (count, reached) = overtaken(step, hop, || filter.count_hash(ITEM));
            assert_eq!(count, 1, "access {step}: not counted once");
            reached
        });
        println!("{steps} scenes: a count, and a hop");
        assert!(steps >= 4, "{steps} accesses");
    }
}
