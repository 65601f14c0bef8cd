//! Workloads: what the threads of a history do, chosen so that every kind of race comes up within seconds.

use rand::RngExt;
use rand::rngs::SmallRng;

use super::chain::Chain;
use super::pace::Pace;
use super::request::Action::{
    self, Contains, Count, Insert, InsertUnique, Relocate, Remove, Snapshot,
};
use super::request::Request;
use super::stage::Stage;

pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) threads: usize,
    /// Calls of each thread in a round.
    pub(crate) calls: usize,
    pub(crate) pace: Pace,
    pub(crate) stage: fn(u64) -> Stage,
    /// What threads do, each entry as often as any other.
    actions: &'static [Action],
    /// What the first thread does, if it is something else.
    first: &'static [Action],
    /// The first so many classes take part; of the others a few are looked at.
    active: usize,
}

/// What can be asked of a token that must stay.
const HARMLESS: [Action; 4] = [Contains, InsertUnique, Count, Relocate];

/// More inserts than removes, so that the table stays full.
const ALL: &[Action] = &[
    Insert,
    Insert,
    Insert,
    InsertUnique,
    InsertUnique,
    Remove,
    Remove,
    Remove,
    Remove,
    Contains,
    Contains,
    Contains,
    Count,
    Relocate,
];

pub(crate) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "a crowd in four buckets",
        threads: 4,
        calls: 12,
        pace: Pace {
            one_in: 6,
            turns: 8,
        },
        stage: |seed| Stage::crowd(4, 8, 0.8, 16, seed),
        actions: ALL,
        first: &[],
        active: 8,
    },
    Workload {
        name: "a crowd with one descriptor",
        threads: 4,
        calls: 12,
        pace: Pace {
            one_in: 6,
            turns: 8,
        },
        stage: |seed| Stage::crowd(4, 8, 0.8, 1, seed),
        actions: ALL,
        first: &[],
        active: 8,
    },
    Workload {
        name: "a token that hops",
        threads: 3,
        calls: 16,
        pace: Pace {
            one_in: 8,
            turns: 8,
        },
        stage: |_| Stage::seesaw(16),
        actions: &[
            Insert,
            Insert,
            Remove,
            Remove,
            Contains,
            Contains,
            Contains,
            InsertUnique,
            Relocate,
        ],
        first: &[Relocate, Relocate, Contains],
        active: 3,
    },
    Workload {
        name: "one token, looked up while it is moved",
        threads: 4,
        calls: 16,
        pace: Pace {
            one_in: 4,
            turns: 12,
        },
        stage: |seed| Stage::crowd(8, 1, 0.03, 16, seed),
        actions: &[Contains, Contains, Contains, Remove, Insert, InsertUnique],
        first: &[Relocate],
        active: 1,
    },
    Workload {
        name: "equal tokens that take turns",
        threads: 4,
        calls: 12,
        pace: Pace {
            one_in: 4,
            turns: 12,
        },
        stage: |seed| Stage::crowd(2, 2, 0.2, 16, seed),
        actions: &[Insert, Insert, Remove, Remove, Remove, Contains, Contains],
        first: &[Contains],
        active: 2,
    },
    Workload {
        name: "rivals for an absent token",
        threads: 4,
        calls: 12,
        pace: Pace {
            one_in: 4,
            turns: 12,
        },
        stage: |seed| Stage::crowd(2, 2, 0.0, 16, seed),
        actions: &[
            InsertUnique,
            InsertUnique,
            InsertUnique,
            Remove,
            Remove,
            Contains,
        ],
        first: &[],
        active: 2,
    },
    Workload {
        name: "paths of several hops",
        threads: 3,
        calls: 16,
        pace: Pace {
            one_in: 16,
            turns: 8,
        },
        stage: |_| Chain::new(3, 16).stage,
        actions: &[
            Insert,
            Insert,
            InsertUnique,
            Remove,
            Remove,
            Contains,
            Relocate,
            Relocate,
            Relocate,
        ],
        first: &[],
        active: usize::MAX,
    },
    Workload {
        name: "snapshots",
        threads: 4,
        calls: 24,
        pace: Pace {
            one_in: 24,
            turns: 8,
        },
        stage: |seed| Stage::crowd(8, 10, 0.6, 16, seed),
        actions: &[
            Insert,
            Insert,
            Remove,
            Remove,
            Contains,
            InsertUnique,
            Relocate,
            Relocate,
            Relocate,
            Relocate,
            Relocate,
            Relocate,
        ],
        first: &[Snapshot],
        active: 10,
    },
];

impl Workload {
    /// The next request of a thread.
    pub(crate) fn next(&self, stage: &Stage, thread: usize, rng: &mut SmallRng) -> Request {
        let active = self.active.min(stage.actors());
        let bystander = active < stage.actors() && rng.random_ratio(1, 16);
        let (class, actions) = if bystander {
            (rng.random_range(active..stage.actors()), &HARMLESS[..])
        } else if thread == 0 && !self.first.is_empty() {
            (rng.random_range(0..active), self.first)
        } else {
            (rng.random_range(0..active), self.actions)
        };
        Request {
            action: actions[rng.random_range(0..actions.len())],
            class,
            order: rng.random_range(0..2),
        }
    }

    /// Calls of a thread in a round. A snapshot takes as long as many other calls.
    pub(crate) fn calls_of(&self, thread: usize) -> usize {
        if thread == 0 && self.first == [Snapshot] {
            1
        } else {
            self.calls
        }
    }
}
