//! The tables: run the work on the filter, and on the same table behind locks.

use std::hint::black_box;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use cache_lines::{LINE, Ledger, Spread};
use lockfree_cuckoo::filter::Engine;
use lockfree_cuckoo::testing::hooks::{Fate, access, stepping};
use lockfree_cuckoo::testing::{Places, on_processors};
use lockfree_cuckoo::{CuckooFilter, Filter, GrowingCuckooFilter};

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

/// The lines that changed hands for an operation.
#[derive(Clone, Debug)]
pub(crate) struct Rates {
    /// Part by part.
    pub(crate) parts: Vec<(&'static str, f64)>,
    /// How often the busiest line did.
    pub(crate) busiest: f64,
    /// How often the busiest line of the stripes did.
    pub(crate) busiest_stripe: f64,
}

impl Rates {
    /// The rate of all lines.
    pub(crate) fn all(&self) -> f64 {
        self.parts.iter().map(|(_, rate)| rate).sum()
    }
}

/// The bytes from one stripe of a growing filter to the next.
const GROWING_UNIT: usize = 32;

impl Count<'_> {
    /// Counts the accesses of a fixed filter, with the stripes that it has on a machine with this
    /// number of processors.
    pub(crate) fn fixed(self) -> Rates {
        self.filter(&self.build_fixed(self.processors), None)
    }

    /// As [`fixed`](Self::fixed) with this number of stripes.
    pub(crate) fn fixed_with_stripes(self, number: usize) -> Rates {
        let filter = self.build_fixed(1 << 10);
        let unit = size_of::<u64>();
        let spread = Spread {
            unit,
            number,
            spacing: unit,
        };
        self.filter(&filter, Some(spread))
    }

    fn build_fixed(self, processors: usize) -> CuckooFilter {
        let builder = CuckooFilter::builder().buckets(self.buckets).seed(0);
        on_processors(processors, || builder.build().expect("memory"))
    }

    /// As [`growing`](Self::growing) with this number of stripes, so many bytes apart.
    pub(crate) fn growing_with_stripes(self, number: usize, spacing: usize) -> Rates {
        let spread = Spread {
            unit: GROWING_UNIT,
            number,
            spacing,
        };
        self.growing(Some(spread))
    }

    /// Counts the accesses of a growing filter that does not grow.
    fn growing(self, spread: Option<Spread>) -> Rates {
        let builder = || GrowingCuckooFilter::builder().buckets(self.buckets).seed(0);
        let bytes = builder().measure().expect("possible").memory_usage;
        let filter = builder().max_memory_usage(bytes + bytes / 2).build();
        self.filter(&filter.expect("memory"), spread)
    }

    /// Counts all accesses of a filter to its atomics. A thread for each processor does its share
    /// of the work, one operation at a time.
    fn filter<E: Engine, S: Sync>(self, filter: &Filter<E, S>, spread: Option<Spread>) -> Rates
    where
        Filter<E, S>: Places,
    {
        filter
            .insert_many_hash(self.stored)
            .expect("below capacity");
        let ledger = Ledger::new(self.processors, filter.places());
        let mut ledger = match spread {
            Some(spread) => ledger.with_stripes(spread),
            None => ledger,
        };
        ledger.share_stripes();
        let ledger = Arc::new(Mutex::new(ledger));
        thread::scope(|scope| {
            let (done, turns) = channel();
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
        let ledger = ledger.lock().expect("no panic");
        Rates {
            parts: ledger.rates(self.operations),
            busiest: ledger.busiest(self.operations, |_| true),
            busiest_stripe: ledger.busiest(self.operations, |name| name == "stripes"),
        }
    }
}

/// Runs an operation and counts its accesses.
fn serve<E: Engine, S>(
    filter: &Filter<E, S>,
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
    use cache_lines::queue::{occupancy, throughput};

    use super::*;
    use crate::work::MIXES;

    fn with<R>(mix: usize, processors: usize, buckets: usize, of: impl Fn(Count<'_>) -> R) -> R {
        let mix = MIXES[mix];
        let items = (mix.load * (4 * buckets) as f64) as u64;
        let stored: Vec<u64> = (0..items).map(model::mix).collect();
        of(Count {
            mix,
            stored: &stored,
            buckets,
            processors,
            operations: 2_000,
        })
    }

    /// Returns the lines that change hands for an operation, of all parts.
    fn rate(mix: usize, processors: usize) -> f64 {
        with(mix, processors, 1 << 12, |count| count.fixed().all())
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

    #[test]
    fn no_line_of_the_stripes_is_always_under_way() {
        let share = |processors, of: fn(Count<'_>) -> Rates| {
            with(2, processors, 1 << 18, |count| {
                let count = Count {
                    operations: 100_000,
                    ..count
                };
                occupancy(processors, of(count).busiest_stripe)
            })
        };
        let shares = [16, 64].map(|processors| share(processors, |count| count.fixed()));
        assert!(shares[0] < 0.1 && shares[1] < 0.3, "fixed: {shares:?}");
        let growing = share(16, |count| count.growing(None));
        assert!(growing < 1.0, "growing: {growing}");
    }

    /// Measured with a million items, 95 % load and 16 threads, by the number of stripes: the
    /// fewest and the most millions of operations in a second, of three runs.
    const MEASURED: [(usize, f64, f64); 4] = [
        (128, 173.0, 184.0),
        (1_024, 238.0, 259.0),
        (4_096, 246.0, 285.0),
        (16_384, 254.0, 269.0),
    ];

    #[test]
    fn the_busiest_line_says_what_was_measured() {
        for (stripes, fewest, most) in MEASURED {
            // A table of this size or more has as many.
            let buckets = (32 * stripes).max(1 << 18);
            // So many that the most of all counts is hardly a chance.
            let operations = 100_000;
            let computed = with(2, 16, buckets, |count| {
                let count = Count {
                    operations,
                    ..count
                };
                throughput(16, count.fixed_with_stripes(stripes).busiest_stripe)
            });
            let range = 0.9 * fewest..1.1 * most;
            assert!(
                range.contains(&computed),
                "{computed:.0} with {stripes} stripes"
            );
        }
    }
}
