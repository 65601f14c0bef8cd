//! The levels of a table that doubles, and the root: the level at which lookups begin. A level has
//! the words of one size of the table.
//!
//! ```text
//! root   | address of the first word : 56 | busy : 1 | reclaim : 1 | 55 - level : 6 |
//! ```
//!
//! *Busy*: tokens may be outside of the words of this level. *Reclaim*: levels that the root has
//! left have memory to give back. The root promises only that each word of its level is
//! there, or was split since. What a word holds is true, whatever the root said.
//! [`doubling`](crate::design::doubling#words) has the rest.
//!
//! The [block](crate::growing::memory) of a level stays where it is until the table is dropped, or
//! until a call with exclusive access frees it.

use core::ops::Range;

use once_cell::race::OnceBox;

use crate::allocate;
use crate::allocate::{ALIGNMENT, Cells};
use crate::error::OutOfMemory;
use crate::growing::item::{MAX_LEVEL, OfHead, SHIFT_OF_LEVEL_0, level_of};
use crate::growing::lane::{Depth, TAIL_BITS};
use crate::growing::memory::{Header, LevelMemory};
use crate::growing::sweep::{Region, Stage};
use crate::growing::views::{Level, LevelPair, MidGrowthPair};
use crate::growing::word::GrowingWord;
use crate::kernel::layout::Bucket;
use crate::sync;
use crate::sync::{AtomicPtr, AtomicU64, Ordering};

#[derive(Debug)]
pub(crate) struct Levels {
    /// The level at which the table began.
    first: u32,
    /// Whether the table was made without writing the words of its first level. While the root is
    /// at that level, an absent word of it is an empty bucket.
    lazy: bool,
    root: AtomicPtr<AtomicU64>,
    /// The block of each level from the first on.
    levels: [OnceBox<LevelMemory>; MAX_LEVELS],
}

/// The value of the root when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Root(*mut AtomicU64);

/// A root of a level whose words are being split, when it was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GrowingRoot(Root);

/// How often a table can double: each time, its oldest tokens lose a bit of their tails.
const MAX_DOUBLINGS: u32 = if sync::MODEL { 2 } else { TAIL_BITS };

const MAX_LEVELS: usize = MAX_DOUBLINGS as usize + 1;

const SHIFT: usize = (1 << 6) - 1;

/// Levels that the root has left have memory to give back.
const RECLAIM: usize = 1 << 6;

/// Tokens may be outside of the words of this level. One bit for two facts, because lookups ask for
/// both at once. Which one it is follows from the level: before the last one, words of this level
/// are being split ([`Levels::growing`]); at the last, which is never split, there is a table after
/// this one ([`Levels::has_successor`]).
const BUSY: usize = 1 << 7;

const _: () = assert!(BUSY < ALIGNMENT);

impl Root {
    fn new(memory: &LevelMemory, level: u32) -> Self {
        let words = memory.words.first().as_ptr();
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
    pub(crate) fn is_single_level(self) -> bool {
        self.0.addr() & BUSY == 0
    }

    /// Whether memory of levels that the root has left is to be given back.
    #[inline]
    pub(crate) fn is_reclaim_pending(self) -> bool {
        self.0.addr() & RECLAIM != 0
    }

    /// Whether writers have nothing else to do: the table is not growing, no other follows it, and
    /// nothing is to be given back.
    #[inline]
    pub(crate) fn is_at_rest(self) -> bool {
        self.0.addr() & (BUSY | RECLAIM) == 0
    }

    fn with(self, flags: usize) -> Self {
        Self(self.0.map_addr(|address| address | flags))
    }

    fn without(self, flags: usize) -> Self {
        Self(self.0.map_addr(|address| address & !flags))
    }
}

impl Levels {
    /// A table of `2^first` empty buckets. It can double ten times, or up to the deepest level.
    pub(crate) fn new(first: u32) -> Result<Self, OutOfMemory> {
        let empty = |_| Region::Whole(Bucket::EMPTY);
        Self::with_regions(first, Stage::at_rest(first), empty)
    }

    /// A table that began with `2^first` buckets, and has come so far. `region` says what each
    /// bucket of its level is, by its place. A bucket may be split only while the table grows, and
    /// must be if the sweep has passed it.
    pub(crate) fn with_regions(
        first: u32,
        stage: Stage,
        region: impl Fn(usize) -> Region,
    ) -> Result<Self, OutOfMemory> {
        let level = stage.level;
        let memory = LevelMemory::new(level, depth(first, level))?;
        let levels = Self::of(first, level, memory, false)?;
        if let Some(cursor) = stage.cursor {
            let root = levels.root();
            levels.open_next_level(root)?;
            levels.header(root).sweep.stand_at(cursor);
        }
        for place in 0..1 << level {
            levels.set_region(1 << level | place, region(place));
        }
        Ok(levels)
    }

    /// As [`new`](Self::new), but in a time that does not depend on the number of buckets. Each
    /// bucket costs more until it is first written.
    pub(crate) fn lazy(first: u32) -> Result<Self, OutOfMemory> {
        Self::of(first, first, LevelMemory::new(first, Depth::First)?, true)
    }

    fn of(first: u32, level: u32, memory: LevelMemory, lazy: bool) -> Result<Self, OutOfMemory> {
        let root = Root::new(&memory, level);
        let levels: [OnceBox<LevelMemory>; MAX_LEVELS] = core::array::from_fn(|_| OnceBox::new());
        let added = levels[(level - first) as usize].set(allocate::boxed(memory)?);
        debug_assert!(added.is_ok());
        Ok(Self {
            first,
            lazy,
            root: AtomicPtr::new(root.0),
            levels,
        })
    }

    pub(crate) fn first(&self) -> u32 {
        self.first
    }

    /// The deepest level that this table can have.
    pub(crate) fn last(&self) -> u32 {
        (self.first + MAX_DOUBLINGS).min(MAX_LEVEL)
    }

    #[inline]
    pub(crate) fn root(&self) -> Root {
        // SeqCst: pairs with the exchanges of the root, which come after the block, or the table
        // after this one, is there. In the one order of the words: a thread that has found a token
        // there agrees with all others on that.
        Root(self.root.load(Ordering::SeqCst))
    }

    /// The root, if words of its level are being split: it is busy, and its level not the last.
    #[inline]
    pub(crate) fn growing(&self, root: Root) -> Option<GrowingRoot> {
        let is_growing = !root.is_single_level() && root.level() < self.last();
        is_growing.then_some(GrowingRoot(root))
    }

    /// Whether a table was added after this one: the root is busy, and its level the last.
    pub(crate) fn has_successor(&self, root: Root) -> bool {
        !root.is_single_level() && root.level() == self.last()
    }

    /// Records that there is a table after this one, which has its last level.
    pub(crate) fn set_successor(&self) {
        loop {
            let root = self.root();
            debug_assert_eq!(root.level(), self.last());
            if !root.is_single_level() || self.replace_root(root, root.with(BUSY)) {
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

    /// The places of the words that the caller is to split, while words of the level of `root` are
    /// split.
    pub(crate) fn next_chunk(&self, root: Root) -> Range<usize> {
        self.header(root).sweep.next_chunk(1 << root.level())
    }

    /// The words of this chunk are gone. Returns true if it turns out that all of the level are.
    pub(crate) fn move_cursor(&self, root: Root, chunk: Range<usize>) -> bool {
        let first = 1 << root.level();
        // Check by accesses to the words: a thread that finds the cursor past them has acquired
        // these splits.
        let is_gone = |place| self.load(first + place) == GrowingWord::GONE;
        self.header(root).sweep.move_cursor(chunk, first, is_gone)
    }

    /// Allocates the next level, which there must be, and lets writers split the words of the level
    /// of `root` into it. Returns false if the root has changed.
    pub(crate) fn open_next_level(&self, root: Root) -> Result<bool, OutOfMemory> {
        // Allocate the next level, whose words are absent, or find the one that another thread has
        // allocated.
        let below = self.memory_or_new(root.level() + 1)?;
        // Write the address of the next level before the bit: a lookup that sees the bit follows
        // it. A level has the same level below for its whole life, so a thread that is late by a
        // whole growth writes what is there.
        self.header(root)
            .sweep
            .lead_to(below.words.first().as_ptr());
        // Set the bit: from here on writers split, and lookups read two levels. Fails if the root
        // has changed: another thread has begun the growth, or has even ended it. If only the
        // reclaim bit has changed, the caller tries again.
        Ok(self.replace_root(root, root.with(BUSY)))
    }

    /// Moves the root to the next level, when all words of the level of `root` are gone. Returns
    /// false if the root has changed.
    pub(crate) fn move_root_on(&self, root: Root) -> bool {
        let (level, reclaim) = (root.level() + 1, root.0.addr() & RECLAIM);
        // Move the root on: all words of its level are gone, so all of the next level have been
        // buckets. Keep the reclaim bit, and drop the busy bit: the new level is not growing. Fails
        // if the root has changed: a late thread does not affect the next growth. If only the
        // reclaim bit has changed, the next writer moves the root on.
        self.memory(level)
            .is_some_and(|below| self.replace_root(root, Root::new(below, level).with(reclaim)))
    }

    /// Records that no table follows this one. Requires exclusive access to it.
    pub(crate) fn clear_successor(&self) {
        let root = self.root();
        if self.has_successor(root) {
            let _ = self.replace_root(root, root.without(BUSY));
        }
    }

    fn replace_root(&self, old: Root, new: Root) -> bool {
        // SeqCst: a lookup that begins after a growth has ended begins with the new level, on any
        // processor.
        let replaced = self
            .root
            .compare_exchange(old.0, new.0, Ordering::SeqCst, Ordering::SeqCst);
        replaced.is_ok()
    }

    /// The block of a level; if there is none, a new one whose words are all absent.
    fn memory_or_new(&self, level: u32) -> Result<&LevelMemory, OutOfMemory> {
        let place = &self.levels[(level - self.first) as usize];
        place.get_or_try_init(|| allocate::boxed(LevelMemory::new(level, self.depth(level))?))
    }

    /// Frees the blocks of levels that the root has left.
    pub(crate) fn free_retired_levels(&mut self) {
        let retired = (self.root().level() - self.first) as usize;
        let left = &mut self.levels[..retired];
        left.iter_mut().for_each(|memory| *memory = OnceBox::new());
    }

    fn all(&self) -> impl Iterator<Item = &LevelMemory> {
        self.levels.iter().filter_map(OnceBox::get)
    }

    /// The block of a level, if there is one.
    #[inline]
    fn memory(&self, level: u32) -> Option<&LevelMemory> {
        let place = level.checked_sub(self.first)? as usize;
        self.levels.get(place)?.get()
    }

    /// The cell of a bucket, if there is the block of its level.
    #[inline]
    fn cell(&self, bucket: usize) -> Option<&AtomicU64> {
        let level = level_of(bucket);
        self.memory(level)?.words.get(bucket - (1 << level))
    }

    /// Whether a word that was absent before this call is an empty bucket. Once the root has moved
    /// on, the word was split, and an absent word may have been given back.
    #[inline]
    pub(crate) fn is_lazy(&self, bucket: usize) -> bool {
        self.lazy && level_of(bucket) == self.first && self.root().level() == self.first
    }

    /// The words of a level, if it has a block.
    #[inline]
    pub(crate) fn level(&self, level: u32) -> Option<Level<'_>> {
        let words = &self.memory(level)?.words;
        Some(Level::new(words, level, self.depth(level)))
    }

    /// A word; absent if its level has no block.
    #[inline]
    pub(crate) fn load(&self, bucket: usize) -> GrowingWord {
        self.level(level_of(bucket))
            .map_or(GrowingWord::ABSENT, |level| level.load(bucket))
    }

    /// The header of the level of a root of this table.
    #[inline]
    #[allow(unsafe_code, reason = "lookups are faster for it")]
    fn header(&self, root: Root) -> &Header {
        debug_assert!(self.has_made(root));
        // SAFETY: a root of this table points to the first word of the block of its level. In front
        // of it is the header, and the block stays while the table is borrowed.
        unsafe { &*Cells::header_of(root.words()) }
    }

    /// Whether a root is of this table. The callers of what is unsafe here have it from
    /// [`root`](Self::root).
    fn has_made(&self, root: Root) -> bool {
        let memory = self.memory(root.level());
        memory.is_some_and(|memory| memory.words.first().as_ptr() == root.words())
    }

    /// Both words of an item at a root of this table, where the sweep has left them.
    #[inline]
    #[allow(unsafe_code, reason = "lookups are faster for it")]
    pub(crate) fn mid_growth_pair(
        &self,
        GrowingRoot(root): GrowingRoot,
        hash: u64,
    ) -> MidGrowthPair<'_> {
        debug_assert!(self.has_made(root));
        let shift_below = root.0.addr().wrapping_sub(1) as u32;
        // SAFETY: a root of this table points to the first word of the block of its level, and one
        // less than its shift is that of the level below. It said that the level is growing after
        // `lead_to`, and was read with SeqCst. Blocks stay while the table is borrowed.
        unsafe { MidGrowthPair::new(root.words(), shift_below, hash) }
    }

    /// Both words of an item at the level of a root of this table, and its lane there.
    #[inline]
    #[allow(unsafe_code, reason = "lookups are faster for it")]
    pub(crate) fn pair(&self, root: Root, hash: u64) -> LevelPair<'_> {
        let (words, shift) = (root.words(), root.0.addr() as u32);
        let of_head = OfHead::of_hash(hash);
        // The leading one of the number is the start of the block.
        let first = hash.wrapping_shr(shift);
        let place = first >> TAIL_BITS;
        let cell = |place: u64| {
            debug_assert!(place < 1 << root.level());
            // SAFETY: a root of this table points to the first word of the block of its level,
            // which has all words of that level and stays while the table is borrowed. The place
            // has as many bits as the level, because the root says how many bits are not of it, and
            // so has the offset.
            unsafe { &*words.wrapping_add(place as usize) }
        };
        let cells = [cell(place), cell(place ^ of_head.offset(shift))];
        LevelPair::new(
            cells,
            of_head.lane(first as u16),
            of_head,
            self.header(root),
        )
    }

    /// Replaces `current` by `new`. Returns false if the word has changed.
    #[inline]
    pub(crate) fn exchange(
        &self,
        bucket: usize,
        current: impl Into<GrowingWord>,
        new: impl Into<GrowingWord>,
    ) -> bool {
        self.level(level_of(bucket))
            .is_some_and(|level| level.exchange(bucket, current, new))
    }

    /// Loads a word after the thread has frozen another: see `Table::load_crosswise`.
    #[inline]
    pub(crate) fn load_crosswise(&self, bucket: usize) -> GrowingWord {
        self.level(level_of(bucket))
            .map_or(GrowingWord::ABSENT, |level| level.load_crosswise(bucket))
    }

    /// Sets a word of an unshared table.
    pub(crate) fn set(&self, bucket: usize, word: impl Into<GrowingWord>) {
        let cell = self.cell(bucket).expect("a bucket of the table");
        // Relaxed: whatever follows is ordered by the handing over of the table.
        cell.store(word.into().bits(), Ordering::Relaxed);
    }

    /// Sets the words of a region of an unshared table.
    pub(crate) fn set_region(&self, bucket: usize, region: Region) {
        if matches!(region, Region::Split(_)) {
            self.set(bucket, GrowingWord::GONE);
        }
        region
            .buckets(bucket)
            .for_each(|(bucket, content)| self.set(bucket, content));
    }

    /// Returns the memory of a level to the system. The root left it a grace period ago, so no
    /// thread still splits into it. If it is much, later writers give it back, part by part.
    pub(crate) fn release(&self, level: u32) {
        match self.memory(level) {
            Some(memory) if memory.abandon() => self.set_reclaim_pending(),
            Some(memory) => memory.release(),
            None => {}
        }
    }

    /// Gives back a part of the memory of levels that the root has left. Returns false if there was
    /// none.
    pub(crate) fn release_part(&self) -> bool {
        loop {
            let root = self.root();
            if !root.is_reclaim_pending() {
                return false;
            }
            // Give back one part, and leave the rest to the next writers: no call waits for all of
            // it.
            if self.all().any(LevelMemory::release_part) {
                return true;
            }
            // Find none: clear the bit, and look again, because a level may be abandoned meanwhile.
            self.clear_reclaim_pending(root);
        }
    }

    /// Tells writers that there is no more memory to give back, unless there is.
    fn clear_reclaim_pending(&self, root: Root) {
        // SeqCst, all of them: a thread that abandoned a block, and then found the bit set, did
        // both before this exchange, so the block is found after it.
        if self.replace_root(root, root.without(RECLAIM)) && self.all().any(LevelMemory::has_part) {
            self.set_reclaim_pending();
        }
    }

    /// Tells writers that there is memory to give back.
    fn set_reclaim_pending(&self) {
        loop {
            // After the block was abandoned; see `clear_reclaim_pending`.
            let root = self.root();
            if root.is_reclaim_pending() || self.replace_root(root, root.with(RECLAIM)) {
                return;
            }
        }
    }

    /// The bytes of one block of this level.
    pub(crate) fn bytes_for(level: u32) -> usize {
        LevelMemory::bytes_for(level)
    }

    /// The bytes that the block of a level will take: none if it is there, for a growth that was
    /// begun and not told to all.
    pub(crate) fn bytes_to_open(&self, level: u32) -> usize {
        match self.memory(level) {
            Some(_) => 0,
            None => Self::bytes_for(level),
        }
    }

    /// The bytes of all blocks, except those returned to the system.
    pub(crate) fn bytes(&self) -> usize {
        self.all().map(LevelMemory::bytes).sum()
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

    fn double(levels: &Levels) {
        let root = levels.root();
        assert!(levels.open_next_level(root).expect("memory"));
        assert!(levels.move_root_on(levels.root()));
    }

    /// A thread that lost its exchange, or stopped before it, has left the block of the next level.
    #[test]
    fn a_block_counts_once() {
        let levels = Levels::new(4).expect("memory");
        assert_eq!(levels.bytes_to_open(5), Levels::bytes_for(5));
        let outdated = levels.root().with(RECLAIM);
        assert!(!levels.open_next_level(outdated).expect("memory"));
        assert!(levels.growing(levels.root()).is_none());
        assert_eq!(levels.bytes_to_open(5), 0);
        assert_eq!(levels.bytes(), Levels::bytes_for(4) + Levels::bytes_for(5));
    }

    /// The end of the growth leaves the bit that says so.
    #[test]
    fn what_is_abandoned_in_a_growth_goes_back() {
        let levels = Levels::lazy(FIRST).expect("memory");
        double(&levels);
        levels.release(FIRST);
        double(&levels);
        assert!(levels.release_part(), "it stays");
    }

    /// A thread finds no memory to give back. Before it clears the bit, another block is abandoned
    /// while the bit is still set. Some writer must be told to give that block back.
    #[test]
    fn what_is_abandoned_late_goes_back() {
        let levels = Levels::lazy(FIRST).expect("memory");
        (0..2).for_each(|_| double(&levels));
        levels.release(FIRST);
        while levels.all().any(LevelMemory::release_part) {}
        let root = levels.root();
        assert!(root.is_reclaim_pending(), "nobody has said otherwise");
        levels.release(FIRST + 1);
        levels.clear_reclaim_pending(root);
        assert!(
            levels.all().any(LevelMemory::has_part),
            "none has gone back"
        );
        assert!(levels.root().is_reclaim_pending(), "it is forgotten");
        while levels.release_part() {}
        assert!(!levels.all().any(LevelMemory::has_part), "it stays");
        assert!(!levels.root().is_reclaim_pending(), "all has gone back");
    }
}
