//! Items of which one has a token that covers the other one, while tokens hop and come and go.

use lockfree_cuckoo::testing::{Double, Relocate};
use step_tests::{at_each_step, fill, overtaken, tell};

use crate::doubling::{CHUNK, Doubling, double, filter, filter_at, head, places};

/// It has lost bits when `N` comes, so that its token covers `N`. That of `N` does not cover it.
const X: u64 = head(1);
const N: u64 = 1 << 53 | X;

/// The longest token hops from the bucket that a remove has yet to read to the one that it has read. Of one shorter
/// token, it takes one exchange; with more of them, all of a remove.
#[test]
fn a_remove_takes_the_longest_token_though_it_hops() {
    for copies in [1, 2] {
        let name = format!("a remove and a hop of the longest of {copies} and one");
        at_each_step(&name, 4, |step| {
            // At level 3 the second bucket has so many of `X`, and `N`.
            let filter = filter();
            (0..copies).for_each(|_| filter.insert_hash(X).expect("room"));
            double(&filter);
            double(&filter);
            (0..copies).for_each(|_| assert!(filter.relocate_hash(X), "nobody is in the way"));
            filter.insert_hash(N).expect("room");
            assert!(filter.relocate_hash(N), "nobody is in the way");
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

/// Its first bucket is the last one that a sweep comes to on that side.
const ITEM: u64 = ((1 << (LEVEL - 1)) - 1) << (65 - LEVEL) | head(3);

/// Differs in the one bit that a token of the deeper level has more.
const LONGER: u64 = ITEM ^ 1 << (54 - (LEVEL - 1));

/// Begins to double a table, and splits the second bucket of `ITEM`, but not its first one: by a hop of an item of which the
/// second bucket is the same, and the first is among the first that a sweep comes to.
fn split_the_second_bucket(filter: &Doubling) {
    let second = places(ITEM, LEVEL)[1];
    let hopper = (1..64)
        .flat_map(|number| (0..CHUNK as u64).map(move |place| place << (65 - LEVEL) | head(number)))
        .find(|&hash| places(hash, LEVEL)[1] == second)
        .expect("there is one");
    assert!(filter.begin_to_double());
    filter.insert_hash(hopper).expect("room");
    assert!(filter.relocate_hash(hopper), "nobody is in the way");
    assert!(filter.remove_hash(hopper), "a stored item");
}

/// The first bucket of the item is still at the old level, and the second at the new one, where new tokens are longer: it
/// has the token of the item.
fn filter_of_two_levels() -> Doubling {
    let filter = filter_at(LEVEL);
    split_the_second_bucket(&filter);
    // Has a token in its first bucket, which makes the other one emptier, and goes.
    let neighbour = ITEM ^ head(1);
    fill(&filter, [neighbour, ITEM]);
    assert!(filter.remove_hash(neighbour), "a stored item");
    filter
}

/// Copies of an item take turns. A remove takes the one in the second bucket, though the one in the first has come later,
/// because it is longer.
#[test]
fn a_lookup_misses_no_item_of_which_a_longer_token_goes() {
    at_each_step(
        "a lookup, and tokens of two levels that take turns",
        5,
        |step| {
            let filter = filter_of_two_levels();
            let turn = || {
                filter.insert_hash(ITEM).expect("room");
                assert!(filter.remove_hash(ITEM), "a stored item");
            };
            let (seen, reached) = overtaken(step, turn, || filter.contains_hash(ITEM));
            assert!(seen, "an item that is never out was missed");
            reached
        },
    );
}

/// The tails of both are as long as can be, but one level is deeper than the other.
#[test]
fn the_longer_of_two_tokens_is_told_by_all_of_its_prefix() {
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

/// A token of `ITEM` as long as the upper level has it, and one of `LONGER`, which it covers. Both are in a second
/// bucket that was split; the first bucket is not split yet, and empty but for neighbours.
fn filter_of_two_lengths() -> Doubling {
    let filter = filter_at(LEVEL);
    filter.insert_hash(ITEM).expect("room");
    assert!(filter.relocate_hash(ITEM), "nobody is in the way");
    // Two in the first bucket make the second one emptier.
    fill(&filter, [ITEM ^ head(1), ITEM ^ head(4)]);
    assert!(filter.relocate_hash(ITEM ^ head(4)), "nobody is in the way");
    split_the_second_bucket(&filter);
    filter.insert_hash(LONGER).expect("room");
    filter
}

/// A remove reads the first bucket before it is split. The longer token hops there, and in the second bucket the remove
/// finds the shorter one only: it is as long as a new token is at the upper level, but not as long as there can be.
#[test]
fn a_remove_asks_for_the_longest_token_that_the_deeper_of_two_levels_can_have() {
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
