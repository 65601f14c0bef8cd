//! Equal tokens that come and go.

use lockfree_cuckoo::testing::hooks::Event;
use model::Layout;
use model::geometry::Geometry;
use shuttle_tests::explore::explore;
use shuttle_tests::threads::{choice, together};

use crate::caravan::{Caravan, filter};

/// A copy is added in one bucket before the copy in the other is removed, so that a reader can pass between
/// the two.
#[test]
fn a_class_that_is_never_empty_is_never_missed() {
    let needed = [Event::Twin];
    explore("equal tokens that come and go", 8_000, &needed, || {
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

/// The same among pushes that make either token hop.
#[test]
fn nor_while_its_tokens_hop() {
    let needed = [Event::Twin, Event::Repeat, Event::Kick, Event::Arrival];
    explore("equal tokens that hop", 8_000, &needed, || {
        let caravan = Caravan::road(8, 1, None);
        let filter = &caravan.filter;
        let hashes = caravan.riders[0];
        filter.insert_hash(hashes[0]).expect("two vacant slots");
        together(5, |number| match number {
            0 => caravan.keep_pushing(number, 16),
            1 | 2 => {
                for at in 0..12 {
                    // Pushes may have the slot.
                    if filter.insert_hash(hashes[at % 2]).is_ok() {
                        assert!(filter.remove_hash(hashes[at % 2]), "a copy was lost");
                    }
                }
            }
            _ => {
                for at in 0..24 {
                    let hash = hashes[(number + at) % 2];
                    assert!(filter.contains_hash(hash), "the class was never empty");
                    assert!(filter.count_hash(hash) > 0, "the class was never empty");
                }
            }
        });
        caravan.check(&[1]);
    });
}
