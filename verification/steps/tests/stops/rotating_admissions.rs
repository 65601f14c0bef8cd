//! Admissions of one item on both sides of a rotation: if two succeed, a remove must have come
//! between.

use std::thread;

use lockfree_cuckoo::RotatingCuckooFilter;
use lockfree_cuckoo::testing::Internals;
use step_tests::{Led, at_all_steps};

use crate::rotations::{FLIPPED, ITEM, filter, rotate};

/// The exchange of an insert, after it has loaded the state and its two words.
const EXCHANGE: usize = 3;

/// The most accesses of an admission at which a scene stops: it makes fewer unless it begins again.
const ACCESSES: usize = 44;

fn admit(filter: &RotatingCuckooFilter, hash: u64) -> bool {
    filter.insert_unique_hash(hash).expect("room")
}

/// Stops an admission in the old generation at each access, and one in the next generation at each
/// two accesses, in all combinations. A scene returns whether the old one stopped, and whether the
/// new one did at its first and at its second stop.
fn overtaken_twice(name: &str, scene: impl Fn(usize, [usize; 2]) -> [bool; 3]) {
    at_all_steps(name, 1_000, |[early_at, first, more]| {
        let second = first + 1 + more;
        let [early, late, again] = scene(early_at, [first, second]);
        [early, late && first < ACCESSES, again && second < ACCESSES]
    });
}

/// Older generations are asked before the witness. Meanwhile an equal token is inserted into the
/// young generation, and a remove takes that of the old generation.
#[test]
fn older_before_witness() {
    overtaken_twice(
        "an equal token in the young generation",
        |early_at, stops| {
            let filter = filter(2, 2);
            thread::scope(|scope| {
                let early = Led::begin(scope, [early_at], || admit(&filter, ITEM));
                let early_stops = early.has_stopped();
                rotate(&filter, 1);
                // This insert has read both words of the young generation as empty, and is about to
                // add to the other candidate.
                let equal = Led::begin(scope, [EXCHANGE], || filter.insert_hash(FLIPPED));
                let mut late = Led::begin(scope, stops, || admit(&filter, ITEM));
                let late_stops = late.has_stopped();
                let early = early.finish();
                let again = late.go_on();
                equal.finish().expect("room");
                assert!(filter.remove_hash(ITEM), "a stored item");
                let late = late.finish();
                assert!(!(early && late), "two were told true");
                let winners = usize::from(early) + usize::from(late);
                assert_eq!(filter.count_hash(ITEM), winners);
                [early_stops, late_stops, again]
            })
        },
    );
}

/// A miss in an older generation is validated. The token of the old generation hops to the word
/// already read by the new admission.
#[test]
fn miss_is_validated() {
    overtaken_twice(
        "a token that hops in an older generation",
        |early_at, stops| {
            let filter = filter(2, 2);
            thread::scope(|scope| {
                let early = Led::begin(scope, [early_at], || admit(&filter, FLIPPED));
                let early_stops = early.has_stopped();
                rotate(&filter, 1);
                let mut late = Led::begin(scope, stops, || admit(&filter, ITEM));
                let late_stops = late.has_stopped();
                let early = early.finish();
                let again = late.go_on();
                filter.relocate_hash(FLIPPED);
                let told = [early, late.finish()];
                assert!(told[0] != told[1], "not exactly one was told true");
                assert_eq!(filter.count_hash(ITEM), 1);
                [early_stops, late_stops, again]
            })
        },
    );
}
