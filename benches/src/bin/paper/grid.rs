//! How full tables get, by the bits of a fingerprint and the slots of a bucket: the grid of the paper's Figure 2.

use std::thread;

use lockfree_cuckoo_benches::machine::cores;
use lockfree_cuckoo_benches::quartiles::Quartiles;

use crate::partial_key::Table;

/// The slots of a bucket.
pub(crate) const BUCKETS: [usize; 4] = [1, 2, 4, 8];

/// The longest fingerprint, in bits. The shortest has one.
pub(crate) const MOST_BITS: u32 = 20;

/// Tables of one size.
pub(crate) struct Grid {
    pub(crate) slots: usize,
    pub(crate) runs: u64,
    /// For 1 to [`MOST_BITS`] bits, and for each of the [`BUCKETS`]: the median load of the runs.
    pub(crate) loads: Vec<[f64; BUCKETS.len()]>,
}

/// As many as in the paper.
const MOST_RUNS: u64 = 10;

/// Large tables differ little from one another: so many slots are enough, all tables of a kind together.
const SLOTS_OF_ALL_RUNS: u64 = 1 << 22;

impl Grid {
    /// The loads at which tables of `slots` slots refused an item. Nothing is timed, so all processors work.
    pub(crate) fn measure(slots: usize) -> Self {
        let runs = (SLOTS_OF_ALL_RUNS / slots as u64).clamp(1, MOST_RUNS);
        let threads = cores();
        let mut loads = vec![[0.0; BUCKETS.len()]; MOST_BITS as usize];
        thread::scope(|scope| {
            // Rows in turn, because the long fingerprints take longer.
            let mut shares: Vec<Vec<_>> = (0..threads).map(|_| Vec::new()).collect();
            for (bits, row) in (1..).zip(&mut loads) {
                shares[bits as usize % threads].push((bits, row));
            }
            for share in shares {
                scope.spawn(move || {
                    for (bits, row) in share {
                        *row = BUCKETS.map(|in_bucket| median(slots, in_bucket, bits, runs));
                    }
                });
            }
        });
        Self { slots, runs, loads }
    }
}

fn median(slots: usize, in_bucket: usize, bits: u32, runs: u64) -> f64 {
    let loads = (0..runs).map(|run| Table::new(slots, in_bucket, bits, run).fill());
    Quartiles::of(loads.collect()).median
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_fingerprints_and_larger_buckets_fill_more() {
        let grid = Grid::measure(1 << 11);
        assert_eq!(
            (grid.loads.len(), grid.runs),
            (MOST_BITS as usize, MOST_RUNS)
        );
        let [short, .., long] = &*grid.loads else {
            panic!("twenty rows");
        };
        for (nth, _) in BUCKETS.iter().enumerate() {
            assert!(
                0.0 < short[nth] && short[nth] < long[nth],
                "{short:?} {long:?}"
            );
        }
        assert!(long.is_sorted(), "{long:?}");
    }
}
