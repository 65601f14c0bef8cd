//! Lookups in a filter that doubles which meet a token on its way, or a bucket that is being split.

use std::sync::Arc;
use std::thread;

use lockfree_cuckoo::testing::{Double, Relocate};
use step_tests::{Led, at_each_step, overtaken};

use crate::doubling::{Doubling, filter_at, head};

const ITEM: u64 = head(5);

/// A thread that does something stands still at each access. A lookup of the item meets that, and stands still at each
/// access. The thread goes on meanwhile.
fn found_at_each_step(
    [name, item]: [&str; 2],
    filter: impl Fn() -> Doubling,
    act: fn(&Doubling) -> bool,
) {
    let mut scenes = 0;
    at_each_step(|act_at| {
        let mut act_stops = false;
        at_each_step(|look_at| {
            let filter = filter();
            let reached = thread::scope(|scope| {
                let actor = Led::begin(scope, [act_at], || act(&filter));
                act_stops |= actor.has_stopped();
                let lookup = Led::begin(scope, [look_at], || filter.contains_hash(ITEM));
                let reached = lookup.has_stopped();
                actor.finish();
                assert!(
                    lookup.finish(),
                    "{name}, accesses {act_at} and {look_at}: {item} was missed"
                );
                reached
            });
            scenes += 1;
            reached
        });
        act_stops
    });
    println!("{scenes} scenes: {name}, and a lookup that meets it");
    assert!(scenes > 100, "{scenes} scenes");
}

/// A table of four buckets with the item.
fn with_item() -> Doubling {
    let filter = filter_at(2);
    filter.insert_hash(ITEM).expect("room");
    filter
}

/// From the second bucket to the first. The lookup finds the item in the first bucket, and the hop ends meanwhile: then the
/// token is not in the second bucket any more, and nothing else tells the lookup, because the stripe was bumped before it
/// began.
#[test]
fn a_lookup_that_sees_a_hop_begin_sees_it_end() {
    let hopped = || {
        let filter = with_item();
        assert!(filter.relocate_hash(ITEM), "nobody is in the way");
        filter
    };
    found_at_each_step(["a hop", "a hopping item"], hopped, |filter| {
        filter.relocate_hash(ITEM)
    });
}

/// The lookup finds the reference of a split, and meanwhile its descriptor is of another split.
#[test]
fn a_lookup_that_meets_a_split_finds_what_it_splits() {
    let growing = || {
        let filter = with_item();
        assert!(filter.begin_to_double());
        filter
    };
    found_at_each_step(["a doubling", "a stored item"], growing, |filter| {
        filter.finish_doubling()
    });
}

/// Between two accesses of a count the item hops, in either direction.
#[test]
fn a_token_that_hops_is_counted_once() {
    for hops in 0..2 {
        let steps = at_each_step(|step| {
            let filter = Arc::new(with_item());
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
