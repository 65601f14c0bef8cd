//! The blocks of words, and the hint: which of them lookups begin with.
//!
//! ```text
//! hint   | .. | doublings : 8 | growing : 1 | 0 | 53 - level : 6 |
//! ```
//!
//! The hint is a level whose words are there or were split since, and nothing more: what a word holds is the truth,
//! whatever the hint said. The cursor is the first word that need not be split yet.
//!
//! Blocks stay where they are until the table is dropped. The memory of those behind the hint goes back to the system,
//! and reads as absent words.

use core::ptr;

use super::word::Word;
use super::{Class, DEEPEST, level_of};
use crate::allocate;
use crate::error::OutOfMemory;
use crate::layout::Bucket;
use crate::layout::prefix::{Depth, TAIL_BITS};
use crate::sync::{AtomicPtr, AtomicU64, Ordering};

#[derive(Debug)]
pub(crate) struct Blocks {
    /// The level at which the table began.
    first: u32,
    hint: AtomicU64,
    cursor: AtomicU64,
    /// The block of each level from the first on; null if there is none yet. More than are used, so that no index of a
    /// hint is out of bounds.
    bases: [AtomicPtr<AtomicU64>; PLACES],
    /// The bytes that the system has got back of each.
    released: [AtomicU64; PLACES],
}

/// What the hint said when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hint(u64);

const PLACES: usize = 16;
const DOUBLINGS_AT: u32 = 8;
const GROWING: u64 = 1 << 7;
const SHIFT: u64 = (1 << 6) - 1;

impl Hint {
    fn new(first: u32, doublings: u32) -> Self {
        Self(u64::from(doublings) << DOUBLINGS_AT | u64::from(53 - first - doublings))
    }

    #[inline]
    fn place(self) -> usize {
        (self.0 >> DOUBLINGS_AT) as usize % PLACES
    }

    #[inline]
    pub(crate) fn level(self) -> u32 {
        53 - (self.0 & SHIFT) as u32
    }

    #[inline]
    pub(crate) fn depth(self) -> Depth {
        if self.0 < 1 << DOUBLINGS_AT {
            Depth::First
        } else {
            Depth::Deeper
        }
    }

    /// Whether words of this level are being split.
    #[inline]
    pub(crate) fn is_growing(self) -> bool {
        self.0 & GROWING != 0
    }
}

impl Blocks {
    /// A table of `2^first` empty buckets. It can double ten times, or up to the deepest level.
    pub(crate) fn new(first: u32) -> Result<Self, OutOfMemory> {
        let blocks = Self::of(first, first);
        let empty = Word::from(Bucket::EMPTY).bits();
        let words = allocate::slice(1 << first, || AtomicU64::new(empty))?;
        blocks.bases[0].store(Box::into_raw(words).cast(), Ordering::Relaxed);
        Ok(blocks)
    }

    /// A table that began with `2^first` buckets, and has the block of one level, whose words are yet to be set.
    pub(crate) fn at_level(first: u32, level: u32) -> Result<Self, OutOfMemory> {
        let blocks = Self::of(first, level);
        blocks.add(level)?;
        Ok(blocks)
    }

    fn of(first: u32, level: u32) -> Self {
        Self {
            first,
            hint: AtomicU64::new(Hint::new(first, level - first).0),
            cursor: AtomicU64::new(1 << level),
            bases: core::array::from_fn(|_| AtomicPtr::new(ptr::null_mut())),
            released: core::array::from_fn(|_| AtomicU64::new(0)),
        }
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
        if level == self.first {
            Depth::First
        } else {
            Depth::Deeper
        }
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
        self.add(hint.level() + 1)?;
        Ok(self.replace_hint(hint, Hint(hint.0 | GROWING)))
    }

    /// All words of the level of `hint` are gone. Returns true if this call moved the hint on.
    pub(crate) fn end_growth(&self, hint: Hint) -> bool {
        let next = Hint::new(self.first, hint.level() + 1 - self.first);
        self.replace_hint(hint, next)
    }

    fn replace_hint(&self, old: Hint, new: Hint) -> bool {
        // SeqCst: a lookup that begins after a growth has ended begins with the new level, on any processor.
        let replaced = self
            .hint
            .compare_exchange(old.0, new.0, Ordering::SeqCst, Ordering::SeqCst);
        replaced.is_ok()
    }

    /// Adds the block of a level, all words of which are absent, if there is none.
    fn add(&self, level: u32) -> Result<(), OutOfMemory> {
        let base = &self.bases[(level - self.first) as usize];
        if !base.load(Ordering::Acquire).is_null() {
            return Ok(());
        }
        let words = Box::into_raw(allocate::zeros(1 << level)?);
        // Release: pairs with the loads of the pointer.
        let added = base.compare_exchange(
            ptr::null_mut(),
            words.cast(),
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        if added.is_err() {
            drop_block(words.cast(), level);
        }
        Ok(())
    }

    /// The cell of a bucket, if there is the block of its level.
    #[inline]
    #[allow(unsafe_code, reason = "a block has all words of its level")]
    fn cell(&self, bucket: usize) -> Option<&AtomicU64> {
        let level = level_of(bucket);
        let place = level.checked_sub(self.first)? as usize;
        // Acquire: pairs with the exchange in `add`.
        let base = self.bases.get(place)?.load(Ordering::Acquire);
        if base.is_null() {
            return None;
        }
        // SAFETY: the block of a level has as many words, and stays while the table is borrowed.
        Some(unsafe { &*base.wrapping_add(bucket - (1 << level)) })
    }

    /// A word; absent if its level has no block.
    #[inline]
    pub(crate) fn load(&self, bucket: usize) -> Word {
        // SeqCst, as every access to a word: see `Table::load`.
        let load = |cell: &AtomicU64| Word::from_bits(cell.load(Ordering::SeqCst));
        self.cell(bucket).map_or(Word::ABSENT, load)
    }

    /// Both words of a class at the level of a hint of this table, by independent loads.
    #[inline]
    #[allow(unsafe_code, reason = "lookups are faster for it")]
    pub(crate) fn load_pair(&self, hint: Hint, class: Class) -> (Word, Word) {
        let level = hint.level();
        // Acquire: pairs with the exchange in `add`.
        let base = self.bases[hint.place()].load(Ordering::Acquire);
        debug_assert!(!base.is_null());
        let word = |bucket: usize| {
            // SAFETY: there is a block for the level of a hint, the number is of that level, and see `cell`.
            let cell = unsafe { &*base.wrapping_add(bucket - (1 << level)) };
            // SeqCst: see `Table::load`.
            Word::from_bits(cell.load(Ordering::SeqCst))
        };
        (
            word(class.first.bucket(level)),
            word(class.second.bucket(level)),
        )
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
    pub(crate) fn set(&mut self, bucket: usize, content: Bucket<super::Lanes16>) {
        let cell = self.cell(bucket).expect("a bucket of the table");
        cell.store(Word::from(content).bits(), Ordering::Relaxed);
    }

    /// Lets the system have the pages of a level that is behind the hint for a grace period, so that nobody splits into
    /// it any more.
    pub(crate) fn release(&self, level: u32) {
        let place = (level - self.first) as usize;
        if let Some(words) = self.block(level) {
            let released = allocate::release_pages(words) as u64;
            // Relaxed: a measure, which orders nothing.
            self.released[place].store(released, Ordering::Relaxed);
        }
    }

    #[allow(unsafe_code, reason = "a block has all words of its level")]
    fn block(&self, level: u32) -> Option<&[AtomicU64]> {
        let base = self.bases[(level - self.first) as usize].load(Ordering::Acquire);
        if base.is_null() {
            return None;
        }
        // SAFETY: as in `cell`.
        Some(unsafe { core::slice::from_raw_parts(base, 1 << level) })
    }

    /// The bytes of all blocks, but for those that the system has got back.
    pub(crate) fn bytes(&self) -> usize {
        let of_level = |level: u32| {
            let released = self.released[(level - self.first) as usize].load(Ordering::Relaxed);
            let block = self.block(level).map_or(0, allocate::bytes);
            block.saturating_sub(released as usize)
        };
        (self.first..=self.last()).map(of_level).sum()
    }
}

#[allow(unsafe_code, reason = "it has been made of a box")]
fn drop_block(base: *mut AtomicU64, level: u32) {
    // SAFETY: the caller is its only owner, and it was a box of so many words.
    drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(base, 1 << level)) });
}

impl Drop for Blocks {
    fn drop(&mut self) {
        for (base, level) in self.bases.iter().zip(self.first..) {
            // Relaxed: `&mut` says that no other thread is about.
            let base = base.load(Ordering::Relaxed);
            if !base.is_null() {
                drop_block(base, level);
            }
        }
    }
}
