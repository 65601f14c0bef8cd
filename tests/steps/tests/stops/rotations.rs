//! Late calls on a filter that rotates: stopped at each access, and overtaken by any number of rotations.

use std::rc::Rc;
use std::thread;

use lockfree_cuckoo::RotatingCuckooFilter;
use lockfree_cuckoo::testing::Relocate;
use model::mix;
use step_tests::{Led, at_each_step, overtaken};

/// Of one class in a table of two buckets, with the candidates in one order and in the other.
pub(crate) const ITEM: u64 = 0x1111;
pub(crate) const FLIPPED: u64 = 1 << 63 | ITEM;

/// Most rotations that overtake a call: each table has each part meanwhile, more than once.
fn most_rotations(generations: usize) -> usize {
    2 * generations + 3
}

/// So many generations of so many buckets.
pub(crate) fn filter(generations: usize, buckets: usize) -> RotatingCuckooFilter {
    let builder = RotatingCuckooFilter::builder().generations(generations);
    let builder = builder.buckets(buckets).seed(1);
    builder.build().expect("memory")
}

pub(crate) fn rotate(filter: &RotatingCuckooFilter, rotations: usize) {
    for _ in 0..rotations {
        filter.rotate().expect("nobody is in the way");
    }
}

/// Follows an item until it must be forgotten. It is found for at least `more` rotations, at most for as many as there
/// are generations, and does not come back.
fn assert_is_forgotten(filter: &RotatingCuckooFilter, more: usize, scene: &str) {
    let mut forgotten = false;
    for rotations in 0..=3 * filter.generations() {
        let found = filter.contains_hash(ITEM);
        assert!(found || rotations >= more, "{scene}: forgotten too early");
        assert!(
            !found || rotations < filter.generations(),
            "{scene}: found too late"
        );
        assert!(!found || !forgotten, "{scene}: it came back");
        forgotten |= !found;
        rotate(filter, 1);
    }
    assert_eq!(filter.len(), 0, "{scene}: not conserved");
}

/// Plays a scene for each number of rotations before the other call and behind it.
fn with_rotations(generations: usize, mut scene: impl FnMut(usize, usize) -> usize) -> usize {
    let most = most_rotations(generations);
    let mut scenes = 0;
    for before in 0..=most {
        for behind in 0..=most - before {
            scenes += scene(before, behind);
        }
    }
    scenes
}

/// How many rotations an item is still due to be in for, that many behind its insert.
fn left(generations: usize, rotations: usize) -> usize {
    generations.saturating_sub(rotations)
}

#[test]
fn a_late_insert_keeps_its_promise() {
    for generations in [2, 3] {
        let mut scenes = 0;
        for rotations in 0..=most_rotations(generations) {
            scenes += at_each_step(|at| {
                let filter = Rc::new(filter(generations, 2));
                let other = Rc::clone(&filter);
                let (outcome, reached) = overtaken(
                    at,
                    move || rotate(&other, rotations),
                    || filter.insert_hash(ITEM),
                );
                outcome.expect("room");
                let scene = format!("access {at}, {rotations} rotations");
                assert_is_forgotten(&filter, left(generations, rotations), &scene);
                reached
            });
        }
        println!("{scenes} scenes: rotations overtake an insert, {generations} generations");
        assert!(scenes > 20, "{scenes} scenes");
    }
}

/// An insert that makes room by a relocation: it moves the tokens of others.
#[test]
fn a_late_insert_into_a_full_pair_keeps_its_promise() {
    let generations = 2;
    let mut scenes = 0;
    for rotations in 0..=most_rotations(generations) {
        scenes += at_each_step(|at| {
            let filter = Rc::new(filter(generations, 4));
            // 14 of 16 slots, so that hardly a pair has room.
            let fillers: Vec<u64> = (0..14).map(mix).collect();
            filter.insert_many_hash(&fillers).expect("room");
            let other = Rc::clone(&filter);
            let (outcome, reached) = overtaken(
                at,
                move || rotate(&other, rotations),
                || filter.insert_hash(ITEM),
            );
            let scene = format!("access {at}, {rotations} rotations");
            assert!(outcome.is_ok(), "{scene}: {outcome:?}");
            if rotations < generations {
                assert_eq!(filter.len(), 15, "{scene}: not conserved");
            }
            let past = if reached { rotations } else { 0 };
            rotate(&filter, left(generations, past));
            let in_again = |filler: &&u64| filter.contains_hash(**filler);
            for _ in 0..4 {
                let back = fillers.iter().filter(in_again);
                assert_eq!(back.count(), 0, "{scene}: a filler came back");
                rotate(&filter, 1);
            }
            assert_eq!(filter.len(), 0, "{scene}: not conserved");
            reached
        });
    }
    println!("{scenes} scenes: rotations overtake an insert with a relocation");
    assert!(scenes > 100, "{scenes} scenes");
}

#[test]
fn of_a_late_admission_and_another_one_wins_in_a_life() {
    for generations in [2, 3] {
        let scenes = with_rotations(generations, |before, behind| {
            at_each_step(|at| {
                let filter = Rc::new(filter(generations, 2));
                let (other, told) = (Rc::clone(&filter), Rc::new(std::cell::Cell::new(false)));
                let tell = Rc::clone(&told);
                let overtake = move || {
                    rotate(&other, before);
                    tell.set(other.insert_unique_hash(FLIPPED).expect("room"));
                    rotate(&other, behind);
                };
                let (mine, reached) = overtaken(at, overtake, || {
                    filter.insert_unique_hash(ITEM).expect("room")
                });
                let scene = format!("access {at}, {before} and {behind} rotations");
                let theirs = told.get();
                if reached && before.min(behind) < generations {
                    assert!(mine || theirs, "{scene}: nobody was told true");
                    // Its life has not ended when the other one comes, or the other one's when it goes on.
                    let one_life = before < generations && behind < generations;
                    assert!(!(one_life && mine && theirs), "{scene}: two were told true");
                }
                let of_theirs = if reached && theirs {
                    left(generations, behind)
                } else {
                    0
                };
                assert_is_forgotten(&filter, of_theirs, &scene);
                reached
            })
        });
        println!(
            "{scenes} scenes: rotations and a rival overtake an admission, {generations} generations"
        );
        assert!(scenes > 100, "{scenes} scenes");
    }
}

/// The item, which is in, stays in.
fn refresh_in_the_next_generation(filter: &RotatingCuckooFilter) {
    rotate(filter, 1);
    filter.insert_hash(FLIPPED).expect("room");
    assert!(filter.remove_hash(FLIPPED), "it is in");
}

/// It comes when the admission has looked for it, and is refreshed when the admission has frozen its word.
#[test]
fn an_item_that_is_refreshed_is_not_new_to_a_late_admission() {
    // The generation that it came in is not forgotten.
    let generations = 3;
    let mut scenes = 0;
    at_each_step(|first| {
        let mut stopped = false;
        scenes += at_each_step(|more| {
            let filter = filter(generations, 2);
            thread::scope(|scope| {
                let stops = [first, first + 1 + more];
                let mut late = Led::begin(scope, stops, || filter.insert_unique_hash(ITEM));
                stopped |= late.has_stopped();
                let theirs = filter.insert_unique_hash(FLIPPED).expect("room");
                rotate(&filter, 1);
                let reached = late.go_on();
                refresh_in_the_next_generation(&filter);
                let mine = late.finish().expect("room");
                assert!(mine != theirs, "accesses {stops:?}: not one was told true");
                reached
            })
        });
        stopped
    });
    println!("{scenes} scenes: an item comes and is refreshed during an admission");
    assert!(scenes > 200, "{scenes} scenes");
}

/// An item that is in all the while, in younger and younger generations, is found by whoever is late.
#[test]
fn an_item_that_is_refreshed_is_found_by_a_late_call() {
    type Call = fn(&RotatingCuckooFilter) -> bool;
    let calls: [(&str, Call); 4] = [
        ("a lookup", |filter| filter.contains_hash(ITEM)),
        ("a count", |filter| filter.count_hash(ITEM) > 0),
        ("an admission", |filter| {
            filter.insert_unique_hash(ITEM) == Ok(false)
        }),
        ("a remove", |filter| filter.remove_hash(ITEM)),
    ];
    for generations in [2, 3] {
        for (name, call) in calls {
            let mut scenes = 0;
            // At last it is not refreshed any more, so that it is in an older generation again.
            let refreshes = 0..=most_rotations(generations);
            let both = refreshes.flat_map(|more| (0..generations).map(move |last| (more, last)));
            for (refreshes, last) in both {
                scenes += at_each_step(|at| {
                    let filter = Rc::new(filter(generations, 2));
                    filter.insert_hash(ITEM).expect("room");
                    let other = Rc::clone(&filter);
                    let overtake = move || {
                        (0..refreshes).for_each(|_| refresh_in_the_next_generation(&other));
                        rotate(&other, last);
                    };
                    let (found, reached) = overtaken(at, overtake, || call(&filter));
                    let scene = format!("{name}, access {at}, {refreshes} and {last} rotations");
                    assert!(found, "{scene}: it was missed");
                    let stays = match (name, reached) {
                        ("a remove", _) => 0,
                        (_, true) => generations - last,
                        (_, false) => generations,
                    };
                    assert_is_forgotten(&filter, stays, &scene);
                    reached
                });
            }
            println!("{scenes} scenes: refreshes overtake {name}, {generations} generations");
            assert!(scenes > 20, "{scenes} scenes");
        }
    }
}

#[test]
fn a_forgotten_item_is_found_by_no_late_call() {
    for generations in [2, 3] {
        let mut scenes = 0;
        for rotations in 0..=most_rotations(generations) {
            scenes += at_each_step(|at| {
                let filter = Rc::new(filter(generations, 2));
                filter.insert_hash(ITEM).expect("room");
                rotate(&filter, generations);
                let other = Rc::clone(&filter);
                let (found, reached) = overtaken(
                    at,
                    move || rotate(&other, rotations),
                    || filter.contains_hash(ITEM) || filter.remove_hash(ITEM),
                );
                assert!(!found, "access {at}, {rotations} rotations: found too late");
                reached
            });
        }
        println!("{scenes} scenes: rotations overtake a lookup, {generations} generations");
        assert!(scenes > 20, "{scenes} scenes");
    }
}

/// A rotation that is stopped, above all in the midst of the emptying, while others rotate and insert the same again.
#[test]
fn a_late_rotation_does_no_harm() {
    for generations in [2, 3] {
        let scenes = with_rotations(generations, |before, behind| {
            at_each_step(|at| {
                let filter = Rc::new(filter(generations, 2));
                filter.insert_hash(ITEM).expect("room");
                rotate(&filter, generations - 1);
                let inserted = Rc::new(std::cell::Cell::new(0));
                let (other, tell) = (Rc::clone(&filter), Rc::clone(&inserted));
                let overtake = move || {
                    rotate(&other, before);
                    other.insert_hash(ITEM).expect("room");
                    tell.set(other.rotations());
                    rotate(&other, behind);
                };
                let (outcome, reached) = overtaken(at, overtake, || filter.rotate());
                let scene = format!("access {at}, {before} and {behind} rotations");
                assert_eq!(outcome, Ok(()), "{scene}");
                let rotations = (filter.rotations() - inserted.get()) as usize;
                let more = if reached {
                    left(generations, rotations)
                } else {
                    0
                };
                assert_is_forgotten(&filter, more, &scene);
                reached
            })
        });
        println!(
            "{scenes} scenes: rotations and an insert overtake a rotation, {generations} generations"
        );
        assert!(scenes > 1_000, "{scenes} scenes");
    }
}

/// In the generation that the next rotation begins, or later.
fn assert_does_not_come_back(filter: &RotatingCuckooFilter, scene: &str) {
    let found = filter.contains_hash(ITEM);
    rotate(filter, 1);
    let back = filter.contains_hash(ITEM);
    assert!(found || !back, "{scene}: it came back");
    rotate(filter, 2 * filter.generations() + 1);
    assert!(!filter.contains_hash(ITEM), "{scene}: found");
    assert_eq!(filter.len(), 0, "{scene}: not conserved");
}

/// A late call that goes on in the midst of a pass over its table: stopped at each access, and led on at each access
/// of the rotation.
fn in_a_pass(name: &str, least: usize, call: fn(&RotatingCuckooFilter), prepare: &[u64]) {
    let generations = 2;
    let mut scenes = 0;
    at_each_step(|late_at| {
        let mut late_stopped = false;
        scenes += at_each_step(|at| {
            let filter = filter(generations, 2);
            filter.insert_many_hash(prepare).expect("room");
            thread::scope(|scope| {
                let late = Led::begin(scope, [late_at], || call(&filter));
                late_stopped |= late.has_stopped();
                // Its table is the oldest.
                rotate(&filter, generations - 1);
                let rotator = Led::begin(scope, [at], || rotate(&filter, 1));
                let reached = rotator.has_stopped();
                late.finish();
                rotator.finish();
                let scene = format!("{name}, accesses {late_at} and {at}");
                assert_does_not_come_back(&filter, &scene);
                reached
            })
        });
        late_stopped
    });
    println!("{scenes} scenes: {name} in the midst of a pass");
    assert!(scenes > least, "{scenes} scenes");
}

#[test]
fn a_late_insert_in_a_pass_does_not_come_back() {
    in_a_pass(
        "an insert",
        100,
        |filter| filter.insert_hash(ITEM).expect("room"),
        &[],
    );
}

/// The insert is stopped twice, so that the pass can go on and end when it says that the spare is to be emptied again.
#[test]
fn a_late_insert_that_outlasts_a_pass_does_not_come_back() {
    let generations = 2;
    let mut scenes = 0;
    at_each_step(|first| {
        let mut stopped = false;
        at_each_step(|more| {
            let mut stopped_again = false;
            scenes += at_each_step(|at| {
                let filter = filter(generations, 2);
                thread::scope(|scope| {
                    let stops = [first, first + 1 + more];
                    let mut late = Led::begin(scope, stops, || filter.insert_hash(ITEM));
                    stopped |= late.has_stopped();
                    // Its table is the oldest.
                    rotate(&filter, generations - 1);
                    let rotator = Led::begin(scope, [at], || rotate(&filter, 1));
                    let reached = rotator.has_stopped();
                    stopped_again |= late.go_on();
                    rotator.finish();
                    late.finish().expect("room");
                    let scene = format!("accesses {stops:?} and {at}");
                    assert_does_not_come_back(&filter, &scene);
                    reached
                })
            });
            stopped_again
        });
        stopped
    });
    println!("{scenes} scenes: an insert outlasts a pass");
    assert!(scenes > 500, "{scenes} scenes");
}

#[test]
fn a_late_admission_in_a_pass_does_not_come_back() {
    let call = |filter: &RotatingCuckooFilter| {
        filter.insert_unique_hash(ITEM).expect("room");
    };
    in_a_pass("an admission", 1_000, call, &[]);
}

#[test]
fn a_late_relocation_in_a_pass_lets_no_token_escape() {
    // The token goes to the second candidate, which the pass passes first, or to the first one.
    let call = |filter: &RotatingCuckooFilter| {
        filter.relocate_hash(FLIPPED);
    };
    in_a_pass("a relocation", 500, call, &[FLIPPED]);
    let call = |filter: &RotatingCuckooFilter| {
        filter.relocate_hash(ITEM);
    };
    in_a_pass("a relocation", 500, call, &[ITEM]);
}
