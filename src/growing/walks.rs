//! Lookups, removes and inserts: walks over the tables, from the newest to the oldest.
//! [`doubling`](crate::design::doubling#several-tables) has the reasons.

use core::ptr;

use crate::allocate;
use crate::codec::manifest::Manifest;
use crate::engine::buildable::Buildable;
#[cfg(any(test, feature = "_testing"))]
use crate::engine::internals::Internals;
use crate::engine::kind::Kind;
use crate::engine::operations::RawFilter;
use crate::error::{InsertError, OutOfMemory, SnapshotError};
use crate::growing::Growing;
use crate::growing::grow::RetryState;
use crate::growing::levels::Root;
use crate::growing::stored;
use crate::growing::tables::{CountedGrowingTable, Tables};
use crate::growing::word::Lanes16;
use crate::kernel::elsewhere::AbsenceElsewhere;
use crate::kernel::layout::{Probe, Shape};
use crate::kernel::outcome::Failure;
use crate::kernel::prefetch::is_near;
use crate::kernel::sizing::{any_of, items_for};
use crate::sync::{AtomicU64, Ordering};

impl RawFilter for Growing {
    fn kind(&self) -> Kind {
        Self::KIND
    }

    fn shape(&self) -> Shape {
        Shape::of::<Lanes16>()
    }

    fn clear(&mut self) {
        self.tables.clear();
    }

    fn shrink_to_fit(&mut self) {
        self.contract();
    }

    fn finish_doubling(&self) -> bool {
        self.finish_growth()
    }

    fn set_memory_allowance(&self, bytes: usize) {
        let bytes = bytes as u64;
        // Do not write an equal value: threads that repeat the call share the line.
        if self.memory_for_now.load(Ordering::Relaxed) != bytes {
            self.memory_for_now.store(bytes, Ordering::Relaxed);
        }
    }

    fn set_max_memory_usage(&mut self, bytes: usize) {
        self.memory = bytes;
    }

    fn manifest(&self) -> Manifest<'_> {
        stored::manifest(&self.tables, self.rate, self.memory)
    }

    fn list_version(&self) -> u64 {
        self.tables.count() as u64
    }

    fn boxed_empty_like(&self) -> Result<Box<dyn RawFilter>, OutOfMemory> {
        Ok(allocate::boxed(self.empty_like()?)?)
    }

    fn boxed_snapshot(&self) -> Result<Box<dyn RawFilter>, SnapshotError> {
        Ok(allocate::boxed(self.snapshot()?)?)
    }

    fn len(&self) -> usize {
        self.tables.sum(CountedGrowingTable::len)
    }

    fn capacity(&self) -> usize {
        // A coarser table receives no more tokens.
        let mut tables = self.tables.all();
        let newest = tables.next().map(|table| items_for(table.geometry()));
        newest.unwrap_or(0) + tables.map(CountedGrowingTable::len).sum::<usize>()
    }

    fn slots(&self) -> usize {
        self.tables.sum(CountedGrowingTable::slots)
    }

    fn tables(&self) -> usize {
        self.tables.count()
    }

    fn heap_bytes(&self) -> usize {
        self.tables.bytes() + size_of::<AtomicU64>()
    }

    fn false_positive_rate(&self) -> f64 {
        any_of::<Lanes16>(self.tables.all().map(CountedGrowingTable::compared).sum())
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        // Ask the oldest table, which is the only one of most filters. If its root says that tokens
        // are elsewhere too, ask all.
        let oldest = self.tables.oldest().tokens();
        oldest
            .probe(hash, |root| self.lookup_busy(root, hash))
            .found()
    }

    #[inline]
    fn insert(&self, hash: u64) -> Result<(), InsertError> {
        let oldest = self.tables.oldest();
        let tokens = oldest.tokens();
        // Insert into the oldest table, if it is the only one and does not grow. The same root
        // tells the insert where the words are.
        let root = tokens.root();
        if root.is_at_rest() && oldest.insert(root, hash, tokens.search_budget()).is_ok() {
            return Ok(());
        }
        self.insert_growing(hash)
    }

    fn insert_unique(&self, hash: u64) -> Result<bool, InsertError> {
        let mut retries = RetryState::of(hash);
        loop {
            // Look first, in all tables: an item that is present costs no more than a lookup.
            if self.contains(hash) {
                return Ok(false);
            }
            // Add it to the newest table, unless it is in another one.
            let newest = self.tables.newest();
            let root = newest.tokens().root();
            let others = Others {
                tables: &self.tables,
                newest,
                hash,
            };
            let budget = retries.budget(newest);
            match newest.tokens().try_insert_unique(hash, budget, &others) {
                Ok(true) => {
                    newest.count_one(root);
                    return Ok(true);
                }
                Ok(false) => return Ok(false),
                // Try again, or make the table larger.
                Err(Failure::Disturbed) => self.retry(newest, root, &mut retries)?,
                Err(refusal) => self.retry_or_grow(newest, root, refusal, &mut retries)?,
            }
        }
    }

    /// Removes a token from the newest table that has one.
    #[inline]
    fn remove(&self, hash: u64) -> bool {
        let oldest = self.tables.oldest();
        // Remove from the oldest table, if it is the only one and does not grow.
        let root = oldest.tokens().root();
        if root.is_at_rest() {
            oldest.remove(root, hash)
        } else {
            self.remove_from_all(hash)
        }
    }

    fn count(&self, hash: u64) -> usize {
        self.tables.sum(|table| table.tokens().count(hash))
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        let oldest = self.tables.oldest().tokens();
        oldest.prefetch(hash, |root| self.prefetch_busy(root, hash));
    }

    #[inline]
    fn is_near(&self) -> bool {
        let root = self.tables.oldest().tokens().root();
        root.is_single_level() && is_near(1 << root.level())
    }

    #[cfg(any(test, feature = "_testing"))]
    fn internals(&self) -> &dyn Internals {
        self
    }
}

#[cfg(any(test, feature = "_testing"))]
impl Internals for Growing {
    fn taken(&self) -> usize {
        self.len()
    }

    fn relocate_hash(&self, hash: u64) -> bool {
        self.tables.newest().tokens().relocate_one(hash)
    }

    fn begin_to_double(&self) -> bool {
        let newest = self.tables.newest();
        let root = newest.tokens().root();
        newest.tokens().can_grow() && newest.begin_to_grow(root).is_ok()
    }

    fn add_table(&self) -> bool {
        let (count, newest) = (self.tables.count(), self.tables.newest());
        let tokens = newest.tokens();
        !tokens.can_grow() && self.add(newest, count, tokens.last()).is_ok()
    }

    fn doubled(&self) -> Option<f64> {
        self.tables.newest().tokens().doubled()
    }
}

impl Growing {
    /// If not all tokens are in words of one level.
    ///
    /// Cold, so that a loop keeps its values in registers as if there were no call.
    #[cold]
    #[inline(never)]
    fn lookup_busy(&self, root: Root, hash: u64) -> Probe {
        let oldest = self.tables.oldest().tokens();
        // Ask the only table, which is growing; two tables at once; or one after the other.
        match self.tables.added().next() {
            None => oldest.probe_busy(root, hash),
            Some(second) => second
                .tokens()
                .probe_two(oldest, hash)
                .unwrap_or_else(|| Probe::certain(self.lookup_in_all(hash))),
        }
    }

    #[cold]
    #[inline(never)]
    fn lookup_in_all(&self, hash: u64) -> bool {
        // Ask the newest first: tokens are only added there, and none moves to another table.
        let mut tables = self.tables.all();
        tables.any(|table| table.tokens().contains(hash))
    }

    #[cold]
    #[inline(never)]
    fn remove_from_all(&self, hash: u64) -> bool {
        // Ask the newest first: its tokens are the longest, and a removal takes the longest.
        let mut tables = self.tables.all();
        let Some(table) = tables.find(|table| table.remove(table.tokens().root(), hash)) else {
            return false;
        };
        // The table that it took from has its help. Help the newest, which is the one that grows.
        let newest = self.tables.newest();
        if !ptr::eq(table, newest) {
            newest.help(newest.tokens().root());
        }
        true
    }

    #[cold]
    #[inline(never)]
    fn insert_growing(&self, hash: u64) -> Result<(), InsertError> {
        let mut retries = RetryState::of(hash);
        loop {
            // Find the newest table anew each time: one may have been added.
            let newest = self.tables.newest();
            let root = newest.tokens().root();
            match newest.insert(root, hash, retries.budget(newest)) {
                Ok(()) => return Ok(()),
                Err(refusal) => self.retry_or_grow(newest, root, refusal, &mut retries)?,
            }
        }
    }

    /// In all tables: an absent item is looked up in all, and a batch has time for that while it
    /// serves others.
    #[cold]
    #[inline(never)]
    fn prefetch_busy(&self, root: Root, hash: u64) {
        self.tables.oldest().tokens().prefetch_busy(root, hash);
        for table in self.tables.added() {
            let tokens = table.tokens();
            tokens.prefetch_busy(tokens.root(), hash);
        }
    }
}

/// The tables besides the newest table, for an admission there. They are coarser.
struct Others<'a> {
    tables: &'a Tables,
    newest: &'a CountedGrowingTable,
    hash: u64,
}

impl AbsenceElsewhere for Others<'_> {
    fn check_before(&self) -> bool {
        // Ask no table: lookups read the newest first.
        true
    }

    fn check_after(&self) -> bool {
        let tables = self.tables.all();
        let mut coarser = tables.filter(|table| !ptr::eq(*table, self.newest));
        // Check for a finer table last: a rival admitted there later sees this admission, and
        // aborts it.
        coarser.all(|table| table.tokens().is_absent(self.hash))
            && self.tables.is_newest(self.newest)
    }
}
