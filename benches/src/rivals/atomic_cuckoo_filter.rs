//! `atomic-cuckoo-filter`: concurrent by design.

use atomic_cuckoo_filter::{CuckooFilter, CuckooFilterBuilder};

use super::hasher::Ready;
use crate::contender::Contender;

/// With its defaults, which are those of the paper and of the filter: 16-bit fingerprints in buckets of four.
/// It rounds the buckets up to a power of two, so at most sizes it has an easier time than the others, and
/// takes more memory.
#[derive(Debug)]
pub struct AtomicCuckooFilter(CuckooFilter<Ready>);

const FINGERPRINT_BYTES: usize = 2;

impl Contender for AtomicCuckooFilter {
    const NAME: &'static str = "atomic-cuckoo-filter";
    // A remove that races with others can miss a key that is in.
    const EXACT: bool = false;

    fn with_capacity(items: usize) -> Self {
        let builder = CuckooFilterBuilder::default().capacity(items);
        Self(builder.build().expect("the defaults are valid"))
    }

    fn slots(&self) -> usize {
        self.0.capacity()
    }

    fn bytes(&self) -> Option<usize> {
        Some(self.0.capacity() * FINGERPRINT_BYTES)
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.0.insert(&hash).is_ok()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.contains(&hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.0.remove(&hash)
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}
