//! The same in a window of three generations.

use lockfree_cuckoo::filter::Rotating;
use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{RotatingCuckooFilter, SharedFilter};
use step_tests::bounded;

use super::{ITEM, OTHERS, at_each_access, at_each_write_of_a_recovery, hash};

type Window = SharedFilter<Rotating>;

const GENERATIONS: usize = 3;

/// An item of the oldest generation.
const OLD: u64 = OTHERS[0];

/// One of the generation behind it, and one of the young one.
const LATER: [u64; 2] = [OTHERS[1], OTHERS[2]];

/// A window with an item in each generation, after three rotations.
fn window() -> Window {
    let builder = RotatingCuckooFilter::builder().generations(GENERATIONS);
    let filter = builder.buckets(2).seed(1).build_shared().expect("memory");
    // The first one is forgotten again.
    for item in [ITEM, OLD] {
        filter.insert_hash(item).expect("room");
        filter.rotate().expect("alone");
    }
    filter.insert_hash(LATER[0]).expect("room");
    filter.rotate().expect("alone");
    filter.insert_hash(LATER[1]).expect("room");
    filter
}

/// A call, and what it may change.
struct Scene {
    name: &'static str,
    call: fn(&Window),
    /// The item that it adds, removes, or lets go.
    item: u64,
    /// The copies of the item before and after.
    copies: [usize; 2],
    /// The rotations that it makes.
    rotations: u64,
    /// It makes at least so many accesses.
    accesses: usize,
}

const SCENES: &[Scene] = &[
    Scene {
        name: "an insert",
        call: |filter| drop(filter.insert_hash(ITEM)),
        item: ITEM,
        copies: [0, 1],
        rotations: 0,
        accesses: 5,
    },
    Scene {
        name: "a check-and-insert of an absent item",
        call: |filter| drop(filter.insert_unique_hash(ITEM)),
        item: ITEM,
        copies: [0, 1],
        rotations: 0,
        accesses: 25,
    },
    Scene {
        name: "a check-and-insert of an old item",
        call: |filter| drop(filter.insert_unique_hash(OLD)),
        item: OLD,
        copies: [1, 1],
        rotations: 0,
        accesses: 5,
    },
    Scene {
        name: "a remove of an old item",
        call: |filter| _ = filter.remove_hash(OLD),
        item: OLD,
        copies: [1, 0],
        rotations: 0,
        accesses: 8,
    },
    Scene {
        name: "a refresh of an old item",
        call: |filter| drop(filter.refresh_hash(OLD)),
        item: OLD,
        copies: [1, 2],
        rotations: 0,
        accesses: 10,
    },
    Scene {
        name: "a rotation",
        call: |filter| drop(filter.rotate_if(3)),
        item: OLD,
        copies: [1, 0],
        rotations: 1,
        accesses: 15,
    },
];

/// Checks what the survivors find, before recovery and after it.
fn check(scene: &Scene, filter: &Window) {
    let rotations = bounded(|| filter.rotations());
    assert!((3..=3 + scene.rotations).contains(&rotations));
    let copies = bounded(|| filter.count_hash(scene.item));
    assert!(
        scene.copies.contains(&copies),
        "{copies} copies of the item"
    );
    for &item in &LATER {
        assert!(bounded(|| filter.contains_hash(item)), "lost");
    }
    // Others are not blocked: they admit, remove, and rotate.
    let probe = hash(1, 0x7777);
    assert_eq!(bounded(|| filter.insert_unique_hash(probe)), Ok(true));
    assert_eq!(bounded(|| filter.insert_unique_hash(probe)), Ok(false));
    assert_eq!(bounded(|| filter.rotate_if(rotations)), Ok(true));
    assert!(bounded(|| filter.remove_hash(probe)));
    bounded(|| filter.recover());
    assert_eq!(bounded(|| filter.recover()), 0);
    assert_eq!(filter.claimed(), 0, "descriptors that no one uses");
    // No word has a reference to it any more: the next use does not disturb any.
    assert_eq!(bounded(|| filter.insert_unique_hash(probe)), Ok(true));
    // What it had is forgotten: what a late insert left in the spare comes back for one life.
    for _ in 0..2 * (GENERATIONS + 1) {
        bounded(|| filter.rotate()).expect("alone");
    }
    assert_eq!(bounded(|| filter.taken()), 0);
}

#[test]
fn a_process_is_killed_at_each_access() {
    for scene in SCENES {
        at_each_access((scene.name, scene.accesses), window, scene.call, |filter| {
            check(scene, filter)
        });
    }
}

/// One is killed in a call, another one while it takes back what that held, and a third does it.
#[test]
fn a_recovery_is_killed_at_each_write() {
    for scene in SCENES {
        at_each_write_of_a_recovery(scene.name, window, scene.call, Window::recover, |filter| {
            check(scene, filter)
        });
    }
}
