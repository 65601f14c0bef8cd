//! Latency: the time of single operations, of many threads that do mixed work at once.
//!
//! Every thread does blocks of mixed work on keys of its own until the time is up, and reads the clock once
//! between two operations. So each time contains one reading of the clock, some twenty nanoseconds; what
//! counts here are milliseconds.

use std::iter::Sum;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use crate::contender::Contender;
use crate::faults::Faults;
use crate::keys::{Keys, PROBES_PER_BLOCK};
use crate::lap::Lap;
use crate::race::{race, share};
use crate::work::missed;

/// The times of single operations, by kind, in nanoseconds.
#[derive(Clone, Debug)]
pub struct Latencies {
    /// Of lookups.
    pub lookup: Histogram<u64>,
    /// Of inserts.
    pub insert: Histogram<u64>,
    /// Of removes.
    pub remove: Histogram<u64>,
    /// What went wrong.
    pub faults: Faults,
}

/// An empty histogram of nanoseconds.
pub(crate) fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LONGEST, DIGITS).expect("valid bounds")
}

/// A minute: nothing takes longer.
const LONGEST: u64 = 60_000_000_000;

/// Two decimal digits, because the histograms of 64 threads should not crowd the cache.
const DIGITS: u8 = 2;

impl Default for Latencies {
    fn default() -> Self {
        Self {
            lookup: histogram(),
            insert: histogram(),
            remove: histogram(),
            faults: Faults::default(),
        }
    }
}

impl Sum for Latencies {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, one| {
            let merge = |sum: &mut Histogram<u64>, one| sum.add(one).expect("equal bounds");
            merge(&mut sum.lookup, &one.lookup);
            merge(&mut sum.insert, &one.insert);
            merge(&mut sum.remove, &one.remove);
            sum.faults += one.faults;
            sum
        })
    }
}

/// Has threads do mixed work for a while on a table that holds exactly the stored keys, and leaves it so.
pub fn mix_timed<C: Contender>(
    table: &C,
    keys: &Keys,
    threads: usize,
    time: Duration,
) -> (Lap, Latencies) {
    let half = keys.ring.len() / 2;
    race(
        threads,
        || (),
        |thread| {
            let part = share(&(0..half), thread, threads);
            // A ring of its own: what is in, then what is not.
            let outside = half + part.start..half + part.end;
            let ring = [&keys.ring[part], &keys.ring[outside]].concat();
            mix_alone(table, keys, &ring, thread, time)
        },
    )
}

fn mix_alone<C: Contender>(
    table: &C,
    keys: &Keys,
    ring: &[u64],
    thread: usize,
    time: Duration,
) -> Latencies {
    let mut times = Latencies::default();
    let mut clock = Clock::start();
    let deadline = clock.last + time;
    let mut block = 0;
    while clock.last < deadline {
        // Far from the probes of the other threads.
        let (probes, stored) = keys.probe_group(block + thread * 1009);
        let mut found = 0;
        let (out, put) = turn(ring, block);
        clock.restart();
        times.faults.unremoved += usize::from(!table.remove(out));
        clock.lap(&mut times.remove);
        for (at, &probe) in probes.iter().enumerate() {
            if at == PROBES_PER_BLOCK / 2 {
                times.faults.refused += usize::from(!table.insert(put));
                clock.lap(&mut times.insert);
            }
            found |= u32::from(table.contains(probe)) << at;
            clock.lap(&mut times.lookup);
        }
        times.faults.missed += missed(found, stored);
        block += 1;
    }
    // Back to the beginning, unmeasured.
    while !block.is_multiple_of(ring.len()) {
        let (out, put) = turn(ring, block);
        times.faults.unremoved += usize::from(!table.remove(out));
        times.faults.refused += usize::from(!table.insert(put));
        block += 1;
    }
    times
}

/// The key that goes out at a turn of a ring, and the one that comes in.
fn turn(ring: &[u64], block: usize) -> (u64, u64) {
    let at = |position: usize| ring[position % ring.len()];
    (at(block), at(block + ring.len() / 2))
}

struct Clock {
    last: Instant,
}

impl Clock {
    fn start() -> Self {
        Self {
            last: Instant::now(),
        }
    }

    fn restart(&mut self) {
        self.last = Instant::now();
    }

    fn lap(&mut self, times: &mut Histogram<u64>) {
        let now = Instant::now();
        times.saturating_record((now - self.last).as_nanos() as u64);
        self.last = now;
    }
}

#[cfg(test)]
mod tests {
    use lockfree_cuckoo::CuckooFilter;

    use super::*;

    #[test]
    fn histograms_of_threads_add_up() {
        let one = |nanoseconds| {
            let mut times = Latencies::default();
            times.lookup.record(nanoseconds).expect("within the bounds");
            times.faults.missed = 1;
            times
        };
        let sum: Latencies = [one(10), one(20), one(1_000_000)].into_iter().sum();
        assert_eq!(sum.lookup.len(), 3);
        assert_eq!(sum.lookup.value_at_quantile(0.5), 20);
        assert!(sum.lookup.max() >= 1_000_000);
        assert!(sum.insert.is_empty());
        assert_eq!(sum.faults.missed, 3);
    }

    #[test]
    fn leaves_the_table_as_it_was() {
        let keys = Keys::generate(10_000);
        let table = CuckooFilter::with_capacity(10_000);
        let mut stored = keys.stored.iter();
        assert!(stored.all(|&key| table.insert_hash(key).is_ok()));
        let (_, times) = mix_timed(&table, &keys, 3, Duration::from_millis(5));
        assert!(times.faults.are_none(), "{}", times.faults);
        assert_eq!(times.insert.len(), times.remove.len());
        assert_eq!(table.len(), 10_000);
        assert!(keys.stored.iter().all(|&key| table.contains_hash(key)));
    }
}
