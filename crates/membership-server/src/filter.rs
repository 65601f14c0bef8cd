//! One filter, as clients know it: fixed, growing, or behind a mutex.

use std::io::{self, Read, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lockfree_cuckoo::{
    BuildError, CuckooFilter, GrowingCuckooFilter, InsertError, InsertManyError, ReadError,
    SnapshotError,
};

use crate::deletions::Deletions;

/// What CF.RESERVE says of a filter, and CF.INFO repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) capacity: usize,
    /// How much larger each segment is than the last; 0 if there is to be one only.
    pub(crate) expansion: u16,
    pub(crate) max_iterations: u16,
}

/// Kinds of filters, by the numbers that stand for them in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Fixed = 1,
    Growing = 2,
}

#[derive(Debug)]
pub(crate) struct Filter {
    engine: Engine,
    pub(crate) settings: Settings,
    pub(crate) deletions: Deletions,
    /// Bytes that are put aside for it, whether it has them yet or not.
    pub(crate) reserved: usize,
}

#[derive(Debug)]
enum Engine {
    Fixed(CuckooFilter),
    Growing(GrowingCuckooFilter),
    /// The same filter, made to wait: what this server is measured against.
    Locked(Mutex<CuckooFilter>),
}

impl Engine {
    /// A filter of one size, and what it takes with what its first snapshot adds, a sixteenth of the table.
    fn fixed(filter: CuckooFilter, locked: bool) -> (Self, usize) {
        let bytes = filter.memory_usage();
        let engine = if locked {
            Self::Locked(Mutex::new(filter))
        } else {
            Self::Fixed(filter)
        };
        (engine, bytes + bytes.div_ceil(16))
    }
}

/// Calls the same method of whichever filter there is.
macro_rules! either {
    ($self:ident, $filter:ident => $call:expr) => {
        match &$self.engine {
            Engine::Fixed($filter) => $call,
            Engine::Growing($filter) => $call,
            Engine::Locked(mutex) => {
                let $filter = lock(mutex);
                $call
            }
        }
    };
}

/// Nothing that a panic could leave half done is kept in the filter itself.
fn lock(mutex: &Mutex<CuckooFilter>) -> MutexGuard<'_, CuckooFilter> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Filter {
    /// A filter that takes `most` bytes at most.
    pub(crate) fn new(settings: Settings, most: usize, locked: bool) -> Result<Self, BuildError> {
        let Settings {
            capacity,
            expansion,
            ..
        } = settings;
        let (engine, reserved) = if expansion == 0 {
            // What its first snapshot adds has to fit too.
            let builder = CuckooFilter::builder().capacity(capacity);
            let filter = builder.max_memory_usage(most - most / 17).build()?;
            Engine::fixed(filter, locked)
        } else {
            let builder = GrowingCuckooFilter::builder()
                .capacity(capacity)
                .growth_factor(expansion.into());
            let filter = builder.max_memory_usage(most).build()?;
            (Engine::Growing(filter), most)
        };
        Ok(Self {
            engine,
            settings,
            deletions: Deletions::default(),
            reserved,
        })
    }

    /// A filter that was stored. A growing one may grow to `most` bytes.
    pub(crate) fn read(
        kind: Kind,
        settings: Settings,
        deleted: u64,
        source: impl Read,
        most: usize,
        locked: bool,
    ) -> Result<Self, ReadError> {
        let (engine, reserved) = match kind {
            Kind::Fixed => Engine::fixed(CuckooFilter::read_from(source)?, locked),
            Kind::Growing => {
                let mut filter = GrowingCuckooFilter::read_from(source)?;
                // Not what the one who stored it allowed.
                filter.set_max_memory_usage(most);
                let bytes = filter.memory_usage().max(most);
                (Engine::Growing(filter), bytes)
            }
        };
        Ok(Self {
            engine,
            settings,
            deletions: Deletions::starting_at(deleted),
            reserved,
        })
    }

    pub(crate) fn kind(&self) -> Kind {
        match self.engine {
            Engine::Fixed(_) | Engine::Locked(_) => Kind::Fixed,
            Engine::Growing(_) => Kind::Growing,
        }
    }

    pub(crate) fn insert(&self, item: &[u8]) -> Result<(), InsertError> {
        either!(self, filter => filter.insert(item))
    }

    /// Whether it was absent, and this call added it.
    pub(crate) fn insert_unique(&self, item: &[u8]) -> Result<bool, InsertError> {
        either!(self, filter => filter.insert_unique(item))
    }

    /// Up to the first that is refused.
    pub(crate) fn insert_many(&self, items: &[&[u8]]) -> Result<(), InsertManyError> {
        either!(self, filter => filter.insert_many(items))
    }

    /// Up to the first that is refused. `added` gets whether it was this call that added them.
    pub(crate) fn insert_unique_many(
        &self,
        items: &[&[u8]],
        added: &mut [bool],
    ) -> Result<(), InsertManyError> {
        either!(self, filter => filter.insert_unique_many(items, added))
    }

    pub(crate) fn contains(&self, item: &[u8]) -> bool {
        either!(self, filter => filter.contains(item))
    }

    pub(crate) fn contains_many(&self, items: &[&[u8]], found: &mut [bool]) {
        either!(self, filter => filter.contains_many(items, found));
    }

    pub(crate) fn count(&self, item: &[u8]) -> usize {
        either!(self, filter => filter.count(item))
    }

    pub(crate) fn remove(&self, item: &[u8], connection: u64) -> bool {
        let removed = either!(self, filter => filter.remove(item));
        if removed {
            self.deletions.add_one(connection);
        }
        removed
    }

    pub(crate) fn len(&self) -> usize {
        either!(self, filter => filter.len())
    }

    pub(crate) fn slots(&self) -> usize {
        either!(self, filter => filter.slots())
    }

    pub(crate) fn load_factor(&self) -> f64 {
        either!(self, filter => filter.load_factor())
    }

    pub(crate) fn false_positive_rate(&self) -> f64 {
        either!(self, filter => filter.false_positive_rate())
    }

    pub(crate) fn memory_usage(&self) -> usize {
        either!(self, filter => filter.memory_usage())
    }

    pub(crate) fn segments(&self) -> usize {
        match &self.engine {
            Engine::Growing(filter) => filter.segments(),
            Engine::Fixed(_) | Engine::Locked(_) => 1,
        }
    }

    /// Gives back what removals have emptied.
    pub(crate) fn shrink_to_fit(&self) {
        if let Engine::Growing(filter) = &self.engine {
            filter.shrink_to_fit();
        }
    }

    /// Writes all items that were in when it was called, and perhaps some that came since, while others go on.
    pub(crate) fn write(&self, sink: impl Write) -> Result<(), WriteError> {
        match &self.engine {
            Engine::Fixed(filter) => patiently(|| filter.snapshot())?.write_to(sink)?,
            Engine::Growing(filter) => patiently(|| filter.snapshot())?.write_to(sink)?,
            Engine::Locked(mutex) => {
                let mut copy = lock(mutex).clone();
                copy.write_to(sink)?;
            }
        }
        Ok(())
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum WriteError {
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Another snapshot may be under way, for another file or another client, and others may disturb one so much that it
/// is given up: both pass.
fn patiently<T>(snapshot: impl Fn() -> Result<T, SnapshotError>) -> Result<T, SnapshotError> {
    const TRIES: usize = 1_000;
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(5);
    for _ in 1..TRIES {
        match snapshot() {
            Err(SnapshotError::Busy | SnapshotError::Disturbed) => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
    snapshot()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: Settings = Settings {
        capacity: 100,
        expansion: 0,
        max_iterations: 20,
    };

    fn written(filter: &Filter) -> Vec<u8> {
        let mut bytes = Vec::new();
        filter.write(&mut bytes).expect("room");
        bytes
    }

    #[test]
    fn a_mutex_changes_nothing_but_the_waiting() {
        let filter = Filter::new(SETTINGS, usize::MAX, true).expect("room");
        filter.insert(b"a").expect("room");
        let bytes = written(&filter);
        for locked in [false, true] {
            let read = Filter::read(Kind::Fixed, SETTINGS, 0, bytes.as_slice(), 0, locked);
            let read = read.expect("valid");
            assert!(read.contains(b"a"));
            assert_eq!(matches!(read.engine, Engine::Locked(_)), locked);
        }
    }

    #[test]
    fn a_growing_filter_obeys_who_reads_it() {
        let settings = Settings {
            expansion: 2,
            ..SETTINGS
        };
        let unlimited = Filter::new(settings, usize::MAX, false).expect("room");
        let bytes = written(&unlimited);
        let filter = Filter::read(Kind::Growing, settings, 0, bytes.as_slice(), 1 << 16, false);
        let filter = filter.expect("valid");
        assert_eq!(filter.reserved, 1 << 16);
        let refused = (0..100_000u32).find_map(|item| filter.insert(&item.to_le_bytes()).err());
        assert!(matches!(refused, Some(InsertError::CannotGrow { .. })));
        assert!(filter.memory_usage() <= 1 << 16);
    }
}
