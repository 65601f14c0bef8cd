//! The races that matter, with buckets of other layouts: two slots, so that less fills a bucket, and a reference told by
//! a tag; and sorted fingerprints, which change places in a bucket, and a reference told by a code.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::testing::Relocate;
use lockfree_cuckoo::{Filter, Lanes, Layout, Rotating, SemiSorted, SnapshotError};
use loom::sync::Arc;
use loom_tests::check::{check, check_large};
use loom_tests::tiny::{apart, fill, in_pair_of, pair_of, spawn, square_of};
use model::Fingerprint;

const F: Fingerprint = 0x1111;
/// Sorts below `F`, with its highest bits.
const G: Fingerprint = 0x1011;

/// The source of a move, and the bucket that another thread reads first.
const ORDERS: [(usize, usize); 4] = [(0, 0), (0, 1), (1, 0), (1, 1)];

fn a_lookup_sees_a_token_that_hops<L: Layout>() {
    let item = in_pair_of::<L>;
    for (source, first) in ORDERS {
        check("a mover and a lookup", 50, move || {
            let filter = pair_of::<L>(1);
            fill(&filter, [item(source, F)]);
            let mover = spawn(&filter, move |filter| {
                assert!(filter.relocate_hash(item(source, F)))
            });
            assert!(
                filter.contains_hash(item(first, F)),
                "a hopping token was missed"
            );
            assert!(
                !filter.contains_hash(item(first, G)),
                "a token was invented"
            );
            mover.join().expect("the mover");
            assert!(filter.contains_hash(item(first, F)), "the token is gone");
        });
    }
}

fn a_remove_takes_a_token_that_hops<L: Layout>() {
    let item = in_pair_of::<L>;
    for (source, first) in ORDERS {
        check("a mover and a remove", 50, move || {
            let filter = pair_of::<L>(1);
            fill(&filter, [item(source, F)]);
            let mover = spawn(&filter, move |filter| filter.relocate_hash(item(source, F)));
            assert!(
                filter.remove_hash(item(first, F)),
                "a stored token was not found"
            );
            assert!(
                !filter.contains_hash(item(first, F)),
                "a removed token was seen"
            );
            mover.join().expect("the mover");
            assert_eq!(
                filter.count_hash(item(0, F)),
                0,
                "a removed token came back"
            );
        });
    }
}

fn a_token_that_hops_is_not_admitted<L: Layout>() {
    let item = in_pair_of::<L>;
    for (source, first) in ORDERS {
        check("insert_unique of an item that hops", 50, move || {
            let filter = pair_of::<L>(2);
            fill(&filter, [item(source, F)]);
            let mover = spawn(&filter, move |filter| filter.relocate_hash(item(source, F)));
            let added = filter.insert_unique_hash(item(first, F));
            assert_eq!(added, Ok(false), "a hopping token was taken for absent");
            mover.join().expect("the mover");
            assert_eq!(filter.count_hash(item(0, F)), 1, "a token was lost or made");
        });
    }
}

fn one_of_two_is_admitted<L: Layout>() {
    let item = in_pair_of::<L>;
    for (mine, theirs) in [(0, 0), (0, 1)] {
        check("two racing insert_unique", 50, move || {
            let filter = pair_of::<L>(2);
            let other = spawn(&filter, move |filter| {
                filter.insert_unique_hash(item(theirs, F))
            });
            let mine = filter.insert_unique_hash(item(mine, F));
            let theirs = other.join().expect("a racer");
            let told = [mine, theirs].map(|told| u8::from(told.expect("room")));
            assert_eq!(told[0] + told[1], 1, "not exactly one was told true");
            assert_eq!(
                filter.count_hash(item(0, F)),
                1,
                "not exactly one token is stored"
            );
        });
    }
}

/// The other token of the bucket changes its place in the word, or its slot.
fn a_neighbour_may_come_and_go<L: Layout>() {
    let item = in_pair_of::<L>;
    for (source, first) in ORDERS {
        check(
            "a mover, and a neighbour that comes and goes",
            50,
            move || {
                let filter = pair_of::<L>(1);
                fill(&filter, [item(source, F)]);
                let mover = spawn(&filter, move |filter| filter.relocate_hash(item(source, F)));
                fill(&filter, [item(source, G)]);
                assert!(
                    filter.contains_hash(item(first, F)),
                    "a hopping token was missed"
                );
                assert!(
                    filter.remove_hash(item(first, G)),
                    "a stored token was not found"
                );
                mover.join().expect("the mover");
                let counts = [F, G].map(|f| filter.count_hash(item(0, f)));
                assert_eq!(counts, [1, 0], "a token was lost or made");
            },
        );
    }
}

/// Buckets 0 and 2 are full, but for a token that can go from 0 to 3.
fn the_victim_of_a_kick_is_seen<L: Layout>() {
    let (near, far) = (apart::<L>(2, 0, 100), apart::<L>);
    for bucket in [0, 3] {
        check_large("a kick and a lookup of its victim", 20, move || {
            let filter = square_of::<L>(1);
            fill(&filter, [far(3, 0, 0)]);
            fill(&filter, (1..2 * L::SLOTS).map(|n| apart::<L>(2, 0, n)));
            let insert = spawn(&filter, move |filter| filter.insert_hash(near));
            assert!(
                filter.contains_hash(far(3, bucket, 0)),
                "the victim of a kick was missed"
            );
            let inserted = insert.join().expect("the inserter");
            inserted.expect("there is an exit");
            assert!(filter.contains_hash(near), "the inserted item is missing");
            assert!(
                filter.contains_hash(far(3, bucket, 0)),
                "the victim of a kick is gone"
            );
        });
    }
}

fn a_snapshot_holds_a_token_that_hops<L: Layout>() {
    let item = in_pair_of::<L>;
    for source in [0, 1] {
        check("a mover and a snapshot", 50, move || {
            let filter = pair_of::<L>(1);
            fill(&filter, [item(source, F)]);
            let mover = spawn(&filter, move |filter| filter.relocate_hash(item(source, F)));
            match filter.snapshot() {
                Ok(copy) => {
                    assert_eq!(
                        copy.count_hash(item(0, F)),
                        1,
                        "a hopping token was not copied once"
                    );
                    assert_eq!(copy.len(), 1);
                }
                Err(SnapshotError::Disturbed) => {}
                Err(error) => panic!("{error}"),
            }
            mover.join().expect("the mover");
        });
    }
}

/// The rotation empties the table of the oldest generation.
fn a_removal_from_a_table_that_is_emptied_is_counted_once<L: Layout>() {
    let item = in_pair_of::<L>;
    check("an emptying and a remove", 10, move || {
        let builder = Filter::<Rotating<L>>::builder().buckets(2).seed(0);
        let filter = Arc::new(builder.build().expect("a valid size"));
        fill(&filter, [item(0, F), item(0, G)]);
        filter.rotate().expect("alone");
        let rotator = spawn(&filter, |filter| filter.rotate().is_ok());
        let removed = filter.remove_hash(item(0, F));
        assert!(
            rotator.join().expect("the rotator"),
            "nobody is in the way for long"
        );
        assert!(
            !filter.contains_hash(item(0, F)),
            "a forgotten item was found"
        );
        assert!(
            !filter.contains_hash(item(0, G)),
            "a forgotten item was found"
        );
        assert_eq!(filter.len(), 0, "not conserved, removed: {removed}");
    });
}

macro_rules! each_layout {
    ($($name:ident: $layout:ty;)*) => {$(
        mod $name {
            use super::*;

            each_layout!(@ $layout:
                a_lookup_sees_a_token_that_hops
                a_remove_takes_a_token_that_hops
                a_token_that_hops_is_not_admitted
                one_of_two_is_admitted
                a_neighbour_may_come_and_go
                the_victim_of_a_kick_is_seen
                a_snapshot_holds_a_token_that_hops
                a_removal_from_a_table_that_is_emptied_is_counted_once
            );
        }
    )*};
    (@ $layout:ty: $($model:ident)*) => {$(
        #[test]
        fn $model() {
            super::$model::<$layout>();
        }
    )*};
}

each_layout! {
    two_slots: Lanes<2, 31>;
    semi_sorted: SemiSorted<4, 17>;
}
