//! A block: the words of one level, and the return of their memory to the system.
//!
//! A large block goes back in parts, so that no call waits for the system to take all of it.
//! In front of the words is a header: how lookups at this level judge words, and how far its growth is.

use super::sweep::Sweep;
use crate::allocate::{self, Cells, Parts};
use crate::error::OutOfMemory;
use crate::layout::prefix::{Depth, Marks};
use crate::sync::{AtomicU64, Ordering};

#[derive(Debug)]
pub(super) struct Block {
    pub(super) words: Cells<Header>,
    /// The number of bytes returned to the system.
    released: AtomicU64,
    /// The number of the part that goes back next.
    part: AtomicU64,
}

/// As the number of the next part: the words are in use.
const IN_USE: u64 = u64::MAX;

impl Block {
    pub(super) fn new(level: u32, depth: Depth) -> Result<Self, OutOfMemory> {
        Ok(Self {
            words: Cells::new(1 << level, Header::new(depth))?,
            released: AtomicU64::new(0),
            part: AtomicU64::new(IN_USE),
        })
    }

    /// The bytes of a block of this level.
    pub(super) fn bytes_for(level: u32) -> usize {
        size_of::<Self>() + Cells::<Header>::bytes_for(1 << level)
    }

    /// The bytes, except those returned to the system.
    pub(super) fn bytes(&self) -> usize {
        // Relaxed, here and where it is added to: a measure, which orders nothing.
        let released = self.released.load(Ordering::Relaxed) as usize;
        size_of::<Self>() + Cells::<Header>::bytes_for(self.words.len()) - released
    }

    fn parts(&self) -> Parts<'_> {
        Parts::of(&self.words)
    }

    /// Returns all pages of an unused block to the system.
    pub(super) fn release(&self) {
        if self.abandon() {
            while self.release_part() {}
        } else {
            let released = allocate::release_pages(&self.words);
            self.released.store(released as u64, Ordering::Relaxed);
        }
    }

    /// Marks the words as unused. Returns whether the block is so large that it goes back in parts.
    pub(super) fn abandon(&self) -> bool {
        let is_large = self.parts().len() > 1;
        if is_large {
            // SeqCst: see `Blocks::say_nothing_behind`.
            let _ = self
                .part
                .compare_exchange(IN_USE, 0, Ordering::SeqCst, Ordering::SeqCst);
        }
        is_large
    }

    /// Whether there is a part to return that no thread has taken.
    pub(super) fn has_part(&self) -> bool {
        // SeqCst: as above.
        self.part.load(Ordering::SeqCst) < self.parts().len() as u64
    }

    /// Returns the pages of one part to the system. Returns false if there is none.
    pub(super) fn release_part(&self) -> bool {
        if !self.has_part() {
            return false;
        }
        // Relaxed: the pages are the same whichever thread gives them back.
        let part = self.part.fetch_add(1, Ordering::Relaxed);
        let released = allocate::release_pages(self.parts().part(part as usize));
        self.released.fetch_add(released as u64, Ordering::Relaxed);
        true
    }
}

/// The header of the words of a level.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Header {
    /// All that ever changes.
    pub(super) sweep: Sweep,
    pub(super) marks: Marks,
}

impl Header {
    pub(super) fn new(depth: Depth) -> Self {
        Self {
            sweep: Sweep::new(),
            marks: Marks::of(depth),
        }
    }
}
