//! Filters that grow and shrink.

use lockfree_cuckoo::Growing;
use lockfree_cuckoo::testing::AddSegment;
use lockfree_cuckoo::testing::hooks::Event;
use shuttle_tests::explore::explore_with_epochs;
use shuttle_tests::threads::{choice, together};

type Filter = lockfree_cuckoo::Filter<Growing>;

/// A filter whose first segment has two buckets.
fn filter() -> Filter {
    let filter = Filter::builder().capacity(8).seed(0).build();
    filter.expect("a valid size")
}

/// The sizes that a segment may be added in: the first one again, twice as large, four times.
const SIZES: [usize; 3] = [2, 4, 8];

/// Items with one fingerprint, each of a class of its own in eight buckets, of four classes or fewer in four, and of
/// one class in two.
fn item(number: usize) -> u64 {
    (number as u64 % 8) << 61 | 0x1111
}

/// What is removed is taken from where no other item needs it, however the list changes. Two owners have an item
/// each that is the same.
#[test]
fn owners_keep_what_they_have() {
    let needed = [Event::Growth, Event::Rewalk, Event::Twin];
    explore_with_epochs("owners in a filter that grows", 12_000, &needed, || {
        let filter = filter();
        together(5, |number| {
            if number == 4 {
                for _ in 0..4 {
                    filter.add_segment(SIZES[choice(3)]);
                }
                return;
            }
            for _ in 0..3 {
                filter.insert_hash(item(number / 2)).expect("room");
                assert!(
                    filter.contains_hash(item(number / 2)),
                    "an own item was missed"
                );
                assert!(
                    filter.count_hash(item(number / 2)) > 0,
                    "an own item was missed"
                );
                filter.insert_hash(item(number / 2)).expect("room");
                assert!(
                    filter.remove_hash(item(number / 2)),
                    "an own item was not removed"
                );
                assert!(
                    filter.contains_hash(item(number / 2)),
                    "an own item was taken"
                );
                assert!(
                    filter.remove_hash(item(number / 2)),
                    "an own item was not removed"
                );
            }
        });
        assert_eq!(filter.len(), 0, "not conserved");
        assert!(
            (0..8).all(|number| !filter.contains_hash(item(number))),
            "something is left"
        );
    });
}

/// Each copy goes to a coarser segment than the one before, and the one before is removed.
#[test]
fn a_class_that_is_never_empty_is_never_missed() {
    let needed = [Event::Growth, Event::Rewalk];
    explore_with_epochs(
        "copies that go to coarser segments",
        12_000,
        &needed,
        || {
            let filter = filter();
            filter.add_segment(8);
            filter.insert_hash(item(0)).expect("room");
            together(3, |number| {
                if number == 0 {
                    for size in [4, 2, 2] {
                        filter.add_segment(size);
                        filter.insert_hash(item(0)).expect("room");
                        assert!(filter.remove_hash(item(0)), "an own item was not removed");
                    }
                    return;
                }
                for _ in 0..4 {
                    assert!(filter.contains_hash(item(0)), "the class was never empty");
                    assert!(filter.count_hash(item(0)) > 0, "the class was never empty");
                }
            });
            assert_eq!(filter.count_hash(item(0)), 1, "not conserved");
        },
    );
}

/// Some race for an absent item, others want the same words for other items, and the list changes.
#[test]
fn exactly_one_is_told_true_while_the_filter_grows() {
    let needed = [Event::Growth, Event::Rejected, Event::Help, Event::Rewalk];
    explore_with_epochs(
        "an absent item in a filter that grows",
        30_000,
        &needed,
        || {
            let filter = filter();
            let winners = together(5, |number| {
                match number {
                    // Another fingerprint, the same buckets or their neighbours.
                    3 => {
                        for turn in 1..4 {
                            filter.insert_hash(item(0) + turn).expect("room");
                        }
                    }
                    4 => {
                        for _ in 0..2 {
                            filter.add_segment(SIZES[choice(3)]);
                        }
                    }
                    _ => {
                        let won = filter.insert_unique_hash(item(0)).expect("room");
                        filter.insert_hash(item(0) + 4).expect("room");
                        return usize::from(won);
                    }
                }
                0
            });
            assert_eq!(
                winners.iter().sum::<usize>(),
                1,
                "not exactly one was told true"
            );
            assert_eq!(filter.count_hash(item(0)), 1, "not exactly one is in");
            assert_eq!(filter.len(), 7, "not conserved");
        },
    );
}

/// Segments go while others read and remove, and come while others insert.
#[test]
fn nothing_is_lost_with_a_segment() {
    let needed = [Event::Growth, Event::Unlink];
    explore_with_epochs("a filter that shrinks", 6_000, &needed, || {
        let filter = filter();
        together(4, |number| {
            for _ in 0..2 {
                if number == 3 {
                    filter.add_segment(SIZES[choice(3)]);
                    filter.shrink_to_fit();
                    continue;
                }
                filter.insert_hash(item(number)).expect("room");
                assert!(filter.contains_hash(item(number)), "an own item was missed");
                assert!(
                    filter.remove_hash(item(number)),
                    "an own item was not removed"
                );
            }
        });
        assert_eq!(filter.len(), 0, "not conserved");
        filter.insert_hash(item(0)).expect("room");
        filter.add_segment(8);
        filter.shrink_to_fit();
        assert!(filter.contains_hash(item(0)), "an own item was missed");
    });
}
