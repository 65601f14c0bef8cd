//! Recovery: takes back what dead processes held, in a table that several processes share.
//!
//! A process that is killed may have claimed descriptors, frozen words by them, and taken the right
//! to scan. No other call waits for it: writers settle the words, and claims take other
//! descriptors. Recovery gives these back to all.
//!
//! *Why it is sound.* The system has said that the owner runs no instruction any more, so it
//! freezes no further word. Of its last use both words are settled, and of each earlier use they
//! were written back before the next one began: so no word has a reference to the descriptor when
//! it is given back. (If the owner died while it wrote the fields, no word had the reference to
//! them, and to settle any other word is always permitted.) The number of an owner never comes
//! again, so of several processes that recover at once one gives the descriptor back, and none
//! takes it from the next owner. One that dies has done a part, and another does the rest.

use crate::fixed::tokens::TokenTable;
use crate::kernel::layout::Layout;
use crate::kernel::seats::Seats;

impl<L: Layout> TokenTable<L> {
    /// Takes back what dead processes held. Returns the number of calls in which they died and held
    /// something.
    pub(crate) fn recover(&self) -> usize {
        let Some(seats) = self.pool.seats() else {
            return 0;
        };
        // Without a seat it cannot ask who is dead.
        let Some(own) = seats.own() else {
            return 0;
        };
        let mut dead = Dead { seats, last: None };
        let mut recovered = 0;
        for (descriptor, owner) in self.pool.claimed() {
            if !dead.includes(owner) {
                continue;
            }
            // Settle the words that it may have frozen.
            for bucket in descriptor.last::<L>().buckets() {
                if bucket < self.table.len() {
                    self.settle(bucket);
                }
            }
            // Give it back, unless another process has.
            recovered += usize::from(descriptor.take_from(owner));
        }
        let scanner = self.hints.scanner();
        if scanner != 0 && dead.includes(scanner) && self.hints.inherit_scan(scanner, own) {
            // End the scan as its owner would have. A process that begins one waits until then.
            self.stripes.end_all_scans();
            self.hints.end_scan();
            recovered += 1;
        }
        recovered
    }
}

/// Who is dead. Asks the system once for each owner in turn.
struct Dead<'a> {
    seats: &'a dyn Seats,
    last: Option<(u64, bool)>,
}

impl Dead<'_> {
    fn includes(&mut self, owner: u64) -> bool {
        match self.last {
            Some((last, is_dead)) if last == owner => is_dead,
            _ => {
                let is_dead = self.seats.is_dead(owner);
                self.last = Some((owner, is_dead));
                is_dead
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;
    use core::iter;
    use core::mem::forget;

    use super::*;
    use crate::allocate;
    use crate::allocate::Part;
    use crate::fixed::tokens::Parts;
    use crate::kernel::descriptor::Descriptor;
    use crate::kernel::geometry::Geometry;
    use crate::kernel::layout::Lanes;
    use crate::kernel::outcome::Failure;
    use crate::kernel::word::MAX_DESCRIPTORS;
    use crate::sync::{AtomicU64, Ordering};

    /// The process of this number. All others are dead.
    #[derive(Debug)]
    struct Alone(AtomicU64);

    impl Seats for Alone {
        fn own(&self) -> Option<u64> {
            Some(self.0.load(Ordering::Relaxed))
        }

        fn is_dead(&self, owner: u64) -> bool {
            self.own() != Some(owner)
        }
    }

    fn part<T>(len: usize, new: impl FnMut() -> T) -> Part<T> {
        allocate::slice(len, new).expect("memory").into()
    }

    /// A table of which process 7 has all descriptors and the right to scan.
    fn held_by_seven() -> (TokenTable<Lanes<4, 16>>, Arc<Alone>) {
        let zero = || AtomicU64::new(0);
        let parts = Parts {
            words: part(4, zero),
            stripes: part(1, zero),
            descriptors: part(MAX_DESCRIPTORS, Descriptor::new),
            scanning: part(1, zero),
            log: part(65, zero),
            cells: part(1, Default::default),
        };
        let seats = Arc::new(Alone(AtomicU64::new(7)));
        let geometry = Geometry::with_buckets(4).expect("few");
        let table = TokenTable::of_processes(geometry, 100, parts, seats.clone());
        let table = table.expect("memory");
        iter::from_fn(|| table.claim()).for_each(forget);
        forget(table.begin_scan().expect("memory"));
        (table, seats)
    }

    #[test]
    fn a_call_takes_what_it_misses_from_the_dead() {
        let (table, seats) = held_by_seven();
        seats.0.store(8, Ordering::Relaxed);
        assert_eq!(table.insert_unique(5), Ok(true));
        assert_eq!(table.pool.claimed().count(), 0);
        let (table, seats) = held_by_seven();
        seats.0.store(8, Ordering::Relaxed);
        assert!(table.snapshot().is_ok() && table.hints.scanner() == 0);
    }

    #[test]
    fn a_late_recovery_takes_nothing_from_the_next_owner() {
        let (table, seats) = held_by_seven();
        let (first, seven) = table.pool.claimed().next().expect("all are in use");
        seats.0.store(8, Ordering::Relaxed);
        assert!(first.take_from(seven) && !first.take_from(seven));
        let next = table.claim().expect("one is free");
        assert!(!first.take_from(seven) && first.owner() == 8);
        drop(next);
    }

    #[test]
    fn no_call_takes_anything_from_the_living() {
        let (table, _) = held_by_seven();
        assert_eq!(table.insert_unique(5), Err(Failure::NoDescriptor));
        assert!(table.snapshot().is_err());
        assert_eq!(table.pool.claimed().count(), MAX_DESCRIPTORS);
    }
}
