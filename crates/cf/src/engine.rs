//! A filter of the library, of any kind and layout, and one behind a mutex.

use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lockfree_cuckoo::DynFilter;

/// A filter of any kind and layout.
#[derive(Debug)]
pub(crate) struct Engine {
    /// For what nobody takes a turn for: who has it alone, its hasher, which never changes, and reading what nobody writes.
    pub(crate) filter: DynFilter,
    /// Who has it uses the filter, if there is one: what the lock-free filters are measured against.
    turn: Option<Mutex<()>>,
}

/// A filter that may be used until this is dropped.
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

    /// The same, whose callers take turns.
    pub(crate) fn behind_a_mutex(self) -> Self {
        Self {
            turn: Some(Mutex::new(())),
            ..self
        }
    }

    /// The filter, for one call.
    pub(crate) fn access(&self) -> Access<'_> {
        // Nothing that a panic could leave half done is kept behind the mutex itself.
        let take = |turn| Mutex::lock(turn).unwrap_or_else(PoisonError::into_inner);
        Access {
            _turn: self.turn.as_ref().map(take),
            filter: &self.filter,
        }
    }
}
