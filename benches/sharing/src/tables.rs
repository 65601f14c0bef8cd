//! The tables: run the work on the filter, and on the same table behind locks.

use std::hint::black_box;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use cache_lines::{LINE, Ledger};
use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo::testing::hooks::{Fate, access, stepping};
use lockfree_cuckoo::testing::places;

use crate::work::{Mix, Operation, Work};

/// A run that is counted: some work on a table, by some processors.
#[derive(Clone, Copy)]
pub(crate) struct Count<'a> {
    pub(crate) mix: Mix,
    pub(crate) stored: &'a [u64],
    pub(crate) buckets: usize,
    pub(crate) processors: usize,
    /// The operations that are counted, after a third as many that are not.
    pub(crate) operations: usize,
}

/// The lines that changed hands for an operation, part by part.
pub(crate) type Rates = Vec<(&'static str, f64)>;

impl Count<'_> {
    /// Counts all accesses of a filter to its atomics. A thread for each processor does its share
    /// of the work, one operation at a time.
    pub(crate) fn filter(self) -> Rates {
        let filter = CuckooFilter::builder().buckets(self.buckets).seed(0);
        let filter = filter.build().expect("memory");
        filter
            .insert_many_hash(self.stored)
            .expect("below capacity");
        let ledger = Ledger::new(self.processors, places(&filter));
        let ledger = Arc::new(Mutex::new(ledger));
        thread::scope(|scope| {
            let (done, turns) = channel();
            let filter = &filter;
            let order = |processor| {
                let (order, orders) = channel();
                let (ledger, done) = (Arc::clone(&ledger), done.clone());
                scope.spawn(move || {
                    for operation in orders {
                        serve(filter, processor, &ledger, operation);
                        done.send(()).expect("the one who leads");
                    }
                });
                order
            };
            let orders: Vec<Sender<Operation>> = (0..self.processors).map(order).collect();
            self.rates(&ledger, |processor, operation| {
                orders[processor].send(operation).expect("a thread");
                turns.recv().expect("a thread");
            })
        })
    }

    /// Counts the fewest accesses that a table behind 64 locks can make. Each lock has a part of
    /// the buckets and a cache line of its own. An operation takes the lock, reads two words, and
    /// releases the lock. A change writes one of the words.
    pub(crate) fn locked(self) -> Rates {
        const LOCKS: u64 = 64;
        const TABLE: usize = 1 << 20;
        let table = TABLE..TABLE + self.buckets * size_of::<u64>();
        let parts = vec![("table", table), ("locks", 0..TABLE)];
        let ledger = Mutex::new(Ledger::new(self.processors, parts));
        self.rates(&ledger, |processor, operation| {
            let (hash, writes) = match operation {
                Operation::Contains(hash) | Operation::InsertKnown(hash) => (hash, false),
                Operation::Insert(hash) | Operation::InsertNew(hash) | Operation::Remove(hash) => {
                    (hash, true)
                }
            };
            let lock = (hash % LOCKS) as usize * LINE;
            let bucket = |hash: u64| {
                let bucket = (u128::from(hash) * self.buckets as u128) >> 64;
                TABLE + bucket as usize * size_of::<u64>()
            };
            let mut ledger = ledger.lock().expect("no panic");
            ledger.access(processor, lock, true);
            ledger.access(processor, bucket(hash), writes);
            ledger.access(processor, bucket(hash.rotate_left(32)), false);
            ledger.access(processor, lock, true);
        })
    }

    /// Returns the counts of a ledger after all turns.
    fn rates(self, ledger: &Mutex<Ledger>, mut turn: impl FnMut(usize, Operation)) -> Rates {
        let mut work = Work::new(self.mix, self.processors, self.stored);
        let before = self.operations / 3;
        for at in 0..before + self.operations {
            if at == before {
                ledger.lock().expect("no panic").forget();
            }
            let (processor, operation) = work.turn();
            turn(processor, operation);
        }
        ledger.lock().expect("no panic").rates(self.operations)
    }
}

/// Runs an operation and counts its accesses.
fn serve(
    filter: &CuckooFilter,
    processor: usize,
    ledger: &Arc<Mutex<Ledger>>,
    operation: Operation,
) {
    let ledger = Arc::clone(ledger);
    let count = move |_| {
        let access = access().expect("there is one");
        let mut ledger = ledger.lock().expect("no panic");
        ledger.access(processor, access.address, access.writes);
        Fate::Goes
    };
    black_box(stepping(count, || match operation {
        Operation::Contains(hash) => filter.contains_hash(hash),
        Operation::Insert(hash) => filter.insert_hash(hash).is_ok(),
        Operation::InsertNew(hash) | Operation::InsertKnown(hash) => {
            filter.insert_unique_hash(hash) == Ok(true)
        }
        Operation::Remove(hash) => filter.remove_hash(hash),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::MIXES;

    /// Returns the lines that change hands for an operation, of all parts.
    fn rate(mix: usize, processors: usize) -> f64 {
        let (mix, buckets) = (MIXES[mix], 1 << 12);
        let items = (mix.load * (4 * buckets) as f64) as u64;
        let stored: Vec<u64> = (0..items).map(model::mix).collect();
        let count = Count {
            mix,
            stored: &stored,
            buckets,
            processors,
            operations: 2_000,
        };
        count.filter().iter().map(|(_, rate)| rate).sum()
    }

    #[test]
    fn lookups_take_no_line_from_another_processor() {
        assert_eq!(rate(0, 16), 0.0);
        assert_eq!(rate(5, 16), 0.0);
    }

    #[test]
    fn changes_take_lines_from_other_processors_only() {
        assert_eq!(rate(2, 1), 0.0);
        assert_eq!(rate(4, 1), 0.0);
        assert!(rate(4, 16) > 0.05);
        assert!(rate(2, 16) > rate(1, 16) && rate(1, 16) > 0.05);
    }
}
