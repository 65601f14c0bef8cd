//! Snapshots, and the stored form in chunks, against everything that moves a token: one that is in all the while is in the
//! copy. Few schedules disturb a copy so much that it gives up; those that do promise nothing.
#![cfg(all(loom, feature = "loom"))]

use std::sync::atomic::{AtomicBool, Ordering};

use lockfree_cuckoo::testing::hooks::dying_after;
use lockfree_cuckoo::testing::{Double, Relocate};
use lockfree_cuckoo::{
    CuckooFilter, Engine, Filter, Fixed, Growing, Lanes, Layout, SemiSorted, SnapshotError,
};
use loom::sync::Arc;
use loom::thread;
use loom_tests::check::{Bound, check};
use loom_tests::tiny::{Default, F, G, ORDERS, at, at_of, far, near, pair, square};

use Bound::{Large, Usual};

/// How a filter is copied.
type Copy<F> = fn(&F) -> Option<F>;

fn snapshot<L: Layout>(filter: &Filter<Fixed<L>>) -> Option<Filter<Fixed<L>>> {
    match filter.snapshot() {
        Ok(copy) => Some(copy),
        Err(SnapshotError::Disturbed) => None,
        Err(error) => panic!("{error}"),
    }
}

/// The same beside so few changes that they fit the log.
fn certain<L: Layout>(filter: &Filter<Fixed<L>>) -> Option<Filter<Fixed<L>>> {
    Some(filter.snapshot().expect("it fits the log"))
}

/// What is read of the stored form: the header and the list of tables, and then so many bytes of words at a time.
fn in_chunks<E: Engine, const BYTES: usize>(filter: &Filter<E>) -> Option<Filter<E>> {
    let mut chunks = filter.chunks();
    let mut stored = vec![0; chunks.bytes() as usize];
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

/// A word at a time.
fn by_words(filter: &CuckooFilter) -> Option<CuckooFilter> {
    in_chunks::<_, 8>(filter)
}

/// Both ways to copy a pair, if not much happens meanwhile, and if much does.
const EASILY: Ways = [("a snapshot", certain::<Default>), ("chunks", by_words)];
const HARDLY: Ways = [("a snapshot", snapshot::<Default>), ("chunks", by_words)];
type Ways = [(&'static str, Copy<CuckooFilter>); 2];

/// Copies a filter while another thread acts on it, and looks at the copy. At least one comes to its end.
fn copied<E: 'static>(
    (name, bound, least): (String, Bound, usize),
    filter: impl Fn() -> E + Send + Sync + 'static,
    act: impl Fn(&E) + Clone + Send + Sync + 'static,
    copy: Copy<E>,
    look: impl Fn(&E) + Send + Sync + 'static,
) {
    let ended = std::sync::Arc::new(AtomicBool::new(false));
    let ends = std::sync::Arc::clone(&ended);
    check(&name, bound, least, move || {
        let filter = Arc::new(filter());
        let (others, act) = (filter.clone(), act.clone());
        let other = thread::spawn(move || act(&others));
        let copied = copy(&filter);
        other.join().expect("the other");
        copied.iter().for_each(&look);
        ends.fetch_or(copied.is_some(), Ordering::Relaxed);
    });
    assert!(ended.load(Ordering::Relaxed), "no copy: {name}");
}

fn pair_with<const N: usize>(items: [(usize, u32); N]) -> CuckooFilter {
    let filter = pair::<Default>(1);
    for (bucket, fingerprint) in items {
        filter
            .insert_hash(at(bucket, fingerprint).hash)
            .expect("room");
    }
    filter
}

/// The token of `F`, which begins in either bucket, is in the copy once, whatever the other thread does from there.
fn has_one_beside(name: &str, ways: Ways, bounds: [Bound; 2], act: fn(&CuckooFilter, usize)) {
    for ((way, copy), bound) in ways.into_iter().zip(bounds) {
        for source in [0, 1] {
            let begin = move || pair_with([(source, F)]);
            let act = move |filter: &CuckooFilter| act(filter, source);
            let what = (format!("{name}, and {way}"), bound, 10);
            copied(what, begin, act, copy, |copy| {
                let copies = copy.count_hash(at(0, F).hash);
                assert_eq!(copies, 1, "a hopping token was not copied once");
            });
        }
    }
}

#[test]
fn a_copy_has_a_token_that_hops() {
    has_one_beside("a mover", EASILY, [Usual; 2], |filter, source| {
        filter.relocate_hash(at(source, F).hash);
    });
}

#[test]
fn a_copy_has_a_token_that_hops_there_and_back() {
    has_one_beside("there and back", HARDLY, [Large; 2], |filter, source| {
        filter.relocate_hash(at(source, F).hash);
        filter.relocate_hash(at(1 - source, F).hash);
    });
}

/// Somebody else makes up for the number of tokens, where the token was.
#[test]
fn a_copy_has_a_token_that_hops_beside_one_that_comes() {
    has_one_beside(
        "a mover that inserts",
        HARDLY,
        [Large, Usual],
        |filter, source| {
            filter.relocate_hash(at(source, F).hash);
            filter.insert_hash(at(source, G).hash).expect("room");
        },
    );
}

#[test]
fn a_copy_has_a_token_whose_mover_dies() {
    for accesses in 0..24 {
        for source in [0, 1] {
            for (way, copy) in EASILY {
                check(
                    &format!("a mover that dies, and {way}"),
                    Usual,
                    1,
                    move || {
                        let filter = Arc::new(pair_with([(source, F)]));
                        let others = filter.clone();
                        let mover = thread::spawn(move || {
                            dying_after(accesses, || others.relocate_hash(at(source, F).hash));
                        });
                        let during = copy(&filter);
                        mover.join().expect("the mover");
                        // Nobody is left who changes something.
                        let after = copy(&filter).expect("at rest");
                        for copy in during.iter().chain([&after]) {
                            assert_eq!(
                                copy.count_hash(at(0, F).hash),
                                1,
                                "a token was not copied once"
                            );
                        }
                    },
                );
            }
        }
    }
}

#[test]
fn a_copy_has_one_of_two_equal_tokens_that_come_and_go() {
    for (there, first) in ORDERS {
        for (way, copy) in EASILY {
            let name = format!("an insert and a remove, and {way}");
            let begin = move || pair_with([(there, F)]);
            let act = move |filter: &CuckooFilter| {
                filter.insert_hash(at(first, F).hash).expect("room");
                assert!(filter.remove_hash(at(first, F).hash), "there are two");
            };
            copied((name, Usual, 10), begin, act, copy, |copy| {
                let copies = copy.count_hash(at(0, F).hash);
                assert!((1..=2).contains(&copies), "a token was not copied");
            });
        }
    }
}

#[test]
fn a_snapshot_has_more_than_the_log_has() {
    let begin = || pair_with([(1, F), (0, F), (1, G)]);
    let act = |filter: &CuckooFilter| {
        filter.relocate_hash(at(1, F).hash);
        filter.relocate_hash(at(1, G).hash);
    };
    let name = "two hops and a log of one hint".to_owned();
    copied((name, Usual, 50), begin, act, snapshot, |copy| {
        let copies = [F, G].map(|f| copy.count_hash(at(0, f).hash));
        assert_eq!(copies, [2, 1], "a hopping token was not copied once");
    });
}

/// Buckets 0 and 2 are full, and one token of bucket 2 can go to bucket 1.
#[test]
fn a_snapshot_has_the_victims_of_an_insert() {
    let stored = || [far(2, 0)].into_iter().chain((0..7).map(|n| near(0, n)));
    let begin = move || {
        let filter = square::<Default>(1);
        stored().for_each(|item| filter.insert_hash(item.hash).expect("room"));
        filter
    };
    let act = |filter: &CuckooFilter| {
        let inserted = filter.insert_hash(near(0, 7).hash).is_ok();
        assert_eq!(filter.len(), 8 + usize::from(inserted));
    };
    let name = "an insert that relocates, and a snapshot".to_owned();
    copied((name, Large, 50), begin, act, certain, move |copy| {
        let missed = stored().find(|item| !copy.contains_hash(item.hash));
        assert_eq!(missed, None, "a stored token was not copied");
    });
}

#[test]
fn a_snapshot_is_taken_by_one_thread_at_a_time() {
    let one_or_none = |filter: &CuckooFilter| match filter.snapshot() {
        Ok(copy) => assert_eq!(copy.count_hash(at(0, F).hash), 1, "not copied once"),
        Err(error) => assert_eq!(error, SnapshotError::Busy),
    };
    check("two snapshots and a mover", Usual, 50, move || {
        let filter = Arc::new(pair_with([(1, F)]));
        let (second, third) = (filter.clone(), filter.clone());
        let other = thread::spawn(move || one_or_none(&second));
        let mover = thread::spawn(move || third.relocate_hash(at(1, F).hash));
        one_or_none(&filter);
        other.join().expect("the other");
        mover.join().expect("the mover");
    });
}

fn a_snapshot_has_a_token_that_hops_in<L: Layout>() {
    let hash = at_of::<L>;
    for source in [0, 1] {
        let begin = move || {
            let filter = pair::<L>(1);
            filter.insert_hash(hash(source, F).hash).expect("room");
            filter
        };
        let act = move |filter: &Filter<Fixed<L>>| {
            filter.relocate_hash(hash(source, F).hash);
        };
        let name = "a mover and a snapshot".to_owned();
        copied((name, Usual, 50), begin, act, certain, move |copy| {
            let copies = copy.count_hash(hash(0, F).hash);
            assert_eq!(
                (copies, copy.len()),
                (1, 1),
                "a hopping token was not copied once"
            );
        });
    }
}

#[test]
fn a_snapshot_has_a_token_that_hops_in_each_layout() {
    a_snapshot_has_a_token_that_hops_in::<Default>();
    a_snapshot_has_a_token_that_hops_in::<Lanes<2, 31>>();
    a_snapshot_has_a_token_that_hops_in::<SemiSorted<4, 17>>();
}

type Doubling = Filter<Growing>;

/// Of two heads.
const X: u64 = 1 << 10;
const OTHER: u64 = 2 << 10;

/// Of two buckets, with `X`, and with what was done to it before.
fn doubling(name: &str, before: fn(&Doubling), act: fn(&Doubling), more: usize) {
    let begin = move || {
        let filter = Doubling::builder().buckets(2).seed(0).build();
        let filter = filter.expect("a valid size");
        filter.insert_hash(X).expect("room");
        before(&filter);
        filter
    };
    let ways: [Copy<Doubling>; 2] = [|filter| filter.snapshot().ok(), in_chunks::<_, 16>];
    for copy in ways {
        copied(
            (format!("{name}, and a copy"), Large, 10),
            begin,
            act,
            copy,
            move |copy| {
                assert_eq!(copy.count_hash(X), 1, "a copy misses what is in");
                assert!((1..=1 + more).contains(&copy.len()), "{copy:?}");
            },
        );
    }
}

fn hop(filter: &Doubling) {
    filter.relocate_hash(X);
}

fn begin(filter: &Doubling) {
    filter.begin_to_double();
}

fn split(filter: &Doubling) {
    filter.insert_hash(OTHER).expect("room");
}

#[test]
fn a_copy_has_what_hops_while_a_doubling_begins() {
    let act = |filter: &Doubling| {
        hop(filter);
        begin(filter);
    };
    doubling("a hop and the begin of a doubling", |_| {}, act, 0);
}

/// In front of the sweep; from a word that it has split to one that the hop splits; and from the second side, which is read
/// last, to one that it splits next.
#[test]
fn a_copy_has_what_hops_while_words_are_split() {
    doubling("a hop in a doubling that has begun", begin, hop, 0);
    let split_and_hop = |filter: &Doubling| {
        split(filter);
        hop(filter);
    };
    doubling("a split and a hop", begin, split_and_hop, 1);
    let hop_and_begin = |filter: &Doubling| {
        hop(filter);
        begin(filter);
    };
    let hop_and_split = |filter: &Doubling| {
        hop(filter);
        split(filter);
    };
    doubling("a hop and a split", hop_and_begin, hop_and_split, 1);
}
