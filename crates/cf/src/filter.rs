//! One filter, as clients know it.

use std::io::{self, Read, Write};

use lockfree_cuckoo::{
    BuildError, CuckooFilter, GrowingCuckooFilter, InsertError, InsertManyError, RandomState,
    ReadError, SnapshotError,
};

use crate::deletions::Deletions;
use crate::engine::{Engine, Locked};
use crate::reply::Answer;
use crate::settings::{Kind, Settings};

/// A filter of byte strings with the settings it was made with: what a key of a server or a module holds.
///
/// All calls but [`behind_a_mutex`](Self::behind_a_mutex) take `&self`; any number of threads may make them at once.
#[derive(Debug)]
pub struct Filter {
    engine: Box<dyn Engine>,
    /// The filter's own: an item is hashed here, once, whatever kind of filter there is.
    hasher: RandomState,
    settings: Settings,
    deletions: Deletions,
    reserved: usize,
}

impl Filter {
    /// A filter that takes `most` bytes at most.
    ///
    /// # Errors
    ///
    /// As the builders of the library.
    pub fn new(settings: Settings, most: usize) -> Result<Self, BuildError> {
        let Settings {
            capacity,
            expansion,
            ..
        } = settings;
        let deletions = Deletions::default();
        if expansion == 0 {
            // What its first snapshot adds has to fit too.
            let builder = CuckooFilter::builder().capacity(capacity);
            let filter = builder.max_memory_usage(most - most / 17).build()?;
            Ok(Self::fixed(filter, settings, deletions))
        } else {
            let builder = GrowingCuckooFilter::builder()
                .capacity(capacity)
                .growth_factor(expansion.into());
            let filter = builder.max_memory_usage(most).build()?;
            Ok(Self::growing(filter, most, settings, deletions))
        }
    }

    /// A filter that was stored. A growing one may grow to `most` bytes.
    pub(crate) fn read(
        kind: Kind,
        settings: Settings,
        deleted: u64,
        source: impl Read,
        most: usize,
    ) -> Result<Self, ReadError> {
        let deletions = Deletions::starting_at(deleted);
        match kind {
            Kind::Fixed => {
                let filter = CuckooFilter::read_from(source)?;
                Ok(Self::fixed(filter, settings, deletions))
            }
            Kind::Growing => {
                let mut filter = GrowingCuckooFilter::read_from(source)?;
                // Not what the one who stored it allowed.
                filter.set_max_memory_usage(most);
                Ok(Self::growing(filter, most, settings, deletions))
            }
        }
    }

    fn fixed(filter: CuckooFilter, settings: Settings, deletions: Deletions) -> Self {
        // Its first snapshot adds a sixteenth of the table.
        let bytes = filter.memory_usage();
        Self {
            hasher: filter.hasher().clone(),
            engine: Box::new(filter),
            settings,
            deletions,
            reserved: bytes + bytes.div_ceil(16),
        }
    }

    fn growing(
        filter: GrowingCuckooFilter,
        most: usize,
        settings: Settings,
        deletions: Deletions,
    ) -> Self {
        Self {
            hasher: filter.hasher().clone(),
            reserved: filter.memory_usage().max(most),
            engine: Box::new(filter),
            settings,
            deletions,
        }
    }

    /// The same filter with a mutex around it, to show what a lock costs.
    #[must_use]
    pub fn behind_a_mutex(self) -> Self {
        Self {
            engine: Box::new(Locked::new(self.engine)),
            ..self
        }
    }

    /// Whether it grows.
    pub fn kind(&self) -> Kind {
        self.engine.kind()
    }

    /// What it was made with.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Bytes that it may come to take, its snapshots included.
    pub fn reserved(&self) -> usize {
        self.reserved
    }

    /// Adds a copy of an item.
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::insert`].
    pub fn insert(&self, item: &[u8]) -> Result<(), InsertError> {
        self.engine.access().insert_hash(self.hash(item))
    }

    /// Adds an item unless it is in. Returns true if this call added it.
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::insert_unique`].
    pub fn insert_unique(&self, item: &[u8]) -> Result<bool, InsertError> {
        self.engine.access().insert_unique_hash(self.hash(item))
    }

    /// Adds those of the items that there is room for or, if `is_unique`, those of them that are not in. For each of
    /// them, whether this call added it.
    pub fn insert_each(&self, items: &[&[u8]], is_unique: bool) -> Vec<Answer> {
        // Once for all: a refusal must not cost the hashing of all that follows it.
        let hashes = self.hashes(items);
        let mut added = vec![!is_unique; hashes.len()];
        let mut answers = Vec::with_capacity(hashes.len());
        while answers.len() < hashes.len() {
            let rest = &hashes[answers.len()..];
            let added = &mut added[..rest.len()];
            let filter = self.engine.access();
            let inserted = if is_unique {
                filter.insert_unique_many_hash(rest, added)
            } else {
                filter.insert_many_hash(rest)
            };
            // A refusal ends a batch; what is behind it is the next one.
            let done = inserted
                .as_ref()
                .map_or_else(InsertManyError::inserted, |()| rest.len());
            answers.extend(added[..done].iter().map(|&added| Answer::from(added)));
            if inserted.is_err() {
                answers.push(Answer::Refused);
            }
        }
        answers
    }

    /// Returns true if the item is in, and seldom if it is not.
    pub fn contains(&self, item: &[u8]) -> bool {
        self.engine.access().contains_hash(self.hash(item))
    }

    /// The same for each of many items.
    pub fn contains_each(&self, items: &[&[u8]]) -> Vec<Answer> {
        let hashes = self.hashes(items);
        let mut found = vec![false; hashes.len()];
        self.engine.access().contains_many_hash(&hashes, &mut found);
        found.into_iter().map(Answer::from).collect()
    }

    /// The copies of an item that are in.
    pub fn count(&self, item: &[u8]) -> usize {
        self.engine.access().count_hash(self.hash(item))
    }

    /// Removes one copy of an item that was added. Returns false if there is none.
    ///
    /// Removals are counted. Callers with different numbers seldom write to one count.
    pub fn remove(&self, item: &[u8], caller: u64) -> bool {
        let removed = self.engine.access().remove_hash(self.hash(item));
        if removed {
            self.deletions.add_one(caller);
        }
        removed
    }

    /// Items in the filter, each copy counted.
    pub fn items(&self) -> usize {
        self.engine.access().len()
    }

    /// Items removed since it was made, also before it was stored.
    pub fn deleted(&self) -> u64 {
        self.deletions.sum()
    }

    /// As [`CuckooFilter::slots`].
    pub fn slots(&self) -> usize {
        self.engine.access().slots()
    }

    /// As [`CuckooFilter::load_factor`].
    pub fn load_factor(&self) -> f64 {
        self.engine.access().load_factor()
    }

    /// As [`CuckooFilter::false_positive_rate`].
    pub fn false_positive_rate(&self) -> f64 {
        self.engine.access().false_positive_rate()
    }

    /// As [`CuckooFilter::memory_usage`].
    pub fn memory_usage(&self) -> usize {
        self.engine.access().memory_usage()
    }

    /// As [`GrowingCuckooFilter::segments`]; 1 for a filter that does not grow.
    pub fn segments(&self) -> usize {
        self.engine.segments()
    }

    /// Gives back what removals have emptied.
    pub fn shrink_to_fit(&self) {
        self.engine.shrink_to_fit();
    }

    /// Writes all items that were in when it was called, and perhaps some that came since, while others go on. What
    /// else there is to keep of a filter is its [`Entry`](crate::Entry).
    ///
    /// # Errors
    ///
    /// If there is no memory for a copy of it, others disturb each try to make one, or the sink fails.
    pub fn write(&self, mut sink: impl Write) -> Result<(), WriteError> {
        let copy = patiently(|| self.engine.snapshot())?;
        Ok(copy(&mut sink)?)
    }

    fn hash(&self, item: &[u8]) -> u64 {
        use std::hash::BuildHasher;
        self.hasher.hash_one(item)
    }

    fn hashes(&self, items: &[&[u8]]) -> Vec<u64> {
        items.iter().map(|item| self.hash(item)).collect()
    }
}

/// Why a filter was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// No copy of it could be made.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The sink failed.
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
        let filter = Filter::new(SETTINGS, usize::MAX).expect("room");
        filter.insert(b"a").expect("room");
        let free = written(&filter);
        let (memory, reserved) = (filter.memory_usage(), filter.reserved());
        let locked = filter.behind_a_mutex();
        assert_eq!(written(&locked), free);
        assert!(locked.contains(b"a") && locked.remove(b"a", 0) && !locked.contains(b"a"));
        assert_eq!((locked.kind(), locked.segments()), (Kind::Fixed, 1));
        assert_eq!(
            (locked.memory_usage(), locked.reserved()),
            (memory, reserved)
        );
    }

    #[test]
    fn what_holds_the_lock_keeps_others_waiting() {
        let filter = Filter::new(SETTINGS, usize::MAX).expect("room");
        let filter = filter.behind_a_mutex();
        let held = filter.engine.access();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| filter.contains(b"a"));
            std::thread::sleep(std::time::Duration::from_millis(50));
            assert!(!other.is_finished());
            drop(held);
            assert!(!other.join().expect("the other"));
        });
    }

    #[test]
    fn items_are_hashed_as_the_library_hashes_byte_strings() {
        for expansion in [0, 2] {
            let settings = Settings {
                expansion,
                ..SETTINGS
            };
            let filter = Filter::new(settings, usize::MAX).expect("room");
            let items: [&[u8]; 3] = [b"a", b"", b"a longer one"];
            filter.insert(items[0]).expect("room");
            let answers = filter.insert_each(&items[1..], false);
            assert_eq!(answers, [Answer::Yes; 2]);
            let bytes = written(&filter);
            let found = items.map(|item| match filter.kind() {
                Kind::Fixed => CuckooFilter::read_from(bytes.as_slice()).map(|f| f.contains(item)),
                Kind::Growing => {
                    GrowingCuckooFilter::read_from(bytes.as_slice()).map(|f| f.contains(item))
                }
            });
            assert!(found.into_iter().all(|found| found.expect("valid")));
        }
    }

    #[test]
    fn a_growing_filter_obeys_who_reads_it() {
        let settings = Settings {
            expansion: 2,
            ..SETTINGS
        };
        let unlimited = Filter::new(settings, usize::MAX).expect("room");
        let bytes = written(&unlimited);
        let filter = Filter::read(Kind::Growing, settings, 0, bytes.as_slice(), 1 << 16);
        let filter = filter.expect("valid");
        assert_eq!(filter.reserved(), 1 << 16);
        let refused = (0..100_000u32).find_map(|item| filter.insert(&item.to_le_bytes()).err());
        assert!(matches!(refused, Some(InsertError::CannotGrow { .. })));
        assert!(filter.memory_usage() <= 1 << 16);
    }
}
