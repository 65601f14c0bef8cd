//! Snapshots while others write.

use lockfree_cuckoo::SnapshotError;
use lockfree_cuckoo::testing::hooks::Event;
use model::Layout;
use model::geometry::Geometry;
use shuttle_tests::explore::explore;
use shuttle_tests::threads::together;

use crate::caravan::{Caravan, Filter, filter};

/// A snapshot, or nothing if another thread is taking one.
fn snapshot(filter: &Filter) -> Option<Filter> {
    match filter.snapshot() {
        Ok(copy) => Some(copy),
        Err(error) => {
            assert_eq!(error, SnapshotError::Busy, "so little cannot disturb it");
            None
        }
    }
}

#[test]
fn holds_riders_that_hop() {
    let needed = [Event::Hint, Event::Hop, Event::Kick, Event::Abort];
    explore("snapshots of riders that hop", 5_000, &needed, || {
        let caravan = Caravan::new(16, 3, None);
        let taken = together(4, |number| {
            if number < 2 {
                caravan.keep_pushing(number, 12);
                return 0;
            }
            let copies = (0..2).filter_map(|_| snapshot(&caravan.filter));
            copies
                .map(|copy| {
                    for hashes in &caravan.riders {
                        let copied = copy.count_hash(hashes[0]);
                        assert_eq!(copied, 1, "a hopping token was not copied once");
                    }
                    for &hash in &caravan.ballast {
                        assert_eq!(
                            copy.count_hash(hash),
                            1,
                            "a token at rest was not copied once"
                        );
                    }
                })
                .count()
        });
        assert!(taken.iter().sum::<usize>() > 0, "all found another at it");
        caravan.check_complete();
    });
}

/// One mover, so that there are many schedules in which it stands still between two of its accesses while a whole
/// snapshot is taken.
#[test]
fn holds_the_only_token_that_hops() {
    let needed = [Event::Hint, Event::Kick, Event::Abort];
    explore("snapshots of one that hops", 12_000, &needed, || {
        let caravan = Caravan::new(8, 1, None);
        together(2, |number| {
            if number == 0 {
                caravan.keep_pushing(0, 24);
                return;
            }
            for _ in 0..3 {
                let copy = snapshot(&caravan.filter).expect("nobody else takes one");
                let copied = copy.count_hash(caravan.riders[0][0]);
                assert_eq!(copied, 1, "a hopping token was not copied once");
            }
        });
        caravan.check_complete();
    });
}

#[test]
fn holds_one_of_two_equal_tokens_that_come_and_go() {
    let needed = [Event::Hint, Event::Twin];
    explore("snapshots of equal tokens", 3_000, &needed, || {
        let filter = filter(8, None);
        let geometry = Geometry::with_slots(Layout::DEFAULT, filter.slots());
        let hashes = geometry.both_orders(geometry.class(geometry.hash(3, 7_777, 0)));
        filter.insert_hash(hashes[0]).expect("empty");
        together(2, |number| {
            if number == 0 {
                for at in 0..40 {
                    filter.insert_hash(hashes[at % 2]).expect("eight slots");
                    assert!(filter.remove_hash(hashes[at % 2]), "a copy was lost");
                }
            } else {
                let copy = snapshot(&filter).expect("nobody else takes one");
                let copied = copy.count_hash(hashes[0]);
                assert!((1..=2).contains(&copied), "a token was not copied");
            }
        });
        assert_eq!((filter.len(), filter.count_hash(hashes[0])), (1, 1));
    });
}
