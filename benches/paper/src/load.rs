//! Load by size: fills filters until they refuse an insert, with two bounds of the path search.

use lockfree_cuckoo::{BuildError, CuckooFilter};
use lockfree_cuckoo_benches::median;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::d_left::DLeft;

/// The bounds of a search, in buckets. The last is the library's own.
pub(crate) const BUDGETS: [usize; 2] = [256, 4096];

/// The median loads of filters of one size.
pub(crate) struct Load {
    pub(crate) slots: usize,
    pub(crate) runs: u64,
    /// A load for each of the [`BUDGETS`].
    pub(crate) at_refusal: [f64; BUDGETS.len()],
}

/// The number of runs, as in the paper.
const MOST_RUNS: u64 = 10;

/// The slots of all filters of one size together. Large filters differ little from one another, so
/// they have fewer runs.
const SLOTS_OF_ALL_RUNS: u64 = 1 << 23;

const SLOTS_OF_A_BUCKET: usize = 4;

/// Fills filters of this many slots until they refuse an insert.
pub(crate) fn measure(slots: usize) -> Result<Load, BuildError> {
    let runs = (SLOTS_OF_ALL_RUNS / slots as u64).clamp(1, MOST_RUNS);
    let mut at_refusal = [0.0; BUDGETS.len()];
    for (budget, load) in BUDGETS.into_iter().zip(&mut at_refusal) {
        let mut loads = Vec::new();
        for run in 0..runs {
            let filter = CuckooFilter::builder()
                .buckets(slots / SLOTS_OF_A_BUCKET)
                .search_budget(budget)
                .build()?;
            let mut random = SmallRng::seed_from_u64(run);
            while filter.insert_hash(random.next_u64()).is_ok() {}
            loads.push(filter.load_factor());
        }
        *load = median(loads.into_iter()).expect("at least one run");
    }
    Ok(Load {
        slots,
        runs,
        at_refusal,
    })
}

/// Returns the load at which a d-left counting Bloom filter of this many bytes refuses its first
/// insert.
pub(crate) fn of_d_left(bytes: usize) -> f64 {
    let mut filter = DLeft::with_bytes(bytes);
    let mut random = SmallRng::seed_from_u64(0);
    let items = (0..).take_while(|_: &u64| filter.insert(random.next_u64()));
    items.count() as f64 / filter.cells() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_searches_fill_more() {
        let load = measure(1 << 13).expect("a usual size");
        assert_eq!(load.runs, MOST_RUNS);
        let [short, long] = load.at_refusal;
        let is_sound = 0.94 < short && short <= long && long < 1.0;
        assert!(is_sound, "{short} {long}");
    }

    #[test]
    fn a_d_left_filter_exceeds_its_capacity() {
        let load = of_d_left(1 << 16);
        assert!((0.8..0.95).contains(&load), "{load}");
    }
}
