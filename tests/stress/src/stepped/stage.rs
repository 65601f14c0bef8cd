//! The stage: a small table that is built token by token, and the classes that take part.
//!
//! Hashes are built to order, so that a handful of classes share a few buckets and everybody meets everybody. On a chain
//! an insert needs a path of a given length.

use std::collections::BTreeSet;

use lockfree_cuckoo::testing::{Relocate, Taken};
use model::Fingerprint;
use model::geometry::{Class, Geometry};
use model::history::Call;
use model::seesaw::Seesaw;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::calls::{Action, Answer, Clock, Record, Request};
use super::growing;
use super::layout::{self, Subject};

pub(crate) struct Stage {
    pub(crate) filter: Subject,
    pub(crate) geometry: Geometry,
    /// All that ever have a token in the table.
    classes: Vec<Class>,
    /// The two hashes of each class: one looks at the lower bucket first, the other at the higher.
    hashes: Vec<[u64; 2]>,
    /// Copies of each class when the curtain rises.
    pub(crate) initial: Vec<usize>,
    /// Tokens of each bucket, while the stage is being built.
    tokens: Vec<usize>,
    /// The class of a token that nobody touches: with it one can try whether a descriptor is left.
    probe: Option<usize>,
}

impl Stage {
    /// Ranges of a table. The first is played on; the last has the probe.
    const RANGES: usize = 3;

    pub(crate) fn new(range: usize, descriptors: usize) -> Self {
        let geometry = Geometry::with_buckets(layout::chosen(), Self::RANGES * range);
        Self::of(geometry, descriptors)
    }

    fn of(geometry: Geometry, descriptors: usize) -> Self {
        Self {
            geometry,
            filter: layout::empty(geometry, descriptors),
            classes: Vec::new(),
            hashes: Vec::new(),
            initial: Vec::new(),
            tokens: vec![0; geometry.buckets],
            probe: None,
        }
    }

    /// Ends the building.
    pub(crate) fn with_probe(mut self) -> Self {
        self.probe = Some(self.place(self.geometry.buckets - 1, 1));
        self
    }

    /// Whether a relocation succeeds that nobody is in the way of.
    pub(crate) fn can_relocate(&self) -> bool {
        let probe = self.probe.expect("only a seesaw has none");
        // The token is in one of the two places.
        [0, 1].map(|order| self.filter.relocate_hash(self.hash(probe, order))) != [false; 2]
    }

    /// The number of a class, which joins if it is new.
    pub(crate) fn join(&mut self, class: Class) -> usize {
        if let Some(known) = self.classes.iter().position(|&known| known == class) {
            return known;
        }
        self.classes.push(class);
        self.hashes.push(self.geometry.both_orders(class));
        self.initial.push(0);
        self.classes.len() - 1
    }

    /// Puts a token into this very bucket, which must have room.
    pub(crate) fn place(&mut self, bucket: usize, fingerprint: Fingerprint) -> usize {
        let hash = self.geometry.hash(bucket, fingerprint, 0);
        let other = self.geometry.alternate(bucket, fingerprint);
        self.filter.insert_hash(hash).expect("the bucket has room");
        // It went to the emptier of the two.
        if self.tokens[bucket] > self.tokens[other] {
            let hash = self.geometry.hash(other, fingerprint, 0);
            assert!(self.filter.relocate_hash(hash), "the bucket has room");
        }
        self.tokens[bucket] += 1;
        let class = self.join(self.geometry.class(hash));
        self.initial[class] += 1;
        class
    }

    /// So many buckets, and so many classes with as many tokens as fill this part of them.
    pub(crate) fn crowd(
        buckets: usize,
        classes: usize,
        load: f64,
        descriptors: usize,
        seed: u64,
    ) -> Self {
        let mut stage = Self::new(buckets, descriptors);
        let mut rng = SmallRng::seed_from_u64(seed);
        while stage.classes.len() < classes {
            let bucket = rng.random_range(0..buckets);
            let fingerprint = rng.random_range(stage.geometry.layout.fingerprints());
            let hash = stage.geometry.hash(bucket, fingerprint, 0);
            stage.join(stage.geometry.class(hash));
        }
        let wanted = ((buckets * stage.geometry.layout.slots) as f64 * load) as usize;
        for _ in 0..10 * wanted {
            let class = rng.random_range(0..classes);
            if stage.filter.len() < wanted
                && stage.filter.insert_hash(stage.hashes[class][0]).is_ok()
            {
                stage.initial[class] += 1;
            }
        }
        stage.with_probe()
    }

    /// A seesaw: the first class is the one that hops, the next two are those that push it.
    pub(crate) fn seesaw(descriptors: usize) -> Self {
        let seesaw = Seesaw::new(layout::chosen());
        let mut stage = Self::of(seesaw.geometry, descriptors);
        let mut join = |hash, copies| {
            let class = stage.join(stage.geometry.class(hash));
            stage.initial[class] += copies;
        };
        join(seesaw.rider[0], 1);
        seesaw.push.into_iter().for_each(|push| join(push, 0));
        seesaw.ballast.iter().for_each(|&token| join(token, 1));
        // The rider last: the ballast fills all but a slot of each of its buckets.
        for &hash in seesaw.ballast.iter().chain(&seesaw.rider[..1]) {
            stage.filter.insert_hash(hash).expect("room");
        }
        stage
    }

    /// A filter that grows, and actors that are not in yet.
    pub(crate) fn growing() -> Self {
        let actors = 0..growing::ACTORS;
        Self {
            filter: layout::growing(8),
            geometry: Geometry::with_buckets(layout::chosen(), 2),
            classes: actors.clone().map(|n| Class::new(0, 1, n as u32)).collect(),
            hashes: actors.clone().map(|n| [growing::actor(n); 2]).collect(),
            initial: vec![0; actors.len()],
            tokens: Vec::new(),
            probe: None,
        }
    }

    /// Takes out all copies of all classes, which are all that is in.
    pub(crate) fn empty(&self, counts: &[usize]) -> Result<(), String> {
        for (class, &copies) in counts.iter().enumerate() {
            let hash = self.hash(class, 0);
            let removed = (0..).take_while(|_| self.filter.remove_hash(hash)).count();
            if removed != copies {
                let name = self.name(class);
                return Err(format!(
                    "there were {removed}, not {copies} copies of {name}"
                ));
            }
        }
        match self.filter.len() {
            0 => Ok(()),
            len => Err(format!("nothing is in, and len is {len}")),
        }
    }

    /// All classes, by number.
    pub(crate) fn classes(&self) -> usize {
        self.classes.len()
    }

    /// Those that requests may name; the probe comes last.
    pub(crate) fn actors(&self) -> usize {
        self.classes.len() - usize::from(self.probe.is_some())
    }

    pub(crate) fn hash(&self, class: usize, order: usize) -> u64 {
        self.hashes[class][order]
    }

    /// The order in which this bucket of a class comes first.
    pub(crate) fn order_from(&self, class: usize, bucket: usize) -> usize {
        usize::from(self.classes[class].low != bucket)
    }

    pub(crate) fn name(&self, class: usize) -> String {
        format!("{:?}", self.classes[class])
    }

    pub(crate) fn perform(&self, clock: &Clock, request: Request) -> Record {
        let hash = self.hash(request.class, request.order);
        let filter = &self.filter;
        let began = clock.now();
        let answer = match request.action {
            Action::Insert => Answer::Call(Call::Insert(filter.insert_hash(hash).is_ok())),
            Action::InsertUnique => {
                Answer::Call(Call::InsertUnique(filter.insert_unique_hash(hash).ok()))
            }
            Action::Remove => Answer::Call(Call::Remove(filter.remove_hash(hash))),
            Action::Contains => Answer::Call(Call::Contains(filter.contains_hash(hash))),
            Action::Count => Answer::Copies(filter.count_hash(hash)),
            Action::Relocate => {
                filter.relocate_hash(hash);
                Answer::Moved
            }
            Action::Snapshot => Answer::Snapshot(filter.snapshot()),
        };
        Record {
            request,
            answer,
            began,
            ended: clock.now(),
        }
    }

    /// Looks at every class while nobody is at work, or all who are have stopped.
    ///
    /// `possible` are the numbers of copies that each class may have. `len` may be wrong by `off`. Returns the
    /// numbers there are.
    pub(crate) fn audit(&self, possible: &[Vec<i64>], off: usize) -> Result<Vec<usize>, String> {
        let mut found = Vec::with_capacity(possible.len());
        for (class, possible) in possible.iter().enumerate() {
            let [copies, again] =
                [0, 1].map(|order| self.filter.count_hash(self.hash(class, order)));
            let present = [0, 1].map(|order| self.filter.contains_hash(self.hash(class, order)));
            if copies != again || present != [copies > 0; 2] || !possible.contains(&(copies as i64))
            {
                return Err(format!(
                    "of {} there should be one of {possible:?} copies, but the two orders count {copies} and \
                     {again}, and contains says {present:?}",
                    self.name(class)
                ));
            }
            found.push(copies);
        }
        let (sum, len) = (found.iter().sum::<usize>(), self.filter.len());
        if len.abs_diff(sum) > off {
            return Err(format!("there are {sum} tokens, and len is {len}"));
        }
        let taken = self.filter.taken();
        if taken != sum {
            return Err(format!(
                "there are {sum} tokens, but {taken} slots are taken"
            ));
        }
        Ok(found)
    }
}

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
