//! Tables of four buckets, where inserts make room: lookups and removes still find the moved
//! tokens, and an insert gets the slot that it has opened.
//!
//! `near` items have the buckets 0 and 2 or 1 and 3, `far` ones 0 and 3 or 1 and 2, so the paths
//! form a square: 0 - 2 - 1 - 3 - 0.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::testing::hooks::dying_after;
use lockfree_cuckoo::testing::{Descriptors, Internals};
use lockfree_cuckoo::{
    CuckooFilter, InsertError,
    layout::{Lanes, Layout, SemiSorted},
};
use loom_tests::check::{Bound, check};
use loom_tests::race::{
    Race, Told, act, admit, hop, insert, insert_in_vain, race, remove, see, try_admit, try_hop,
    try_insert,
};
use loom_tests::tiny::{self, Default, Item, apart, far, near, square};

fn on_a_square(least: usize, descriptors: usize) -> Race<CuckooFilter> {
    race(least, move || square::<Default>(descriptors))
}

/// Returns items that fill buckets 0 and 2. The only exit is the token `far(0, 0)` in bucket 0,
/// which can move to bucket 3.
fn full_pair_with_one_exit() -> impl Iterator<Item = Item> {
    [far(0, 0)].into_iter().chain((0..7).map(|n| near(0, n)))
}

/// Does the same with two exits: another token, in bucket 2, can move to bucket 1.
fn full_pair_with_two_exits() -> impl Iterator<Item = Item> {
    let exits = [far(0, 0), far(2, 1)].into_iter();
    exits.chain((0..6).map(|n| near(0, n)))
}

/// Does the same with one exit, whose bucket is full too, except that the token `near(3, 7)` can
/// move to bucket 1. The rest of the buckets 3 and 1 is filled evenly.
fn full_pair_with_two_hops() -> impl Iterator<Item = Item> {
    let rest = [7, 20, 21, 22, 23, 24, 25].map(|n| near(3, n));
    full_pair_with_one_exit().chain(rest)
}

/// Buckets 0 and 2 are full, and one token can move from 0 to 3.
fn the_victim_of_a_kick_is_seen<L: Layout>() {
    for bucket in [0, 3] {
        race(20, || square::<L>(1))
            .large()
            .holding([apart::<L>(3, 0, 0)])
            .holding((1..2 * L::SLOTS).map(|n| apart::<L>(2, 0, n)))
            .thread([insert(apart::<L>(2, 0, 100))])
            .thread([see(apart::<L>(3, bucket, 0))])
            .check();
    }
}

/// The victim of a kick is seen in each layout.
#[test]
fn kick_in_each_layout() {
    the_victim_of_a_kick_is_seen::<Lanes<2, 31>>();
    the_victim_of_a_kick_is_seen::<SemiSorted<4, 17>>();
}

/// A lookup sees the victim of a kick and a remove takes it.
#[test]
fn victim_of_a_kick() {
    for bucket in [0, 3] {
        for victim in [see(far(bucket, 0)), remove(far(bucket, 0))] {
            on_a_square(50, 1)
                .holding(full_pair_with_one_exit())
                .thread([insert(near(0, 10))])
                .thread([victim])
                .check();
        }
    }
}

#[test]
fn two_kicks_share_one_vacant_slot() {
    race(50, || tiny::filter::<Default>(4, 2, 4))
        .large()
        .holding(full_pair_with_one_exit())
        // Bucket 3 keeps one vacant slot, and bucket 1 none, so the table has one.
        .holding((20..27).map(|n| near(1, n)))
        .thread([try_insert(near(0, 11))])
        .thread([try_insert(near(0, 10))])
        .after([act(Told::Nothing, |filter: &CuckooFilter| {
            assert_eq!(filter.len(), 16, "one vacant slot was not given away once");
            Told::Nothing
        })])
        .check();
}

/// Lookups see both victims of two hops and removes take them.
#[test]
fn victims_of_two_hops() {
    for (first, second) in [(near(1, 7), far(0, 0)), (near(3, 7), far(3, 0))] {
        let hops = || {
            let square = on_a_square(50, 1).holding(full_pair_with_two_hops());
            square.thread([insert(near(0, 10))])
        };
        hops().large().thread([see(first), see(second)]).check();
        hops().thread([remove(first), remove(second)]).check();
    }
}

/// An opened slot belongs to the insert that opened it. The rival finds no path of its own: the one
/// token that its search examines leads to a full bucket. It is refused whatever the other insert
/// does, unless it can take the slot that the other has opened.
#[test]
fn opened_slot_has_an_owner() {
    // Two roots and one neighbour.
    race(50, || tiny::filter::<Default>(4, 2, 3))
        // The first tokens of the buckets 0 and 2 lead to bucket 3, which is empty, and to bucket
        // 1.
        .holding(full_pair_with_two_exits())
        .holding((2..6).map(|n| far(1, n)))
        .thread([insert(near(0, 10))])
        .thread([insert_in_vain(near(2, 11))])
        .check();
}

/// An admission races with a kick that places an equal token.
#[test]
fn admission_against_kick() {
    for bucket in [0, 2] {
        on_a_square(50, 2)
            .large()
            .holding(full_pair_with_one_exit())
            .thread([insert(near(0, 10)), see(near(2, 10))])
            // Opens a slot for the admission to freeze.
            .thread([remove(near(bucket, 6)), try_admit(near(bucket, 10))])
            .check();
    }
}

/// Two owners share a descriptor over unrelated buckets.
#[test]
fn two_owners_of_a_descriptor() {
    on_a_square(50, 1)
        .holding([near(0, 0), near(1, 0)])
        .thread([try_hop(near(0, 0))])
        .thread([try_hop(near(1, 0))])
        .thread([see(near(2, 0))])
        .check();
}

/// One owner uses a descriptor twice over unrelated buckets.
#[test]
fn descriptor_used_twice() {
    for bucket in [0, 2] {
        on_a_square(50, 1)
            .large()
            .holding([near(0, 0), near(1, 1)])
            .thread([hop(near(0, 0)), hop(near(1, 1))])
            .thread([see(near(bucket, 0)), see(near(bucket ^ 1, 1))])
            .check();
    }
}

#[test]
fn a_descriptor_admits_twice() {
    on_a_square(10, 1)
        .thread([admit(near(0, 0)), admit(near(1, 1))])
        .thread([see(near(1, 1)), see(near(0, 0))])
        .after([see(near(0, 0)), see(near(1, 1))])
        .check();
}

/// Each of two threads inserts an item and then looks for the other's. With Acquire and Release
/// alone, each of two threads may write one word and then read the old value of the other (store
/// buffering). x86 does not do this after a locked instruction; the memory model allows it, and
/// other machines do it.
#[test]
fn store_buffering() {
    let crosswise = |descriptors| on_a_square(10, descriptors).in_one_order();
    crosswise(1)
        .thread([insert(near(1, 0)), see(near(0, 0))])
        .thread([insert(near(0, 0)), see(near(1, 0))])
        .check();
    crosswise(2)
        .thread([admit(near(1, 0)), see(near(0, 0))])
        .thread([admit(near(0, 0)), see(near(1, 0))])
        .check();
    // One of the inserts is the last hop of a path, which a commit makes effective.
    crosswise(1)
        .holding(full_pair_with_one_exit())
        .thread([insert(near(0, 10)), see(near(1, 11))])
        .thread([insert(near(1, 11)), see(near(0, 10))])
        .check();
}

/// A remove must see that another token came first, because its own thread knows it: the thread
/// that added that token did not see this one's insert. Otherwise the remove clears the old token
/// without a bump, and a lookup that read the other bucket before misses both.
///
/// The fingerprint is not the lowest one, which the first attempt never removes if it is alone in a
/// bucket.
#[test]
fn a_remove_reads_its_pair_in_the_one_order() {
    for first in [0, 2] {
        on_a_square(50, 1)
            .in_one_order()
            .holding([near(2, 1)])
            .thread([insert(near(1, 0)), remove(near(0, 1))])
            .thread([see(near(first, 1))])
            .thread([insert(near(0, 1)), see(near(1, 0))])
            .check();
    }
}

/// Its descriptor is lost and there is no other. Another kick is still refused in finite time.
#[test]
fn a_dead_kick_loses_nothing() {
    // Two tokens can leave the full pair, one for each of the two inserts.
    let kick = || {
        on_a_square(1, 1)
            .holding(full_pair_with_two_exits())
            .thread([insert(near(0, 10))])
            .thread([see(far(3, 0))])
    };
    let other = near(0, 11);
    kick()
        .after([try_insert(other), see(other)])
        .check_deaths(20);
    kick().after([insert(other), see(other)]).check();
}

/// Its descriptor is lost. Another kick adds one.
#[test]
fn a_dead_kick_costs_a_descriptor() {
    let other = near(0, 11);
    race(1, tiny::square_that_adds_descriptors::<Default>)
        .holding(full_pair_with_two_exits())
        .thread([insert(near(0, 10))])
        .thread([see(far(3, 0))])
        .after([insert(other), see(other)])
        .check_deaths(20);
}

/// Two owners add a descriptor over unrelated buckets. In some schedules both find the only
/// descriptor taken, and both add one; the lookup finds references to the added ones.
#[test]
fn two_owners_add_a_descriptor() {
    race(50, tiny::square_that_adds_descriptors::<Default>)
        .holding([near(0, 0), near(1, 0)])
        .thread([hop(near(0, 0))])
        .thread([hop(near(1, 0))])
        .thread([see(near(2, 0))])
        .check();
}

/// A reference to an added descriptor is resolved. One thread keeps the first descriptor. The
/// others add a segment, and resolve references to it.
#[test]
fn reference_to_added_descriptor() {
    let without_the_first = || {
        let taken = act(Told::Nothing, |filter: &CuckooFilter| {
            // Between the claim and the install of the first reference.
            let died = dying_after(9, || filter.relocate_hash(near(0, 0).hash));
            assert!(died.is_none(), "it lives on");
            Told::Nothing
        });
        race(20, tiny::square_that_adds_descriptors::<Default>)
            .large()
            .holding([near(0, 0)])
            .before([taken])
    };
    for reader in [see(near(2, 0)), remove(near(2, 0))] {
        without_the_first()
            .thread([try_hop(near(0, 0))])
            .thread([reader])
            .check();
    }
    without_the_first()
        .thread([admit(near(1, 1)), see(near(0, 0))])
        .thread([admit(near(1, 1)), hop(near(0, 0))])
        .check();
}

#[test]
fn a_leaked_descriptor_can_be_reclaimed() {
    check(Bound::Usual, 1, || {
        let builder = CuckooFilter::builder().buckets(4).seed(0);
        let mut filter = builder.descriptors(1).build().expect("valid");
        let kick = near(0, 10).hash;
        let fill = |filter: &CuckooFilter| {
            for item in full_pair_with_one_exit() {
                filter.insert_hash(item.hash).expect("room");
            }
        };
        fill(&filter);
        // Between the claim and the install of the first reference.
        assert!(dying_after(12, || filter.insert_hash(kick)).is_none());
        let refused = filter.insert_hash(kick);
        assert_eq!(refused, Err(InsertError::NoDescriptor));
        filter.clear();
        fill(&filter);
        filter.insert_hash(kick).expect("a descriptor");
        assert_eq!(filter.len(), 9);
    });
}
