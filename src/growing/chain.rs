//! The chain: an immutable list of segments, the finest first.
//!
//! Each segment refines those behind it: the same ranges, longer. So of two items that share a class in one
//! segment, all that tells them apart is in the segments before it; a walk that takes what it finds first takes
//! nothing that another item needs. One of the segments, the target, takes the inserts.

use std::sync::Arc;

use super::segment::Segment;
use crate::sync::{AtomicU64, Ordering};

#[derive(Debug)]
pub(crate) struct Chain {
    segments: Box<[Arc<Segment>]>,
    target: usize,
    /// Threads that have set about building a segment in front of this chain.
    builders: AtomicU64,
}

impl Chain {
    /// Most segments. Only shrinking that loses races leads to more than one for each size there is; the stored
    /// form numbers them in a byte.
    pub(crate) const MOST: usize = u8::MAX as usize;

    pub(crate) fn new(segments: impl IntoIterator<Item = Arc<Segment>>, target: usize) -> Self {
        Self {
            segments: segments.into_iter().collect(),
            target,
            builders: AtomicU64::new(0),
        }
    }

    /// Of segments that nobody has written to yet: none but the target ever takes an insert.
    pub(crate) fn at_rest(segments: Vec<Arc<Segment>>, target: usize) -> Self {
        for (index, segment) in segments.iter().enumerate() {
            if index != target {
                segment.seal();
            }
        }
        Self::new(segments, target)
    }

    /// From the finest to the coarsest.
    #[inline]
    pub(crate) fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    /// The one that takes inserts.
    #[inline]
    pub(crate) fn target(&self) -> &Arc<Segment> {
        &self.segments[self.target]
    }

    pub(crate) fn target_index(&self) -> usize {
        self.target
    }

    /// This chain with another segment, which takes the inserts from now on.
    pub(crate) fn with_target(&self, segment: Segment) -> Self {
        let finer =
            |other: &&Arc<Segment>| other.geometry().buckets() > segment.geometry().buckets();
        let target = self.segments.iter().take_while(finer).count();
        let mut segments = self.segments.to_vec();
        segments.insert(target, Arc::new(segment));
        Self::new(segments, target)
    }

    /// This chain without the segments that are drained for ever; nothing if there are none. The target stays.
    pub(crate) fn without_drained(&self) -> Option<Self> {
        let kept: Vec<_> = self
            .segments
            .iter()
            .enumerate()
            .filter(|&(index, segment)| index == self.target || !segment.is_drained())
            .map(|(_, segment)| segment)
            .collect();
        if kept.len() == self.segments.len() {
            return None;
        }
        let target = kept
            .iter()
            .position(|segment| Arc::ptr_eq(segment, self.target()))?;
        Some(Self::new(kept.into_iter().cloned(), target))
    }

    /// The number of threads that have announced that they build before this one.
    pub(crate) fn announce_builder(&self) -> u64 {
        // Relaxed: a hint, which orders nothing.
        self.builders.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn sum(&self, of: impl Fn(&Segment) -> usize) -> usize {
        self.segments.iter().map(|segment| of(segment)).sum()
    }
}
