//! The stage: a small table that is built token by token, and the classes that take part.
//!
//! Hashes are built to order, so that a handful of classes share a few buckets and everybody meets everybody.

use model::Fingerprint;
use model::geometry::{Class, Geometry};
use model::history::Call;
use model::seesaw::Seesaw;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::layout::{self, Subject};
use super::request::{Action, Answer, Clock, Record, Request};

pub(crate) struct Stage {
    pub(crate) filter: Box<dyn Subject>,
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
            Action::Snapshot => Answer::Snapshot(filter.copy()),
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
