//! Filters that double, are emptied, and begin anew.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::testing::hooks::Event;
use shuttle_tests::explore::explore_with_epochs;
use shuttle_tests::threads::{choice, together};

use crate::doubling::{Filter, double, filter, item};

/// One that has doubled, and is empty.
fn emptied() -> Filter {
    let filter = filter();
    filter.insert_hash(item(0, 1)).expect("room");
    double(&filter);
    assert!(filter.remove_hash(item(0, 1)), "a stored item");
    assert_eq!((filter.slots(), filter.len()), (16, 0));
    filter
}

/// Owners, while others close the tables that they use, and double those that come next.
#[test]
fn owners_keep_what_they_have_while_the_filter_begins_anew() {
    let begun_anew = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&begun_anew);
    explore_with_epochs(
        "owners in a filter that begins anew",
        8_000,
        &[Event::Split],
        move || {
            let filter = emptied();
            together(4, |number| {
                for _ in 0..3 {
                    if number > 1 {
                        filter.shrink_to_fit();
                        if filter.slots() == 8 {
                            count.fetch_add(1, Ordering::Relaxed);
                        }
                        if choice(2) == 0 {
                            filter.begin_to_double();
                        }
                        continue;
                    }
                    let own = item(number, 2);
                    if choice(2) == 0 {
                        filter.insert_hash(own).expect("room");
                    } else {
                        assert_eq!(filter.insert_unique_hash(own), Ok(true), "it was absent");
                    }
                    assert!(filter.contains_hash(own), "an own item was missed");
                    assert_eq!(filter.count_hash(own), 1, "an own item was miscounted");
                    assert!(filter.remove_hash(own), "an own item was lost");
                }
            });
            assert_eq!(filter.len(), 0, "not conserved");
            filter.insert_hash(item(0, 1)).expect("room");
            assert!(filter.contains_hash(item(0, 1)), "an item was missed");
        },
    );
    assert!(begun_anew.load(Ordering::Relaxed) > 0, "none began anew");
}

/// Of two that add an absent item one may be in the tables that are closed, and the other in those after them.
#[test]
fn exactly_one_is_told_true_while_the_filter_begins_anew() {
    explore_with_epochs(
        "an absent item in a filter that begins anew",
        10_000,
        &[Event::Split],
        || {
            let filter = emptied();
            let absent = item(0, 1);
            let won = together(4, |number| {
                if number > 1 {
                    filter.shrink_to_fit();
                    return 0;
                }
                if choice(2) == 0 {
                    filter.shrink_to_fit();
                }
                usize::from(filter.insert_unique_hash(absent).expect("room"))
            });
            assert_eq!(
                won.iter().sum::<usize>(),
                1,
                "not exactly one was told true"
            );
            assert_eq!(filter.count_hash(absent), 1, "not exactly one is in");
            assert!(filter.remove_hash(absent), "a stored item");
            assert_eq!(filter.len(), 0, "not conserved");
        },
    );
}
