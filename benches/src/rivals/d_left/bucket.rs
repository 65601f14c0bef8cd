//! A bucket of eight cells, and what is asked of the four buckets of an item at once.
//!
//! A cell is a remainder of 14 bits above a counter of two; an empty one is 0. The occupied cells come first, so that
//! the empty ones, as bits, tell which of two buckets has more of them.

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod sse2;

#[cfg(not(target_arch = "x86_64"))]
pub(super) use portable::{Quartet, occupied};
#[cfg(target_arch = "x86_64")]
pub(super) use sse2::{Quartet, occupied};

use super::Overflow;
use super::places::SUBTABLES;

pub(super) const CELLS: usize = 8;

const COUNTER_BITS: u32 = 2;
const MOST: u16 = (1 << COUNTER_BITS) - 1;

/// One load of 16 bytes, in one cache line.
#[repr(align(16))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bucket(pub(super) [u16; CELLS]);

/// A cell of a quartet: which of the four buckets, and which of its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) bucket: usize,
    pub(super) cell: usize,
}

impl Bucket {
    /// The first empty cell gets a remainder, once.
    #[inline]
    pub(super) fn occupy(&mut self, cell: usize, remainder: u16) {
        self.0[cell % CELLS] = remainder << COUNTER_BITS | 1;
    }

    /// Once more.
    #[inline]
    pub(super) fn increment(&mut self, cell: usize) -> Result<(), Overflow> {
        let cell = &mut self.0[cell % CELLS];
        if *cell & MOST == MOST {
            return Err(Overflow::Counter);
        }
        *cell += 1;
        Ok(())
    }

    /// Once less. The last time the cell is emptied, and filled with the last one.
    #[inline]
    pub(super) fn decrement(&mut self, cell: usize) {
        let cell = cell % CELLS;
        if self.0[cell] & MOST > 1 {
            self.0[cell] -= 1;
        } else {
            let last = (occupied(self) - 1) % CELLS;
            self.0[cell] = self.0[last];
            self.0[last] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn counts_to_three_and_back() {
        let mut bucket = Bucket::default();
        bucket.occupy(0, 5);
        bucket.occupy(1, 7);
        bucket.occupy(2, 6);
        assert_eq!(bucket.0[1], 7 << 2 | 1);
        for count in [2, 3] {
            assert_eq!(bucket.increment(1), Ok(()));
            assert_eq!(bucket.0[1], 7 << 2 | count);
        }
        let full = bucket;
        assert_eq!(bucket.increment(1), Err(Overflow::Counter));
        assert_eq!(bucket, full);
        bucket.decrement(1);
        bucket.decrement(1);
        assert_eq!(bucket.0[..3], [5 << 2 | 1, 7 << 2 | 1, 6 << 2 | 1]);
        bucket.decrement(1);
        assert_eq!(bucket.0[..3], [5 << 2 | 1, 6 << 2 | 1, 0]);
        bucket.decrement(1);
        bucket.decrement(0);
        assert_eq!(bucket, Bucket::default());
    }

    #[test]
    fn both_ways_to_compare_agree() {
        let mut random = SmallRng::seed_from_u64(1);
        for _ in 0..10_000 {
            // Few remainders, each once.
            let mut remainders: Vec<u16> = (1..50).collect();
            let buckets: [Bucket; SUBTABLES] = std::array::from_fn(|_| {
                let mut bucket = Bucket::default();
                for cell in 0..random.random_range(0..=CELLS) {
                    let remainder = random.random_range(0..remainders.len());
                    bucket.occupy(cell, remainders.swap_remove(remainder));
                    bucket.0[cell] |= random.random_range(1..=MOST);
                }
                bucket
            });
            for bucket in &buckets {
                assert_eq!(occupied(bucket), portable::occupied(bucket));
            }
            let plain = portable::Quartet::load(buckets.each_ref());
            let quartet = Quartet::load(buckets.each_ref());
            assert_eq!(quartet.empty(), plain.empty());
            for remainder in [1, 2, 20, 49, (1 << 14) - 1] {
                let found = plain.find(remainder);
                assert_eq!(quartet.find(remainder), found);
                assert_eq!(quartet.has(remainder), found.is_some());
                assert_eq!(plain.has(remainder), found.is_some());
            }
        }
    }
}
