//! What the sweep measures beside the filter, in the same pool.

use crate::filter::{Answer, Decide, Filter, Scratch};
use crate::keys::Key;
use lockfree_cuckoo::RandomState;
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A way to find what is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rival {
    /// What the program does.
    Batches,
    /// The filter by single calls.
    Single,
    /// A set in a lock that is taken once for a batch.
    LockedBatches,
    /// A set in a lock that is taken for every packet.
    LockedSingle,
    /// No set at all: the limit, which is to read the packets.
    Nothing,
}

impl Rival {
    pub(super) const ALL: [Self; 5] = [
        Self::Batches,
        Self::Single,
        Self::LockedBatches,
        Self::LockedSingle,
        Self::Nothing,
    ];

    /// What a table has above its column.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Batches => "filter",
            Self::Single => "filter, single calls",
            Self::LockedBatches => "set, a lock per batch",
            Self::LockedSingle => "set, a lock per packet",
            Self::Nothing => "headers only (limit)",
        }
    }

    /// A fresh one, with room for so many keys.
    pub(super) fn start(self, capacity: usize) -> Box<Decide> {
        let set = || {
            let set = HashSet::with_capacity_and_hasher(capacity, RandomState::new());
            Mutex::new(set)
        };
        match self {
            Self::Batches => Box::new(Filter::in_batches),
            Self::Single => Box::new(Filter::one_by_one),
            Self::LockedBatches => {
                let set = set();
                Box::new(move |_, scratch| {
                    let mut set = lock(&set);
                    judge(scratch, |key| set.insert(key));
                })
            }
            Self::LockedSingle => {
                let set = set();
                Box::new(move |_, scratch| judge(scratch, |key| lock(&set).insert(key)))
            }
            Self::Nothing => Box::new(|_, scratch| judge(scratch, |_| false)),
        }
    }
}

fn judge(scratch: &mut Scratch, mut insert: impl FnMut(Key) -> bool) {
    let Scratch { keys, answers, .. } = scratch;
    answers.clear();
    answers.extend(keys.iter().map(|&key| match insert(key) {
        true => Answer::New,
        false => Answer::Known,
    }));
}

fn lock<T>(set: &Mutex<T>) -> MutexGuard<'_, T> {
    set.lock().unwrap_or_else(PoisonError::into_inner)
}
