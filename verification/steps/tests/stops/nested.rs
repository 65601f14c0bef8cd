//! Nested prefixes: the token of one item covers another item, while tokens hop, arrive and leave.

use std::thread;

use lockfree_cuckoo::testing::Internals;
use step_tests::{
    Led, accesses, assert_counts, at_each_step, at_each_two_steps, fill, overtaken, tell,
};

use crate::doubling::{CHUNK, Doubling, double, filter, filter_at, head, places};

/// It has lost bits when `N` is inserted, so its token covers `N`. The token of `N` does not cover
/// it.
const X: u64 = head(1);
const N: u64 = 1 << 53 | X;

/// A remove takes the longest token though it hops. The longest token hops from the bucket that a
/// remove has yet to read to the one already read. With one shorter token the remove takes one
/// exchange; with more of them it takes the full path.
#[test]
fn remove_takes_longest() {
    for copies in [1, 2] {
        let name = format!("a remove and a hop of the longest of {copies} and one");
        at_each_step(&name, 4, |step| {
            // At level 3 the second bucket has this number of tokens of `X`, and `N`.
            let filter = filter();
            (0..copies).for_each(|_| filter.insert_hash(X).expect("room"));
            double(&filter);
            double(&filter);
            (0..copies).for_each(|_| assert!(filter.relocate_hash(X), "no thread is in the way"));
            filter.insert_hash(N).expect("room");
            assert!(filter.relocate_hash(N), "no thread is in the way");
            let (removed, reached) =
                overtaken(step, || filter.relocate_hash(N), || filter.remove_hash(N));
            assert!(removed, "a stored item was not removed");
            let left = filter.count_hash(X);
            assert_eq!(left, copies, "the token of another item was taken");
            for _ in 0..copies {
                assert!(filter.remove_hash(X), "a stored item was not removed");
            }
            assert!(filter.is_empty());
            reached
        });
    }
}

const LEVEL: u32 = 8;

/// The sweep reaches its first bucket last on that side.
const ITEM: u64 = ((1 << (LEVEL - 1)) - 1) << (65 - LEVEL) | head(3);

/// Differs in the one additional bit of a token of the deeper level.
const LONGER: u64 = ITEM ^ 1 << (54 - (LEVEL - 1));

/// Begins to double a table, and splits the second bucket of `ITEM` but not its first one. A hop
/// does this: its item has the same second bucket, and its first bucket is among the first that a
/// sweep reaches.
fn split_the_second_bucket(filter: &Doubling) {
    let second = places(ITEM, LEVEL)[1];
    let hopper = (1..64)
        .flat_map(|number| (0..CHUNK as u64).map(move |place| place << (65 - LEVEL) | head(number)))
        .find(|&hash| places(hash, LEVEL)[1] == second)
        .expect("there is one");
    assert!(filter.begin_to_double());
    filter.insert_hash(hopper).expect("room");
    assert!(filter.relocate_hash(hopper), "no thread is in the way");
    assert!(filter.remove_hash(hopper), "a stored item");
}

/// Returns a filter in which the first bucket of the item is still at the old level, and the second
/// at the new one, where new tokens are longer. The second holds the token of the item.
fn filter_of_two_levels() -> Doubling {
    let filter = filter_at(LEVEL);
    split_the_second_bucket(&filter);
    // A neighbour in its first bucket makes the other one emptier, and is removed.
    let neighbour = ITEM ^ head(1);
    fill(&filter, [neighbour, ITEM]);
    assert!(filter.remove_hash(neighbour), "a stored item");
    filter
}

/// A lookup misses no item of which a longer token goes. Copies of an item take turns. A remove
/// takes the copy in the second bucket, though the one in the first is newer, because it is longer.
/// It stops at each of its first accesses until the lookup has ended.
#[test]
fn longer_token_goes() {
    /// More than a remove makes up to its exchange and a little beyond. Later ones split words.
    const FIRST: usize = 40;
    let insert = |filter: &Doubling| filter.insert_hash(ITEM).expect("room");
    let turn = |filter: &Doubling| {
        insert(filter);
        assert!(filter.remove_hash(ITEM), "a stored item");
    };
    let inserted = {
        let filter = filter_of_two_levels();
        accesses(|| insert(&filter))
    };
    at_each_two_steps(
        "a lookup, and tokens of two levels that take turns",
        50,
        |[turn_at, lookup_at]| {
            let filter = filter_of_two_levels();
            thread::scope(|scope| {
                let lookup = Led::begin(scope, [lookup_at], || filter.contains_hash(ITEM));
                let turn = Led::begin(scope, [inserted + turn_at], || turn(&filter));
                let reached = (turn_at < FIRST, lookup.has_stopped());
                let seen = lookup.finish();
                assert!(seen, "an item that is never out was missed");
                turn.finish();
                reached
            })
        },
    );
}

/// A lookup misses no item of which a shorter token goes. A token of another item covers an item.
/// It is removed after the item has a longer token of its own in the other bucket, which does not
/// cover the other item.
#[test]
fn shorter_token_goes() {
    at_each_step("a lookup, and a shorter token that goes", 4, |step| {
        let filter = filter();
        filter.insert_hash(X).expect("room");
        double(&filter);
        double(&filter);
        assert!(filter.relocate_hash(X), "no thread is in the way");
        assert_counts(&filter, [(X, 1), (N, 1)]);
        let turn = || {
            filter.insert_hash(N).expect("room");
            assert!(filter.remove_hash(X), "a stored item");
        };
        let (seen, reached) = overtaken(step, turn, || filter.contains_hash(N));
        assert!(seen, "an item that is never out was missed");
        assert_counts(&filter, [(X, 0), (N, 1)]);
        reached
    });
}

/// The longer of two tokens is found by its whole prefix. Both tails are as long as possible, but
/// one level is deeper than the other.
#[test]
fn whole_prefix_decides() {
    let filter = filter_of_two_levels();
    filter.insert_hash(LONGER).expect("room");
    assert_eq!([ITEM, LONGER].map(|item| filter.count_hash(item)), [2, 1]);
    assert!(filter.remove_hash(ITEM), "a stored item");
    assert!(
        filter.contains_hash(LONGER),
        "the token of another item was taken"
    );
    assert!(
        filter.remove_hash(LONGER),
        "the token of another item was taken"
    );
    tell("a remove of the longer of two tokens of two levels", 1, 0);
}

/// Returns a filter with a token of `ITEM` as long as the upper level has it, and one of `LONGER`,
/// which it covers. Both are in a second bucket that was split. The first bucket is not split yet,
/// and holds only neighbours.
fn filter_of_two_lengths() -> Doubling {
    let filter = filter_at(LEVEL);
    filter.insert_hash(ITEM).expect("room");
    assert!(filter.relocate_hash(ITEM), "no thread is in the way");
    // Two in the first bucket make the second one emptier.
    fill(&filter, [ITEM ^ head(1), ITEM ^ head(4)]);
    assert!(
        filter.relocate_hash(ITEM ^ head(4)),
        "no thread is in the way"
    );
    split_the_second_bucket(&filter);
    filter.insert_hash(LONGER).expect("room");
    filter
}

/// A remove looks for the longest token of the deeper level. A remove reads the first bucket before
/// it is split. The longer token hops there, and in the second bucket the remove finds only the
/// shorter one. That is as long as a new token at the upper level, but not the longest possible.
#[test]
fn longest_of_deeper_level() {
    at_each_step(
        "a remove over two levels, and a hop to the upper one",
        5,
        |step| {
            let filter = filter_of_two_lengths();
            assert_eq!([ITEM, LONGER].map(|item| filter.count_hash(item)), [1, 2]);
            let (removed, reached) = overtaken(
                step,
                || filter.relocate_hash(LONGER),
                || filter.remove_hash(LONGER),
            );
            assert!(removed, "a stored item was not removed");
            assert!(
                filter.remove_hash(ITEM),
                "the token of another item was taken"
            );
            reached
        },
    );
}
