//! Filters of other crates: adapts their constructors and calls.

use std::mem::size_of;

use atomic_cuckoo_filter::CuckooFilterBuilder;
use cuckoo_clock::config::{CuckooConfiguration, CuckooConfigurationBuilder};
use fastbloom::{AtomicBloomFilter, BloomFilter};
use growable_bloom_filter::GrowableBloom;
use lockfree_cuckoo::CuckooFilter;
use rand_09::SeedableRng;
use rand_09::rngs::SmallRng;
use scalable_cuckoo_filter::{ScalableCuckooFilter, ScalableCuckooFilterBuilder};
use serial_cuckoo::SerialFilter;

use super::locks::Single;
use super::{BuildReady, Ready};
use crate::contender::{Calls, Contender};

/// The false-positive rate that filters are asked for: one in 2^13, as 16-bit fingerprints in two
/// buckets of four have.
pub const FALSE_POSITIVES: f64 = 1.0 / 8192.0;

/// `atomic-cuckoo-filter`: concurrent by design. With its defaults: 16-bit fingerprints in buckets
/// of four. It rounds the buckets up to a power of two.
pub type AtomicCuckoo = atomic_cuckoo_filter::CuckooFilter<Ready>;

impl Contender for AtomicCuckoo {
    // A remove that races with others can miss a stored key.
    const EXACT: bool = false;

    const CALLS: Calls = Calls {
        insert: "adds a copy",
        insert_unique: "`insert_unique`: in one lock, after a lookup",
    };

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
    fn insert_unique(&self, hash: u64) -> bool {
        self.insert_unique(&hash) == Ok(true)
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

/// `cuckoo-clock`: a lock for each bucket. With 16-bit fingerprints in buckets of four. It rounds
/// the buckets up to a power of two, and each has a lock and memory of its own.
pub type CuckooClock = cuckoo_clock::CuckooFilter<BuildReady>;

/// Returns the configuration of a `cuckoo-clock` for this many items, which the caller can extend.
///
/// # Panics
///
/// Never: the numbers are valid.
#[must_use]
pub fn cuckoo_clock_config(items: usize) -> CuckooConfigurationBuilder {
    CuckooConfiguration::builder(items)
        .fingerprint_bits(16.try_into().expect("16 bits"))
        .bucket_size(4.try_into().expect("four slots"))
}

impl Contender for CuckooClock {
    // It stores equal fingerprints of a bucket once, so a remove can remove another item's. Lookups
    // can miss an item that an insert moves, and an insert that finds no room has lost an item.
    const EXACT: bool = false;
    const UNIQUE: bool = false;
    const CALLS: Calls = Calls {
        insert: "adds a copy, unless the bucket has one",
        insert_unique: "none: it locks one bucket at a time",
    };

    fn with_capacity(items: usize) -> Self {
        let config = cuckoo_clock_config(items).build();
        Self::new(config.expect("a usual size"), BuildReady::default())
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        (
            Some(self.get_bucket_count() * 4),
            Some(self.get_memory_usage()),
        )
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.insert(&hash).is_none()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains(&hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.remove(&hash)
    }
}

/// The filter for one thread, with as many buckets as the shared filter has for the same items.
impl Single for SerialFilter {
    const CALLS: Calls = Calls {
        insert: "adds a copy",
        insert_unique: "`insert_unique`",
    };

    fn with_capacity(items: usize) -> Self {
        // The table of the filter is not touched, so it takes no memory.
        let slots = CuckooFilter::with_capacity(items).slots();
        Self::with_buckets(slots / 4)
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        (Some(self.slots()), Some(self.slots() * size_of::<u16>()))
    }

    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        self.insert(hash)
    }

    #[inline]
    fn insert_unique(&mut self, hash: u64) -> bool {
        self.insert_unique(hash)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains(hash)
    }

    #[inline]
    fn remove(&mut self, hash: u64) -> bool {
        self.remove(hash)
    }

    fn clear(&mut self, _items: usize) {
        self.clear();
    }
}

/// `fastbloom`: a concurrent Bloom filter. Its interface takes hashes.
impl Contender for AtomicBloomFilter {
    const REMOVES: bool = false;
    // Two threads that set the bits of one key at a time can both have set one of them first.
    const UNIQUE: bool = false;
    const CALLS: Calls = Calls {
        insert: "changes nothing",
        insert_unique: "none: of two threads both can have added an item",
    };

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

/// `cuckoofilter`: for one thread, and with 8-bit fingerprints only. Its false-positive rate, 3 %,
/// cannot be chosen. An insert that is refused has lost another item.
pub type Cuckoofilter = cuckoofilter::CuckooFilter<Ready>;

impl Single for Cuckoofilter {
    const EXACT: bool = false;
    const CALLS: Calls = Calls {
        insert: "adds a copy",
        insert_unique: "`test_and_add`",
    };

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
    fn insert_unique(&mut self, hash: u64) -> bool {
        matches!(self.test_and_add(&hash), Ok(true))
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

/// `valkey-cuckoo`: a fork of `cuckoofilter` with a generator of the caller's, and an insert that is
/// undone if it fails.
pub type Valkey = valkey_cuckoo::CuckooFilter<Ready, rand_08::rngs::SmallRng>;

impl Single for Valkey {
    const EXACT: bool = false;
    const CALLS: Calls = Calls {
        insert: "adds a copy",
        insert_unique: "a lookup, then `try_add_hashed`",
    };

    fn with_capacity(items: usize) -> Self {
        let random = rand_08::SeedableRng::seed_from_u64(0);
        Self::with_hasher_and_rng(items, Ready::default(), random)
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        // A slot has a byte.
        (Some(self.as_bytes().len()), Some(self.memory_usage()))
    }

    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        self.try_add(&hash).is_ok()
    }

    #[inline]
    fn insert_unique(&mut self, hash: u64) -> bool {
        let of = Self::hash_item(&hash);
        !self.contains_hashed(&of) && self.try_add_hashed(&of).is_ok()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains(&hash)
    }

    #[inline]
    fn remove(&mut self, hash: u64) -> bool {
        self.delete(&hash)
    }

    fn clear(&mut self, _items: usize) {
        self.clear();
    }
}

/// A Bloom filter of `fastbloom` for one thread.
impl Single for BloomFilter {
    const REMOVES: bool = false;
    const CALLS: Calls = Calls {
        insert: "changes nothing",
        insert_unique: "`insert`",
    };

    fn with_capacity(items: usize) -> Self {
        Self::with_false_pos(FALSE_POSITIVES).expected_items(items)
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        (None, Some(self.num_bits() / 8))
    }

    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        self.insert_hash(hash);
        true
    }

    #[inline]
    fn insert_unique(&mut self, hash: u64) -> bool {
        !self.insert_hash(hash)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains_hash(hash)
    }

    fn clear(&mut self, _items: usize) {
        self.clear();
    }
}

/// `scalable_cuckoo_filter`: for one thread, and grows. It is sized for all items at once, and has
/// a small generator for its kicks: the default one is bound to a thread, and slower.
pub type Scalable = ScalableCuckooFilter<u64, Ready, SmallRng>;

impl Single for Scalable {
    const EXACT: bool = false;
    const CALLS: Calls = Calls {
        insert: "adds a copy",
        insert_unique: "a lookup, then an insert",
    };

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
    fn insert_unique(&mut self, hash: u64) -> bool {
        // Its own call hashes the item for each of the two.
        let is_new = !self.contains(&hash);
        if is_new {
            self.insert(&hash);
        }
        is_new
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

/// `qfilter`: a quotient filter for one thread. It gets hashes as fingerprints, and may store
/// duplicates, as the filter does. It rounds the slots up to a power of two that the items fill to
/// at most 95 %: a million items fill half.
impl Single for qfilter::Filter {
    const CALLS: Calls = Calls {
        insert: "adds a copy",
        insert_unique: "`insert_fingerprint` without duplicates",
    };

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
    fn insert_unique(&mut self, hash: u64) -> bool {
        matches!(self.insert_fingerprint(false, hash), Ok(true))
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

/// `growable-bloom-filter`: for one thread, and grows. It hashes every key with a function of its
/// own.
impl Single for GrowableBloom {
    const REMOVES: bool = false;
    const CALLS: Calls = Calls {
        insert: "changes nothing",
        insert_unique: "`insert`",
    };

    fn with_capacity(items: usize) -> Self {
        Self::new(FALSE_POSITIVES, items)
    }

    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        // It returns whether the key was new, not whether it was accepted.
        self.insert(hash);
        true
    }

    #[inline]
    fn insert_unique(&mut self, hash: u64) -> bool {
        self.insert(hash)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains(hash)
    }
}
