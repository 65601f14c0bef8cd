//! A window of three generations, as a server has one for tokens that may be used once. All workers
//! offer the same items, and rotate. The journal has, for each item, the number of rotations before
//! the call that was the last one to accept it.

use std::sync::atomic::Ordering;

use lockfree_cuckoo::filter::Rotating;
use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{RotatingCuckooFilter, SharedFilter};

use super::{Cells, Numbers, WORKERS, Work, cells, fail, hash};

const GENERATIONS: usize = 3;

/// Calls of one worker in one rotation of its own. An item is offered about three times between two
/// rotations of all.
const TURN: u64 = WORKERS * 900;

const ITEMS: u64 = 300;

/// So many that the items of a generation nearly fill it.
const BUCKETS: usize = 80;

pub(super) struct Window {
    filter: SharedFilter<Rotating>,
    /// For each item, 1 more than the rotations before it was accepted; 0 if it never was.
    accepted: Cells,
    /// The items that were accepted.
    total: Cells,
}

impl Window {
    pub(super) fn new() -> Self {
        let builder = RotatingCuckooFilter::builder().generations(GENERATIONS);
        Self {
            filter: (builder.buckets(BUCKETS).seed(1).build_shared()).expect("memory"),
            accepted: cells(ITEMS),
            total: cells(1),
        }
    }

    /// Whether an item that was accepted after so many rotations must still be there.
    fn is_alive(&self, accepted_after: u64) -> bool {
        self.filter.rotations() - accepted_after < GENERATIONS as u64
    }

    fn offer(&self, item: u64) {
        let before = self.filter.rotations();
        if self.filter.insert_unique_hash(hash(item)) != Ok(true) {
            return;
        }
        // Two calls that both accept the item note it one after the other. The one that is later
        // here reads the rotations after both calls, so one of the two was wrong if they are few.
        let last = self.accepted[item as usize].fetch_max(before + 1, Ordering::SeqCst);
        if last != 0 && self.is_alive(before.min(last - 1)) {
            fail(&format!("item {item} is accepted twice"));
        }
        self.total[0].fetch_add(1, Ordering::Relaxed);
    }

    fn look_up(&self, item: u64) {
        let accepted = self.accepted[item as usize].load(Ordering::SeqCst);
        let found = self.filter.contains_hash(hash(item));
        if !found && accepted != 0 && self.is_alive(accepted - 1) {
            fail(&format!("item {item} is lost"));
        }
    }
}

impl Work for Window {
    fn begin(&self, place: u64) {
        // One in two leaves that to others.
        if place.is_multiple_of(2) {
            self.filter.recover();
        }
    }

    fn call(&self, _: u64, numbers: &mut Numbers) {
        let item = numbers.below(ITEMS);
        if numbers.below(TURN) == 0 {
            let _ = self.filter.rotate_if(self.filter.rotations());
        } else if numbers.below(4) == 0 {
            self.look_up(item);
        } else {
            self.offer(item);
        }
    }

    fn end(&self, deaths: u64) -> String {
        let filter = &self.filter;
        filter.recover();
        assert_eq!(filter.claimed(), 0, "descriptors that no one uses");
        (0..ITEMS).for_each(|item| self.look_up(item));
        let rotations = filter.rotations();
        let accepted = self.total[0].load(Ordering::Relaxed);
        assert!(rotations * 1_000 > deaths && accepted > rotations);
        // What a rotation has forgotten does not come back for more than one life.
        (0..2 * (GENERATIONS + 1)).for_each(|_| filter.rotate().expect("no one else is there"));
        assert_eq!(filter.taken(), 0, "invented");
        format!(", {accepted} items were accepted once each in {rotations} rotations")
    }
}
