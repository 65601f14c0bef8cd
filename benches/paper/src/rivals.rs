//! The rivals of the paper: a Bloom filter, a blocked one and a quotient filter from the registry,
//! and the counting and the d-left counting Bloom filter of this program.

use fastbloom::BloomFilter;

use crate::counting_bloom::CountingBloom;
use crate::d_left::DLeft;
use crate::subject::Subject;

/// A Bloom filter with the number of hash functions that is best for its items.
pub(crate) struct Bloom {
    filter: BloomFilter,
    items: usize,
}

impl Bloom {
    pub(crate) fn new(bytes: usize, items: usize) -> Self {
        let bits = bytes * 8;
        let filter = BloomFilter::with_num_bits(bits).expected_items(items);
        Self { filter, items }
    }
}

impl Subject for Bloom {
    const REMOVES: bool = false;

    fn bytes(&self) -> usize {
        self.filter.num_bits() / 8
    }

    fn room(&self) -> usize {
        self.items
    }

    fn clear(&mut self) {
        self.filter.clear();
    }

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.filter.insert_hash(key);
        true
    }

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.filter.contains_hash(key)
    }
}

/// A Bloom filter in blocks of 32 bytes, in which an item has eight bits: an operation touches one
/// cache line.
pub(crate) struct BlockedBloom {
    filter: sbbf_rs_safe::Filter,
    items: usize,
}

impl BlockedBloom {
    pub(crate) fn new(bytes: usize, items: usize) -> Self {
        // Eight bits a key: as many bytes as keys.
        let filter = sbbf_rs_safe::Filter::new(8, bytes);
        Self { filter, items }
    }
}

impl Subject for BlockedBloom {
    const REMOVES: bool = false;

    fn bytes(&self) -> usize {
        self.filter.as_bytes().len()
    }

    fn room(&self) -> usize {
        self.items
    }

    fn clear(&mut self) {
        self.filter.reset();
    }

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.filter.insert_hash(key);
        true
    }

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.filter.contains_hash(key)
    }
}

/// A quotient filter with remainders of as many bits as in the paper. It refuses items above a load
/// of 95 %.
pub(crate) struct Quotient {
    filter: qfilter::Filter,
    slots: usize,
}

/// The bits of a remainder: in the paper a slot has twelve bits, three of them for other purposes.
const REMAINDER_BITS: i32 = 9;

/// The bits of a slot in the crate: 17 bytes for 64 slots, besides the remainders.
const SLOT_BITS: f64 = REMAINDER_BITS as f64 + 17.0 / 8.0;

impl Quotient {
    /// Makes the largest filter that fits. The number of its slots is a power of two.
    pub(crate) fn new(bytes: usize) -> Self {
        let most = (bytes as f64 * 8.0 / SLOT_BITS) as usize;
        let slots = 1 << most.ilog2();
        let items = slots as u64 * 19 / 20;
        let filter =
            qfilter::Filter::new(items, 0.5f64.powi(REMAINDER_BITS)).expect("a usual size");
        Self { filter, slots }
    }
}

impl Subject for Quotient {
    const REMOVES: bool = true;

    fn bytes(&self) -> usize {
        self.filter.memory_usage()
    }

    fn room(&self) -> usize {
        self.slots
    }

    fn clear(&mut self) {
        self.filter.clear();
    }

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.filter.insert_fingerprint(true, key).is_ok()
    }

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.filter.contains_fingerprint(key)
    }

    #[inline]
    fn remove(&mut self, key: u64) -> bool {
        self.filter.remove_fingerprint(key)
    }
}

/// A counting Bloom filter, and the number of items that it is made for.
pub(crate) struct Counting {
    filter: CountingBloom,
    items: usize,
}

/// The bits of a counter: a Bloom filter has one bit in its place.
const COUNTER_BITS: usize = 4;

impl Counting {
    /// Makes a filter for a quarter of the items: it has as many counters per item as a Bloom
    /// filter of this size has bits per item.
    pub(crate) fn like_bloom(bytes: usize, items: usize) -> Self {
        let items = items / COUNTER_BITS;
        let filter = CountingBloom::new(bytes, items);
        Self { filter, items }
    }
}

impl Subject for Counting {
    const REMOVES: bool = true;

    fn bytes(&self) -> usize {
        self.filter.bytes()
    }

    fn room(&self) -> usize {
        self.items
    }

    fn expected_rate(&self, items: usize) -> Option<f64> {
        Some(self.filter.expected_false_positives(items))
    }

    fn clear(&mut self) {
        self.filter.clear();
    }

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.filter.insert(key)
    }

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.filter.contains(key)
    }

    #[inline]
    fn remove(&mut self, key: u64) -> bool {
        self.filter.remove(key)
    }
}

impl Subject for DLeft {
    const REMOVES: bool = true;

    fn bytes(&self) -> usize {
        self.bytes()
    }

    fn room(&self) -> usize {
        self.capacity()
    }

    fn expected_rate(&self, items: usize) -> Option<f64> {
        Some(self.expected_false_positives(items))
    }

    fn clear(&mut self) {
        self.clear();
    }

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.insert(key)
    }

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.contains(key)
    }

    #[inline]
    fn remove(&mut self, key: u64) -> bool {
        self.remove(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: usize = 3 << 15;

    #[test]
    fn have_the_requested_size() {
        assert_eq!(Bloom::new(BYTES, 1_000).bytes(), BYTES);
        assert_eq!(BlockedBloom::new(BYTES, 1_000).bytes(), BYTES);
        assert_eq!(DLeft::with_bytes(BYTES).bytes(), BYTES);
        let counting = Counting::like_bloom(BYTES, 60_000);
        assert_eq!((counting.bytes(), counting.room()), (BYTES, 15_000));
        let quotient = Quotient::new(BYTES);
        assert!((BYTES / 2..=BYTES).contains(&quotient.bytes()));
        assert!(quotient.filter.capacity() <= quotient.slots as u64);
    }
}
