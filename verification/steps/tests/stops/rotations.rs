//! Late calls on a rotating filter: stopped at each access, and overtaken by any number of
//! rotations.

use std::thread;

use lockfree_cuckoo::testing::{Descriptors, Internals};
use lockfree_cuckoo::{InsertError, RotateError, RotatingCuckooFilter};
use model::mix;
use step_tests::{
    Led, Playing, accesses, at_all_steps, at_each_step, at_each_two_steps, dies_at, overtaken, tell,
};

type Filter = RotatingCuckooFilter;

/// Two hashes of one class in a table of two buckets, one for each order of the candidates.
pub(crate) const ITEM: u64 = 0x1111;
pub(crate) const FLIPPED: u64 = 1 << 63 | ITEM;

/// Returns the most rotations that overtake a call: each table has each role meanwhile, more than
/// once.
fn most_rotations(generations: usize) -> usize {
    2 * generations + 3
}

/// Returns a filter with this number of generations and of buckets.
pub(crate) fn filter(generations: usize, buckets: usize) -> Filter {
    let builder = Filter::builder().generations(generations);
    builder.buckets(buckets).seed(1).build().expect("memory")
}

pub(crate) fn rotate(filter: &Filter, rotations: usize) {
    for _ in 0..rotations {
        filter.rotate().expect("no thread is in the way");
    }
}

/// Follows an item until it must have expired. It is found for at least `more` rotations, at most
/// for as many as there are generations, and does not come back.
fn assert_is_forgotten(filter: &Filter, more: usize) {
    let mut forgotten = false;
    for rotations in 0..=3 * filter.generations() {
        let found = filter.contains_hash(ITEM);
        assert!(found || rotations >= more, "forgotten too early");
        assert!(!found || rotations < filter.generations(), "found too late");
        assert!(!found || !forgotten, "it came back");
        forgotten |= !found;
        rotate(filter, 1);
    }
    assert_eq!(filter.len(), 0, "not conserved");
}

/// Returns for how many more rotations an item must stay, this number after its insert.
fn left(generations: usize, rotations: usize) -> usize {
    generations.saturating_sub(rotations)
}

/// Runs a scene for two and three generations, each number of rotations, and each access.
fn overtaken_by_rotations(
    name: &str,
    least: usize,
    rotations: fn(usize) -> Vec<[usize; 2]>,
    scene: impl Fn(&Filter, [usize; 2], usize) -> bool,
) {
    for generations in [2, 3] {
        let mut scenes = 0;
        for rotations in rotations(generations) {
            scenes += (0..)
                .map(|at| {
                    let text = format!("access {at}, {rotations:?} rotations, of {generations}");
                    let _playing = Playing(text);
                    scene(&filter(generations, 2), rotations, at)
                })
                .take_while(|&reached| reached)
                .count();
        }
        tell(&format!("{name}, {generations} generations"), scenes, least);
    }
}

/// Returns each number of rotations.
fn any(generations: usize) -> Vec<[usize; 2]> {
    (0..=most_rotations(generations))
        .map(|rotations| [rotations, 0])
        .collect()
}

/// Returns each number before another call, with each number after it.
fn around_a_call(generations: usize) -> Vec<[usize; 2]> {
    let most = most_rotations(generations);
    let pairs =
        (0..=most).flat_map(|before| (0..=most - before).map(move |behind| [before, behind]));
    pairs.collect()
}

#[test]
fn a_late_insert_keeps_its_promise() {
    let name = "rotations overtake an insert";
    overtaken_by_rotations(name, 20, any, |filter, [rotations, _], at| {
        let insert = || filter.insert_hash(ITEM);
        let (outcome, reached) = overtaken(at, || rotate(filter, rotations), insert);
        outcome.expect("room");
        assert_is_forgotten(filter, left(filter.generations(), rotations));
        reached
    });
}

/// The name of a call, and the call.
type Insert = (&'static str, fn(&Filter) -> Result<bool, InsertError>);

const INSERTS: [Insert; 2] = [
    ("an insert", |filter| {
        filter.insert_hash(ITEM).map(|()| true)
    }),
    ("an admission", |filter| filter.insert_unique_hash(ITEM)),
];

/// An insert is refused by the young generation only. An insert finds the young generation full. A
/// rotation brings one with room. If it comes before the insert has checked for a rotation, the
/// insert is not refused.
#[test]
fn only_the_young_refuses() {
    /// The accesses after the check, which read the load for the error: the state, and the cells of
    /// a counter.
    const BEHIND: usize = 5;
    let full = || {
        let filter = filter(2, 2);
        let other = ITEM + 1;
        filter.insert_many_hash(&[other; 8]).expect("eight slots");
        filter
    };
    for (name, insert) in INSERTS {
        let alone = full();
        let all = accesses(|| insert(&alone).expect_err("it is full"));
        at_each_step(&format!("{name}, and a rotation"), 8, |at| {
            let filter = full();
            let (outcome, reached) = overtaken(at, || rotate(&filter, 1), || insert(&filter));
            let is_late = at + BEHIND >= all;
            assert!(is_late || outcome == Ok(true), "{outcome:?}");
            reached
        });
    }
}

/// One rotation overtakes an insert, whose table is live all the same. The spare stays clean, so
/// the next rotation is no more than an exchange.
#[test]
fn late_insert_leaves_spare() {
    at_each_step("an insert, and one rotation", 3, |at| {
        let filter = filter(2, 2);
        let insert = || filter.insert_hash(ITEM);
        let (inserted, reached) = overtaken(at, || rotate(&filter, 1), insert);
        inserted.expect("room");
        let rotations = filter.rotations();
        let clean = accesses(|| filter.clean_spare());
        let turn = accesses(|| filter.turn_if(rotations));
        assert_eq!((clean, turn), (1, 2), "accesses: the spare is to be clean");
        reached
    });
}

/// A late insert into a full pair keeps its promise. An insert makes room by a relocation: it moves
/// the tokens of other items.
#[test]
fn late_insert_into_full_pair() {
    const GENERATIONS: usize = 2;
    for rotations in 0..=most_rotations(GENERATIONS) {
        let name = format!("{rotations} rotations overtake an insert with a relocation");
        at_each_step(&name, 10, |at| {
            let filter = filter(GENERATIONS, 4);
            // 14 of 16 slots, so that hardly any pair has room.
            let fillers: Vec<u64> = (0..14).map(mix).collect();
            filter.insert_many_hash(&fillers).expect("room");
            let insert = || filter.insert_hash(ITEM);
            let (outcome, reached) = overtaken(at, || rotate(&filter, rotations), insert);
            assert!(outcome.is_ok(), "{outcome:?}");
            if rotations < GENERATIONS {
                assert_eq!(filter.len(), 15, "not conserved");
            }
            rotate(&filter, left(GENERATIONS, rotations));
            for _ in 0..4 {
                let back = fillers.iter().any(|&filler| filter.contains_hash(filler));
                assert!(!back, "a filler came back");
                rotate(&filter, 1);
            }
            assert_eq!(filter.len(), 0, "not conserved");
            reached
        });
    }
}

#[test]
fn one_of_two_admissions_wins_in_each_life() {
    let name = "rotations and a rival overtake an admission";
    overtaken_by_rotations(name, 100, around_a_call, |filter, [before, behind], at| {
        let generations = filter.generations();
        let mut theirs = false;
        let overtake = || {
            rotate(filter, before);
            theirs = filter.insert_unique_hash(FLIPPED).expect("room");
            rotate(filter, behind);
        };
        let admit = || filter.insert_unique_hash(ITEM).expect("room");
        let (mine, reached) = overtaken(at, overtake, admit);
        if before.min(behind) < generations {
            assert!(mine || theirs, "no thread was told true");
            // One of the two lives ended before the other began.
            let one_life = reached && before < generations && behind < generations;
            assert!(!(one_life && mine && theirs), "two were told true");
        }
        let of_theirs = if theirs { left(generations, behind) } else { 0 };
        assert_is_forgotten(filter, of_theirs);
        reached
    });
}

/// The item comes in the young generation after a rotation. It never has the age that its table
/// had when the call began.
#[test]
fn a_late_age_is_one_that_the_item_had() {
    let name = "rotations and an insert overtake the age of an item";
    overtaken_by_rotations(name, 20, any, |filter, [rotations, _], at| {
        let come = || {
            rotate(filter, rotations);
            filter.insert_hash(ITEM).expect("room");
        };
        let (age, reached) = overtaken(at, come, || filter.age_hash(ITEM));
        assert!(
            age.is_none_or(|age| age == 0),
            "never {age:?} rotations old"
        );
        assert_eq!(filter.age_hash(ITEM), Some(0));
        reached
    });
}

/// Refreshes a stored item, which stays stored.
fn refresh_in_the_next_generation(filter: &Filter) {
    rotate(filter, 1);
    refresh(filter);
}

/// Refreshes an item that is stored in an older generation.
fn refresh(filter: &Filter) {
    filter.insert_hash(FLIPPED).expect("room");
    assert!(filter.remove_hash(FLIPPED), "it is in");
}

/// Stops an admission at each two accesses, and acts at both. At the first, another admission gets
/// an answer.
fn one_of_two_is_told_true(
    name: &str,
    first: fn(&Filter) -> Result<bool, InsertError>,
    then: fn(&Filter),
) {
    at_each_two_steps(name, 200, |[at, more]| {
        // The generation with the first insert does not expire.
        let filter = filter(3, 2);
        let (told, reached) = thread::scope(|scope| {
            let admit = || filter.insert_unique_hash(ITEM);
            let mut late = Led::begin(scope, [at, at + 1 + more], admit);
            let stopped = late.has_stopped();
            let theirs = first(&filter);
            let again = late.go_on();
            then(&filter);
            ([theirs, late.finish()], (stopped, again))
        });
        let [theirs, mine] = told.map(|told| told.expect("room"));
        assert!(mine != theirs, "not one was told true");
        reached
    });
}

/// An item that is refreshed is not new to a late admission. The item is inserted after the
/// admission has looked for it, and refreshed after the admission has frozen its word.
#[test]
fn late_admission_of_refreshed() {
    let come = |filter: &Filter| {
        let theirs = filter.insert_unique_hash(FLIPPED);
        rotate(filter, 1);
        theirs
    };
    let name = "an item comes and is refreshed during an admission";
    one_of_two_is_told_true(name, come, refresh_in_the_next_generation);
}

/// The item is inserted after a rotation. The count finds the word that the admission has frozen,
/// and does not know of the rotation.
#[test]
fn a_late_admission_is_decided_by_its_owner() {
    let come = |filter: &Filter| {
        rotate(filter, 1);
        filter.insert_unique_hash(FLIPPED)
    };
    let name = "an item comes and is counted during an admission";
    one_of_two_is_told_true(name, come, |filter| {
        assert!(filter.count_hash(ITEM) == 1, "counted twice");
    });
}

/// A call that returns whether it has found the item.
type Call = fn(&Filter) -> bool;
const CALLS: [(&str, Call); 4] = [
    ("a lookup", |filter| filter.contains_hash(ITEM)),
    ("a count", |filter| filter.count_hash(ITEM) > 0),
    ("an admission", |filter| {
        filter.insert_unique_hash(ITEM) == Ok(false)
    }),
    ("a remove", |filter| filter.remove_hash(ITEM)),
];

/// An item that is refreshed is found by a late call. A late call finds an item that is stored all
/// the time, refreshed into younger and younger generations.
#[test]
fn late_call_finds_refreshed() {
    // The last rotations come without a refresh, so that the item is in an older generation again.
    let refreshes = |generations| {
        let both = (0..=most_rotations(generations))
            .flat_map(|refreshes| (0..generations).map(move |last| [refreshes, last]));
        both.collect()
    };
    for (name, call) in CALLS {
        let title = format!("refreshes overtake {name}");
        overtaken_by_rotations(&title, 20, refreshes, |filter, [refreshes, last], at| {
            filter.insert_hash(ITEM).expect("room");
            let overtake = || {
                (0..refreshes).for_each(|_| refresh_in_the_next_generation(filter));
                rotate(filter, last);
            };
            let (found, reached) = overtaken(at, overtake, || call(filter));
            assert!(found, "it was missed");
            let left = filter.generations() - last;
            let stays = if name == "a remove" { 0 } else { left };
            assert_is_forgotten(filter, stays);
            reached
        });
    }
}

/// The same beside a thread that died in a relocation: a call that meets a frozen word looks behind
/// it. The item is refreshed in the same generation too.
#[test]
fn late_call_beside_the_dead_finds_refreshed() {
    let ways = |generations| {
        // From the first freeze to the end.
        let deaths =
            (11..18).flat_map(|death| (0..generations).map(move |rotations| [rotations, death]));
        deaths.collect()
    };
    for (name, call) in CALLS {
        let title = format!("refreshes beside the dead overtake {name}");
        overtaken_by_rotations(&title, 100, ways, |filter, [rotations, death], at| {
            // The accesses of the relocation in the older generations, which do not have it.
            let of_each = accesses(|| filter.relocate_hash(OTHER)) / filter.generations();
            let before = of_each * (filter.generations() - 1);
            filter.insert_hash(OTHER).expect("room");
            filter.insert_hash(ITEM).expect("room");
            let died = dies_at(before + death, || filter.relocate_hash(OTHER));
            assert!(died, "the relocation is shorter");
            rotate(filter, 1);
            let overtake = || {
                refresh(filter);
                (0..rotations).for_each(|_| refresh_in_the_next_generation(filter));
            };
            let (found, reached) = overtaken(at, overtake, || call(filter));
            assert!(found, "it was missed");
            reached
        });
    }
}

/// A forgotten item is found by no late call.
#[test]
fn late_call_finds_no_forgotten() {
    let name = "rotations overtake a lookup of a forgotten item";
    overtaken_by_rotations(name, 20, any, |filter, [rotations, _], at| {
        filter.insert_hash(ITEM).expect("room");
        rotate(filter, filter.generations());
        let (found, reached) = overtaken(
            at,
            || rotate(filter, rotations),
            || filter.contains_hash(ITEM) || filter.remove_hash(ITEM),
        );
        assert!(!found, "found too late");
        reached
    });
}

/// A rotation stops, most often during the emptying, while others rotate and insert the same items
/// again.
#[test]
fn a_late_rotation_does_no_harm() {
    let name = "rotations and an insert overtake a rotation";
    overtaken_by_rotations(
        name,
        1_000,
        around_a_call,
        |filter, [before, behind], at| {
            filter.insert_hash(ITEM).expect("room");
            rotate(filter, filter.generations() - 1);
            let mut inserted = 0;
            let overtake = || {
                rotate(filter, before);
                filter.insert_hash(ITEM).expect("room");
                inserted = filter.rotations();
                rotate(filter, behind);
            };
            let (outcome, reached) = overtaken(at, overtake, || filter.rotate());
            assert_eq!(outcome, Ok(()));
            let rotations = (filter.rotations() - inserted) as usize;
            assert_is_forgotten(filter, left(filter.generations(), rotations));
            reached
        },
    );
}

/// Checks that the item does not come back, in the next generation or a later one.
fn assert_does_not_come_back(filter: &Filter) {
    let found = filter.contains_hash(ITEM);
    rotate(filter, 1);
    let back = filter.contains_hash(ITEM);
    assert!(found || !back, "it came back");
    rotate(filter, 2 * filter.generations() + 1);
    assert!(!filter.contains_hash(ITEM), "found");
    assert_eq!(filter.len(), 0, "not conserved");
}

/// Lets a late call go on during a pass over its table: it stops at each access, and goes on at
/// each access of the rotation.
fn in_a_pass(name: &str, least: usize, prepare: &[u64], call: fn(&Filter)) {
    at_each_two_steps(
        &format!("{name} in the midst of a pass"),
        least,
        |[late_at, at]| {
            let filter = filter(2, 2);
            filter.insert_many_hash(prepare).expect("room");
            let reached = thread::scope(|scope| {
                let late = Led::begin(scope, [late_at], || call(&filter));
                // Its table is the oldest.
                rotate(&filter, 1);
                let rotator = Led::begin(scope, [at], || rotate(&filter, 1));
                let reached = (late.has_stopped(), rotator.has_stopped());
                late.finish();
                rotator.finish();
                reached
            });
            assert_does_not_come_back(&filter);
            reached
        },
    );
}

/// A late insert in a pass does not come back.
#[test]
fn late_insert_in_a_pass() {
    in_a_pass("an insert", 100, &[], |filter| {
        filter.insert_hash(ITEM).expect("room")
    });
}

/// A late admission in a pass does not come back.
#[test]
fn late_admission_in_a_pass() {
    in_a_pass("an admission", 1_000, &[], |filter| {
        filter.insert_unique_hash(ITEM).expect("room");
    });
}

/// A late relocation in a pass lets no token escape. The token moves to the second candidate, which
/// the pass visits first, or to the first one.
#[test]
fn late_relocation_in_a_pass() {
    in_a_pass("a relocation", 500, &[FLIPPED], |filter| {
        filter.relocate_hash(FLIPPED);
    });
    in_a_pass("a relocation", 500, &[ITEM], |filter| {
        filter.relocate_hash(ITEM);
    });
}

/// A late insert that outlasts a pass does not come back. The insert stops twice, so that the pass
/// can go on and end when the insert records that the spare must be emptied again.
#[test]
fn late_insert_outlasts_a_pass() {
    at_all_steps("an insert outlasts a pass", 500, |[first, more, at]| {
        let filter = filter(2, 2);
        let stops = [first, first + 1 + more];
        let reached = thread::scope(|scope| {
            let mut late = Led::begin(scope, stops, || filter.insert_hash(ITEM));
            let stopped = late.has_stopped();
            // Its table is the oldest.
            rotate(&filter, 1);
            let rotator = Led::begin(scope, [at], || rotate(&filter, 1));
            let reached = rotator.has_stopped();
            let again = late.go_on();
            rotator.finish();
            late.finish().expect("room");
            [stopped, again, reached]
        });
        assert_does_not_come_back(&filter);
        reached
    });
}

/// A late insert takes effect at one moment: nobody finds its token in the spare, and then not, and
/// then in the young generation.
#[test]
fn late_insert_is_found_from_one_moment_on() {
    let calls: [(&str, Call); 3] = [
        CALLS[0],
        CALLS[2],
        ("a refresh", |filter| filter.refresh_hash(ITEM) == Ok(false)),
    ];
    for (name, call) in calls {
        let title = format!("{name} and an insert, both late");
        at_all_steps(&title, 100, |[first, more, at]| {
            let filter = filter(2, 2);
            let stops = [first, first + 1 + more];
            thread::scope(|scope| {
                let mut insert = Led::begin(scope, stops, || filter.insert_hash(ITEM));
                let stopped = insert.has_stopped();
                let late = Led::begin(scope, [at], || call(&filter));
                let reached = late.has_stopped();
                // The table of both is the spare, and clean.
                rotate(&filter, 2);
                let again = insert.go_on();
                let found = late.finish();
                let next = filter.contains_hash(ITEM);
                // It is the young one.
                rotate(&filter, 1);
                let last = filter.contains_hash(ITEM);
                assert!(!found || next || !last, "found, not found, and found");
                insert.finish().expect("room");
                [stopped, again, reached]
            })
        });
    }
}

const OTHER: u64 = 0x2222;

/// Lets the item expire after a thread died at this access of its relocation. Returns whether it
/// died.
fn forget_after_a_death(filter: &Filter, at: usize) -> bool {
    filter.insert_hash(ITEM).expect("room");
    let died = dies_at(at, || filter.relocate_hash(ITEM));
    assert_eq!(filter.rotate(), Ok(()));
    filter.insert_hash(OTHER).expect("room");
    // The table is emptied afterwards.
    assert_eq!(filter.rotate(), Ok(()), "it needs no descriptor");
    assert!(!filter.contains_hash(ITEM), "a forgotten item was found");
    died
}

/// A refused rotation succeeds when descriptors are free. Dead threads hold the descriptors of the
/// table that must be emptied.
#[test]
fn refused_rotation_succeeds() {
    let mut refused = 0;
    at_each_step("a death, then clear", 5, |at| {
        // Two generations of two buckets, with one descriptor each.
        let builder = Filter::builder().buckets(2).seed(1);
        let mut filter = builder.descriptors(1).build().expect("memory");
        let died = forget_after_a_death(&filter, at);
        let outcome = filter.rotate();
        if outcome.is_err() {
            refused += 1;
            assert_eq!(outcome, Err(RotateError::NoDescriptor));
            assert!(filter.rotate_if(2).is_err(), "still not possible");
            assert_eq!(filter.rotate_if(1), Ok(false), "nothing is asked for");
            assert!(filter.contains_hash(OTHER), "nothing is to change");
            filter.clear();
            assert!(filter.is_empty());
            assert_eq!(filter.rotations(), 2, "nothing is to change");
            assert_eq!(filter.rotate(), Ok(()));
        }
        assert_eq!(filter.rotations(), 3);
        for _ in 0..4 {
            assert!(!filter.contains_hash(ITEM), "it came back");
            assert_eq!(filter.rotate(), Ok(()));
        }
        assert_eq!(filter.len(), 0, "not conserved");
        died
    });
    assert!(refused > 5, "{refused} refused rotations");
}
