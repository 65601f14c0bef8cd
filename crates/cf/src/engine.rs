//! The filters of the library behind one trait, and one behind a mutex.

use std::fmt::Debug;
use std::io::{self, Write};
use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lockfree_cuckoo::{CuckooFilter, GrowingCuckooFilter, Hashed, SnapshotError};

use crate::settings::Kind;

/// A filter of any kind, with what the commands need beyond [`Hashed`].
pub(crate) trait Engine: Debug + Send + Sync {
    /// The filter, for one call.
    fn access(&self) -> Access<'_>;

    fn kind(&self) -> Kind;

    fn segments(&self) -> usize;

    /// Gives back what removals have emptied.
    fn shrink_to_fit(&self);

    /// A copy of what is in, to be written.
    fn snapshot(&self) -> Result<Snapshot, SnapshotError>;
}

/// Writes a copy of a filter in its stored form.
pub(crate) type Snapshot = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()>>;

/// A filter that may be used until this is dropped.
pub(crate) struct Access<'a> {
    filter: &'a dyn Hashed,
    _turn: Option<MutexGuard<'a, ()>>,
}

impl<'a> Access<'a> {
    fn free(filter: &'a dyn Hashed) -> Self {
        Self {
            filter,
            _turn: None,
        }
    }
}

impl<'a> Deref for Access<'a> {
    type Target = dyn Hashed + 'a;

    fn deref(&self) -> &Self::Target {
        self.filter
    }
}

impl Engine for CuckooFilter {
    fn access(&self) -> Access<'_> {
        Access::free(self)
    }

    fn kind(&self) -> Kind {
        Kind::Fixed
    }

    fn segments(&self) -> usize {
        1
    }

    fn shrink_to_fit(&self) {}

    fn snapshot(&self) -> Result<Snapshot, SnapshotError> {
        let mut copy = self.snapshot()?;
        Ok(Box::new(move |sink| copy.write_to(sink)))
    }
}

impl Engine for GrowingCuckooFilter {
    fn access(&self) -> Access<'_> {
        Access::free(self)
    }

    fn kind(&self) -> Kind {
        Kind::Growing
    }

    fn segments(&self) -> usize {
        self.segments()
    }

    fn shrink_to_fit(&self) {
        self.shrink_to_fit();
    }

    fn snapshot(&self) -> Result<Snapshot, SnapshotError> {
        let mut copy = self.snapshot()?;
        Ok(Box::new(move |sink| copy.write_to(sink)))
    }
}

/// A filter whose callers take turns: what the lock-free ones are measured against.
#[derive(Debug)]
pub(crate) struct Locked {
    turn: Mutex<()>,
    engine: Box<dyn Engine>,
}

impl Locked {
    pub(crate) fn new(engine: Box<dyn Engine>) -> Self {
        Self {
            turn: Mutex::new(()),
            engine,
        }
    }

    fn take_turn(&self) -> MutexGuard<'_, ()> {
        // Nothing that a panic could leave half done is kept behind the mutex itself.
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine for Locked {
    fn access(&self) -> Access<'_> {
        Access {
            _turn: Some(self.take_turn()),
            ..self.engine.access()
        }
    }

    fn kind(&self) -> Kind {
        self.engine.kind()
    }

    fn segments(&self) -> usize {
        let _turn = self.take_turn();
        self.engine.segments()
    }

    fn shrink_to_fit(&self) {
        let _turn = self.take_turn();
        self.engine.shrink_to_fit();
    }

    fn snapshot(&self) -> Result<Snapshot, SnapshotError> {
        // The copy is made under the lock, and written without it.
        let _turn = self.take_turn();
        self.engine.snapshot()
    }
}
