//! One thread: removal among items that a coarse segment cannot tell apart.

use model::mix;

use crate::{assert_empty, free_what_is_parked, scrambled, short, shrink};

const ITEMS: u64 = 13_700;

/// Removes 60 % of the items, puts some back, removes the rest. Where a remove takes a token from an older segment
/// while the item's own is in a newer one, it takes what another item needs.
fn remove_and_put_back(capacity: usize, factor: usize, at_least: usize, shrinking: bool) {
    let what = format!("{capacity} items, times {factor}");
    let mut filter = short(capacity, factor);
    let start = filter.memory_usage();
    for item in 0..ITEMS {
        filter.insert(&item).expect("memory");
    }
    let lost = (0..ITEMS).filter(|item| !filter.contains(item)).count();
    assert_eq!(lost, 0, "{what}: stored items were lost");
    assert!(filter.segments() >= at_least, "{what}: {filter:?}");
    let shared = (0..ITEMS).filter(|item| filter.count(item) > 1).count();
    assert!(
        shared > 1_000,
        "{what}: items were to collide, not {shared}"
    );

    let order = scrambled(0..ITEMS, capacity as u64);
    let (gone, kept) = order.split_at(order.len() * 6 / 10);
    let mut refused = 0;
    for (turn, item) in gone.iter().enumerate() {
        refused += usize::from(!filter.remove(item));
        if shrinking && turn % 100 == 0 {
            filter.shrink_to_fit();
        }
    }
    let lost = kept.iter().filter(|item| !filter.contains(item)).count();
    assert_eq!(lost, 0, "{what}: stored items were lost");
    assert_eq!(refused, 0, "{what}: removes of stored items failed");
    assert_eq!(filter.len(), kept.len(), "{what}");

    let (back, _) = gone.split_at(gone.len() / 4);
    for item in back {
        filter.insert(item).expect("memory");
        assert!(filter.contains(item), "{what}: an own item is missed");
    }
    let left: Vec<u64> = kept.iter().chain(back).copied().collect();
    assert_eq!(filter.len(), left.len(), "{what}");
    for item in scrambled(left, mix(1)) {
        assert!(filter.contains(&item), "{what}: a stored item was lost");
        assert!(
            filter.remove(&item),
            "{what}: a remove of a stored item failed"
        );
    }
    assert_empty(&filter, (0..ITEMS).map(|item| filter.hash_one(&item)));
    shrink(&filter, 1);
    free_what_is_parked(&mut filter);
    assert_eq!(
        filter.memory_usage(),
        start,
        "{what}: not as in the beginning"
    );
    assert_empty(&filter, (0..ITEMS).map(|item| filter.hash_one(&item)));
}

#[test]
fn nothing_is_lost_where_items_cannot_be_told_apart() {
    for (capacity, factor, at_least) in [(8, 2, 10), (100, 2, 6), (1_000, 2, 4)] {
        remove_and_put_back(capacity, factor, at_least, false);
    }
}

#[test]
fn nothing_is_lost_with_larger_steps() {
    for (capacity, factor, at_least) in [(8, 4, 5), (50, 16, 3), (8, 1 << 10, 2)] {
        remove_and_put_back(capacity, factor, at_least, false);
    }
}

#[test]
fn nothing_is_lost_while_it_shrinks() {
    for (capacity, factor) in [(8, 2), (100, 4)] {
        remove_and_put_back(capacity, factor, 4, true);
    }
}

/// The oldest go first: the segments are drained one after the other, and taken out without being asked for.
#[test]
fn segments_go_as_their_items_do() {
    let filter = crate::as_given(8);
    for item in 0..ITEMS {
        filter.insert_hash(mix(item)).expect("memory");
    }
    let (segments, slots) = (filter.segments(), filter.slots());
    for item in 0..ITEMS * 3 / 4 {
        assert!(filter.remove_hash(mix(item)), "a stored item");
    }
    shrink(&filter, segments / 2);
    assert!(filter.slots() < slots);
    assert!((ITEMS * 3 / 4..ITEMS).all(|item| filter.contains_hash(mix(item))));
    assert_eq!(filter.len() as u64, ITEMS - ITEMS * 3 / 4);
}

/// The largest segment goes too, as soon as nothing is in. What is parked is used again.
#[test]
fn an_empty_filter_begins_anew_as_often_as_one_likes() {
    let mut filter = short(8, 2);
    let (start, slots) = (filter.memory_usage(), filter.slots());
    let mut most = 0;
    for round in 0..20 {
        let items = round * 1_000..round * 1_000 + 700;
        for item in items.clone() {
            filter.insert(&item).expect("memory");
        }
        assert!(filter.segments() > 4, "round {round}: {filter:?}");
        for item in items {
            assert!(filter.remove(&item), "round {round}: a stored item");
        }
        shrink(&filter, 1);
        assert_eq!(
            filter.slots(),
            slots,
            "round {round}: the large segment stays"
        );
        // Other tests can delay what is taken out by a round or two.
        if round < 5 {
            most = filter.memory_usage().max(most);
        }
        assert!(
            filter.memory_usage() <= 2 * most,
            "round {round}: nothing is used again"
        );
    }
    free_what_is_parked(&mut filter);
    assert_eq!(filter.memory_usage(), start);
}

/// What is in while the filter is large stays where it is, and new items go on to find room.
#[test]
fn one_item_is_enough_to_stay() {
    let filter = short(8, 2);
    for item in 0..3_000u64 {
        filter.insert(&item).expect("memory");
    }
    for item in 1..3_000u64 {
        assert!(filter.remove(&item), "a stored item");
        assert!(filter.contains(&0u64), "the one that stays");
    }
    // The one that it is in, and the one that takes inserts.
    shrink(&filter, 2);
    assert!(filter.contains(&0u64), "the one that stays");
    for item in 1..3_000u64 {
        filter.insert(&item).expect("memory");
        assert!(filter.contains(&0u64), "the one that stays");
    }
    assert!(filter.remove(&0u64));
    assert_eq!(filter.len(), 2_999);
}
