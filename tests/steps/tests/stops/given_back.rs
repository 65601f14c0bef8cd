//! Memory of a filter that doubles, which goes back to the system under those who were late.

use std::thread;

use lockfree_cuckoo::testing::{Double, Relocate};
use model::mix;
use step_tests::{Led, assert_counts, at_each_step, bounded, fill, overtaken};

use crate::doubling::{CHUNK, Doubling, double, filter_at_the_end, filter_of, head, items, places};

/// Large enough that most of the words of the next level are in whole pages.
const LEVEL: u32 = 11;

/// Lets what is deferred run, unless somebody is pinned: so that it is no access of a thread that is to stop.
fn run_what_is_deferred() {
    (0..16).for_each(|_| crossbeam_epoch::pin().flush());
}

/// Splits a bucket, of which the other half is where `late` puts an item: both are empty, and in whole pages of the next
/// level.
fn of_one_bucket() -> [u64; 2] {
    let is_in_a_whole_page = |&hash: &u64| (1024..3072).contains(&places(hash, LEVEL + 1)[1]);
    (1..64)
        .map(|number| [head(number), 1 << (64 - LEVEL) | head(number)])
        .find(|hashes| hashes.iter().all(is_in_a_whole_page))
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
    at_each_step(
        "a late split, and a late insert in what was given back",
        30,
        |step| {
            let filter = filter_of(LEVEL - 1);
            double(&filter);
            fill(&filter, [hopper, filler]);
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
            assert_counts(&filter, [(hopper, 1), (late, 1), (filler, 2)]);
            reached
        },
    );
}

/// With two tables, both of which are empty: the words of the second are absent until somebody writes to them.
fn filter_of_two_tables() -> Doubling {
    let filter = filter_at_the_end();
    assert!(filter.add_table());
    filter
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
    at_each_step("a lookup in a later table that doubles", 5, |step| {
        let filter = filter_of_two_tables();
        let (item, place) = in_a_whole_page();
        filter.insert_hash(item).expect("memory");
        assert!(filter.begin_to_double());
        // Splits the first bucket of the item.
        fill(
            &filter,
            (1 << 40..).map(mix).take(place as usize / CHUNK + 1),
        );
        let (seen, reached) = overtaken(step, || grow(&filter), || filter.contains_hash(item));
        assert!(seen, "a stored item was missed");
        reached
    });
}

/// The same with an insert, which has found an absent word and stands still. If it wrote there when that word has been
/// given back, nobody would look there any more.
#[test]
fn an_insert_is_not_lost_in_the_first_words_of_a_later_table() {
    at_each_step("an insert into a later table that doubles", 5, |step| {
        let filter = filter_of_two_tables();
        let (item, _) = in_a_whole_page();
        let begin_and_grow = || {
            assert!(filter.begin_to_double());
            grow(&filter);
        };
        let (inserted, reached) = overtaken(step, begin_and_grow, || filter.insert_hash(item));
        inserted.expect("memory");
        assert_counts(&filter, [(item, 1)]);
        reached
    });
}
