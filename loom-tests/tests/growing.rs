//! Growing filters: no item is missed, lost or admitted twice while words are split and tables are
//! added.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::filter::Growing;
use lockfree_cuckoo::testing::{Descriptors, Internals};
use loom_tests::check::publishes;
use loom_tests::race::{Act, Race, admit, hop, insert, quietly, race, remove, see, try_hop};
use loom_tests::tiny::Item;

type Filter = lockfree_cuckoo::Filter<Growing>;

/// A head.
const HEAD: u64 = 1 << 10;
/// Has one class in the first two buckets, and several in four.
const X: Item = Item::alone(HEAD);
const Y: Item = Item::alone(1 << 63 | HEAD);
/// Has another head.
const OTHER: Item = Item::alone(2 << 10);
/// The first token of `X` covers it, and a token of its own after two doublings does not cover `X`.
const NESTED: Item = Item::alone(1 << 53 | HEAD);
/// Has the same token as `X` in the first table, and a longer one of its own in the second.
const COVERED: Item = Item::alone(1 << 52 | HEAD);

fn of_two_buckets() -> Filter {
    let filter = Filter::builder().buckets(2).seed(0).build();
    filter.expect("a valid size")
}

/// Returns a race on one table that cannot double again.
fn at_the_end() -> Filter {
    let filter = of_two_buckets();
    while filter.begin_to_double() {
        filter.finish_doubling();
    }
    filter
}

fn double() -> Act<Filter> {
    quietly(|filter: &Filter| {
        filter.begin_to_double();
        filter.finish_doubling();
    })
}

fn begin() -> Act<Filter> {
    quietly(Filter::begin_to_double)
}

fn add_table() -> Act<Filter> {
    quietly(|filter: &Filter| assert!(filter.add_table(), "it cannot double any more"))
}

fn doubling<const N: usize>(items: [Item; N]) -> Race<Filter> {
    race(10, of_two_buckets).holding(items)
}

/// Returns a race on a filter whose first item has lost bits, and whose second has a longer token.
fn nested() -> Race<Filter> {
    let race = doubling([X]).uncounted();
    race.before([double(), double(), insert(NESTED)])
}

/// A stored item is found while the table doubles.
#[test]
fn lookup_during_doubling() {
    doubling([X])
        .thread([double()])
        .thread([see(X)])
        .after([see(X)])
        .check();
}

#[test]
fn one_of_two_threads_begins_a_doubling() {
    let doubled_once = || quietly(|filter: &Filter| assert_eq!(filter.slots(), 16, "doubled once"));
    doubling([X])
        .thread([begin()])
        .thread([begin()])
        .thread([see(X)])
        .after([
            doubled_once(),
            quietly(Filter::finish_doubling),
            doubled_once(),
        ])
        .check();
}

/// A table with few descriptors. A segment that was added twice would take memory that no limit
/// counts, and with many processors no reference could name it.
#[test]
fn one_of_two_doublers_adds_descriptors() {
    let few = || {
        let filter = Filter::builder().buckets(2).descriptors_from(1, 1_023);
        filter.seed(0).build().expect("a valid size")
    };
    race(10, few)
        .thread([begin()])
        .thread([begin()])
        .after([quietly(move |filter: &Filter| {
            let alone = few();
            let before = alone.memory_usage();
            assert!(alone.begin_to_double());
            assert!(before + 15 * 64 < alone.memory_usage(), "added");
            assert_eq!(filter.memory_usage(), alone.memory_usage(), "added twice");
        })])
        .check();
}

/// An insert is not lost while the table doubles.
#[test]
fn insert_during_doubling() {
    doubling([Y])
        .large()
        .thread([double()])
        .thread([insert(X), see(X)])
        .check();
}

/// A remove takes a token while the table doubles.
#[test]
fn remove_during_doubling() {
    doubling([X, Y])
        .large()
        .thread([double()])
        .thread([remove(X)])
        .after([see(X), see(Y), remove(Y)])
        .check();
}

/// Each splits a word that the other may be about to change.
#[test]
fn two_writers_split_a_word_each() {
    for (theirs, mine) in [
        (insert(OTHER), insert(OTHER)),
        (insert(OTHER), remove(X)),
        (remove(X), remove(X)),
    ] {
        doubling([X, Y, X])
            .large()
            .before([begin()])
            .thread([theirs])
            .thread([mine, see(Y)])
            .check();
    }
}

/// A lookup finds an item whose word a remove splits.
#[test]
fn lookup_as_remove_splits() {
    doubling([X, Y])
        .before([begin()])
        .thread([remove(Y)])
        .thread([see(X)])
        .after([see(X)])
        .check();
}

/// A token that hops to a bucket that is split is found. The token hops to a bucket whose number
/// was computed, and whose parent is being split: the children may exist while the parent still has
/// content.
#[test]
fn hop_into_split_bucket() {
    doubling([X])
        .large()
        // Splits the first word.
        .before([begin(), insert(OTHER)])
        .thread([try_hop(X), see(X)])
        // Splits the second one.
        .thread([insert(OTHER)])
        .check();
}

/// The hop passes a lookup in a table at rest, below the level of the root, and in words that the
/// sweep has not reached.
#[test]
fn a_token_that_hops_past_a_lookup_is_found() {
    doubling([X])
        .before([double(), hop(X)])
        .thread([try_hop(X)])
        .thread([see(X)])
        .check();
    doubling([X])
        // Splits the first word, and the hop splits the second one. No insert has noticed yet that
        // both are gone.
        .before([begin(), insert(OTHER), try_hop(X)])
        .thread([try_hop(X)])
        .thread([see(X)])
        .check();
}

/// A token that hops in front of the sweep is found.
#[test]
fn hop_ahead_of_sweep() {
    doubling([X])
        .before([try_hop(X), begin()])
        .thread([try_hop(X)])
        .thread([see(X)])
        .check();
}

/// A token is found while the sweep passes it. A split and a hop, or a hop to a bucket that the
/// sweep then splits. A lookup sees them in either order.
#[test]
fn sweep_passes_token() {
    doubling([X])
        .large()
        .before([begin()])
        .thread([insert(OTHER), try_hop(X)])
        .thread([see(X)])
        .after([see(X)])
        .check();
    doubling([X])
        .large()
        .before([double(), try_hop(X), begin()])
        .thread([try_hop(X), insert(OTHER)])
        .thread([see(X)])
        .after([see(X)])
        .check();
}

/// A remove takes the longest token though it hops.
#[test]
fn remove_takes_longest() {
    // Both are in the second bucket. The longer one hops to the first.
    nested()
        .before([try_hop(X)])
        .thread([try_hop(NESTED)])
        .thread([remove(NESTED)])
        .after([see(X), remove(X)])
        .check();
}

#[test]
fn tokens_that_take_turns_are_found() {
    nested()
        .large()
        .thread([insert(X), remove(NESTED)])
        .thread([see(X)])
        .after([see(X)])
        .check();
}

fn adding<const N: usize>(least: usize, items: [Item; N]) -> Race<Filter> {
    race(least, at_the_end).holding(items)
}

/// A stored item is found while a table is added.
#[test]
fn lookup_as_table_is_added() {
    adding(2, [X])
        .thread([see(X)])
        .thread([add_table()])
        .after([see(X)])
        .check();
}

/// An insert is not lost while a table is added.
#[test]
fn insert_as_table_is_added() {
    adding(2, [])
        .thread([insert(X), see(X)])
        .thread([add_table()])
        .after([remove(X)])
        .check();
}

/// A thread that has not seen the new table looks into the words of the first one.
#[test]
fn an_item_in_a_new_table_is_found() {
    adding(10, [])
        .large()
        .thread([see(X), see(X)])
        .thread([add_table(), insert(X)])
        .after([see(X)])
        .check();
}

/// A remove takes nothing that another item needs.
#[test]
fn remove_spares_other_items() {
    adding(10, [X])
        .large()
        .uncounted()
        .thread([see(X)])
        .thread([add_table(), insert(COVERED), remove(COVERED)])
        .after([see(X)])
        .check();
}

/// Two removes take one token each while a table is added.
#[test]
fn removes_as_table_is_added() {
    adding(10, [X, COVERED])
        .large()
        .uncounted()
        .thread([remove(COVERED), see(X)])
        .thread([add_table(), insert(COVERED), remove(COVERED)])
        .after([see(X)])
        .check();
}

/// One of two admissions wins while a table is added. One admission is in the first table and the
/// other in the second, or both are in one of them.
#[test]
fn admissions_as_table_is_added() {
    adding(100, [])
        .large()
        .thread([add_table(), admit(X)])
        .thread([admit(X)])
        .check();
}

/// An admission sees the tokens of the coarser table.
#[test]
fn admission_sees_coarser_table() {
    adding(2, [X])
        .thread([admit(X)])
        .thread([add_table()])
        .check();
}

/// Inserts into two tables are not missed crosswise. One thread inserts into a table that it has
/// added, the other into the newest that it finds. Each then looks for the other's item.
#[test]
fn crosswise_in_two_tables() {
    adding(10, [])
        .large()
        .in_one_order()
        .thread([insert(OTHER), see(X)])
        .thread([add_table(), insert(X), see(OTHER)])
        .check();
}

/// A hit publishes the writes before the insert. On the shortest path, and while the words are
/// split.
#[test]
fn hit_publishes_writes() {
    let insert = |filter: &Filter| filter.insert_hash(X.hash).expect("room");
    let is_in = |filter: &Filter| filter.contains_hash(X.hash);
    publishes(2, of_two_buckets, insert, is_in);
    let doubling = || {
        let filter = of_two_buckets();
        assert!(filter.begin_to_double());
        filter
    };
    publishes(2, doubling, insert, is_in);
}
