//! The calls that have a table for themselves, because no other thread has it, or none writes:
//! placing tokens in a new one, settling what stopped threads have left, freeing, and `clear`.

use crate::allocate::Shared;
use crate::error::OutOfMemory;
use crate::growing::graph::LevelGraph;
use crate::growing::item::{alternate, level_of};
use crate::growing::lane::Head;
use crate::growing::levels::Levels;
use crate::growing::memory::{FLUSHES, flush};
use crate::growing::sweep::{Region, Stage};
use crate::growing::tokens::{Bucket, GrowingTokens, Token};
use crate::kernel::geometry::Class;
use crate::kernel::outcome::{Failure, MAX_ATTEMPTS};
use crate::kernel::relocate::make_room;

impl GrowingTokens {
    /// A new, empty table that began at one level, at this stage.
    pub(crate) fn empty(
        first: u32,
        stage: Stage,
        search_budget: usize,
    ) -> Result<Self, OutOfMemory> {
        let region = |place| {
            if stage.has_passed(place) {
                Region::Split([Bucket::EMPTY; 2])
            } else {
                Region::Whole(Bucket::EMPTY)
            }
        };
        let levels = Levels::with_regions(first, stage, region)?;
        Self::with_levels(levels, search_budget)
    }

    /// Adds a token to a table that no other thread has: to this bucket or its alternate, which
    /// must both be live, after a search for a path of up to `budget` buckets. Returns false if
    /// there is no room.
    pub(crate) fn place_in_pair(&self, bucket: usize, token: Token, budget: usize) -> bool {
        // Find the other bucket of the token.
        let head = Head::of_lane(token.bits() as u16);
        let other = alternate(bucket, head);
        let Some(graph) = LevelGraph::of(self, level_of(bucket), budget) else {
            return false;
        };
        for _ in 0..MAX_ATTEMPTS {
            // Add the token where there is room.
            for bucket in [bucket, other] {
                if let Some(added) = self.look(bucket).with(token) {
                    self.levels.set(bucket, added);
                    return true;
                }
            }
            // Both are full: find a path, and let its last hop place the token.
            let in_level = Class {
                first: bucket,
                second: other,
                fingerprint: token.fingerprint(),
            };
            match make_room(&graph, in_level, Some(token)) {
                Ok(()) => return true,
                // Look again: a path that crosses itself has made room before it ended.
                Err(Failure::Disturbed) => {}
                Err(_) => break,
            }
        }
        false
    }
}

impl GrowingTokens {
    /// Completes what stopped threads have begun with words, and takes back what they held: their
    /// descriptors, a scan, and the words of the sweep that they had taken. A growth stays where it
    /// is. Returns the number of tokens. Requires exclusive access to the tokens.
    pub(crate) fn settle_all(&self) -> usize {
        let level = self.level();
        // Settle the words before the descriptors come back: if one were reused while a word refers
        // to it, the content of that word would be lost.
        let len = self.settle_each(level);
        debug_assert!((1 << level..4 << level).all(|bucket| !self.is_frozen(bucket)));
        self.pool.reclaim();
        // End the scan of a dead thread: otherwise no other could begin, and all hops would leave
        // hints for it.
        self.stripes.end_all_scans();
        self.hints.end_scan();
        // Let the sweep go on at its cursor: words that a dead thread has taken are not split.
        self.levels.give_up_taken();
        len
    }

    /// Settles the region of each bucket of a level, as a writer does that meets it. Returns the
    /// number of tokens.
    pub(crate) fn settle_each(&self, level: u32) -> usize {
        let regions =
            (1 << level..2 << level).filter_map(|bucket| self.region(bucket, Self::settled));
        regions.map(Region::len).sum()
    }

    /// Frees the blocks of levels that the table has left. Blocks of less than a page are freed
    /// only here.
    pub(crate) fn free_retired_levels(&mut self) {
        // Run the calls that wait to give memory back: they refer to the blocks.
        (0..FLUSHES).for_each(|_| flush());
        // Free the blocks, unless one of these calls is still waiting.
        if let Some(levels) = self.levels.get_mut() {
            levels.free_retired_levels();
        }
        self.pool.shrink_to(1 << self.level());
    }

    /// Removes all tokens. The table returns to its first size if there is memory for that,
    /// otherwise keeps its size.
    pub(crate) fn clear(&mut self) {
        // Settle first: the pool stays, and the descriptors of dead threads come back to it.
        self.settle_all();
        if let Ok(levels) = Levels::new(self.levels.first()).and_then(Shared::new) {
            self.levels = levels;
            self.pool.shrink();
            return;
        }
        // Empty the buckets that are there, on both levels of a growth.
        let level = self.level();
        for bucket in 1 << level..4 << level {
            if self.peek(bucket).is_some() {
                self.levels.set(bucket, Bucket::EMPTY);
            }
        }
        self.levels.clear_successor();
    }
}
