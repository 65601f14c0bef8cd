//! `growable-bloom-filter`: for one thread, grows, and cannot remove.

use growable_bloom_filter::GrowableBloom as Filter;
use parking_lot::RwLock;

use super::FALSE_POSITIVES;
use crate::contender::Contender;

/// In one lock that lookups share. It hashes every key with a function of its own.
#[derive(Debug)]
pub struct GrowableBloom(RwLock<Filter>);

impl Contender for GrowableBloom {
    const NAME: &'static str = "growable-rwlock";
    const EXACT: bool = true;
    const REMOVES: bool = false;
    const ONE_LOCK: bool = true;

    fn with_capacity(items: usize) -> Self {
        Self(RwLock::new(Filter::new(FALSE_POSITIVES, items)))
    }

    fn slots(&self) -> usize {
        0
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        // It says whether the key was new, which is another question.
        self.0.write().insert(hash);
        true
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.read().contains(hash)
    }

    fn remove(&self, _hash: u64) -> bool {
        false
    }

    fn clear(&mut self) {
        self.0.get_mut().clear();
    }
}
