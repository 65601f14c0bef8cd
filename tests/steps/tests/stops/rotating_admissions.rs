//! Admissions of one item on both sides of a rotation: of two that are told true, one must have been overtaken by a
//! remove.

use std::thread;

use lockfree_cuckoo::RotatingCuckooFilter;
use lockfree_cuckoo::testing::Relocate;
use step_tests::{Led, at_each_step};

use crate::rotations::{FLIPPED, ITEM, filter, rotate};

/// The exchange of an insert, after it has loaded the state and its two words.
const EXCHANGE: usize = 3;

/// Most accesses of an admission that a scene stops at: it makes fewer unless it begins again.
const ACCESSES: usize = 44;

fn admit(filter: &RotatingCuckooFilter, hash: u64) -> bool {
    filter.insert_unique_hash(hash).expect("room")
}

/// Stops an admission in the old generation at each access, and one in the next generation at each two; plays the scene
/// for each three. A scene returns whether the old one stopped, and how often the new one did.
fn overtaken_twice(name: &str, scene: impl Fn(usize, [usize; 2]) -> (bool, usize)) {
    let mut scenes = 0;
    at_each_step(|early_at| {
        let mut early_stopped = false;
        for first in 0..ACCESSES {
            let mut stops = 0;
            for second in first + 1..ACCESSES {
                let (early, late) = scene(early_at, [first, second]);
                scenes += 1;
                early_stopped |= early;
                stops = late;
                if stops < 2 {
                    break;
                }
            }
            if stops < 1 {
                break;
            }
        }
        early_stopped
    });
    println!("{scenes} scenes: {name}");
    assert!(scenes > 1_000, "{scenes} scenes");
}

/// Between them an equal token comes to the young generation, and a remove takes the one of the old generation.
#[test]
fn older_generations_are_asked_before_the_witness() {
    let name = "an equal token in the young generation";
    overtaken_twice(name, |early_at, [first, second]| {
        let filter = filter(2, 2);
        thread::scope(|scope| {
            let early = Led::begin(scope, [early_at], || admit(&filter, ITEM));
            let early_stopped = early.has_stopped();
            rotate(&filter, 1);
            // Has read both words of the young generation as empty, and is about to add to the other candidate.
            let equal = Led::begin(scope, [EXCHANGE], || filter.insert_hash(FLIPPED));
            let mut late = Led::begin(scope, [first, second], || admit(&filter, ITEM));
            let mut stops = usize::from(late.has_stopped());
            let early = early.finish();
            stops += usize::from(late.go_on());
            equal.finish().expect("room");
            assert!(filter.remove_hash(ITEM), "a stored item");
            let late = late.finish();
            let at = [early_at, first, second];
            assert!(!(early && late), "two were told true, stopped at {at:?}");
            let winners = usize::from(early) + usize::from(late);
            assert_eq!(filter.count_hash(ITEM), winners, "stopped at {at:?}");
            (early_stopped, stops)
        })
    });
}

/// The token of the old one hops to the word that the new one has read.
#[test]
fn a_miss_in_an_older_generation_is_validated() {
    let name = "a token that hops in an older generation";
    overtaken_twice(name, |early_at, [first, second]| {
        let filter = filter(2, 2);
        thread::scope(|scope| {
            let early = Led::begin(scope, [early_at], || admit(&filter, FLIPPED));
            let early_stopped = early.has_stopped();
            rotate(&filter, 1);
            let mut late = Led::begin(scope, [first, second], || admit(&filter, ITEM));
            let mut stops = usize::from(late.has_stopped());
            let early = early.finish();
            stops += usize::from(late.go_on());
            filter.relocate_hash(FLIPPED);
            let late = late.finish();
            let at = [early_at, first, second];
            assert!(
                early != late,
                "not exactly one was told true, stopped at {at:?}"
            );
            assert_eq!(filter.count_hash(ITEM), 1, "stopped at {at:?}");
            (early_stopped, stops)
        })
    });
}
