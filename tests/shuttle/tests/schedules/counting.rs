//! The count of items, in a table large enough for cells of a thread's own.

use lockfree_cuckoo::testing::hooks::Event;
use shuttle_tests::explore::explore;
use shuttle_tests::threads::{random_hash, together};

use crate::caravan::filter;

/// A quarter of the cells is shared, and there are more threads than others.
const BUCKETS: usize = 2_048;

#[test]
fn no_item_is_counted_twice_or_not_at_all() {
    // Nearly every insert finds room at once; what has to happen here is no event.
    let needed: [Event; 0] = [];
    explore("items that six threads count", 400, &needed, || {
        let filter = filter(BUCKETS, None);
        let stored = together(6, |_| {
            let inserted = (0..12).filter(|_| filter.insert_hash(random_hash()).is_ok());
            let inserted = inserted.count();
            assert!(filter.len() <= 72, "more than were ever inserted");
            inserted
        });
        assert_eq!(
            filter.len(),
            stored.iter().sum::<usize>(),
            "the count is off"
        );
    });
}
