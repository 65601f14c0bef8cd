//! Snapshots and chunks, while tokens move: an item that is stored throughout is in the copy. In a
//! few schedules the copy is disturbed so much that it fails; those promise nothing.
#![cfg(all(loom, feature = "loom"))]

use std::array;

use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{
    CuckooFilter, Filter, SnapshotError,
    filter::{Engine, Fixed, Growing},
    layout::{Lanes, Layout, SemiSorted},
};
use loom_tests::race::{Act, Race, Told, act, insert, quietly, race, remove, try_hop};
use loom_tests::tiny::{Default, F, G, Item, ORDERS, at, at_of, far, near, pair, square};
use model::Fingerprint;

/// A way to copy a filter; `None` if it was disturbed.
type Copy<F> = fn(&F) -> Option<F>;

fn snapshot<E: Engine>(filter: &Filter<E>) -> Option<Filter<E>> {
    match filter.snapshot() {
        Ok(copy) => Some(copy),
        Err(SnapshotError::Disturbed) => None,
        Err(error) => panic!("{error}"),
    }
}

/// Takes a snapshot beside few enough changes that they fit the log.
fn certain<L: Layout>(filter: &Filter<Fixed<L>>) -> Option<Filter<Fixed<L>>> {
    Some(filter.snapshot().expect("it fits the log"))
}

/// Reads the stored form: the header and the list of tables, and then this number of bytes of words
/// at a time.
fn in_chunks<E: Engine, const BYTES: usize>(filter: &Filter<E>) -> Option<Filter<E>> {
    let mut chunks = filter.chunks();
    let mut stored = vec![0; chunks.total() as usize];
    let (head, words) = stored.split_at_mut(64 + 24);
    for chunk in std::iter::once(head).chain(words.chunks_mut(BYTES)) {
        match chunks.next_chunk(chunk) {
            Ok(bytes) => assert_eq!(bytes, chunk.len()),
            Err(SnapshotError::Changed) => return None,
            Err(error) => panic!("{error}"),
        }
    }
    Some(Filter::from_bytes(&stored).expect("what comes to its end can be read"))
}

/// Both ways to copy a pair, beside few changes and beside many.
const EASILY: [Copy<CuckooFilter>; 2] = [certain, in_chunks::<_, 8>];
const HARDLY: [Copy<CuckooFilter>; 2] = [snapshot, in_chunks::<_, 8>];

/// Checks that a copy has each of these items as often as the range allows, and nothing else.
fn has<E: Engine, const N: usize>(
    copy: Copy<Filter<E>>,
    items: [(Item, usize, usize); N],
) -> Act<Filter<E>> {
    quietly(move |filter: &Filter<E>| {
        let Some(copy) = copy(filter) else { return };
        let mut all = (0, 0);
        for (item, least, most) in items {
            let copies = copy.count_hash(item.hash);
            let once = (least..=most).contains(&copies);
            assert!(once, "a hopping token was not copied once");
            all = (all.0 + least, all.1 + most);
        }
        assert!((all.0..=all.1).contains(&copy.len()), "{copy:?}");
    })
}

/// Checks that a copy has the item once. Without other threads, every copy succeeds.
fn has_one(copy: Copy<CuckooFilter>, item: Item) -> Act<CuckooFilter> {
    has(copy, [(item, 1, 1)])
}

fn at_rest(copy: Copy<CuckooFilter>, item: Item) -> Act<CuckooFilter> {
    act(Told::Nothing, move |filter: &CuckooFilter| {
        let copy = copy(filter).expect("no thread disturbs it");
        Told::Counted(item.class, copy.count_hash(item.hash))
    })
}

fn pair_with<const N: usize>(least: usize, items: [(usize, Fingerprint); N]) -> Race<CuckooFilter> {
    let items = items.map(|(bucket, fingerprint)| at(bucket, fingerprint));
    race(least, || pair::<Default>(1)).holding(items)
}

#[test]
fn a_copy_has_a_token_that_hops() {
    for copy in EASILY {
        for source in [0, 1] {
            pair_with(10, [(source, F)])
                .thread([try_hop(at(source, F))])
                .thread([has_one(copy, at(0, F))])
                .after([at_rest(copy, at(0, F))])
                .check();
        }
    }
}

/// A copy has a token that hops there and back.
#[test]
fn token_hops_back() {
    for copy in HARDLY {
        for source in [0, 1] {
            pair_with(10, [(source, F)])
                .large()
                .thread([try_hop(at(source, F)), try_hop(at(1 - source, F))])
                .thread([has_one(copy, at(0, F))])
                .check();
        }
    }
}

/// A copy has a token that hops beside one that comes. Another token arrives in the place of the
/// first, so the number of tokens is right.
#[test]
fn token_hops_as_another_comes() {
    for copy in HARDLY {
        for source in [0, 1] {
            pair_with(10, [(source, F)])
                .large()
                .thread([try_hop(at(source, F)), insert(at(source, G))])
                .thread([has(copy, [(at(0, F), 1, 1), (at(0, G), 0, 1)])])
                .check();
        }
    }
}

#[test]
fn a_copy_has_a_token_whose_mover_dies() {
    for copy in EASILY {
        for source in [0, 1] {
            pair_with(1, [(source, F)])
                .thread([try_hop(at(source, F))])
                .thread([has_one(copy, at(0, F))])
                // No thread is left that changes anything.
                .after([at_rest(copy, at(0, F))])
                .check_deaths(15);
        }
    }
}

/// A copy has one of two equal tokens that come and go.
#[test]
fn equal_tokens_come_and_go() {
    for (there, first) in ORDERS {
        for copy in EASILY {
            pair_with(10, [(there, F)])
                .thread([insert(at(first, F)), remove(at(first, F))])
                .thread([has(copy, [(at(0, F), 1, 2)])])
                .check();
        }
    }
}

/// The log has room for one hint.
#[test]
fn a_snapshot_has_more_than_the_log_has() {
    pair_with(50, [(1, F), (0, F), (1, G)])
        .thread([try_hop(at(1, F)), try_hop(at(1, G))])
        .thread([has(snapshot, [(at(0, F), 2, 2), (at(0, G), 1, 1)])])
        .check();
}

/// Buckets 0 and 2 are full, and one token of bucket 2 can move to bucket 1.
#[test]
fn a_snapshot_has_the_victims_of_an_insert() {
    let items: [Item; 9] = array::from_fn(|n| if n == 0 { far(2, 0) } else { near(0, n - 1) });
    race(50, || square::<Default>(1))
        .large()
        .holding(items[..8].to_vec())
        .thread([insert(items[8])])
        .thread([has(
            certain,
            array::from_fn::<_, 9, _>(|n| (items[n], usize::from(n < 8), 1)),
        )])
        .check();
}

/// A snapshot is taken by one thread at a time.
#[test]
fn one_snapshot_at_a_time() {
    let one_or_none = || {
        quietly(|filter: &CuckooFilter| match filter.snapshot() {
            Ok(copy) => assert_eq!(copy.count_hash(at(0, F).hash), 1, "not copied once"),
            Err(error) => assert_eq!(error, SnapshotError::Busy),
        })
    };
    pair_with(50, [(1, F)])
        .thread([try_hop(at(1, F))])
        .thread([one_or_none()])
        .thread([one_or_none()])
        .check();
}

fn a_snapshot_has_a_token_that_hops_in<L: Layout>() {
    for source in [0, 1] {
        let item = at_of::<L>(source, F);
        race(50, || pair::<L>(1))
            .holding([item])
            .thread([try_hop(item)])
            .thread([has(certain, [(item, 1, 1)])])
            .check();
    }
}

/// A snapshot has a token that hops in each layout.
#[test]
fn token_hops_in_each_layout() {
    a_snapshot_has_a_token_that_hops_in::<Default>();
    a_snapshot_has_a_token_that_hops_in::<Lanes<2, 31>>();
    a_snapshot_has_a_token_that_hops_in::<SemiSorted<4, 17>>();
}

type Doubling = Filter<Growing>;

/// Two items with different heads.
const X: Item = Item::alone(1 << 10);
const OTHER: Item = Item::alone(2 << 10);

fn begin() -> Act<Doubling> {
    quietly(Doubling::begin_to_double)
}

/// Returns a race on a filter of two buckets that holds `X`, after these calls.
fn doubling<const B: usize, const N: usize>(
    before: fn() -> [Act<Doubling>; B],
    acts: fn() -> [Act<Doubling>; N],
) {
    let ways: [Copy<Doubling>; 2] = [snapshot, in_chunks::<_, 16>];
    for copy in ways {
        let begin = || {
            let filter = Doubling::builder().buckets(2).seed(0).build();
            filter.expect("a valid size")
        };
        race(10, begin)
            .large()
            .holding([X])
            .before(before())
            .thread(acts())
            .thread([has(copy, [(X, 1, 1), (OTHER, 0, 1)])])
            .check();
    }
}

/// A copy has a token that hops while a doubling begins.
#[test]
fn token_hops_as_doubling_begins() {
    doubling(|| [], || [try_hop(X), begin()]);
}

/// A copy has a token that hops while words are split. Before the sweep; from a word that it has
/// split to one that the hop splits; and from the second side, which is read last, to one that it
/// splits next.
#[test]
fn token_hops_during_splits() {
    doubling(|| [begin()], || [try_hop(X)]);
    doubling(|| [begin()], || [insert(OTHER), try_hop(X)]);
    doubling(|| [try_hop(X), begin()], || [try_hop(X), insert(OTHER)]);
}
