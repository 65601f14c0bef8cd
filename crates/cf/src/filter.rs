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
use crate::identity::{Identity, Own};
use crate::reply::Answer;
use crate::settings::Settings;

pub use making::NotMade;
pub use storing::{Copied, WriteError};

/// A filter of byte strings with the settings it was made with: what a key of a server or a module holds.
///
/// Any number of threads may make the calls that take `&self` at once.
#[derive(Debug)]
pub struct Filter {
    engine: Engine,
    /// The filter's own: an item is hashed here, once, whatever kind of filter there is.
    hasher: RandomState,
    settings: Settings,
    deletions: Deletions,
    own: Own,
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
        self.own.identity()
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

    /// Bytes that it takes, all of them.
    pub fn memory_usage(&self) -> usize {
        self.besides() + self.engine.access().memory_usage()
    }

    /// Those that are not the library's.
    fn besides(&self) -> usize {
        Self::BESIDES + self.deletions.heap_bytes()
    }

    const BESIDES: usize = size_of::<Self>() + Own::HEAP_BYTES;

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
        self.engine.alone().shrink_to_fit();
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
