//! The growth of one table, from one level to the next.
//!
//! 1. *It begins* (`begin_growth`), by an insert that found no room: descriptors are added,
//!    `Levels::open_next_level` allocates the next level and sets the busy bit.
//! 2. *The sweep* (`help_to_grow`), by each insert and remove that has succeeded, and by inserts
//!    that find no room: takes the next words (`next_chunk`), splits them (`split_all`), and moves
//!    the cursor past them (`move_cursor`).
//! 3. *It ends* (`Levels::move_root_on`), by the thread that finds all words gone.
//! 4. *The old level goes back* (`give_back`), by the same thread, when all that are pinned then
//!    have been unpinned; a large one part by part (`release_part`), by later writers.
//!
//! Any thread can do each of the first three, so none waits for another. A thread that stops before
//! the fourth keeps the memory of the old level until a call has the table for itself.

use crate::error::OutOfMemory;
use crate::growing::levels::Root;
use crate::growing::memory::{FLUSHES, flush, pin, try_to_pin};
use crate::growing::tokens::GrowingTokens;
use crate::kernel::outcome::Failure;
use crate::sync;
use crate::sync::Event;

impl GrowingTokens {
    /// Begins to double the table, unless it has grown since `root` was read, or is growing. It
    /// must be able to.
    pub(crate) fn begin_growth(&self, root: Root) -> Result<(), OutOfMemory> {
        debug_assert!(root.level() < self.levels.last());
        // Return if another thread has begun the growth since the root was read.
        if !root.is_single_level() {
            return Ok(());
        }
        // Find out whether the thread can pin, while the call can still say that it cannot. A model
        // has memory, and many more executions if it pins here too.
        if !sync::MODEL {
            try_to_pin()?;
        }
        // Add the descriptors for the new size before there are more words to freeze.
        self.pool.grow(2 << root.level())?;
        // Allocate the next level, and tell all threads. One of several threads does.
        if self.levels.open_next_level(root)? {
            sync::trace(Event::Growth);
        }
        Ok(())
    }

    /// Splits all words that are left, until the table is not growing. Returns false if other
    /// threads have all descriptors.
    pub(crate) fn finish_sweep(&self) -> bool {
        // Split chunk after chunk, until the root has moved on.
        while self.is_growing(self.root()) {
            if self.help_to_grow().is_err() {
                return false;
            }
        }
        true
    }

    /// Gives back all memory that growths have left, and that no thread may still be splitting
    /// into.
    pub(crate) fn release_all_parts(&self) {
        while self.levels.release_part() {}
    }

    /// A writer's share of a growth: gives back a part of the outgrown memory and, if the table is
    /// growing, splits the next words of the level that it leaves, others than other writers.
    pub(crate) fn help_to_grow(&self) -> Result<(), Failure> {
        let root = self.levels.root();
        // Give back one part of an outgrown level, if one is due.
        if root.is_reclaim_pending() {
            self.levels.release_part();
        }
        if !self.is_growing(root) {
            return Ok(());
        }
        // Take the next words that no thread has taken; if others have stopped, take those at the
        // cursor again.
        let chunk = self.levels.next_chunk(root);
        let buckets = chunk.clone().map(|place| 1 << root.level() | place);
        // Split them. Where another thread has split one, find it gone.
        self.split_all(buckets)?;
        // Move the cursor past the chunk. If all words of the level are gone, move the root on. The
        // one thread that does gives back the level.
        if self.levels.move_cursor(root, chunk) && self.levels.move_root_on(root) {
            self.give_back(root.level());
        }
        Ok(())
    }

    /// Returns the memory of a level that the root has left to the system, when no thread can still
    /// be splitting into it. If it is more than one part, later writers return the parts.
    fn give_back(&self, level: u32) {
        // Wait until all threads that are pinned now are unpinned: a helper that sleeps in a split
        // writes into absent words, and the words read as absent once their memory is given back.
        let release = self.later(move |levels| levels.release(level));
        pin().defer(release);
        // Run what is due. No other thread may pin for a long time, and the memory would stay until
        // then.
        (0..FLUSHES).for_each(|_| flush());
    }
}
