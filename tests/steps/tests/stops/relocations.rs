//! Relocations that meet.

use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo::testing::{Descriptors, Relocate};
use std::sync::Arc;
use std::thread;

use step_tests::{Led, at_each_step, overtaken};

use crate::hash;

/// A hop has claimed its thread's own descriptor and read both words, and has not frozen any.
const HAS_READ: usize = 4;

/// So many that each thread has its own, whatever its number.
fn with_descriptors_for_all(buckets: usize) -> CuckooFilter {
    let builder = CuckooFilter::builder().seed(1).buckets(buckets);
    builder.descriptors(256).build().expect("memory")
}

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
            let filter = with_descriptors_for_all(2);
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

/// A call within a call, as a hook or a signal handler makes it: of two hops over other words, neither disturbs the other,
/// though one thread makes both.
#[test]
fn a_hop_within_a_hop_has_another_descriptor() {
    let [around, within] = [hash(2, 0, 100), hash(2, 1, 100)];
    let steps = at_each_step(|step| {
        let filter = Arc::new(with_descriptors_for_all(4));
        filter.insert_hash(around).expect("room");
        filter.insert_hash(within).expect("room");
        let same = Arc::clone(&filter);
        let hop = move || assert!(same.relocate_hash(within), "access {step}: within");
        let (hopped, reached) = overtaken(step, hop, || filter.relocate_hash(around));
        assert!(hopped, "access {step}: a hop was disturbed from within");
        assert_eq!(
            [around, within].map(|token| filter.count_hash(token)),
            [1, 1]
        );
        reached
    });
    println!("{steps} scenes: a hop within a hop");
    assert!(steps > 12, "{steps} accesses");
}
