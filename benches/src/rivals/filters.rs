//! Other filters.

use std::mem::size_of;

use atomic_cuckoo_filter::CuckooFilterBuilder;
use fastbloom::AtomicBloomFilter;
use growable_bloom_filter::GrowableBloom;
use rand_09::SeedableRng;
use rand_09::rngs::SmallRng;
use scalable_cuckoo_filter::{ScalableCuckooFilter, ScalableCuckooFilterBuilder};

use super::Ready;
use super::locks::Single;
use crate::contender::Contender;

/// The false-positive rate that filters are asked for: one in 2^13, which is that of 16-bit fingerprints in
/// two buckets of four.
pub const FALSE_POSITIVES: f64 = 1.0 / 8192.0;

/// `atomic-cuckoo-filter`: concurrent by design. With its defaults, which are those of the paper and of the filter:
/// 16-bit fingerprints in buckets of four. It rounds the buckets up to a power of two, so at most sizes it has an easier
/// time than the others, and takes more memory.
pub type AtomicCuckoo = atomic_cuckoo_filter::CuckooFilter<Ready>;

impl Contender for AtomicCuckoo {
    // A remove that races with others can miss a key that is in.
    const EXACT: bool = false;

    fn with_capacity(items: usize) -> Self {
        let builder = CuckooFilterBuilder::default().capacity(items);
        builder.build().expect("the defaults are valid")
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        let slots = self.capacity();
        (Some(slots), Some(slots * size_of::<u16>()))
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.insert(&hash).is_ok()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains(&hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.remove(&hash)
    }

    fn clear(&mut self, _items: usize) {
        Self::clear(self);
    }
}

/// `fastbloom`: a concurrent Bloom filter. Addressed by hashes, which its interface allows.
impl Contender for AtomicBloomFilter {
    const REMOVES: bool = false;

    fn with_capacity(items: usize) -> Self {
        Self::with_false_pos(FALSE_POSITIVES).expected_items(items)
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        (None, Some(self.num_bits() / 8))
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.insert_hash(hash);
        true
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains_hash(hash)
    }

    fn clear(&mut self, _items: usize) {
        Self::clear(self);
    }
}

/// `cuckoofilter`: for one thread, and with 8-bit fingerprints only. Its false-positive rate, 3 %, cannot be chosen. An
/// insert that is refused has lost another item.
pub type Cuckoofilter = cuckoofilter::CuckooFilter<Ready>;

impl Single for Cuckoofilter {
    const EXACT: bool = false;

    fn with_capacity(items: usize) -> Self {
        Self::with_capacity(items)
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        // A slot has a byte.
        let bytes = self.memory_usage();
        (Some(bytes - size_of::<Self>()), Some(bytes))
    }

    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        self.add(&hash).is_ok()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains(&hash)
    }

    #[inline]
    fn remove(&mut self, hash: u64) -> bool {
        self.delete(&hash)
    }
}

/// `scalable_cuckoo_filter`: for one thread, and grows. Sized for all items at once, with a small generator for its
/// kicks: the default one is bound to a thread, and slower.
pub type Scalable = ScalableCuckooFilter<u64, Ready, SmallRng>;

impl Single for Scalable {
    const EXACT: bool = false;

    fn with_capacity(items: usize) -> Self {
        ScalableCuckooFilterBuilder::new()
            .initial_capacity(items)
            .false_positive_probability(FALSE_POSITIVES)
            .hasher(Ready::default())
            .rng(SmallRng::seed_from_u64(0))
            .finish()
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        (Some(self.capacity()), Some(self.bits() as usize / 8))
    }

    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        self.insert(&hash);
        true
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains(&hash)
    }

    #[inline]
    fn remove(&mut self, hash: u64) -> bool {
        self.remove(&hash)
    }
}

/// `qfilter`: a quotient filter for one thread. With fingerprints that the caller has made, which hashes are, and
/// duplicates allowed, as the filter has it. It rounds the slots up to a power of two that the items fill to at most
/// 95 %: at a million, half.
impl Single for qfilter::Filter {
    fn with_capacity(items: usize) -> Self {
        Self::new(items as u64, FALSE_POSITIVES).expect("the size is possible")
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        // It takes at most 95 % of its slots.
        let slots = self.capacity() as usize * 20 / 19;
        (Some(slots), Some(self.memory_usage()))
    }

    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        self.insert_fingerprint(true, hash).is_ok()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains_fingerprint(hash)
    }

    #[inline]
    fn remove(&mut self, hash: u64) -> bool {
        self.remove_fingerprint(hash)
    }

    fn clear(&mut self, _items: usize) {
        self.clear();
    }
}

/// `growable-bloom-filter`: for one thread, and grows. It hashes every key with a function of its own.
impl Single for GrowableBloom {
    const REMOVES: bool = false;

    fn with_capacity(items: usize) -> Self {
        Self::new(FALSE_POSITIVES, items)
    }

    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        // It says whether the key was new, which is another question.
        self.insert(hash);
        true
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains(hash)
    }
}
