//! Growths of a table that doubles: each comes to its end, whoever is late.

use std::sync::OnceLock;

use lockfree_cuckoo::testing::hooks::Event;
use lockfree_cuckoo::testing::{Double, Relocate};
use shuttle_tests::explore::explore_with_epochs;
use shuttle_tests::threads::{choice, together};

use crate::doubling::{Filter, double, filter, item};

/// Words that an insert splits while the table grows.
const CHUNK: usize = 16;

/// The level that a table of two buckets can come to.
const LAST: u32 = 11;

/// Some begin a growth while others end it and begin the next.
#[test]
fn a_growth_ends_however_late_others_begin_it() {
    let needed = [Event::Growth, Event::Split];
    explore_with_epochs("growths that several begin and end", 6_000, &needed, || {
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
    let needed = [Event::Growth, Event::Split, Event::Hop];
    explore_with_epochs("ten doublings", 120, &needed, || {
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
        assert!(!filter.begin_to_double(), "the last level");
        assert_eq!(filter.count_hash(rider), 1, "a rider was lost");
        assert_eq!(filter.len(), 1, "not conserved");
    });
}

/// A table that cannot double any more, as full as it must be before another one is added; and items that have two buckets
/// in common, in which there is no room left.
fn full() -> Filter {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    let bytes = BYTES.get_or_init(|| {
        let mut filter = filter();
        // Else it begins anew.
        filter.insert_hash(item(7, 64)).expect("room");
        while filter.begin_to_double() {
            filter.finish_doubling();
        }
        for number in 0..8 {
            filter.insert_hash(crowd(number)).expect("room");
        }
        for number in 0..(1 << LAST) / 2_u64 {
            filter
                .insert_hash(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) & !(0x3f << 10) | 9 << 10)
                .expect("room");
        }
        assert_eq!(filter.tables(), 1);
        filter.to_bytes()
    });
    Filter::from_bytes(bytes).expect("sound")
}

/// Of one head, and two buckets at the last level. What distinguishes them is in their tails.
fn crowd(number: u64) -> u64 {
    number << 45 | 1 << 10
}

/// Threads find at the same time that the table is full for ever.
#[test]
fn of_several_that_add_a_table_one_does() {
    let needed = [Event::Growth, Event::Vain];
    explore_with_epochs("tables that are added", 100, &needed, || {
        let filter = full();
        let won = together(3, |number| {
            let own = crowd(8 + number as u64);
            filter.insert_hash(own).expect("memory");
            assert!(filter.contains_hash(own), "an own item was missed");
            assert!(filter.remove_hash(own), "an own item was lost");
            filter.insert_hash(own).expect("memory");
            let unique = filter.insert_unique_hash(crowd(20)).expect("memory");
            assert!(
                filter.contains_hash(crowd(choice(8) as u64)),
                "an item was missed"
            );
            usize::from(unique)
        });
        assert_eq!(filter.tables(), 2, "two tables were added");
        assert_eq!(
            won.iter().sum::<usize>(),
            1,
            "not exactly one was told true"
        );
        for number in (0..11).chain([20]) {
            assert!(filter.remove_hash(crowd(number)), "an item was lost");
        }
    });
}
