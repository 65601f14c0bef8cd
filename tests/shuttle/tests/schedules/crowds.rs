//! Items that many threads count, add, or keep.

use lockfree_cuckoo::testing::hooks::Event::{Help, Rejected, Twin};
use model::Layout;
use model::geometry::Geometry;
use shuttle_tests::{choice, explore, random_hash, together};

use crate::caravan::{Caravan, filter};

/// In a table large enough for cells of a thread's own. A quarter of the cells is shared, and there are more threads than
/// others.
#[test]
fn no_item_is_counted_twice_or_not_at_all() {
    // Nearly every insert finds room at once; what has to happen here is no event.
    explore(400, &[], || {
        let filter = filter(2_048, None);
        let stored = together(6, |_| {
            let inserted = (0..12).filter(|_| filter.insert_hash(random_hash()).is_ok());
            let inserted = inserted.count();
            assert!(filter.len() <= 72, "more than were ever inserted");
            inserted
        });
        let stored: usize = stored.iter().sum();
        assert_eq!(filter.len(), stored, "the count is off");
    });
}

/// Nobody else is about, so nobody is refused.
#[test]
fn exactly_one_of_six_admissions_is_told_true() {
    let needed = [Rejected, Help];
    explore(8_000, &needed, || {
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

/// A copy is added in one bucket before the copy in the other is removed, so that a reader can pass between
/// the two.
#[test]
fn a_class_that_is_never_empty_is_never_missed() {
    let needed = [Twin];
    explore(8_000, &needed, || {
        let filter = filter(8, None);
        let geometry = Geometry::with_slots(Layout::DEFAULT, filter.slots());
        let hashes = geometry.both_orders(geometry.class(geometry.hash(3, 7_777, 0)));
        filter.insert_hash(hashes[0]).expect("empty");
        let swappers = 1 + choice(2);
        together(swappers + 3, |number| {
            for at in 0..16 {
                let hash = hashes[(number + at) % 2];
                if number < swappers {
                    filter.insert_hash(hashes[at % 2]).expect("eight slots");
                    assert!(filter.remove_hash(hashes[at % 2]), "a copy was lost");
                } else {
                    assert!(filter.contains_hash(hash), "the class was never empty");
                    assert!(filter.count_hash(hash) > 0, "the class was never empty");
                }
            }
        });
        assert_eq!((filter.len(), filter.count_hash(hashes[0])), (1, 1));
    });
}
