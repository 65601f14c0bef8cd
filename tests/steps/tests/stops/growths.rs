//! Growth of a filter that doubles, which comes, goes on or ends while a call stands still.

use std::collections::BTreeSet;
use std::thread;

use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::{GrowthError, InsertError};
use model::hashers::AsGiven;
use model::mix;
use step_tests::{Led, accesses, at_each_step, bounded, dies_at, fill, overtaken};

use crate::doubling::{CHUNK, Doubling, double, filter, filter_at, filter_of, head, items};

/// Two find that the first table is full for ever. One of them stands still at each access; the other adds a table. If
/// the first one added another, of the same size, a finer table would have tokens as short as those of a coarser one.
#[test]
fn of_two_that_add_a_table_one_does() {
    let (full, probe) = (filter(), filter());
    let is_in = |&item: &u64| {
        probe.insert_hash(item).expect("memory");
        probe.tables() == 1
    };
    let taken = items().take_while(is_in).count();
    fill(&full, items().take(taken));
    assert_eq!(full.tables(), 1);
    let last = items().nth(taken).expect("endless");
    let bytes = full.to_bytes().expect("nobody writes");
    let read = || Doubling::from_bytes_with_hasher(&bytes, AsGiven).expect("sound");
    let alone = read();
    alone.insert_hash(last).expect("memory");
    at_each_step("two that add a table", 100, |step| {
        let filter = read();
        let add = || {
            let mut rest = items().skip(taken + 1);
            while filter.tables() == 1 {
                let item = rest.next().expect("endless");
                filter.insert_hash(item).expect("memory");
            }
        };
        let (inserted, reached) = overtaken(step, add, || filter.insert_hash(last));
        inserted.expect("memory");
        assert_eq!(filter.tables(), 2);
        // One that does not count would have the place of the next.
        let (memory, of_two) = (filter.memory_usage(), alone.memory_usage());
        assert_eq!(memory, of_two, "two tables were added");
        assert!(filter.contains_hash(last), "an item is lost");
        reached
    });
}

/// An insert stands still before it looks how far a growth is. Meanwhile that growth ends, and the next one has nearly
/// ended. What is left of it is as little as it was.
#[test]
fn a_late_insert_does_not_send_a_growth_back() {
    /// That the first growth leaves.
    const LEVEL: u32 = 9;
    at_each_step("a late insert and two growths", 50, |step| {
        let filter = filter_at(LEVEL);
        assert!(filter.begin_to_double());
        let grow = || {
            filter.finish_doubling();
            assert!(filter.begin_to_double());
            fill(&filter, items().take((2 << LEVEL) / CHUNK - 1));
        };
        let (inserted, reached) = overtaken(step, grow, || filter.insert_hash(mix(1 << 40)));
        inserted.expect("room");
        let left = accesses(|| filter.finish_doubling());
        assert!(left < 20 * CHUNK, "{left} accesses, for {CHUNK} words");
        reached
    });
}

/// Some calls stand still while they split words. Meanwhile others split other words, so that no work is done twice.
fn calls_split_different_words(name: &str, stores: bool, call: fn(&Doubling, u64)) {
    const LEVEL: u32 = 9;
    const STOPPED: usize = 4;
    const CALLS: usize = (1 << LEVEL) / CHUNK;
    at_each_step(
        &format!("a growth that several {name} share"),
        100,
        |step| {
            let filter = &filter_at(LEVEL);
            // One call more may find that the others have done it all.
            for item in items().take(if stores { CALLS + 1 } else { 0 }) {
                filter.insert_hash(item).expect("room");
            }
            assert!(filter.begin_to_double());
            let mut items = items();
            let reached = thread::scope(|scope| {
                let stopped = [(); STOPPED].map(|()| {
                    let item = items.next().expect("endless");
                    Led::begin(scope, [step], move || call(filter, item))
                });
                let reached = stopped.iter().all(Led::has_stopped);
                items
                    .by_ref()
                    .take(CALLS - STOPPED)
                    .for_each(|item| call(filter, item));
                stopped.into_iter().for_each(Led::finish);
                reached
            });
            call(filter, items.next().expect("endless"));
            assert_eq!(filter.doubled(), None, "the growth goes on");
            reached
        },
    );
}

#[test]
fn calls_that_share_a_growth_split_different_words() {
    calls_split_different_words("inserts", false, |filter, item| {
        filter.insert_hash(item).expect("room");
    });
    calls_split_different_words("removes", true, |filter, item| {
        assert!(filter.remove_hash(item), "a stored item was not removed");
    });
}

/// An insert stands still while it splits words. The one that has those before moves the cursor on, but not over these.
#[test]
fn words_that_are_taken_are_not_passed_before_they_are_split() {
    const LEVEL: u32 = 5;
    const { assert!(1 << LEVEL == 2 * CHUNK) };
    /// An access of an insert in the midst of its splits.
    const MIDST: usize = 100;
    let stored: Vec<u64> = items().take(60).collect();
    at_each_step(
        "a cursor that comes to words that are being split",
        100,
        |step| {
            let filter = filter_at(LEVEL);
            fill(&filter, &stored);
            assert!(filter.begin_to_double());
            let all_are_in = || bounded(|| stored.iter().all(|&item| filter.contains_hash(item)));
            let reached = thread::scope(|scope| {
                let insert = |stop| Led::begin(scope, [stop], || filter.insert_hash(head(1)));
                let (first, second) = (insert(MIDST), insert(step));
                assert!(first.has_stopped());
                let reached = second.has_stopped();
                first.finish().expect("room");
                assert!(all_are_in(), "an item was missed");
                second.finish().expect("room");
                reached
            });
            assert!(all_are_in(), "an item was lost");
            reached
        },
    );
}

/// An insert that has taken words stands still. Others go on beyond them, and after a while they split these, too: else one
/// of them would look at all words of the level in the end.
#[test]
fn a_growth_does_not_wait_for_one_that_has_stopped() {
    /// Words that are taken from the cursor on, at most.
    const AHEAD: usize = 64 * CHUNK;
    at_each_step("a growth beside one that has stopped", 100, |step| {
        let filter = filter_of(11);
        assert!(filter.begin_to_double());
        let mut items = items();
        let item = items.next().expect("endless");
        let mut insert = |number| {
            let mut some = items.by_ref().take(number);
            some.try_for_each(|item| filter.insert_hash(item))
                .expect("room");
        };
        let go_beyond = || {
            insert(AHEAD / CHUNK);
            let done = filter.doubled().expect("half of it is left");
            assert!(done > 0.49, "{done} is done");
            insert(AHEAD / CHUNK + 1);
            assert_eq!(filter.doubled(), None, "the growth goes on");
        };
        let (inserted, reached) = overtaken(step, go_beyond, || filter.insert_hash(item));
        inserted.expect("room");
        reached
    });
}

/// Who begins a growth stands still at each access, until that growth is over and the next one has begun. Then it must
/// not say any more which level the table grows into: that growth would never end.
#[test]
fn a_late_begin_does_not_send_a_growth_back() {
    /// That the first growth leaves.
    const LEVEL: u32 = 6;
    at_each_step("a late begin and two growths", 1, |step| {
        let filter = filter_at(LEVEL);
        // So that the filter is not empty, and does not begin anew.
        filter.insert_hash(mix(1 << 40)).expect("room");
        let grow = || {
            filter.begin_to_double();
            filter.finish_doubling();
            assert!(filter.begin_to_double());
        };
        let (_, reached) = overtaken(step, grow, || filter.begin_to_double());
        fill(&filter, items().take((4 << LEVEL) / CHUNK));
        assert_eq!(filter.doubled(), None, "the growth goes on");
        reached
    });
}

/// May double once, is full, and has not doubled yet. The item finds no room.
fn full_and_may_double_once() -> (Doubling, u64) {
    let (probe, filter) = (filter(), filter());
    let is_in = |&item: &u64| {
        probe.insert_hash(item).expect("memory");
        probe.doubled().is_none() && probe.slots() == 8
    };
    let fit = items().take_while(is_in).count();
    fill(&filter, items().take(fit));
    let item = items().nth(fit).expect("endless");
    filter.limit_memory_usage(filter.memory_usage());
    let refused = filter.insert_hash(item);
    let Err(InsertError::CannotGrow(GrowthError::MemoryLimit { needed, .. })) = refused else {
        panic!("there is neither room nor memory: {refused:?}");
    };
    filter.limit_memory_usage(needed);
    (filter, item)
}

/// An insert that found no room stands still at each access. Others double the table meanwhile, which cannot double any
/// more then. The insert has room all the same.
#[test]
fn an_insert_is_not_refused_when_others_have_made_room() {
    at_each_step(
        "an insert that is about to be refused, and a growth",
        50,
        |step| {
            let (filter, item) = full_and_may_double_once();
            let grow = || {
                if filter.slots() == 8 {
                    double(&filter);
                }
            };
            let (inserted, reached) = overtaken(step, grow, || filter.insert_hash(item));
            assert_eq!(inserted, Ok(()), "refused, though there is room");
            assert_eq!(filter.slots(), 16, "one doubling");
            assert!(filter.contains_hash(item), "an item is lost");
            reached
        },
    );
}

/// An insert into a full filter stops at each access, or dies there: between finding no room, beginning to double the table
/// and splitting its words. Meanwhile others make the filter grow several times, and empty it again.
#[test]
fn others_fill_and_empty_a_filter_in_which_a_growth_has_stopped() {
    // With fingerprints of their own, so that no token is taken for another one.
    let mut fingerprints = BTreeSet::new();
    let mut distinct = items().filter(move |item| fingerprints.insert(item & 0xffff));
    let mut some = |number| -> Vec<u64> { distinct.by_ref().take(number).collect() };
    let (residents, newcomer, extras) = (some(8), some(1)[0], [some(200), some(200)]);
    let take_out = |filter: &Doubling, items: &[u64]| {
        let is_lost = |&&item: &&u64| !filter.contains_hash(item) || !filter.remove_hash(item);
        assert_eq!(items.iter().find(is_lost), None, "an item was missed");
    };
    for (name, dies, empties) in [
        ("a death in a growth", true, false),
        ("a growth that has stopped", false, false),
        ("a growth that has stopped, and nothing left", false, true),
    ] {
        at_each_step(name, 16, |step| {
            let filter = filter();
            fill(&filter, &residents);
            let fill_and_empty = || {
                thread::scope(|scope| {
                    for items in &extras {
                        let filter = &filter;
                        scope.spawn(move || {
                            fill(filter, items);
                            assert!(filter.slots() >= items.len(), "it was to grow");
                            take_out(filter, items);
                        });
                    }
                });
            };
            let meanwhile = || {
                if empties {
                    take_out(&filter, &residents);
                } else {
                    fill_and_empty();
                }
            };
            let insert = || filter.insert_hash(newcomer);
            let reached = if dies {
                let died = dies_at(step, insert);
                meanwhile();
                died
            } else {
                let (inserted, reached) = overtaken(step, meanwhile, insert);
                inserted.expect("memory");
                take_out(&filter, &[newcomer]);
                reached
            };
            if !empties {
                take_out(&filter, &residents);
            }
            reached
        });
    }
}
