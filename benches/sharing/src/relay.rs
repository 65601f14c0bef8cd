//! Threads that take turns, each in the part of one processor.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use cache_lines::ledger::Ledger;
use cache_lines::mix::{Operation, Work};
use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo::testing::hooks::{Fate, access, stepping};

/// Lets a thread for each processor do its share of the work, one operation at a time, and counts all accesses that the
/// code makes to the atomics of the filter.
pub(crate) fn run(
    filter: &CuckooFilter,
    processors: usize,
    ledger: Ledger,
    work: &mut Work,
    [before, operations]: [usize; 2],
) -> Ledger {
    let ledger = Arc::new(Mutex::new(ledger));
    thread::scope(|scope| {
        let (done, turns) = channel();
        let order = |processor| {
            let (order, orders) = channel();
            let (ledger, done) = (Arc::clone(&ledger), done.clone());
            scope.spawn(move || serve(filter, processor, &ledger, &orders, &done));
            order
        };
        let orders: Vec<Sender<Operation>> = (0..processors).map(order).collect();
        for turn in 0..before + operations {
            if turn == before {
                ledger.lock().expect("no panic").forget();
            }
            let (processor, operation) = work.turn();
            orders[processor].send(operation).expect("a thread");
            turns.recv().expect("a thread");
        }
    });
    let ledger = Arc::into_inner(ledger).expect("the threads are gone");
    ledger.into_inner().expect("no panic")
}

/// The life of one thread.
fn serve(
    filter: &CuckooFilter,
    processor: usize,
    ledger: &Arc<Mutex<Ledger>>,
    orders: &Receiver<Operation>,
    done: &Sender<()>,
) {
    for operation in orders {
        let ledger = Arc::clone(ledger);
        let count = move |_| {
            let access = access().expect("there is one");
            let mut ledger = ledger.lock().expect("no panic");
            ledger.access(processor, access.address, access.writes);
            Fate::Goes
        };
        let answer = stepping(count, || match operation {
            Operation::Contains(hash) => filter.contains_hash(hash),
            Operation::Insert(hash) => filter.insert_hash(hash).is_ok(),
            Operation::Remove(hash) => filter.remove_hash(hash),
        });
        std::hint::black_box(answer);
        done.send(()).expect("the one who leads");
    }
}

#[cfg(test)]
mod tests {
    use cache_lines::mix::MIXES;
    use lockfree_cuckoo::testing::Places as _;

    use super::*;

    /// The lines that change hands for an operation, all in all.
    fn rate(mix: usize, processors: usize) -> f64 {
        let filter = CuckooFilter::builder().buckets(1 << 12).seed(0);
        let filter = filter.build().expect("memory");
        let items = (MIXES[mix].load * filter.slots() as f64) as u64;
        let stored: Vec<u64> = (0..items).map(model::mix).collect();
        filter.insert_many_hash(&stored).expect("room");
        let ledger = Ledger::new(processors, filter.places());
        let mut work = Work::new(MIXES[mix], processors, &stored);
        let ledger = run(&filter, processors, ledger, &mut work, [500, 2_000]);
        ledger.rates(2_000).iter().map(|(_, rate)| rate).sum()
    }

    #[test]
    fn lookups_take_no_line_from_another_processor() {
        assert_eq!(rate(0, 16), 0.0);
    }

    #[test]
    fn changes_do_and_those_of_one_processor_do_not() {
        assert_eq!(rate(2, 1), 0.0);
        assert!(rate(2, 16) > rate(1, 16) && rate(1, 16) > 0.05);
    }
}
