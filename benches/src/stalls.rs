//! Stalls: the times of single inserts, and how much of them was waiting for a processor.
//!
//! Few inserts make a filter grow, and what they take is all that counts here. On a busy machine an insert in
//! whose midst the thread loses its processor takes as long; so what the system has counted of that is taken
//! off.

use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use crate::contender::Contender;
use crate::lap::waited;
use crate::latency::histogram;

/// The times of single inserts.
#[derive(Clone, Debug)]
pub struct Stalls {
    /// With a processor, in nanoseconds.
    pub times: Histogram<u64>,
    /// The longest, with the waiting.
    pub wall: Duration,
    /// Inserts that were refused.
    pub refused: usize,
}

/// Inserts from one look at the waiting to the next. A look takes microseconds; and what is taken off an insert
/// may have been that of any of these.
const LOOK: usize = 256;

/// Shorter ones stay as they are.
const LONG: Duration = Duration::from_micros(100);

/// Inserts the keys on this thread. Each time contains one reading of the clock.
pub fn insert_timed<C: Contender>(table: &C, keys: &[u64]) -> Stalls {
    let mut stalls = Stalls {
        times: histogram(),
        wall: Duration::ZERO,
        refused: 0,
    };
    for keys in keys.chunks(LOOK) {
        let mut before = waited();
        let mut last = Instant::now();
        for &key in keys {
            stalls.refused += usize::from(!table.insert(key));
            let mut now = Instant::now();
            let mut time = now - last;
            stalls.wall = stalls.wall.max(time);
            if time > LONG {
                let after = waited();
                time = time.saturating_sub(after.saturating_sub(before));
                before = after;
                now = Instant::now();
            }
            stalls.times.saturating_record(time.as_nanos() as u64);
            last = now;
        }
    }
    stalls
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::growing::Doubling;
    use crate::keys::Keys;

    #[test]
    fn every_insert_is_timed() {
        let keys = Keys::generate(100_000);
        let table = Doubling::with_capacity(1_000);
        let stalls = insert_timed(&table, &keys.stored);
        assert_eq!(stalls.times.len(), 100_000);
        assert_eq!((stalls.refused, table.len()), (0, 100_000));
        // As long as it takes to make tables, and rounded up.
        assert!(stalls.times.max() > 1_000, "{}", stalls.times.max());
        let longest = Duration::from_nanos(stalls.times.max());
        assert!(longest <= stalls.wall.mul_f64(1.02), "{longest:?}");
    }
}
