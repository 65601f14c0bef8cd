//! One table of a growing filter: its tokens and their number, its size, and its part of the rate
//! of false positives.

use crate::error::{OutOfMemory, SnapshotError};
use crate::growing::lane::HEADS_AGREE;
use crate::growing::levels::{Levels, Root};
use crate::growing::sweep::{Region, Stage};
use crate::growing::tokens::GrowingTokens;
use crate::growing::word::Lanes16;
use crate::kernel::counter::{Counter, More};
use crate::kernel::geometry::Geometry;
use crate::kernel::outcome::Failure;
use crate::kernel::pool::PoolSize;
use crate::kernel::sizing::pair_slots;

#[derive(Debug)]
pub(crate) struct CountedGrowingTable {
    tokens: GrowingTokens,
    counter: Counter<More>,
}

impl CountedGrowingTable {
    /// A table with `2^first` empty buckets.
    pub(crate) fn new(first: u32, search_budget: usize) -> Result<Self, OutOfMemory> {
        let levels = Levels::new(first)?;
        Self::of(GrowingTokens::with_levels(levels, search_budget)?, 0)
    }

    /// As [`new`](Self::new), but in a time that does not depend on the number of buckets.
    pub(crate) fn lazy(first: u32, search_budget: usize) -> Result<Self, OutOfMemory> {
        let levels = Levels::lazy(first)?;
        Self::of(GrowingTokens::with_levels(levels, search_budget)?, 0)
    }

    /// One that began with `2^first` buckets, has come so far, and holds this number of tokens: see
    /// [`Levels::with_regions`].
    pub(crate) fn with_regions(
        first: u32,
        stage: Stage,
        region: impl Fn(usize) -> Region,
        len: usize,
        search_budget: usize,
    ) -> Result<Self, OutOfMemory> {
        let levels = Levels::with_regions(first, stage, region)?;
        Self::of(GrowingTokens::with_levels(levels, search_budget)?, len)
    }

    pub(crate) fn of(tokens: GrowingTokens, len: usize) -> Result<Self, OutOfMemory> {
        let counter = Counter::<More>::new(1 << tokens.level(), len)?;
        Ok(Self { tokens, counter })
    }

    /// This table with another number of descriptors. For tests.
    pub(crate) fn with_descriptors(self, size: PoolSize) -> Result<Self, OutOfMemory> {
        let tokens = self.tokens.with_descriptors(size)?;
        Ok(Self { tokens, ..self })
    }

    /// The heap bytes of a table before it is built.
    pub(crate) fn bytes_for(first: u32) -> usize {
        GrowingTokens::bytes_for(first) + Counter::<More>::bytes_for(1 << first)
    }

    /// A copy that holds every token that is stored from the call to the return.
    pub(crate) fn snapshot(&self) -> Result<Self, SnapshotError> {
        let (tokens, len) = self.tokens.snapshot()?;
        Ok(Self::of(tokens, len)?)
    }

    #[inline]
    pub(crate) fn tokens(&self) -> &GrowingTokens {
        &self.tokens
    }

    /// The geometry of a table of a fixed size that has as many buckets. A table that is growing
    /// counts as grown.
    pub(crate) fn geometry(&self) -> Geometry<Lanes16> {
        geometry(self.size())
    }

    /// The level after a growth in progress.
    pub(crate) fn size(&self) -> u32 {
        let root = self.tokens.root();
        root.level() + u32::from(self.tokens.is_growing(root))
    }

    pub(crate) fn slots(&self) -> usize {
        self.geometry().slots()
    }

    /// The number of tokens. Approximate while others write, but within its bounds.
    pub(crate) fn len(&self) -> usize {
        self.counter.sum(self.slots())
    }

    /// The heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.tokens.bytes() + self.counter.bytes()
    }

    /// The weight of the tokens that a lookup compares: the number of fingerprints of 16 bits that
    /// match others as often, at most.
    ///
    /// An upper bound. Each doubling halves what a token can tell apart, and so does the bit that
    /// ends its tail, which tokens of the first size do without. So the tokens that filled the
    /// first size, or that one doubling made room for, weigh as much as a full table of
    /// fingerprints, whatever their number. The oldest weigh most. The bound assumes that nothing
    /// was removed: the oldest are all there, and each size was full.
    pub(crate) fn compared(&self) -> f64 {
        let doublings = self.size() - self.tokens.first();
        let load = self.len() as f64 / self.slots() as f64;
        full_tables(load, doublings) * compared_when_first_full()
    }

    /// Returns [`compared`](Self::compared) of the full table at this level.
    pub(crate) fn compared_when_full(&self, level: u32) -> f64 {
        let doublings = level - self.tokens.first();
        full_tables(1.0, doublings) * compared_when_first_full()
    }

    /// The heap bytes that the next doubling takes, to this level.
    pub(crate) fn bytes_to_grow(&self, level: u32) -> usize {
        self.tokens.bytes_to_grow(level) + self.counter.bytes_to_grow(1 << level)
    }

    /// Begins to double the table, unless it has grown since the root was read. It must be able to.
    pub(crate) fn begin_doubling(&self, root: Root) -> Result<(), OutOfMemory> {
        // Add cells to the counter before there are more tokens to count.
        self.counter.grow(2 << root.level())?;
        self.tokens.begin_growth(root)
    }

    #[inline]
    pub(crate) fn insert(&self, root: Root, hash: u64, budget: usize) -> Result<(), Failure> {
        self.tokens.insert(root, hash, budget)?;
        self.counter.add(1);
        self.help(root);
        Ok(())
    }

    /// Counts a token that was admitted by a root of just before.
    pub(crate) fn count_one(&self, root: Root) {
        self.counter.add(1);
        self.help(root);
    }

    /// Does a share of the growth, after a call that has succeeded: one that changes nothing must
    /// not change what [the calls after it](crate::design#the-same-calls-the-same-bytes) find.
    #[inline]
    pub(crate) fn help(&self, root: Root) {
        if !root.is_at_rest() {
            // The call is done, so it does not matter if this fails.
            let _ = self.tokens.help_to_grow();
        }
    }

    #[inline]
    pub(crate) fn remove(&self, root: Root, hash: u64) -> bool {
        let removed = self.tokens.remove(root, hash);
        if removed {
            self.counter.subtract(1);
            self.help(root);
        }
        removed
    }

    /// Frees the words that it has outgrown, if no thread may still be about to give them back.
    pub(crate) fn free_retired_levels(&mut self) {
        self.tokens.free_retired_levels();
    }

    /// Removes all tokens.
    pub(crate) fn clear(&mut self) {
        self.tokens.clear();
        // Make the counter as small as the table, if there is the memory for that.
        match Counter::<More>::new(1 << self.tokens.level(), 0) {
            Ok(counter) => self.counter = counter,
            Err(_) => self.counter.reset(0),
        }
    }
}

/// Returns [`compared`](CountedGrowingTable::compared) of a table that is full and has not doubled.
pub(crate) fn compared_when_first_full() -> f64 {
    HEADS_AGREE * pair_slots::<Lanes16>() as f64
}

/// How many full tables weigh as much as tokens that came while a table doubled so often.
fn full_tables(load: f64, doublings: u32) -> f64 {
    // The share of the slots taken by the tokens of one size, and the rest of the load.
    let (mut share, mut left) = (1.0 / (1u64 << doublings) as f64, load);
    let mut tables = 0.0;
    for size in 0..=doublings {
        let taken = left.min(share);
        tables += taken / share;
        left -= taken;
        // The first doubling adds as many slots as there were, the second one twice as many.
        if size > 0 {
            share *= 2.0;
        }
    }
    // During a growth it may be fuller than full.
    tables + left
}

/// The geometry of `2^level` buckets.
pub(crate) fn geometry(level: u32) -> Geometry<Lanes16> {
    Geometry::with_buckets(1 << level)
        .expect("the deepest level is not as deep as a geometry can be")
}

/// The number of slots of a full table at this level.
pub(crate) fn full(level: u32) -> usize {
    geometry(level).slots()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_size_that_was_full_weighs_as_much() {
        assert_eq!(full_tables(0.75, 0), 0.75);
        for doublings in 0..=10 {
            assert_eq!(full_tables(1.0, doublings), f64::from(doublings + 1));
        }
        // Just after a doubling the table is half full, and all are older.
        for doublings in 1..=10 {
            assert_eq!(full_tables(0.5, doublings), f64::from(doublings));
        }
        // The oldest are left: half of those that filled the first size.
        assert_eq!(full_tables(0.125, 2), 0.5);
        assert_eq!(full_tables(0.0, 3), 0.0);
        assert_eq!(full_tables(1.0 + 0.125, 3), 4.125);
    }
}
