//! Latency: the times of single operations.
//!
//! [`mix_timed`] has many threads do mixed work at once. Every thread does blocks of it on keys of its own until the
//! time is up, and reads the clock once between two operations. So each time contains one reading of the clock, some
//! twenty nanoseconds; what counts here are milliseconds.
//!
//! [`insert_timed`] times the inserts that make a filter grow. They are few, and what they take is all that counts there.
//! On a busy machine an insert in whose midst the thread loses its processor takes as long; so what the system has
//! counted of that is taken off.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use crate::contender::Contender;
use crate::keys::{Keys, PROBES_PER_BLOCK};
use crate::race::{race, share, waited};
use crate::rig::Faults;
use crate::work::missed;

/// What is told of the times of mixed work, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// Of the lookups, so many of which are not longer: one for each of the [shares](Self::SHARES).
    pub lookups: [u64; Quantiles::SHARES.len()],
    /// The longest operation of any kind.
    pub longest: u64,
    /// The number of operations.
    pub operations: u64,
}

impl Quantiles {
    /// What is told of lookups.
    pub const SHARES: [f64; 4] = [0.5, 0.99, 0.999, 0.9999];
}

/// An empty histogram of up to a minute, in nanoseconds: nothing takes longer. To two decimal digits, because the
/// histograms of 64 threads should not crowd the cache.
fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000_000, 2).expect("valid bounds")
}

/// The times of single operations of mixed work, and what went wrong.
#[derive(Clone, Debug)]
pub struct Latencies {
    lookups: Histogram<u64>,
    /// Inserts and removes.
    changes: Histogram<u64>,
    /// What went wrong.
    pub faults: Faults,
}

impl Latencies {
    /// What is told of them.
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

/// Has threads do mixed work for a while on a table that holds exactly the stored keys, and leaves it so.
pub(crate) fn mix_timed<C: Contender>(
    table: &C,
    keys: &Keys,
    threads: usize,
    time: Duration,
) -> Latencies {
    let half = keys.ring.len() / 2;
    let mix = |thread| {
        let part = share(&(0..half), thread, threads);
        // A ring of its own: what is in, then what is not.
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
        // Far from the probes of the other threads.
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
    // Back to the beginning, unmeasured.
    while !block.is_multiple_of(ring.len()) {
        let (out, put) = turn(ring, block);
        faults.unremoved += usize::from(!table.remove(out));
        faults.refused += usize::from(!table.insert(put));
        block += 1;
    }
    all
}

/// The key that goes out at a turn of a ring, and the one that comes in.
fn turn(ring: &[u64], block: usize) -> (u64, u64) {
    let at = |position: usize| ring[position % ring.len()];
    (at(block), at(block + ring.len() / 2))
}

/// Inserts from one look at the waiting to the next. A look takes microseconds; and what is taken off an insert
/// may have been that of any of these.
const LOOK: usize = 256;

/// Shorter ones stay as they are.
const LONG: Duration = Duration::from_micros(100);

/// Inserts the keys on this thread. The longest time with a processor, which contains one reading of the clock.
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
