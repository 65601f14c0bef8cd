//! The protocol in a table that doubles: a multiset of prefixes, shared by many threads without a lock.
//!
//! It has the descriptors, stripes, hints and path searches of a table of a fixed size. Its own rooms, from the bottom
//! up:
//!
//! | room | holds |
//! |---|---|
//! | `parts` | all of them together, and what a word means |
//! | `finish`, `settlement` | how a split ends; what a writer does with a frozen word |
//! | `lookup`, `removal` | one step each over the two live words of an item |
//! | `splitting` | splits, and the sweep that doubles the table |
//! | `relocation`, `insertion`, `admission` | how room is made, and what is put there |

mod admission;
mod finish;
mod insertion;
mod lookup;
mod parts;
mod relocation;
mod removal;
mod settlement;
mod splitting;

pub(crate) use parts::Doubling;

use super::{Attempt, Elsewhere, Refusal};
use crate::error::OutOfMemory;
use crate::table::doubling::{Class, Hint};

impl Doubling {
    /// Returns whether a token that covers this item is stored. Writes nothing.
    #[inline]
    pub(crate) fn contains(&self, hash: u64) -> bool {
        lookup::contains(self, hash)
    }

    /// The number of tokens that cover this item. Settles both words, so it may write.
    pub(crate) fn count(&self, hash: u64) -> usize {
        lookup::count(self, Class::of_hash(hash))
    }

    /// Adds one token of this item.
    #[inline]
    pub(crate) fn insert(&self, hash: u64) -> Result<(), Refusal> {
        insertion::insert(self, hash)
    }

    /// One attempt to add a token of this item, if none covers it here and `elsewhere`.
    pub(crate) fn try_to_admit(
        &self,
        hash: u64,
        elsewhere: &impl Elsewhere,
    ) -> Result<Attempt, Refusal> {
        admission::try_to_admit(self, Class::of_hash(hash), elsewhere)
    }

    /// Whether no token covers an item, for an admission in another table.
    pub(crate) fn holds_none(&self, hash: u64) -> bool {
        admission::holds_none(self, Class::of_hash(hash))
    }

    /// Removes one token that covers this item. Returns false if there is none.
    #[inline]
    pub(crate) fn remove(&self, hash: u64) -> bool {
        removal::remove(self, Class::of_hash(hash))
    }

    /// What the table is like now, for [`begin_to_grow`](Self::begin_to_grow).
    pub(crate) fn hint(&self) -> Hint {
        self.blocks.hint()
    }

    /// Whether it can double once more.
    pub(crate) fn can_grow(&self) -> bool {
        self.level() < self.blocks.last()
    }

    /// Begins to double the table, unless it has grown since the hint was read. It must be able to.
    pub(crate) fn begin_to_grow(&self, hint: Hint) -> Result<(), OutOfMemory> {
        splitting::begin_to_grow(self, hint)
    }

    /// Ends a growth that is under way. Returns false if it cannot.
    pub(crate) fn finish_growth(&self) -> bool {
        splitting::finish_growth(self)
    }

    /// Moves one token that covers this item from its first bucket to its second. For checks that want it at will.
    pub(crate) fn relocate_one(&self, hash: u64) -> bool {
        relocation::relocate_one(self, Class::of_hash(hash))
    }

    /// Asks for the words of a hash.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        let (class, level) = (Class::of_hash(hash), self.level());
        self.blocks.prefetch(class.first.bucket(level));
        self.blocks.prefetch(class.second.bucket(level));
    }
}

#[cfg(test)]
mod tests;
