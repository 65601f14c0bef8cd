//! A fixed filter, nearly full. A worker writes what it is about to do with an item, and the answer,
//! to its journal. An item with an answer is there or not, as that says. The item of the last call
//! of a worker that was killed may be either. All workers also race for some common items, by
//! check-and-inserts and removes: of each there is one at most.

use std::ops::Range;
use std::sync::atomic::Ordering;

use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{CuckooFilter, SharedFilter};

use super::{Cells, Numbers, WORKERS, Work, cells, fail, hash};

/// The items of one worker, and those of all.
const OWN: u64 = 40;
const COMMON: Range<u64> = WORKERS * OWN..WORKERS * OWN + 8;

/// So many that an item in two finds a full pair.
const BUCKETS: usize = 96;

/// What a journal says of an item.
const ABSENT: u64 = 0;
const STORED: u64 = 1;
const ADDING: u64 = 2;
const REMOVING: u64 = 3;

pub(super) struct Items {
    filter: SharedFilter,
    journal: Cells,
}

impl Items {
    pub(super) fn new() -> Self {
        let builder = CuckooFilter::builder().buckets(BUCKETS).seed(1);
        Self {
            filter: builder.build_shared().expect("memory"),
            journal: cells(COMMON.start),
        }
    }

    fn says(&self, item: u64) -> u64 {
        self.journal[item as usize].load(Ordering::SeqCst)
    }

    fn note(&self, item: u64, what: u64) {
        self.journal[item as usize].store(what, Ordering::SeqCst);
    }

    /// Compares items with the journal, and completes that.
    fn check(&self, items: Range<u64>) {
        for item in items {
            let stored = self.filter.contains_hash(hash(item));
            match (self.says(item), stored) {
                (STORED, false) => fail(&format!("item {item} is lost")),
                (ABSENT, true) => fail(&format!("item {item} was invented, or not removed")),
                (STORED, true) | (ABSENT, false) => {}
                (_, stored) => self.note(item, if stored { STORED } else { ABSENT }),
            }
        }
    }

    fn add(&self, item: u64, by_plain_insert: bool) {
        self.note(item, ADDING);
        let added = if by_plain_insert {
            self.filter.insert_hash(hash(item)).map(|()| true)
        } else {
            self.filter.insert_unique_hash(hash(item))
        };
        match added {
            Ok(true) => self.note(item, STORED),
            Ok(false) => fail(&format!("item {item} was there already")),
            // The table is nearly full.
            Err(_) => self.note(item, ABSENT),
        }
    }

    fn remove(&self, item: u64) {
        self.note(item, REMOVING);
        if !self.filter.remove_hash(hash(item)) {
            fail(&format!("item {item} cannot be removed"));
        }
        self.note(item, ABSENT);
    }
}

fn own(place: u64) -> Range<u64> {
    place * OWN..(place + 1) * OWN
}

impl Work for Items {
    fn begin(&self, place: u64) {
        // The last call of the dead one may take effect as long as a word is frozen by it:
        // afterwards it has, or never will.
        self.filter.recover();
        self.check(own(place));
    }

    fn call(&self, place: u64, numbers: &mut Numbers) {
        let filter = &self.filter;
        let item = own(place).start + numbers.below(OWN);
        let common = hash(COMMON.start + numbers.below(COMMON.end - COMMON.start));
        match (self.says(item), numbers.below(256)) {
            (ABSENT, turn) => self.add(item, turn < 32),
            (_, 0..64) => self.remove(item),
            (_, 64..96) => drop(filter.relocate_hash(hash(item))),
            (_, 96..128) => drop(filter.insert_unique_hash(common)),
            (_, 128..160) => drop(filter.remove_hash(common)),
            (_, 160) => drop(filter.recover()),
            (_, 161) => drop(filter.snapshot()),
            _ if !filter.contains_hash(hash(item)) => fail(&format!("item {item} is missed")),
            _ => {}
        }
    }

    fn end(&self, _: u64) -> String {
        let filter = &self.filter;
        // No one is left: whatever the dead held is taken back, and the rest is exact.
        filter.recover();
        assert_eq!(filter.claimed(), 0, "descriptors that no one uses");
        self.check(0..COMMON.start);
        let common: Vec<usize> = COMMON.map(|item| filter.count_hash(hash(item))).collect();
        assert!(common.iter().all(|&copies| copies <= 1), "{common:?}");
        let own = (0..COMMON.start).filter(|&item| self.says(item) == STORED);
        let stored = own.count() + common.iter().sum::<usize>();
        assert_eq!(filter.taken(), stored, "lost or invented");
        let copy = filter.snapshot().expect("no one scans");
        assert_eq!((copy.len(), copy.taken()), (stored, stored));
        String::new()
    }
}
