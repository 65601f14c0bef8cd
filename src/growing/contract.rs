//! Contraction: puts the tokens into the fewest and smallest tables that hold them. Also the other
//! calls that have a table for themselves: `clear`, and the repair of what dead threads have left.
//!
//! It is the inverse of a doubling. The bucket's number is that of the item's first candidate, if
//! need be after the offset of the second one is undone. Its last bits return to the front of the
//! tail. If the lane has no room for them, the last bits of the tail are dropped: the prefix
//! becomes shorter.
//!
//! *No item is lost.* A shorter prefix covers all that the longer one covered. So each item still
//! has a token of its own that covers it, which is all that
//! [removal](crate::design::doubling#removal-takes-the-longest) needs.
//!
//! *No tail becomes shorter than the doublings from the first level on would have left it.* A
//! prefix has at least ten bits more than the first level. At a level that is `d` deeper, `10 - d`
//! of them or more are left for the tail. So the table can double as often as before, and its rate
//! of false positives is at most that of a table that has grown to this size, with the same number
//! of tokens of each age. At the first level all tails are full again.

use crate::allocate;
use crate::allocate::Shared;
use crate::error::OutOfMemory;
use crate::growing::Growing;
use crate::growing::grow::far;
use crate::growing::item::{Head, alternate, level_of};
use crate::growing::levels::Levels;
use crate::growing::memory::{FLUSHES, flush};
use crate::growing::ops::LevelGraph;
use crate::growing::sweep::{Region, Stage};
use crate::growing::tables::{CountedGrowingTable, MAX_ADDED, geometry};
use crate::growing::tokens::{Bucket, GrowingTokens, Token, prefix, settled};
use crate::kernel::geometry::Class;
use crate::kernel::outcome::{Failure, MAX_ATTEMPTS};
use crate::kernel::relocate::make_room;
use crate::kernel::sizing::items_for;

impl Growing {
    /// Puts all tokens into the fewest and smallest tables that hold them, but none smaller than
    /// its initial size. If there is not enough memory, they stay as they are.
    pub(crate) fn contract(&mut self) {
        // Settle each table: the merging reads words that no descriptor owns.
        self.tables.all().for_each(|table| {
            table.tokens().settle_all();
        });
        loop {
            match self.contracted() {
                // Replace the tables, and try again: tokens that did not fit a smaller size may fit
                // it in the order in which they are now.
                Ok(Some((kept, merged))) => self.tables.replace_all_but(kept, merged),
                // Finish a growth in progress, and try again: a table that could not be made
                // smaller does not stay between two sizes.
                Ok(None) if self.is_growing() && self.finish_growth() => {}
                // Stop when nothing changes any more, or the memory for a smaller table is not
                // there.
                Ok(None) | Err(_) => break,
            }
        }
        // Once more, if the loop ended for want of memory.
        self.finish_growth();
        // Free the words that the first table has outgrown.
        self.tables.free_retired_levels();
    }

    fn is_growing(&self) -> bool {
        let tokens = self.tables.newest().tokens();
        tokens.is_growing(tokens.root())
    }

    /// Merges all tables but the oldest `kept` into one smaller table, with the least possible
    /// `kept`.
    fn contracted(&self) -> Result<Option<(usize, Box<CountedGrowingTable>)>, OutOfMemory> {
        let mut tables = Vec::new();
        allocate::grow(&mut tables, MAX_ADDED + 1)?;
        tables.extend(self.tables.all());
        // Try all tables first. Keep one more of the oldest each time: a table that has tables
        // after it must have its last level, so it is merged with all of them or left as it is.
        for kept in 0..tables.len() {
            let merged = &tables[..tables.len() - kept];
            // Search as far as an insert below the capacity: the new table is as full.
            let budget = far(merged[merged.len() - 1].tokens().search_budget());
            if let Some(merged) = CountedGrowingTable::contracted(merged, budget)? {
                return Ok(Some((kept, allocate::boxed(merged)?)));
            }
        }
        Ok(None)
    }
}

impl CountedGrowingTable {
    /// The smallest table for the tokens of these, from the newest to the oldest, unshared and with
    /// nothing in progress, found by searches of up to `budget` buckets. `None` if it would not be
    /// smaller. It begins with the level of the oldest.
    fn contracted(tables: &[&Self], budget: usize) -> Result<Option<Self>, OutOfMemory> {
        let Some(oldest) = tables.last() else {
            return Ok(None);
        };
        let tokens = oldest.tokens();
        let (first, last) = (tokens.first(), tokens.last());
        // One table must become smaller than it is. Several may become one that can double no more.
        let too_large = if tables.len() == 1 {
            oldest.size()
        } else {
            last + 1
        };
        // Count the tokens themselves: a dead thread may not have counted what it added.
        let len = tables.iter().map(|table| table.tokens().taken()).sum();
        // Skip the levels whose capacity is too small: room is not assured there.
        let fits = |&level: &u32| items_for(geometry(level)) >= len;
        for level in (first..too_large).filter(fits) {
            // Build a table of this level without a growth in progress.
            let merged =
                GrowingTokens::empty(first, Stage::at_rest(level), tokens.search_budget())?;
            // Drop this table at the first token that has no room, and try the next level.
            let fit = |table: &&Self| merged.add_all(table.tokens(), budget);
            if tables.iter().all(fit) {
                return Ok(Some(Self::of(merged, len)?));
            }
        }
        Ok(None)
    }
}

impl GrowingTokens {
    /// Adds all tokens of another table, which no other thread uses, and which has nothing in
    /// progress. Returns false if they do not fit, after searches of up to `budget` buckets.
    fn add_all(&self, from: &Self, budget: usize) -> bool {
        // Read two levels: in a growth, a bucket of the level of the root or both of its children
        // are there.
        let both_levels = 1 << from.level()..4 << from.level();
        let mut contents = both_levels.filter_map(|bucket| Some((bucket, from.peek(bucket)?)));
        // Stop at the first token that does not fit: the caller tries a larger table.
        contents.all(|(bucket, content)| {
            let mut tokens = content.tokens();
            tokens.all(|token| add(self, from, bucket, token, budget))
        })
    }
}

/// Adds a token that is in a bucket of another table, on either side.
fn add(
    to: &GrowingTokens,
    from: &GrowingTokens,
    bucket: usize,
    token: Token,
    budget: usize,
) -> bool {
    let level = to.level();
    // Decode all that the token says of the first index string of its item: the number of the
    // bucket and the tail.
    let prefix = prefix(bucket, token, from.levels.depth(level_of(bucket)));
    // Encode it for the new level: as many bits become the number of a bucket, and the next ones
    // the tail.
    let (first, lane) = prefix.at(level, to.levels.depth(level));
    let token = Token::from_bits(u32::from(lane));
    token.is_some_and(|token| place_in_pair(to, first, token, budget))
}

/// Adds a token to a table that no other thread has: to this bucket or its alternate, which must
/// both be live, after a search for a path of up to `budget` buckets. Returns false if there is no
/// room.
pub(crate) fn place_in_pair(
    to: &GrowingTokens,
    bucket: usize,
    token: Token,
    budget: usize,
) -> bool {
    // Find the other bucket of the token.
    let head = Head::of_lane(token.bits() as u16);
    let other = alternate(bucket, head);
    let Some(graph) = LevelGraph::of(to, level_of(bucket), budget) else {
        return false;
    };
    for _ in 0..MAX_ATTEMPTS {
        // Add the token where there is room.
        for bucket in [bucket, other] {
            if let Some(added) = to.look(bucket).with(token) {
                to.levels.set(bucket, added);
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

impl GrowingTokens {
    /// Completes what dead threads have begun with words, and reclaims what they held. A growth
    /// stays where it is. Returns the number of tokens. Requires exclusive access to the tokens.
    pub(crate) fn settle_all(&self) -> usize {
        let level = self.level();
        // Before `Pool::reclaim`: if a descriptor were reused while a word refers to it, the
        // content of that word would be lost.
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
        let regions = (1 << level..2 << level).filter_map(|bucket| self.region(bucket, settled));
        regions.map(Region::len).sum()
    }

    /// Frees the blocks of levels that the table has left. Blocks of less than a page are freed
    /// only here.
    pub(crate) fn free_retired_levels(&mut self) {
        // Run the calls that wait to give memory back: they refer to the blocks.
        (0..FLUSHES).for_each(|_| flush());
        // Nothing is freed if one of them is still waiting.
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
