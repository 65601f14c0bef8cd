//! Growth of a filter that doubles, which comes, goes on or ends while a call stands still.

use std::thread;

use lockfree_cuckoo::InsertError;
use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::testing::hooks::{Fate, stepping};
use model::hashers::AsGiven;
use model::mix;
use step_tests::{Led, at_each_step, bounded};

use crate::doubling::{
    CHUNK, Doubling, filter, filter_at, filter_of, head, items, items_of_the_first_table,
};

/// Two find that the first table is full for ever. One of them stands still at each access; the other adds a table. If
/// the first one added another, of the same size, a finer table would have tokens as short as those of a coarser one.
#[test]
fn of_two_that_add_a_table_one_does() {
    let taken = items_of_the_first_table();
    let last = items().nth(taken).expect("endless");
    let full = filter();
    for item in items().take(taken) {
        full.insert_hash(item).expect("room");
    }
    assert_eq!(full.tables(), 1);
    let bytes = { full }.to_bytes();
    let read = || Doubling::from_bytes_with_hasher(&bytes, AsGiven).expect("sound");
    let alone = read();
    alone.insert_hash(last).expect("memory");
    let steps = at_each_step(|step| {
        let filter = read();
        let reached = thread::scope(|scope| {
            let insert = Led::begin(scope, [step], || filter.insert_hash(last));
            let reached = insert.has_stopped();
            for item in items().skip(taken + 1) {
                if filter.tables() > 1 {
                    break;
                }
                filter.insert_hash(item).expect("memory");
            }
            insert.finish().expect("memory");
            reached
        });
        assert_eq!(filter.tables(), 2, "access {step}");
        // One that does not count would have the place of the next.
        let (memory, of_two) = (filter.memory_usage(), alone.memory_usage());
        assert_eq!(memory, of_two, "access {step}: two tables were added");
        assert!(filter.contains_hash(last), "access {step}: an item is lost");
        reached
    });
    println!("{steps} scenes: two that add a table");
    assert!(steps > 100, "{steps} accesses");
}

/// An insert stands still before it looks how far a growth is. Meanwhile that growth ends, and the next one has nearly
/// ended. What is left of it is as little as it was.
#[test]
fn a_late_insert_does_not_send_a_growth_back() {
    /// That the first growth leaves.
    const LEVEL: u32 = 9;
    let steps = at_each_step(|step| {
        let filter = filter_at(LEVEL);
        assert!(filter.begin_to_double());
        let mut random = items();
        let (reached, left) = thread::scope(|scope| {
            let late = Led::begin(scope, [step], || filter.insert_hash(mix(1 << 40)));
            let reached = late.has_stopped();
            filter.finish_doubling();
            assert!(filter.begin_to_double());
            for _ in 0..(2 << LEVEL) / CHUNK - 1 {
                let item = random.next().expect("endless");
                filter.insert_hash(item).expect("room");
            }
            late.finish().expect("room");
            let finish = || filter.finish_doubling();
            (reached, stepping(|_| Fate::Goes, finish).1)
        });
        assert!(
            left < 20 * CHUNK,
            "access {step}: {left} accesses, for {CHUNK} words"
        );
        reached
    });
    println!("{steps} scenes: a late insert and two growths");
    assert!(steps > 50, "{steps} accesses");
}

/// Some calls stand still while they split words. Meanwhile others split other words, so that no work is done twice.
fn calls_split_different_words(name: &str, stores: bool, call: impl Fn(&Doubling, u64) + Sync) {
    const LEVEL: u32 = 9;
    const STOPPED: usize = 4;
    const CALLS: usize = (1 << LEVEL) / CHUNK;
    let steps = at_each_step(|step| {
        let filter = filter_at(LEVEL);
        // One call more may find that the others have done it all.
        for item in items().take(if stores { CALLS + 1 } else { 0 }) {
            filter.insert_hash(item).expect("room");
        }
        assert!(filter.begin_to_double());
        let mut items = items();
        let reached = thread::scope(|scope| {
            let stopped = [(); STOPPED].map(|()| {
                let item = items.next().expect("endless");
                let (filter, call) = (&filter, &call);
                Led::begin(scope, [step], move || call(filter, item))
            });
            let reached = stopped.iter().all(Led::has_stopped);
            for item in items.by_ref().take(CALLS - STOPPED) {
                call(&filter, item);
            }
            stopped.into_iter().for_each(Led::finish);
            reached
        });
        call(&filter, items.next().expect("endless"));
        let done = filter.doubled();
        assert_eq!(done, None, "access {step}: the growth goes on");
        reached
    });
    println!("{steps} scenes: a growth that several {name} share");
    assert!(steps > 100, "{steps} accesses");
}

#[test]
fn inserts_split_different_words() {
    calls_split_different_words("inserts", false, |filter, item| {
        filter.insert_hash(item).expect("room");
    });
}

#[test]
fn removes_split_different_words() {
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
    let steps = at_each_step(|step| {
        let filter = filter_at(LEVEL);
        for &item in &stored {
            filter.insert_hash(item).expect("room");
        }
        assert!(filter.begin_to_double());
        let all_are_in = || stored.iter().all(|&item| filter.contains_hash(item));
        let reached = thread::scope(|scope| {
            let insert = |stop| Led::begin(scope, [stop], || filter.insert_hash(head(1)));
            let (first, second) = (insert(MIDST), insert(step));
            assert!(first.has_stopped());
            let reached = second.has_stopped();
            first.finish().expect("room");
            assert!(bounded(all_are_in), "access {step}: an item was missed");
            second.finish().expect("room");
            reached
        });
        assert!(bounded(all_are_in), "access {step}: an item was lost");
        reached
    });
    println!("{steps} scenes: a cursor that comes to words that are being split");
    assert!(steps > 100, "{steps} accesses");
}

/// An insert that has taken words stands still. Others go on beyond them, and after a while they split these, too: else one
/// of them would look at all words of the level in the end.
#[test]
fn a_growth_does_not_wait_for_one_that_has_stopped() {
    const LEVEL: u32 = 11;
    /// Words that are taken from the cursor on, at most.
    const AHEAD: usize = 64 * CHUNK;
    let steps = at_each_step(|step| {
        let filter = filter_of(LEVEL);
        assert!(filter.begin_to_double());
        let mut random = items();
        let item = random.next().expect("endless");
        thread::scope(|scope| {
            let stopped = Led::begin(scope, [step], || filter.insert_hash(item));
            let reached = stopped.has_stopped();
            for item in random.by_ref().take(AHEAD / CHUNK) {
                filter.insert_hash(item).expect("room");
            }
            let done = filter.doubled().expect("half of it is left");
            assert!(done > 0.49, "access {step}: {done} is done");
            for item in random.take(AHEAD / CHUNK + 1) {
                filter.insert_hash(item).expect("room");
            }
            assert_eq!(filter.doubled(), None, "access {step}: the growth goes on");
            stopped.finish().expect("room");
            reached
        })
    });
    println!("{steps} scenes: a growth beside one that has stopped");
    assert!(steps > 100, "{steps} accesses");
}

/// Who begins a growth stands still at each access, until that growth is over and the next one has begun. Then it must
/// not say any more which level the table grows into: that growth would never end.
#[test]
fn a_late_begin_does_not_send_a_growth_back() {
    /// That the first growth leaves.
    const LEVEL: u32 = 6;
    let steps = at_each_step(|step| {
        let filter = filter_at(LEVEL);
        let mut items = items();
        let mut insert_all = |number| {
            let mut chosen = items.by_ref().take(number);
            chosen.try_for_each(|item| filter.insert_hash(item))
        };
        // A first one, so that the filter is not empty, and does not begin anew.
        insert_all(1).expect("room");
        let reached = thread::scope(|scope| {
            let late = Led::begin(scope, [step], || filter.begin_to_double());
            let reached = late.has_stopped();
            if reached {
                filter.begin_to_double();
                filter.finish_doubling();
                assert!(filter.begin_to_double());
            }
            late.finish();
            reached
        });
        let rest = (4 << LEVEL) / CHUNK;
        insert_all(rest).expect("room");
        assert_eq!(filter.doubled(), None, "access {step}: the growth goes on");
        reached
    });
    println!("{steps} scenes: a late begin and two growths");
    assert!(steps > 1, "{steps} accesses");
}

/// May double once, is full, and has not doubled yet. The item finds no room.
fn full_and_may_double_once() -> (Doubling, u64) {
    let (probe, filter) = (filter(), filter());
    let is_in = |&item: &u64| {
        probe.insert_hash(item).expect("memory");
        probe.doubled().is_none() && probe.slots() == 8
    };
    let fit = items().take_while(is_in).count();
    for item in items().take(fit) {
        filter.insert_hash(item).expect("room");
    }
    let item = items().nth(fit).expect("endless");
    filter.limit_memory_usage(filter.memory_usage());
    let refused = filter.insert_hash(item);
    let Err(InsertError::CannotGrow { error, .. }) = refused else {
        panic!("there is neither room nor memory: {refused:?}");
    };
    filter.limit_memory_usage(error.memory_needed().expect("the memory"));
    (filter, item)
}

/// An insert that found no room stands still at each access. Others double the table meanwhile, which cannot double any
/// more then. The insert has room all the same.
#[test]
fn an_insert_is_not_refused_when_others_have_made_room() {
    let steps = at_each_step(|step| {
        let (filter, item) = full_and_may_double_once();
        let reached = thread::scope(|scope| {
            let insert = Led::begin(scope, [step], || filter.insert_hash(item));
            let reached = insert.has_stopped();
            if filter.slots() == 8 {
                assert!(filter.begin_to_double());
                filter.finish_doubling();
            }
            let inserted = insert.finish();
            assert_eq!(
                inserted,
                Ok(()),
                "access {step}: refused, though there is room"
            );
            reached
        });
        assert_eq!(filter.slots(), 16, "access {step}: one doubling");
        assert!(filter.contains_hash(item), "access {step}: an item is lost");
        reached
    });
    println!("{steps} scenes: an insert that is about to be refused, and a growth");
    assert!(steps > 50, "{steps} accesses");
}
