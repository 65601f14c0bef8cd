//! Rotations that are refused, because dead threads hold the descriptors of the table that is to be emptied.

use lockfree_cuckoo::testing::hooks::{Fate, stepping};
use lockfree_cuckoo::testing::{Descriptors, Relocate};
use lockfree_cuckoo::{RotateError, RotatingCuckooFilter};
use step_tests::at_each_step;

const ITEM: u64 = 0x1111;
const OTHER: u64 = 0x2222;

/// Two generations of two buckets, with one descriptor each.
fn scarce() -> RotatingCuckooFilter {
    let builder = RotatingCuckooFilter::builder().buckets(2).seed(1);
    builder.descriptors(1).build().expect("memory")
}

/// Forgets the item, after a thread died at this access in its relocation. Returns whether one did.
fn forget_after_a_death(filter: &RotatingCuckooFilter, at: usize) -> bool {
    filter.insert_hash(ITEM).expect("room");
    let die = move |step| if step == at { Fate::Dies } else { Fate::Goes };
    let (relocated, _) = stepping(die, || filter.relocate_hash(ITEM));
    assert_eq!(filter.rotate(), Ok(()));
    filter.insert_hash(OTHER).expect("room");
    // The table is emptied after it.
    assert_eq!(filter.rotate(), Ok(()), "it needs no descriptor");
    assert!(!filter.contains_hash(ITEM), "a forgotten item was found");
    relocated.is_none()
}

#[test]
fn a_refused_rotation_changes_nothing_and_succeeds_when_descriptors_are_taken_back() {
    type Way = fn(&mut RotatingCuckooFilter) -> bool;
    let ways: [(&str, Way); 2] = [
        ("clear", |filter| {
            filter.clear();
            filter.is_empty()
        }),
        ("to_bytes", |filter| {
            let bytes = filter.to_bytes();
            !bytes.is_empty() && filter.contains_hash(OTHER) && filter.len() == 1
        }),
    ];
    for (name, take_back) in ways {
        let mut refused = 0;
        let scenes = at_each_step(|at| {
            let mut filter = scarce();
            let died = forget_after_a_death(&filter, at);
            let outcome = filter.rotate();
            if outcome.is_err() {
                refused += 1;
                assert_eq!(outcome, Err(RotateError::NoDescriptor { attempts: 64 }));
                assert!(filter.rotate_if(2).is_err(), "still not possible");
                assert_eq!(filter.rotate_if(1), Ok(false), "nothing is asked for");
                assert!(filter.contains_hash(OTHER), "nothing is to change");
                assert!(take_back(&mut filter), "{name}, access {at}");
                assert_eq!(filter.rotations(), 2, "nothing is to change");
                assert_eq!(filter.rotate(), Ok(()), "{name}, access {at}");
            }
            assert_eq!(filter.rotations(), 3);
            for _ in 0..4 {
                let back = filter.contains_hash(ITEM);
                assert!(!back, "{name}, access {at}: it came back");
                assert_eq!(filter.rotate(), Ok(()));
            }
            assert_eq!(filter.len(), 0, "{name}, access {at}: not conserved");
            died
        });
        println!("{scenes} scenes: a death, then {name}");
        assert!(refused > 5, "{refused} refused rotations");
    }
}
