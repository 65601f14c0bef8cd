//! A d-left counting Bloom filter: Bonomi, Mitzenmacher, Panigrahy, Singh and Varghese, "An Improved Construction for
//! Counting Bloom Filters" (ESA 2006). Written for these measurements, because no registry has one. For one thread.
//!
//! Four subtables of buckets, each with eight cells of 16 bits: a remainder of 14 bits and a counter of two. An item
//! has one hash, which is a bucket and a remainder, and one place in each subtable, which is a [permutation](places)
//! of that hash. So two items that share a place share all four, and the remainder in any of them is the same: what
//! is found there is the item's own hash, and removing it cannot remove another one's. A hash that is in already is
//! counted. A new one goes to the bucket with the fewest occupied cells, the leftmost of equal ones.
//!
//! It is made for six items a bucket, three quarters of its cells.

mod bucket;
mod places;

use std::error::Error;
use std::fmt;
use std::hint::select_unpredictable;

use self::bucket::{Bucket, CELLS, Cell, Quartet};
use self::places::{Permutations, Places, REMAINDERS, SUBTABLES};

/// A d-left counting Bloom filter of 64-bit hashes.
#[derive(Debug)]
pub struct DLeft {
    /// The subtables, one after the other.
    buckets: Box<[Bucket]>,
    permutations: Permutations,
}

/// Why an item was not inserted. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The four buckets of the item have no empty cell.
    Buckets,
    /// The hash of the item is in three times, and its counter has two bits.
    Counter,
}

impl fmt::Display for Overflow {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Buckets => "all buckets of the item are full: use a larger table",
            Self::Counter => "the hash of the item is in three times, which is all that is counted",
        })
    }
}

impl Error for Overflow {}

impl DLeft {
    /// The largest that takes at most so many bytes. At least one bucket in each subtable.
    #[must_use]
    pub fn with_bytes(bytes: usize) -> Self {
        let in_each = (bytes / size_of::<Bucket>() / SUBTABLES).max(1);
        Self {
            buckets: vec![Bucket::default(); SUBTABLES * in_each].into_boxed_slice(),
            permutations: Permutations::of(in_each),
        }
    }

    /// The items that it is made for: three quarters of the cells.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.cells() / 4 * 3
    }

    /// All cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.buckets.len() * CELLS
    }

    /// The bytes of the table.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.buckets)
    }

    /// The rate of false positives with so many items in: that one of them has the hash of an absent item.
    #[must_use]
    pub fn expected_false_positives(&self, items: usize) -> f64 {
        let hashes = self.permutations.buckets() as f64 * REMAINDERS as f64;
        -(items as f64 * (-1.0 / hashes).ln_1p()).exp_m1()
    }

    /// Adds a hash, once more if it is in.
    ///
    /// # Errors
    ///
    /// [`Overflow`], and the table is as before.
    #[inline]
    pub fn insert(&mut self, hash: u64) -> Result<(), Overflow> {
        let places = self.permutations.of_hash(hash);
        let quartet = self.quartet(&places);
        if quartet.has(places.remainder) {
            return self.insert_copy(&places);
        }
        let (bucket, empty) = emptiest(&places, quartet.empty());
        if empty == 0 {
            return Err(Overflow::Buckets);
        }
        self.buckets[bucket].occupy(empty.trailing_zeros() as usize, places.remainder);
        Ok(())
    }

    /// Adds a hash that is in.
    #[cold]
    fn insert_copy(&mut self, places: &Places) -> Result<(), Overflow> {
        let found = self.quartet(places).find(places.remainder);
        found.map_or(Ok(()), |Cell { bucket, cell }| {
            self.buckets[places.buckets[bucket]].increment(cell)
        })
    }

    /// Whether a hash is in, or one with the same bucket and remainder.
    #[inline]
    #[must_use]
    pub fn contains(&self, hash: u64) -> bool {
        let places = self.permutations.of_hash(hash);
        self.quartet(&places).has(places.remainder)
    }

    /// Removes a hash once. False: it is not in.
    #[inline]
    pub fn remove(&mut self, hash: u64) -> bool {
        let places = self.permutations.of_hash(hash);
        let found = self.quartet(&places).find(places.remainder);
        if let Some(Cell { bucket, cell }) = found {
            self.buckets[places.buckets[bucket]].decrement(cell);
        }
        found.is_some()
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.buckets.fill(Bucket::default());
    }

    /// The four buckets of an item. Nothing depends on any of the four loads, so they are on their way at the same
    /// time, and a prefetch would come no earlier.
    #[inline]
    #[allow(unsafe_code, reason = "four bounds checks less in each operation")]
    fn quartet(&self, places: &Places) -> Quartet {
        // SAFETY: the permutations are for a quarter of the buckets, and the place in the nth subtable is a bucket of
        // the nth quarter.
        Quartet::load(
            places
                .buckets
                .map(|at| unsafe { self.buckets.get_unchecked(at) }),
        )
    }
}

/// The bucket of an item with the most empty cells, the leftmost of equal ones, and those cells. By moves and not by
/// branches, which would be mispredicted.
#[inline]
fn emptiest(places: &Places, empty: [u8; SUBTABLES]) -> (usize, u8) {
    let [a, b, c, d] = empty;
    let [at_a, at_b, at_c, at_d] = places.buckets;
    let emptier = |one: (usize, u8), other: (usize, u8)| {
        let is_other = other.1 > one.1;
        (
            select_unpredictable(is_other, other.0, one.0),
            one.1.max(other.1),
        )
    };
    emptier(emptier((at_a, a), (at_b, b)), emptier((at_c, c), (at_d, d)))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use rand::rngs::SmallRng;
    use rand::{Rng, RngExt, SeedableRng};

    use super::*;

    fn made_for(items: usize) -> DLeft {
        let buckets = items.div_ceil(6).next_multiple_of(SUBTABLES);
        let filter = DLeft::with_bytes(buckets * size_of::<Bucket>());
        assert!(filter.capacity() >= items);
        filter
    }

    /// What two hashes have in common that the filter cannot tell apart.
    fn fingerprint(filter: &DLeft, hash: u64) -> (usize, u16) {
        let places = filter.permutations.of_hash(hash);
        (places.buckets[0], places.remainder)
    }

    fn occupied(filter: &DLeft) -> Vec<usize> {
        filter.buckets.iter().map(bucket::occupied).collect()
    }

    #[test]
    fn is_a_multiset_of_fingerprints() {
        let mut random = SmallRng::seed_from_u64(1);
        let mut filter = made_for(200);
        let pool: Vec<u64> = (0..300).map(|_| random.next_u64()).collect();
        // The middle bits of a hash are in no fingerprint of so small a filter.
        let twin = |hash: u64| hash ^ 1 << 36;
        let mut reference: HashMap<(usize, u16), usize> = HashMap::new();
        let (mut added, mut refused) = (0, 0);
        for _ in 0..100_000 {
            let mut hash = pool[random.random_range(0..pool.len())];
            if random.random_bool(0.2) {
                hash = twin(hash);
            }
            let copies = reference.entry(fingerprint(&filter, hash)).or_default();
            assert_eq!(filter.contains(hash), *copies > 0);
            if random.random_bool(0.5) {
                let expected = if *copies == 3 {
                    Err(Overflow::Counter)
                } else {
                    Ok(())
                };
                assert_eq!(filter.insert(hash), expected);
                added += usize::from(expected.is_ok() && *copies == 0);
                refused += usize::from(expected.is_err());
                *copies = 3.min(*copies + 1);
            } else {
                assert_eq!(filter.remove(hash), *copies > 0);
                *copies = copies.saturating_sub(1);
            }
        }
        assert!(added > 1_000 && refused > 1_000, "{added} {refused}");
        for hash in pool {
            let copies = reference.remove(&fingerprint(&filter, hash));
            assert!((0..copies.unwrap_or(0)).all(|_| filter.remove(hash)));
            assert!(!filter.contains(hash));
        }
        assert_eq!(occupied(&filter).iter().sum::<usize>(), 0);
    }

    #[test]
    fn the_least_loaded_bucket_is_chosen_and_the_leftmost_of_equals() {
        let mut random = SmallRng::seed_from_u64(2);
        let mut filter = made_for(3_000);
        let mut loads = vec![0; filter.buckets.len()];
        for _ in 0..3_000 {
            let hash = random.next_u64();
            if filter.contains(hash) {
                continue;
            }
            let places = filter.permutations.of_hash(hash).buckets;
            let &chosen = places.iter().min_by_key(|&&at| loads[at]).expect("four");
            loads[chosen] += 1;
            assert_eq!(filter.insert(hash), Ok(()));
        }
        assert_eq!(occupied(&filter), loads);
    }

    #[test]
    fn a_refused_insert_changes_nothing() {
        let mut random = SmallRng::seed_from_u64(3);
        let mut filter = made_for(3_000);
        let mut stored = Vec::new();
        let refused = loop {
            let hash = random.next_u64();
            match filter.insert(hash) {
                Ok(()) => stored.push(hash),
                Err(why) => break (hash, why),
            }
        };
        assert_eq!(refused.1, Overflow::Buckets);
        let full = filter.permutations.of_hash(refused.0).buckets;
        assert!(full.iter().all(|&at| occupied(&filter)[at] == CELLS));
        assert!(stored.len() > filter.capacity(), "{}", stored.len());
        assert!(!filter.contains(refused.0));
        assert!(stored.iter().all(|&hash| filter.contains(hash)));
        assert!(stored.iter().all(|&hash| filter.remove(hash)));
        assert!(occupied(&filter).iter().all(|&cells| cells == 0));
    }

    #[test]
    fn takes_what_it_is_made_for_with_the_rate_of_the_formula() {
        const PROBES: usize = 300_000;
        let mut random = SmallRng::seed_from_u64(4);
        let mut filter = DLeft::with_bytes(3 << 17);
        assert_eq!(filter.bytes(), 3 << 17);
        let items = filter.capacity();
        for _ in 0..items {
            assert_eq!(filter.insert(random.next_u64()), Ok(()));
        }
        let expected = filter.expected_false_positives(items);
        // The bound of the paper.
        assert!((expected * 16_384.0 - 24.0).abs() < 0.1, "{expected}");
        let wrong = (0..PROBES).filter(|_| filter.contains(random.next_u64()));
        let rate = wrong.count() as f64 / PROBES as f64;
        assert!((rate / expected - 1.0).abs() < 0.15, "{rate} {expected}");
        filter.clear();
        assert!(!filter.contains(0) && occupied(&filter).iter().sum::<usize>() == 0);
    }
}
