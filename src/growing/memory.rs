//! The memory of one level, its *block*: a header and the words, and their way back to the system.
//!
//! The header has how lookups at this level judge words, and how far its growth is.
//!
//! The words go back when no thread can still be about to write there. A thread that may is
//! *pinned*, and crossbeam-epoch runs a deferred call when no thread is pinned any more that was
//! pinned when the call was deferred. A large block goes back in parts, so that no call waits for
//! the system to take all of it.
//!
//! crossbeam-epoch allocates: about 2 KiB for each thread, when it first pins; as much for the
//! deferred calls of a thread, when they are flushed, or are 64, or the thread ends; and a little
//! for the process. Where it gets no memory, the process aborts. So a call that can do without it
//! first [asks](try_to_pin) for as much memory. That reserves nothing: another thread may take it.
//! And a call that meets the split of another thread, or a word never written, [must pin](pin).

use core::cell::Cell;
use core::hint::black_box;

use crossbeam_epoch::Guard;

use crate::allocate;
use crate::allocate::{Cells, ReleaseChunks};
use crate::error::OutOfMemory;
use crate::growing::lane::{Depth, Marks};
use crate::growing::sweep::Sweep;
use crate::sync;
use crate::sync::{AtomicU64, Ordering};

#[derive(Debug)]
pub(crate) struct LevelMemory {
    pub(crate) words: Cells<Header>,
    /// The number of bytes returned to the system.
    released: AtomicU64,
    /// The number of the part that goes back next.
    part: AtomicU64,
}

/// As the number of the next part: the words are in use.
const IN_USE: u64 = u64::MAX;

impl LevelMemory {
    pub(crate) fn new(level: u32, depth: Depth) -> Result<Self, OutOfMemory> {
        Ok(Self {
            words: Cells::new(1 << level, Header::new(depth))?,
            released: AtomicU64::new(0),
            part: AtomicU64::new(IN_USE),
        })
    }

    /// The bytes of a block of this level.
    pub(crate) fn bytes_for(level: u32) -> usize {
        size_of::<Self>() + Cells::<Header>::bytes_for(1 << level)
    }

    /// The bytes, except those returned to the system.
    pub(crate) fn bytes(&self) -> usize {
        // Relaxed, here and where it is added to: a measure, which orders nothing.
        let released = self.released.load(Ordering::Relaxed) as usize;
        size_of::<Self>() + Cells::<Header>::bytes_for(self.words.len()) - released
    }

    fn release_chunks(&self) -> ReleaseChunks<'_> {
        ReleaseChunks::of(&self.words)
    }

    /// Returns all pages of an unused block, which is not large, to the system.
    pub(crate) fn release(&self) {
        let released = allocate::release_pages(&self.words);
        self.released.store(released as u64, Ordering::Relaxed);
    }

    /// Marks the words as unused. Returns whether the block is so large that it goes back in parts.
    pub(crate) fn abandon(&self) -> bool {
        let is_large = self.release_chunks().len() > 1;
        if is_large {
            // SeqCst: see `Levels::clear_reclaim_pending`.
            let _ = self
                .part
                .compare_exchange(IN_USE, 0, Ordering::SeqCst, Ordering::SeqCst);
        }
        is_large
    }

    /// Whether there is a part to return that no thread has taken.
    pub(crate) fn has_part(&self) -> bool {
        // SeqCst: as above.
        self.part.load(Ordering::SeqCst) < self.release_chunks().len() as u64
    }

    /// Returns the pages of one part to the system. Returns false if there is none.
    pub(crate) fn release_part(&self) -> bool {
        if !self.has_part() {
            return false;
        }
        // Relaxed: the pages are the same whichever thread gives them back.
        let part = self.part.fetch_add(1, Ordering::Relaxed);
        let released = allocate::release_pages(self.release_chunks().part(part as usize));
        self.released.fetch_add(released as u64, Ordering::Relaxed);
        true
    }
}

/// The header of the words of a level.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Header {
    /// All that ever changes.
    pub(crate) sweep: Sweep,
    pub(crate) marks: Marks,
}

impl Header {
    pub(crate) fn new(depth: Depth) -> Self {
        Self {
            sweep: Sweep::new(),
            marks: Marks::of(depth),
        }
    }
}

/// Number of times that a thread must be seen unpinned before deferred calls run.
pub(crate) const FLUSHES: usize = if sync::MODEL { 1 } else { 4 };

/// More than crossbeam-epoch allocates in one call: what it has for the process, a thread, and
/// waiting calls.
const EPOCH_BYTES: usize = 8 << 10;

std::thread_local! {
    /// Whether the thread has pinned. It has no destructor.
    static IS_KNOWN: Cell<bool> = const { Cell::new(false) };
}

/// Whether there is as much memory as crossbeam-epoch may allocate, at the moment.
fn ask() -> Result<(), OutOfMemory> {
    let mut room = Vec::<u8>::new();
    allocate::grow(&mut room, EPOCH_BYTES)?;
    // Use it, or else the compiler leaves the allocation out.
    black_box(&mut room);
    Ok(())
}

/// Pins the thread, unless it would be the first time, and there is not the memory for that.
pub(crate) fn try_to_pin() -> Result<Guard, OutOfMemory> {
    if IS_KNOWN.get() {
        return Ok(crossbeam_epoch::pin());
    }
    ask()?;
    Ok(pin())
}

/// Pins the thread, also if it is the first time.
pub(crate) fn pin() -> Guard {
    let guard = crossbeam_epoch::pin();
    IS_KNOWN.set(true);
    guard
}

/// Runs the deferred calls that are due, unless there is not the memory for that: then they wait
/// for the next flush.
pub(crate) fn flush() {
    if ask().is_ok() {
        pin().flush();
    }
}
