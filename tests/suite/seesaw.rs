//! A filter on the [seesaw](model::seesaw): two hashes make one of its tokens hop back and forth.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crew::Crew;
use lockfree_cuckoo::{
    Filter, RotatingCuckooFilter,
    filter::{Dyn, Engine, Rotating},
    layout::Shape,
};
use model::hashers::AsGiven;
use model::history::Event;
use rand::RngExt;

use crate::accounts::rng;

use crate::door::{DEFAULT, fixed, model_of};

pub(crate) struct Seesaw<E = Dyn> {
    pub(crate) filter: Arc<Filter<E, AsGiven>>,
    plan: model::seesaw::Seesaw,
}

/// The number of buckets of any seesaw.
pub(crate) const BUCKETS: usize = 48;

/// A short search budget: the hop is the first step of any search, so it is found, and a refusal
/// costs little.
pub(crate) const BUDGET: usize = 64;

impl Seesaw {
    pub(crate) fn new(shape: Shape, descriptors: Option<usize>) -> Self {
        Self::with(Arc::new(fixed(shape, BUCKETS, BUDGET, descriptors)), shape)
    }
}

impl Seesaw<Rotating> {
    /// Makes a seesaw in the young generation of a window, after this number of rotations.
    pub(crate) fn in_window(generations: usize, rotations: usize) -> Self {
        let builder = RotatingCuckooFilter::builder().hasher(AsGiven);
        let builder = builder.buckets(BUCKETS).search_budget(BUDGET);
        let filter = builder.generations(generations).build();
        let filter = filter.expect("a possible geometry");
        (0..rotations).for_each(|_| filter.rotate().expect("alone"));
        Self::in_one_of(generations, Arc::new(filter), DEFAULT)
    }
}

impl<E: Engine> Seesaw<E> {
    /// Makes a seesaw without its rider, so that both its ends have one vacant slot. The filter
    /// must be empty.
    pub(crate) fn with(filter: Arc<Filter<E, AsGiven>>, shape: Shape) -> Self {
        Self::in_one_of(1, filter, shape)
    }

    fn in_one_of(tables: usize, filter: Arc<Filter<E, AsGiven>>, shape: Shape) -> Self {
        let plan = model::seesaw::Seesaw::new(model_of(shape));
        assert_eq!(plan.geometry.slots() * tables, filter.slots());
        filter
            .insert_many_hash(&plan.ballast)
            .expect("the ballast has room");
        Self { filter, plan }
    }

    /// Returns the two hashes of the token that hops, one for each order of its buckets.
    pub(crate) fn rider(&self) -> [u64; 2] {
        self.plan.rider
    }

    /// Pushes once at one end. True if the push was inserted, whether or not the rider had to hop.
    pub(crate) fn push(&self, end: usize) -> bool {
        let push = self.plan.push[end];
        let inserted = self.filter.insert_hash(push).is_ok();
        if inserted {
            assert!(self.filter.remove_hash(push), "a push was lost");
        } else {
            // Other pushes are in the way, perhaps of threads that wait for this processor.
            thread::yield_now();
        }
        inserted
    }

    /// Pushes at both ends in turn while a worker is at work. Returns the number of pushes
    /// inserted.
    pub(crate) fn push_beside(&self, crew: &Crew) -> usize {
        let mut pushes = 0;
        while crew.at_work() {
            pushes += [0, 1]
                .map(|end| usize::from(self.push(end)))
                .iter()
                .sum::<usize>();
        }
        pushes
    }

    /// Checks, without other threads, that the ballast is complete and the number of riders is
    /// this.
    pub(crate) fn check(&self, riders: usize) {
        for &hash in &self.plan.ballast {
            assert_eq!(self.filter.count_hash(hash), 1, "a token of the ballast");
        }
        for hash in self.plan.push {
            assert_eq!(self.filter.count_hash(hash), 0, "a push that was removed");
        }
        for hash in self.rider() {
            assert_eq!(self.filter.count_hash(hash), riders, "the rider");
            assert_eq!(self.filter.contains_hash(hash), riders > 0, "the rider");
        }
        assert_eq!(self.filter.len(), self.plan.ballast.len() + riders);
    }

    /// Lets threads make calls on the class of the rider, in rounds, while others push. A call gets
    /// a random number and one of the hashes. Passes on each round: the calls of each thread, with
    /// the times before and after each.
    pub(crate) fn race<C: Copy + Send>(
        &self,
        [threads, pushers, rounds, calls]: [usize; 4],
        call: impl Fn(u64, u64) -> C + Sync,
        mut check: impl FnMut(&[&[Event<C>]]),
    ) {
        let clock = AtomicU64::new(0);
        // AcqRel: a call cannot move out of the times that enclose it.
        let now = || clock.fetch_add(1, Ordering::AcqRel);
        let (histories, _) = Crew::run(
            threads,
            |crew, number| {
                let mut rng = rng(number);
                let mut events = Vec::with_capacity(rounds * calls);
                for _ in 0..rounds {
                    crew.meet();
                    for _ in 0..calls {
                        let hash = self.rider()[rng.random_range(0..2)];
                        let number = rng.random();
                        let began = now();
                        let call = call(number, hash);
                        let ended = now();
                        events.push(Event { call, began, ended });
                    }
                    crew.meet();
                }
                events
            },
            pushers,
            |crew, _| self.push_beside(crew),
        );
        for round in 0..rounds {
            let of_round = round * calls..(round + 1) * calls;
            let events = histories.iter().map(|events| &events[of_round.clone()]);
            check(&events.collect::<Vec<_>>());
        }
    }
}
