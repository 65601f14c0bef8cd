//! One filter, as clients know it.

mod making;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use lockfree_cuckoo::{
    Chunks, DynFilter, GrowthError, InsertError, InsertManyError, Shape, SnapshotError,
};

use crate::deletions::Deletions;
use crate::engine::Engine;
use crate::error::Error;
use crate::reply::Answer;
use crate::settings::Settings;

/// Items that are added before it is looked again how far the filter may grow.
const BATCH: usize = 256;

/// A filter of byte strings with the settings it was made with: what a key of a server or a module holds.
///
/// Any number of threads may make the calls that take `&self` at once.
#[derive(Debug)]
pub struct Filter {
    engine: Engine,
    settings: Settings,
    deletions: Deletions,
    /// What tells it from all others.
    own: Arc<()>,
    /// What it shares with others, if it grows.
    budget: Option<Arc<dyn Budget>>,
    /// Bytes that it may take whatever is left, if it grows.
    most: usize,
    /// The library's bytes when it was last looked whether it has grown.
    seen: AtomicUsize,
}

impl Filter {
    /// The same filter with a mutex around it, to show what a lock costs.
    #[must_use]
    pub fn behind_a_mutex(self) -> Self {
        Self {
            engine: self.engine.behind_a_mutex(),
            ..self
        }
    }

    /// Which one it is.
    pub fn identity(&self) -> Identity {
        Identity(Arc::downgrade(&self.own))
    }

    /// What it was made with.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Returns true if the item is in, and seldom if it is not.
    pub fn contains(&self, item: &[u8]) -> bool {
        self.engine.access().contains_hash(self.hash(item))
    }

    /// The same for each of many items.
    pub fn contains_each(&self, items: &[&[u8]]) -> Vec<bool> {
        let hashes = self.hashes(items);
        let mut found = vec![false; hashes.len()];
        self.engine.access().contains_many_hash(&hashes, &mut found);
        found
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

    /// As [`CuckooFilter::slots`](lockfree_cuckoo::CuckooFilter).
    pub fn slots(&self) -> usize {
        self.engine.access().slots()
    }

    /// The layout of its buckets.
    pub fn shape(&self) -> Shape {
        self.engine.access().shape()
    }

    /// As [`CuckooFilter::load_factor`](lockfree_cuckoo::CuckooFilter).
    pub fn load_factor(&self) -> f64 {
        self.engine.access().load_factor()
    }

    /// As [`CuckooFilter::false_positive_rate`](lockfree_cuckoo::CuckooFilter).
    pub fn false_positive_rate(&self) -> f64 {
        self.engine.access().false_positive_rate()
    }

    /// Bytes that it takes, all of them.
    pub fn memory_usage(&self) -> usize {
        self.besides() + self.engine.access().memory_usage()
    }

    /// Those that are not the library's.
    fn besides(&self) -> usize {
        Self::BESIDES + self.deletions.heap_bytes()
    }

    /// What is its own alone has two counts.
    const BESIDES: usize = size_of::<Self>() + 2 * size_of::<usize>();

    /// Its tables: 1, unless it has doubled more than ten times.
    pub fn tables(&self) -> usize {
        self.engine.access().tables()
    }

    /// Ends a doubling that is under way, so that lookups are as fast, and the filter as small, as they become.
    pub fn finish_doubling(&self) {
        // A table that others are so busy with doubles by what they do.
        self.engine.access().finish_doubling();
        self.charge();
    }

    /// Makes a filter that grows as small as its items allow.
    pub fn shrink_to_fit(&mut self) {
        self.engine.filter.shrink_to_fit();
        self.charge();
    }

    /// The same filter, which asks others whether it may grow if it does.
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

    /// Adds an item unless it is in. Returns true if this call added it.
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::insert_unique`](lockfree_cuckoo::CuckooFilter); and if it may not grow any more.
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

    /// Adds those of the items that there is room for or, if `is_unique`, those of them that are not in. For each of
    /// them, whether this call added it.
    pub fn insert_each(&self, items: &[&[u8]], is_unique: bool) -> Vec<Answer> {
        // Once for all: a refusal must not cost the hashing of all that follows it.
        let hashes = self.hashes(items);
        if self.budget.is_none() {
            return self.insert_hashes(&hashes, is_unique);
        }
        let mut answers = Vec::with_capacity(hashes.len());
        for batch in hashes.chunks(BATCH) {
            self.limit_growth();
            answers.extend(self.insert_hashes(batch, is_unique));
            self.charge();
        }
        answers
    }

    fn insert_hashes(&self, hashes: &[u64], is_unique: bool) -> Vec<Answer> {
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

    /// Lets the filter grow by what is left, and no further: what needs a larger table than fits is refused, and before
    /// that is allocated. Returns what is left.
    fn limit_growth(&self) -> Option<usize> {
        let budget = self.budget.as_ref()?;
        let used = self.seen.load(Ordering::Relaxed);
        let left = budget.left(used.saturating_add(self.besides()));
        // Its own limit counts besides.
        let most = used.saturating_add(left);
        self.engine.access().limit_memory_usage(most);
        Some(left)
    }

    /// Why an item was not added while so much was left for growth.
    fn not_added(&self, error: InsertError, left: Option<usize>) -> Error {
        let InsertError::CannotGrow(growth) = &error else {
            return error.into();
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

    /// Bytes that the filter of the library may take.
    fn most_of_table(&self) -> usize {
        self.most.saturating_sub(self.besides())
    }

    /// Tells the others if the filter has grown.
    fn charge(&self) {
        if let Some(budget) = &self.budget {
            let bytes = self.engine.access().memory_usage();
            // Relaxed: what is told is read anew by whoever is told.
            if self.seen.load(Ordering::Relaxed) != bytes {
                self.seen.store(bytes, Ordering::Relaxed);
                budget.has_changed();
            }
        }
    }

    /// A copy with all items that were in when it was called, and perhaps some that came since: to be stored while others go
    /// on.
    ///
    /// # Errors
    ///
    /// If there is no memory for it, or others disturb each try to make one.
    pub fn copy(&self) -> Result<Self, SnapshotError> {
        let deleted = self.deleted();
        let copy = patiently(|| self.engine.access().snapshot())?;
        Ok(Self::of(copy, self.settings, deleted, self.most))
    }

    /// Writes the stored form of the library, for a caller who knows that nobody changes the filter meanwhile.
    ///
    /// # Errors
    ///
    /// If the sink fails, or somebody has changed it.
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

    /// The stored form, for a caller who knows that nobody writes meanwhile.
    pub(crate) fn chunks(&self) -> Chunks<'_> {
        self.engine.filter.chunks()
    }

    /// Not by `Hash`: what is stored must be found by a program that another version of Rust has compiled.
    fn hash(&self, item: &[u8]) -> u64 {
        self.engine.filter.hasher().hash_bytes(item)
    }

    fn hashes(&self, items: &[&[u8]]) -> Vec<u64> {
        items.iter().map(|item| self.hash(item)).collect()
    }
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

/// Tells one filter from all others for as long as it is there, and keeps neither it nor its memory: [`Filter::identity`]
/// returns it.
#[derive(Clone, Debug)]
pub struct Identity(Weak<()>);

impl Identity {
    /// Whether the filter is gone.
    pub fn is_gone(&self) -> bool {
        self.0.strong_count() == 0
    }
}

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0)
    }
}

/// Memory of which filters that grow take more and more: all those of a server, or each its own.
///
/// Before a filter adds items, it asks how much is left, and it grows by no more than that. When it has grown, it says so.
/// No memory is put aside in between: filters that grow at the same moment can together take more than was left, each by
/// one growth.
pub trait Budget: Debug + Send + Sync {
    /// Bytes that the filter which asks, and takes `used` bytes now, may take besides.
    fn left(&self, used: usize) -> usize;

    /// The memory of a filter has changed.
    fn has_changed(&self) {}
}
