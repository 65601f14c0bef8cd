//! A filter of byte strings: the operations of the commands, with settings, counts and limits.

mod making;
#[cfg(test)]
mod tests;
mod window;

use std::fmt::Debug;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use lockfree_cuckoo::{
    DynFilter, GrowthError, InsertError, InsertManyError, SnapshotError, filter::Chunks,
    layout::Shape,
};

use crate::clock::Clock;
use crate::deletions::Deletions;
use crate::engine::Engine;
use crate::error::Error;
use crate::reply::Answer;
use crate::settings::Settings;

/// The items that are added between two checks of how far the filter may grow.
const BATCH: usize = 256;

/// A filter of byte strings with the settings it was made with: the value of a key of a server or a
/// module.
///
/// Any number of threads may make the calls that take `&self` at once.
#[derive(Debug)]
pub struct Filter {
    engine: Engine,
    settings: Settings,
    deletions: Deletions,
    /// The age of its youngest generation, if it has a window.
    clock: Option<Box<Clock>>,
    /// The identity of the filter.
    own: Arc<()>,
    /// The memory that it shares with others, if it grows.
    budget: Option<Arc<dyn Budget>>,
    /// The bytes that it may take, however much is left, if it grows.
    most: usize,
    /// The library's bytes when it was last checked for growth.
    seen: AtomicUsize,
}

impl Filter {
    /// Puts a mutex around the filter, to show what a lock costs.
    #[must_use]
    pub fn behind_a_mutex(self) -> Self {
        Self {
            engine: self.engine.behind_a_mutex(),
            ..self
        }
    }

    /// Returns the identity of this filter.
    pub fn identity(&self) -> Identity {
        Identity(Arc::downgrade(&self.own))
    }

    /// Returns the settings that it was made with.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Returns true if the item is stored, and seldom if it is not.
    pub fn contains(&self, item: &[u8]) -> bool {
        self.engine.access().contains_hash(self.hash(item))
    }

    /// Looks up each of many items.
    pub fn contains_each(&self, items: &[&[u8]]) -> Vec<bool> {
        let hashes = self.hashes(items);
        let mut found = vec![false; hashes.len()];
        self.engine.access().contains_many_hash(&hashes, &mut found);
        found
    }

    /// Returns the number of stored copies of an item.
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

    /// Returns the number of stored items, each copy counted.
    pub fn items(&self) -> usize {
        self.engine.access().len()
    }

    /// Returns the number of items removed since it was made, also before it was stored.
    pub fn deleted(&self) -> u64 {
        self.deletions.sum()
    }

    /// Returns the number of slots, as [`CuckooFilter::slots`](lockfree_cuckoo::CuckooFilter).
    pub fn slots(&self) -> usize {
        self.engine.access().slots()
    }

    /// Returns the layout of its buckets.
    pub fn shape(&self) -> Shape {
        self.engine.access().shape()
    }

    /// Returns the load factor, as [`CuckooFilter::load_factor`](lockfree_cuckoo::CuckooFilter).
    pub fn load_factor(&self) -> f64 {
        self.engine.access().load_factor()
    }

    /// Returns the rate of false positives, as
    /// [`CuckooFilter::false_positive_rate`](lockfree_cuckoo::CuckooFilter).
    pub fn false_positive_rate(&self) -> f64 {
        self.engine.access().false_positive_rate()
    }

    /// Returns all the bytes that it takes.
    pub fn memory_usage(&self) -> usize {
        self.besides() + self.engine.access().memory_usage()
    }

    /// Returns the bytes that are not the library's.
    fn besides(&self) -> usize {
        Self::besides_of(&self.settings) + self.deletions.heap_bytes()
    }

    /// Returns the bytes of a new filter that are not the library's.
    fn besides_of(settings: &Settings) -> usize {
        let clock = settings.window.map_or(0, |_| size_of::<Clock>());
        Self::BESIDES + clock
    }

    /// The bytes of this struct, and of its identity: an allocation with two counts.
    const BESIDES: usize = size_of::<Self>() + 2 * size_of::<usize>();

    /// Returns the number of its tables: 1, unless it has doubled more than ten times.
    pub fn tables(&self) -> usize {
        self.engine.access().tables()
    }

    /// Finishes a doubling in progress, so that lookups are as fast, and the filter as small, as
    /// they become.
    pub fn finish_doubling(&self) {
        // If other threads keep a table busy, their operations finish its doubling.
        self.engine.access().finish_doubling();
        self.charge();
    }

    /// Makes a filter that grows as small as its items allow.
    pub fn shrink_to_fit(&mut self) {
        self.engine.filter.shrink_to_fit();
        self.charge();
    }

    /// Makes a growing filter ask a budget whether it may grow.
    #[must_use]
    pub fn with_budget(self, budget: Arc<dyn Budget>) -> Self {
        let grows = self.settings.grows();
        Self {
            budget: grows.then_some(budget),
            ..self
        }
    }

    /// Adds a copy of an item.
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::insert`](lockfree_cuckoo::CuckooFilter); and if it may not grow any more.
    pub fn insert(&self, item: &[u8]) -> Result<(), Error> {
        self.add(|filter| filter.insert_hash(self.hash(item)))
    }

    /// Adds an item unless it is stored. Returns true if this call added it.
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::insert_unique`](lockfree_cuckoo::CuckooFilter); and if it may not grow
    /// any more.
    pub fn insert_unique(&self, item: &[u8]) -> Result<bool, Error> {
        self.add(|filter| filter.insert_unique_hash(self.hash(item)))
    }

    fn add<T>(
        &self,
        insert: impl FnOnce(&DynFilter) -> Result<T, InsertError>,
    ) -> Result<T, Error> {
        let left = self.limit_growth();
        let inserted = insert(&self.engine.access());
        self.charge();
        inserted.map_err(|error| self.not_added(error, left))
    }

    /// Adds the items that there is room for, with `is_unique` only the absent ones. Returns for
    /// each whether this call added it.
    pub fn insert_each(&self, items: &[&[u8]], is_unique: bool) -> Vec<Answer> {
        // Hash once: a refusal must not cost the hashing of all items after it.
        let hashes = self.hashes(items);
        let adding = if is_unique {
            Adding::Unique
        } else {
            Adding::Copies
        };
        if self.budget.is_none() {
            return self.insert_hashes(&hashes, adding);
        }
        let mut answers = Vec::with_capacity(hashes.len());
        for batch in hashes.chunks(BATCH) {
            self.limit_growth();
            answers.extend(self.insert_hashes(batch, adding));
            self.charge();
        }
        answers
    }

    /// Adds the items to a filter with a window, or restarts the life of those that are stored.
    /// Returns for each whether it is new.
    ///
    /// # Errors
    ///
    /// If the filter has no window.
    pub fn refresh_each(&self, items: &[&[u8]]) -> Result<Vec<Answer>, Error> {
        self.clock()?;
        Ok(self.insert_hashes(&self.hashes(items), Adding::Refreshed))
    }

    fn insert_hashes(&self, hashes: &[u64], adding: Adding) -> Vec<Answer> {
        let mut added = vec![matches!(adding, Adding::Copies); hashes.len()];
        let mut answers = Vec::with_capacity(hashes.len());
        while answers.len() < hashes.len() {
            let rest = &hashes[answers.len()..];
            let added = &mut added[..rest.len()];
            let filter = self.engine.access();
            let inserted = match (adding, filter.rotating()) {
                (Adding::Refreshed, Some(rotating)) => rotating.refresh_many_hash(rest, added),
                (Adding::Copies, _) => filter.insert_many_hash(rest),
                _ => filter.insert_unique_many_hash(rest, added),
            };
            // A refusal ends a batch. The items after it are the next one.
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

    /// Lets the filter grow by the memory that is left, and no further: an insert that needs a
    /// larger table is refused before that is allocated. Returns the memory that is left.
    fn limit_growth(&self) -> Option<usize> {
        let budget = self.budget.as_ref()?;
        let used = self.seen.load(Ordering::Relaxed);
        let left = budget.left(used.saturating_add(self.besides()));
        // The filter's own limit applies too.
        let most = used.saturating_add(left);
        self.engine.access().set_memory_allowance(most);
        Some(left)
    }

    /// Returns the reason why an item was not added while this much was left for growth.
    fn not_added(&self, error: InsertError, left: Option<usize>) -> Error {
        let InsertError::CannotGrow(growth) = &error else {
            return match Error::from(error) {
                Error::Full if self.clock.is_some() => Error::FullGeneration {
                    capacity: self.settings.capacity,
                },
                error => error,
            };
        };
        let used = self.seen.load(Ordering::Relaxed);
        match (growth, left) {
            (GrowthError::MemoryLimit { needed, .. }, Some(left))
                if used.saturating_add(left) < self.most_of_table() =>
            {
                Error::NoMemoryToGrow {
                    needed: needed.saturating_sub(used),
                    left,
                }
            }
            _ => error.into(),
        }
    }

    /// Returns the bytes that the filter of the library may take.
    fn most_of_table(&self) -> usize {
        self.most.saturating_sub(self.besides())
    }

    /// Tells the budget if the filter has grown.
    fn charge(&self) {
        if let Some(budget) = &self.budget {
            let bytes = self.engine.access().memory_usage();
            // Relaxed: the budget reads the memory anew.
            if self.seen.load(Ordering::Relaxed) != bytes {
                self.seen.store(bytes, Ordering::Relaxed);
                budget.has_changed();
            }
        }
    }

    /// Makes a copy with all items that were stored when this was called, and perhaps some that
    /// came since, to be stored while others go on.
    ///
    /// # Errors
    ///
    /// If there is no memory for it, or other threads disturb each try.
    pub fn copy(&self) -> Result<Self, SnapshotError> {
        let deleted = self.deleted();
        let (copy, age) = self.copy_with_age()?;
        let copy = Self::of(copy, self.settings, deleted, self.most);
        copy.elapse(age);
        Ok(copy)
    }

    /// The filter of the library, without the rest. An item is in it by its hash, which is
    /// [`hash_bytes`](lockfree_cuckoo::RandomState::hash_bytes) of its hasher. One that rotates has
    /// no clock any more: before this, read its [window](Settings::window) and its
    /// [`age`](Self::age). One that grows may grow to all the bytes that this one could take.
    #[must_use]
    pub fn into_library(self) -> DynFilter {
        let mut filter = self.engine.filter;
        filter.set_max_memory_usage(self.most);
        filter.set_memory_allowance(usize::MAX);
        filter
    }

    /// Writes the stored form of the library, while no other thread changes the filter.
    ///
    /// # Errors
    ///
    /// If the sink fails, or the filter has changed.
    pub fn write(&self, mut sink: impl Write) -> io::Result<()> {
        let mut chunks = self.chunks();
        let mut piece = [0; 1 << 14];
        loop {
            match chunks.next_chunk(&mut piece)? {
                0 => return Ok(()),
                bytes => sink.write_all(&piece[..bytes])?,
            }
        }
    }

    /// Returns the stored form, while no other thread writes.
    pub(crate) fn chunks(&self) -> Chunks<'_> {
        self.engine.filter.chunks()
    }

    /// Hashes an item, not by `Hash`: a program compiled with another version of Rust must find
    /// what is stored.
    fn hash(&self, item: &[u8]) -> u64 {
        self.engine.filter.hasher().hash_bytes(item)
    }

    fn hashes(&self, items: &[&[u8]]) -> Vec<u64> {
        items.iter().map(|item| self.hash(item)).collect()
    }
}

/// The way in which items are added.
#[derive(Clone, Copy)]
enum Adding {
    /// One copy of each item.
    Copies,
    /// The absent items.
    Unique,
    /// The items that the youngest generation does not have.
    Refreshed,
}

/// Repeats a snapshot while another one is under way, for another file or client, or while other
/// threads disturb it so much that it gives up. Both pass.
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

/// The identity of a filter for as long as it exists. It keeps neither the filter nor its memory.
/// [`Filter::identity`] returns it.
#[derive(Clone, Debug)]
pub struct Identity(Weak<()>);

impl Identity {
    /// Returns whether the filter is gone.
    pub fn is_gone(&self) -> bool {
        self.0.strong_count() == 0
    }
}

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0)
    }
}

/// Memory from which growing filters take: shared by all filters of a server, or one for each.
///
/// Before a filter adds items, it asks how much is left, and it grows by no more than that. When it
/// has grown, it says so. No memory is reserved in between: filters that grow at the same moment
/// can together take more than was left, each by one growth.
pub trait Budget: Debug + Send + Sync {
    /// Returns the bytes that a filter which takes `used` bytes now may take besides.
    fn left(&self, used: usize) -> usize;

    /// Records that the memory of a filter has changed.
    fn has_changed(&self) {}
}
