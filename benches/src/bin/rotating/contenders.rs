//! Contenders that forget items by age: adapts how each ends a period.

use std::mem;

use cuckoo_clock::config::TtlConfig;
use expiring_atomic_filter::{ExpiringAtomicFilter, ExpiringAtomicFilterBuilder};
use fastbloom::BloomFilter;
use lockfree_cuckoo::RotatingCuckooFilter;
use lockfree_cuckoo_benches::rivals::Ready;
use lockfree_cuckoo_benches::rivals::filters::{CuckooClock, FALSE_POSITIVES, cuckoo_clock_config};
use lockfree_cuckoo_benches::{Calls, Contender};
use parking_lot::Mutex;

/// A contender that holds the items of two periods.
pub(crate) trait Turning: Contender {
    /// Makes an empty contender for this many items in a window.
    fn with_window(items: usize) -> Self {
        Self::with_capacity(items)
    }

    /// Ends a period: forgets the items that were inserted before the last turn.
    fn turn(&mut self);
}

/// A visitor of rotating contenders of any type.
pub(crate) trait Visitor {
    fn visit<C: Turning>(&mut self, name: &'static str);
}

/// Visits the rotating filter, then its rivals.
pub(crate) fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit::<RotatingCuckooFilter>("rotating");
    visitor.visit::<Expiring>("expiring-atomic-filter");
    visitor.visit::<Clock>("cuckoo-clock");
    visitor.visit::<Blooms>("fastbloom, two in a mutex");
}

impl Turning for RotatingCuckooFilter {
    /// Makes a filter whose capacity is that of a generation.
    fn with_window(items: usize) -> Self {
        Self::with_capacity(items.div_ceil(2))
    }

    fn turn(&mut self) {
        self.rotate().expect("no other thread rotates");
    }
}

/// `expiring-atomic-filter`: a ring of three `atomic-cuckoo-filter`s. It reads the system's clock
/// in each insert.
pub(crate) struct Expiring(ExpiringAtomicFilter<Ready>);

/// The seconds of a period. No measurement takes as long.
const PERIOD: u64 = 3600;

impl Contender for Expiring {
    const REMOVES: bool = false;
    // Its `insert_unique` looks into the youngest table only.
    const UNIQUE: bool = false;
    const CALLS: Calls = Calls {
        insert: "adds a copy",
        insert_unique: "none: it looks into the youngest table only",
    };

    fn with_capacity(items: usize) -> Self {
        let filter = ExpiringAtomicFilterBuilder::default()
            .capacity(items.div_ceil(2))
            .fingerprint_size(16)
            .ttl(PERIOD)
            .expiration_period(PERIOD)
            .build();
        Self(filter.expect("the size is possible"))
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        // Its capacity leaves out one table of three.
        let slots = self.0.capacity() / 2 * 3;
        (Some(slots), Some(slots * size_of::<u16>()))
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.0.insert(&hash).is_ok()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.contains(&hash)
    }
}

impl Turning for Expiring {
    fn turn(&mut self) {
        // Pretend that the period has passed.
        self.0.created -= PERIOD;
        self.0.expire();
    }
}

/// `cuckoo-clock` with two bits of age: one table, in which a turn looks at each slot.
pub(crate) struct Clock(CuckooClock);

impl Contender for Clock {
    const EXACT: bool = false;
    const REMOVES: bool = false;
    const UNIQUE: bool = CuckooClock::UNIQUE;
    const CALLS: Calls = CuckooClock::CALLS;

    fn with_capacity(items: usize) -> Self {
        let ages = TtlConfig {
            ttl: 2.try_into().expect("not 0"),
            ttl_bits: 2.try_into().expect("two bits"),
        };
        let config = cuckoo_clock_config(items).with_ttl(ages).build();
        let config = config.expect("the size is possible");
        Self(CuckooClock::new(config, Default::default()))
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        self.0.size()
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        Contender::insert(&self.0, hash)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        Contender::contains(&self.0, hash)
    }
}

impl Turning for Clock {
    fn turn(&mut self) {
        self.0.scan_and_update_full();
    }
}

/// Two Bloom filters of `fastbloom` in one mutex: the young one takes the inserts.
pub(crate) struct Blooms(Mutex<[BloomFilter; 2]>);

impl Contender for Blooms {
    const REMOVES: bool = false;
    const CALLS: Calls = Calls {
        insert: "changes nothing",
        insert_unique: "a lookup in the old one, then `insert` into the young one",
    };

    fn with_capacity(items: usize) -> Self {
        // A lookup asks both, so each has half of the rate.
        let filter = || BloomFilter::with_false_pos(FALSE_POSITIVES / 2.0);
        Self(Mutex::new(
            [(); 2].map(|()| filter().expected_items(items.div_ceil(2))),
        ))
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        let bits = self
            .0
            .lock()
            .iter()
            .map(BloomFilter::num_bits)
            .sum::<usize>();
        (None, Some(bits / 8))
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.0.lock()[0].insert_hash(hash);
        true
    }

    #[inline]
    fn insert_unique(&self, hash: u64) -> bool {
        let [young, old] = &mut *self.0.lock();
        !old.contains_hash(hash) && !young.insert_hash(hash)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        let filters = self.0.lock();
        filters.iter().any(|filter| filter.contains_hash(hash))
    }
}

impl Turning for Blooms {
    fn turn(&mut self) {
        let [young, old] = self.0.get_mut();
        mem::swap(young, old);
        young.clear();
    }
}

#[cfg(test)]
mod tests {
    use lockfree_cuckoo_benches::Keys;

    use super::*;

    struct Check(Keys);

    impl Visitor for Check {
        fn visit<C: Turning>(&mut self, name: &'static str) {
            let Keys { stored, absent, .. } = &self.0;
            let mut table = C::with_window(stored.len() * 5 / 4);
            let (first, second) = stored.split_at(stored.len() / 2);
            for _ in 0..4 {
                for half in [first, second] {
                    assert_eq!(table.insert_each(half), half.len(), "{name}");
                    assert_eq!(table.contains_each(half), half.len(), "{name}");
                    table.turn();
                    assert_eq!(table.contains_each(half), half.len(), "{name}");
                    // The half before has been forgotten, but for false positives.
                    let other = if half == first { second } else { first };
                    let left = table.contains_each(other);
                    assert!(left < other.len() / 100, "{name}: {left}");
                }
            }
            assert!(table.contains_each(absent) < absent.len() / 500, "{name}");
        }
    }

    struct CheckUnique(Keys);

    impl Visitor for CheckUnique {
        fn visit<C: Turning>(&mut self, name: &'static str) {
            if !C::UNIQUE {
                return;
            }
            let stored = &self.0.stored;
            let mut table = C::with_window(stored.len() * 5 / 4);
            let (first, second) = stored.split_at(stored.len() / 2);
            assert_eq!(table.insert_each(first), first.len(), "{name}");
            for (old, new) in [(first, second), (second, first), (first, second)] {
                table.turn();
                let colliding = table.contains_each(new);
                let added = table.insert_unique_each(new);
                assert!(added + colliding + 10 >= new.len(), "{name}: {added}");
                // Both are known, the old ones in the old part.
                for known in [old, new] {
                    assert_eq!(table.insert_unique_each(known), 0, "{name}");
                    assert_eq!(table.contains_each(known), known.len(), "{name}");
                }
            }
        }
    }

    #[test]
    fn unique_inserts_ask_the_whole_window() {
        visit_all(&mut CheckUnique(Keys::generate(20_000)));
    }

    #[test]
    fn items_stay_for_one_turn_and_leave_with_the_second() {
        visit_all(&mut Check(Keys::generate(20_000)));
    }
}
