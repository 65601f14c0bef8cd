//! Races to add an absent item.

use lockfree_cuckoo::testing::Relocate;
use lockfree_cuckoo::testing::hooks::Event;
use model::Layout;
use model::geometry::Geometry;
use shuttle_tests::explore::explore;
use shuttle_tests::threads::{choice, together};

use crate::caravan::{Caravan, filter};

/// Nobody else is about, so nobody is refused.
#[test]
fn exactly_one_of_six_is_told_true() {
    let needed = [Event::Rejected, Event::Help];
    explore("an absent item, six threads", 8_000, &needed, || {
        // All but one slot of each bucket on a road are taken, or none is.
        let road = Caravan::road(8, 2, None);
        let empty = filter(8, None);
        let filter = if choice(2) == 0 { &road.filter } else { &empty };
        let before = filter.len();
        let hashes = road.riders[0];
        let racers = 2 + choice(5);
        for _ in 0..2 {
            let outcomes = together(racers, |number| {
                let outcome = filter.insert_unique_hash(hashes[number % 2]);
                assert!(filter.contains_hash(hashes[(number + 1) % 2]), "missed");
                outcome.expect("room, and a descriptor each")
            });
            let winners = outcomes.iter().filter(|&&won| won).count();
            assert_eq!(winners, 1, "not exactly one was told true");
            assert_eq!(filter.count_hash(hashes[0]), 1, "not exactly one is in");
            assert!(filter.remove_hash(hashes[1]), "the winner's token");
        }
        assert_eq!(filter.len(), before);
    });
}

/// The road has two vacant slots, and pushes come and go: they move the one who is already in, and take the
/// slots that are raced for.
#[test]
fn at_most_one_is_told_true_among_movers() {
    let needed = [
        Event::Rejected,
        Event::Kick,
        Event::Broken,
        Event::Abort,
        Event::Help,
    ];
    explore("an absent item among movers", 10_000, &needed, || {
        let descriptors = [None, Some(1), Some(3)][choice(3)];
        let caravan = Caravan::road(8, 2, descriptors);
        let filter = &caravan.filter;
        let rider = |number: usize| caravan.riders[0][number % 2];
        filter
            .insert_hash(caravan.riders[1][0])
            .expect("three vacant slots");
        let outcomes = together(6, |number| {
            if number >= 4 {
                caravan.keep_pushing(number, 3);
                return None;
            }
            let outcome = filter.insert_unique_hash(rider(number)).ok();
            if outcome.is_some() {
                assert!(filter.contains_hash(rider(number + 1)), "missed");
            }
            outcome
        });
        let winners = outcomes.iter().filter(|&&won| won == Some(true)).count();
        let refused = outcomes[..4].iter().filter(|won| won.is_none()).count();
        assert!(
            winners == 1 || winners == 0 && refused == 4,
            "not exactly one was told true: {outcomes:?}"
        );
        caravan.check(&[winners, 1]);
        // And as many are told that they took it out again.
        let removed = together(6, |number| {
            if number >= 4 {
                caravan.keep_pushing(number, 2);
                return false;
            }
            filter.remove_hash(rider(number))
        });
        let removed = removed.iter().filter(|&&took| took).count();
        assert_eq!(removed, winners, "not exactly one token was removed");
        caravan.check(&[0, 1]);
    });
}

/// Racers that are done move neighbours of the token that was raced for, so that a late one finds its witness
/// frozen, with the winner's token at rest in it.
#[test]
fn a_winner_in_a_frozen_word_counts() {
    let needed = [Event::Rejected, Event::Hop, Event::Abort];
    explore("an absent item and neighbours", 8_000, &needed, || {
        let filter = filter(2, None);
        let geometry = Geometry::with_slots(Layout::DEFAULT, filter.slots());
        // From either bucket to the other.
        let neighbours = [200, 201].map(|f| geometry.both_orders(geometry.class(f)));
        for [hash, _] in neighbours {
            filter.insert_hash(hash).expect("eight slots");
        }
        for round in 0..2 {
            let outcomes = together(4, |number| {
                let hash = geometry.hash(number % 2, 100, 0);
                let outcome = filter.insert_unique_hash(hash);
                for neighbour in neighbours.into_iter().flatten() {
                    filter.relocate_hash(neighbour);
                }
                outcome.expect("room, and a descriptor each")
            });
            let winners = outcomes.iter().filter(|&&won| won).count();
            assert_eq!(winners, 1, "not exactly one was told true");
            assert!(filter.remove_hash(geometry.hash(round, 100, 0)), "a winner");
            assert_eq!(filter.len(), neighbours.len(), "the count is off");
        }
    });
}
