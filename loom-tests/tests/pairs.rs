//! Tables of two buckets, the candidates of all tokens: lookups, removes and admissions race with
//! calls that move tokens.
//!
//! The most important races run in three layouts: lanes, where a reference uses the top bits; two
//! slots, so that fewer tokens fill a bucket, and a tag marks a reference; semi-sorted, where
//! fingerprints change places in a bucket, and a code marks a reference.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::{
    CuckooFilter, Filter,
    filter::{Fixed, Rotating},
    layout::{Lanes, Layout, SemiSorted},
};
use loom_tests::check::publishes;
use loom_tests::race::{
    Act, Race, Told, act, admit, count, hop, insert, race, remove, see, try_hop, try_insert,
};
use loom_tests::tiny::{Default, F, G, H, ORDERS, at, at_of, pair};
use model::Fingerprint;

/// Sorts below `F`, with its highest bits.
const BELOW: Fingerprint = 0x1011;

fn race_of<L: Layout>(least: usize, descriptors: usize) -> Race<Filter<Fixed<L>>> {
    race(least, move || pair(descriptors))
}

fn race_in_lanes(least: usize, descriptors: usize) -> Race<CuckooFilter> {
    race_of(least, descriptors)
}

fn a_lookup_sees_a_token_that_hops<L: Layout>() {
    let at = at_of::<L>;
    for (source, first) in ORDERS {
        race_of::<L>(50, 1)
            .holding([at(source, F)])
            .thread([hop(at(source, F))])
            .thread([see(at(first, F)), see(at(first, BELOW))])
            .after([see(at(first, F))])
            .check();
    }
}

/// Lets a token hop from either bucket, while a thread that reads either bucket first makes a call.
fn while_it_hops<L: Layout, const N: usize>(
    descriptors: usize,
    other: impl Fn(usize, usize) -> [Act<Filter<Fixed<L>>>; N],
) {
    let at = at_of::<L>;
    for (source, first) in ORDERS {
        race_of::<L>(50, descriptors)
            .holding([at(source, F)])
            .thread([try_hop(at(source, F))])
            .thread(other(source, first))
            .check();
    }
}

fn a_remove_takes_a_token_that_hops<L: Layout>() {
    let at = at_of::<L>;
    while_it_hops::<L, _>(1, |_, first| {
        let [one, other] = [first, 1 - first].map(|first| see(at(first, F)));
        // A thread sees its own remove: the class is empty now, wherever the mover is.
        [remove(at(first, F)), one, other]
    });
}

fn a_token_that_hops_is_not_admitted<L: Layout>() {
    while_it_hops::<L, _>(2, |_, first| [admit(at_of::<L>(first, F))]);
}

/// The same target, and each with the other's witness as its target.
fn one_of_two_is_admitted<L: Layout>() {
    let at = at_of::<L>;
    for (mine, theirs) in [(0, 0), (0, 1), (1, 0)] {
        race_of::<L>(50, 2)
            .thread([admit(at(theirs, F))])
            .thread([admit(at(mine, F))])
            .check();
    }
}

/// The other token of the bucket changes its place in the word, or its slot.
fn a_neighbour_may_come_and_go<L: Layout>() {
    let at = at_of::<L>;
    while_it_hops::<L, _>(1, |source, first| {
        let come = insert(at(source, BELOW));
        [come, see(at(first, F)), remove(at(first, BELOW))]
    });
}

/// A removal from a table that is emptied is counted once. The rotation empties the table of the
/// oldest generation.
fn removal_during_emptying<L: Layout>() {
    let at = at_of::<L>;
    let filter = || {
        let builder = Filter::<Rotating<L>>::builder().buckets(2).seed(0);
        builder.build().expect("a valid size")
    };
    let rotate = || {
        act(Told::Rotated, |filter: &Filter<Rotating<L>>| {
            filter.rotate().expect("no thread is in the way for long");
            Told::Rotated
        })
    };
    race(10, filter)
        .generations(2)
        .holding([at(0, F), at(0, BELOW)])
        .before([rotate()])
        .thread([rotate()])
        .thread([remove(at(0, F))])
        .check();
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
                removal_during_emptying
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
    lanes: Default;
    two_slots: Lanes<2, 31>;
    semi_sorted: SemiSorted<4, 17>;
}

/// A lookup sees a token that hops there and back.
#[test]
fn lookup_sees_token_hop_back() {
    for (source, first) in ORDERS {
        race_in_lanes(50, 1)
            .large()
            .holding([at(source, F)])
            .thread([hop(at(source, F)), hop(at(1 - source, F))])
            .thread([see(at(first, F))])
            .check();
    }
}

#[test]
fn a_lookup_sees_a_token_between_two_movers() {
    // In opposite directions, and both in one direction.
    for (other, first) in [(1, 0), (1, 1), (0, 0), (0, 1)] {
        race_in_lanes(50, 2)
            .large()
            .holding([at(0, F)])
            .thread([try_hop(at(0, F))])
            .thread([try_hop(at(other, F))])
            .thread([see(at(first, F))])
            .check();
    }
}

/// A lookup sees one of two equal tokens that come and go: the false negative that needs no
/// relocation. The lookup reads the empty bucket. An equal token is inserted there, because it is
/// emptier. The other one is removed before the lookup reads its bucket.
#[test]
fn lookup_sees_equal_tokens() {
    for (source, first) in ORDERS {
        let race = || {
            race_in_lanes(10, 1)
                .holding([at(source, F)])
                .thread([insert(at(source, F)), remove(at(source, F))])
        };
        race().thread([see(at(first, F))]).check();
        race()
            .thread([try_hop(at(1 - source, F))])
            .thread([see(at(first, F))])
            .check();
    }
}

/// A lookup is not led astray by an unrelated token that hops.
#[test]
fn unrelated_token_hops() {
    for (source, first) in ORDERS {
        race_in_lanes(50, 1)
            // The second goes to the emptier bucket.
            .holding([at(source, F), at(source, G)])
            .thread([hop(at(1 - source, G))])
            .thread([see(at(first, F)), see(at(first, H))])
            .check();
    }
}

#[test]
fn a_token_that_hops_is_counted() {
    while_it_hops::<Default, _>(1, |_, first| [count(at(first, F))]);
}

/// A hit publishes the writes before the insert.
#[test]
fn hit_publishes_writes() {
    let filter = || pair::<Default>(1);
    let insert = |filter: &CuckooFilter| filter.insert_hash(at(0, F).hash).expect("room");
    for hash in [at(0, F).hash, at(1, F).hash] {
        publishes(2, filter, insert, move |filter| filter.contains_hash(hash));
        publishes(10, filter, insert, move |filter| {
            filter.insert_unique_hash(hash) == Ok(false)
        });
    }
}

#[test]
fn two_removes_take_two_tokens_or_share_one() {
    for (first, copies, least) in [(0, 2, 50), (1, 2, 50), (0, 1, 1_000), (1, 1, 1_000)] {
        race_in_lanes(least, 1)
            .large()
            .holding(vec![at(0, F); copies])
            .thread([try_hop(at(0, F))])
            .thread([remove(at(0, F))])
            .thread([remove(at(first, F))])
            .check();
    }
}

/// After a plain insert has returned, all threads find the item.
#[test]
fn an_admission_races_with_a_plain_insert() {
    for (plain, first) in [(0, 0), (0, 1), (1, 0)] {
        race_in_lanes(50, 2)
            .thread([insert(at(plain, F)), admit(at(plain, F))])
            .thread([admit(at(first, F))])
            .check();
    }
}

/// A lookup does not see an item that then disappears without a remove.
#[test]
fn a_found_item_stays() {
    for (first, read_first) in [(0, 0), (0, 1), (1, 0)] {
        race_in_lanes(50, 2)
            .large()
            .thread([admit(at(first, F))])
            .thread([admit(at(1 - first, F))])
            .thread([see(at(read_first, F)), see(at(1 - read_first, F))])
            .check();
    }
}

/// An equal token in a frozen witness counts. A relocation freezes the witness while it holds an
/// equal token at rest.
#[test]
fn equal_token_in_frozen_witness() {
    race_in_lanes(50, 3)
        .holding([at(0, G), at(1, H)])
        .thread([admit(at(0, F)), try_hop(at(0, G))])
        .thread([admit(at(1, F))])
        .check();
}

/// Two removes take the two tokens of one class. One of the two `insert_unique` that follow finds
/// it empty.
#[test]
fn two_removes_two_admissions() {
    race_in_lanes(50, 2)
        .in_one_order()
        .holding([at(0, F), at(1, F)])
        .thread([remove(at(1, F)), admit(at(1, F))])
        .thread([remove(at(0, F)), admit(at(0, F))])
        .check();
}

#[test]
fn a_helper_does_not_decide_a_later_use() {
    race_in_lanes(50, 1)
        .holding([at(0, F)])
        .thread([try_hop(at(0, F)), try_hop(at(1, F))])
        .thread([insert(at(0, G))])
        .check();
}

/// The lookup may hold a reference of the first use while it reads the fields of the second, which
/// has the two buckets in the opposite order. With one descriptor the mover shares it; with eight
/// it has its own.
#[test]
fn a_token_at_rest_is_seen_behind_two_uses() {
    for (first, descriptors) in [(0, 1), (1, 1), (0, 8), (1, 8)] {
        race_in_lanes(50, descriptors)
            .holding([at(0, F), at(0, G)])
            .before([hop(at(1, G))])
            .thread([hop(at(0, G)), hop(at(1, G))])
            .thread([see(at(first, F))])
            .check();
    }
}

#[test]
fn a_descriptor_admits_and_relocates() {
    for first in [0, 1] {
        race_in_lanes(50, 1)
            .large()
            .holding([at(0, F)])
            .thread([admit(at(1, G)), try_hop(at(0, F))])
            .thread([see(at(first, F)), see(at(first, G)), see(at(1 - first, G))])
            .check();
    }
}

/// A thread stops permanently at any access: no other thread waits for it and nothing is lost.
#[test]
fn a_dead_mover_loses_nothing() {
    let race = || {
        let race = race_in_lanes(1, 1).holding([at(0, F)]);
        race.thread([try_hop(at(0, F))])
    };
    race()
        .thread([see(at(1, F))])
        .after([
            see(at(0, F)),
            insert(at(0, G)),
            remove(at(1, F)),
            see(at(1, F)),
            see(at(1, G)),
        ])
        .check_deaths(15);
    race()
        .thread([remove(at(1, F)), insert(at(1, G))])
        .check_deaths(15);
}

#[test]
fn a_dead_admission_is_all_or_nothing() {
    race_in_lanes(1, 2)
        .thread([admit(at(1, F))])
        .thread([admit(at(0, F))])
        .after([see(at(0, F)), remove(at(1, F)), see(at(0, F))])
        .check_deaths(15);
}

/// Inserts and a remove share a nearly full pair. At most one of the inserts finds a slot before
/// the remove has made room, and the count is exact.
#[test]
fn nearly_full_pair() {
    race_in_lanes(50, 1)
        .holding((0x100..0x107).map(|fingerprint| at(0, fingerprint)))
        .thread([try_insert(at(0, F))])
        .thread([remove(at(1, 0x100))])
        .thread([try_insert(at(0, G))])
        .check();
}
