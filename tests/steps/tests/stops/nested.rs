//! Items of which one has a token that covers the other one, while tokens hop and come and go.

use std::sync::Arc;

use lockfree_cuckoo::testing::{Double, Relocate};
use step_tests::{at_each_step, overtaken};

use crate::doubling::{CHUNK, Doubling, double, filter, filter_at, head, places};

/// It has lost bits when `N` comes, so that its token covers `N`. That of `N` does not cover it.
const X: u64 = head(1);
const N: u64 = 1 << 53 | X;

/// At level 3 the second bucket has so many of `X`, and `N`.
fn filter_of_both(copies: usize) -> Doubling {
    let filter = filter();
    (0..copies).for_each(|_| filter.insert_hash(X).expect("room"));
    double(&filter);
    double(&filter);
    for _ in 0..copies {
        assert!(filter.relocate_hash(X), "nobody is in the way");
    }
    filter.insert_hash(N).expect("room");
    filter
}

/// The longest token hops from the bucket that a remove has yet to read to the one that it has read. Of one shorter
/// token, it takes one exchange; with more of them, all of a remove.
#[test]
fn a_remove_takes_the_longest_token_though_it_hops() {
    for copies in [1, 2] {
        let steps = at_each_step(|step| {
            let filter = Arc::new(filter_of_both(copies));
            // To the second bucket, with those of X.
            assert!(filter.relocate_hash(N), "nobody is in the way");
            let others = Arc::clone(&filter);
            let hop = move || {
                others.relocate_hash(N);
            };
            let (removed, reached) = overtaken(step, hop, || filter.remove_hash(N));
            assert!(removed, "access {step}: a stored item was not removed");
            assert_eq!(
                filter.count_hash(X),
                copies,
                "{copies} copies, access {step}: the token of another item was taken"
            );
            for _ in 0..copies {
                assert!(filter.remove_hash(X), "a stored item was not removed");
            }
            assert!(filter.is_empty());
            reached
        });
        println!("{steps} scenes: a remove and a hop of the longest of {copies} and one");
        assert!(steps > 4, "{steps} accesses");
    }
}

/// The first bucket of the item is still at the old level, and the second at the new one, where new tokens are longer: it
/// has the token of the item.
fn filter_of_two_levels() -> (Doubling, u64) {
    const HALF: u64 = 1 << (LEVEL - 1);
    // Its first bucket is the last one that a sweep comes to on that side.
    let item = (HALF - 1) << (65 - LEVEL) | head(3);
    let second = places(item, LEVEL)[1];
    // Another one of which the second bucket is the same, and the first is among the first that a sweep comes to.
    let hopper = (1..64)
        .flat_map(|number| (0..CHUNK as u64).map(move |place| place << (65 - LEVEL) | head(number)))
        .find(|&hash| places(hash, LEVEL)[1] == second)
        .expect("there is one");
    let filter = filter_at(LEVEL);
    assert!(filter.begin_to_double());
    // Splits its first bucket, and then the second bucket of both.
    filter.insert_hash(hopper).expect("room");
    assert!(filter.relocate_hash(hopper), "nobody is in the way");
    assert!(filter.remove_hash(hopper), "a stored item");
    // Has a token in its first bucket, which makes the other one emptier, and goes.
    let neighbour = item ^ head(1);
    filter.insert_hash(neighbour).expect("room");
    filter.insert_hash(item).expect("room");
    assert!(filter.remove_hash(neighbour), "a stored item");
    (filter, item)
}

const LEVEL: u32 = 8;

/// Copies of an item take turns. A remove takes the one in the second bucket, though the one in the first has come later,
/// because it is longer.
#[test]
fn a_lookup_misses_no_item_of_which_a_longer_token_goes() {
    let steps = at_each_step(|step| {
        let (filter, item) = filter_of_two_levels();
        let filter = Arc::new(filter);
        let others = Arc::clone(&filter);
        let turn = move || {
            others.insert_hash(item).expect("room");
            assert!(others.remove_hash(item), "a stored item");
        };
        let (seen, reached) = overtaken(step, turn, || filter.contains_hash(item));
        assert!(seen, "access {step}: an item that is never out was missed");
        reached
    });
    println!("{steps} scenes: a lookup, and tokens of two levels that take turns");
    assert!(steps > 5, "{steps} accesses");
}

/// The tails of both are as long as can be, but one level is deeper than the other.
#[test]
fn the_longer_of_two_tokens_is_told_by_all_of_its_prefix() {
    let (filter, item) = filter_of_two_levels();
    // Differs in the last bit that the token of the item has.
    let other = item ^ 1 << (54 - (LEVEL - 1));
    filter.insert_hash(other).expect("room");
    assert_eq!((filter.count_hash(item), filter.count_hash(other)), (2, 1));
    assert!(filter.remove_hash(item), "a stored item");
    assert!(
        filter.contains_hash(other),
        "the token of another item was taken"
    );
    assert!(
        filter.remove_hash(other),
        "the token of another item was taken"
    );
    println!("1 scenes: a remove of the longer of two tokens of two levels");
}

/// A token of `item` as long as the upper level has it, and a longer one of `other`, which it covers. Both are in a second
/// bucket that was split; the first bucket is not split yet, and empty but for neighbours.
fn filter_of_two_lengths() -> (Doubling, u64, u64) {
    const HALF: u64 = 1 << (LEVEL - 1);
    // Its first bucket is the last one that a sweep comes to on that side.
    let item = (HALF - 1) << (65 - LEVEL) | head(3);
    // Differs in the one bit that a token of the deeper level has more.
    let other = item ^ 1 << (54 - (LEVEL - 1));
    let second = places(item, LEVEL)[1];
    let hopper = (1..64)
        .flat_map(|number| (0..CHUNK as u64).map(move |place| place << (65 - LEVEL) | head(number)))
        .find(|&hash| places(hash, LEVEL)[1] == second)
        .expect("there is one");
    let filter = filter_at(LEVEL);
    filter.insert_hash(item).expect("room");
    assert!(filter.relocate_hash(item), "nobody is in the way");
    // Two in the first bucket make the second one emptier.
    filter.insert_hash(item ^ head(1)).expect("room");
    filter.insert_hash(item ^ head(4)).expect("room");
    assert!(filter.relocate_hash(item ^ head(4)), "nobody is in the way");
    assert!(filter.begin_to_double());
    // Splits its first bucket, and then the second bucket of all.
    filter.insert_hash(hopper).expect("room");
    assert!(filter.relocate_hash(hopper), "nobody is in the way");
    assert!(filter.remove_hash(hopper), "a stored item");
    filter.insert_hash(other).expect("room");
    (filter, item, other)
}

/// A remove reads the first bucket before it is split. The longer token hops there, and in the second bucket the remove
/// finds the shorter one only: it is as long as a new token is at the upper level, but not as long as there can be.
#[test]
fn a_remove_asks_for_the_longest_token_that_the_deeper_of_two_levels_can_have() {
    let steps = at_each_step(|step| {
        let (filter, item, other) = filter_of_two_lengths();
        assert_eq!((filter.count_hash(item), filter.count_hash(other)), (1, 2));
        let filter = Arc::new(filter);
        let others: Arc<Doubling> = Arc::clone(&filter);
        let hop = move || {
            others.relocate_hash(other);
        };
        let (removed, reached) = overtaken(step, hop, || filter.remove_hash(other));
        assert!(removed, "access {step}: a stored item was not removed");
        assert!(
            filter.remove_hash(item),
            "access {step}: the token of another item was taken"
        );
        reached
    });
    println!("{steps} scenes: a remove over two levels, and a hop to the upper one");
    assert!(steps > 5, "{steps} accesses");
}
