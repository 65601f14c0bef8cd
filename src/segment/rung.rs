//! A rung: one table that doubles, and the count of its tokens.

use std::sync::Arc;

use super::counter::Counter;
use crate::error::{OutOfMemory, SnapshotError};
use crate::table::doubling::{Blocks, Lanes16};
use crate::table::rate::compared;
use crate::table::{Geometry, Table};
use crate::tokens::Refusal;
use crate::tokens::doubling::{Doubling, Gate};

#[derive(Debug)]
pub(crate) struct Rung {
    tokens: Doubling,
    counter: Counter,
}

impl Rung {
    /// One with `2^first` empty buckets.
    pub(crate) fn new(first: u32, search_budget: usize) -> Result<Self, OutOfMemory> {
        let blocks = Blocks::new(first)?;
        Self::of(Doubling::with_blocks(blocks, search_budget)?, 0)
    }

    /// The same, in a time that does not depend on the number of buckets.
    pub(crate) fn lazy(first: u32, search_budget: usize) -> Result<Self, OutOfMemory> {
        let blocks = Blocks::lazy(first)?;
        Self::of(Doubling::with_blocks(blocks, search_budget)?, 0)
    }

    /// Of a table that began with `2^first` buckets, and holds this number of tokens.
    pub(crate) fn with_table(
        first: u32,
        table: &Table<Lanes16>,
        len: usize,
        search_budget: usize,
    ) -> Result<Self, OutOfMemory> {
        let blocks = Blocks::with_table(first, table)?;
        Self::of(Doubling::with_blocks(blocks, search_budget)?, len)
    }

    fn of(tokens: Doubling, len: usize) -> Result<Self, OutOfMemory> {
        let mut counter = counter(tokens.level())?;
        counter.reset(len);
        Ok(Self { tokens, counter })
    }

    /// The heap bytes of one that is yet to be built.
    pub(crate) fn bytes_for(first: u32) -> Result<usize, OutOfMemory> {
        Ok(Doubling::bytes_for(first)? + counter(first)?.bytes())
    }

    /// Makes it one of the tables behind a gate.
    pub(crate) fn join(&mut self, gate: &Arc<Gate>) {
        self.tokens.join(gate);
    }

    /// Exact. For a caller who has the table alone.
    pub(crate) fn quiescent_copy(&self) -> Result<Self, OutOfMemory> {
        let (tokens, len) = self.tokens.quiescent_copy()?;
        Self::of(tokens, len)
    }

    /// A copy that holds every token that is in from the call to the return.
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

    /// The level that it has when a growth that is under way is over.
    pub(crate) fn size(&self) -> u32 {
        let hint = self.tokens.hint();
        hint.level() + u32::from(hint.is_growing())
    }

    pub(crate) fn slots(&self) -> usize {
        self.geometry().slots()
    }

    /// The number of tokens. Approximate while others write, and never outside of its bounds.
    pub(crate) fn len(&self) -> usize {
        self.counter.sum(self.slots())
    }

    /// The heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.tokens.bytes() + self.counter.bytes()
    }

    /// The number of fingerprints of 16 bits that would be taken for others as often as the tokens that a lookup compares.
    ///
    /// A token of which `d` doublings took bits is taken for others `2^d` times as often, and there are as many fewer of
    /// them: so each doubling adds as much as the first tokens.
    pub(crate) fn compared(&self) -> f64 {
        let doublings = self.size() - self.tokens.first();
        compared(self.len(), self.geometry()) * f64::from(doublings + 1)
    }

    /// The same if it were full, and one doubling larger if `grown`.
    pub(crate) fn compared_when_full(&self, grown: bool) -> f64 {
        let doublings = self.size() - self.tokens.first() + u32::from(grown);
        let full = self.geometry();
        compared(full.slots(), full) * f64::from(doublings + 1)
    }

    #[inline]
    pub(crate) fn insert(&self, hash: u64) -> Result<(), Refusal> {
        self.tokens.insert(hash)?;
        self.counter.add(1);
        Ok(())
    }

    /// Counts a token that was admitted.
    pub(crate) fn count_one(&self) {
        self.counter.add(1);
    }

    #[inline]
    pub(crate) fn remove(&self, hash: u64) -> bool {
        let removed = self.tokens.remove(hash);
        if removed {
            self.counter.subtract(1);
        }
        removed
    }

    /// Removes all tokens.
    pub(crate) fn clear(&mut self) {
        self.tokens.clear();
        self.counter.reset(0);
    }
}

/// A counter with as many cells as that of a table of a size to which this one may grow soon.
fn counter(level: u32) -> Result<Counter, OutOfMemory> {
    Counter::new(16 << level)
}

/// The geometry of `2^level` buckets.
pub(crate) fn geometry(level: u32) -> Geometry<Lanes16> {
    Geometry::with_buckets(1 << level)
        .expect("the deepest level is not as deep as a geometry can be")
}
