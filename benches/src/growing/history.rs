//! How a contender came to be as large as it is.

use lockfree_cuckoo::GrowingCuckooFilter;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use crate::contender::Contender;
use crate::keys::Keys;
use crate::work::insert_each;

/// The items in the order in which they are inserted: another one than that in which they are looked up, so
/// that one hit does not foretell the segment of the next.
#[must_use]
pub fn order(keys: &Keys) -> Vec<u64> {
    let mut order = keys.stored.clone();
    let mut random = SmallRng::seed_from_u64(order.len() as u64);
    order.shuffle(&mut random);
    order
}

/// A contender of a first size, filled with these keys.
///
/// # Panics
///
/// If it refuses one.
#[must_use]
pub fn grown<C: Contender>(start: usize, order: &[u64]) -> C {
    let table = C::with_capacity(start);
    assert_eq!(insert_each(&table, order), order.len(), "{}", C::NAME);
    table
}

/// A first size from which the filter grows to this number of segments.
#[must_use]
pub fn start_for(segments: usize, order: &[u64]) -> usize {
    // Each segment is twice as large as the one before.
    let mut start = order.len() / ((1 << segments) - 1);
    while grown::<GrowingCuckooFilter>(start, order).segments() > segments {
        start += start / 32 + 1;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_sizes_lead_to_the_numbers_of_segments() {
        let order = order(&Keys::generate(50_000));
        for segments in 1..=6 {
            let start = start_for(segments, &order);
            let filter: GrowingCuckooFilter = grown(start, &order);
            assert_eq!(filter.segments(), segments, "{start}");
        }
    }
}
