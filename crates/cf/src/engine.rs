//! A filter of the library, of any kind and layout, and one behind a mutex.

use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lockfree_cuckoo::{Chunks, DynFilter, RandomState};

/// A filter of any kind and layout.
#[derive(Debug)]
pub(crate) struct Engine {
    filter: DynFilter,
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

    /// The filter, of which nobody else has any use now.
    pub(crate) fn alone(&mut self) -> &mut DynFilter {
        &mut self.filter
    }

    /// What hashes the items: it never changes, so nobody takes a turn for it.
    pub(crate) fn hasher(&self) -> &RandomState {
        self.filter.hasher()
    }

    /// What is in, to be read by a caller who knows that nobody writes meanwhile.
    pub(crate) fn chunks(&self) -> Chunks<'_> {
        self.filter.chunks()
    }
}
