//! References that look like buckets.

use std::thread;

use lockfree_cuckoo::testing::{Descriptors, Relocate};
use lockfree_cuckoo::{CuckooFilterBuilder, RandomState};
use step_tests::{Led, at_each_step, bounded};

use crate::{alternate, hash};

const LOG: u32 = 2;

/// The next fingerprint whose two buckets are so far apart.
fn fingerprint(offset: u64, from: u64) -> u64 {
    let apart = |&f: &u64| alternate(LOG, 0, f) == offset;
    (from..).find(apart).expect("there are some")
}

/// The number of a use stands in the upper lanes of a reference. If it is a multiple of 2^16 the last lane is vacant,
/// as in a bucket with room; only then does it matter that an insert tells the two apart.
#[test]
fn a_frozen_word_with_a_vacant_lane_is_no_bucket_with_room() {
    let hopping = fingerprint(2, 100);
    let added = hash(LOG, 3, fingerprint(3, 200));
    for uses in [0, 0xffff] {
        let steps = at_each_step(|step| {
            let builder = CuckooFilterBuilder::with_hasher(RandomState::with_seed(1));
            let filter = builder.buckets(1 << LOG).descriptors(1).build();
            let filter = filter.expect("memory");
            let at = |turn: u64| hash(LOG, 2 * (turn % 2), hopping);
            filter.insert_hash(at(0)).expect("room");
            for turn in 0..uses {
                assert!(filter.relocate_hash(at(turn)), "nobody is in the way");
            }
            // Fills buckets 3 and 1, by turns, so that what is added goes to bucket 0.
            (0..8).fold(1_000, |from, _| {
                let resident = fingerprint(2, from);
                filter.insert_hash(hash(LOG, 3, resident)).expect("room");
                resident + 1
            });
            let before = filter.len();
            let reached = thread::scope(|scope| {
                let hop = Led::begin(scope, [step], || filter.relocate_hash(at(uses)));
                let reached = hop.has_stopped();
                if reached {
                    bounded(|| filter.insert_hash(added)).expect("room");
                    let is_in = bounded(|| filter.contains_hash(added));
                    assert!(is_in, "an inserted item was lost");
                }
                hop.finish();
                reached
            });
            assert_eq!(
                bounded(|| filter.count_hash(at(0))),
                1,
                "{uses} uses, access {step}: a hopping token"
            );
            assert_eq!(
                bounded(|| filter.count_hash(added)),
                usize::from(reached),
                "{uses} uses, access {step}: an inserted item"
            );
            assert_eq!(filter.len(), before + usize::from(reached));
            reached
        });
        println!("{steps} scenes: a hop after {uses} uses of its descriptor, and an insert");
        assert!(steps > 5, "{steps} accesses");
    }
}
