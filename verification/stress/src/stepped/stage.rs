//! The stage: a small table that is built token by token, and the classes that take part.
//!
//! Hashes are chosen so that a handful of classes share a few buckets and all threads meet. On a
//! chain an insert needs a path of a given length.

use std::collections::BTreeSet;

use lockfree_cuckoo::testing::Internals;
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
    /// All classes that ever have a token in the table.
    classes: Vec<Class>,
    /// The two hashes of each class: one has the lower bucket first, the other the higher.
    hashes: Vec<[u64; 2]>,
    /// The copies of each class at the beginning.
    pub(crate) initial: Vec<usize>,
    /// The tokens of each bucket, while the stage is built.
    tokens: Vec<usize>,
}

impl Stage {
    /// The ranges of a table. The threads use the first.
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
        }
    }

    /// Returns the number of a class, which joins if it is new.
    pub(crate) fn join(&mut self, class: Class) -> usize {
        if let Some(known) = self.classes.iter().position(|&known| known == class) {
            return known;
        }
        self.classes.push(class);
        self.hashes.push(self.geometry.both_orders(class));
        self.initial.push(0);
        self.classes.len() - 1
    }

    /// Puts a token into this bucket, which must have room.
    pub(crate) fn place(&mut self, bucket: usize, fingerprint: Fingerprint) -> usize {
        let hash = self.geometry.hash(bucket, fingerprint, 0);
        let other = self.geometry.alternate(bucket, fingerprint);
        self.filter.insert_hash(hash).expect("the bucket has room");
        // The token went to the emptier of the two.
        if self.tokens[bucket] > self.tokens[other] {
            let hash = self.geometry.hash(other, fingerprint, 0);
            assert!(self.filter.relocate_hash(hash), "the bucket has room");
        }
        self.tokens[bucket] += 1;
        let class = self.join(self.geometry.class(hash));
        self.initial[class] += 1;
        class
    }

    /// Makes a stage of this number of buckets and classes, with as many tokens as fill this part
    /// of the buckets.
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
        stage
    }

    /// Makes a seesaw: the first class hops, and inserts of the next two make it hop.
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
        // The rider last: the ballast fills all but one slot of each of its buckets.
        for &hash in seesaw.ballast.iter().chain(&seesaw.rider[..1]) {
            stage.filter.insert_hash(hash).expect("room");
        }
        stage
    }

    /// Makes a caravan: an insert of either of the first two classes makes a whole row of tokens
    /// hop, which are the next classes.
    ///
    /// ```text
    /// bucket 0   | a a a x |     every other bucket of the range is full,
    /// bucket 1   | b b b y |     and its tokens cannot come to this road
    /// bucket 2   | c c c . |
    /// ```
    ///
    /// All slots of the range but one are taken, and only `x` and `y` can move: `x` to bucket 1,
    /// `y` to bucket 2. An insert that needs a slot of bucket 0 moves both one bucket on. After it
    /// is removed, an insert that needs a slot of bucket 2 moves them back.
    pub(crate) fn caravan(hops: usize, descriptors: usize) -> Self {
        const BUCKETS: usize = 16;
        let mut stage = Self::new(BUCKETS, descriptors);
        let geometry = stage.geometry;
        let slots = geometry.layout.slots;
        // Each call gets fingerprints that no other gets.
        let mut start = 1;
        let mut leading = |from: usize, count: usize, accept: &dyn Fn(usize) -> bool| {
            let found = geometry.fingerprints(from, start, count, accept);
            start = found.last().map_or(start, |last| last + 1);
            let hashes = found.into_iter().map(|f| geometry.hash(from, f, 0));
            hashes.collect::<Vec<u64>>()
        };
        let (mut road, mut riders) = (vec![0], Vec::new());
        for at in 0..hops {
            let rider = leading(road[at], 1, &|to| !road.contains(&to))[0];
            riders.push(rider);
            let class = geometry.class(rider);
            road.push(class.low + class.high - road[at]);
        }
        let apart = |bucket: usize| !road.contains(&bucket);
        let mut ballast = Vec::new();
        // The separate buckets first: their tokens fill them completely.
        for bucket in (0..BUCKETS).filter(|&bucket| apart(bucket)) {
            ballast.extend(leading(bucket, slots, &apart));
        }
        for &bucket in &road {
            ballast.extend(leading(bucket, slots - 1, &apart));
        }
        for push in [road[0], road[hops]].map(|end| leading(end, 1, &apart)[0]) {
            stage.join(geometry.class(push));
        }
        for &hash in riders.iter().chain(&ballast) {
            let class = stage.join(geometry.class(hash));
            stage.initial[class] += 1;
        }
        for &hash in ballast.iter().chain(&riders) {
            stage.filter.insert_hash(hash).expect("room");
        }
        stage
    }

    /// Makes a growing filter, and actors that are not stored yet.
    pub(crate) fn growing() -> Self {
        let actors = 0..growing::ACTORS;
        Self {
            filter: layout::growing(8),
            geometry: Geometry::with_buckets(layout::chosen(), 2),
            classes: actors.clone().map(|n| Class::new(0, 1, n as u32)).collect(),
            hashes: actors.clone().map(|n| [growing::actor(n); 2]).collect(),
            initial: vec![0; actors.len()],
            tokens: Vec::new(),
        }
    }

    /// Removes all copies of all classes; the filter must be empty then.
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

    /// Returns the number of classes.
    pub(crate) fn classes(&self) -> usize {
        self.classes.len()
    }

    pub(crate) fn hash(&self, class: usize, order: usize) -> u64 {
        self.hashes[class][order]
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

    /// Counts every class without other threads: there must be this number of copies of each.
    pub(crate) fn audit(&self, expected: &[usize]) -> Result<(), String> {
        for (class, &copies) in expected.iter().enumerate() {
            let counts = [0, 1].map(|order| self.filter.count_hash(self.hash(class, order)));
            let present = [0, 1].map(|order| self.filter.contains_hash(self.hash(class, order)));
            if counts != [copies; 2] || present != [copies > 0; 2] {
                return Err(format!(
                    "of {} there should be {copies} copies, but the two orders count {counts:?}, and contains \
                     says {present:?}",
                    self.name(class)
                ));
            }
        }
        let sum: usize = expected.iter().sum();
        let (len, taken) = (self.filter.len(), self.filter.taken());
        if [len, taken] != [sum; 2] {
            return Err(format!(
                "there are {sum} tokens, but len is {len}, and {taken} slots are taken"
            ));
        }
        Ok(())
    }

    /// Makes a full pair of buckets from which a chain of hops leads to a vacant slot.
    ///
    /// ```text
    /// b: full, to a      a: full, one token to the next      ...      end: vacant slots
    /// ```
    pub(crate) fn chain(hops: usize, descriptors: usize) -> Self {
        /// Each has half of the others as alternates.
        const BUCKETS: usize = 32;
        let mut stage = Self::new(BUCKETS, descriptors);
        let geometry = stage.geometry;
        let slots = geometry.layout.slots;
        // Each call gets fingerprints that no other gets, so that no two tokens are of one class by
        // accident.
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
        for _ in 0..hops {
            let link = leading(at, 1, &|to| !used.contains(&to))[0];
            stage.place(at, link);
            for f in leading(at, slots - 1, &|to| to == before) {
                stage.place(at, f);
            }
            (before, at) = (at, geometry.alternate(at, link));
            used.insert(at);
        }
        let end = at;
        // One token that stays, if there is room beside the twin.
        if slots > 2 {
            let anchored = leading(end, 1, &|to| to == before)[0];
            stage.place(end, anchored);
        }
        let twins = leading(end, 1, &|to| !used.contains(&to))[0];
        let beside = geometry.alternate(end, twins);
        stage.place(end, twins);
        stage.place(beside, twins);
        // Absent: one has room, and one has the full pair.
        let guest = leading(end, 1, &|to| to == beside)[0];
        stage.join(geometry.class(geometry.hash(end, guest, 0)));
        stage.join(geometry.class(geometry.hash(a, newcomer, 0)));
        stage
    }
}
