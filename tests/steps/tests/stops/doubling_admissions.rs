//! Admissions of one item in filters that double: of two that are told true, none may be overtaken by the other.

use std::thread;

use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::testing::hooks::{Fate, stepping};
use step_tests::{Led, at_each_step, bounded};

use crate::doubling::{Doubling, add_table, filter_at, filter_at_the_end, head};

/// So large that its first bucket is split by the first insert, and its second one is not before many more.
const LEVEL: u32 = 8;
const X: u64 = head(5);
/// Has the first bucket of `X`, and another second one.
const NEIGHBOUR: u64 = head(6);

fn admit(filter: &Doubling, hash: u64) -> bool {
    filter.insert_unique_hash(hash).expect("room")
}

/// The last accesses of an admission: those that come before split words, if the table grows.
const LAST: usize = 26;

/// One admission is about to freeze the first bucket of the item, and for the other one the second is emptier. Each stands
/// still at each access.
fn of_two_one_wins(name: &str, growing: bool) {
    let begin = || {
        let filter = filter_at(LEVEL);
        if growing {
            assert!(filter.begin_to_double());
            // Into other buckets.
            filter.insert_hash(1 << 63 | head(9)).expect("room");
        }
        filter
    };
    let all = {
        let filter = begin();
        stepping(|_| Fate::Goes, || admit(&filter, X)).1
    };
    let (from, to) = (all.saturating_sub(LAST), all + 4);
    let mut scenes = 0;
    at_each_step(|early_at| {
        let mut early_stops = false;
        for first in from..to {
            let mut stops = 0;
            for second in first + 1..to {
                let filter = begin();
                scenes += 1;
                let winners = thread::scope(|scope| {
                    let mut late = Led::begin(scope, [first, second], || admit(&filter, X));
                    stops = usize::from(late.has_stopped());
                    filter.insert_hash(NEIGHBOUR).expect("room");
                    let early = Led::begin(scope, [from + early_at], || admit(&filter, X));
                    early_stops |= early.has_stopped();
                    assert!(filter.remove_hash(NEIGHBOUR), "a stored item");
                    stops += usize::from(late.go_on());
                    [early.finish(), late.finish()]
                });
                let winners = winners.iter().filter(|&&told| told).count();
                assert_eq!(
                    winners, 1,
                    "{name}, accesses {early_at}, {first} and {second}: not exactly one was told true"
                );
                assert_eq!(bounded(|| filter.count_hash(X)), 1);
                if stops < 2 {
                    break;
                }
            }
            if stops < 1 {
                break;
            }
        }
        early_stops && from + early_at < to
    });
    println!("{scenes} scenes: two admissions, {name}");
    assert!(scenes > 1_000, "{scenes} scenes");
}

#[test]
fn of_two_that_add_an_item_one_is_told_so() {
    of_two_one_wins("at rest", false);
}

#[test]
fn of_two_that_add_an_item_over_two_levels_one_is_told_so() {
    of_two_one_wins("in a growth", true);
}

/// An admission in the only table stands still, and another table is added, in which a rival comes.
#[test]
fn of_two_that_add_an_item_in_two_tables_one_is_told_so() {
    let steps = at_each_step(|step| {
        let filter = filter_at_the_end();
        assert!(!filter.contains_hash(X));
        let (winners, reached) = thread::scope(|scope| {
            let early = Led::begin(scope, [step], || admit(&filter, X));
            let reached = early.has_stopped();
            add_table(&filter);
            let late = admit(&filter, X);
            ([early.finish(), late], reached)
        });
        let winners = winners.iter().filter(|&&told| told).count();
        assert_eq!(winners, 1, "access {step}: not exactly one was told true");
        assert_eq!(bounded(|| filter.count_hash(X)), 1, "access {step}");
        reached
    });
    println!("{steps} scenes: admissions in two tables");
    assert!(steps > 10, "{steps} accesses");
}
