//! Admissions of one item in filters that double: of two that are told true, none may be overtaken by the other.

use std::thread;

use lockfree_cuckoo::testing::hooks::{Fate, stepping};
use lockfree_cuckoo::testing::{Double, Relocate};
use step_tests::{Led, at_each_step, bounded};

use crate::doubling::{Doubling, filter_at, filter_at_the_end, head};

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
        let (winners, reached) = thread::scope(|scope| {
            let early = Led::begin(scope, [step], || admit(&filter, X));
            let reached = early.has_stopped();
            assert!(filter.add_table());
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

/// A thread may make a few accesses more, or fewer, to get a descriptor.
const MORE: usize = 4;

/// The accesses of an admission in a filter with a neighbour of the item.
fn accesses(add: bool) -> usize {
    let filter = filter_at_the_end();
    filter.insert_hash(NEIGHBOUR).expect("room");
    if add {
        assert!(filter.add_table());
    }
    stepping(|_| Fate::Goes, || admit(&filter, X)).1
}

/// An admission in the only table stands still before it takes effect. Another table is added, and a rival comes there, which
/// finds nothing at first. Then the first one takes effect, and the rival asks the coarser table: between its two reads
/// there the token hops to the bucket that it has read. The three threads have begun before the table was added.
#[test]
fn of_two_that_add_an_item_in_two_tables_one_is_told_so_though_it_hops() {
    /// The accesses of an admission from where it asks other tables.
    const TO_THE_END: usize = 16;
    /// A hop has found its table, and not yet read its words.
    const HOP: usize = 1;
    let (early, late) = (accesses(false), accesses(true));
    let mut scenes = 0;
    for early_at in early - 8..early + MORE {
        for first in late - TO_THE_END..late + MORE {
            for second in first + 1..late + MORE {
                let filter = filter_at_the_end();
                // In the first bucket, so that the item goes to the second.
                filter.insert_hash(NEIGHBOUR).expect("room");
                let winners = thread::scope(|scope| {
                    let hop = Led::begin(scope, [HOP], || filter.relocate_hash(X));
                    let early = Led::begin(scope, [early_at], || admit(&filter, X));
                    assert!(hop.has_stopped(), "it has begun");
                    assert!(filter.add_table());
                    let mut late = Led::begin(scope, [first, second], || admit(&filter, X));
                    let early = early.finish();
                    late.go_on();
                    hop.finish();
                    [early, late.finish()]
                });
                let winners = winners.iter().filter(|&&told| told).count();
                assert_eq!(
                    winners, 1,
                    "accesses {early_at}, {first} and {second}: not exactly one was told true"
                );
                scenes += 1;
            }
        }
    }
    println!("{scenes} scenes: admissions in two tables, and a hop in the coarser one");
    assert!(scenes > 500, "{scenes} scenes");
}

/// An admission in the only table stands still before it freezes its word. Another table is added, and a rival is admitted
/// there. The first one goes on, and stands still again before it asks that table. Then the item comes to the word that it
/// has asked first, by an insert that has begun early, and that of the rival is removed. So the item has been in all the while.
#[test]
fn an_admission_does_not_go_on_in_a_table_that_is_not_the_finest_any_more() {
    /// The exchange of an insert, after it has loaded its two words.
    const EXCHANGE: usize = 2;
    let all = accesses(false) + MORE;
    let mut scenes = 0;
    for first in 0..all {
        for second in first + 1..all {
            let filter = filter_at_the_end();
            filter.insert_hash(NEIGHBOUR).expect("room");
            let (early, late) = thread::scope(|scope| {
                // Has read that the second bucket is emptier, and is about to add to it. For the admission both are empty.
                let insert = Led::begin(scope, [EXCHANGE], || filter.insert_hash(X));
                assert!(filter.remove_hash(NEIGHBOUR), "a stored item");
                let mut early = Led::begin(scope, [first, second], || admit(&filter, X));
                assert!(filter.add_table());
                let late = admit(&filter, X);
                early.go_on();
                insert.finish().expect("room");
                assert!(filter.remove_hash(X), "a stored item");
                (early.finish(), late)
            });
            assert!(
                early != late,
                "accesses {first} and {second}: not exactly one was told true"
            );
            assert_eq!(bounded(|| filter.count_hash(X)), 1);
            scenes += 1;
        }
    }
    println!("{scenes} scenes: an admission in a table that is not the finest any more");
    assert!(scenes > 200, "{scenes} scenes");
}
