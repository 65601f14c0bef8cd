//! The operations that threads are stopped in.

use super::chain::Chain;
use super::request::{Action, Request};
use super::scene::{Stop, Victim};

/// An operation that a victim is stopped in.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// Of the chain that the newcomer needs.
    pub(crate) hops: usize,
    pub(crate) action: Action,
    pub(crate) on: fn(&Chain) -> usize,
    /// Fewer steps would mean that it did not do what its name says.
    pub(crate) fewest: usize,
}

pub(crate) const INSERT: Kind = Kind {
    name: "insert, with room",
    hops: 1,
    action: Action::Insert,
    on: |chain| chain.guest,
    fewest: 4,
};

pub(crate) const KICK: Kind = Kind {
    name: "insert, by a path of one hop",
    hops: 1,
    action: Action::Insert,
    on: |chain| chain.newcomer,
    fewest: 20,
};

pub(crate) const LONG_PATH: Kind = Kind {
    name: "insert, by a path of three hops",
    hops: 3,
    action: Action::Insert,
    on: |chain| chain.newcomer,
    fewest: 50,
};

pub(crate) const ADMISSION: Kind = Kind {
    name: "insert_unique, with room",
    hops: 1,
    action: Action::InsertUnique,
    on: |chain| chain.guest,
    fewest: 18,
};

pub(crate) const OPENING: Kind = Kind {
    name: "insert_unique, by a path of two hops",
    hops: 2,
    action: Action::InsertUnique,
    on: |chain| chain.newcomer,
    fewest: 50,
};

pub(crate) const REMOVE: Kind = Kind {
    name: "remove",
    hops: 1,
    action: Action::Remove,
    on: |chain| chain.mover,
    fewest: 4,
};

pub(crate) const TWIN: Kind = Kind {
    name: "remove, of one of two equal tokens",
    hops: 1,
    action: Action::Remove,
    on: |chain| chain.twins,
    fewest: 8,
};

pub(crate) const RELOCATION: Kind = Kind {
    name: "relocation",
    hops: 1,
    action: Action::Relocate,
    on: |chain| chain.mover,
    fewest: 15,
};

pub(crate) const SNAPSHOT: Kind = Kind {
    name: "snapshot",
    hops: 1,
    action: Action::Snapshot,
    on: |chain| chain.mover,
    fewest: 256,
};

/// Writes nothing, and so is no danger to others.
pub(crate) const LOOKUP: Kind = Kind {
    name: "contains",
    hops: 1,
    action: Action::Contains,
    on: |chain| chain.mover,
    fewest: 4,
};

pub(crate) const COUNT: Kind = Kind {
    name: "count",
    hops: 1,
    action: Action::Count,
    on: |chain| chain.mover,
    fewest: 4,
};

pub(crate) const ALL: [Kind; 9] = [
    INSERT, KICK, LONG_PATH, ADMISSION, OPENING, REMOVE, TWIN, RELOCATION, SNAPSHOT,
];

/// Those that leave frozen words behind.
pub(crate) const FREEZING: [Kind; 3] = [KICK, ADMISSION, RELOCATION];

/// Those whose steps, any of the one with any of the other, are few enough to try all.
pub(crate) const SHORT: [Kind; 8] = [
    INSERT, KICK, ADMISSION, REMOVE, TWIN, RELOCATION, LOOKUP, COUNT,
];

/// Those that find these words in their way.
pub(crate) const FINDING: [Kind; 5] = [KICK, ADMISSION, REMOVE, TWIN, RELOCATION];

impl Kind {
    pub(crate) fn victim(&self, chain: &Chain, stop: Stop, at_step: usize) -> Victim {
        self.victim_in_order(chain, chain.mover_order, stop, at_step)
    }

    pub(crate) fn victim_in_order(
        &self,
        chain: &Chain,
        order: usize,
        stop: Stop,
        at_step: usize,
    ) -> Victim {
        let request = Request {
            action: self.action,
            class: (self.on)(chain),
            order,
        };
        Victim {
            requests: vec![request],
            stop,
            at_step,
        }
    }
}
