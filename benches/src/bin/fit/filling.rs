//! Tables that are filled until the first refusal.

use lockfree_cuckoo::{CuckooFilter, Filter, Fixed, Layout, RandomState};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::cells::Shape;

/// What the tables of one shape took.
#[derive(Clone, Debug)]
pub(crate) struct Fillings {
    pub(crate) shape: Shape,
    /// What the filter says that it takes.
    pub(crate) promised: usize,
    pub(crate) slots: usize,
    /// The items before the first refusal, sorted.
    pub(crate) taken: Vec<u32>,
}

/// Fills a table so many times.
pub(crate) fn fill<L: Layout>(shape: Shape, times: usize) -> Fillings {
    let builder = CuckooFilter::builder().layout::<L>().seed(0);
    let mut filter: Filter<Fixed<L>, RandomState> = builder
        .buckets(shape.buckets())
        .build()
        .expect("a possible geometry");
    let mut taken: Vec<u32> = (0..times)
        .map(|turn| {
            filter.clear();
            let mut random = SmallRng::seed_from_u64(shape.seed() ^ (turn as u64) << 32);
            let hashes = std::iter::repeat_with(|| random.next_u64());
            hashes
                .take_while(|&hash| filter.insert_hash(hash).is_ok())
                .count() as u32
        })
        .collect();
    taken.sort_unstable();
    Fillings {
        shape,
        promised: filter.capacity(),
        slots: filter.slots(),
        taken,
    }
}

impl Fillings {
    /// Mean and standard deviation of the items taken.
    pub(crate) fn moments(&self) -> (f64, f64) {
        let count = self.taken.len() as f64;
        let mean = self.taken.iter().map(|&t| f64::from(t)).sum::<f64>() / count;
        let square = |&t: &u32| (f64::from(t) - mean).powi(2);
        let variance = self.taken.iter().map(square).sum::<f64>() / (count - 1.0);
        (mean, variance.sqrt())
    }

    /// The items that all but this part of the tables took.
    pub(crate) fn quantile(&self, part: f64) -> u32 {
        self.taken[(self.taken.len() as f64 * part) as usize]
    }
}
