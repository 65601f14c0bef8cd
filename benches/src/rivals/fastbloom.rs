//! `fastbloom`: a concurrent Bloom filter, which cannot remove.

use fastbloom::AtomicBloomFilter;

use super::FALSE_POSITIVES;
use crate::contender::Contender;

/// Addressed by hashes, which its interface allows.
#[derive(Debug)]
pub struct Fastbloom(AtomicBloomFilter);

impl Contender for Fastbloom {
    const NAME: &'static str = "fastbloom";
    const EXACT: bool = true;
    const REMOVES: bool = false;

    fn with_capacity(items: usize) -> Self {
        Self(AtomicBloomFilter::with_false_pos(FALSE_POSITIVES).expected_items(items))
    }

    fn slots(&self) -> usize {
        0
    }

    fn bytes(&self) -> Option<usize> {
        Some(self.0.num_bits() / 8)
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.0.insert_hash(hash);
        true
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.contains_hash(hash)
    }

    fn remove(&self, _hash: u64) -> bool {
        false
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}
