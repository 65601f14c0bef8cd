//! The chain: a stage on which an insert needs a path of a given length.

use std::collections::BTreeSet;

use super::stage::Stage;

/// A full pair of buckets from which a chain of hops leads to a vacant slot, and classes with a part to play.
///
/// ```text
/// b: full, to a      a: full, one token to the next      ...      end: vacant slots
/// ```
pub(crate) struct Chain {
    pub(crate) stage: Stage,
    /// Absent; its buckets are the full pair.
    pub(crate) newcomer: usize,
    /// Absent; there is room for it.
    pub(crate) guest: usize,
    /// One copy in each of its buckets.
    pub(crate) twins: usize,
    /// One copy, and room in its other bucket.
    pub(crate) mover: usize,
    /// The order in which the bucket of that copy comes first.
    pub(crate) mover_order: usize,
}

impl Chain {
    pub(crate) fn new(hops: usize, descriptors: usize) -> Self {
        /// Each has half of the others for alternates.
        const BUCKETS: usize = 32;
        let mut stage = Stage::new(BUCKETS, descriptors);
        let geometry = stage.geometry;
        let slots = geometry.layout.slots;
        // Each call gets fingerprints that no other has, so that no two tokens are of one class by accident.
        let largest = *geometry.layout.fingerprints().end();
        let mut start = 1000.min(largest / 64);
        let mut leading = |from: usize, count: usize, accept: &dyn Fn(usize) -> bool| {
            let found = geometry.fingerprints(from, start, count, accept);
            start = found.last().map_or(start, |last| last + 1);
            found
        };

        let a = 0;
        let newcomer = leading(a, 1, &|_| true)[0];
        let b = geometry.alternate(a, newcomer);
        for f in leading(b, slots, &|to| to == a) {
            stage.place(b, f);
        }
        let mut used = BTreeSet::from([a, b]);
        let (mut before, mut at) = (b, a);
        let mut mover = 0;
        for _ in 0..hops {
            let link = leading(at, 1, &|to| !used.contains(&to))[0];
            mover = stage.place(at, link);
            for f in leading(at, slots - 1, &|to| to == before) {
                stage.place(at, f);
            }
            (before, at) = (at, geometry.alternate(at, link));
            used.insert(at);
        }
        let end = at;
        let mover_order = stage.order_from(mover, before);
        // One that stays, if that leaves room beside the twin.
        if slots > 2 {
            let anchored = leading(end, 1, &|to| to == before)[0];
            stage.place(end, anchored);
        }
        let twins = leading(end, 1, &|to| !used.contains(&to))[0];
        let beside = geometry.alternate(end, twins);
        stage.place(end, twins);
        let twins = stage.place(beside, twins);
        let guest = leading(end, 1, &|to| to == beside)[0];
        let guest = stage.join(geometry.class(geometry.hash(end, guest, 0)));
        let newcomer = stage.join(geometry.class(geometry.hash(a, newcomer, 0)));
        Self {
            stage: stage.with_probe(),
            newcomer,
            guest,
            twins,
            mover,
            mover_order,
        }
    }
}
