//! The engine: a filter of the library, of any kind and layout, perhaps behind a mutex.

use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lockfree_cuckoo::DynFilter;

/// A filter of any kind and layout.
#[derive(Debug)]
pub(crate) struct Engine {
    /// Used directly only where no lock is needed: by an exclusive owner, for the hasher, which
    /// never changes, and for reads while no other thread writes.
    pub(crate) filter: DynFilter,
    /// Held during a call when benchmarking against a mutex.
    turn: Option<Mutex<()>>,
}

/// Access to a filter until this is dropped.
pub(crate) struct Access<'a> {
    filter: &'a DynFilter,
    _turn: Option<MutexGuard<'a, ()>>,
}

impl Deref for Access<'_> {
    type Target = DynFilter;

    fn deref(&self) -> &Self::Target {
        self.filter
    }
}

impl Engine {
    pub(crate) fn new(filter: DynFilter) -> Self {
        Self { filter, turn: None }
    }

    /// Puts a mutex around the filter, so that callers take turns.
    pub(crate) fn behind_a_mutex(self) -> Self {
        Self {
            turn: Some(Mutex::new(())),
            ..self
        }
    }

    /// Returns the filter, for one call.
    pub(crate) fn access(&self) -> Access<'_> {
        // Ignore poison: the mutex itself guards nothing that a panic could leave half done.
        let take = |turn| Mutex::lock(turn).unwrap_or_else(PoisonError::into_inner);
        Access {
            _turn: self.turn.as_ref().map(take),
            filter: &self.filter,
        }
    }
}
