//! Filters that double: calls that meet a hopping token, a bucket being split, or another table.

use std::thread;

use lockfree_cuckoo::testing::Internals;
use step_tests::{Led, assert_counts, at_each_step, at_each_two_steps, bounded, fill, overtaken};

use crate::doubling::{CHUNK, Doubling, double, filter, filter_at, filter_at_the_end, head, items};

const ITEM: u64 = head(5);

/// Returns a table of four buckets with the item, which has hopped this often.
fn with_item(hops: usize) -> Doubling {
    let filter = filter_at(2);
    filter.insert_hash(ITEM).expect("room");
    (0..hops).for_each(|_| assert!(filter.relocate_hash(ITEM), "no thread is in the way"));
    filter
}

/// Stops a thread at each access of `act`. A lookup of the item runs into it, and stops at each
/// access too. The thread goes on meanwhile.
fn found_at_each_step(name: &str, filter: impl Fn() -> Doubling, act: fn(&Doubling) -> bool) {
    at_each_two_steps(
        &format!("{name}, and a lookup that meets it"),
        100,
        |steps| {
            let filter = filter();
            thread::scope(|scope| {
                let actor = Led::begin(scope, [steps[0]], || act(&filter));
                let lookup = Led::begin(scope, [steps[1]], || filter.contains_hash(ITEM));
                let reached = (actor.has_stopped(), lookup.has_stopped());
                actor.finish();
                assert!(lookup.finish(), "a hopping item was missed");
                reached
            })
        },
    );
}

/// A lookup that sees a hop begin sees it end. The token hops from the second bucket to the first.
/// The lookup finds it in the first bucket, frozen, and the hop ends meanwhile. Then the token is
/// no longer in the second bucket. The stripe was bumped before the lookup began, so only the
/// descriptor shows the hop.
#[test]
fn hop_begins_and_ends() {
    found_at_each_step(
        "a hop",
        || with_item(1),
        |filter| filter.relocate_hash(ITEM),
    );
}

/// A lookup that meets a split finds the item. The lookup finds the reference of a split, whose
/// descriptor is then used for another split.
#[test]
fn lookup_meets_a_split() {
    let growing = || {
        let filter = with_item(0);
        assert!(filter.begin_to_double());
        filter
    };
    found_at_each_step("a doubling", growing, |filter| filter.finish_doubling());
}

/// Has one pair of buckets in the smallest table.
const X: u64 = head(1);
const Y: u64 = 1 << 62 | X;
/// Has another head.
const OTHER: u64 = head(2);

/// Stops an insert or a remove at each access, which begins to split the words of a table that
/// holds `X`. Others act meanwhile. Then the copies of `X` and `Y` must be these.
fn split_stopped_at_each_step(name: &str, meanwhile: impl Fn(&Doubling), left: [usize; 2]) {
    for adds in [true, false] {
        let splitter = if adds { "an insert" } else { "a remove" };
        let name = format!("{splitter} that splits, and {name}");
        at_each_step(&name, 20, |step| {
            let filter = filter();
            filter.insert_hash(X).expect("room");
            if !adds {
                filter.insert_hash(OTHER).expect("room");
            }
            assert!(filter.begin_to_double());
            let (succeeded, reached) = overtaken(
                step,
                || bounded(|| meanwhile(&filter)),
                || {
                    if adds {
                        filter.insert_hash(OTHER).is_ok()
                    } else {
                        filter.remove_hash(OTHER)
                    }
                },
            );
            assert!(succeeded, "{splitter} failed");
            let [x, y, other] = [left[0], left[1], usize::from(adds)];
            assert_counts(&filter, [(X, x), (Y, y), (OTHER, other)]);
            assert_eq!(filter.len(), x + y + other);
            assert_eq!(filter.doubled(), None, "it has split all words");
            reached
        });
    }
}

fn remove(filter: &Doubling) {
    assert!(filter.remove_hash(X), "a stored item was not removed");
}

#[test]
fn children_do_not_overwrite_later_writes() {
    let end_and_remove = |filter: &Doubling| {
        filter.finish_doubling();
        remove(filter);
    };
    split_stopped_at_each_step("others who end it, and remove", end_and_remove, [0, 0]);
    let end_and_replace = |filter: &Doubling| {
        filter.finish_doubling();
        filter.insert_hash(Y).expect("room");
        remove(filter);
    };
    split_stopped_at_each_step("others who end it, and replace", end_and_replace, [0, 1]);
}

/// A word that is being split changes only for the whole of it.
#[test]
fn split_word_changes_as_whole() {
    split_stopped_at_each_step("a remove", remove, [0, 0]);
    let insert = |filter: &Doubling| filter.insert_hash(Y).expect("room");
    split_stopped_at_each_step("an insert", insert, [1, 1]);
    let admit = |filter: &Doubling| assert_eq!(filter.insert_unique_hash(X), Ok(false));
    split_stopped_at_each_step("an admission of what is in", admit, [1, 0]);
    let look = |filter: &Doubling| assert!(filter.contains_hash(X), "a stored item was missed");
    split_stopped_at_each_step("a lookup", look, [1, 0]);
    let hop = |filter: &Doubling| {
        filter.relocate_hash(X);
    };
    split_stopped_at_each_step("a hop", hop, [1, 0]);
}

/// A call on a stored item, with the number of copies that it leaves, and whether it found the
/// item. An insert does not say.
type Call = fn(&Doubling, u64) -> bool;
const CALLS: [(&str, usize, Call); 4] = [
    ("a lookup", 1, |filter, item| filter.contains_hash(item)),
    ("a count", 1, |filter, item| filter.count_hash(item) > 0),
    ("an admission", 1, |filter, item| {
        filter.insert_unique_hash(item) == Ok(false)
    }),
    ("a remove", 0, |filter, item| filter.remove_hash(item)),
];

/// Calls that a hop overtakes are as good as others. Between two accesses of a call its item hops,
/// in either direction, in a table at rest and in one whose words are being split.
#[test]
fn overtaken_by_a_hop() {
    for (name, left, call) in CALLS {
        for (hops, grows) in [(0, false), (1, false), (0, true), (1, true)] {
            at_each_step(&format!("{name}, and a hop"), 3, |step| {
                let filter = with_item(hops);
                assert!(!grows || filter.begin_to_double());
                let hop = || filter.relocate_hash(ITEM);
                let (told, reached) = overtaken(step, hop, || call(&filter, ITEM));
                assert!(told, "a stored item was missed");
                assert_counts(&filter, [(ITEM, left)]);
                reached
            });
        }
    }
}

/// Calls that growth overtakes are as good as others. Between two accesses of a call the table
/// doubles, and doubles again.
#[test]
fn overtaken_by_growth() {
    let stored: Vec<u64> = items().take(60).collect();
    let insert: (&str, usize, Call) = ("an insert", 2, |filter, item| {
        filter.insert_hash(item).is_ok()
    });
    for (name, left, call) in CALLS.into_iter().chain([insert]) {
        for item in [0, 17, 43].map(|at| stored[at]) {
            at_each_step(&format!("{name}, and two growths"), 3, |step| {
                let filter = filter_at(5);
                for &item in &stored {
                    bounded(|| filter.insert_hash(item)).expect("room");
                }
                assert!(filter.begin_to_double());
                let grow = || {
                    filter.finish_doubling();
                    double(&filter);
                };
                let (told, reached) = overtaken(step, grow, || call(&filter, item));
                assert!(told, "missed");
                for &other in &stored {
                    let copies = if other == item { left } else { 1 };
                    assert_counts(&filter, [(other, copies)]);
                }
                reached
            });
        }
    }
}

/// Calls that a new table overtakes are as good as others. A call stops that has begun with one
/// table. A table is added, and another item with an equal token is inserted there and removed.
#[test]
fn overtaken_by_a_new_table() {
    // Has all bits except those that only tokens of the second table have.
    const EQUAL: u64 = ITEM | 1 << 44;
    for (name, left, call) in CALLS {
        at_each_step(&format!("{name}, and a new table"), 3, |step| {
            let filter = filter_at_the_end();
            filter.insert_hash(ITEM).expect("room");
            let add = || {
                assert!(filter.add_table());
                filter.insert_hash(EQUAL).expect("room");
                assert!(filter.remove_hash(EQUAL), "a stored item");
            };
            let (told, reached) = overtaken(step, add, || call(&filter, ITEM));
            assert!(told, "a stored item was missed");
            assert_counts(&filter, [(ITEM, left)]);
            reached
        });
    }
}

/// A call walks over two tables, from the finer to the coarser. An insert that has begun with one
/// table adds a copy to the coarser one, and a copy is removed from the finer one. A walk in the
/// other direction would miss both. Stops at one access of every `stride`.
fn walked_at_each(stride: usize, name: &str, sees: impl Fn(&Doubling) -> bool + Sync) {
    /// The exchange of an insert, after it has loaded its two words.
    const EXCHANGE: usize = 2;
    for grows in [false, true] {
        at_each_step(&format!("{name} that walks over two tables"), 4, |turn| {
            let filter = filter_at_the_end();
            let (seen, reached) = thread::scope(|scope| {
                let late = Led::begin(scope, [EXCHANGE], || filter.insert_hash(ITEM));
                assert!(late.has_stopped() && filter.add_table());
                // One in each of its buckets, so that both have been written to.
                fill(&filter, [ITEM, ITEM]);
                assert!(filter.remove_hash(ITEM), "a stored item");
                assert!(!grows || filter.begin_to_double());
                let walk = Led::begin(scope, [stride * turn], || sees(&filter));
                let reached = walk.has_stopped();
                late.finish().expect("room");
                assert!(filter.remove_hash(ITEM), "a stored item");
                (walk.finish(), reached)
            });
            assert!(seen, "an item that is never out was missed");
            reached
        });
    }
}

#[test]
fn a_call_misses_no_item_that_is_never_out() {
    for (name, _, call) in CALLS {
        walked_at_each(1, name, |filter| call(filter, ITEM));
    }
}

/// The snapshot reads thousands of words.
#[test]
fn a_copy_misses_no_item_that_is_never_out() {
    let copy = |filter: &Doubling| filter.snapshot().expect("one change");
    walked_at_each(61, "a snapshot", |filter| copy(filter).contains_hash(ITEM));
}

/// A hop to a bucket whose parent is being split is not undone. A hop stops at each access.
/// Meanwhile the split of its target bucket begins, and stops at each access: the number of that
/// bucket was computed, and its word may already hold one half, while the parent still exists.
#[test]
fn hop_below_a_split() {
    // Large enough that one insert splits all buckets of a side.
    const LEVEL: u32 = 5;
    const { assert!(1 << (LEVEL - 1) == CHUNK) };
    let name = "a hop, and a split of the bucket that it goes to";
    at_each_two_steps(name, 1_000, |steps| {
        let filter = filter_at(LEVEL);
        filter.insert_hash(X).expect("room");
        assert!(filter.begin_to_double());
        filter.insert_hash(OTHER).expect("room");
        let there = || bounded(|| filter.count_hash(X));
        let reached = thread::scope(|scope| {
            let hop = Led::begin(scope, [steps[0]], || filter.relocate_hash(X));
            let split = Led::begin(scope, [steps[1]], || filter.insert_hash(OTHER));
            let reached = (hop.has_stopped(), split.has_stopped());
            hop.finish();
            let seen = bounded(|| filter.contains_hash(X));
            assert!(seen, "a hopping item was missed");
            split.finish().expect("room");
            reached
        });
        assert_eq!(there(), 1, "a hopping item was missed");
        reached
    });
}
