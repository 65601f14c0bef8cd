//! Admissions of one item in filters that double: of two that are told true, none may be overtaken by the other.

use std::thread;

use lockfree_cuckoo::testing::{Double, Relocate};
use step_tests::{
    Led, Playing, accesses, assert_counts, at_all_steps, at_each_step, overtaken, tell,
};

use crate::doubling::{Doubling, filter_at, filter_at_the_end, head};

const X: u64 = head(5);
/// Has the first bucket of `X`, and another second one.
const NEIGHBOUR: u64 = head(6);

/// A thread may make a few accesses more, or fewer, to get a descriptor.
const MORE: usize = 4;

fn admit(filter: &Doubling) -> bool {
    filter.insert_unique_hash(X).expect("room")
}

fn one_was_told(filter: &Doubling, told: [bool; 2]) {
    assert!(told[0] != told[1], "not exactly one was told true");
    assert_counts(filter, [(X, 1)]);
}

/// One admission is about to freeze the first bucket of the item, and for the other one the second is emptier. Each stands
/// still at each access of the last ones: those that come before split words, if the table grows.
fn of_two_one_wins(name: &str, growing: bool) {
    const LAST: usize = 26;
    let begin = || {
        // So large that its first bucket is split by the first insert, and its second one is not before many more.
        let filter = filter_at(8);
        if growing {
            assert!(filter.begin_to_double());
            // Into other buckets.
            filter.insert_hash(1 << 63 | head(9)).expect("room");
        }
        filter
    };
    let all = {
        let filter = begin();
        accesses(|| admit(&filter))
    };
    let (from, to) = (all.saturating_sub(LAST), all + MORE);
    at_all_steps(name, 1_000, |[early_at, late_at, more]| {
        let (early_at, first) = (from + early_at, from + late_at);
        let second = first + 1 + more;
        let filter = begin();
        let (told, reached) = thread::scope(|scope| {
            let mut late = Led::begin(scope, [first, second], || admit(&filter));
            let late_stops = late.has_stopped() && first < to;
            filter.insert_hash(NEIGHBOUR).expect("room");
            let early = Led::begin(scope, [early_at], || admit(&filter));
            let early_stops = early.has_stopped() && early_at < to;
            assert!(filter.remove_hash(NEIGHBOUR), "a stored item");
            let goes_on = late.go_on() && second < to;
            let told = [early.finish(), late.finish()];
            (told, [early_stops, late_stops, goes_on])
        });
        one_was_told(&filter, told);
        reached
    });
}

#[test]
fn of_two_that_add_an_item_one_is_told_so() {
    of_two_one_wins("two admissions, at rest", false);
    of_two_one_wins("two admissions, in a growth", true);
}

/// An admission in the only table stands still, and another table is added, in which a rival comes.
#[test]
fn of_two_that_add_an_item_in_two_tables_one_is_told_so() {
    at_each_step("admissions in two tables", 10, |step| {
        let filter = filter_at_the_end();
        let mut late = false;
        let add_and_admit = || {
            assert!(filter.add_table());
            late = admit(&filter);
        };
        let (early, reached) = overtaken(step, add_and_admit, || admit(&filter));
        one_was_told(&filter, [early, late]);
        reached
    });
}

/// With a neighbour in its first bucket, so that the item goes to the second.
fn with_neighbour() -> Doubling {
    let filter = filter_at_the_end();
    filter.insert_hash(NEIGHBOUR).expect("room");
    filter
}

/// The accesses of an admission there.
fn accesses_of_an_admission(add: bool) -> usize {
    let filter = with_neighbour();
    assert!(!add || filter.add_table());
    accesses(|| admit(&filter))
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
    let [early, late] = [false, true].map(accesses_of_an_admission);
    let mut scenes = 0;
    for early_at in early - 8..early + MORE {
        for first in late - TO_THE_END..late + MORE {
            for second in first + 1..late + MORE {
                let _playing = Playing(format!("accesses {early_at}, {first} and {second}"));
                let filter = with_neighbour();
                let told = thread::scope(|scope| {
                    let hop = Led::begin(scope, [HOP], || filter.relocate_hash(X));
                    let early = Led::begin(scope, [early_at], || admit(&filter));
                    assert!(hop.has_stopped(), "it has begun");
                    assert!(filter.add_table());
                    let mut late = Led::begin(scope, [first, second], || admit(&filter));
                    let early = early.finish();
                    late.go_on();
                    hop.finish();
                    [early, late.finish()]
                });
                one_was_told(&filter, told);
                scenes += 1;
            }
        }
    }
    tell(
        "admissions in two tables, and a hop in the coarser one",
        scenes,
        500,
    );
}

/// An admission in the only table stands still before it freezes its word. Another table is added, and a rival is admitted
/// there. The first one goes on, and stands still again before it asks that table. Then the item comes to the word that it
/// has asked first, by an insert that has begun early, and that of the rival is removed. So the item has been in all the while.
#[test]
fn an_admission_does_not_go_on_in_a_table_that_is_not_the_finest_any_more() {
    /// The exchange of an insert, after it has loaded its two words.
    const EXCHANGE: usize = 2;
    let all = accesses_of_an_admission(false) + MORE;
    let pairs = (0..all).flat_map(|first| (first + 1..all).map(move |second| [first, second]));
    for stops in pairs.clone() {
        let _playing = Playing(format!("accesses {stops:?}"));
        let filter = with_neighbour();
        let told = thread::scope(|scope| {
            // Has read that the second bucket is emptier, and is about to add to it. For the admission both are empty.
            let insert = Led::begin(scope, [EXCHANGE], || filter.insert_hash(X));
            assert!(filter.remove_hash(NEIGHBOUR), "a stored item");
            let mut early = Led::begin(scope, stops, || admit(&filter));
            assert!(filter.add_table());
            let late = admit(&filter);
            early.go_on();
            insert.finish().expect("room");
            assert!(filter.remove_hash(X), "a stored item");
            [early.finish(), late]
        });
        one_was_told(&filter, told);
    }
    let name = "an admission in a table that is not the finest any more";
    tell(name, pairs.count(), 200);
}
