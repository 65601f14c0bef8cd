//! Growths of a table that doubles: each comes to its end, whoever is late.

use lockfree_cuckoo::testing::hooks::Event::{Growth, Hop, Split};
use lockfree_cuckoo::testing::{Double, Relocate};
use shuttle_tests::{explore, together};

use crate::doubling::{double, filter, item};

/// Words that an insert splits while the table grows.
const CHUNK: usize = 16;

/// The level that a table of two buckets can come to.
const LAST: u32 = 11;

/// Some begin a growth while others end it and begin the next.
#[test]
fn a_growth_ends_however_late_others_begin_it() {
    let needed = [Growth, Split];
    explore(6_000, &needed, || {
        let filter = filter();
        filter.insert_hash(item(0, 1)).expect("room");
        together(3, |number| {
            for turn in 0..3 {
                filter.begin_to_double();
                filter
                    .insert_hash(item(3 * number + turn, 9))
                    .expect("room");
            }
        });
        let words = filter.slots() / 4;
        for _ in 0..words.div_ceil(CHUNK) + 1 {
            filter.insert_hash(item(1, 64)).expect("room");
            assert!(filter.remove_hash(item(1, 64)), "an item was lost");
        }
        assert_eq!(filter.doubled(), None, "the growth goes on");
        for number in 0..9 {
            assert!(filter.remove_hash(item(number, 9)), "an item was lost");
        }
        assert!(filter.remove_hash(item(0, 1)), "an item was lost");
        assert_eq!(filter.len(), 0, "not conserved");
    });
}

/// From two buckets to the last level.
#[test]
fn nothing_is_lost_in_ten_doublings() {
    let needed = [Growth, Split, Hop];
    explore(120, &needed, || {
        let filter = filter();
        let rider = item(0, 1);
        filter.insert_hash(rider).expect("room");
        together(4, |number| {
            let own = item(number, 4);
            for _ in 0..5 {
                filter.insert_hash(own).expect("room");
                filter.begin_to_double();
                filter.relocate_hash(own);
                assert!(filter.contains_hash(rider), "a rider was missed");
                assert!(filter.contains_hash(own), "an own item was missed");
                if number < 2 {
                    double(&filter);
                }
                assert!(filter.remove_hash(own), "an own item was lost");
            }
        });
        while filter.slots() < 4 << LAST {
            double(&filter);
        }
        // The last growth may have been begun by a thread that has not ended it.
        while !filter.finish_doubling() {}
        assert!(!filter.begin_to_double(), "the last level");
        assert_eq!(filter.count_hash(rider), 1, "a rider was lost");
        assert_eq!(filter.len(), 1, "not conserved");
    });
}
