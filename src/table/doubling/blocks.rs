//! The blocks of words, and the root: the block at which lookups begin.
//!
//! ```text
//! root   | address of the first word : 56 | aside : 1 | behind : 1 | 55 - level : 6 |
//! ```
//!
//! *Aside*: tokens may be outside of the words of this level. *Behind*: levels that the root has left have memory to
//! give back. The root is a level whose words are there or were split since, and nothing more: the content of a word is
//! the truth, whatever the root said. [`doubling`](crate::design::doubling#words) has the rest.
//!
//! Blocks stay where they are until the table is dropped.

use core::hint::select_unpredictable;
use core::ops::Range;

use once_cell::race::OnceBox;

use super::block::{Block, Header};
use super::class::{OfHead, SHIFT_OF_LEVEL_0, level_of};
use super::level::{Level, Swept, load};
use super::sweep::{Region, Stage};
use super::word::Word;
use super::{DEEPEST, Lanes16};
use crate::allocate::{ALIGNMENT, Cells};
use crate::error::OutOfMemory;
use crate::layout::prefix::{Depth, TAIL_BITS};
use crate::layout::{Bucket, Fingerprint, Sight};
use crate::sync::{self, AtomicPtr, AtomicU64, Ordering};

#[derive(Debug)]
pub(crate) struct Blocks {
    /// The level at which the table began.
    first: u32,
    /// Whether absent words of the first level are empty buckets, never written yet, while the root is there.
    lazy: bool,
    root: AtomicPtr<AtomicU64>,
    /// The block of each level from the first on.
    blocks: [OnceBox<Block>; PLACES],
}

/// The value of the root when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Root(*mut AtomicU64);

/// A root of a level whose words are being split, when it was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GrowingRoot(Root);

/// How often a table can double: each time, its oldest tokens lose a bit of their tails.
const DOUBLINGS: u32 = if sync::MODEL { 2 } else { TAIL_BITS };

const PLACES: usize = DOUBLINGS as usize + 1;

const SHIFT: usize = (1 << 6) - 1;
const BEHIND: usize = 1 << 6;
const ASIDE: usize = 1 << 7;
const _: () = assert!(ASIDE < ALIGNMENT);

impl Root {
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

    /// Whether all tokens are in words of this level.
    #[inline]
    pub(crate) fn is_alone(self) -> bool {
        self.0.addr() & ASIDE == 0
    }

    /// Whether memory of levels that the root has left is to be given back.
    #[inline]
    pub(crate) fn has_memory_behind(self) -> bool {
        self.0.addr() & BEHIND != 0
    }

    /// Whether writers have no additional work.
    #[inline]
    pub(crate) fn is_at_rest(self) -> bool {
        self.0.addr() & (ASIDE | BEHIND) == 0
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
        let empty = |_| Region::Whole(Bucket::EMPTY);
        Self::with_regions(first, Stage::at_rest(first), empty)
    }

    /// A table that began with `2^first` buckets, and has come so far. `region` says what each bucket of its level is,
    /// by its place. Only while the table grows one may be split, and all must be that the sweep has passed.
    pub(crate) fn with_regions(
        first: u32,
        stage: Stage,
        region: impl Fn(usize) -> Region,
    ) -> Result<Self, OutOfMemory> {
        let level = stage.level;
        let block = Block::new(level, depth(first, level))?;
        let blocks = Self::of(first, level, block, false);
        if let Some(cursor) = stage.cursor {
            let root = blocks.root();
            blocks.begin_to_grow(root)?;
            blocks.header(root).sweep.stand_at(cursor);
        }
        for place in 0..1 << level {
            blocks.set_region(1 << level | place, region(place));
        }
        Ok(blocks)
    }

    /// As [`new`](Self::new), but in a time that does not depend on the number of buckets. Each bucket costs more until
    /// it is first written.
    pub(crate) fn lazy(first: u32) -> Result<Self, OutOfMemory> {
        Ok(Self::of(
            first,
            first,
            Block::new(first, Depth::First)?,
            true,
        ))
    }

    fn of(first: u32, level: u32, block: Block, lazy: bool) -> Self {
        let root = Root::new(&block, level);
        let blocks: [OnceBox<Block>; PLACES] = core::array::from_fn(|_| OnceBox::new());
        let added = blocks[(level - first) as usize].set(Box::new(block));
        debug_assert!(added.is_ok());
        Self {
            first,
            lazy,
            root: AtomicPtr::new(root.0),
            blocks,
        }
    }

    pub(crate) fn first(&self) -> u32 {
        self.first
    }

    /// The deepest level that this table can have.
    pub(crate) fn last(&self) -> u32 {
        (self.first + DOUBLINGS).min(DEEPEST)
    }

    #[inline]
    pub(crate) fn root(&self) -> Root {
        // SeqCst: pairs with the exchanges of the root, which come after the block, or the table after this one, is
        // there. In the one order of the words: a thread that has found a token there agrees with all others on that.
        Root(self.root.load(Ordering::SeqCst))
    }

    /// The root, if words of its level are being split.
    #[inline]
    pub(crate) fn growing(&self, root: Root) -> Option<GrowingRoot> {
        let is_growing = !root.is_alone() && root.level() < self.last();
        is_growing.then_some(GrowingRoot(root))
    }

    /// Whether a table was added after this one.
    pub(crate) fn is_followed(&self, root: Root) -> bool {
        !root.is_alone() && root.level() == self.last()
    }

    /// Records that there is a table after this one, which has its last level.
    pub(crate) fn follow(&self) {
        loop {
            let root = self.root();
            debug_assert_eq!(root.level(), self.last());
            if !root.is_alone() || self.replace_root(root, root.with(ASIDE)) {
                return;
            }
        }
    }

    #[inline]
    pub(crate) fn depth(&self, level: u32) -> Depth {
        depth(self.first, level)
    }

    /// The number of words of the level of `root` that are gone, from the first on.
    pub(crate) fn cursor(&self, root: Root) -> usize {
        self.header(root).sweep.cursor()
    }

    /// The stage of the table. After this, loads find the words gone that the sweep has passed.
    pub(crate) fn stage(&self) -> Stage {
        let root = self.root();
        Stage {
            level: root.level(),
            cursor: self.growing(root).map(|_| self.cursor(root)),
        }
    }

    /// Discards the record of words taken to be split. Requires exclusive access to the table.
    pub(crate) fn give_up_taken(&self) {
        let sweep = &self.header(self.root()).sweep;
        sweep.stand_at(sweep.cursor());
    }

    /// A number that stays the same only if the growth of the level of `root` stands still.
    pub(crate) fn progress(&self, root: Root) -> usize {
        self.header(root).sweep.progress()
    }

    /// The places of the words that the caller is to split, while words of the level of `root` are split.
    pub(crate) fn next_chunk(&self, root: Root) -> Range<usize> {
        self.header(root).sweep.next_chunk(1 << root.level())
    }

    /// The words of this chunk are gone. Returns true if it turns out that all of the level are.
    pub(crate) fn move_on(&self, root: Root, chunk: Range<usize>) -> bool {
        let first = 1 << root.level();
        // By accesses to the words: a thread that finds the cursor past them has acquired these splits.
        let is_gone = |place| self.load(first + place) == Word::GONE;
        self.header(root).sweep.move_on(chunk, first, is_gone)
    }

    /// Begins to split the words of the level of `root`. There must be a next level.
    pub(crate) fn begin_to_grow(&self, root: Root) -> Result<bool, OutOfMemory> {
        let below = self.block_or_new(root.level() + 1)?;
        self.header(root)
            .sweep
            .lead_to(below.words.first().as_ptr());
        Ok(self.replace_root(root, root.with(ASIDE)))
    }

    /// Called when all words of the level of `root` are gone. Returns true if this call moved the root on.
    pub(crate) fn end_growth(&self, root: Root) -> bool {
        let (level, behind) = (root.level() + 1, root.0.addr() & BEHIND);
        self.block(level)
            .is_some_and(|below| self.replace_root(root, Root::new(below, level).with(behind)))
    }

    /// Records that no table follows this one. Requires exclusive access to it.
    pub(crate) fn end_following(&self) {
        let root = self.root();
        if self.is_followed(root) {
            let _ = self.replace_root(root, root.without(ASIDE));
        }
    }

    fn replace_root(&self, old: Root, new: Root) -> bool {
        // SeqCst: a lookup that begins after a growth has ended begins with the new level, on any processor.
        let replaced = self
            .root
            .compare_exchange(old.0, new.0, Ordering::SeqCst, Ordering::SeqCst);
        replaced.is_ok()
    }

    /// The block of a level; if there is none, a new one whose words are all absent.
    fn block_or_new(&self, level: u32) -> Result<&Block, OutOfMemory> {
        let place = &self.blocks[(level - self.first) as usize];
        place.get_or_try_init(|| Block::new(level, self.depth(level)).map(Box::new))
    }

    /// Frees the blocks of levels that the root has left.
    pub(crate) fn forget_behind(&mut self) {
        let behind = (self.root().level() - self.first) as usize;
        let left = &mut self.blocks[..behind];
        left.iter_mut().for_each(|block| *block = OnceBox::new());
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

    /// Whether a word that was absent before this call is an empty bucket. Once the root has moved on, the word was
    /// split, and an absent word may have been given back.
    #[inline]
    pub(crate) fn is_lazy(&self, bucket: usize) -> bool {
        self.lazy && level_of(bucket) == self.first && self.root().level() == self.first
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

    /// The header of the level of a root of this table.
    #[inline]
    #[allow(unsafe_code, reason = "lookups are faster for it")]
    fn header(&self, root: Root) -> &Header {
        // SAFETY: a root points to the block of its level, which has a header and stays while the table is borrowed.
        unsafe { &*Cells::header_of(root.words()) }
    }

    /// Both words of an item at a root of this table, where the sweep has left them.
    #[inline]
    #[allow(unsafe_code, reason = "lookups are faster for it")]
    pub(crate) fn swept(&self, GrowingRoot(root): GrowingRoot, hash: u64) -> Swept<'_> {
        let shift_below = root.0.addr().wrapping_sub(1) as u32;
        // SAFETY: the root said that the level is growing after `lead_to`, and was read with SeqCst. Blocks stay while
        // the table is borrowed.
        unsafe { Swept::new(root.words(), shift_below, hash) }
    }

    /// Both words of an item at the level of a root of this table, and its lane there.
    #[inline]
    #[allow(unsafe_code, reason = "lookups are faster for it")]
    pub(crate) fn pair(&self, root: Root, hash: u64) -> Pair<'_> {
        let (words, shift) = (root.words(), root.0.addr() as u32);
        let of_head = OfHead::of_hash(hash);
        // The leading one of the number is the start of the block.
        let first = hash.wrapping_shr(shift);
        let place = first >> TAIL_BITS;
        let cell = |place: u64| {
            // SAFETY: the block has all words of its level. The place has as many bits as the level, because the root
            // says how many bits are not of it, and so has the offset.
            unsafe { &*words.wrapping_add(place as usize) }
        };
        Pair {
            first: cell(place),
            second: cell(place ^ of_head.offset(shift)),
            lane: of_head.lane(first as u16),
            of_head,
            header: self.header(root),
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

    /// Sets a word of an unshared table.
    pub(crate) fn set(&self, bucket: usize, word: impl Into<Word>) {
        let cell = self.cell(bucket).expect("a bucket of the table");
        // Relaxed: whatever follows is ordered by the handing over of the table.
        cell.store(word.into().bits(), Ordering::Relaxed);
    }

    /// Sets the words of a region of an unshared table.
    pub(crate) fn set_region(&self, bucket: usize, region: Region) {
        if matches!(region, Region::Split(_)) {
            self.set(bucket, Word::GONE);
        }
        region
            .buckets(bucket)
            .for_each(|(bucket, content)| self.set(bucket, content));
    }

    /// Returns the memory of a level to the system. The root left it a grace period ago, so nobody still splits into
    /// it. If it is much, inserts give it back.
    pub(crate) fn release(&self, level: u32) {
        match self.block(level) {
            Some(block) if block.abandon() => self.say_behind(),
            Some(block) => block.release(),
            None => {}
        }
    }

    /// Gives back a part of the memory of levels that the root has left. Returns false if there was none.
    pub(crate) fn release_part(&self) -> bool {
        loop {
            let root = self.root();
            if !root.has_memory_behind() {
                return false;
            }
            if self.all().any(Block::release_part) {
                return true;
            }
            self.say_nothing_behind(root);
        }
    }

    /// Tells writers that there is no more memory to give back, unless there is.
    fn say_nothing_behind(&self, root: Root) {
        // SeqCst, all of them: a thread that abandoned a block, and then found the bit set, did both before this
        // exchange, so the block is found after it.
        if self.replace_root(root, root.without(BEHIND)) && self.all().any(Block::has_part) {
            self.say_behind();
        }
    }

    /// Tells writers that there is memory to give back.
    fn say_behind(&self) {
        loop {
            // After the block was abandoned; see `say_nothing_behind`.
            let root = self.root();
            if root.has_memory_behind() || self.replace_root(root, root.with(BEHIND)) {
                return;
            }
        }
    }

    /// The bytes of one block of this level.
    pub(crate) fn bytes_for(level: u32) -> usize {
        Block::bytes_for(level)
    }

    /// The bytes of all blocks, except those returned to the system.
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
    of_head: &'static OfHead,
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
        self.of_head.fingerprint()
    }

    /// The lanes of two words that cover the item: see [`Depth::covering`].
    #[inline]
    pub(crate) fn covering(&self, first: Word, second: Word) -> u32 {
        let (first, second) = (first.bits(), second.bits());
        self.header.marks.covering(self.lane, first, second)
    }

    /// The answer of both words about the item. It is sure exactly if both [are plain](Word::are_plain).
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

    /// Prefetches the lines of both.
    #[inline]
    pub(crate) fn prefetch(&self) {
        crate::table::word::prefetch(self.first);
        crate::table::word::prefetch(self.second);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A level whose blocks go back in parts.
    const FIRST: u32 = 19;

    fn double(blocks: &Blocks) {
        let root = blocks.root();
        assert!(blocks.begin_to_grow(root).expect("memory"));
        assert!(blocks.end_growth(blocks.root()));
    }

    #[test]
    fn what_is_abandoned_in_a_growth_is_not_forgotten_at_its_end() {
        let blocks = Blocks::lazy(FIRST).expect("memory");
        double(&blocks);
        blocks.release(FIRST);
        double(&blocks);
        assert!(blocks.release_part(), "it stays");
    }

    /// A thread finds no memory to give back. Before it clears the bit, another block is abandoned while the bit is
    /// still set. Some writer must be told to give that block back.
    #[test]
    fn what_is_abandoned_when_the_rest_has_gone_back_is_not_forgotten() {
        let blocks = Blocks::lazy(FIRST).expect("memory");
        (0..2).for_each(|_| double(&blocks));
        blocks.release(FIRST);
        while blocks.all().any(Block::release_part) {}
        let root = blocks.root();
        assert!(root.has_memory_behind(), "nobody has said otherwise");
        blocks.release(FIRST + 1);
        blocks.say_nothing_behind(root);
        assert!(blocks.all().any(Block::has_part), "none has gone back");
        assert!(blocks.root().has_memory_behind(), "it is forgotten");
        while blocks.release_part() {}
        assert!(!blocks.all().any(Block::has_part), "it stays");
        assert!(!blocks.root().has_memory_behind(), "all has gone back");
    }
}
