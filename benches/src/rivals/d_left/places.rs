//! Where an item may be: the permutations of its hash.
//!
//! A hash is a pair of a bucket `b` and a remainder `r`. The permutation for a subtable keeps the remainder and moves
//! the bucket by a distance that depends on the remainder alone: `(b, r)` goes to `((b + d(r)) mod buckets, r)`. With
//! `r` fixed that is a rotation, so it is one to one, for any number of buckets. (The authors suggest multiplication by
//! odd numbers, which needs a power of two.) And one remainder is compared with the cells of all four.

/// The paper's `d`.
pub(super) const SUBTABLES: usize = 4;

/// Remainders have 14 bits. None is 0, so that no item matches an empty cell.
pub(super) const REMAINDERS: u64 = (1 << 14) - 1;

/// Odd numbers without a pattern: the fractions of the golden ratio and of the roots of 2 and 3.
const DISTANCES: [u64; SUBTABLES - 1] = [
    0x9e37_79b9_7f4a_7c15,
    0x6a09_e667_f3bc_c909,
    0xbb67_ae85_84ca_a73b,
];

/// The permutations for subtables of one size.
#[derive(Debug)]
pub(super) struct Permutations {
    buckets: u64,
}

/// One bucket in each subtable, counted through all of them, and the remainder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) buckets: [usize; SUBTABLES],
    pub(super) remainder: u16,
}

impl Permutations {
    /// For subtables of so many buckets each.
    pub(super) fn of(buckets: usize) -> Self {
        let buckets = buckets as u64;
        Self { buckets }
    }

    /// The buckets of a subtable.
    pub(super) fn buckets(&self) -> u64 {
        self.buckets
    }

    /// The high bits of a hash are the bucket, the low ones the remainder.
    #[inline]
    pub(super) fn of_hash(&self, hash: u64) -> Places {
        let remainder = 1 + ((u64::from(hash as u32) * REMAINDERS) >> 32);
        self.of_pair(scaled(hash, self.buckets), remainder)
    }

    #[inline]
    fn of_pair(&self, bucket: u64, remainder: u64) -> Places {
        let moved = DISTANCES.map(|distance| {
            let moved = bucket + scaled(remainder.wrapping_mul(distance), self.buckets);
            // Less the buckets, if it is not less than those.
            moved.min(moved.wrapping_sub(self.buckets))
        });
        let (size, [second, third, fourth]) = (self.buckets, moved);
        let buckets = [bucket, size + second, 2 * size + third, 3 * size + fourth];
        Places {
            buckets: buckets.map(|bucket| bucket as usize),
            remainder: remainder as u16,
        }
    }
}

/// A number below `end`, in proportion.
#[inline]
fn scaled(number: u64, end: u64) -> u64 {
    ((u128::from(number) * u128::from(end)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_subtable_has_a_permutation() {
        for buckets in [1, 2, 7, 96] {
            let permutations = Permutations::of(buckets);
            for remainder in [1, 2, 77, REMAINDERS] {
                let mut seen = vec![0; SUBTABLES * buckets];
                for bucket in 0..buckets {
                    let places = permutations.of_pair(bucket as u64, remainder);
                    assert_eq!(u64::from(places.remainder), remainder);
                    for (subtable, at) in places.buckets.into_iter().enumerate() {
                        assert_eq!(at / buckets, subtable);
                        seen[at] += 1;
                    }
                }
                assert!(seen.iter().all(|&times| times == 1), "{seen:?}");
            }
        }
    }

    #[test]
    fn all_buckets_and_remainders_occur() {
        let permutations = Permutations::of(3);
        let ends = [0, u64::MAX].map(|hash| permutations.of_hash(hash));
        assert_eq!(ends.map(|places| places.buckets[0]), [0, 2]);
        assert_eq!(
            ends.map(|places| u64::from(places.remainder)),
            [1, REMAINDERS]
        );
    }
}
