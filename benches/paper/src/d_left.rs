//! A d-left counting Bloom filter: Bonomi, Mitzenmacher, Panigrahy, Singh and Varghese, "An
//! Improved Construction for Counting Bloom Filters" (ESA 2006). Written for this evaluation, for
//! one thread.
//!
//! It has four subtables of buckets, each with eight cells of 16 bits: a remainder of 14 bits and a
//! counter of two. A hash is a bucket and a remainder. Its bucket in each subtable is a permutation
//! of that pair, so two items that share a bucket and the remainder share all four buckets.
//! Therefore a matching remainder is the item's own, and removing it cannot remove another one's. A
//! hash that is stored already is counted. A new one goes to the bucket with the fewest occupied
//! cells, the leftmost of equal ones. The filter is made for six items a bucket, three quarters of
//! its cells.

const SUBTABLES: usize = 4;
const CELLS: usize = 8;
const COUNTER_BITS: u32 = 2;
const MAX_COUNT: u16 = (1 << COUNTER_BITS) - 1;

/// Remainders have 14 bits. None is 0, so that no item matches an empty cell.
const REMAINDERS: u64 = (1 << 14) - 1;

/// The fractions of the golden ratio and of the roots of 2 and 3, odd.
const DISTANCES: [u64; SUBTABLES - 1] = [
    0x9e37_79b9_7f4a_7c15,
    0x6a09_e667_f3bc_c909,
    0xbb67_ae85_84ca_a73b,
];

/// A bucket. The occupied cells come first; an empty cell is 0.
#[repr(align(16))]
#[derive(Clone, Copy, Debug, Default)]
struct Bucket([u16; CELLS]);

/// A d-left counting Bloom filter of 64-bit hashes.
#[derive(Debug)]
pub(crate) struct DLeft {
    /// The subtables, one after the other.
    buckets: Box<[Bucket]>,
}

/// The buckets of a hash, one in each subtable, and its remainder.
struct Places {
    buckets: [usize; SUBTABLES],
    remainder: u16,
}

impl Bucket {
    #[inline]
    fn find(&self, remainder: u16) -> Option<usize> {
        let mut cells = self.0.iter();
        cells.position(|&cell| cell >> COUNTER_BITS == remainder)
    }

    #[inline]
    fn occupied(&self) -> usize {
        self.0.iter().map(|&cell| usize::from(cell != 0)).sum()
    }
}

impl DLeft {
    /// Makes the largest filter of at most this many bytes, with at least one bucket in each
    /// subtable.
    pub(crate) fn with_bytes(bytes: usize) -> Self {
        let in_each = (bytes / size_of::<Bucket>() / SUBTABLES).max(1);
        Self {
            buckets: vec![Bucket::default(); SUBTABLES * in_each].into_boxed_slice(),
        }
    }

    /// Returns the number of items that it is made for.
    pub(crate) fn capacity(&self) -> usize {
        self.cells() / 4 * 3
    }

    pub(crate) fn cells(&self) -> usize {
        self.buckets.len() * CELLS
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.buckets)
    }

    /// Returns the rate of false positives with this many items: the probability that one of them
    /// has the hash of an absent item.
    pub(crate) fn expected_false_positives(&self, items: usize) -> f64 {
        let hashes = (self.buckets.len() / SUBTABLES) as f64 * REMAINDERS as f64;
        -(items as f64 * (-1.0 / hashes).ln_1p()).exp_m1()
    }

    /// Adds a hash, or counts it once more. Returns false, and changes nothing, if no cell is
    /// empty, or the count is at its highest value.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u64) -> bool {
        let places = self.places(hash);
        if let Some((bucket, cell)) = self.find(&places) {
            let cell = &mut self.buckets[bucket].0[cell];
            let has_room = *cell & MAX_COUNT < MAX_COUNT;
            *cell += u16::from(has_room);
            return has_room;
        }
        let loads = places.buckets.map(|at| self.buckets[at].occupied());
        let nth = (0..SUBTABLES).min_by_key(|&nth| loads[nth]).unwrap_or(0);
        if loads[nth] == CELLS {
            return false;
        }
        let bucket = &mut self.buckets[places.buckets[nth]];
        bucket.0[loads[nth]] = places.remainder << COUNTER_BITS | 1;
        true
    }

    /// Returns whether this hash is stored, or another with the same bucket and remainder.
    #[inline]
    pub(crate) fn contains(&self, hash: u64) -> bool {
        self.find(&self.places(hash)).is_some()
    }

    /// Removes a hash once. Returns false if it is absent.
    #[inline]
    pub(crate) fn remove(&mut self, hash: u64) -> bool {
        let Some((bucket, cell)) = self.find(&self.places(hash)) else {
            return false;
        };
        let bucket = &mut self.buckets[bucket];
        if bucket.0[cell] & MAX_COUNT > 1 {
            bucket.0[cell] -= 1;
        } else {
            let last = bucket.occupied() - 1;
            bucket.0[cell] = bucket.0[last];
            bucket.0[last] = 0;
        }
        true
    }

    pub(crate) fn clear(&mut self) {
        self.buckets.fill(Bucket::default());
    }

    /// Takes the bucket from the high bits of a hash, and the remainder from the low ones. In the
    /// other subtables the bucket is moved by a distance that depends on the remainder alone: a
    /// rotation, so it is one to one for any number of buckets.
    #[inline]
    fn places(&self, hash: u64) -> Places {
        let size = (self.buckets.len() / SUBTABLES) as u64;
        let remainder = 1 + ((u64::from(hash as u32) * REMAINDERS) >> 32);
        let first = scaled(hash, size);
        let moved = DISTANCES.map(|distance| {
            let moved = first + scaled(remainder.wrapping_mul(distance), size);
            moved.min(moved.wrapping_sub(size))
        });
        let (mut buckets, mut start) = ([first as usize; SUBTABLES], size);
        for (bucket, moved) in buckets[1..].iter_mut().zip(moved) {
            *bucket = (start + moved) as usize;
            start += size;
        }
        let remainder = remainder as u16;
        Places { buckets, remainder }
    }

    #[inline]
    fn find(&self, places: &Places) -> Option<(usize, usize)> {
        let mut buckets = places.buckets.into_iter();
        buckets.find_map(|at| Some((at, self.buckets[at].find(places.remainder)?)))
    }
}

/// Returns a number below `end`, in proportion.
#[inline]
fn scaled(number: u64, end: u64) -> u64 {
    ((u128::from(number) * u128::from(end)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use rand::rngs::SmallRng;
    use rand::{Rng, RngExt, SeedableRng};

    use super::*;

    #[test]
    fn is_a_multiset_of_fingerprints() {
        let mut random = SmallRng::seed_from_u64(1);
        let mut filter = DLeft::with_bytes(16 * 64);
        let pool: Vec<u64> = (0..300).map(|_| random.next_u64()).collect();
        let mut reference: HashMap<(usize, u16), usize> = HashMap::new();
        let mut refused = 0;
        for _ in 0..50_000 {
            let mut hash = pool[random.random_range(0..pool.len())];
            if random.random_bool(0.2) {
                // In a filter this small, the middle bits of a hash are in no fingerprint.
                hash ^= 1 << 36;
            }
            let Places { buckets, remainder } = filter.places(hash);
            let copies = reference.entry((buckets[0], remainder)).or_default();
            assert_eq!(filter.contains(hash), *copies > 0);
            if random.random_bool(0.5) {
                assert_eq!(filter.insert(hash), *copies < 3);
                refused += usize::from(*copies == 3);
                *copies = 3.min(*copies + 1);
            } else {
                assert_eq!(filter.remove(hash), *copies > 0);
                *copies = copies.saturating_sub(1);
            }
        }
        assert!(refused > 1_000, "{refused}");
    }

    /// Reaches its capacity at the rate of the formula.
    #[test]
    fn reaches_capacity_at_the_formulas_rate() {
        const PROBES: usize = 300_000;
        let mut random = SmallRng::seed_from_u64(4);
        let mut filter = DLeft::with_bytes(3 << 15);
        assert_eq!(filter.bytes(), 3 << 15);
        let mut stored: Vec<u64> = (0..filter.capacity()).map(|_| random.next_u64()).collect();
        assert!(stored.iter().all(|&hash| filter.insert(hash)));
        let expected = filter.expected_false_positives(stored.len());
        // The bound of its authors.
        assert!((expected * 16_384.0 - 24.0).abs() < 0.1, "{expected}");
        let wrong = (0..PROBES).filter(|_| filter.contains(random.next_u64()));
        let rate = wrong.count() as f64 / PROBES as f64;
        assert!((rate / expected - 1.0).abs() < 0.2, "{rate} {expected}");
        // Insert until one is refused, which changes nothing.
        let refused = loop {
            let hash = random.next_u64();
            if !filter.insert(hash) {
                break hash;
            }
            stored.push(hash);
        };
        let full = filter.places(refused).buckets;
        assert!(
            full.iter()
                .all(|&at| filter.buckets[at].occupied() == CELLS)
        );
        assert!(!filter.contains(refused) && stored.iter().all(|&hash| filter.contains(hash)));
        assert!(stored.into_iter().all(|hash| filter.remove(hash)));
        let occupied: usize = filter.buckets.iter().map(Bucket::occupied).sum();
        assert_eq!(occupied, 0);
    }
}
