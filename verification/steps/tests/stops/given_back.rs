//! Memory of a filter that doubles, given back to the system while late threads still use it.

use std::thread;

use lockfree_cuckoo::testing::Internals;
use model::mix;
use step_tests::{
    Led, Playing, accesses, assert_counts, at_each_step, bounded, fill, overtaken, tell,
};

use crate::doubling::{CHUNK, Doubling, double, filter_at_the_end, filter_of, head, items, places};

/// Large enough that most words of the next level are in whole pages.
const LEVEL: u32 = 11;

/// Runs the deferred calls unless a thread is pinned, so that they are no accesses of a thread that
/// must stop.
fn run_deferred_calls() {
    (0..16).for_each(|_| crossbeam_epoch::pin().flush());
}

/// Returns two items of one bucket, whose split puts `late` into the other half. Both halves are in
/// whole pages of the next level.
fn of_one_bucket() -> [u64; 2] {
    let is_in_a_whole_page = |&hash: &u64| (1024..3072).contains(&places(hash, LEVEL + 1)[1]);
    (1..64)
        .map(|number| [head(number), 1 << (64 - LEVEL) | head(number)])
        .find(|hashes| hashes.iter().all(is_in_a_whole_page))
        .expect("there is one")
}

/// A hop splits a bucket, and stops at each access. Others end the split, and an insert stops
/// before its exchange of one half. That level is split too, and given back. If the hop could still
/// write to it, the exchange of the insert would succeed in a word that no thread reads any more.
#[test]
fn no_thread_writes_to_memory_given_back() {
    /// The exchange of an insert, after it has loaded its two words.
    const EXCHANGE: usize = 2;
    let [hopper, late] = of_one_bucket();
    assert_eq!(places(hopper, LEVEL)[1], places(late, LEVEL)[1]);
    assert_ne!(places(hopper, LEVEL + 1)[1], places(late, LEVEL + 1)[1]);
    // In the first bucket of `late`, so that `late` goes to the second.
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
                run_deferred_calls();
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

/// A hop has frozen the bucket that it splits, and stops. Another thread helps with the split, and
/// stops at each access, while the hop goes on, and that level is split too, and given back. The
/// rest is as above.
#[test]
fn no_helper_writes_to_memory_given_back() {
    const EXCHANGE: usize = 2;
    let [hopper, late] = of_one_bucket();
    let filler = late ^ head(3) ^ head(1);
    let begin = || {
        let filter = filter_of(LEVEL - 1);
        double(&filter);
        fill(&filter, [hopper, filler]);
        assert!(filter.begin_to_double());
        // Splits the first buckets of all three.
        filter.insert_hash(filler).expect("room");
        filter
    };
    // A count makes more accesses if it helps.
    let accesses_of_a_count = |stop: usize| {
        let filter = begin();
        thread::scope(|scope| {
            let hop = Led::begin(scope, [stop], || filter.relocate_hash(hopper));
            let count = accesses(|| filter.count_hash(late));
            hop.finish();
            count
        })
    };
    let alone = accesses_of_a_count(0);
    let frozen = (1..64).find(|&stop| accesses_of_a_count(stop) > alone);
    let frozen = frozen.expect("it splits a bucket");
    at_each_step(
        "a late helper, and a late insert in what was given back",
        5,
        |step| {
            let filter = begin();
            let reached = thread::scope(|scope| {
                let hop = Led::begin(scope, [frozen], || filter.relocate_hash(hopper));
                let helper = Led::begin(scope, [step], || filter.count_hash(late));
                let reached = helper.has_stopped();
                hop.finish();
                filter.finish_doubling();
                let late = Led::begin(scope, [EXCHANGE], || filter.insert_hash(late));
                double(&filter);
                run_deferred_calls();
                helper.finish();
                late.finish().expect("room");
                reached
            });
            assert_counts(&filter, [(hopper, 1), (late, 1), (filler, 2)]);
            reached
        },
    );
}

/// Old words stay until the growth has ended. The thread that ends a growth stops at each of its
/// last accesses. Memory that others may still read is not given back.
#[test]
fn old_words_stay() {
    const LAST: usize = 40;
    let (item, _) = in_a_whole_page();
    let begin = || {
        let filter = filter_of(LEVEL);
        filter.insert_hash(item).expect("room");
        assert!(filter.begin_to_double());
        filter
    };
    let all = {
        let filter = begin();
        accesses(|| filter.finish_doubling())
    };
    at_each_step("the end of a growth, and a count", LAST / 2, |step| {
        let filter = begin();
        let count = || assert_counts(&filter, [(item, 1)]);
        let end = || filter.finish_doubling();
        let (ended, reached) = overtaken(all - LAST + step, count, end);
        assert!(ended, "no thread is in the way");
        assert_counts(&filter, [(item, 1)]);
        reached
    });
}

/// Returns a filter of two empty tables: the words of the second stay absent until a thread writes
/// to them.
fn filter_of_two_tables() -> Doubling {
    let filter = filter_at_the_end();
    assert!(filter.add_table());
    filter
}

/// Returns a table and an item whose word on the first side is given back with its page, in a table
/// that begins at this level.
fn in_a_whole_page() -> (u64, u64) {
    items()
        .map(|item| (item, places(item, LEVEL)[0]))
        .find(|(_, place)| (512..1024).contains(place))
        .expect("endless")
}

/// Ends a growth, and gives back the old words.
fn grow(filter: &Doubling) {
    filter.finish_doubling();
    run_deferred_calls();
}

/// A lookup passes the first words of a later table. A lookup stops before it reads a word of the
/// first level. Meanwhile the table doubles, and gives that level back. From then on an absent word
/// there is no empty bucket.
#[test]
fn lookup_in_later_table() {
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

/// An insert is not lost in the first words of a later table. The same with an insert, which has
/// found an absent word and stops. A token that it wrote after that word was given back would be
/// lost.
#[test]
fn insert_into_later_table() {
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

/// An admission stops before it freezes the first bucket of its item, which is split already, and a
/// rival is admitted to the second one, which is not. Then the admission stops before it reads that
/// one. The growth ends, and the words of its level are given back. They say nothing of the item.
#[test]
fn witness_given_back() {
    /// More accesses than an admission makes before its target is frozen, and then to its witness.
    const FIRST: usize = 24;
    const MORE: usize = 16;
    // The sweep begins with the first bucket of both items.
    let is_in_a_whole_page = |&hash: &u64| (512..1536).contains(&places(hash, LEVEL)[1]);
    let item = (2..64).map(head).find(is_in_a_whole_page);
    let item = item.expect("there is one");
    let neighbour = head(1);
    let admit = |filter: &Doubling| filter.insert_unique_hash(item).expect("room");
    let mut scenes = 0;
    for first in 0..FIRST {
        for second in first + 1..first + MORE {
            let _playing = Playing(format!("accesses {first} and {second}"));
            let filter = filter_of(LEVEL - 1);
            double(&filter);
            assert!(filter.begin_to_double());
            // Splits the first bucket of both.
            fill(&filter, [1 << 63 | neighbour]);
            let told = thread::scope(|scope| {
                let mut late = Led::begin(scope, [first, second], || admit(&filter));
                // So that the rival goes to the second bucket.
                fill(&filter, [neighbour]);
                let rival = admit(&filter);
                assert!(filter.remove_hash(neighbour), "a stored item");
                late.go_on();
                grow(&filter);
                [rival, late.finish()]
            });
            assert!(told[0] != told[1], "not exactly one was told true");
            assert_counts(&filter, [(item, 1)]);
            scenes += 1;
        }
    }
    tell("an admission whose witness is given back", scenes, 300);
}
