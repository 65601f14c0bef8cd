//! One filter, as clients know it.

mod adding;
mod making;
mod storing;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use lockfree_cuckoo::{RandomState, Shape};

use crate::budget::Budget;
use crate::deletions::Deletions;
use crate::engine::Engine;
use crate::reply::Answer;
use crate::settings::{Kind, Settings};

pub use making::NotMade;
pub use storing::WriteError;

/// A filter of byte strings with the settings it was made with: what a key of a server or a module holds.
///
/// All calls but [`behind_a_mutex`](Self::behind_a_mutex) take `&self`; any number of threads may make them at once.
#[derive(Debug)]
pub struct Filter {
    engine: Engine,
    /// The filter's own: an item is hashed here, once, whatever kind of filter there is.
    hasher: RandomState,
    settings: Settings,
    deletions: Deletions,
    /// What it shares with others, if it grows.
    budget: Option<Arc<dyn Budget>>,
    /// Bytes that it may take whatever is left, if it grows.
    most: usize,
    /// Its bytes when it was last looked whether it has grown.
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

    /// Whether it grows.
    pub fn kind(&self) -> Kind {
        self.engine.kind()
    }

    /// What it was made with.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Bytes that it takes, with what its first snapshot adds: a sixteenth.
    pub fn reserved(&self) -> usize {
        with_snapshot(self.memory_usage())
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

    /// As [`CuckooFilter::memory_usage`](lockfree_cuckoo::CuckooFilter).
    pub fn memory_usage(&self) -> usize {
        self.engine.access().memory_usage()
    }

    /// As [`segments`](lockfree_cuckoo::GrowingCuckooFilter::segments) of the library; 1 for a filter that does not grow.
    pub fn segments(&self) -> usize {
        self.engine.access().segments()
    }

    /// Gives back what removals have emptied.
    pub fn shrink_to_fit(&self) {
        self.engine.access().shrink_to_fit();
        self.charge();
    }

    /// Not by `Hash`: what is stored must be found by a program that another version of Rust has compiled.
    fn hash(&self, item: &[u8]) -> u64 {
        self.hasher.hash_bytes(item)
    }

    fn hashes(&self, items: &[&[u8]]) -> Vec<u64> {
        items.iter().map(|item| self.hash(item)).collect()
    }
}

/// Bytes of a filter of which a snapshot was taken.
fn with_snapshot(bytes: usize) -> usize {
    bytes.saturating_add(bytes.div_ceil(16))
}

/// Bytes that a filter may take so that there is room for its first snapshot.
fn without_snapshot(bytes: usize) -> usize {
    bytes - bytes.div_ceil(17)
}
