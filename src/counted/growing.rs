//! A growing table: one that doubles, and the count of its tokens.

use super::counter::GrowingCounter;
use crate::error::{OutOfMemory, SnapshotError};
use crate::table::Geometry;
use crate::table::doubling::{Blocks, Lanes16, Region, Root, Stage};
use crate::table::sizing::{HEADS_AGREE, items_for, pair_slots};
use crate::tokens::Refusal;
use crate::tokens::doubling::Doubling;

#[derive(Debug)]
pub(crate) struct GrowingTable {
    tokens: Doubling,
    counter: GrowingCounter,
}

impl GrowingTable {
    /// A table with `2^first` empty buckets.
    pub(crate) fn new(first: u32, search_budget: usize) -> Result<Self, OutOfMemory> {
        let blocks = Blocks::new(first)?;
        Self::of(Doubling::with_blocks(blocks, search_budget)?, 0)
    }

    /// As [`new`](Self::new), but in a time that does not depend on the number of buckets.
    pub(crate) fn lazy(first: u32, search_budget: usize) -> Result<Self, OutOfMemory> {
        let blocks = Blocks::lazy(first)?;
        Self::of(Doubling::with_blocks(blocks, search_budget)?, 0)
    }

    /// One that began with `2^first` buckets, has come so far, and holds this number of tokens: see
    /// [`Blocks::with_regions`].
    pub(crate) fn with_regions(
        first: u32,
        stage: Stage,
        region: impl Fn(usize) -> Region,
        len: usize,
        search_budget: usize,
    ) -> Result<Self, OutOfMemory> {
        let blocks = Blocks::with_regions(first, stage, region)?;
        Self::of(Doubling::with_blocks(blocks, search_budget)?, len)
    }

    fn of(tokens: Doubling, len: usize) -> Result<Self, OutOfMemory> {
        let counter = GrowingCounter::new(1 << tokens.level(), len)?;
        Ok(Self { tokens, counter })
    }

    /// The heap bytes of a table before it is built.
    pub(crate) fn bytes_for(first: u32) -> Result<usize, OutOfMemory> {
        Ok(Doubling::bytes_for(first)? + GrowingCounter::new(1 << first, 0)?.bytes())
    }

    /// The smallest table for the tokens of these, from the finest to the coarsest, unshared and with nothing in
    /// progress. `None` if it would not be smaller. It begins with the level of the coarsest.
    pub(crate) fn contracted(tables: &[&Self]) -> Result<Option<Self>, OutOfMemory> {
        let Some(coarsest) = tables.last() else {
            return Ok(None);
        };
        let tokens = coarsest.tokens();
        let (first, last) = (tokens.first(), tokens.last());
        let too_large = if tables.len() == 1 {
            coarsest.size()
        } else {
            last + 1
        };
        let len = tables.iter().map(|table| table.tokens().taken()).sum();
        let fits = |&level: &u32| items_for(geometry(level)) >= len;
        for level in (first..too_large).filter(fits) {
            let merged = Doubling::empty(first, Stage::at_rest(level), tokens.search_budget())?;
            if tables.iter().all(|table| merged.add_all(table.tokens())) {
                return Ok(Some(Self::of(merged, len)?));
            }
        }
        Ok(None)
    }

    /// A copy that holds every token that is stored from the call to the return.
    pub(crate) fn snapshot(&self) -> Result<Self, SnapshotError> {
        let (tokens, len) = self.tokens.snapshot()?;
        Ok(Self::of(tokens, len)?)
    }

    #[inline]
    pub(crate) fn tokens(&self) -> &Doubling {
        &self.tokens
    }

    /// The geometry of a table of a fixed size that has as many buckets. A table that is growing counts as grown.
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

    /// The number of fingerprints of 16 bits that would be taken for others as often as the tokens that a lookup
    /// compares, at most.
    ///
    /// A token is taken for others twice as often for each doubling since it came, and once more for the bit that ends
    /// its tail, which those of the first size do without. So as many as filled the first size weigh as much as a full
    /// table of fingerprints, and so do those that each doubling made room for. The oldest weigh most. So they are all
    /// there, and each size was full.
    pub(crate) fn compared(&self) -> f64 {
        let doublings = self.size() - self.tokens.first();
        let load = self.len() as f64 / self.slots() as f64;
        full_tables(load, doublings) * compared_when_first_full()
    }

    /// What [`compared`](Self::compared) returns for the full table, one doubling larger if `grown`.
    pub(crate) fn compared_when_full(&self, grown: bool) -> f64 {
        let doublings = self.size() - self.tokens.first() + u32::from(grown);
        full_tables(1.0, doublings) * compared_when_first_full()
    }

    /// The heap bytes that the next doubling takes, to this level.
    pub(crate) fn bytes_to_grow(&self, level: u32) -> usize {
        self.tokens.bytes_to_grow(level) + self.counter.bytes_to_grow(1 << level)
    }

    /// Begins to double the table, unless it has grown since the root was read. It must be able to.
    pub(crate) fn begin_to_grow(&self, root: Root) -> Result<(), OutOfMemory> {
        self.counter.grow(2 << root.level())?;
        self.tokens.begin_to_grow(root)
    }

    #[inline]
    pub(crate) fn insert(&self, root: Root, hash: u64, budget: usize) -> Result<(), Refusal> {
        self.tokens.insert(root, hash, budget)?;
        self.counter.add(1);
        Ok(())
    }

    /// Counts a token that was admitted.
    pub(crate) fn count_one(&self) {
        self.counter.add(1);
    }

    #[inline]
    pub(crate) fn remove(&self, root: Root, hash: u64) -> bool {
        let removed = self.tokens.remove(root, hash);
        if removed {
            self.counter.subtract(1);
        }
        removed
    }

    /// Frees the words that it has outgrown, if no thread may still be about to give them back.
    pub(crate) fn forget_behind(&mut self) {
        self.tokens.forget_behind();
    }

    /// Removes all tokens.
    pub(crate) fn clear(&mut self) {
        self.tokens.clear();
        // It is as small as the table, if there is the memory for that.
        match GrowingCounter::new(1 << self.tokens.level(), 0) {
            Ok(counter) => self.counter = counter,
            Err(_) => self.counter.reset(),
        }
    }
}

/// What [`compared`](GrowingTable::compared) returns for a table that is full and has not doubled.
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
