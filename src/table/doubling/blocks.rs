//! The blocks of words, and the hint: which of them lookups begin with.
//!
//! ```text
//! hint   | address of the first word : 56 | growing : 1 | deeper : 1 | 53 - level : 6 |
//! ```
//!
//! The hint is a level whose words are there or were split since, and nothing more: what a word holds is the truth,
//! whatever the hint said. The cursor is the first word that need not be split yet.
//!
//! Blocks stay where they are until the table is dropped. The memory of those behind the hint goes back to the system,
//! and reads as absent words.

use core::hint::select_unpredictable;

use once_cell::race::OnceBox;

use super::word::Word;
use super::{Class, DEEPEST, Lanes16, level_of};
use crate::allocate::{self, ALIGNMENT, Cells};
use crate::error::OutOfMemory;
use crate::layout::Bucket;
use crate::layout::prefix::{Depth, TAIL_BITS};
use crate::sync::{AtomicPtr, AtomicU64, Ordering};
use crate::table::Table;

#[derive(Debug)]
pub(crate) struct Blocks {
    /// The level at which the table began.
    first: u32,
    /// Whether absent words of the first level are empty buckets that nobody has written to yet.
    lazy: bool,
    hint: AtomicPtr<AtomicU64>,
    cursor: AtomicU64,
    /// The block of each level from the first on.
    blocks: [OnceBox<Block>; PLACES],
}

#[derive(Debug)]
struct Block {
    words: Cells,
    /// The bytes that the system has got back.
    released: AtomicU64,
}

/// What the hint said when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hint(*mut AtomicU64);

const PLACES: usize = TAIL_BITS as usize + 1;

const SHIFT: usize = (1 << 6) - 1;
const DEEPER: usize = 1 << 6;
const GROWING: usize = 1 << 7;
const _: () = assert!(GROWING < ALIGNMENT);

impl Hint {
    fn new(block: &Block, level: u32, depth: Depth) -> Self {
        let deeper = if depth == Depth::First { 0 } else { DEEPER };
        let words = block.words.first().as_ptr();
        Self(words.map_addr(|address| address | deeper | (53 - level as usize)))
    }

    #[inline]
    fn words(self) -> *mut AtomicU64 {
        self.0.map_addr(|address| address & !(ALIGNMENT - 1))
    }

    #[inline]
    pub(crate) fn level(self) -> u32 {
        53 - (self.0.addr() & SHIFT) as u32
    }

    #[inline]
    pub(crate) fn depth(self) -> Depth {
        if self.0.addr() & DEEPER == 0 {
            Depth::First
        } else {
            Depth::Deeper
        }
    }

    /// Whether words of this level are being split.
    #[inline]
    pub(crate) fn is_growing(self) -> bool {
        self.0.addr() & GROWING != 0
    }
}

impl Blocks {
    /// A table of `2^first` empty buckets. It can double ten times, or up to the deepest level.
    pub(crate) fn new(first: u32) -> Result<Self, OutOfMemory> {
        Self::with_words(first, first, |_| Bucket::EMPTY)
    }

    /// A table that began with `2^first` buckets, and has those of one level.
    pub(crate) fn with_words(
        first: u32,
        level: u32,
        content: impl Fn(usize) -> Bucket<Lanes16>,
    ) -> Result<Self, OutOfMemory> {
        let block = Block::new(level)?;
        for (place, cell) in block.words.iter().enumerate() {
            cell.store(Word::from(content(place)).bits(), Ordering::Relaxed);
        }
        Ok(Self::of(first, level, block, false))
    }

    /// The same as [`new`](Self::new), in a time that does not depend on the number of buckets. Each costs more until
    /// somebody has written to it.
    pub(crate) fn lazy(first: u32) -> Result<Self, OutOfMemory> {
        Ok(Self::of(first, first, Block::new(first)?, true))
    }

    fn of(first: u32, level: u32, block: Block, lazy: bool) -> Self {
        let hint = Hint::new(&block, level, depth(first, level));
        let blocks: [OnceBox<Block>; PLACES] = core::array::from_fn(|_| OnceBox::new());
        let added = blocks[(level - first) as usize].set(Box::new(block));
        debug_assert!(added.is_ok());
        Self {
            first,
            lazy,
            hint: AtomicPtr::new(hint.0),
            cursor: AtomicU64::new(1 << level),
            blocks,
        }
    }

    /// A table that began with `2^first` buckets, and holds these, whose number is a power of two.
    pub(crate) fn with_table(first: u32, table: &Table<Lanes16>) -> Result<Self, OutOfMemory> {
        let content = |place| table.load(place).plain();
        Self::with_words(first, table.len().ilog2(), content)
    }

    pub(crate) fn first(&self) -> u32 {
        self.first
    }

    /// The deepest level that this table can have.
    pub(crate) fn last(&self) -> u32 {
        (self.first + TAIL_BITS).min(DEEPEST)
    }

    #[inline]
    pub(crate) fn hint(&self) -> Hint {
        // Acquire: pairs with the exchanges of the hint, which come after the block is there.
        Hint(self.hint.load(Ordering::Acquire))
    }

    #[inline]
    pub(crate) fn depth(&self, level: u32) -> Depth {
        depth(self.first, level)
    }

    /// The first word that need not be split yet.
    pub(crate) fn cursor(&self) -> usize {
        self.cursor.load(Ordering::Acquire) as usize
    }

    /// All words up to `to` are gone.
    pub(crate) fn move_cursor(&self, from: usize, to: usize) {
        // Release: who goes on from there has the splits behind it.
        let _ = self.cursor.compare_exchange(
            from as u64,
            to as u64,
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
    }

    /// From now on words of the level of `hint` are split. There must be a next level.
    pub(crate) fn begin_to_grow(&self, hint: Hint) -> Result<bool, OutOfMemory> {
        self.block_or_new(hint.level() + 1)?;
        let growing = hint.0.map_addr(|address| address | GROWING);
        Ok(self.replace_hint(hint, Hint(growing)))
    }

    /// All words of the level of `hint` are gone. Returns true if this call moved the hint on.
    pub(crate) fn end_growth(&self, hint: Hint) -> bool {
        let next = self.block(hint.level() + 1);
        let next = next.map(|block| Hint::new(block, hint.level() + 1, Depth::Deeper));
        next.is_some_and(|next| self.replace_hint(hint, next))
    }

    fn replace_hint(&self, old: Hint, new: Hint) -> bool {
        // SeqCst: a lookup that begins after a growth has ended begins with the new level, on any processor.
        let replaced = self
            .hint
            .compare_exchange(old.0, new.0, Ordering::SeqCst, Ordering::SeqCst);
        replaced.is_ok()
    }

    /// The block of a level; a new one, all words of which are absent, if there is none.
    fn block_or_new(&self, level: u32) -> Result<&Block, OutOfMemory> {
        let place = &self.blocks[(level - self.first) as usize];
        place.get_or_try_init(|| Block::new(level).map(Box::new))
    }

    /// The block of a level, if there is one.
    #[inline]
    fn block(&self, level: u32) -> Option<&Block> {
        let place = level.checked_sub(self.first)? as usize;
        self.blocks.get(place)?.get()
    }

    /// The cell of a bucket, if there is the block of its level.
    #[inline]
    fn cell(&self, bucket: usize) -> Option<&AtomicU64> {
        let level = level_of(bucket);
        self.block(level)?.words.get(bucket - (1 << level))
    }

    /// Whether it is an empty bucket if its word is absent.
    #[inline]
    pub(crate) fn is_lazy(&self, bucket: usize) -> bool {
        self.lazy && level_of(bucket) == self.first
    }

    /// A word; absent if its level has no block.
    #[inline]
    pub(crate) fn load(&self, bucket: usize) -> Word {
        // SeqCst, as every access to a word: see `Table::load`.
        let load = |cell: &AtomicU64| Word::from_bits(cell.load(Ordering::SeqCst));
        self.cell(bucket).map_or(Word::ABSENT, load)
    }

    /// The cells of both words of an item at the level of a hint of this table, and the ten index bits behind the number
    /// of the first.
    #[inline]
    #[allow(unsafe_code, reason = "lookups are faster for it")]
    pub(crate) fn pair(&self, hint: Hint, class: Class) -> Pair<'_> {
        let words = hint.words();
        // The place in the block, and the ten bits behind it: the leading one of the number is the start of the block.
        let [first, second] =
            [class.first, class.second].map(|index| index.behind_leading(hint.0.addr() as u32));
        let cell = |place: u64| {
            // SAFETY: a hint points to the block of its level, which has all its words, and stays while the table is
            // borrowed. The place has as many bits as the level, because the hint says how many bits are not of it.
            unsafe { &*words.wrapping_add((place >> TAIL_BITS) as usize) }
        };
        Pair {
            first: cell(first),
            second: cell(second),
            next: first as u16,
        }
    }

    /// Asks for the line of a bucket.
    #[inline]
    pub(crate) fn prefetch(&self, bucket: usize) {
        if let Some(cell) = self.cell(bucket) {
            crate::table::prefetch::prefetch(cell);
        }
    }

    /// Replaces `current` by `new`. Returns false if the word has changed.
    #[inline]
    pub(crate) fn exchange(
        &self,
        bucket: usize,
        current: impl Into<Word>,
        new: impl Into<Word>,
    ) -> bool {
        let (current, new) = (current.into().bits(), new.into().bits());
        // SeqCst: see `Table::exchange`.
        let exchange = |cell: &AtomicU64| {
            cell.compare_exchange(current, new, Ordering::SeqCst, Ordering::SeqCst)
        };
        self.cell(bucket)
            .map(exchange)
            .is_some_and(|result| result.is_ok())
    }

    /// Reads the word in its modification order: see `Table::read_latest`.
    #[inline]
    pub(crate) fn read_latest(&self, bucket: usize) -> Word {
        let read = |cell: &AtomicU64| Word::from_bits(cell.fetch_or(0, Ordering::SeqCst));
        self.cell(bucket).map_or(Word::ABSENT, read)
    }

    /// Sets a word of a table that nobody else can reach.
    pub(crate) fn set(&self, bucket: usize, content: Bucket<Lanes16>) {
        let cell = self.cell(bucket).expect("a bucket of the table");
        // Relaxed: whatever follows is ordered by the handing over of the table.
        cell.store(Word::from(content).bits(), Ordering::Relaxed);
    }

    /// Lets the system have the pages of a level that is behind the hint for a grace period, so that nobody splits into
    /// it any more.
    pub(crate) fn release(&self, level: u32) {
        // What is absent there is not what was given back.
        if !(self.lazy && level == self.first) {
            self.release_block(level);
        }
    }

    /// Lets the system have the pages of all levels, when nobody writes to any word any more.
    pub(crate) fn release_all(&self) {
        (self.first..=self.last()).for_each(|level| self.release_block(level));
    }

    fn release_block(&self, level: u32) {
        if let Some(block) = self.block(level) {
            let released = allocate::release_pages(&block.words) as u64;
            // Relaxed: a measure, which orders nothing.
            block.released.store(released, Ordering::Relaxed);
        }
    }

    /// The bytes of all blocks, but for those that the system has got back.
    pub(crate) fn bytes(&self) -> usize {
        let of_block = |block: &Block| {
            let released = block.released.load(Ordering::Relaxed) as usize;
            size_of::<Block>() + allocate::bytes(&block.words) - released
        };
        self.blocks
            .iter()
            .filter_map(OnceBox::get)
            .map(of_block)
            .sum()
    }
}

/// The cells of both words of an item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    first: &'a AtomicU64,
    second: &'a AtomicU64,
    /// The index bits behind the number of the first, the lowest ten.
    pub(crate) next: u16,
}

impl Pair<'_> {
    /// Both words, by independent loads.
    #[inline]
    pub(crate) fn load(&self) -> (Word, Word) {
        // SeqCst: see `Table::load`.
        let load = |cell: &AtomicU64| Word::from_bits(cell.load(Ordering::SeqCst));
        (load(self.first), load(self.second))
    }

    /// Replaces the content of one of the two. Returns false if the word has changed.
    #[inline]
    pub(crate) fn exchange(
        &self,
        in_first: bool,
        current: Bucket<Lanes16>,
        new: Bucket<Lanes16>,
    ) -> bool {
        let cell = select_unpredictable(in_first, self.first, self.second);
        let (current, new) = (Word::from(current).bits(), Word::from(new).bits());
        // SeqCst: see `Table::exchange`.
        cell.compare_exchange(current, new, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }
}

impl Block {
    fn new(level: u32) -> Result<Self, OutOfMemory> {
        Ok(Self {
            words: Cells::new(1 << level)?,
            released: AtomicU64::new(0),
        })
    }
}

fn depth(first: u32, level: u32) -> Depth {
    if level == first {
        Depth::First
    } else {
        Depth::Deeper
    }
}
