//! Versions of stripes: what a lookup trusts must never come again.

use lockfree_cuckoo::testing::Relocate;
use std::sync::Arc;

use step_tests::{at_each_step, overtaken};

use crate::{hash, table};

/// Between the two words of a lookup its token hops from the second to the first, and a whole snapshot is taken. The
/// end of the scan must leave the version as the hop made it.
#[test]
fn the_end_of_a_scan_hides_no_hop_from_a_lookup() {
    const FINGERPRINT: u64 = 0x1111;
    let [item, flipped] = [0, 1].map(|first| hash(1, first, FINGERPRINT));
    let steps = at_each_step(|step| {
        let filter = Arc::new(table(2, 256));
        filter.insert_hash(flipped).expect("room");
        let others = Arc::clone(&filter);
        let hop_and_scan = move || {
            assert!(others.relocate_hash(flipped), "nobody is in the way");
            assert!(others.snapshot().expect("alone").contains_hash(item));
        };
        let (seen, reached) = overtaken(step, hop_and_scan, || filter.contains_hash(item));
        assert!(seen, "access {step}: a hopping token was missed");
        reached
    });
    println!("{steps} scenes: a lookup, a hop and a scan");
    assert!(steps >= 4, "{steps} accesses");
}
