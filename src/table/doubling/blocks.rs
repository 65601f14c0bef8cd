//! The blocks of words, and the hint: which of them lookups begin with.
//!
//! ```text
//! hint   | address of the first word : 56 | growing : 1 | behind : 1 | 55 - level : 6 |
//! ```
//!
//! The hint is a level whose words are there or were split since, and nothing more: what a word holds is the truth,
//! whatever the hint said.
//!
//! Blocks stay where they are until the table is dropped. The memory of those behind the hint goes back to the system,
//! and reads as absent words. If it is much, the hint says so, and inserts give back a part of it each.

use core::hint::select_unpredictable;
use core::ops::Range;

use once_cell::race::OnceBox;

use super::block::Block;
use super::class::level_of;
use super::header::Header;
use super::heads::{OfHead, SHIFT_OF_LEVEL_0};
use super::level::{Level, load};
use super::swept::Swept;
use super::word::Word;
use super::{DEEPEST, Lanes16};
use crate::allocate::{ALIGNMENT, Cells};
use crate::error::OutOfMemory;
use crate::layout::prefix::{Depth, Head, TAIL_BITS};
use crate::layout::{Bucket, Fingerprint, Sight};
use crate::sync::{AtomicPtr, AtomicU64, Ordering};
use crate::table::Table;

#[derive(Debug)]
pub(crate) struct Blocks {
    /// The level at which the table began.
    first: u32,
    /// Whether absent words of the first level are empty buckets that nobody has written to yet, as long as the hint is there.
    lazy: bool,
    hint: AtomicPtr<AtomicU64>,
    /// The block of each level from the first on.
    blocks: [OnceBox<Block>; PLACES],
}

/// What the hint said when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hint(*mut AtomicU64);

/// A hint of a level whose words are being split, when it was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GrowingHint(Hint);

const PLACES: usize = TAIL_BITS as usize + 1;

const SHIFT: usize = (1 << 6) - 1;
const BEHIND: usize = 1 << 6;
const GROWING: usize = 1 << 7;
const _: () = assert!(GROWING < ALIGNMENT);

impl Hint {
    fn new(block: &Block, level: u32) -> Self {
        let words = block.words.first().as_ptr();
        Self(words.map_addr(|address| address | (SHIFT_OF_LEVEL_0 - level) as usize))
    }

    #[inline]
    fn words(self) -> *mut AtomicU64 {
        self.0.map_addr(|address| address & !(ALIGNMENT - 1))
    }

    #[inline]
    pub(crate) fn level(self) -> u32 {
        SHIFT_OF_LEVEL_0 - (self.0.addr() & SHIFT) as u32
    }

    /// Whether words of this level are being split.
    #[inline]
    pub(crate) fn is_growing(self) -> bool {
        self.0.addr() & GROWING != 0
    }

    /// The same, if words of this level are being split.
    #[inline]
    pub(crate) fn growing(self) -> Option<GrowingHint> {
        self.is_growing().then_some(GrowingHint(self))
    }

    /// Whether memory of levels behind this one is to be given back.
    #[inline]
    pub(crate) fn has_memory_behind(self) -> bool {
        self.0.addr() & BEHIND != 0
    }

    /// Whether inserts have nothing to do besides.
    #[inline]
    pub(crate) fn is_at_rest(self) -> bool {
        self.0.addr() & (GROWING | BEHIND) == 0
    }

    fn with(self, flags: usize) -> Self {
        Self(self.0.map_addr(|address| address | flags))
    }

    fn without(self, flags: usize) -> Self {
        Self(self.0.map_addr(|address| address & !flags))
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
        let block = Block::new(level, depth(first, level))?;
        for (place, cell) in block.words.iter().enumerate() {
            cell.store(Word::from(content(place)).bits(), Ordering::Relaxed);
        }
        Ok(Self::of(first, level, block, false))
    }

    /// The same as [`new`](Self::new), in a time that does not depend on the number of buckets. Each costs more until
    /// somebody has written to it.
    pub(crate) fn lazy(first: u32) -> Result<Self, OutOfMemory> {
        Ok(Self::of(
            first,
            first,
            Block::new(first, Depth::First)?,
            true,
        ))
    }

    fn of(first: u32, level: u32, block: Block, lazy: bool) -> Self {
        let hint = Hint::new(&block, level);
        let blocks: [OnceBox<Block>; PLACES] = core::array::from_fn(|_| OnceBox::new());
        let added = blocks[(level - first) as usize].set(Box::new(block));
        debug_assert!(added.is_ok());
        Self {
            first,
            lazy,
            hint: AtomicPtr::new(hint.0),
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

    /// How many words of the level of `hint` are gone, from the first on.
    pub(crate) fn cursor(&self, hint: Hint) -> usize {
        self.header(hint).sweep.cursor()
    }

    /// A number that stays the same only if the growth of the level of `hint` stands still.
    pub(crate) fn progress(&self, hint: Hint) -> usize {
        self.header(hint).sweep.progress()
    }

    /// The places of the words that the caller is to split, while words of the level of `hint` are split.
    pub(crate) fn next_chunk(&self, hint: Hint) -> Range<usize> {
        self.header(hint).sweep.next_chunk(1 << hint.level())
    }

    /// The words of this chunk are gone. Returns true if it turns out that all of the level are.
    pub(crate) fn move_on(&self, hint: Hint, chunk: Range<usize>) -> bool {
        let first = 1 << hint.level();
        // By accesses to the words. So who finds the cursor behind them has these splits behind it, whoever did them.
        let is_gone = |place| self.load(first + place) == Word::GONE;
        self.header(hint).sweep.move_on(chunk, first, is_gone)
    }

    /// From now on words of the level of `hint` are split. There must be a next level.
    pub(crate) fn begin_to_grow(&self, hint: Hint) -> Result<bool, OutOfMemory> {
        let below = self.block_or_new(hint.level() + 1)?;
        self.header(hint)
            .sweep
            .lead_to(below.words.first().as_ptr());
        Ok(self.replace_hint(hint, hint.with(GROWING)))
    }

    /// All words of the level of `hint` are gone. Returns true if this call moved the hint on.
    pub(crate) fn end_growth(&self, hint: Hint) -> bool {
        let (level, behind) = (hint.level() + 1, hint.0.addr() & BEHIND);
        self.block(level)
            .is_some_and(|below| self.replace_hint(hint, Hint::new(below, level).with(behind)))
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
        place.get_or_try_init(|| Block::new(level, self.depth(level)).map(Box::new))
    }

    fn all(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter_map(OnceBox::get)
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

    /// Whether it is an empty bucket, if its word was absent before this call. Once the hint has moved on, the word was split,
    /// and what is absent may have been given back.
    #[inline]
    pub(crate) fn is_lazy(&self, bucket: usize) -> bool {
        self.lazy && level_of(bucket) == self.first && self.hint().level() == self.first
    }

    /// The words of a level, if it has a block.
    #[inline]
    pub(crate) fn level(&self, level: u32) -> Option<Level<'_>> {
        let words = &self.block(level)?.words;
        Some(Level::new(words, level, self.depth(level)))
    }

    /// A word; absent if its level has no block.
    #[inline]
    pub(crate) fn load(&self, bucket: usize) -> Word {
        self.level(level_of(bucket))
            .map_or(Word::ABSENT, |level| level.load(bucket))
    }

    /// The header of the level of a hint of this table.
    #[inline]
    #[allow(unsafe_code, reason = "lookups are faster for it")]
    fn header(&self, hint: Hint) -> &Header {
        // SAFETY: a hint points to the block of its level, which has a header and stays while the table is borrowed.
        unsafe { &*Cells::header_of(hint.words()) }
    }

    /// Both words of an item at a hint of this table, where the sweep has left them.
    #[inline]
    #[allow(unsafe_code, reason = "lookups are faster for it")]
    pub(crate) fn swept(&self, GrowingHint(hint): GrowingHint, hash: u64) -> Swept<'_> {
        let shift_below = hint.0.addr().wrapping_sub(1) as u32;
        // SAFETY: the hint said that the level is growing after `lead_to`, and was read with Acquire. Blocks stay while the
        // table is borrowed.
        unsafe { Swept::new(hint.words(), shift_below, hash) }
    }

    /// Both words of an item at the level of a hint of this table, and its lane there.
    #[inline]
    #[allow(unsafe_code, reason = "lookups are faster for it")]
    pub(crate) fn pair(&self, hint: Hint, hash: u64) -> Pair<'_> {
        let (words, shift) = (hint.words(), hint.0.addr() as u32);
        let of_head = OfHead::of_hash(hash);
        // The leading one of the number is the start of the block.
        let first = hash.wrapping_shr(shift);
        let place = first >> TAIL_BITS;
        let cell = |place: u64| {
            // SAFETY: the block has all words of its level. The place has as many bits as the level, because the hint says
            // how many bits are not of it, and so has the offset.
            unsafe { &*words.wrapping_add(place as usize) }
        };
        Pair {
            first: cell(place),
            second: cell(place ^ of_head.offset(shift)),
            lane: of_head.lane(first as u16),
            header: self.header(hint),
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
        self.level(level_of(bucket))
            .is_some_and(|level| level.exchange(bucket, current, new))
    }

    /// Reads the word in its modification order: see `Table::read_latest`.
    #[inline]
    pub(crate) fn read_latest(&self, bucket: usize) -> Word {
        self.level(level_of(bucket))
            .map_or(Word::ABSENT, |level| level.read_latest(bucket))
    }

    /// Sets a word of a table that nobody else can reach.
    pub(crate) fn set(&self, bucket: usize, content: Bucket<Lanes16>) {
        let cell = self.cell(bucket).expect("a bucket of the table");
        // Relaxed: whatever follows is ordered by the handing over of the table.
        cell.store(Word::from(content).bits(), Ordering::Relaxed);
    }

    /// Lets the system have the memory of a level that is behind the hint for a grace period, so that nobody splits into
    /// it any more. If it is much, inserts give it back.
    pub(crate) fn release(&self, level: u32) {
        match self.block(level) {
            Some(block) if block.abandon() => self.say_behind(),
            Some(block) => block.release(),
            None => {}
        }
    }

    /// Gives back a part of the memory behind the hint. Returns false if there was none.
    pub(crate) fn release_part(&self) -> bool {
        loop {
            let hint = self.hint();
            if !hint.has_memory_behind() {
                return false;
            }
            if self.all().any(Block::release_part) {
                return true;
            }
            // SeqCst, all of them: who abandoned a block, and then found that it had been said, did both before this
            // exchange, so the block is found after it.
            if self.replace_hint(hint, hint.without(BEHIND)) && self.all().any(Block::has_part) {
                self.say_behind();
            }
        }
    }

    /// Tells inserts that there is memory behind the hint.
    fn say_behind(&self) {
        loop {
            // SeqCst: after the block was abandoned; see `release_part`.
            let hint = Hint(self.hint.load(Ordering::SeqCst));
            if hint.has_memory_behind() || self.replace_hint(hint, hint.with(BEHIND)) {
                return;
            }
        }
    }

    /// Lets the system have the memory of all levels, when nobody writes to any word any more.
    pub(crate) fn release_all(&self) {
        self.all().for_each(Block::release);
    }

    /// The bytes of one block of this level.
    pub(crate) fn bytes_for(level: u32) -> usize {
        Block::bytes_for(level)
    }

    /// The bytes of all blocks, but for those that the system has got back.
    pub(crate) fn bytes(&self) -> usize {
        self.all().map(Block::bytes).sum()
    }
}

/// The cells of both words of an item, and how to judge them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    first: &'a AtomicU64,
    second: &'a AtomicU64,
    /// The lane of the item, without the mark.
    lane: u16,
    header: &'a Header,
}

impl Pair<'_> {
    /// Both words, by independent loads.
    #[inline]
    pub(crate) fn load(&self) -> (Word, Word) {
        (load(self.first), load(self.second))
    }

    /// The lane of a new token of the item.
    #[inline]
    pub(crate) fn full_lane(&self) -> u16 {
        self.header.marks.full(self.lane)
    }

    /// What names the stripe of the item.
    #[inline]
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        Head::of_lane(self.lane).fingerprint()
    }

    /// The lanes of two words that cover the item: see [`Depth::covering`].
    #[inline]
    pub(crate) fn covering(&self, first: Word, second: Word) -> u32 {
        let (first, second) = (first.bits(), second.bits());
        self.header.marks.covering(self.lane, first, second)
    }

    /// What a look at two words tells of the item. It is sure exactly if both [are plain](Word::are_plain).
    #[inline]
    pub(crate) fn look(&self, first: Word, second: Word) -> Sight {
        let (first, second) = (first.bits(), second.bits());
        self.header.marks.look(self.lane, first, second)
    }

    /// Whether a lane of one of the two is as long as a new one.
    #[inline]
    pub(crate) fn is_full(&self, lane: u16) -> bool {
        self.header.marks.is_full(lane)
    }

    /// Lanes of the one word whose prefixes are nested with that of a lane of the other one: see
    /// [`nested`](crate::layout::prefix::Marks::nested).
    #[inline]
    pub(crate) fn nested(&self, lane: u16, other: Word) -> u32 {
        self.header.marks.nested(lane, other.bits())
    }

    /// Asks for the lines of both.
    #[inline]
    pub(crate) fn prefetch(&self) {
        crate::table::prefetch::prefetch(self.first);
        crate::table::prefetch::prefetch(self.second);
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

fn depth(first: u32, level: u32) -> Depth {
    if level == first {
        Depth::First
    } else {
        Depth::Deeper
    }
}
