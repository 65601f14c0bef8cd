//! Memory of a filter that doubles, which goes back to the system under those who were late.

use std::sync::Arc;
use std::thread;

use lockfree_cuckoo::testing::{Double, Relocate};
use model::mix;
use step_tests::{Led, at_each_step, bounded, overtaken};

use crate::doubling::{
    CHUNK, Doubling, double, filter_of, filter_of_two_tables, head, items, places,
};
use crate::run_what_is_deferred;

/// Large enough that most of the words of the next level are in whole pages.
const LEVEL: u32 = 11;

/// A place of that next level which is.
fn is_in_a_whole_page(place: u64) -> bool {
    (1024..3072).contains(&place)
}

/// Splits a bucket, of which the other half is where `late` puts an item: both are empty.
fn of_one_bucket() -> [u64; 2] {
    (1..64)
        .map(|number| [head(number), 1 << (64 - LEVEL) | head(number)])
        .find(|hashes| {
            hashes
                .iter()
                .all(|&hash| is_in_a_whole_page(places(hash, LEVEL + 1)[1]))
        })
        .expect("there is one")
}

/// A hop splits a bucket, and stands still at each access. Others end the split, and an insert stands still before its
/// exchange of a half of it. That level is split too, and given back. If the first one could still write to it, the
/// exchange of the second one would succeed in a word that nobody looks at any more.
#[test]
fn nobody_writes_to_what_was_given_back() {
    /// The exchange of an insert, after it has loaded its two words.
    const EXCHANGE: usize = 2;
    let [hopper, late] = of_one_bucket();
    assert_eq!(places(hopper, LEVEL)[1], places(late, LEVEL)[1]);
    assert_ne!(places(hopper, LEVEL + 1)[1], places(late, LEVEL + 1)[1]);
    // In the first bucket of `late`, so that it goes to the second.
    let filler = late ^ head(3) ^ head(1);
    let steps = at_each_step(|step| {
        let filter = filter_of(LEVEL - 1);
        double(&filter);
        filter.insert_hash(hopper).expect("room");
        filter.insert_hash(filler).expect("room");
        assert!(filter.begin_to_double());
        // Splits the first buckets of all three.
        filter.insert_hash(filler).expect("room");
        let reached = thread::scope(|scope| {
            let hop = Led::begin(scope, [step], || filter.relocate_hash(hopper));
            let reached = hop.has_stopped();
            filter.finish_doubling();
            let late = Led::begin(scope, [EXCHANGE], || filter.insert_hash(late));
            double(&filter);
            run_what_is_deferred();
            hop.finish();
            bounded(|| filter.contains_hash(hopper));
            late.finish().expect("room");
            reached
        });
        for (item, copies) in [(hopper, 1), (late, 1), (filler, 2)] {
            let there = bounded(|| filter.count_hash(item));
            assert_eq!(there, copies, "access {step}: an item was lost or made");
        }
        reached
    });
    println!("{steps} scenes: a late split, and a late insert in what was given back");
    assert!(steps > 30, "{steps} accesses");
}

/// One of which the word on the first side is given back with its page, in a table that begins at this level.
fn in_a_whole_page() -> (u64, u64) {
    items()
        .map(|item| (item, places(item, LEVEL)[0]))
        .find(|(_, place)| (512..1024).contains(place))
        .expect("endless")
}

/// Ends a growth, and gives back what it leaves.
fn grow(filter: &Doubling) {
    filter.finish_doubling();
    run_what_is_deferred();
}

/// A lookup that comes to a word of the first level stands still. Meanwhile the table doubles, and gives that level back.
/// Then what is absent there is not an empty bucket any more.
#[test]
fn a_lookup_passes_the_first_words_of_a_later_table() {
    let steps = at_each_step(|step| {
        // The words of the second are absent until somebody writes to them.
        let filter = filter_of_two_tables();
        let (item, place) = in_a_whole_page();
        filter.insert_hash(item).expect("memory");
        assert!(filter.begin_to_double());
        // Splits the first bucket of the item.
        for item in (1 << 40..).map(mix).take(place as usize / CHUNK + 1) {
            filter.insert_hash(item).expect("memory");
        }
        let filter = Arc::new(filter);
        let others: Arc<Doubling> = Arc::clone(&filter);
        let grow = move || grow(&others);
        let (seen, reached) = overtaken(step, grow, || filter.contains_hash(item));
        assert!(seen, "access {step}: a stored item was missed");
        reached
    });
    println!("{steps} scenes: a lookup in a later table that doubles");
    assert!(steps > 5, "{steps} accesses");
}

/// The same with an insert, which has found an absent word and stands still. If it wrote there when that word has been
/// given back, nobody would look there any more.
#[test]
fn an_insert_is_not_lost_in_the_first_words_of_a_later_table() {
    let steps = at_each_step(|step| {
        let filter = filter_of_two_tables();
        let (item, _) = in_a_whole_page();
        let filter = Arc::new(filter);
        let others: Arc<Doubling> = Arc::clone(&filter);
        let grow = move || {
            assert!(others.begin_to_double());
            grow(&others);
        };
        let (inserted, reached) = overtaken(step, grow, || filter.insert_hash(item));
        inserted.expect("memory");
        let there = bounded(|| filter.count_hash(item));
        assert_eq!(there, 1, "access {step}: an item was lost or made");
        reached
    });
    println!("{steps} scenes: an insert into a later table that doubles");
    assert!(steps > 5, "{steps} accesses");
}
