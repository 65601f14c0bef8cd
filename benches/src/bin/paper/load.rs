//! How full a filter gets before it refuses an insert, by its size and by how long it searches for room.

use lockfree_cuckoo::{BuildError, CuckooFilter};
use lockfree_cuckoo_benches::quartiles::Quartiles;
use lockfree_cuckoo_benches::rivals::d_left::DLeft;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// The bounds of a search, in buckets. The last is the library's own.
pub(crate) const BUDGETS: [usize; 2] = [256, 4096];

/// The median loads of filters of one size.
pub(crate) struct Load {
    pub(crate) slots: usize,
    pub(crate) bytes: usize,
    pub(crate) runs: u64,
    /// One for each of the [`BUDGETS`].
    pub(crate) at_refusal: [f64; BUDGETS.len()],
}

/// As many as in the paper.
const MOST_RUNS: u64 = 10;

/// Large filters differ little from one another: so many slots are enough, all filters of a size together.
const SLOTS_OF_ALL_RUNS: u64 = 1 << 25;

const SLOTS_OF_A_BUCKET: usize = 4;

/// The loads at which filters of `slots` slots refused their first insert.
pub(crate) fn measure(slots: usize) -> Result<Load, BuildError> {
    let runs = (SLOTS_OF_ALL_RUNS / slots as u64).clamp(1, MOST_RUNS);
    let mut load = Load {
        slots,
        bytes: 0,
        runs,
        at_refusal: [0.0; BUDGETS.len()],
    };
    for (budget, median) in BUDGETS.into_iter().zip(&mut load.at_refusal) {
        let mut loads = Vec::new();
        for run in 0..runs {
            let filter = CuckooFilter::builder()
                .buckets(slots / SLOTS_OF_A_BUCKET)
                .search_budget(budget)
                .build()?;
            let mut random = SmallRng::seed_from_u64(run);
            while filter.insert_hash(random.next_u64()).is_ok() {}
            loads.push(filter.load_factor());
            load.bytes = filter.memory_usage();
        }
        *median = Quartiles::of(loads).median;
    }
    Ok(load)
}

/// The load at which a d-left counting Bloom filter of so many bytes refuses its first insert.
pub(crate) fn of_d_left(bytes: usize) -> f64 {
    let mut filter = DLeft::with_bytes(bytes);
    let mut random = SmallRng::seed_from_u64(0);
    let items = (0..).take_while(|_: &u64| filter.insert(random.next_u64()).is_ok());
    items.count() as f64 / filter.cells() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_searches_fill_more() {
        let load = measure(1 << 15).expect("a usual size");
        assert_eq!(load.runs, MOST_RUNS);
        let [short, long] = load.at_refusal;
        assert!(
            0.94 < short && short <= long && long < 1.0,
            "{short} {long}"
        );
    }

    #[test]
    fn a_d_left_filter_takes_more_than_it_is_made_for() {
        let load = of_d_left(1 << 18);
        assert!((0.85..0.95).contains(&load), "{load}");
    }
}
