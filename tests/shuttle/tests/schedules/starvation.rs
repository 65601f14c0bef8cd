//! One descriptor for all: whoever finds none tries again, and is refused in the end.

use lockfree_cuckoo::testing::hooks::Event;
use shuttle_tests::explore::explore;
use shuttle_tests::threads::together;

use crate::caravan::Caravan;

#[test]
fn one_descriptor_serves_six_threads() {
    let needed = [Event::Starved, Event::Hop, Event::Kick, Event::Arrival];
    explore("one descriptor for six", 4_000, &needed, || {
        let caravan = Caravan::new(16, 3, Some(1));
        together(6, |number| match number {
            0..4 => caravan.keep_pushing(number, 8),
            _ => (0..10).for_each(|_| caravan.look_for_riders()),
        });
        caravan.check_complete();
    });
}
