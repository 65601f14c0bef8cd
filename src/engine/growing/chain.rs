//! The chain: an immutable list of segments, the finest first.
//!
//! Each segment refines those behind it: the same ranges, longer. So if two items share a class in one segment,
//! only the segments before it can distinguish them. A walk that takes the first token it finds takes no token that
//! another item needs. One of the segments, the target, takes the inserts.

use std::sync::Arc;

use super::link::Link;
use crate::layout::Layout;
use crate::sync::{AtomicU64, Ordering};

#[derive(Debug)]
pub(crate) struct Chain<L> {
    links: Box<[Arc<Link<L>>]>,
    target: usize,
    /// The number of threads that have started to build a segment for this chain.
    builders: AtomicU64,
}

impl<L: Layout> Chain<L> {
    /// The most segments. There is more than one segment of a size only if shrinking loses races; the stored form
    /// numbers them in a byte.
    pub(crate) const MOST: usize = u8::MAX as usize;

    pub(crate) fn new(links: impl IntoIterator<Item = Arc<Link<L>>>, target: usize) -> Self {
        Self {
            links: links.into_iter().collect(),
            target,
            builders: AtomicU64::new(0),
        }
    }

    /// Creates a chain of segments that no thread has written to yet. Only the target ever takes an insert.
    pub(crate) fn at_rest(links: Vec<Arc<Link<L>>>, target: usize) -> Self {
        for (index, link) in links.iter().enumerate() {
            if index != target {
                link.seal();
            }
        }
        Self::new(links, target)
    }

    /// From the finest to the coarsest.
    #[inline]
    pub(crate) fn links(&self) -> &[Arc<Link<L>>] {
        &self.links
    }

    /// The one that takes inserts.
    #[inline]
    pub(crate) fn target(&self) -> &Arc<Link<L>> {
        &self.links[self.target]
    }

    pub(crate) fn target_index(&self) -> usize {
        self.target
    }

    /// This chain with another segment, which takes the inserts from now on.
    pub(super) fn with_target(&self, link: Link<L>) -> Self {
        let finer = |other: &&Arc<Link<L>>| other.geometry().buckets() > link.geometry().buckets();
        let target = self.links.iter().take_while(finer).count();
        let mut links = self.links.to_vec();
        links.insert(target, Arc::new(link));
        Self::new(links, target)
    }

    /// Returns this chain without the segments that are drained for ever, or `None` if there are none. The target
    /// stays.
    pub(super) fn without_drained(&self) -> Option<Self> {
        let kept: Vec<_> = self
            .links
            .iter()
            .enumerate()
            .filter(|&(index, link)| index == self.target || !link.is_drained())
            .map(|(_, link)| link)
            .collect();
        if kept.len() == self.links.len() {
            return None;
        }
        let target = kept
            .iter()
            .position(|link| Arc::ptr_eq(link, self.target()))?;
        Some(Self::new(kept.into_iter().cloned(), target))
    }

    /// The number of threads that have announced that they build before this one.
    pub(super) fn announce_builder(&self) -> u64 {
        // Relaxed: a hint, which orders nothing.
        self.builders.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn sum(&self, of: impl Fn(&Link<L>) -> usize) -> usize {
        self.links.iter().map(|link| of(link)).sum()
    }
}
