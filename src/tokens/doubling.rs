//! The protocol in a table that doubles: a multiset of prefixes, shared by many threads without a lock.
//!
//! It has the descriptors, stripes, hints and path searches of a table of a fixed size. Its own modules, from the
//! bottom up:
//!
//! | module | contents |
//! |---|---|
//! | `parts` | `Doubling`: the blocks, descriptors, stripes and hints; the meaning of a word |
//! | `settlement` | how a writer handles a frozen word, and a word never written; how a split ends |
//! | `lookup` | one step over the two live words of an item |
//! | `splitting`, `removal` | splits, and the sweep that doubles the table; removes take part in it |
//! | `relocation`, `insertion`, `admission` | making room, and adding tokens |
//! | `scan`, `exclusive` | the whole table, while others write, and while nobody else uses it |

mod admission;
mod exclusive;
mod insertion;
mod lookup;
mod parts;
mod relocation;
mod removal;
mod scan;
mod settlement;
mod splitting;

pub(crate) use parts::Doubling;
pub(crate) use splitting::FLUSHES;

use super::{Attempt, OtherTables, Refusal};
use crate::layout::Sight;
use crate::table::doubling::{Class, Region, Root, Stage};

impl Doubling {
    /// Returns whether a token that covers this item is stored in this table. Writes nothing.
    #[inline]
    pub(crate) fn contains(&self, hash: u64) -> bool {
        let sight = lookup::sight(self, hash, |root| self.sight_aside(root, hash));
        sight.found()
    }

    /// As [`contains`](Self::contains), but answers with a [`Sight`], so that all answers of a caller have one form. If
    /// there are tokens outside of the words of the level of the root, `aside` answers.
    #[inline]
    pub(crate) fn sight(&self, hash: u64, aside: impl FnOnce(Root) -> Sight) -> Sight {
        lookup::sight(self, hash, aside)
    }

    /// The answer of this table about an item if there are tokens outside of the words of the level of the root.
    #[inline]
    pub(crate) fn sight_aside(&self, root: Root, hash: u64) -> Sight {
        match self.blocks.growing(root) {
            Some(root) => lookup::look_while_growing(self, root, hash),
            None => lookup::look_at_rest(self, root, hash),
        }
    }

    /// The combined answer of two tables, this one, the finer, first; if it is at rest, and they are certain.
    #[inline]
    pub(crate) fn sight_of_two(&self, coarser: &Self, hash: u64) -> Option<Sight> {
        lookup::sight_of_two(self, coarser, hash)
    }

    /// The number of tokens that cover this item. Settles both words, so it may write.
    pub(crate) fn count(&self, hash: u64) -> usize {
        lookup::count(self, Class::of_hash(hash))
    }

    /// Adds one token of this item, by a [`root`](Self::root) of just before. A search for a path examines at most
    /// `budget` buckets.
    #[inline]
    pub(crate) fn insert(&self, root: Root, hash: u64, budget: usize) -> Result<(), Refusal> {
        insertion::insert(self, root, hash, budget)
    }

    /// One attempt to add a token of this item, if none covers it here and `elsewhere`.
    pub(crate) fn try_to_admit(
        &self,
        hash: u64,
        budget: usize,
        elsewhere: &impl OtherTables,
    ) -> Result<Attempt, Refusal> {
        admission::try_to_admit(self, Class::of_hash(hash), budget, elsewhere)
    }

    /// Whether no token covers an item, for an admission in another table.
    pub(crate) fn holds_none(&self, hash: u64) -> bool {
        admission::holds_none(self, Class::of_hash(hash))
    }

    /// Removes one token that covers this item, by a [`root`](Self::root) of just before. Returns false if there is
    /// none.
    #[inline]
    pub(crate) fn remove(&self, root: Root, hash: u64) -> bool {
        removal::remove(self, root, hash)
    }

    /// The present root of the table.
    #[inline]
    pub(crate) fn root(&self) -> Root {
        self.blocks.root()
    }

    /// Whether words of the level of a root are being split.
    #[inline]
    pub(crate) fn is_growing(&self, root: Root) -> bool {
        self.blocks.growing(root).is_some()
    }

    /// Whether a table was added after this one.
    pub(crate) fn is_followed(&self) -> bool {
        self.blocks.is_followed(self.root())
    }

    /// Records that a table follows this one, which has its last level.
    pub(crate) fn follow(&self) {
        self.blocks.follow();
    }

    /// The level at which it began.
    pub(crate) fn first(&self) -> u32 {
        self.blocks.first()
    }

    /// Whether it can double once more.
    pub(crate) fn can_grow(&self) -> bool {
        self.level() < self.blocks.last()
    }

    /// The deepest level that it can have.
    pub(crate) fn last(&self) -> u32 {
        self.blocks.last()
    }

    /// The progress of the growth of the root's level. It stays the same only if the growth stands still.
    pub(crate) fn progress(&self) -> (u32, usize) {
        let root = self.root();
        (root.level(), self.blocks.progress(root))
    }

    /// The share of the buckets that are split, while the table is growing. For tests.
    pub(crate) fn doubled(&self) -> Option<f64> {
        let root = self.root();
        let buckets = 1u64 << root.level();
        self.is_growing(root)
            .then(|| self.blocks.cursor(root) as f64 / buckets as f64)
    }

    /// Moves the longest token that covers this item to its other bucket. For tests.
    pub(crate) fn relocate_one(&self, hash: u64) -> bool {
        relocation::relocate_one(self, Class::of_hash(hash))
    }

    /// How far it has come.
    pub(crate) fn stage(&self) -> Stage {
        self.blocks.stage()
    }

    /// The region of a bucket, by its place in an earlier level. None if it has been split more than once.
    pub(crate) fn region_at(&self, level: u32, place: usize) -> Option<Region> {
        self.region(1 << level | place, Self::peek)
    }

    /// The number of bumps so far. Two readings are equal only if there was none between them.
    pub(crate) fn announcements(&self) -> u64 {
        self.stripes.bumps()
    }

    /// Prefetches the words of a hash; `aside` does so if not all tokens are in words of the level of the root.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64, aside: impl FnOnce(Root)) {
        let root = self.root();
        if !root.is_alone() {
            return aside(root);
        }
        self.blocks.pair(root, hash).prefetch();
    }

    /// Prefetches the words of a hash if there are tokens outside of the words of the level of the root.
    #[inline]
    pub(crate) fn prefetch_aside(&self, root: Root, hash: u64) {
        match self.blocks.growing(root) {
            Some(root) => self.blocks.swept(root, hash).prefetch(),
            None => self.blocks.pair(root, hash).prefetch(),
        }
    }
}

#[cfg(test)]
mod tests;
