//! Lookups in a filter that doubles which meet a token on its way.

use std::thread;

use lockfree_cuckoo::testing::Relocate;
use step_tests::{Led, at_each_step};

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
