//! The growing filter: a table that doubles ten times, and then another one after it.
//!
//! These rooms have the steps. [`doubling`](crate::design::doubling) argues why they lose nothing.
//!
//! ```text
//! tables    oldest --> added --> ..    each finer than the one before; inserts go to the last
//!             |
//!             |    of each: stripes, hints, descriptors, a counter, and its levels
//!             v
//! root      | first word of level 2 | busy | reclaim | level |
//!             |
//!             |                     cursor: all words before it are gone
//!             v                     v
//! level 2   header | 0 gone | 1 gone | 2 bucket | 3 gone |        header: sweep, marks of lanes
//!                      |         |                   |
//!                     / \       / \                 / \       a word that is gone has two children
//! level 3   header | 0 | 1 | 2 | 3 | absent | absent | 6 | 7 |
//!
//! level 1   header | the root has left it: its memory is given back, and reads as absent
//! ```
//!
//! Here the table doubles from level 2 to level 3. The sweep has split words 0 and 1, and an insert
//! has split word 3, because it needed room there. When word 2 is gone too, the root moves on.
//!
//! # The rooms
//!
//! From the bottom up; each imports, and calls methods, only from those above it in this list, from
//! the [kernel](crate::kernel), and from what all filters share. (Its tests may import more.)
//!
//! | room | what it is |
//! |---|---|
//! | `word` | the states of a cell: absent, bucket, reference, gone |
//! | `lane` | the 16 bits of a token: head, tail, mark; the comparison of eight lanes at once |
//! | `item` | an item as strings of bits: class, index, prefix; child and alternate of a bucket |
//! | `sweep` | how far a growth is in the level that it leaves; the stage of a table, for copies |
//! | `memory` | the block of a level: header and words; pinning, and giving back |
//! | `views` | what a caller sees of the words: one level, or the two words of an item |
//! | `levels` | the root, and the blocks of all levels |
//! | `tokens` | `GrowingTokens`: what the words of a table hold, for a reader |
//! | `split` | how a writer meets a word: it settles it, splits it, finds the live one |
//! | `growth` | the growth of one table: it begins, writers help, it ends, memory goes back |
//! | `graph` | one level, as a search for a path sees it |
//! | `ops` | lookup, insert, remove |
//! | `unique` | adding a token if none covers the item |
//! | `alone` | the calls that have a table for themselves: placing, clearing; settling all words |
//! | `snapshot` | a copy, while others write |
//! | `table` | a table with the number of its tokens, its size and its rate |
//! | `several` | all tables of a filter, the walks over them, the limits |
//! | `policy` | an insert that finds no room: it tries again, the filter grows, or it is refused |
//! | `contract` | the fewest and smallest tables for the tokens that are there |
//! | `stored` | the stored form |
//! | this file | the engine: what the filter calls |
//!
//! What a thread does with one table is a method of `GrowingTokens`, in the room of its subject.
//!
//! # An insert that doubles
//!
//! 1. **No room.** [`insert`](RawFilter::insert) of the engine calls that of a
//!    `CountedGrowingTable`, which calls `GrowingTokens::insert` of `ops`: one exchange, if a
//!    bucket of the item has a vacant slot. None has: `insert_slowly` calls `split_or_relocate`.
//!    The table is not growing, so that searches for a path. It finds none within its bound, and
//!    returns the failure `Full`.
//! 2. **May it grow?** `Tables::insert_or_grow` of `policy` repeats the attempt, and calls
//!    `retry_or_grow` after each refusal. Below the capacity one more search goes further.
//!    Otherwise `grow` calls `double_or_add`: `check_doubling` asks the limits on rate and memory,
//!    and `foresee` asks whether the item will find room at this size or at a later one that the
//!    limits allow. If not, or if the table is nearly empty, the insert is refused. No word has
//!    changed so far.
//! 3. **Begin.** `CountedGrowingTable::begin_doubling` adds cells to the counter and
//!    `GrowingTokens::begin_growth` of `growth` adds descriptors, if the next size needs many more.
//!    `Levels::open_next_level` allocates the next level, whose words are absent, tells the sweep
//!    where that is, and sets the busy bit. From here on a lookup reads each of its two words at
//!    the level that the cursor says.
//! 4. **Split.** The next attempt finds both buckets full again. `split_or_relocate` splits one of
//!    them, if the half to which the item goes has room: `split` freezes the word, writes its two
//!    children, and replaces the word by *gone*. Then `add_to_emptier` adds the token to the child.
//!    (If no half has room, it searches for a path at the next level. If there is none,
//!    `retry_or_grow` splits words of the sweep, some at each attempt.)
//! 5. **Sweep.** The insert has taken effect. `CountedGrowingTable::insert` counts it, and `help`
//!    calls `help_to_grow`: it takes the next 16 words of the level (`next_chunk`), splits them
//!    (`split_all`), and moves the cursor past them if it stands there (`move_cursor`). Each later
//!    insert or remove that succeeds does the same.
//! 6. **End.** A thread that finds all words gone moves the root to the next level
//!    (`move_root_on`), where lookups begin from now on. The one that did calls `give_back`: when
//!    no thread is pinned any more that was pinned then, the memory of the old level goes back, a
//!    large one part by part.
//!
//! A thread may stop in the midst of each of these, and others go on. The head of `split` lists
//! what it leaves in steps 4 and 5. In step 3 it leaves a level without words that count, which the
//! next growth uses; after step 4 a token that is not counted; in step 6 a cursor at the end, so
//! that the next helper moves the root, or a level whose memory goes back only when a call has the
//! table for itself.

mod alone;
mod contract;
mod graph;
mod growth;
pub(crate) mod item;
mod lane;
mod levels;
mod memory;
mod ops;
mod policy;
mod several;
mod snapshot;
mod split;
mod stored;
mod sweep;
mod table;
#[cfg(test)]
mod tests;
mod tokens;
mod unique;
mod views;
mod word;

use crate::allocate;
use crate::codec::manifest::Manifest;
use crate::codec::reading::Input;
use crate::engine::buildable::Buildable;
#[cfg(any(test, feature = "_testing"))]
use crate::engine::internals::Internals;
use crate::engine::kind::Kind;
use crate::engine::measures::Measures;
use crate::engine::operations::RawFilter;
use crate::engine::plan::{Plan, RatedLoad, Size};
use crate::error::{BuildError, InsertError, OutOfMemory, ReadError, SnapshotError};
use crate::growing::item::MAX_LEVEL;
use crate::growing::lane::HEADS_AGREE;
use crate::growing::policy::{DEFAULT_BUDGET, RetryState};
use crate::growing::several::{Limits, MAX_ADDED, Others, Tables};
use crate::growing::table::{CountedGrowingTable, geometry};
use crate::growing::tokens::GrowingTokens;
use crate::growing::word::Lanes16;
use crate::kernel::layout::{Layout, Shape};
use crate::kernel::outcome::Failure;
use crate::kernel::prefetch::is_near;
use crate::kernel::sizing::{any_of, items_for};

/// The engine of a [`GrowingCuckooFilter`](crate::GrowingCuckooFilter): a table that doubles, with
/// buckets of 4 slots of 16 bits.
///
/// A lookup loads two words of the table, however often it has doubled. After ten doublings there
/// is another table, and a lookup reads both.
#[derive(Debug)]
pub struct Growing {
    tables: Tables,
}

/// A rate that no filter exceeds.
const NO_LIMIT: f64 = 1.0;

impl Growing {
    /// Makes an engine of unused tables, from the oldest to the newest. There must be one.
    pub(crate) fn of_tables(
        tables: impl IntoIterator<Item = CountedGrowingTable>,
        rate: f64,
        memory: usize,
        outside: usize,
    ) -> Result<Self, OutOfMemory> {
        let limits = Limits::new(rate, memory, outside)?;
        Ok(Self {
            tables: Tables::of(tables, limits)?,
        })
    }

    /// The tokens of the table to which inserts go.
    pub(crate) fn newest_tokens(&self) -> &GrowingTokens {
        self.tables.newest().tokens()
    }

    /// An engine with the same settings and other tables.
    fn with(
        &self,
        tables: impl IntoIterator<Item = CountedGrowingTable>,
    ) -> Result<Self, OutOfMemory> {
        Self::of_tables(
            tables,
            self.tables.limits().rate,
            self.tables.limits().memory,
            self.tables.limits().outside,
        )
    }

    /// [`insert_unique`](RawFilter::insert_unique) of an item that was absent just before. A
    /// separate function, so that an item that is present costs no more than a lookup.
    #[inline(never)]
    fn insert_absent(&self, hash: u64) -> Result<bool, InsertError> {
        let mut retries = RetryState::of(hash);
        loop {
            // Add it to the newest table, unless it is in another one.
            let newest = self.tables.newest();
            let root = newest.tokens().root();
            let others = Others {
                tables: &self.tables,
                newest,
                hash,
            };
            let budget = retries.budget(newest);
            let tokens = newest.tokens();
            match tokens.try_insert_unique(root, hash, budget, &others) {
                Ok(true) => {
                    newest.count_one(root);
                    return Ok(true);
                }
                Ok(false) => return Ok(false),
                // Try again, or make the table larger.
                Err(Failure::Disturbed) => self.tables.retry(newest, root, &mut retries)?,
                Err(refusal) => self
                    .tables
                    .retry_or_grow(newest, root, refusal, &mut retries)?,
            }
            // Look again, in all tables.
            if self.contains(hash) {
                return Ok(false);
            }
        }
    }
}

impl Buildable for Growing {
    type With<M: Layout> = Self;
    const KIND: Kind = Kind::Growing;
    type Layout = Lanes16;

    /// Full: it fills up before it doubles.
    fn rated_load(_: &Plan) -> RatedLoad {
        RatedLoad::Full {
            weight: HEADS_AGREE,
        }
    }

    fn measures(plan: &Plan, outside: usize) -> Result<Measures, BuildError> {
        let level = first_level(plan.size()?)?;
        plan.search_budget(DEFAULT_BUDGET)?;
        let table = CountedGrowingTable::bytes_for(level);
        let bytes = outside + table + Tables::LIST_BYTES;
        let sized = (geometry(level), items_for(geometry(level)));
        plan.measures(Self::KIND, Self::rated_load(plan), sized, bytes)
    }

    fn build(plan: &Plan, outside: usize) -> Result<Self, BuildError> {
        // Refuses before anything is allocated.
        Self::measures(plan, outside)?;
        let level = first_level(plan.size()?)?;
        let budget = plan.search_budget(DEFAULT_BUDGET)?;
        let mut oldest = CountedGrowingTable::new(level, budget)?;
        if let Some(size) = plan.descriptors {
            oldest = oldest.with_descriptors(size)?;
        }
        let rate = plan.rate.unwrap_or(NO_LIMIT);
        let memory = plan.memory.unwrap_or(usize::MAX);
        Ok(Self::of_tables([oldest], rate, memory, outside)?)
    }

    fn empty_like(&self) -> Result<Self, OutOfMemory> {
        let oldest = self.tables.oldest().tokens();
        let table = CountedGrowingTable::new(oldest.first(), oldest.search_budget())?;
        self.with([table])
    }

    /// A token never changes its table, and the tables are copied in the order of a lookup: the
    /// argument for a lookup holds for the copy.
    fn snapshot(&self) -> Result<Self, SnapshotError> {
        let mut copies = Vec::new();
        allocate::grow(&mut copies, MAX_ADDED + 1)?;
        for table in self.tables.all() {
            copies.push(table.snapshot()?);
        }
        Ok(self.with(copies.into_iter().rev())?)
    }

    fn restore(input: Input<'_>, outside: usize) -> Result<Self, ReadError> {
        let (tables, rate, memory) = stored::restore(input)?;
        Ok(Self::of_tables(tables, rate, memory, outside)?)
    }
}

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
        self.tables.contract();
    }

    fn finish_doubling(&self) -> bool {
        self.tables.finish_growth()
    }

    fn set_memory_allowance(&self, bytes: usize) {
        self.tables.limits().set_memory_for_now(bytes);
    }

    fn set_max_memory_usage(&mut self, bytes: usize) {
        self.tables.limits_mut().memory = bytes;
    }

    fn manifest(&self) -> Manifest<'_> {
        stored::manifest(&self.tables)
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
        self.tables.bytes()
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
            .probe(hash, |root| self.tables.lookup_busy(root, hash))
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
        self.tables.insert_or_grow(hash)
    }

    fn insert_unique(&self, hash: u64) -> Result<bool, InsertError> {
        // Look first, in all tables: an item that is present costs no more than a lookup.
        if self.contains(hash) {
            return Ok(false);
        }
        self.insert_absent(hash)
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
            self.tables.remove_from_all(hash)
        }
    }

    fn count(&self, hash: u64) -> usize {
        self.tables.sum(|table| table.tokens().count(hash))
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        let oldest = self.tables.oldest().tokens();
        oldest.prefetch(hash, |root| self.tables.prefetch_busy(root, hash));
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
        newest.tokens().can_grow() && newest.begin_doubling(root).is_ok()
    }

    fn add_table(&self) -> bool {
        let (count, newest) = (self.tables.count(), self.tables.newest());
        let tokens = newest.tokens();
        !tokens.can_grow() && self.tables.add(newest, count, tokens.last()).is_ok()
    }

    fn doubled(&self) -> Option<f64> {
        self.tables.newest().tokens().doubled()
    }
}

/// The first level of a table of this size. Tables that double have a power of two of buckets. A
/// capacity is rounded up, a number of buckets is not.
fn first_level(size: Size) -> Result<u32, BuildError> {
    match size {
        Size::Items(items) | Size::Explicit { items, .. } => {
            let level = (1..=MAX_LEVEL).find(|&level| items_for(geometry(level)) >= items);
            let max = items_for(geometry(MAX_LEVEL));
            level.ok_or(BuildError::Capacity {
                requested: items,
                max,
            })
        }
        Size::Buckets(buckets) => {
            let level = nearest_level(buckets);
            if buckets != 1 << level {
                return Err(BuildError::Buckets {
                    requested: buckets,
                    nearest: 1 << level,
                    factor: 1,
                });
            }
            Ok(level)
        }
    }
}

/// The level whose number of buckets is nearest to this one, the upper of two.
fn nearest_level(buckets: usize) -> u32 {
    let below = buckets.max(2).ilog2();
    let is_nearer_above = buckets.saturating_sub(1 << below) >= 1 << (below - 1);
    (below + u32::from(is_nearer_above)).min(MAX_LEVEL)
}
