//! Relocations that meet.

use lockfree_cuckoo::testing::Relocate;
use std::thread;

use step_tests::{Led, at_each_step};

use crate::{hash, table};

/// A hop has claimed its descriptor and read both words, and has not frozen any.
const HAS_READ: usize = 3;

/// Two tokens change places, and both hops have read the words before either freezes one. Both freeze the lower word
/// first, so wherever they stop then, one of them gets both words.
#[test]
fn of_two_hops_over_the_same_words_one_succeeds() {
    let [up, down] = [hash(1, 0, 100), hash(1, 1, 200)];
    let mut scenes = 0;
    at_each_step(|first| {
        let mut first_stops = false;
        at_each_step(|second| {
            let [first, second] = [first, second].map(|step| HAS_READ + 1 + step);
            let filter = table(2, 256);
            filter.insert_hash(up).expect("room");
            filter.insert_hash(down).expect("room");
            let (hops, second_stops) = thread::scope(|scope| {
                let mut one = Led::begin(scope, [HAS_READ, first], || filter.relocate_hash(up));
                let mut other =
                    Led::begin(scope, [HAS_READ, second], || filter.relocate_hash(down));
                first_stops |= one.go_on();
                let second_stops = other.go_on();
                ([one.finish(), other.finish()], second_stops)
            });
            scenes += 1;
            assert!(
                hops.contains(&true),
                "accesses {first} and {second}: both hops failed"
            );
            assert_eq!([up, down].map(|token| filter.count_hash(token)), [1, 1]);
            second_stops
        });
        first_stops
    });
    println!("{scenes} scenes: two hops over the same words");
    assert!(scenes > 20, "{scenes} scenes");
}
