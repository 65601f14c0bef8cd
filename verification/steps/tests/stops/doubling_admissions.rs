//! Admissions of one item in filters that double: if two succeed, a remove must have come between.

use std::thread;

use lockfree_cuckoo::InsertError;
use lockfree_cuckoo::testing::Internals;
use step_tests::{
    Led, Playing, accesses, assert_counts, at_all_steps, at_each_step, at_each_two_steps, fill,
    overtaken, tell,
};

use crate::doubling::{Doubling, double, filter, filter_at, filter_at_the_end, head};

const X: u64 = head(5);
/// Has the same first bucket as `X`, and another second one.
const NEIGHBOUR: u64 = head(6);

/// The tolerance for accesses to get a descriptor, whose number varies.
const MORE: usize = 4;

fn admit(filter: &Doubling) -> bool {
    filter.insert_unique_hash(X).expect("room")
}

fn one_was_told(filter: &Doubling, told: [bool; 2]) {
    assert!(told[0] != told[1], "not exactly one was told true");
    assert_counts(filter, [(X, 1)]);
}

/// Checks that one of two admissions succeeds. The first is about to freeze the first bucket of the
/// item. For the second one the other bucket is emptier. Each stops at each of its last accesses
/// before it does its share of a growth.
fn of_two_one_wins(name: &str, growing: bool) {
    const LAST: usize = 26;
    /// The accesses that an admission needs besides while the table grows.
    const IN_A_GROWTH: usize = 6;
    let begin = |growing| {
        // Large enough that the first insert splits the first bucket, and that the second bucket is
        // split many inserts later.
        let filter = filter_at(8);
        if growing {
            assert!(filter.begin_to_double());
            // Into other buckets.
            filter.insert_hash(1 << 63 | head(9)).expect("room");
        }
        filter
    };
    let all = {
        let filter = begin(false);
        accesses(|| admit(&filter))
    };
    let more = if growing { IN_A_GROWTH } else { 0 };
    let (from, to) = (all.saturating_sub(LAST), all + more + MORE);
    at_all_steps(name, 1_000, |[early_at, late_at, more]| {
        let (early_at, first) = (from + early_at, from + late_at);
        let second = first + 1 + more;
        let filter = begin(growing);
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
fn one_of_two_admissions_succeeds() {
    of_two_one_wins("two admissions, at rest", false);
    of_two_one_wins("two admissions, in a growth", true);
}

/// An admission sees a token that comes in a growth after its first look, though its bucket stays
/// the emptier one.
#[test]
fn token_in_the_emptier_bucket() {
    at_each_step("two admissions in a growth, and neighbours", 20, |step| {
        let filter = filter_at(6);
        // Two in the item's first bucket, and one in neither of its buckets.
        fill(&filter, [NEIGHBOUR, head(7), head(7)]);
        assert!(filter.begin_to_double());
        let mut early = false;
        let overtake = || early = admit(&filter);
        let (late, reached) = overtaken(step, overtake, || admit(&filter));
        one_was_told(&filter, [early, late]);
        reached
    });
}

/// One of two admissions in two tables succeeds. An admission in the only table stops, another
/// table is added, and a rival admission goes there.
#[test]
fn two_tables() {
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

/// Returns a table with a neighbour in the item's first bucket, so that the item goes to the
/// second.
fn with_neighbour() -> Doubling {
    let filter = filter_at_the_end();
    filter.insert_hash(NEIGHBOUR).expect("room");
    filter
}

/// Returns the number of accesses of an admission there.
fn accesses_of_an_admission(add: bool) -> usize {
    let filter = with_neighbour();
    assert!(!add || filter.add_table());
    accesses(|| admit(&filter))
}

/// One of two admissions in two tables succeeds despite a hop. An admission in the only table stops
/// before it takes effect. Another table is added, and a rival goes there, which finds no equal
/// token at first. Then the first admission takes effect, and the rival checks the coarser table:
/// between its two reads there the token hops to the bucket already read. All three threads have
/// begun before the table was added.
#[test]
fn two_tables_and_a_hop() {
    /// The accesses of an admission from its check of other tables on.
    const TO_THE_END: usize = 16;
    /// A hop has found its table, and has not read its words.
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

/// An admission ends when a finer table is added. An admission in the only table stops before it
/// freezes its word. Another table is added, and a rival is admitted there. The first one goes on,
/// and stops again before it checks that table. Then an insert that has begun early puts the item
/// into the witness already read, and the rival's copy is removed. So the item has been stored all
/// the time.
#[test]
fn finer_table_is_added() {
    /// The exchange of an insert, after it has loaded its two words.
    const EXCHANGE: usize = 2;
    let all = accesses_of_an_admission(false) + MORE;
    let pairs = (0..all).flat_map(|first| (first + 1..all).map(move |second| [first, second]));
    for stops in pairs.clone() {
        let _playing = Playing(format!("accesses {stops:?}"));
        let filter = with_neighbour();
        let told = thread::scope(|scope| {
            // This insert has read that the second bucket is emptier, and is about to add to it.
            // The admission sees both empty.
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

/// An admission sees a shorter token that hops to its witness. An admission stops when it has found
/// no equal token. Then a shorter token arrives, of another item, that covers the item after two
/// doublings. It is in the bucket that the admission has yet to read, and hops to the one already
/// read.
#[test]
fn shorter_token_hops() {
    /// Differs from `X` in a bit that the smallest table does not use.
    const LONGER: u64 = 1 << 53 | X;
    at_each_two_steps(
        "an admission, and a shorter token that hops",
        50,
        |[first, more]| {
            let filter = filter();
            let mut others_only = false;
            let (told, reached) = thread::scope(|scope| {
                let mut admission = Led::begin(scope, [first, first + 1 + more], || {
                    filter.insert_unique_hash(LONGER).expect("room")
                });
                let first_stops = admission.has_stopped();
                filter.insert_hash(X).expect("room");
                assert!(filter.relocate_hash(X), "no thread is in the way");
                // Makes the second bucket the emptier one after `X` has left it.
                filter.insert_hash(NEIGHBOUR).expect("room");
                double(&filter);
                double(&filter);
                if filter.count_hash(LONGER) == 1 {
                    others_only = true;
                }
                let second_stops = admission.go_on();
                filter.relocate_hash(X);
                (admission.finish(), (first_stops, second_stops))
            });
            // With only the other token stored, the admission cannot be ordered before it.
            assert!(!(told && others_only), "told true, though it was in");
            reached
        },
    );
}

/// An admission in a coarser table is decided by its owner. An admission in the only table stops.
/// Another table is added, and a rival is admitted there. The first one freezes its word and stops
/// again. Others find that word frozen, but do not know that the other table must still be checked.
#[test]
fn owner_decides() {
    at_each_two_steps(
        "admissions in two tables, and others who meet one",
        50,
        |[first, more]| {
            let filter = with_neighbour();
            let (told, reached) = thread::scope(|scope| {
                let mut early = Led::begin(scope, [first, first + 1 + more], || admit(&filter));
                let first_stops = early.has_stopped();
                assert!(filter.add_table());
                let late = admit(&filter);
                let second_stops = early.go_on();
                // The count settles words as a writer does.
                let _ = filter.count_hash(X);
                ([early.finish(), late], (first_stops, second_stops))
            });
            one_was_told(&filter, told);
            reached
        },
    );
}

/// Copies that fill both buckets of an item do not refuse it: it is there. (It may be refused
/// because it was absent when the call began, and found no room.)
#[test]
fn pair_full_of_copies() {
    at_each_step("an admission, and copies in a full pair", 10, |step| {
        let filter = filter();
        let others: Vec<u64> = (0..8).map(|n| head(10 + n)).collect();
        fill(&filter, &others);
        let replace = || {
            for &other in &others {
                filter.remove_hash(other);
            }
            // Once the item is in, there is no room for all.
            for _ in 0..8 {
                let _ = filter.insert_hash(X);
            }
        };
        let (told, reached) = overtaken(step, replace, || filter.insert_unique_hash(X));
        let of_copies = matches!(told, Err(InsertError::TooManyCopies { .. }));
        assert!(!of_copies, "refused, though it is in");
        reached
    });
}
