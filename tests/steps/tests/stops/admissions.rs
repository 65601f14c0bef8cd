//! Admissions of one item by different lists: of two that are told true, one must have been overtaken by a remove.

use std::thread;

use lockfree_cuckoo::testing::AddSegment;
use step_tests::{Led, at_each_step};

use crate::{Chain, first_segment, growing, run_what_is_deferred};

/// Of one class in segments of two and of four buckets, with the candidates in one order and in the other.
const ITEM: u64 = 0x1111;
const FLIPPED: u64 = 1 << 63 | ITEM;

/// Of their class in a segment of four buckets, and not in one of eight.
const NEIGHBOUR: u64 = 1 << 61 | ITEM;

/// Of another class everywhere.
const RESIDENT: u64 = !ITEM;

/// The exchange of an insert, after it has loaded its two words.
const EXCHANGE: usize = 2;

/// A remove has loaded the list and looked at it again: the number of changes, twice.
const LIST_SEEN: usize = 2;

/// Most accesses of an admission that a scene stops at: it makes fewer unless it begins again.
const ACCESSES: usize = 44;

fn admit(filter: &Chain) -> bool {
    filter.insert_unique_hash(ITEM).expect("room")
}

/// An admission is stopped, another segment becomes the target, and a rival comes.
#[test]
fn a_rival_by_a_later_list_is_met_whatever_the_sizes() {
    for buckets in [2, 4, 8] {
        let steps = at_each_step(|step| {
            let filter = growing(4);
            run_what_is_deferred();
            let (reached, winners) = thread::scope(|scope| {
                let early = Led::begin(scope, [step], || admit(&filter));
                let reached = early.has_stopped();
                assert!(filter.add_segment(buckets));
                let late = admit(&filter);
                (reached, [early.finish(), late])
            });
            let winners = winners.iter().filter(|&&told| told).count();
            assert_eq!(
                winners, 1,
                "{buckets} buckets, access {step}: not exactly one was told true"
            );
            assert_eq!(filter.count_hash(ITEM), 1);
            reached
        });
        println!("{steps} scenes: an admission, and a rival in {buckets} buckets");
        assert!(steps > 10, "{steps} accesses");
    }
}

/// Stops an admission by an old list at each access, and one by a new list at each two; plays the scene for each
/// three. A scene returns whether the old one stopped, and how often the new one did.
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
    assert!(scenes > 100, "{scenes} scenes");
}

/// What a scene of two admissions and a remove says in the end.
fn assert_not_both(filter: &Chain, early: bool, late: bool, stops: [usize; 3]) {
    assert!(!(early && late), "two were told true, stopped at {stops:?}");
    let winners = usize::from(early) + usize::from(late);
    assert_eq!(filter.count_hash(ITEM), winners, "stopped at {stops:?}");
}

/// The old one in the finer segment, the new one in the coarser target. Meanwhile an equal token comes to the target,
/// and a remove takes the one of the finer segment.
#[test]
fn finer_segments_are_asked_before_the_witness() {
    overtaken_twice(
        "an equal token in the coarser target",
        |early_at, [first, second]| {
            let filter = first_segment();
            // So that they stay: the list is to change no more.
            filter.insert_hash(RESIDENT).expect("room");
            assert!(filter.add_segment(4));
            filter.insert_hash(RESIDENT).expect("room");
            run_what_is_deferred();
            thread::scope(|scope| {
                let early = Led::begin(scope, [early_at], || admit(&filter));
                let early_stopped = early.has_stopped();
                assert!(filter.add_segment(2));
                // Has read both words of the target as empty, and is about to add to the other candidate.
                let equal = Led::begin(scope, [EXCHANGE], || filter.insert_hash(FLIPPED));
                let mut late = Led::begin(scope, [first, second], || admit(&filter));
                let mut stops = usize::from(late.has_stopped());
                let early = early.finish();
                stops += usize::from(late.go_on());
                equal.finish().expect("room");
                assert!(filter.remove_hash(ITEM), "a stored item");
                assert_not_both(&filter, early, late.finish(), [early_at, first, second]);
                (early_stopped, stops)
            })
        },
    );
}

/// The old one in the first segment, the new one in a target that is finer, or coarser, or as large. Meanwhile an equal
/// token comes to the first segment, and a remove takes the one that was there: they take turns, so that who looks at
/// one word after the other sees neither.
#[test]
fn a_miss_in_another_segment_is_validated() {
    for buckets in [2, 4] {
        let name = format!("equal tokens take turns beside a target of {buckets} buckets");
        overtaken_twice(&name, |early_at, [first, second]| {
            let filter = first_segment();
            run_what_is_deferred();
            thread::scope(|scope| {
                // Goes to the first candidate, the other one's second.
                let early = Led::begin(scope, [early_at], || {
                    filter.insert_unique_hash(FLIPPED).expect("room")
                });
                let early_stopped = early.has_stopped();
                // Has read both words as empty, and is about to add to the other candidate.
                let equal = Led::begin(scope, [EXCHANGE], || filter.insert_hash(ITEM));
                // By the old list too: a remove that came by the target would abort the new one there.
                let remove = Led::begin(scope, [LIST_SEEN], || filter.remove_hash(FLIPPED));
                assert!(filter.add_segment(buckets));
                let mut late = Led::begin(scope, [first, second], || admit(&filter));
                let mut stops = usize::from(late.has_stopped());
                let early = early.finish();
                stops += usize::from(late.go_on());
                equal.finish().expect("room");
                assert!(remove.finish(), "a stored item");
                assert_not_both(&filter, early, late.finish(), [early_at, first, second]);
                (early_stopped, stops)
            })
        });
    }
}

/// The old one has asked most of its segments, and the new one, in a finer target, all of its own before the old one froze
/// its word. When the new one is admitted, a third list follows. It must not have the memory of the first: the old one
/// would take it for that.
#[test]
fn a_list_does_not_come_back_under_an_admission() {
    overtaken_twice(
        "a third list under an admission by the first",
        |late_at, [first, second]| {
            let filter = growing(4);
            assert!(filter.add_segment(8));
            run_what_is_deferred();
            thread::scope(|scope| {
                let mut early = Led::begin(scope, [first, second], || admit(&filter));
                let mut stops = usize::from(early.has_stopped());
                assert!(filter.add_segment(16));
                let late = Led::begin(scope, [late_at], || admit(&filter));
                let late_stopped = late.has_stopped();
                stops += usize::from(early.go_on());
                let late = late.finish();
                // Behind the target of the first list, so that the old one asks no segment twice.
                assert!(filter.add_segment(2));
                assert_not_both(&filter, early.finish(), late, [late_at, first, second]);
                (late_stopped, stops)
            })
        },
    );
}

/// The old one in the coarser segment, the new one in a finer target. Meanwhile a coarser segment becomes the target,
/// and the remove of a neighbour, which is in there, takes what the old one admitted.
#[test]
fn the_list_is_looked_at_when_all_have_been_asked() {
    let mut scenes = 0;
    at_each_step(|early_at| {
        let mut early_stopped = false;
        at_each_step(|late_at| {
            let filter = growing(4);
            scenes += 1;
            run_what_is_deferred();
            thread::scope(|scope| {
                let early = Led::begin(scope, [early_at], || admit(&filter));
                early_stopped |= early.has_stopped();
                assert!(filter.add_segment(8));
                let late = Led::begin(scope, [late_at], || admit(&filter));
                let late_stopped = late.has_stopped();
                let early = early.finish();
                assert!(filter.add_segment(2));
                filter.insert_hash(NEIGHBOUR).expect("room");
                assert!(filter.remove_hash(NEIGHBOUR), "a stored item");
                let late = late.finish();
                assert!(
                    !(early && late),
                    "two were told true, stopped at {early_at} and {late_at}"
                );
                late_stopped
            })
        });
        early_stopped
    });
    println!("{scenes} scenes: a coarser target comes late");
    assert!(scenes > 100, "{scenes} scenes");
}
