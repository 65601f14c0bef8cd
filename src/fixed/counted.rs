//! One table of tokens, and their count.

use alloc::vec::Vec;
use core::ops::Range;

use crate::kernel::counter::Counter;

use crate::error::{InsertError, OutOfMemory, SnapshotError};
use crate::fixed::tokens::TokenTable;
use crate::kernel::geometry::Geometry;
use crate::kernel::layout::{Layout, Value};
use crate::kernel::outcome::{Failure, MAX_ATTEMPTS};
use crate::kernel::pool::PoolSize;
use crate::kernel::sizing::pair_slots;
use crate::kernel::table::Table;

#[derive(Debug)]
pub(crate) struct CountedTable<L> {
    pub(crate) tokens: TokenTable<L>,
    pub(crate) counter: Counter,
}

impl<L: Layout> CountedTable<L> {
    /// An empty table. It has the descriptors that its size needs, unless their number is given.
    pub(crate) fn new(
        geometry: Geometry<L>,
        search_budget: usize,
        descriptors: Option<PoolSize>,
    ) -> Result<Self, OutOfMemory> {
        let table = Table::new(geometry)?;
        Self::of(
            TokenTable::with_table(table, search_budget, descriptors)?,
            0,
        )
    }

    /// Counts a table that holds this number of tokens.
    pub(crate) fn with_table(
        table: Table<L>,
        len: usize,
        search_budget: usize,
    ) -> Result<Self, OutOfMemory> {
        Self::of(TokenTable::with_table(table, search_budget, None)?, len)
    }

    fn of(tokens: TokenTable<L>, len: usize) -> Result<Self, OutOfMemory> {
        let mut counter = Counter::new(tokens.geometry().buckets())?;
        counter.reset(len);
        Ok(Self { tokens, counter })
    }

    /// An empty table like this one.
    pub(crate) fn empty_like(&self) -> Result<Self, OutOfMemory> {
        Self::of(self.tokens.empty_like()?, 0)
    }

    /// A copy that holds every token that is stored from the call to the return.
    pub(crate) fn snapshot(&self) -> Result<Self, SnapshotError> {
        let (tokens, len) = self.tokens.snapshot()?;
        Ok(Self::of(tokens, len)?)
    }

    #[inline]
    pub(crate) fn tokens(&self) -> &TokenTable<L> {
        &self.tokens
    }

    pub(crate) fn tokens_mut(&mut self) -> &mut TokenTable<L> {
        &mut self.tokens
    }

    pub(crate) fn geometry(&self) -> Geometry<L> {
        self.tokens.geometry()
    }

    pub(crate) fn slots(&self) -> usize {
        self.geometry().slots()
    }

    /// The number of tokens, off by at most the number of calls in progress. A call that never
    /// returns stays in progress.
    pub(crate) fn len(&self) -> usize {
        self.counter.sum(self.slots())
    }

    /// The locations of its parts in memory.
    pub(crate) fn places(&self) -> Vec<(&'static str, Range<usize>)> {
        let counter = self.counter.places().map(|place| ("counter", place));
        self.tokens.places().into_iter().chain(counter).collect()
    }

    /// The heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.tokens.bytes() + self.counter.bytes()
    }

    /// The heap bytes of a table before it is built.
    pub(crate) fn bytes_for(geometry: Geometry<L>, descriptors: Option<PoolSize>) -> usize {
        TokenTable::bytes_for(geometry, descriptors) + Counter::bytes_for(geometry.buckets())
    }

    #[inline]
    pub(crate) fn insert_unique(&self, hash: u64) -> Result<bool, Failure> {
        let inserted = self.tokens.insert_unique(hash)?;
        self.counter.add(usize::from(inserted));
        Ok(inserted)
    }

    /// Adds a token with a value; 0 if the layout has none.
    #[inline]
    pub(crate) fn insert(&self, hash: u64, value: Value) -> Result<(), Failure> {
        self.tokens.insert(hash, value)?;
        self.counter.add(1);
        Ok(())
    }

    /// Adds a token with a value if there is none of its class. Otherwise returns a value of the
    /// class.
    pub(crate) fn find_or_insert(&self, hash: u64, value: Value) -> Result<Option<Value>, Failure> {
        let found = self.tokens.find_or_insert(hash, value)?;
        self.counter.add(usize::from(found.is_none()));
        Ok(found)
    }

    /// Removes a token that has this value.
    pub(crate) fn remove_value(&self, hash: u64, value: Value) -> bool {
        let removed = self.tokens.remove_value(hash, value);
        if removed {
            self.counter.subtract(1);
        }
        removed
    }

    /// The public error for a failure, in a filter that cannot put the token elsewhere.
    #[cold]
    pub(crate) fn refused(&self, failure: Failure) -> InsertError {
        match failure {
            Failure::Full => InsertError::Full {
                len: self.len(),
                slots: self.slots(),
            },
            Failure::Disturbed => InsertError::Disturbed {
                attempts: MAX_ATTEMPTS,
            },
            Failure::NoDescriptor => InsertError::NoDescriptor,
            Failure::TooManyCopies => InsertError::TooManyCopies {
                copies: pair_slots::<L>(),
            },
        }
    }

    /// Counts a token that was admitted.
    pub(crate) fn count_one(&self) {
        self.counter.add(1);
    }

    // See `Filter::remove_hash`.
    #[inline(always)]
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
