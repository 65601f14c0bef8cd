//! Workloads: the calls of the threads of a history, chosen so that every kind of race occurs
//! within seconds.

use rand::RngExt;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;

use super::calls::Action::{
    self, Contains, Count, Insert, InsertUnique, Relocate, Remove, Snapshot,
};
use super::calls::Request;
use super::run::Pace;
use super::stage::Stage;

pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) threads: usize,
    /// The calls of each thread in a round.
    pub(crate) calls: usize,
    pub(crate) pace: Pace,
    pub(crate) stage: fn(u64) -> Stage,
    /// The calls of the threads.
    actions: Actions,
    /// The calls of the first thread, if they differ.
    first: Actions,
    /// The number of classes that take part, from the first on. A few of the others are looked up.
    active: usize,
    /// The number of threads, from the last back, that only look up, and the number of classes
    /// after the active ones that they look up.
    watchers: usize,
    watched: usize,
    /// The rounds on one stage. A growing filter reaches its last level meanwhile, and each third
    /// round ends with an empty filter.
    pub(crate) rounds: usize,
    pub(crate) grows: bool,
}

/// The usual values.
const USUAL: Workload = Workload {
    name: "",
    threads: 4,
    calls: 12,
    pace: Pace::of(4, 12),
    stage: |_| Stage::seesaw(16),
    actions: ALL,
    first: &[],
    active: usize::MAX,
    watchers: 0,
    watched: 0,
    rounds: 20,
    grows: false,
};

/// The operations, each with its weight.
type Actions = &'static [(Action, usize)];

/// The operations on a token that must stay.
const HARMLESS: Actions = &[(Contains, 1), (InsertUnique, 1), (Count, 1), (Relocate, 1)];

/// More inserts than removes, so that the table stays full.
const ALL: Actions = &[
    (Insert, 3),
    (InsertUnique, 2),
    (Remove, 4),
    (Contains, 3),
    (Count, 1),
    (Relocate, 1),
];

pub(crate) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "a crowd in four buckets",
        pace: Pace::of(6, 8),
        stage: |seed| Stage::crowd(4, 8, 0.8, 16, seed),
        active: 8,
        ..USUAL
    },
    Workload {
        name: "a crowd with one descriptor",
        pace: Pace::of(6, 8),
        stage: |seed| Stage::crowd(4, 8, 0.8, 1, seed),
        active: 8,
        ..USUAL
    },
    Workload {
        name: "a token that hops",
        threads: 3,
        calls: 16,
        pace: Pace::of(8, 8),
        actions: &[
            (Insert, 2),
            (Remove, 2),
            (Contains, 3),
            (InsertUnique, 1),
            (Relocate, 1),
        ],
        first: &[(Relocate, 2), (Contains, 1)],
        active: 3,
        ..USUAL
    },
    Workload {
        name: "one token, looked up while it is moved",
        calls: 16,
        stage: |seed| Stage::crowd(8, 1, 0.03, 16, seed),
        actions: &[(Contains, 3), (Remove, 1), (Insert, 1), (InsertUnique, 1)],
        first: &[(Relocate, 1)],
        active: 1,
        ..USUAL
    },
    Workload {
        name: "equal tokens that take turns",
        stage: |seed| Stage::crowd(2, 2, 0.2, 16, seed),
        actions: &[(Insert, 2), (Remove, 3), (Contains, 2)],
        first: &[(Contains, 1)],
        active: 2,
        ..USUAL
    },
    Workload {
        name: "rivals for an absent token",
        stage: |seed| Stage::crowd(2, 2, 0.0, 16, seed),
        actions: &[(InsertUnique, 3), (Remove, 2), (Contains, 1)],
        active: 2,
        ..USUAL
    },
    Workload {
        name: "paths of several hops",
        threads: 3,
        calls: 16,
        pace: Pace::of(16, 8),
        stage: |_| Stage::chain(3, 16),
        actions: &[
            (Insert, 2),
            (InsertUnique, 1),
            (Remove, 2),
            (Contains, 1),
            (Relocate, 3),
        ],
        ..USUAL
    },
    Workload {
        name: "a storm of long paths",
        threads: 5,
        pace: Pace::of(16, 8),
        stage: |_| Stage::caravan(6, 16),
        actions: &[(Insert, 1), (Remove, 1)],
        active: 2,
        watchers: 2,
        watched: 6,
        ..USUAL
    },
    Workload {
        name: "one descriptor for six threads",
        threads: 6,
        pace: Pace::of(16, 8),
        stage: |_| Stage::caravan(3, 1),
        actions: &[(Insert, 1), (Remove, 1)],
        active: 2,
        watchers: 2,
        watched: 3,
        ..USUAL
    },
    Workload {
        name: "snapshots",
        calls: 24,
        pace: Pace::of(24, 8),
        stage: |seed| Stage::crowd(8, 10, 0.6, 16, seed),
        actions: &[
            (Insert, 2),
            (Remove, 2),
            (Contains, 1),
            (InsertUnique, 1),
            (Relocate, 6),
        ],
        first: &[(Snapshot, 1)],
        active: 10,
        ..USUAL
    },
    Workload {
        name: "a filter that grows",
        calls: 10,
        pace: Pace::of(12, 8),
        stage: |_| Stage::growing(),
        actions: &[(Insert, 2), (InsertUnique, 1), (Remove, 3), (Contains, 2)],
        rounds: 20,
        grows: true,
        ..USUAL
    },
];

impl Workload {
    /// Returns the next request of a thread.
    pub(crate) fn next(&self, stage: &Stage, thread: usize, rng: &mut SmallRng) -> Request {
        let active = self.active.min(stage.classes());
        let watches = thread + self.watchers >= self.threads;
        let bystander = active < stage.classes() && rng.random_ratio(1, 16);
        let (classes, actions) = if watches {
            (active..active + self.watched, HARMLESS)
        } else if bystander {
            (active..stage.classes(), HARMLESS)
        } else if thread == 0 && !self.first.is_empty() {
            (0..active, self.first)
        } else {
            (0..active, self.actions)
        };
        let class = rng.random_range(classes);
        let chosen = actions.choose_weighted(rng, |(_, times)| *times);
        let action = chosen.map_or(Contains, |&(action, _)| action);
        Request {
            action,
            class,
            order: rng.random_range(0..2),
        }
    }

    /// Whether everything is removed after a round.
    pub(crate) fn ends_empty(&self, round: usize) -> bool {
        self.grows && round % 3 == 2
    }

    /// Returns the calls of a thread in a round. A snapshot takes as long as many other calls.
    pub(crate) fn calls_of(&self, thread: usize) -> usize {
        if thread == 0 && self.first == [(Snapshot, 1)] {
            1
        } else {
            self.calls
        }
    }
}
