//! Several tables: their list, the walks of lookups and removes over them, from the newest to the
//! oldest, and the limits on their growth.
//! [`doubling`](crate::design::doubling#several-tables) has the reasons.

use core::ptr;

use once_cell::race::OnceBox;

use crate::allocate;
use crate::error::{GrowthError, OutOfMemory};
use crate::growing::item::MAX_LEVEL;
use crate::growing::levels::Root;
use crate::growing::table::CountedGrowingTable;
use crate::kernel::elsewhere::AbsenceElsewhere;
use crate::kernel::layout::Probe;
use crate::sync;
use crate::sync::{AtomicU64, Event, Ordering};

/// The tables of a growing filter, each finer than those before it, and the limits on their growth.
/// All but the last have doubled as often as they can.
#[derive(Debug)]
pub(crate) struct Tables {
    /// The oldest table, with which the filter began.
    oldest: CountedGrowingTable,
    /// The added tables. A table counts when the one before it says that it is followed.
    ///
    /// Behind a pointer, as everything that changes: without atomics inside, the engine is a
    /// constant value, so the compiler keeps its pointers in registers from one lookup to the next.
    added: Box<[OnceBox<CountedGrowingTable>; MAX_ADDED]>,
    limits: Limits,
}

/// The maximum number of added tables, up to the deepest level.
pub(crate) const MAX_ADDED: usize = MAX_LEVEL as usize / 10;

impl Tables {
    /// The heap bytes outside of the tables: the list of those added, and the temporary limit.
    pub(crate) const LIST_BYTES: usize =
        size_of::<[OnceBox<CountedGrowingTable>; MAX_ADDED]>() + size_of::<AtomicU64>();

    /// Makes them of unused tables, from the oldest to the newest. There must be one.
    pub(crate) fn of(
        oldest_first: impl IntoIterator<Item = CountedGrowingTable>,
        limits: Limits,
    ) -> Result<Self, OutOfMemory> {
        let mut tables = oldest_first.into_iter();
        let oldest = tables.next().expect("a table");
        let mut added = [const { OnceBox::new() }; MAX_ADDED];
        let mut before = &oldest;
        for (place, table) in added.iter_mut().zip(tables) {
            *place = OnceBox::with_value(allocate::boxed(table)?);
            before.tokens().set_successor();
            before = place.get().unwrap_or(before);
        }
        Ok(Self {
            oldest,
            added: allocate::boxed(added)?,
            limits,
        })
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn limits_mut(&mut self) -> &mut Limits {
        &mut self.limits
    }

    /// The oldest table.
    #[inline]
    pub(crate) fn oldest(&self) -> &CountedGrowingTable {
        &self.oldest
    }

    /// The number of tables.
    pub(crate) fn count(&self) -> usize {
        let mut count = 1;
        let mut last = Some(&self.oldest);
        while let Some(table) = last.filter(|table| table.tokens().has_successor()) {
            last = self.added[count - 1].get();
            debug_assert!(last.is_some(), "it says that it is followed: {table:?}");
            count += 1;
        }
        count
    }

    /// The first `count` tables, from the newest to the oldest.
    pub(crate) fn first(&self, count: usize) -> impl Iterator<Item = &CountedGrowingTable> {
        let added = self.added[..count - 1].iter().rev();
        added.filter_map(OnceBox::get).chain(Some(&self.oldest))
    }

    /// All tables, from the newest to the oldest.
    pub(crate) fn all(&self) -> impl Iterator<Item = &CountedGrowingTable> {
        self.first(self.count())
    }

    /// The tables after the first one, including one that does not count yet.
    #[inline]
    pub(crate) fn added(&self) -> impl Iterator<Item = &CountedGrowingTable> {
        self.added.iter().map_while(OnceBox::get)
    }

    /// The newest table, which takes the inserts.
    #[inline]
    pub(crate) fn newest(&self) -> &CountedGrowingTable {
        if self.oldest.tokens().root().is_single_level() {
            &self.oldest
        } else {
            self.newest_of_several()
        }
    }

    #[inline(never)]
    fn newest_of_several(&self) -> &CountedGrowingTable {
        self.all().next().unwrap_or(&self.oldest)
    }

    /// Whether no table was added after this one.
    pub(crate) fn is_newest(&self, table: &CountedGrowingTable) -> bool {
        ptr::eq(self.newest(), table)
    }

    /// The place of the table after this many, if there can be one.
    pub(crate) fn place_after(&self, count: usize) -> Option<&OnceBox<CountedGrowingTable>> {
        self.added.get(count - 1)
    }

    pub(crate) fn sum(&self, of: impl Fn(&CountedGrowingTable) -> usize) -> usize {
        self.all().map(of).sum()
    }

    /// The heap bytes in use, including a table that does not count yet.
    pub(crate) fn bytes(&self) -> usize {
        let added = self
            .added()
            .map(|table| table.bytes() + size_of::<CountedGrowingTable>());
        self.oldest.bytes() + added.sum::<usize>() + Self::LIST_BYTES
    }

    /// The bytes of the filter.
    pub(crate) fn filter_bytes(&self) -> usize {
        self.limits.outside + self.bytes()
    }

    /// Replaces all tables but the first `kept` by one.
    pub(crate) fn replace_all_but(&mut self, kept: usize, merged: Box<CountedGrowingTable>) {
        self.added[kept..]
            .iter_mut()
            .for_each(|place| *place = OnceBox::new());
        match kept.checked_sub(1) {
            None => self.oldest = *merged,
            Some(place) => self.added[place] = OnceBox::with_value(merged),
        }
    }

    /// Frees the old words of the first table, if no thread may still be about to give them back.
    pub(crate) fn free_retired_levels(&mut self) {
        self.oldest.free_retired_levels();
    }

    /// Removes all tokens, and all tables but the first.
    pub(crate) fn clear(&mut self) {
        *self.added = core::array::from_fn(|_| OnceBox::new());
        self.oldest.clear();
    }
}

/// Walks, where not all tokens are in words of the level of the oldest table's root: it is growing,
/// or there are others.
impl Tables {
    /// The answer of all tables about an item.
    ///
    /// Cold, so that a loop keeps its values in registers as if there were no call.
    #[cold]
    #[inline(never)]
    pub(crate) fn lookup_busy(&self, root: Root, hash: u64) -> Probe {
        let oldest = self.oldest().tokens();
        // Ask the only table, which is growing; two tables at once; or one after the other.
        match self.added().next() {
            None => oldest.probe_busy(root, hash),
            Some(second) => second
                .tokens()
                .probe_two(oldest, hash)
                .unwrap_or_else(|| Probe::certain(self.lookup_in_all(hash))),
        }
    }

    /// Whether a token that covers this item is stored in a table.
    #[cold]
    #[inline(never)]
    fn lookup_in_all(&self, hash: u64) -> bool {
        // Ask the newest first: tokens are only added there, and none moves to another table.
        let mut tables = self.all();
        tables.any(|table| table.tokens().contains(hash))
    }

    /// Removes a token from the newest table that has one that covers this item.
    #[cold]
    #[inline(never)]
    pub(crate) fn remove_from_all(&self, hash: u64) -> bool {
        // Ask the newest first: its tokens are the longest, and a removal takes the longest.
        let mut tables = self.all();
        let Some(table) = tables.find(|table| table.remove(table.tokens().root(), hash)) else {
            return false;
        };
        // Help the newest table too, which is the one that grows. The other has been helped.
        let newest = self.newest();
        if !ptr::eq(table, newest) {
            newest.help(newest.tokens().root());
        }
        true
    }

    /// Prefetches the words of a hash in all tables: an absent item is looked up in all, and a
    /// batch has time for that while it serves others.
    #[cold]
    #[inline(never)]
    pub(crate) fn prefetch_busy(&self, root: Root, hash: u64) {
        self.oldest().tokens().prefetch_busy(root, hash);
        for table in self.added() {
            let tokens = table.tokens();
            tokens.prefetch_busy(tokens.root(), hash);
        }
    }
}

/// The tables besides the newest table, for an admission there. They are coarser.
pub(crate) struct Others<'a> {
    pub(crate) tables: &'a Tables,
    pub(crate) newest: &'a CountedGrowingTable,
    pub(crate) hash: u64,
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

/// Growth.
impl Tables {
    /// Adds a table after this many, the last of which is the newest. Its tokens are longer than
    /// all before.
    pub(crate) fn add(
        &self,
        newest: &CountedGrowingTable,
        tables: usize,
        level: u32,
    ) -> Result<(), GrowthError> {
        // Take the place after the tables that were counted before the check: of several threads
        // one fills it.
        let Some(place) = self.place_after(tables) else {
            return Err(GrowthError::Tables);
        };
        // Put a table there, unless there is one that does not count yet: the thread that put it
        // there may have stopped.
        if place.get().is_none() {
            let table = CountedGrowingTable::lazy(level, newest.tokens().search_budget())?;
            let added = place.set(allocate::boxed(table)?).is_ok();
            sync::trace(if added {
                Event::Growth
            } else {
                Event::LostAllocation
            });
        }
        // Say that it is there: from now on walks begin with it.
        newest.tokens().set_successor();
        Ok(())
    }

    /// Whether the table that was the newest has grown since it was like `root`, or another one was
    /// added.
    pub(crate) fn has_grown(&self, newest: &CountedGrowingTable, root: Root) -> bool {
        newest.tokens().root() != root || !self.is_newest(newest)
    }

    /// Completes a growth in progress, and gives back the memory that growths have left. Returns
    /// false if other threads have all descriptors.
    pub(crate) fn finish_growth(&self) -> bool {
        // Finish that of the newest table: coarser ones no longer grow.
        let is_finished = self.newest().tokens().finish_sweep();
        self.release_outgrown();
        is_finished
    }

    /// Gives back the outgrown memory of all tables: what no thread may still be splitting into.
    pub(crate) fn release_outgrown(&self) {
        let tables = self.all();
        tables.for_each(|table| table.tokens().release_all_parts());
    }
}

/// The limits of a filter on its growth.
#[derive(Debug)]
pub(crate) struct Limits {
    /// The maximum rate of false positives, with no vacant slot left.
    pub(crate) rate: f64,
    /// The maximum number of bytes of the filter.
    pub(crate) memory: usize,
    /// A temporary maximum, which any thread may set. Not stored: it depends on other memory in
    /// use.
    memory_for_now: Box<AtomicU64>,
    /// The bytes of the filter outside of this engine's heap.
    pub(crate) outside: usize,
}

impl Limits {
    pub(crate) fn new(rate: f64, memory: usize, outside: usize) -> Result<Self, OutOfMemory> {
        Ok(Self {
            rate,
            memory,
            memory_for_now: allocate::boxed(AtomicU64::new(u64::MAX))?,
            outside,
        })
    }

    /// The lower of both limits.
    pub(crate) fn memory_now(&self) -> usize {
        // Relaxed, here and where it is set: a limit orders nothing.
        let now = self.memory_for_now.load(Ordering::Relaxed);
        self.memory.min(usize::try_from(now).unwrap_or(usize::MAX))
    }

    /// Sets the temporary maximum.
    pub(crate) fn set_memory_for_now(&self, bytes: usize) {
        let bytes = bytes as u64;
        // Do not write an equal value: threads that repeat the call share the line.
        if self.memory_for_now.load(Ordering::Relaxed) != bytes {
            self.memory_for_now.store(bytes, Ordering::Relaxed);
        }
    }
}
