//! A filter on the [seesaw](model::seesaw): two hashes make one of its tokens hop to and fro.

use std::thread;

use crew::Crew;
use lockfree_cuckoo::{Filter, Fixed, Lanes, Layout};
use model::hashers::AsGiven;

use super::accounts::filter;

pub(crate) struct Seesaw<L: Layout = Lanes<4, 16>> {
    pub(crate) filter: Filter<Fixed<L>, AsGiven>,
    plan: model::seesaw::Seesaw,
}

impl Seesaw {
    /// That of the default layout.
    pub(crate) fn new(descriptors: Option<usize>) -> Self {
        Self::of_layout(descriptors)
    }
}

impl<L: Layout> Seesaw<L> {
    /// A seesaw without its rider, so that both its ends have one vacant slot.
    pub(crate) fn of_layout(descriptors: Option<usize>) -> Self {
        let plan = model::seesaw::Seesaw::new(super::model_of::<L>());
        // The hop is the first step of any search, so a short one finds it, and a refusal costs little.
        let filter = filter(plan.geometry.buckets, 64, descriptors);
        for &hash in &plan.ballast {
            filter.insert_hash(hash).expect("the ballast has room");
        }
        Self { filter, plan }
    }

    /// The two hashes of the token that hops, which look at its buckets in opposite orders.
    pub(crate) fn rider(&self) -> [u64; 2] {
        self.plan.rider
    }

    /// Pushes once at one end. True if the push got in; whether or not the rider had to hop for it.
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

    /// Pushes at both ends in turn for as long as a worker is at work. Returns how many pushes got in.
    pub(crate) fn push_beside(&self, crew: &Crew) -> u64 {
        let mut pushes = 0;
        while crew.at_work() {
            pushes += [0, 1]
                .map(|end| u64::from(self.push(end)))
                .iter()
                .sum::<u64>();
        }
        pushes
    }

    /// Checks, with nobody else at work, that the ballast is complete and that there are so many riders.
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
}
