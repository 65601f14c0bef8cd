//! Growth of a filter that doubles: it begins, continues or ends while a call is stopped.

use std::collections::BTreeSet;
use std::thread;

use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{GrowthError, InsertError};
use model::hashers::AsGiven;
use model::mix;
use step_tests::{Led, accesses, assert_counts, at_each_step, bounded, dies_at, fill, overtaken};

use crate::doubling::{CHUNK, Doubling, double, filter, filter_at, filter_of, head, items, places};

/// Two inserts find that the first table cannot grow. One of them stops at each access; the other
/// adds a table. If the first one added another of the same size, a finer table would have tokens
/// as short as those of a coarser one.
#[test]
fn one_of_two_threads_adds_a_table() {
    let (full, probe) = (filter(), filter());
    let is_in = |&item: &u64| {
        probe.insert_hash(item).expect("memory");
        probe.tables() == 1
    };
    let taken = items().take_while(is_in).count();
    fill(&full, items().take(taken));
    assert_eq!(full.tables(), 1);
    let last = items().nth(taken).expect("endless");
    let bytes = full.to_bytes().expect("no thread writes");
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
        // A table that does not count would be in the place of the next.
        let (memory, of_two) = (filter.memory_usage(), alone.memory_usage());
        assert_eq!(memory, of_two, "two tables were added");
        assert!(filter.contains_hash(last), "an item is lost");
        reached
    });
}

/// A late insert does not send a growth back. An insert stops before it reads the cursor of a
/// growth. Meanwhile that growth ends, and the next one nearly ends. The insert must not increase
/// the number of buckets left.
#[test]
fn late_insert() {
    /// The level that the first growth leaves.
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

/// Stops some calls while they split words. Meanwhile others must split other words, so that no
/// work is done twice.
fn calls_split_different_words(name: &str, stores: bool, call: fn(&Doubling, u64)) {
    const LEVEL: u32 = 9;
    const STOPPED: usize = 4;
    const CALLS: usize = (1 << LEVEL) / CHUNK;
    at_each_step(
        &format!("a growth that several {name} share"),
        100,
        |step| {
            let filter = &filter_at(LEVEL);
            // One more call may find that the others have split everything.
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

/// Calls that share a growth split different words.
#[test]
fn calls_share_a_growth() {
    calls_split_different_words("inserts", false, |filter, item| {
        filter.insert_hash(item).expect("room");
    });
    calls_split_different_words("removes", true, |filter, item| {
        assert!(filter.remove_hash(item), "a stored item was not removed");
    });
}

/// Words that are taken are not passed before they are split. An insert stops while it splits
/// words. The thread that has the earlier words advances the cursor, but not past these.
#[test]
fn taken_words_are_not_passed() {
    const LEVEL: u32 = 5;
    const { assert!(1 << LEVEL == 2 * CHUNK) };
    /// An access of an insert in the middle of its splits.
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

/// A growth does not wait for one that has stopped. An insert that has taken words to split stops.
/// Others go on beyond them, and after a while they split these too: otherwise one of them would in
/// the end look at all words of the level.
#[test]
fn growth_passes_a_stopped_call() {
    /// The maximum number of words that are taken beyond the cursor.
    const AHEAD: usize = 256 * CHUNK;
    at_each_step("a growth beside one that has stopped", 100, |step| {
        let filter = filter_of(13);
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

/// The thread that begins a growth stops at each access, until that growth is over, and perhaps the
/// next one has begun. Then it must no longer set the level that the table grows into: that growth
/// would never end. And it sets it only when others can use that level.
#[test]
fn a_late_begin_does_not_send_a_growth_back() {
    /// The level that the first growth leaves.
    const LEVEL: u32 = 6;
    // So that the filter is not empty, and does not start again with new words.
    let stored = mix(1 << 40);
    for next_begins in [true, false] {
        at_each_step("a late begin and two growths", 1, |step| {
            let filter = filter_at(LEVEL);
            filter.insert_hash(stored).expect("room");
            let mut slots = 0;
            let grow = || {
                filter.begin_to_double();
                for item in items().take((1 << LEVEL) / CHUNK - 1) {
                    fill(&filter, [item]);
                    assert!(filter.contains_hash(stored), "a stored item was missed");
                }
                bounded(|| filter.finish_doubling());
                assert!(!next_begins || filter.begin_to_double());
                slots = filter.slots();
            };
            let (_, reached) = overtaken(step, grow, || filter.begin_to_double());
            assert_eq!(filter.slots(), slots, "it was sent back");
            fill(&filter, items().take((4 << LEVEL) / CHUNK));
            assert_eq!(filter.doubled(), None, "the growth goes on");
            assert_counts(&filter, [(stored, 1)]);
            reached
        });
    }
}

/// Returns a full filter that may double once and has not done so, and an item that finds no room.
fn full_and_may_double_once() -> (Doubling, u64) {
    let (probe, filter) = (filter(), filter());
    let is_in = |&item: &u64| {
        probe.insert_hash(item).expect("memory");
        probe.doubled().is_none() && probe.slots() == 8
    };
    let fit = items().take_while(is_in).count();
    fill(&filter, items().take(fit));
    let item = items().nth(fit).expect("endless");
    filter.set_memory_allowance(filter.memory_usage());
    let refused = filter.insert_hash(item);
    let Err(InsertError::CannotGrow(GrowthError::MemoryLimit { needed, .. })) = refused else {
        panic!("there is neither room nor memory: {refused:?}");
    };
    filter.set_memory_allowance(needed);
    (filter, item)
}

/// An insert is not refused when others have made room. An insert that found no room stops at each
/// access. Others double the table meanwhile, after which it cannot double again. The insert must
/// not be refused, because there is room.
#[test]
fn others_have_made_room() {
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

/// A call that ends a growth stops in a split, and an insert changes the word to split. The call
/// splits the changed word.
#[test]
fn end_splits_changed_words() {
    const LEVEL: u32 = 5;
    const { assert!(1 << LEVEL == 2 * CHUNK) };
    // Into the word that is split first.
    let is_first = |&item: &u64| places(item, LEVEL)[0] == 0;
    let item = items().find(is_first).expect("endless");
    at_each_step("the end of a growth, and an insert", 50, |step| {
        let filter = filter_at(LEVEL);
        assert!(filter.begin_to_double());
        let insert = || filter.insert_hash(item).expect("room");
        let (ended, reached) = overtaken(step, insert, || filter.finish_doubling());
        assert!(ended, "no thread has the descriptors");
        assert_counts(&filter, [(item, 1)]);
        reached
    });
}

/// Others fill and empty a filter in which a growth has stopped. An insert into a full filter stops
/// at each access, or dies there: between finding no room, beginning to double the table and
/// splitting its words. Meanwhile others make the filter grow several times, and empty it again.
#[test]
fn others_go_on() {
    // With fingerprints of their own, so that no token is a false positive.
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
