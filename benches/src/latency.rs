//! Latency: measures single operations.
//!
//! [`mix_timed`] runs mixed work on many threads at once. Every thread does blocks of it on keys of
//! its own until the time is up, and reads the clock once between two operations. So each time
//! contains one reading of the clock, some twenty nanoseconds; the times of interest are
//! milliseconds.
//!
//! [`insert_timed`] times the inserts that make a filter grow. On a busy machine a thread can lose
//! its processor during an insert. The system counts that time, and it is subtracted.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

use harness::race::{race, share, waited};
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use crate::contender::Contender;
use crate::keys::{Keys, PROBES_PER_BLOCK};
use crate::tally::{Faults, missed};

/// Quantiles of the times of mixed work, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// The times that these [shares](Self::SHARES) of the lookups do not exceed.
    pub lookups: [u64; Quantiles::SHARES.len()],
    /// The longest operation of any kind.
    pub longest: u64,
    /// The number of operations.
    pub operations: u64,
}

impl Quantiles {
    /// The shares of the lookups.
    pub const SHARES: [f64; 4] = [0.5, 0.99, 0.999, 0.9999];
}

/// Makes an empty histogram of up to a minute, in nanoseconds. It has two decimal digits, so that
/// the histograms of 64 threads do not crowd the cache.
fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000_000, 2).expect("valid bounds")
}

/// The times of single operations of mixed work, and the failures.
#[derive(Clone, Debug)]
pub struct Latencies {
    lookups: Histogram<u64>,
    /// The times of inserts and removes.
    changes: Histogram<u64>,
    /// The failures.
    pub faults: Faults,
}

impl Latencies {
    /// Returns the quantiles.
    #[must_use]
    pub fn quantiles(&self) -> Quantiles {
        let Self {
            lookups, changes, ..
        } = self;
        Quantiles {
            lookups: Quantiles::SHARES.map(|share| lookups.value_at_quantile(share)),
            longest: lookups.max().max(changes.max()),
            operations: lookups.len() + changes.len(),
        }
    }
}

impl Default for Latencies {
    fn default() -> Self {
        Self {
            lookups: histogram(),
            changes: histogram(),
            faults: Faults::default(),
        }
    }
}

impl AddAssign for Latencies {
    fn add_assign(&mut self, other: Self) {
        self.lookups += other.lookups;
        self.changes += other.changes;
        self.faults += other.faults;
    }
}

/// Runs mixed work on threads for a while, on a table that holds exactly the stored keys, and
/// leaves it so.
pub(crate) fn mix_timed<C: Contender>(
    table: &C,
    keys: &Keys,
    threads: usize,
    time: Duration,
) -> Latencies {
    let half = keys.ring.len() / 2;
    let mix = |thread| {
        let part = share(&(0..half), thread, threads);
        // The thread's own ring: stored keys, then absent ones.
        let outside = half + part.start..half + part.end;
        let ring = [&keys.ring[part], &keys.ring[outside]].concat();
        mix_alone(table, keys, &ring, thread, time)
    };
    race(0, threads, || (), mix).1
}

fn mix_alone<C: Contender>(
    table: &C,
    keys: &Keys,
    ring: &[u64],
    thread: usize,
    time: Duration,
) -> Latencies {
    let mut all = Latencies::default();
    let Latencies {
        lookups,
        changes,
        faults,
    } = &mut all;
    let start = Instant::now();
    let mut last = start;
    let lap = |last: &mut Instant, times: &mut Histogram<u64>| {
        let now = Instant::now();
        times.saturating_record((now - *last).as_nanos() as u64);
        *last = now;
    };
    let mut block = 0;
    while last - start < time {
        // Start far from the probes of the other threads.
        let (probes, stored) = keys.probe_group(block + thread * 1009);
        let mut found = 0;
        let (out, put) = turn(ring, block);
        last = Instant::now();
        faults.unremoved += usize::from(!table.remove(out));
        lap(&mut last, changes);
        for (at, &probe) in probes.iter().enumerate() {
            if at == PROBES_PER_BLOCK / 2 {
                faults.refused += usize::from(!table.insert(put));
                lap(&mut last, changes);
            }
            found |= u32::from(table.contains(probe)) << at;
            lap(&mut last, lookups);
        }
        faults.missed += missed(found, stored);
        block += 1;
    }
    // Go back to the beginning, unmeasured.
    while !block.is_multiple_of(ring.len()) {
        let (out, put) = turn(ring, block);
        faults.unremoved += usize::from(!table.remove(out));
        faults.refused += usize::from(!table.insert(put));
        block += 1;
    }
    all
}

/// Returns the key that leaves at a turn of a ring, and the one that enters.
fn turn(ring: &[u64], block: usize) -> (u64, u64) {
    let at = |position: usize| ring[position % ring.len()];
    (at(block), at(block + ring.len() / 2))
}

/// The inserts between two readings of the time that the thread has waited. A reading takes
/// microseconds. The waiting that is subtracted from one insert may belong to any of these.
const LOOK: usize = 256;

/// The shortest time from which waiting is subtracted.
const LONG: Duration = Duration::from_micros(100);

/// Inserts the keys on this thread. Returns the longest time with a processor, which contains one
/// reading of the clock.
///
/// # Panics
///
/// If a key is refused.
pub fn insert_timed<C: Contender>(table: &C, keys: &[u64]) -> Duration {
    let mut longest = Duration::ZERO;
    for keys in keys.chunks(LOOK) {
        let mut before = waited();
        let mut last = Instant::now();
        for &key in keys {
            assert!(table.insert(key), "an insert was refused");
            let mut now = Instant::now();
            let mut time = now - last;
            if time > LONG {
                let after = waited();
                time = time.saturating_sub(after.saturating_sub(before));
                before = after;
                now = Instant::now();
            }
            longest = longest.max(time);
            last = now;
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use lockfree_cuckoo::CuckooFilter;

    use super::*;

    #[test]
    fn histograms_of_threads_add_up() {
        let one = |nanoseconds| {
            let mut times = Latencies::default();
            times.lookups.record(nanoseconds).expect("in bounds");
            times.faults.missed = 1;
            times
        };
        let mut sum = one(10);
        sum += one(20);
        sum += one(1_000);
        sum.changes.record(1_000_000).expect("in bounds");
        let all = sum.quantiles();
        assert_eq!((all.operations, all.lookups[0]), (4, 20));
        assert!(all.lookups[3] < 2_000 && all.longest >= 1_000_000);
        assert_eq!(sum.faults.missed, 3);
    }

    #[test]
    fn leaves_the_table_as_it_was() {
        let keys = Keys::generate(10_000);
        let table = CuckooFilter::with_capacity(10_000);
        let mut stored = keys.stored.iter();
        assert!(stored.all(|&key| table.insert_hash(key).is_ok()));
        let times = mix_timed(&table, &keys, 3, Duration::from_millis(5));
        assert_eq!(times.faults, Faults::default());
        assert!(times.quantiles().operations > 0);
        assert_eq!(table.len(), 10_000);
        assert!(keys.stored.iter().all(|&key| table.contains_hash(key)));
    }
}
