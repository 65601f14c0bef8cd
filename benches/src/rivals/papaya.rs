//! `papaya`: an exact set with lock-free lookups, made for many readers.

use papaya::{HashSet, ResizeMode};

use super::hasher::BuildReady;
use crate::contender::Contender;

/// With room for all items, and pinned by each operation, as threads do that come and go.
#[derive(Debug)]
pub struct PapayaSet(HashSet<u64, BuildReady>);

impl Contender for PapayaSet {
    const NAME: &'static str = "papaya";
    const EXACT: bool = true;
    const IS_SET: bool = true;

    fn with_capacity(items: usize) -> Self {
        let set = HashSet::builder()
            .capacity(items)
            .hasher(BuildReady::default())
            .resize_mode(ResizeMode::Blocking)
            .build();
        Self(set)
    }

    fn slots(&self) -> usize {
        0
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.0.pin().insert(hash)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.pin().contains(&hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.0.pin().remove(&hash)
    }

    fn clear(&mut self) {
        self.0.pin().clear();
    }
}
