//! `sbbf-rs-safe`: a split-block Bloom filter for one thread, which cannot remove.

use std::cell::RefCell;

use sbbf_rs_safe::Filter;

use super::one_thread::OneThread;
use crate::contender::Contender;

/// A lookup is one cache line and a few vector instructions, so a lock would be most of it. Instead it stays
/// on the thread that made it, which the cell checks.
#[allow(missing_debug_implementations, reason = "the rival has none")]
pub struct SplitBlockBloom(OneThread<RefCell<Filter>>);

/// Bits of each key, for a false-positive rate near that of the others.
const BITS: usize = 24;

impl Contender for SplitBlockBloom {
    const NAME: &'static str = "sbbf-rs-safe";
    const EXACT: bool = true;
    const REMOVES: bool = false;
    const MOST_THREADS: usize = 1;

    fn with_capacity(items: usize) -> Self {
        Self(OneThread::new(RefCell::new(Filter::new(BITS, items))))
    }

    fn slots(&self) -> usize {
        0
    }

    fn bytes(&self) -> Option<usize> {
        Some(self.0.get().borrow().as_bytes().len())
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.0.get().borrow_mut().insert_hash(hash);
        true
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.get().borrow().contains_hash(hash)
    }

    fn remove(&self, _hash: u64) -> bool {
        false
    }

    fn clear(&mut self) {
        self.0.get_mut().get_mut().reset();
    }
}
