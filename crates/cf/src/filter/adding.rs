//! Adding items, and growing by no more than is left.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use lockfree_cuckoo::{InsertError, InsertManyError};

use super::Filter;
use crate::budget::{Budget, NotAdded};
use crate::reply::Answer;

/// Items that are added before it is looked again how far the filter may grow.
const BATCH: usize = 256;

impl Filter {
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
    pub fn insert(&self, item: &[u8]) -> Result<(), NotAdded> {
        let left = self.limit_growth();
        let inserted = self.engine.access().insert_hash(self.hash(item));
        self.charge();
        inserted.map_err(|error| self.not_added(error, left))
    }

    /// Adds an item unless it is in. Returns true if this call added it.
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::insert_unique`](lockfree_cuckoo::CuckooFilter); and if it may not grow any more.
    pub fn insert_unique(&self, item: &[u8]) -> Result<bool, NotAdded> {
        let left = self.limit_growth();
        let inserted = self.engine.access().insert_unique_hash(self.hash(item));
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
    fn not_added(&self, error: InsertError, left: Option<usize>) -> NotAdded {
        let InsertError::CannotGrow { error: growth } = &error else {
            return error.into();
        };
        let used = self.seen.load(Ordering::Relaxed);
        match (growth.memory_needed(), left) {
            (Some(needed), Some(left)) if used.saturating_add(left) < self.most_of_table() => {
                NotAdded::NoMemoryToGrow {
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
    pub(super) fn charge(&self) {
        if let Some(budget) = &self.budget {
            let bytes = self.engine.access().memory_usage();
            // Relaxed: what is told is read anew by whoever is told.
            if self.seen.load(Ordering::Relaxed) != bytes {
                self.seen.store(bytes, Ordering::Relaxed);
                budget.has_changed();
            }
        }
    }
}
