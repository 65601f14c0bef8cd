//! Batches: three filters alike, of which one is asked item by item, one by batches, and one by batches of hashes.

use lockfree_cuckoo::{Engine, Filter};
use model::hashers::AsGiven;

/// Puts the items into all three, looks the probes up, removes them, and looks them up again.
pub(crate) fn agree<E: Engine>(
    [single, typed, hashed]: [Filter<E, AsGiven>; 3],
    items: &[u64],
    probes: &[u64],
) {
    let length = items.len();
    for item in items {
        single.insert(item).expect("room");
    }
    typed.insert_many(items).expect("room");
    hashed.insert_many_hash(items).expect("room");
    let slots = [typed.slots(), hashed.slots()];
    assert_eq!(slots, [single.slots(); 2], "{length}");
    let check = || {
        let expected: Vec<bool> = probes.iter().map(|probe| single.contains(probe)).collect();
        for stale in [false, true] {
            let mut found = vec![stale; probes.len()];
            typed.contains_many(probes, &mut found);
            assert_eq!(found, expected, "{length}");
            let mut found = vec![stale; probes.len()];
            hashed.contains_many_hash(probes, &mut found);
            assert_eq!(found, expected, "{length}");
        }
        for (probes, expected) in probes.chunks(64).zip(expected.chunks(64)) {
            let bits = expected.iter().zip(0..);
            let bits = bits.fold(0, |bits, (&found, bit)| bits | u64::from(found) << bit);
            assert_eq!(typed.contains_burst(probes), bits, "{length}");
            assert_eq!(hashed.contains_burst_hash(probes), bits, "{length}");
        }
        assert_eq!([typed.len(), hashed.len()], [single.len(); 2], "{length}");
    };
    check();
    let removed = probes.iter().filter(|probe| single.remove(probe)).count();
    assert_eq!(typed.remove_many(probes), removed, "{length}");
    assert_eq!(hashed.remove_many_hash(probes), removed, "{length}");
    check();
}
