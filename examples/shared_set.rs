//! A set that worker threads share: handles each event of a stream once, although several sources
//! repeat it.
//!
//! `cargo run --release --example shared_set`

use lockfree_cuckoo::{CuckooFilter, InsertError};
use std::thread;

const EVENTS: u64 = 1_000_000;
const SOURCES: u64 = 4;

fn main() -> Result<(), InsertError> {
    let seen = CuckooFilter::with_capacity(EVENTS as usize);
    // Each source has all events, in an order of its own.
    let source = |source: u64| -> Result<u64, InsertError> {
        let mut handled = 0;
        for turn in 0..EVENTS {
            let event = (turn * 7 + source * EVENTS / SOURCES) % EVENTS;
            // True for one source, even if several have this event at the same time.
            if seen.insert_unique(&event)? {
                handled += 1;
            }
        }
        Ok(handled)
    };
    let handled: u64 = thread::scope(|scope| {
        let workers: Vec<_> = (0..SOURCES)
            .map(|number| scope.spawn(move || source(number)))
            .collect();
        let workers = workers.into_iter();
        workers
            .map(|worker| worker.join().expect("no panic"))
            .sum::<Result<_, _>>()
    })?;
    println!(
        "{} events came {SOURCES} times each, and {handled} were handled; {} were taken for others, of {:.0} expected",
        EVENTS,
        EVENTS - handled,
        // The rate rises with the number of stored events: on average it is half of the last one.
        EVENTS as f64 * seen.false_positive_rate() / 2.0
    );
    assert_eq!(handled as usize, seen.len());
    Ok(())
}
