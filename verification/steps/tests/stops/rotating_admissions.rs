//! Admissions of one item on both sides of a rotation: if two succeed, a remove must have come
//! between.

use std::thread;

use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{InsertError, RotatingCuckooFilter};
use step_tests::{Led, accesses, at_all_steps, at_each_step, bounded, fill, overtaken};

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

/// Generations are asked from the oldest on. A late insert adds an equal token to the middle one,
/// and then a remove takes that of the oldest.
#[test]
fn oldest_generation_first() {
    /// The accesses of an admission from the end of its checks on.
    const TO_THE_END: usize = 6;
    /// The accesses of the first look of an admission.
    const LOOK: usize = 12;
    let alone = filter(3, 2);
    let all = accesses(|| admit(&alone, ITEM));
    let from = all.saturating_sub(TO_THE_END);
    let name = "generations that are asked in order";
    at_all_steps(name, 500, |[early_at, first, more]| {
        let (filter, second) = (filter(3, 2), first + 1 + more);
        let (told, reached) = thread::scope(|scope| {
            let early = Led::begin(scope, [from + early_at], || admit(&filter, ITEM));
            let early_stops = early.has_stopped();
            rotate(&filter, 1);
            // This insert has read both words of the middle generation as empty.
            let equal = Led::begin(scope, [EXCHANGE], || filter.insert_hash(FLIPPED));
            rotate(&filter, 1);
            let mut late = Led::begin(scope, [first, second], || admit(&filter, ITEM));
            let late_stops = late.has_stopped() && first < LOOK;
            let early = early.finish();
            let again = late.go_on() && second < ACCESSES;
            equal.finish().expect("room");
            assert!(filter.remove_hash(ITEM), "a stored item");
            ([early, late.finish()], [early_stops, late_stops, again])
        });
        assert!(!(told[0] && told[1]), "two were told true");
        reached
    });
}

/// One of three admissions succeeds, whatever rotations come between them: the item does not
/// expire.
#[test]
fn three_admissions_and_rotations() {
    let scenes = [
        (2, [0, 1], [ITEM, FLIPPED, ITEM]),
        (3, [1, 1], [FLIPPED, FLIPPED, ITEM]),
        (3, [2, 0], [ITEM, FLIPPED, ITEM]),
    ];
    for (generations, turns, hashes) in scenes {
        let name = format!("three admissions and {turns:?} rotations");
        at_all_steps(&name, 500, |stops| {
            let filter = filter(generations, 2);
            let (told, reached) = thread::scope(|scope| {
                let a = Led::begin(scope, [stops[0]], || admit(&filter, hashes[0]));
                rotate(&filter, turns[0]);
                let b = Led::begin(scope, [stops[1]], || admit(&filter, hashes[1]));
                let reached = [a.has_stopped(), b.has_stopped()];
                rotate(&filter, turns[1]);
                let a = a.finish();
                let c = bounded(|| admit(&filter, hashes[2]));
                ([a, b.finish(), c], reached)
            });
            let winners = told.iter().filter(|&&told| told).count();
            assert_eq!(winners, 1, "not exactly one was told true: {told:?}");
            assert_eq!(filter.count_hash(ITEM), 1);
            reached
        });
    }
}

/// Of an admission and a refresh, or two refreshes, on both sides of a rotation, one is told that
/// the item is new: the later one ends the earlier one, or sees its token.
#[test]
fn refreshes_and_a_rotation() {
    let refresh = |filter: &RotatingCuckooFilter| filter.refresh_hash(ITEM).expect("room");
    let admit = |filter: &RotatingCuckooFilter| admit(filter, FLIPPED);
    type Call = fn(&RotatingCuckooFilter) -> bool;
    let pairs: [[Call; 2]; 3] = [[admit, refresh], [refresh, admit], [refresh, refresh]];
    for [early, late] in pairs {
        at_each_step("a refresh in the next generation", 20, |step| {
            let filter = filter(2, 2);
            let mut late_is_told = false;
            let overtake = || {
                rotate(&filter, 1);
                late_is_told = bounded(|| late(&filter));
            };
            let (early_is_told, reached) = overtaken(step, overtake, || early(&filter));
            assert!(
                early_is_told != late_is_told,
                "not exactly one was told true"
            );
            reached
        });
    }
}

/// Copies that fill both buckets of an item do not refuse it: it is there. (It may be refused
/// because it was absent when the call began, and found no room.)
#[test]
fn pair_full_of_copies() {
    at_each_step("an admission, and copies in a full pair", 10, |step| {
        let filter = filter(2, 2);
        let both = (1..5).flat_map(|n| [ITEM + n, FLIPPED + 4 + n]);
        let others: Vec<u64> = both.collect();
        fill(&filter, &others);
        let replace = || {
            assert_eq!(filter.remove_many_hash(&others), 8);
            fill(&filter, [ITEM; 8]);
        };
        let (told, reached) = overtaken(step, replace, || filter.insert_unique_hash(ITEM));
        let of_copies = matches!(told, Err(InsertError::TooManyCopies { .. }));
        assert!(!of_copies, "refused, though it is in");
        reached
    });
}
